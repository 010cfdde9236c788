"""Shared use of Beam: options, distributing work items, running a pipeline."""

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
    """Beam's options, with cached views. Beam asks for a view at every step, and would parse the arguments
    each time."""

    def view_as(self, cls: type[PipelineOptions]) -> PipelineOptions:
        """The options as one of Beam's option classes."""
        views = self.__dict__.setdefault("_views", {})
        if cls not in views:
            views[cls] = super().view_as(cls)
        return views[cls]


def options(arguments: Iterable[str]) -> PipelineOptions:
    """Beam's options, with cardlog's default runner."""
    return Options([*DEFAULT_OPTIONS, *arguments])


class Number(beam.DoFn):  # type: ignore[misc]
    """Impulse → numbered work items."""

    def __init__(self, items: Sequence[Any]) -> None:
        self._items = items

    def process(self, _: bytes) -> Iterator[tuple[int, Any]]:
        """Number the items."""
        yield from enumerate(self._items)


def spread(pipeline: beam.Pipeline, label: str, items: Sequence[Any]) -> beam.PCollection:
    """Distribute work items over workers; each in a group by itself, ``(number, [item])``.

    Like `beam.Create` and `beam.Reshuffle`, in three steps instead of nine; the steps are most of the cost of
    a small run.
    """
    return (
        pipeline
        | f"{label}Begin" >> beam.Impulse()
        | label >> beam.ParDo(Number(items))
        | f"Spread{label}" >> beam.GroupByKey()
    )


def run(wire: Callable[[beam.Pipeline], None], arguments: Sequence[str]) -> dict[str, int]:
    """Run a pipeline to its end and return its counters. Raises a worker's error as Beam passes it on."""
    beam_log = logging.getLogger("apache_beam")
    beam_log.setLevel(logging.CRITICAL)
    pipeline = beam.Pipeline(options=options(arguments))
    # Beam's folder for transforms in other languages, unused here; a killed run would leave it behind.
    shutil.rmtree(pipeline.local_tempdir, ignore_errors=True)
    wire(pipeline)
    try:
        result = pipeline.run()
        result.wait_until_finish()
    finally:
        beam_log.setLevel(logging.NOTSET)
    found = result.metrics().query(MetricsFilter().with_namespace(NAMESPACE))
    return {counter.key.metric.name: counter.result for counter in found["counters"] if counter.result}
