"""An ingest as a Beam pipeline. Transforms only wire: what they call is in `read`, `compare` and `commit`.

Elements are work items, descriptions of files and whole arrays of ids, never rows.
"""

from collections.abc import Iterable, Iterator

import apache_beam as beam
from apache_beam.pvalue import AsIter, AsSingleton

from cardlog.pipelines.ingest import commit, compare, read
from cardlog.pipelines.ingest.elements import (
    Draft,
    Finished,
    IngestRun,
    LookedFor,
    NewNames,
    StoredNames,
    Verdict,
)
from cardlog.pipelines.ingest.sources import ReadItem, SourceFile
from cardlog.pipelines.runtime.beam_runs import spread


def ingest_pipeline(
    pipeline: beam.Pipeline, run: IngestRun, files: list[SourceFile], items: list[ReadItem], stored: list[str]
) -> None:
    """Wire an ingest; `stored` are the data files of `events` at its base."""
    drafts = spread(pipeline, "Items", items) | "ReadAndJudge" >> beam.FlatMap(_read, run)
    names = [drafts | "NewByBucket" >> beam.FlatMap(_new_by_bucket, run)]
    if stored:
        known = spread(pipeline, "StoredFiles", stored)
        keys = drafts | "LookedFor" >> beam.Map(lambda keyed: compare.looked_for([keyed[1]]))
        wanted = AsSingleton(keys | "Together" >> beam.CombineGlobally(compare.together))
        names.append(known | "StoredByBucket" >> beam.FlatMap(_stored_by_bucket, run, wanted))
    verdicts = (
        names
        | "AllNames" >> beam.Flatten()
        | "GroupByBucket" >> beam.GroupByKey()
        | "CompareBucket" >> beam.FlatMap(_compare, run)
    )
    finished = (
        [drafts, verdicts]
        | "DraftsAndVerdicts" >> beam.Flatten()
        | "GroupByDraft" >> beam.GroupByKey()
        | "FinishBlock" >> beam.FlatMap(_finish, run)
    )
    _ = (
        pipeline
        | "Once" >> beam.Impulse()
        | "CommitIngest" >> beam.Map(_commit, run, files, AsIter(finished))
    )


def _read(element: tuple[int, Iterable[ReadItem]], run: IngestRun) -> Iterator[tuple[str, Draft]]:
    for item in element[1]:
        for draft in read.read_item(run, item):
            yield draft.key, draft


def _new_by_bucket(element: tuple[str, Draft], run: IngestRun) -> Iterator[tuple[bytes, NewNames]]:
    yield from compare.new_by_bucket(element[1], run.digits)


def _stored_by_bucket(
    element: tuple[int, Iterable[str]], run: IngestRun, wanted: LookedFor
) -> Iterator[tuple[bytes, StoredNames]]:
    for path in element[1]:
        yield from compare.stored_by_bucket(run, path, wanted)


def _compare(
    element: tuple[bytes, Iterable[NewNames | StoredNames]], run: IngestRun
) -> Iterator[tuple[str, Verdict]]:
    yield from compare.compare_bucket(run, element[1])


def _finish(element: tuple[str, Iterable[Draft | Verdict]], run: IngestRun) -> Iterator[Finished]:
    members = list(element[1])
    verdicts = [member for member in members if isinstance(member, Verdict)]
    for draft in members:
        if isinstance(draft, Draft):
            yield commit.finish(run, draft, verdicts)


def _commit(_: bytes, run: IngestRun, files: list[SourceFile], finished: Iterable[Finished]) -> None:
    """A retry finds the commit made; a block that was finished twice is committed once."""
    unique = {block.key: block for block in finished}
    commit.commit(run, files, list(unique.values()))
