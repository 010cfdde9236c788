"""An export as a Beam pipeline. Transforms only wire: what they call is in `training` and `records`."""

from collections.abc import Iterable

import apache_beam as beam
from apache_beam.pvalue import AsIter

from cardlog.pipelines.beam_runs import spread
from cardlog.pipelines.export import records, training
from cardlog.pipelines.export.blocks import Block, Shard
from cardlog.pipelines.export.spec import ExportPlan, Portion

Blocks = tuple[int, list[Block]]
"""The key of a portion and its blocks."""


def export_pipeline(pipeline: beam.Pipeline, plan: ExportPlan) -> None:
    """Wire an export: of training data, or the blocks of one that is one file."""
    portions = spread(pipeline, "Portions", plan.portions)
    if plan.spec.form not in training.FORMS:
        _ = portions | "EncodeRecords" >> beam.Map(_encode_records, plan)
        return
    blocks = portions | "Encode" >> beam.FlatMap(_encode, plan)
    shards = (
        pipeline
        | "OnceEncoded" >> beam.Impulse()
        | "LayOut" >> beam.FlatMap(_lay_out, plan, AsIter(blocks))
        | "SpreadShards" >> beam.GroupByKey()
        | "WriteShard" >> beam.Map(_write, plan)
    )
    _ = (
        pipeline
        | "OnceWritten" >> beam.Impulse()
        | "Describe" >> beam.Map(_describe, plan, AsIter(blocks), AsIter(shards))
    )


def _encode_records(element: tuple[int, Iterable[Portion]], plan: ExportPlan) -> None:
    for portion in element[1]:
        records.encode_portion(plan, portion)


def _encode(element: tuple[int, Iterable[Portion]], plan: ExportPlan) -> list[Blocks]:
    return [(portion.key, training.encode_portion(plan, portion)) for portion in element[1]]


def _lay_out(_: bytes, plan: ExportPlan, blocks: Iterable[Blocks]) -> list[tuple[int, Shard]]:
    """All shards, each with its number."""
    return list(enumerate(training.lay_out(plan, _all(blocks))))


def _write(element: tuple[int, Iterable[Shard]], plan: ExportPlan) -> int:
    for shard in element[1]:
        training.write_shard(plan, shard)
    return element[0]


def _describe(_: bytes, plan: ExportPlan, blocks: Iterable[Blocks], written: Iterable[int]) -> None:
    """Once all shards are written, which reading them awaits."""
    set(written)
    training.describe(plan, _all(blocks))


def _all(blocks: Iterable[Blocks]) -> list[Block]:
    """The blocks of all portions; one that was done twice has them once."""
    unique = dict(blocks)
    return [block for key in sorted(unique) for block in unique[key]]
