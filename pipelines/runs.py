"""Run ingests and builds, and return their results."""

import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final

from cardlog import models
from cardlog.pipelines import readers, scratch
from cardlog.pipelines.build import build as building
from cardlog.pipelines.errors import plain_errors
from cardlog.pipelines.ingest import sources
from cardlog.pipelines.ingest.commit import ends, outcome
from cardlog.pipelines.ingest.elements import Run
from cardlog.pipelines.ingest.ingest import in_threads, ingest_id_of
from cardlog.pipelines.ingest.locations import plain_path, shown
from cardlog.pipelines.ingest.pseudonyms import key_in
from cardlog.pipelines.ingest.sources import Item, NotALog, NothingInIt, SourceError, SourceFile
from cardlog.pipelines.progress import Watch, no_watch
from cardlog.pipelines.readers.options import NO_OPTIONS, ReadOptions
from cardlog.pipelines.storage import erasures
from cardlog.pipelines.storage.commits import Outcome
from cardlog.pipelines.storage.ledger import COUNTS, Counts, Source, ingested_sources, rows_of
from cardlog.pipelines.storage.lock import at_work
from cardlog.pipelines.storage.remote import is_remote, shared_folder
from cardlog.pipelines.storage.store import Store, StoreError
from cardlog.schemas.tables import ANALYSES

MOST_TRIES: Final = 100
"""How often a run may start again because another process committed first."""
MANY_ITEMS: Final = 256
"""Above this number of work items, of 16 MiB each, ids are compared in 256 buckets instead of 16, since a
bucket must fit into the memory of a worker."""
KNOWN: Final = "this content was ingested before"
ERASED_SINCE: Final = f"{KNOWN}, and hands that were erased since then stay erased"
BUSY: Final = "other processes keep adding the same hands; try again later"


@dataclass(frozen=True)
class IngestResult:
    """The result of an ingest.

    rows
        The rows that it added to `ingests`, as dicts.
    skipped
        Files that were ingested before, or that repeat the content of another file.
    completed, replaced
        How many of the stored hands complete a hand that was stored before, or replace one.
    erased
        How many of the duplicates were erased from the store, and must not come back.
    erased_at
        The version of `events` after the last erasure, if nothing was read.
    passed_over
        Empty files, and files from a folder or glob that are not logs; each with the reason.
    continued
        The older files that were read before a file, as one text, by its path.
    """

    ingest_id: str | None
    rows: list[dict[str, Any]]
    skipped: list[SourceFile]
    passed_over: list[tuple[str, str]] = field(default_factory=list)
    continued: dict[str, list[str]] = field(default_factory=dict)
    completed: int = 0
    replaced: int = 0
    erased: int = 0
    erased_at: int = 0

    @property
    def counts(self) -> Counts:
        """The counts of all its sources together."""
        return sum((Counts(**{name: row[name] for name in COUNTS}) for row in self.rows), Counts())

    @property
    def not_read(self) -> list[tuple[str, str]]:
        """The files that were skipped or passed over, each with the reason."""
        known = ERASED_SINCE if self.erased_at else KNOWN
        return [(file.source.path, known) for file in self.skipped] + self.passed_over

    @property
    def bytes_read(self) -> int:
        """The size of all its sources together."""
        return sum(row["source_bytes"] for row in self.rows)


