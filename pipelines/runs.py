"""Start a pipeline, wait for it, and say what came of it."""

import logging
import shutil
import uuid
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final

import pyarrow.compute as pc

from cardlog.pipelines import readers, scratch
from cardlog.pipelines.build import build as building
from cardlog.pipelines.ingest import sources
from cardlog.pipelines.ingest.ingest import Run, ingest_id_of, outcome
from cardlog.pipelines.ingest.ledger import COUNTS, Counts, valid_ingests
from cardlog.pipelines.ingest.locations import plain_path, shown
from cardlog.pipelines.ingest.source_bytes import Keeper
from cardlog.pipelines.ingest.sources import Item, NotALog, NothingInIt, SourceError, SourceFile
from cardlog.pipelines.storage.store import Store, StoreError
from cardlog.pipelines.storage.vacuum import at_work
from cardlog.schemas.errors import CardlogError

MOST_TRIES: Final = 100
"""How often a run begins again because another process was faster."""
BUSY: Final = "other processes keep adding the same hands; try again later"

Watch = Callable[[str, str, int], AbstractContextManager[Any]]
"""``watch(title, folder, units)`` shows how far a run is while the context is open."""


def no_watch(title: str, folder: str, units: int) -> AbstractContextManager[Any]:
    """Show nothing."""
    return nullcontext()


@dataclass(frozen=True)
class IngestResult:
    """What an ingest did.

    rows
        The rows of `ingests` it added, as dicts.
    skipped
        Files that were ingested before, or that have the same content as another one here.
    passed_over
        Files with nothing in them, and those in a folder or a glob that look like no log; each with the
        reason.
    """

    ingest_id: str | None
    rows: list[dict[str, Any]]
    skipped: list[SourceFile]
    passed_over: list[tuple[str, str]] = field(default_factory=list)

    @property
    def counts(self) -> Counts:
        """The counts of all its sources together."""
        return sum((Counts(**{name: row[name] for name in COUNTS}) for row in self.rows), Counts())


def ingest(
    store: Store,
    paths: list[str],
    *,
    format_name: str | None = None,
    dataset: str | None = None,
    final: bool = False,
    beam_options: Sequence[str] = (),
    watch: Watch = no_watch,
) -> IngestResult:
    """Ingest files, folders, globs or ``-``. Either all of it is visible afterwards, or nothing.

    Raises SourceError for a file that can't be read, or a format there is none of; StoreError if the store
    can't be written.
    """
    if format_name is not None and format_name not in readers.FORMATS:
        raise SourceError(f"there is no format {format_name!r}; there are: {', '.join(readers.FORMATS)}")
    with scratch.folder() as folder, Keeper(folder) as keeper:
        files, passed_over = _examine_all(paths, format_name, dataset, final, keeper)
        if not files:
            return IngestResult(None, [], [], passed_over)
        store.create()
        for _ in range(MOST_TRIES):
            base = store.table("events").version()
            fresh, skipped = _fresh(store, files)
            if not fresh:
                return IngestResult(None, [], skipped, passed_over)
            run = _new_run(store, ingest_id_of(fresh), base)
            came = _run_ingest(store, run, fresh, sources.plan(fresh), beam_options, watch)
            if came == "known":
                return IngestResult(None, [], files, passed_over)
            if came == "stored":
                return IngestResult(run.ingest_id, _rows_of(store, run), skipped, passed_over)
        raise StoreError(BUSY)


def _examine_all(
    paths: list[str], format_name: str | None, dataset: str | None, final: bool, keeper: Keeper
) -> tuple[list[SourceFile], list[tuple[str, str]]]:
    """The logs that some paths stand for, and what is none, with the reason.

    Raises SourceError if a file that is named itself is no log.
    """
    named = {plain_path(path) for path in paths}
    files: list[SourceFile] = []
    passed_over = []
    for path in sources.expand(paths):
        try:
            files.append(sources.examine(path, format_name, dataset, final, keeper))
        except NothingInIt:
            passed_over.append((shown(path), "there is nothing in it"))
        except NotALog:
            if path in named:
                raise
            passed_over.append((shown(path), "it is of no known format"))
    return files, passed_over


def ingest_items(
    store: Store,
    ingest_id: str,
    files: list[SourceFile],
    items: list[Item],
    beam_options: Sequence[str],
    watch: Watch,
) -> list[dict[str, Any]]:
    """Run an ingest of these items until it is in the store; gives its rows of `ingests`."""
    for _ in range(MOST_TRIES):
        run = _new_run(store, ingest_id, store.table("events").version())
        if _run_ingest(store, run, files, items, beam_options, watch) != "behind":
            return _rows_of(store, run)
    raise StoreError(BUSY)


