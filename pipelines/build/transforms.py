"""A build as a Beam pipeline. Transforms only wire: what they call is in `build`."""

from collections.abc import Iterable, Iterator

import apache_beam as beam
from apache_beam.pvalue import AsIter

from cardlog.pipelines.beam_runs import spread
from cardlog.pipelines.build import build
from cardlog.pipelines.storage.store import Part


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
        build.commit(self._plan, parts)
        yield "committed"


def build_pipeline(pipeline: beam.Pipeline, plan: build.Plan) -> None:
    """Wire a build."""
    items = spread(pipeline, "Items", plan.items)
    built = items | "BuildItem" >> beam.ParDo(BuildItem(plan.store, plan.tally))
    _ = pipeline | "Once" >> beam.Impulse() | "CommitBuild" >> beam.ParDo(CommitBuild(plan), AsIter(built))