def ingest(
    store: Store,
    paths: list[str],
    *,
    format_name: str | None = None,
    dataset: str | None = None,
    final: bool = False,
    options: ReadOptions = NO_OPTIONS,
    replaces: bool = False,
    pseudonymise: str | None = None,
    beam_options: Sequence[str] = (),
    watch: Watch = no_watch,
) -> IngestResult:
    """Ingest files, folders, globs or ``-``. Afterwards either all of it is visible or nothing.

    replaces
        Replace stored hands that the files contradict.
    pseudonymise
        A file with a key; see `pseudonyms`.

    Raises SourceError for a file that can't be read or an unknown format; StoreError if the store can't be
    written.
    """
    if format_name is not None and format_name not in readers.FORMATS:
        raise SourceError(f"there is no format {format_name!r}; there are: {', '.join(readers.FORMATS)}")
    key = b"" if pseudonymise is None else key_in(pseudonymise)
    with scratch.folder() as folder:
        files, passed_over = _examine_all(paths, format_name, dataset, final, folder)
        files = [sources.with_options(file, options) for file in files]
        files = [replace(file, source=replace(file.source, key=key)) for file in files]
        if not files:
            return IngestResult(None, [], [], passed_over)
        store.create()
        for _ in range(MOST_TRIES):
            with at_work(store):  # before the version that hands are compared with is read
                base = store.table("events").version()
                fresh, skipped = _fresh(store, files, replaces)
                if not fresh:
                    erased_at = erasures.erased_at(store)
                    return IngestResult(None, [], skipped, passed_over, erased_at=erased_at)
                ingest_id = ingest_id_of(fresh, erasures.marks(store, replaces))
                run = Run(store.root, ingest_id, base, uuid.uuid4().hex, replace=replaces)
                ended = _run_ingest(store, run, fresh, sources.plan(fresh), beam_options, watch)
            if ended is Outcome.KNOWN:
                return IngestResult(None, [], files, passed_over)
            if ended is Outcome.DONE:
                continued = {file.source.path: [*file.older] for file in fresh if file.older}
                rows = rows_of(store, run.ingest_id)
                return IngestResult(run.ingest_id, rows, skipped, passed_over, continued, **ends(run))
        raise StoreError(BUSY)


def _examine_all(
    paths: list[str], format_name: str | None, dataset: str | None, final: bool, folder: str
) -> tuple[list[SourceFile], list[tuple[str, str]]]:
    """The logs at some paths, and the files that are not logs, with the reason.

    Raises SourceError if a path itself is such a file.
    """
    explicit = {plain_path(path) for path in paths}
    files: list[SourceFile] = []
    passed_over = []
    found = sources.expand(paths)
    for *older, path in sources.logs(found, format_name):
        try:
            files.append(sources.examine(path, format_name, dataset, final, folder, older))
        except NothingInIt:
            passed_over.append((shown(path), "there is nothing in it"))
        except NotALog as error:
            if not explicit.isdisjoint([*older, path]):
                raise
            others = [other for other in (*older, path) if other in found]
            passed_over += [(shown(other), error.reason) for other in others]
    return files, passed_over


def ingest_items(
    store: Store,
    ingest_id: str,
    files: list[SourceFile],
    items: list[Item],
    beam_options: Sequence[str],
    watch: Watch,
) -> list[dict[str, Any]]:
    """Run an ingest of these items until it is committed; returns its rows of `ingests`."""
    for _ in range(MOST_TRIES):
        with at_work(store):
            run = Run(store.root, ingest_id, store.table("events").version(), uuid.uuid4().hex)
            ended = _run_ingest(store, run, files, items, beam_options, watch)
        if ended is not Outcome.BEHIND:
            return rows_of(store, run.ingest_id)
    raise StoreError(BUSY)


def _fresh(
    store: Store, files: list[SourceFile], replaces: bool
) -> tuple[list[SourceFile], list[SourceFile]]:
    """The files whose content was not ingested yet, without repeats; and the others. With options, as with
    `final`, more may come of the same content."""
    known = set() if replaces else set(ingested_sources(store))
    seen = set()
    fresh, skipped = [], []
    for file in files:
        key: Source = file.source.source_id, file.format, file.source.dataset
        if key in seen or (key in known and not file.source.final and file.source.options == NO_OPTIONS):
            skipped.append(file)
        else:
            seen.add(key)
            fresh.append(file)
    return fresh, skipped


