"""The store for Python programs. Nothing here prints: results are returned, errors are raised."""

import datetime
import os
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from cardlog.hand import Hand
from cardlog.pipelines import operations
from cardlog.pipelines.charts import catalog
from cardlog.pipelines.errors import as_our_own
from cardlog.pipelines.export.selection import Output, Selection
from cardlog.pipelines.ingest.reading import Reading
from cardlog.pipelines.operations import Built
from cardlog.pipelines.runs import Ingested
from cardlog.pipelines.sql import hand_lookup, query
from cardlog.pipelines.sql.limits import Limits
from cardlog.pipelines.sql.quarantined import NAME as QUARANTINED
from cardlog.pipelines.storage.errors import StoreError
from cardlog.pipelines.storage.moment import pinned
from cardlog.pipelines.storage.remote import is_remote
from cardlog.pipelines.storage.store import SCHEMAS
from cardlog.pipelines.storage.store import Store as Tables
from cardlog.pipelines.upkeep import compact, quarantine, status, vacuum, verify
from cardlog.pipelines.upkeep.forget import Forgotten
from cardlog.pipelines.upkeep.wanted import Wanted
from cardlog.result import Result, need

if TYPE_CHECKING:
    import altair as alt

PathLike = str | os.PathLike[str]
Outcome = TypeVar("Outcome", Built, Forgotten)


class StaleMart(UserWarning):
    """A query names a mart that is older than the tables, because a model or test it depends on failed."""


