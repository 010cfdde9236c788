"""The Beam pipelines. Transforms only wire: what they call is in `ingest`, `overlap` and `build`.

Elements are pieces of work and descriptions of files, never rows.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

import apache_beam as beam
from apache_beam.metrics import Metrics
from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.pvalue import AsIter

from cardlog.pipelines.build import build
from cardlog.pipelines.ingest import ingest
from cardlog.pipelines.ingest.ingest import Draft, Finished, NewIds, Run, StoredIds, Verdict
from cardlog.pipelines.ingest.match_places import NewPlaces, StoredPlaces, Taken
from cardlog.pipelines.ingest.sources import Item, SourceFile
from cardlog.pipelines.storage.store import Part

NAMESPACE: Final = "cardlog"
DEFAULT_OPTIONS: Final = ("--runner=FnApiRunner",)
"""`DirectRunner` would first try to download another runner."""


class Options(PipelineOptions):  # type: ignore[misc]
    """Beam's options, with every view of them made once. Beam asks for one at each step it wires, and
    would parse the arguments anew each time."""

    def view_as(self, cls: type[PipelineOptions]) -> PipelineOptions:
        """The same options, as one of Beam's classes knows them."""
        views = self.__dict__.setdefault("_views", {})
        if cls not in views:
            views[cls] = super().view_as(cls)
        return views[cls]


def options(arguments: Iterable[str]) -> PipelineOptions:
    """Beam's options; a runner is named unless the arguments name one."""
    return Options([*DEFAULT_OPTIONS, *arguments])


class Number(beam.DoFn):  # type: ignore[misc]
    """Nothing → pieces of work, each with its number."""

    def __init__(self, pieces: Sequence[Any]) -> None:
        self._pieces = pieces

    def process(self, _: bytes) -> Iterator[tuple[int, Any]]:
        """Number them."""
        yield from enumerate(self._pieces)


def spread(pipeline: beam.Pipeline, label: str, pieces: Sequence[Any]) -> beam.PCollection:
    """Pieces of work that workers share: each is a group of its own, ``(number, [piece])``.

    It does what `beam.Create` and `beam.Reshuffle` do, in three steps instead of nine; what the steps
    cost is most of what a small run takes.
    """
    return (
        pipeline
        | f"{label}Begin" >> beam.Impulse()
        | label >> beam.ParDo(Number(pieces))
        | f"Spread{label}" >> beam.GroupByKey()
    )


class ReadAndJudge(beam.DoFn):  # type: ignore[misc]
    """Item → its blocks, judged and written, each with its key."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._hands = Metrics.counter(NAMESPACE, "hands_read")

    def process(self, element: tuple[int, Iterable[Item]]) -> Iterator[tuple[str, Draft]]:
        """See `ingest.read_item`."""
        for item in element[1]:
            for draft in ingest.read_item(self._run, item):
                self._hands.inc(draft.counts.hands_read)
                yield draft.key, draft


class NewIdsByBucket(beam.DoFn):  # type: ignore[misc]
    """Draft → the ids of its hands, and their places, by bucket."""

    def process(self, element: tuple[str, Draft]) -> Iterator[tuple[int, NewIds | NewPlaces]]:
        """See `ingest.new_by_bucket`."""
        yield from ingest.new_by_bucket(element[1])


class StoredIdsByBucket(beam.DoFn):  # type: ignore[misc]
    """Data file of `events` → the ids of its hands, and their places, by bucket."""

    def __init__(self, run: Run) -> None:
        self._run = run

    def process(self, element: tuple[int, Iterable[str]]) -> Iterator[tuple[int, StoredIds | StoredPlaces]]:
        """See `ingest.stored_by_bucket`."""
        for path in element[1]:
            yield from ingest.stored_by_bucket(self._run, path)


class CompareBucket(beam.DoFn):  # type: ignore[misc]
    """Bucket's new and stored ids, or places → verdicts on the hands that are not to be kept."""

    def __init__(self, run: Run) -> None:
        self._run = run

    def process(
        self, element: tuple[int, Iterable[NewIds | StoredIds | NewPlaces | StoredPlaces]]
    ) -> Iterator[tuple[str, Verdict | Taken]]:
        """See `ingest.compare_bucket`."""
        yield from ingest.compare_bucket(self._run, element[1])


