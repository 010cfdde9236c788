"""Run ingests and builds, and return their results."""

import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final

from cardlog.pipelines import readers
from cardlog.pipelines.derive import derive as building
from cardlog.pipelines.errors import plain_errors
from cardlog.pipelines.ingest import sources
from cardlog.pipelines.ingest.commit import ends, outcome
from cardlog.pipelines.ingest.elements import IngestRun
from cardlog.pipelines.ingest.ingest import in_threads, ingest_id_of
from cardlog.pipelines.ingest.locations import plain_path
from cardlog.pipelines.ingest.parts import resolve_parts
from cardlog.pipelines.ingest.pseudonyms import key_in
from cardlog.pipelines.ingest.reading import BY_DEFAULT, Reading
from cardlog.pipelines.ingest.source_bytes import shown
from cardlog.pipelines.ingest.sources import NotALog, NothingInIt, ReadItem, SourceError, SourceFile
from cardlog.pipelines.readers.options import NO_OPTIONS, ReadOptions
from cardlog.pipelines.runtime import scratch
from cardlog.pipelines.runtime.progress import Watch, no_watch
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
class Ingested(Counts):
    """Counts of an ingest: hands read = stored + duplicates + quarantined.

    hands_aborted, completed, replaced
        How many of the stored hands break off; complete a hand that was stored before; replace one.
    erased
        How many of the duplicates were erased by a `forget` with their ids, and must not come back.
    sources
        The new rows of the table `ingests`, one for each file.
    skipped
        Files that were skipped, each with the reason.
    rejects
        Of a dry run: the hands that would go to quarantine, with `where`, `reason` and `message`.
    passed_over
        Those of `skipped` that are empty, or from a folder or glob and not logs.
    continued
        The older files that were read before a file, as one text, by its path.
    unmerged
        Why small files that have piled up were not merged, if that failed.
    """

    completed: int = 0
    replaced: int = 0
    erased: int = 0
    sources: list[dict[str, Any]] = field(default_factory=list, repr=False)
    skipped: list[tuple[str, str]] = field(default_factory=list)
    rejects: list[dict[str, Any]] = field(default_factory=list, repr=False)
    ingest_id: str | None = field(default=None, repr=False)
    passed_over: list[tuple[str, str]] = field(default_factory=list, repr=False)
    continued: dict[str, list[str]] = field(default_factory=dict, repr=False)
    unmerged: str = field(default="", repr=False)

    @classmethod
    def of(cls, sources: list[dict[str, Any]], **rest: Any) -> "Ingested":
        """The result with the counts of some rows of `ingests` together."""
        counts = {name: sum(row[name] for row in sources) for name in COUNTS}
        return cls(**counts, sources=sources, **rest)

    @property
    def counts(self) -> Counts:
        """The counts alone."""
        return Counts(*(getattr(self, name) for name in COUNTS))

    @property
    def bytes_read(self) -> int:
        """The size of all its sources together."""
        return sum(row["source_bytes"] for row in self.sources)


def ingest(
    store: Store,
    paths: list[str],
    how: Reading = BY_DEFAULT,
    *,
    skip_unreadable: bool = False,
    beam_options: Sequence[str] = (),
    watch: Watch = no_watch,
) -> Ingested:
    """Ingest files, folders, globs or ``-``. Afterwards either all of it is visible or nothing.

    Raises SourceError for an unknown format, or a file that can't be read unless these are passed over;
    StoreError if the store can't be written.
    """
    if how.format is not None and how.format not in readers.FORMATS:
        raise SourceError(f"there is no format {how.format!r}; there are: {', '.join(readers.FORMATS)}")
    options = ReadOptions.of(how.ignore_columns or (), how.ignore_kinds or (), how.timezone)
    key = b"" if how.pseudonymise is None else key_in(how.pseudonymise)
    with scratch.folder() as folder:
        files, passed_over = _examine_all(paths, how, options, folder, skip_unreadable)
        files = [replace(file, source=replace(file.source, key=key)) for file in files]
        if not files:
            return Ingested(skipped=passed_over, passed_over=passed_over)
        store.create()
        for _ in range(MOST_TRIES):
            with at_work(store):  # before the version that hands are compared with is read
                base = store.table("events").version()
                fresh, known = _fresh(store, files, how.replace)
                if not fresh:
                    why = ERASED_SINCE if erasures.erased_at(store) else KNOWN
                    return Ingested(skipped=_because(known, why) + passed_over, passed_over=passed_over)
                ingest_id = ingest_id_of(fresh, erasures.marks(store, how.replace))
                run = IngestRun(store.root, ingest_id, base, uuid.uuid4().hex, replace=how.replace)
                ended = _run_ingest(
                    store, run, fresh, sources.plan(fresh, together=not beam_options), beam_options, watch
                )
            if ended is Outcome.KNOWN:
                return Ingested(skipped=_because(files, KNOWN) + passed_over, passed_over=passed_over)
            if ended is Outcome.DONE:
                resolve_parts(store, fresh)
                return Ingested.of(
                    rows_of(store, ingest_id),
                    ingest_id=ingest_id,
                    skipped=_because(known, KNOWN) + passed_over,
                    passed_over=passed_over,
                    continued={file.source.path: [*file.older] for file in fresh if file.older},
                    **ends(run),
                )
        raise StoreError(BUSY)