class Store:
    """A store of hands in a folder, or at a URI such as ``s3://bucket/store``.

    Errors are CardlogErrors, with messages for the user.
    """

    def __init__(self, path: PathLike) -> None:
        with as_our_own():
            self._tables = Tables(os.fspath(path))

    @property
    def path(self) -> str:
        """An absolute path, or the URI."""
        return self._tables.root

    def __repr__(self) -> str:
        return f"cardlog.open({self.path!r})"

    # ------------------------------------------------------------ write

    def ingest(  # noqa: PLR0913, a user's options
        self,
        paths: PathLike | Iterable[PathLike],
        *,
        format: str | None = None,
        dataset: str | None = None,
        final: bool = False,
        ignore_columns: Iterable[str] = (),
        ignore_kinds: Iterable[str] = (),
        timezone: str | None = None,
        replace: bool = False,
        pseudonymise: PathLike | None = None,
        dry_run: bool = False,
        beam_options: Sequence[str] = (),
    ) -> Ingested:
        """Read game logs and check every hand against its rules. Either everything is stored or nothing.

        paths
            Files, folders or globs. The first ingest creates the store.
        format
            One of `cardlog.formats()` (default: detected).
        dataset
            Namespace of the hands' ids (default: the format's name).
        final
            Store hands cut off by a log's end as aborted, which otherwise wait in quarantine for the rest.
        ignore_columns, ignore_kinds
            Columns of a CSV file or keys of `cardlog-jsonl`, and kinds of its lines, to let pass unread:
            one by one, or a text with commas.
        timezone
            What times without a zone mean: a name such as ``Europe/Oslo``, or an offset such as ``+01:00``.
        replace
            Replace stored hands that these contradict, which otherwise are conflicts.
        pseudonymise
            File with a key of 16 bytes or more: names become digests with it, quarantine keeps no text.
        dry_run
            Store nothing: the result says what would be stored, and `rejects` what would not.
        beam_options
            Options for Apache Beam. Raises SourceError for a file that is not a log or can't be read.
        """
        named = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
        key = None if pseudonymise is None else os.fspath(pseudonymise)
        columns, kinds = ([it] if isinstance(it, str) else list(it) for it in (ignore_columns, ignore_kinds))
        how = Reading(format, final, columns, kinds, timezone, dataset, replace, key)
        logs = [os.fspath(path) for path in named]
        with as_our_own():
            return operations.ingest(self._tables, logs, how, dry_run=dry_run, beam_options=beam_options)

    def retry(self, *, beam_options: Sequence[str] = ()) -> Ingested:
        """Read the hands in quarantine again, after a reader was fixed."""
        with as_our_own():
            return quarantine.retry(self._existing(), beam_options=beam_options)

    def resolve(self, *ids: str, reason: str | None = None, everything: bool = False, note: str = "") -> int:
        """Say of hands in quarantine that they need nothing more; returns how many are resolved by it.

        ids
            The ids or keys of the hands, or the ids of their entries, all of them whole; or else:
        reason, everything
            All hands with a reason, or all.
        note
            Why, for ``cardlog quarantine show``.
        """
        with as_our_own():
            return quarantine.resolve(self._existing(), ids, reason=reason, everything=everything, note=note)

    def build(
        self, *, marts: bool = True, project: str | None = None, beam_options: Sequence[str] = ()
    ) -> Built:
        """Update the derived tables from new events; then build and test the marts with dbt.

        project
            Folder of a dbt project of your own, which this build and all later ones build, too; '' for none.

        Raises HeldBack if a dbt test fails. The tables, and the marts of other games, are built nevertheless.
        """
        return self._build(afresh=False, marts=marts, project=project, beam_options=beam_options)

    def rebuild(
        self, *, marts: bool = True, project: str | None = None, beam_options: Sequence[str] = ()
    ) -> Built:
        """Build all tables and marts from scratch, with the same result; else like `build`."""
        return self._build(afresh=True, marts=marts, project=project, beam_options=beam_options)

    def _build(self, **how: Any) -> Built:
        with as_our_own():
            return _checked(operations.build(self._existing(), **how))

    def analyse(
        self, game: str | None = None, *, known: int = 0, beam_options: Sequence[str] = ()
    ) -> dict[str, int]:
        """Find out what every card played was worth, with all cards seen, where that is not done yet.

        game
            Only hands of this game.
        known
            Also find `cost_known`, over so many deals that fit what the player knew, for all hands.

        Returns how many rows the tables `analysis` and `pars` have. Raises CardlogError if the game has no
        solver.
        """
        with as_our_own():
            return operations.analyse(self._existing(), game, known, beam_options=beam_options).rows

    # ------------------------------------------------------------ query

    def sql(self, query_text: str, *, timeout: float | None = None, memory: str | None = None) -> Result:
        """Query the tables and marts in DuckDB's SQL, read-only.

        timeout
            Seconds after which the query is stopped.
        memory
            Memory limit, such as ``2GB`` (default: a quarter of what there is, at most 4 GiB).

        Raises QueryError if it is not a query, or not read-only. Warns with StaleMart if a mart is older than
        the tables.
        """
        with as_our_own():
            tables = self._existing()
            result = Result(tables, query_text, Limits.of(memory, timeout))
        for remark in result.remarks:
            warnings.warn(remark, StaleMart, stacklevel=2)
        return result

    def tables(self) -> list[str]:
        """Names of the tables."""
        return list(SCHEMAS)

    def marts(self) -> list[str]:
        """Names of the marts that dbt builds; empty before the first build."""
        with as_our_own(), query.connect(self._existing()) as connection:
            found = connection.run("show tables").fetchall()
        return [name for name, _ in found if name not in (*SCHEMAS, QUARANTINED)]

    def chart(self, name: str, *, dataset: str | None = None) -> "alt.LayerChart":
        """A chart of the page of `cardlog serve` as an Altair chart, which a notebook shows.

        Its title has the sentence that it proves. Needs the extra ``cardlog[web]``.

        name
            Such as ``kaiser_bid_success``; an error lists all.
        dataset
            Data set whose hands are drawn (default: the one with the most).

        Raises QueryError for a name or data set that does not exist, or if there is nothing to draw.
        """
        need("altair", ".chart()", "the extra 'cardlog[web]' has it")
        with as_our_own():
            return catalog.plot_of(self._existing(), name, dataset).altair()

    def hand(self, hand_id: str) -> Hand:
        """The hand with this id, id prefix or source key. Raises HandNotFound unless there is exactly one."""
        with as_our_own():
            tables = pinned(self._existing(), ["events", "ingests"])
            return Hand(tables, hand_lookup.find(tables, hand_id))

    def status(self) -> dict[str, Any]:
        """Row counts, and whether tables and marts are up to date: what `cardlog status --json` prints."""
        with as_our_own():
            return status.status(self._existing())

    # ------------------------------------------------------------ export

    def export(  # noqa: PLR0913, a user's options
        self,
        out: PathLike,
        *,
        game: str,
        format: str = "parquet",
        encoder: str = "v1",
        seed: int = 0,
        splits: str | Sequence[int] = (80, 10, 10),
        order: str | None = None,
        columns: str | None = None,
        split_by: str | None = None,
        all_episodes: bool = False,
        license: str | None = None,
        name: str | None = None,
        description: str | None = None,
        dialect: str | None = None,
        since: str | datetime.date | None = None,
        until: str | datetime.date | None = None,
        player: str | None = None,
        seats: str | None = None,
        where: str | None = None,
        mart: str = "hands",
        include_aborted: bool = False,
        include_hidden_cards: bool = False,
        include_costs: bool = False,
        min_legal: int | None = None,
        max_cost_open: float | None = None,
        max_cost_known: float | None = None,
        beam_options: Sequence[str] = (),
    ) -> int:
        """Write training data to a new or empty folder, or all hands in their original format to a new file;
        returns the number of rows. The parameters are the options of `cardlog export`, which docs/cli.md
        describes; `beam_options` are for Apache Beam, which encodes training data.

        Raises ExportError if there is nothing to write, or for an unknown game, format or encoder.
        """
        hands = Selection(
            dialect, _day(since), _day(until), player, seats, where, mart, include_aborted,
            include_hidden_cards, include_costs, min_legal, max_cost_open, max_cost_known,
        )  # fmt: skip
        shares = splits if isinstance(splits, str) else ",".join(map(str, splits))
        about = columns, split_by, all_episodes, license, name, description
        what = Output(game, format, encoder, seed, shares, order, *about)
        with as_our_own():
            tables = self._existing()
            return operations.export(tables, _absolute(out), what, hands, beam_options=beam_options).rows

    # ------------------------------------------------------------ maintain

    def verify(self) -> verify.Report:
        """Check every data file against its digest, and the tables against each other."""
        with as_our_own():
            return verify.verify(self._existing())

    def vacuum(self, *, older_than: float = 24.0, dry_run: bool = False) -> list[tuple[str, int]]:
        """Remove files that no table refers to; returns their names and sizes in bytes.

        older_than
            In hours; younger files stay.
        dry_run
            Only list the files.
        """
        with as_our_own():
            return vacuum.vacuum(self._existing(), vacuum.seconds_of(older_than, 3600), dry_run)

    def compact(self, *, dry_run: bool = False) -> list[compact.Compacted]:
        """Put many small data files into few large ones; returns for each table how many it had, and has.

        dry_run
            Only say what would be done.
        """
        with as_our_own():
            return compact.compact(self._existing(), dry_run=dry_run)

    def forget(
        self,
        *,
        player: str | None = None,
        hand: str | None = None,
        dataset: str | None = None,
        older_than: float | None = None,
        play: PathLike | None = None,
        dry_run: bool = False,
    ) -> Forgotten:
        """Erase hands or a player's name for good; exactly one of these says which.

        player
            A name, in place of which a random pseudonym is stored.
        hand
            A whole id, or a source key, letter for letter.
        dataset
            All hands of a data set.
        older_than
            Hands that are older than this many days.
        play
            The folder of the tables, if `cardlog serve --play` named one.
        dry_run
            Only say what would be erased.

        Marts, if there are any, are built again. Queries that are running may fail.
        """
        wanted = Wanted(player, hand, dataset, older_than)
        with as_our_own():
            return _checked(
                operations.forget(
                    self._existing(), wanted, play=Path(play) if play else None, dry_run=dry_run
                )
            )

    def _existing(self) -> Tables:
        if not self._tables.exists:
            raise StoreError(f"there is no store at {self.path}; .ingest(…) makes one")
        return self._tables


def open(path: PathLike) -> Store:
    """The store in a folder or at a URI. If there is none, the first ingest creates it."""
    return Store(path)


def _day(day: str | datetime.date | None) -> str | None:
    return day.isoformat() if isinstance(day, datetime.date) else day


def _checked(result: Outcome) -> Outcome:
    """The result, if no mart failed. Raises HeldBack, or another CardlogError."""
    if result.failed:
        raise result.failed
    return result


def _absolute(out: PathLike) -> str:
    """A path, which is not to depend on the working directory, or a URI."""
    path = os.fspath(out)
    return path if is_remote(path) else str(Path(path).absolute())