class FinishBlock(beam.DoFn):  # type: ignore[misc]
    """Draft and its verdicts → what is to be committed of it."""

    def __init__(self, run: Run) -> None:
        self._run = run

    def process(self, element: tuple[str, Iterable[Draft | Verdict | Taken]]) -> Iterator[Finished]:
        """See `ingest.finish`."""
        found = list(element[1])
        verdicts = [one for one in found if not isinstance(one, Draft)]
        for draft in found:
            if isinstance(draft, Draft):
                yield ingest.finish(self._run, draft, verdicts)


class CommitIngest(beam.DoFn):  # type: ignore[misc]
    """Everything finished → one commit a table; a retry finds it committed."""

    def __init__(self, run: Run, files: list[SourceFile]) -> None:
        self._run = run
        self._files = files

    def process(self, _: bytes, finished: Iterable[Finished]) -> Iterator[str]:
        """See `ingest.commit`."""
        unique = {block.key: block for block in finished}
        outcome = ingest.commit(self._run, self._files, list(unique.values()))
        Metrics.counter(NAMESPACE, f"ingest_{outcome}").inc()
        yield outcome


def ingest_pipeline(
    pipeline: beam.Pipeline, run: Run, files: list[SourceFile], items: list[Item], stored: list[str]
) -> None:
    """Wire an ingest: items are its pieces of work, stored the data files of `events` at its base."""
    drafts = spread(pipeline, "Items", items) | "ReadAndJudge" >> beam.ParDo(ReadAndJudge(run))
    ids = [drafts | "NewIdsByBucket" >> beam.ParDo(NewIdsByBucket())]
    if stored:
        known = spread(pipeline, "StoredFiles", stored)
        ids.append(known | "StoredIdsByBucket" >> beam.ParDo(StoredIdsByBucket(run)))
    verdicts = (
        ids
        | "AllIds" >> beam.Flatten()
        | "GroupByBucket" >> beam.GroupByKey()
        | "CompareBucket" >> beam.ParDo(CompareBucket(run))
    )
    finished = (
        [drafts, verdicts]
        | "DraftsAndVerdicts" >> beam.Flatten()
        | "GroupByDraft" >> beam.GroupByKey()
        | "FinishBlock" >> beam.ParDo(FinishBlock(run))
    )
    _ = (
        pipeline
        | "Once" >> beam.Impulse()
        | "CommitIngest" >> beam.ParDo(CommitIngest(run, files), AsIter(finished))
    )


class BuildItem(beam.DoFn):  # type: ignore[misc]
    """Item → the data files of its projections."""

    def __init__(self, root: str, tally: str | None) -> None:
        self._root = root
        self._tally = tally

    def process(self, element: tuple[int, Iterable[build.Item]]) -> Iterator[tuple[int, list[Part]]]:
        """See `build.build_item`."""
        for item in element[1]:
            yield item.key, build.build_item(self._root, item, self._tally)


class CommitBuild(beam.DoFn):  # type: ignore[misc]
    """All data files → one commit a projection."""

    def __init__(self, plan: build.Plan) -> None:
        self._plan = plan

    def process(self, _: bytes, built: Iterable[tuple[int, list[Part]]]) -> Iterator[str]:
        """See `build.commit`."""
        unique = dict(built)
        parts = [part for key in sorted(unique) for part in unique[key]]
        for name, outcome in build.commit(self._plan, parts).items():
            Metrics.counter(NAMESPACE, f"{name}_{outcome}").inc()
            yield outcome


def build_pipeline(pipeline: beam.Pipeline, plan: build.Plan) -> None:
    """Wire a build."""
    items = spread(pipeline, "Items", plan.items)
    built = items | "BuildItem" >> beam.ParDo(BuildItem(plan.store, plan.tally))
    _ = pipeline | "Once" >> beam.Impulse() | "CommitBuild" >> beam.ParDo(CommitBuild(plan), AsIter(built))
