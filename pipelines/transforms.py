"""The Beam pipelines. Transforms only wire: what they call is in `ingest`, `overlap` and `build`.

Elements are pieces of work and descriptions of files, never rows.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Final

import apache_beam as beam
from apache_beam.metrics import Metrics
from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.pvalue import AsIter

from pipelines import build, ingest
from pipelines.ingest import Draft, Finished, Run
from pipelines.sources import Item, SourceFile
from pipelines.store import Part

NAMESPACE: Final = "cardlog"
DEFAULT_OPTIONS: Final = ("--runner=FnApiRunner",)
"""`DirectRunner` would first try to download another runner."""


def options(arguments: Iterable[str]) -> PipelineOptions:
    """Beam's options; a runner is named unless the arguments name one."""
    return PipelineOptions([*DEFAULT_OPTIONS, *arguments])


class ReadAndJudge(beam.DoFn):  # type: ignore[misc]
    """Item → its blocks, judged and written."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._hands = Metrics.counter(NAMESPACE, "hands_read")

    def process(self, item: Item) -> Iterator[Draft]:
        """See `ingest.read_item`."""
        for draft in ingest.read_item(self._run, item):
            self._hands.inc(draft.counts.hands_read)
            yield draft


class CompareBucket(beam.DoFn):  # type: ignore[misc]
    """Bucket's new and stored ids → verdicts on the hands that are not to be kept."""

    def __init__(self, run: Run) -> None:
        self._run = run

    def process(self, element: tuple[int, dict[str, Any]]) -> Iterator[tuple[str, tuple[bytes, bytes]]]:
        """See `ingest.compare_bucket`."""
        _, ids = element
        yield from ingest.compare_bucket(self._run, ids["new"], ids["stored"])


class FinishBlock(beam.DoFn):  # type: ignore[misc]
    """Draft and its verdicts → what is to be committed of it."""

    def __init__(self, run: Run) -> None:
        self._run = run

    def process(self, element: tuple[str, dict[str, Any]]) -> Iterator[Finished]:
        """See `ingest.finish`."""
        _, grouped = element
        for draft in grouped["draft"]:
            yield ingest.finish(self._run, draft, grouped["verdicts"])


class CommitIngest(beam.DoFn):  # type: ignore[misc]
    """Everything finished → one commit a table; a retry finds it committed."""

    def __init__(self, run: Run, files: list[SourceFile]) -> None:
        self._run = run
        self._files = files

    def process(self, _: None, finished: Iterable[Finished]) -> Iterator[str]:
        """See `ingest.commit`."""
        unique = {block.key: block for block in finished}
        outcome = ingest.commit(self._run, self._files, list(unique.values()))
        Metrics.counter(NAMESPACE, f"ingest_{outcome}").inc()
        yield outcome


def ingest_pipeline(
    pipeline: beam.Pipeline, run: Run, files: list[SourceFile], items: list[Item], stored: list[str]
) -> None:
    """Wire an ingest: items are its pieces of work, stored the data files of `events` at its base."""
    drafts = (
        pipeline
        | "Items" >> beam.Create(items, reshuffle=False)
        | "SpreadItems" >> beam.Reshuffle()
        | "ReadAndJudge" >> beam.ParDo(ReadAndJudge(run))
    )
    new = drafts | "NewIdsByBucket" >> beam.FlatMap(ingest.drafts_by_bucket)
    known = (
        pipeline
        | "StoredFiles" >> beam.Create(stored, reshuffle=False)
        | "SpreadStoredFiles" >> beam.Reshuffle()
        | "StoredIdsByBucket" >> beam.FlatMap(lambda path, run: ingest.stored_by_bucket(run, path), run)
    )
    verdicts = (
        {"new": new, "stored": known}
        | "GroupByBucket" >> beam.CoGroupByKey()
        | "CompareBucket" >> beam.ParDo(CompareBucket(run))
    )
    keyed = drafts | "KeyDrafts" >> beam.WithKeys(lambda draft: draft.key)
    finished = (
        {"draft": keyed, "verdicts": verdicts}
        | "GroupByDraft" >> beam.CoGroupByKey()
        | "FinishBlock" >> beam.ParDo(FinishBlock(run))
    )
    _ = (
        pipeline
        | "Once" >> beam.Create([None], reshuffle=False)
        | "CommitIngest" >> beam.ParDo(CommitIngest(run, files), AsIter(finished))
    )


class BuildItem(beam.DoFn):  # type: ignore[misc]
    """Item → the data files of its projections."""

    def __init__(self, root: str, tally: str | None) -> None:
        self._root = root
        self._tally = tally

    def process(self, item: build.Item) -> Iterator[tuple[int, list[Part]]]:
        """See `build.build_item`."""
        yield item.key, build.build_item(self._root, item, self._tally)


class CommitBuild(beam.DoFn):  # type: ignore[misc]
    """All data files → one commit a projection."""

    def __init__(self, plan: build.Plan) -> None:
        self._plan = plan

    def process(self, _: None, built: Iterable[tuple[int, list[Part]]]) -> Iterator[str]:
        """See `build.commit`."""
        unique = dict(built)
        parts = [part for key in sorted(unique) for part in unique[key]]
        for name, outcome in build.commit(self._plan, parts).items():
            Metrics.counter(NAMESPACE, f"{name}_{outcome}").inc()
            yield outcome


def build_pipeline(pipeline: beam.Pipeline, plan: build.Plan) -> None:
    """Wire a build."""
    built = (
        pipeline
        | "Items" >> beam.Create(plan.items, reshuffle=False)
        | "SpreadItems" >> beam.Reshuffle()
        | "BuildItem" >> beam.ParDo(BuildItem(plan.store, plan.tally))
    )
    _ = (
        pipeline
        | "Once" >> beam.Create([None], reshuffle=False)
        | "CommitBuild" >> beam.ParDo(CommitBuild(plan), AsIter(built))
    )
