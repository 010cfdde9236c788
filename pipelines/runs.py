"""Start a pipeline, wait for it, and say what came of it."""

import logging
import tempfile
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from pipelines import build as building
from pipelines import sources
from pipelines.ingest import Counts, Run, ingest_id_of
from pipelines.sources import SourceError, SourceFile
from pipelines.store import Store, StoreError

MOST_TRIES: Final = 100
"""How often a run begins again because another process was faster."""

Watch = Callable[[str, str, int], AbstractContextManager[Any]]
"""``watch(title, folder, units)`` shows how far a run is while the context is open."""


def _no_watch(title: str, folder: str, units: int) -> AbstractContextManager[Any]:
    return nullcontext()


@dataclass(frozen=True)
class IngestResult:
    """What an ingest did.

    rows
        The rows of `ingests` it added, as dicts.
    skipped
        Files that were ingested before, or that have the same content as another one here.
    """

    ingest_id: str | None
    rows: list[dict[str, Any]]
    skipped: list[SourceFile]

    @property
    def counts(self) -> Counts:
        """The counts of all its sources together."""
        names = Counts.__dataclass_fields__
        return sum((Counts(**{name: row[name] for name in names}) for row in self.rows), Counts())


def ingest(
    store: Store,
    paths: list[str],
    *,
    format_name: str | None = None,
    dataset: str | None = None,
    final: bool = False,
    beam_options: Sequence[str] = (),
    watch: Watch = _no_watch,
) -> IngestResult:
    """Ingest files, folders, globs or ``-``. Either all of it is visible afterwards, or nothing.

    Raises SourceError for a file that can't be read, StoreError if the store can't be written.
    """
    files = [sources.examine(path, format_name, dataset, final) for path in sources.expand(paths)]
    try:
        store.create()
        for _ in range(MOST_TRIES):
            fresh, skipped = _fresh(store, files)
            if not fresh:
                return IngestResult(None, [], skipped)
            run = Run(store.root, ingest_id_of(fresh), store.table("events").version())
            if _run_ingest(store, run, fresh, beam_options, watch) == "behind":
                continue
            return IngestResult(run.ingest_id, ingest_rows(store, run.ingest_id), skipped)
        raise StoreError("other processes keep adding the same hands; try again later")
    finally:
        for file in files:
            sources.discard_copy(file)


def _fresh(store: Store, files: list[SourceFile]) -> tuple[list[SourceFile], list[SourceFile]]:
    """The files that are not in the store yet, each content once; and the others."""
    table = valid_ingests(store)
    known = set(
        zip(*(table.column(name).to_pylist() for name in ("source_id", "format", "dataset")), strict=True)
    )
    fresh, skipped = [], []
    for file in files:
        key = (file.source.source_id, file.format, file.source.dataset)
        if key in known and not file.source.final:
            skipped.append(file)
        else:
            known.add(key)
            fresh.append(file)
    return fresh, skipped


def valid_ingests(store: Store) -> pa.Table:
    """The rows of `ingests` that count: those of the attempts that `events` has committed."""
    table = pa.concat_tables([store.empty("ingests"), *store.read("ingests")])
    events = store.table("events")
    names = table.column("ingest_id").to_pylist()
    committed = {name: events.transaction_version(name) for name in set(names)}
    attempts = pa.array([committed[name] for name in names], pa.int64())
    return table.filter(pc.fill_null(pc.equal(table.column("attempt"), attempts), False))


def ingest_rows(store: Store, ingest_id: str) -> list[dict[str, Any]]:
    """The rows of `ingests` of one ingest."""
    table = valid_ingests(store)
    rows: list[dict[str, Any]] = table.filter(pc.equal(table.column("ingest_id"), ingest_id)).to_pylist()
    return rows


def _run_ingest(
    store: Store, run: Run, files: list[SourceFile], beam_options: Sequence[str], watch: Watch
) -> str:
    from pipelines import transforms

    stored = store.paths("events", run.base)
    with tempfile.TemporaryDirectory(prefix="cardlog-run-") as tally:
        run = replace(run, tally=tally)
        with watch("ingest", tally, sum(file.size for file in files)):
            counters = _run(
                lambda p: transforms.ingest_pipeline(p, run, files, sources.plan(files), stored), beam_options
            )
    return "behind" if counters.get("ingest_behind") else "stored"


def build(
    store: Store,
    *,
    wanted: tuple[str, ...] = building.ALL,
    afresh: bool = False,
    beam_options: Sequence[str] = (),
    watch: Watch = _no_watch,
) -> dict[str, int]:
    """Bring projections up to date, or remake them; says how many rows each has now.

    Raises StoreError if the store can't be read or written.
    """
    from pipelines import transforms

    store.create()
    for _ in range(MOST_TRIES):
        plan = building.plan(store, wanted, afresh)
        if not plan.since:
            break
        with tempfile.TemporaryDirectory(prefix="cardlog-run-") as tally:
            plan = replace(plan, tally=tally)
            with watch("build", tally, plan.rows):
                counters = _run(lambda p, plan=plan: transforms.build_pipeline(p, plan), beam_options)
        if not any(name.endswith("_behind") for name in counters):
            break
    else:
        raise StoreError("other processes keep building; try again later")
    return {name: store.rows(name) for name in wanted}


def _run(wire: Callable[[Any], None], beam_options: Sequence[str]) -> dict[str, int]:
    """Run a pipeline to its end and give its counters."""
    import apache_beam as beam
    from apache_beam.metrics.metric import MetricsFilter

    from pipelines import transforms

    logging.getLogger().setLevel(logging.WARNING)
    pipeline = beam.Pipeline(options=transforms.options(beam_options))
    wire(pipeline)
    result = pipeline.run()
    result.wait_until_finish()
    found = result.metrics().query(MetricsFilter().with_namespace(transforms.NAMESPACE))
    return {counter.key.metric.name: counter.result for counter in found["counters"] if counter.result}


__all__ = ["IngestResult", "SourceError", "build", "ingest", "valid_ingests"]
