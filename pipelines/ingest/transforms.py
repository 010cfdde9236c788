"""An ingest as a Beam pipeline. Transforms only wire: what they call is in `read`, `compare` and `commit`.

Elements are pieces of work, descriptions of files and whole arrays of ids, never rows.
"""

from collections.abc import Iterable, Iterator

import apache_beam as beam
from apache_beam.pvalue import AsIter, AsSingleton

from cardlog.pipelines.beam_runs import spread
from cardlog.pipelines.ingest import commit, compare, read
from cardlog.pipelines.ingest.elements import Draft, Finished, LookedFor, NewIds, Run, StoredIds, Verdict
from cardlog.pipelines.ingest.match_positions import NewPositions, StoredPositions, Taken
from cardlog.pipelines.ingest.sources import Item, SourceFile


class ReadAndJudge(beam.DoFn):  # type: ignore[misc]
    """Item → its blocks, judged and written, each with its key."""

    def __init__(self, run: Run) -> None:
        self._run = run

    def process(self, element: tuple[int, Iterable[Item]]) -> Iterator[tuple[str, Draft]]:
        """See `read.read_item`."""
        for item in element[1]:
            for draft in read.read_item(self._run, item):
                yield draft.key, draft


class NewIdsByBucket(beam.DoFn):  # type: ignore[misc]
    """Draft → the ids of its hands, and their places, by bucket."""

    def __init__(self, digits: int) -> None:
        self._digits = digits

    def process(self, element: tuple[str, Draft]) -> Iterator[tuple[int, NewIds | NewPositions]]:
        """See `compare.new_by_bucket`."""
        yield from compare.new_by_bucket(element[1], self._digits)


class LookedForIn(beam.DoFn):  # type: ignore[misc]
    """Draft → keys of its hands, and of their positions."""

    def process(self, element: tuple[str, Draft]) -> Iterator[LookedFor]:
        """See `compare.looked_for`."""
        yield compare.looked_for([element[1]])


class StoredIdsByBucket(beam.DoFn):  # type: ignore[misc]
    """Data file of `events` → those ids of its hands, and positions, that new hands have too, by bucket."""

    def __init__(self, run: Run) -> None:
        self._run = run

    def process(
        self, element: tuple[int, Iterable[str]], wanted: LookedFor
    ) -> Iterator[tuple[int, StoredIds | StoredPositions]]:
        """See `compare.stored_by_bucket`."""
        for path in element[1]:
            yield from compare.stored_by_bucket(self._run, path, wanted)


class CompareBucket(beam.DoFn):  # type: ignore[misc]
    """Bucket's new and stored ids, or places → verdicts on the hands that are not to be kept."""

    def __init__(self, run: Run) -> None:
        self._run = run

    def process(
        self, element: tuple[int, Iterable[NewIds | StoredIds | NewPositions | StoredPositions]]
    ) -> Iterator[tuple[str, Verdict | Taken]]:
        """See `compare.compare_bucket`."""
        yield from compare.compare_bucket(self._run, element[1])


class FinishBlock(beam.DoFn):  # type: ignore[misc]
    """Draft and its verdicts → the part of it to commit."""

    def __init__(self, run: Run) -> None:
        self._run = run

    def process(self, element: tuple[str, Iterable[Draft | Verdict | Taken]]) -> Iterator[Finished]:
        """See `commit.finish`."""
        found = list(element[1])
        verdicts = [one for one in found if not isinstance(one, Draft)]
        for draft in found:
            if isinstance(draft, Draft):
                yield commit.finish(self._run, draft, verdicts)


class CommitIngest(beam.DoFn):  # type: ignore[misc]
    """Everything finished → one commit a table; a retry finds it committed."""

    def __init__(self, run: Run, files: list[SourceFile]) -> None:
        self._run = run
        self._files = files

    def process(self, _: bytes, finished: Iterable[Finished]) -> Iterator[str]:
        """See `commit.commit`."""
        unique = {block.key: block for block in finished}
        outcome = commit.commit(self._run, self._files, list(unique.values()))
        yield outcome


def ingest_pipeline(
    pipeline: beam.Pipeline, run: Run, files: list[SourceFile], items: list[Item], stored: list[str]
) -> None:
    """Wire an ingest: items are its pieces of work, stored the data files of `events` at its base."""
    drafts = spread(pipeline, "Items", items) | "ReadAndJudge" >> beam.ParDo(ReadAndJudge(run))
    ids = [drafts | "NewIdsByBucket" >> beam.ParDo(NewIdsByBucket(run.digits))]
    if stored:
        known = spread(pipeline, "StoredFiles", stored)
        keys = drafts | "LookedFor" >> beam.ParDo(LookedForIn())
        wanted = AsSingleton(keys | "Together" >> beam.CombineGlobally(compare.together))
        ids.append(known | "StoredIdsByBucket" >> beam.ParDo(StoredIdsByBucket(run), wanted))
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
