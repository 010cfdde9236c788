"""A build as a Beam pipeline. It only wires: what it calls is in `derive`."""

from collections.abc import Iterable

import apache_beam as beam

from cardlog.pipelines.derive import derive
from cardlog.pipelines.runtime.beam_runs import spread


def build_pipeline(pipeline: beam.Pipeline, plan: derive.BuildPlan, left: str) -> None:
    """Wire a build, which leaves the parts of its items in a folder."""
    _ = spread(pipeline, "Items", plan.items) | "BuildItem" >> beam.Map(_build, plan.store, plan.tally, left)


def _build(element: tuple[int, Iterable[derive.BuildItem]], root: str, tally: str | None, left: str) -> None:
    for item in element[1]:
        derive.leave_parts(left, item, derive.build_item(root, item, tally))
