"""Beam's options for a Flink cluster, from its address."""

import json
import os
import urllib.request
from http.client import HTTPException
from typing import Final

from cardlog.schemas.errors import CardlogError

DEFAULT_MASTER: Final = "localhost:8081"
JOB_SERVER: Final = "CARDLOG_JOB_SERVER"
"""Environment variable with the address of Beam's job server, which takes files at the next lower port; by
default it is on the host of Flink's JobManager."""
WORKERS: Final = "CARDLOG_WORKERS"
"""Environment variable with the address at which each TaskManager finds its pool of Python workers."""
_JOB_SERVER_PORT: Final = 8099
_WORKERS: Final = "localhost:50000"
_KEEP_MILLISECONDS: Final = 600_000
"""How long a worker is kept between the stages of a job: starting one takes seconds."""
_TIMEOUT: Final = 20


class FlinkError(CardlogError):
    """The cluster can't be used; the text is for the user."""


def options(master: str) -> list[str]:
    """The options for the cluster whose JobManager is at ``HOST:PORT``, with one task a slot.

    Raises FlinkError if it does not respond, or has no TaskManager.
    """
    address = master.removeprefix("http://").rstrip("/")
    slots = _slots(address)
    if not slots:
        raise FlinkError(f"the Flink cluster at {address} has no TaskManager, so nothing can run there")
    job_server = os.environ.get(JOB_SERVER) or f"{address.rpartition(':')[0]}:{_JOB_SERVER_PORT}"
    return [
        "--runner=FlinkRunner",
        f"--flink_master={address}",
        f"--job_endpoint={job_server}",
        f"--artifact_endpoint={_artifact_endpoint(job_server)}",
        "--environment_type=EXTERNAL",
        f"--environment_config={os.environ.get(WORKERS) or _WORKERS}",
        f"--environment_cache_millis={_KEEP_MILLISECONDS}",
        f"--parallelism={slots}",
    ]


def _artifact_endpoint(job_server: str) -> str:
    """The address at which a job server takes files, its next lower port. The host name that the job server
    itself would give may not be known to clients."""
    host, _, port = job_server.rpartition(":")
    if not port.isdecimal():
        raise FlinkError(f"{JOB_SERVER} is {job_server!r}; it must be HOST:PORT")
    return f"{host}:{int(port) - 1}"


def _slots(address: str) -> int:
    try:
        with urllib.request.urlopen(f"http://{address}/overview", timeout=_TIMEOUT) as response:
            return int(json.load(response)["slots-total"])
    except (OSError, HTTPException, ValueError, KeyError, TypeError) as error:
        reason = getattr(error, "reason", error)
        raise FlinkError(f"there is no Flink cluster at {address}: {reason}") from error
