"""How every pipeline here uses Beam: its options, work spread over workers, and a run to its end."""

import logging
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

import apache_beam as beam
from apache_beam.metrics.metric import MetricsFilter
from apache_beam.options.pipeline_options import PipelineOptions

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


def run(wire: Callable[[beam.Pipeline], None], arguments: Sequence[str]) -> dict[str, int]:
    """Run a pipeline to its end and give its counters. Raises what a worker raised, as Beam passes it on."""
    beam_log = logging.getLogger("apache_beam")
    beam_log.setLevel(logging.CRITICAL)
    pipeline = beam.Pipeline(options=options(arguments))
    # Beam's folder for transforms in other languages, of which there are none; a kill would leave it behind.
    shutil.rmtree(pipeline.local_tempdir, ignore_errors=True)
    wire(pipeline)
    try:
        result = pipeline.run()
        result.wait_until_finish()
    finally:
        beam_log.setLevel(logging.NOTSET)
    found = result.metrics().query(MetricsFilter().with_namespace(NAMESPACE))
    return {counter.key.metric.name: counter.result for counter in found["counters"] if counter.result}