def _run_ingest(
    store: Store,
    run: Run,
    files: list[SourceFile],
    items: list[Item],
    beam_options: Sequence[str],
    watch: Watch,
) -> Outcome:
    """Run an ingest once; returns its `commit.outcome`."""
    if outcome(run) is Outcome.KNOWN:
        return Outcome.KNOWN
    stored = store.paths("events", run.base)
    brief = [file.brief for file in files]
    with scratch.folder() as tally:
        run = replace(run, tally=tally, digits=2 if len(items) > MANY_ITEMS else 1)
        size = sum(file.size for file in files)
        with watch("ingest", tally, size), plain_errors(StoreError):
            if beam_options:
                from cardlog.pipelines import beam_runs
                from cardlog.pipelines.ingest.transforms import ingest_pipeline

                with _within_reach(store, items, beam_options) as reachable:
                    beam_runs.run(lambda p: ingest_pipeline(p, run, brief, reachable, stored), beam_options)
            else:
                in_threads(run, brief, items, stored)
    return outcome(run)


@contextmanager
def _within_reach(store: Store, items: list[Item], beam_options: Sequence[str]) -> Iterator[list[Item]]:
    """The items; if there may be workers on other machines, which reach the store but not the files of this
    machine, with copies of their files in the store."""
    from cardlog.pipelines.beam_runs import are_apart

    files = {item.file.path: item.file for item in items if not item.texts and not is_remote(item.file.path)}
    if store.is_local or not files or not are_apart(beam_options):
        yield items
        return
    with shared_folder(store.root) as folder:
        copies = {path: file.copied_to(folder) for path, file in files.items()}
        yield [replace(item, file=copies.get(item.file.path, item.file)) for item in items]


def build(
    store: Store,
    *,
    wanted: tuple[str, ...] = building.ALL,
    afresh: bool = False,
    of_game: str = "",
    beam_options: Sequence[str] = (),
    watch: Watch = no_watch,
) -> dict[str, int]:
    """Bring projections up to date, or rebuild them; returns how many rows each has.

    of_game
        See `build.plan`.

    Raises StoreError if the store can't be read or written.
    """
    _build(store, partial(building.plan, store, wanted, afresh, of_game), beam_options, watch)
    return {name: store.rows(name) for name in wanted}


def _build(
    store: Store, planned: Callable[[], building.Plan], beam_options: Sequence[str], watch: Watch
) -> None:
    """Run a plan, and make and run a new one whenever another process committed first."""
    store.create()
    for _ in range(MOST_TRIES):
        with scratch.folder() as tally, at_work(store):  # before planning: a forget would remove the files
            plan = replace(planned(), tally=tally)
            if not plan.since:
                break
            with watch("build", tally, plan.rows), plain_errors(StoreError):
                if _run_build(plan, beam_options):
                    break
    else:
        raise StoreError("other processes keep building; try again later")


def analyse(
    store: Store,
    of_game: str = "",
    known: int = 0,
    *,
    beam_options: Sequence[str] = (),
    watch: Watch = no_watch,
) -> dict[str, int]:
    """Analyse the hands that are not analysed yet, in all games that have a solver or in one; returns how
    many rows each table has.

    known
        The number of deals, consistent with what a seat knew, over which `cost_known` is averaged, also for
        hands that are analysed already; 0 to leave it out.

    Raises StoreError like `build`, ValueError if the game has no solver.
    """
    solvable = [game.name for game in models.GAMES.values() if game.solvable is not None]
    if of_game and of_game not in solvable:
        raise ValueError(f"{of_game} has no solver; these have: {', '.join(solvable)}")
    for name in [of_game] if of_game else solvable:
        planned = partial(building.plan, store, tuple(ANALYSES), known > 0, name, known)
        _build(store, planned, beam_options, watch)
    return {name: store.rows(name) for name in ANALYSES}


def _run_build(plan: building.Plan, beam_options: Sequence[str]) -> bool:
    """Run a build once; returns whether it was committed."""
    if not beam_options:
        return Outcome.BEHIND not in building.in_threads(plan).values()
    from cardlog.pipelines import beam_runs
    from cardlog.pipelines.build.transforms import build_pipeline

    with shared_folder(plan.store) as left:
        beam_runs.run(partial(build_pipeline, plan=plan, left=left.uri), beam_options)
        return Outcome.BEHIND not in building.commit(plan, building.parts_left(left.uri, plan)).values()
