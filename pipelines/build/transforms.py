"""A build as a Beam pipeline. It only wires: what it calls is in `build`."""

from collections.abc import Iterable

import apache_beam as beam

from cardlog.pipelines.beam_runs import spread
from cardlog.pipelines.build import build


def build_pipeline(pipeline: beam.Pipeline, plan: build.Plan, left: str) -> None:
    """Wire a build, which leaves the parts of its items in a folder."""
    _ = spread(pipeline, "Items", plan.items) | "BuildItem" >> beam.Map(_build, plan.store, plan.tally, left)


def _build(element: tuple[int, Iterable[build.Item]], root: str, tally: str | None, left: str) -> None:
    for item in element[1]:
        build.leave_parts(left, item, build.build_item(root, item, tally))