def _new_run(store: Store, ingest_id: str, base: int) -> Run:
    return Run(store.root, ingest_id, base, uuid.uuid4().hex)


def _rows_of(store: Store, run: Run) -> list[dict[str, Any]]:
    """The rows of `ingests` that an ingest added."""
    table = valid_ingests(store)
    rows: list[dict[str, Any]] = table.filter(pc.equal(table.column("ingest_id"), run.ingest_id)).to_pylist()
    return rows


def _fresh(store: Store, files: list[SourceFile]) -> tuple[list[SourceFile], list[SourceFile]]:
    """The files that are not in the store yet, each content once; and the others."""
    table = valid_ingests(store)
    known = set(
        zip(*(table.column(name).to_pylist() for name in ("source_id", "format", "dataset")), strict=True)
    )
    here = set()
    fresh, skipped = [], []
    for file in files:
        key = (file.source.source_id, file.format, file.source.dataset)
        if key in here or (key in known and not file.source.final):
            skipped.append(file)
        else:
            here.add(key)
            fresh.append(file)
    return fresh, skipped


def _run_ingest(
    store: Store,
    run: Run,
    files: list[SourceFile],
    items: list[Item],
    beam_options: Sequence[str],
    watch: Watch,
) -> str:
    """Run an ingest once; says what came of it, as `cardlog.pipelines.ingest.ingest.outcome` does."""
    from cardlog.pipelines import transforms

    if outcome(run) == "known":
        return "known"
    stored = store.paths("events", run.base)
    store.check_files(("events", path) for path in stored)  # so that workers can rely on it
    brief = [file.brief for file in files]
    with scratch.folder() as tally:
        run = replace(run, tally=tally)
        with at_work(store), watch("ingest", tally, sum(file.size for file in files)):
            _run(lambda p: transforms.ingest_pipeline(p, run, brief, items, stored), beam_options)
    return outcome(run)


def build(
    store: Store,
    *,
    wanted: tuple[str, ...] = building.ALL,
    afresh: bool = False,
    beam_options: Sequence[str] = (),
    watch: Watch = no_watch,
) -> dict[str, int]:
    """Bring projections up to date, or remake them; says how many rows each has now.

    Raises StoreError if the store can't be read or written.
    """
    from cardlog.pipelines import transforms

    store.create()
    for _ in range(MOST_TRIES):
        plan = building.plan(store, wanted, afresh)
        if not plan.since:
            break
        with scratch.folder() as tally:
            plan = replace(plan, tally=tally)
            with at_work(store), watch("build", tally, plan.rows):
                counters = _run(partial(transforms.build_pipeline, plan=plan), beam_options)
        if not any(name.endswith("_behind") for name in counters):
            break
    else:
        raise StoreError("other processes keep building; try again later")
    return {name: store.rows(name) for name in wanted}


def _run(wire: Callable[[Any], None], beam_options: Sequence[str]) -> dict[str, int]:
    """Run a pipeline to its end and give its counters.

    Raises what a worker raised, if it is one of ours, without what Beam wraps around it.
    """
    import apache_beam as beam
    from apache_beam.metrics.metric import MetricsFilter

    from cardlog.pipelines import transforms

    beam_log = logging.getLogger("apache_beam")
    beam_log.setLevel(logging.CRITICAL)
    pipeline = beam.Pipeline(options=transforms.options(beam_options))
    # Beam's folder for transforms in other languages, of which there are none; a kill would leave it behind.
    shutil.rmtree(pipeline.local_tempdir, ignore_errors=True)
    wire(pipeline)
    try:
        result = pipeline.run()
        result.wait_until_finish()
    except Exception as error:
        raise _plain_error(error) from error
    finally:
        beam_log.setLevel(logging.NOTSET)
    found = result.metrics().query(MetricsFilter().with_namespace(transforms.NAMESPACE))
    return {counter.key.metric.name: counter.result for counter in found["counters"] if counter.result}


def _plain_error(error: BaseException) -> BaseException:
    """An error of a worker as it was raised: Beam adds the step's name to its text."""
    text = str(error).split(" [while running", 1)[0]
    if isinstance(error, OSError):
        return StoreError(f"a file can't be read or written: {text}")
    if isinstance(error, CardlogError):
        return StoreError(text)
    return error
