"""The encoding of training data as a Beam pipeline, which only wires functions of `training`."""

from collections.abc import Iterable, Sequence

import apache_beam as beam

from cardlog.pipelines.export import training
from cardlog.pipelines.export.spec import ExportPlan, Portion
from cardlog.pipelines.runtime.beam_runs import spread


def export_pipeline(pipeline: beam.Pipeline, plan: ExportPlan, portions: Sequence[Portion]) -> None:
    """Wire the blocks of an export."""
    _ = spread(pipeline, "Portions", portions) | "Encode" >> beam.Map(_encode, plan)


def _encode(element: tuple[int, Iterable[Portion]], plan: ExportPlan) -> None:
    for portion in element[1]:
        training.encode_portion(plan, portion)
