"""A build as a Beam pipeline. Transforms only wire: what they call is in `build`."""

from collections.abc import Iterable, Iterator

import apache_beam as beam
from apache_beam.pvalue import AsIter

from cardlog.pipelines.beam_runs import spread
from cardlog.pipelines.build import build
from cardlog.pipelines.storage.store import Part


def build_pipeline(pipeline: beam.Pipeline, plan: build.Plan) -> None:
    """Wire a build."""
    built = spread(pipeline, "Items", plan.items) | "BuildItem" >> beam.FlatMap(
        _build, plan.store, plan.tally
    )
    _ = pipeline | "Once" >> beam.Impulse() | "CommitBuild" >> beam.Map(_commit, plan, AsIter(built))


def _build(
    element: tuple[int, Iterable[build.Item]], root: str, tally: str | None
) -> Iterator[tuple[int, list[Part]]]:
    for item in element[1]:
        yield item.key, build.build_item(root, item, tally)


def _commit(_: bytes, plan: build.Plan, built: Iterable[tuple[int, list[Part]]]) -> None:
    """An item that was done twice has its parts once."""
    unique = dict(built)
    build.commit(plan, [part for key in sorted(unique) for part in unique[key]])
