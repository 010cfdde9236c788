"""Beam: options, distributing work items, running a pipeline."""

import logging
import re
import shlex
import shutil
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any, Final

import apache_beam as beam
import grpc
from apache_beam.options.pipeline_options import (
    DirectOptions,
    PipelineOptions,
    PortableOptions,
    StandardOptions,
)
from apache_beam.runners.portability.fn_api_runner import FnApiRunner
from apache_beam.transforms.environments import SubprocessSDKEnvironment

from cardlog.pipelines.runtime import beam_worker
from cardlog.schemas.errors import CardlogError

DEFAULT_OPTIONS: Final = ("--runner=FnApiRunner",)
"""`DirectRunner` would first try to download another runner."""
MOST_WORKERS: Final = 1_000
_HERE: Final = ("FnApiRunner", "DirectRunner", "BundleBasedDirectRunner", "PrismRunner")
_ENVIRONMENTS_HERE: Final = ("LOOPBACK", "PROCESS")


def options(arguments: Iterable[str]) -> PipelineOptions:
    """Beam's options, with cardlog's default runner. Raises CardlogError for a number of workers that can't
    be started."""
    parsed = PipelineOptions([*DEFAULT_OPTIONS, *arguments])
    workers = parsed.view_as(DirectOptions).direct_num_workers
    if not 0 <= workers <= MOST_WORKERS:
        allowed = f"from 1 to {MOST_WORKERS:,}, or 0 for one per processor"
        raise CardlogError(f"--direct_num_workers {workers}: give a number {allowed}")
    return parsed


def spread(pipeline: beam.Pipeline, label: str, items: Sequence[Any]) -> beam.PCollection:
    """Distribute work items over workers, each in its own group, ``(number, [item])``."""
    numbered = pipeline | label >> beam.Create(list(enumerate(items)), reshuffle=False)
    return numbered | f"Spread{label}" >> beam.GroupByKey()


def are_apart(arguments: Sequence[str]) -> bool:
    """Whether the workers of a run may be on other machines, which have only what is at URIs."""
    if not arguments:
        return False
    parsed = options(arguments)
    environment = parsed.view_as(PortableOptions).environment_type
    return parsed.view_as(StandardOptions).runner not in _HERE and environment not in _ENVIRONMENTS_HERE


def _runner(parsed: PipelineOptions) -> FnApiRunner | None:
    """A runner that starts `beam_worker` in processes, if these are wanted of the default one; else None."""
    direct = parsed.view_as(DirectOptions)
    is_default = parsed.view_as(StandardOptions).runner == "FnApiRunner"
    if not is_default or direct.direct_running_mode != "multi_processing":
        return None
    direct.direct_running_mode = "in_memory"  # the other modes override the environment
    command = f"{shlex.quote(sys.executable)} -m {beam_worker.__name__}"
    return FnApiRunner(default_environment=SubprocessSDKEnvironment.from_command_string(command))


def run(wire: Callable[[beam.Pipeline], None], arguments: Sequence[str]) -> None:
    """Run a pipeline to its end. It returns nothing, since a runner may lose counters: look at the store.

    Raises a worker's error, if it is for the user, as it was raised there; other errors as Beam raises them.
    """
    loggers = [logging.getLogger(name) for name in ("", "apache_beam")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    parsed = options(arguments)
    pipeline = beam.Pipeline(_runner(parsed), options=parsed)
    # Beam's folder for transforms in other languages, which a killed run would leave behind; it is not used.
    shutil.rmtree(pipeline.local_tempdir, ignore_errors=True)
    wire(pipeline)
    result = None
    try:
        result = pipeline.run()
        result.wait_until_finish()
    except (RuntimeError, grpc.RpcError) as error:
        raise worker_error(str(error)) or cluster_error(error) or error from error
    except (KeyboardInterrupt, SystemExit):
        if result is not None:
            with suppress(Exception):
                result.cancel()  # it would continue without us
        raise
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


class RunFailed(CardlogError):
    """A cluster could not finish a run; the text is for the user."""


def cluster_error(error: BaseException) -> RunFailed | None:
    """The error to show if part of a cluster was lost or can't be reached; None if it is a worker's bug."""
    text = error.details() if isinstance(error, grpc.Call) else str(error)
    if "Traceback (most recent call last)" in text or not (isinstance(error, grpc.RpcError) or _JAVA in text):
        return None
    causes = re.findall(r"[\w.]+(?:Exception|Error): ([^\n]+)", text) or text.strip().splitlines()
    reason = (causes or ["no reason was given"])[-1].rstrip(".")[:_MOST_CHARACTERS]
    return RunFailed(
        f"the cluster could not finish the run: {reason}; repeat the command, it goes on or begins again"
    )


_JAVA: Final = "Exception"
_MOST_CHARACTERS: Final = 300
_RAISED: Final = re.compile(
    r"^([A-Za-z_][\w.]*): ((?:(?!^Traceback |^  File ).)*?) \[while running '", re.MULTILINE | re.DOTALL
)
"""The last line of a traceback, or several if the message has several: the type of the error and its message,
to which Beam adds the step."""


def worker_error(text: str) -> Exception | None:
    """The error of a worker, from the text of its traceback, which is all that portable runners pass on; None
    if it is a bug."""
    for name, message in reversed(_RAISED.findall(text)):
        module, _, type_name = name.rpartition(".")
        error_type = getattr(sys.modules.get(module or "builtins"), type_name, None)
        if isinstance(error_type, type) and issubclass(error_type, OSError):
            return OSError(message)
        if isinstance(error_type, type) and issubclass(error_type, CardlogError):
            return error_type(message)
        if name.startswith("cardlog.") or module.startswith(("deltalake", "_internal", "pyarrow")):
            return CardlogError(message)
    return None
