"""An export as a Beam pipeline. Transforms only wire: what they call is in `training` and `records`."""

from collections.abc import Iterable, Iterator

import apache_beam as beam
from apache_beam.pvalue import AsIter

from cardlog.pipelines.beam_runs import spread
from cardlog.pipelines.export import records, training
from cardlog.pipelines.export.spec import Block, Item, Plan, Shard


class EncodeItem(beam.DoFn):  # type: ignore[misc]
    """Item → the blocks of its rows."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan

    def process(self, element: tuple[int, Iterable[Item]]) -> Iterator[tuple[int, list[Block]]]:
        """See `training.encode_item`."""
        for item in element[1]:
            yield item.key, training.encode_item(self._plan, item)


class LayOut(beam.DoFn):  # type: ignore[misc]
    """All blocks → the shards that they become, each with its number."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan

    def process(self, _: bytes, blocks: Iterable[tuple[int, list[Block]]]) -> Iterator[tuple[int, Shard]]:
        """See `training.lay_out`."""
        yield from enumerate(training.lay_out(self._plan, _all(blocks)))


class WriteShard(beam.DoFn):  # type: ignore[misc]
    """Shard → its files."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan

    def process(self, element: tuple[int, Iterable[Shard]]) -> Iterator[int]:
        """See `training.write_shard`."""
        for shard in element[1]:
            training.write_shard(self._plan, shard)
            yield element[0]


class Describe(beam.DoFn):  # type: ignore[misc]
    """All blocks, once all shards are written → the manifest and what else describes the files."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan

    def process(
        self, _: bytes, blocks: Iterable[tuple[int, list[Block]]], shards: Iterable[int]
    ) -> Iterator[int]:
        """See `training.describe`."""
        written = set(shards)
        training.describe(self._plan, _all(blocks))
        yield len(written)


class EncodeRecords(beam.DoFn):  # type: ignore[misc]
    """Item → its block of a form that is one file."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan

    def process(self, element: tuple[int, Iterable[Item]]) -> Iterator[int]:
        """See `records.encode_item`."""
        for item in element[1]:
            records.encode_item(self._plan, item)
            yield item.key


def _all(blocks: Iterable[tuple[int, list[Block]]]) -> list[Block]:
    """The blocks of all items; an item that was done twice has them once."""
    unique = dict(blocks)
    return [block for key in sorted(unique) for block in unique[key]]


def training_pipeline(pipeline: beam.Pipeline, plan: Plan) -> None:
    """Wire an export of training data."""
    blocks = spread(pipeline, "Items", plan.items) | "EncodeItem" >> beam.ParDo(EncodeItem(plan))
    shards = (
        pipeline
        | "OnceEncoded" >> beam.Impulse()
        | "LayOut" >> beam.ParDo(LayOut(plan), AsIter(blocks))
        | "SpreadShards" >> beam.GroupByKey()
        | "WriteShard" >> beam.ParDo(WriteShard(plan))
    )
    _ = (
        pipeline
        | "OnceWritten" >> beam.Impulse()
        | "Describe" >> beam.ParDo(Describe(plan), AsIter(blocks), AsIter(shards))
    )


def records_pipeline(pipeline: beam.Pipeline, plan: Plan) -> None:
    """Wire the blocks of an export that is one file."""
    _ = spread(pipeline, "Items", plan.items) | "EncodeRecords" >> beam.ParDo(EncodeRecords(plan))