def _because(files: list[SourceFile], reason: str) -> list[tuple[str, str]]:
    return [(file.source.path, reason) for file in files]


def _examine_all(
    paths: list[str], how: Reading, options: ReadOptions, folder: str, skip_unreadable: bool
) -> tuple[list[SourceFile], list[tuple[str, str]]]:
    """The logs at some paths, and the files that are not logs, or can't be read, with the reason.

    Raises SourceError if a path itself is such a file, unless these are skipped.
    """
    explicit = {plain_path(path) for path in paths}
    files: list[SourceFile] = []
    passed_over: list[tuple[str, str]] = []
    found: list[str] = []
    for path in paths:
        try:
            found += sources.expand([path])
        except SourceError as error:
            if not skip_unreadable:
                raise
            passed_over.append((shown(path), _why(error, path)))
    found = list(dict.fromkeys(found))
    for *older, path in sources.logs(found, how.format):
        try:
            file = sources.examine(path, how.format, how.dataset, how.final, folder, older)
            files.append(sources.with_options(file, options))
        except NothingInIt:
            passed_over.append((shown(path), "there is nothing in it"))
        except SourceError as error:
            is_inside = isinstance(error, NotALog) and explicit.isdisjoint([*older, path])
            if not (skip_unreadable or is_inside):
                raise
            why = error.reason if isinstance(error, NotALog) else _why(error, path)
            passed_over += [(shown(other), why) for other in (*older, path) if other in found]
    return files, passed_over


def _why(error: SourceError, path: str) -> str:
    """What an error says of a path, without the path."""
    return str(error).removeprefix(f"{shown(path)}: ").removesuffix("; nothing of it was stored")


def ingest_items(
    store: Store,
    ingest_id: str,
    files: list[SourceFile],
    items: list[ReadItem],
    beam_options: Sequence[str],
    watch: Watch,
) -> list[dict[str, Any]]:
    """Run an ingest of these items until it is committed; returns its rows of `ingests`."""
    for _ in range(MOST_TRIES):
        with at_work(store):
            run = IngestRun(store.root, ingest_id, store.table("events").version(), uuid.uuid4().hex)
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
    run: IngestRun,
    files: list[SourceFile],
    items: list[ReadItem],
    beam_options: Sequence[str],
    watch: Watch,
) -> Outcome:
    """Run an ingest once; returns its `commit.outcome`."""
    if outcome(run) is Outcome.KNOWN:
        return Outcome.KNOWN
    stored = store.paths("events", run.base)
    brief = [file.brief for file in files]
    with scratch.folder() as tally:
        digits = (2 if len(items) > MANY_ITEMS else 1) if beam_options else 0
        run = replace(run, tally=tally, digits=digits)
        size = sum(file.size for file in files)
        with watch("ingest", tally, size), plain_errors(StoreError):
            if beam_options:
                from cardlog.pipelines.ingest.transforms import ingest_pipeline
                from cardlog.pipelines.runtime import beam_runs

                with _within_reach(store, items, beam_options) as reachable:
                    beam_runs.run(lambda p: ingest_pipeline(p, run, brief, reachable, stored), beam_options)
            else:
                in_threads(run, brief, items, stored)
    return outcome(run)


@contextmanager
def _within_reach(
    store: Store, items: list[ReadItem], beam_options: Sequence[str]
) -> Iterator[list[ReadItem]]:
    """The items; if there may be workers on other machines, which reach the store but not the files of this
    machine, with copies of their files in the store."""
    from cardlog.pipelines.runtime.beam_runs import are_apart

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
        See `derive.plan`.

    Raises StoreError if the store can't be read or written.
    """
    build_planned(store, partial(building.plan, store, wanted, afresh, of_game), beam_options, watch)
    return {name: store.rows(name) for name in wanted}


def build_planned(
    store: Store, planned: Callable[[], building.BuildPlan], beam_options: Sequence[str], watch: Watch
) -> None:
    """Run a plan, and make and run a new one whenever another process committed first."""
    store.create()
    for _ in range(MOST_TRIES):
        with scratch.folder() as tally, at_work(store):  # before planning: a forget would remove the files
            plan = replace(planned(), tally=tally)
            if not plan.since:
                break
            title = "analyse" if plan.since.keys() <= ANALYSES.keys() else "build"
            with watch(title, tally, plan.rows), plain_errors(StoreError):
                if _run_build(plan, beam_options):
                    break
    else:
        raise StoreError("other processes keep building; try again later")


def _run_build(plan: building.BuildPlan, beam_options: Sequence[str]) -> bool:
    """Run a build once; returns whether it was committed."""
    if not beam_options:
        return Outcome.BEHIND not in building.in_threads(plan).values()
    from cardlog.pipelines.derive.transforms import build_pipeline
    from cardlog.pipelines.runtime import beam_runs

    with shared_folder(plan.store) as left:
        beam_runs.run(partial(build_pipeline, plan=plan, left=left.uri), beam_options)
        return Outcome.BEHIND not in building.commit(plan, building.parts_left(left.uri, plan)).values()
