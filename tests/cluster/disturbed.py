"""Runs during which a part of the cluster is killed; if one fails, the same command is run again."""

import os
import random
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Final

from cluster.machines import Cluster
from tests.cluster.support import command

DISTURBANCES: Final = ("task manager", "pool", "job manager", "s3")
S3_SECONDS: Final = 10
MOST_SECONDS: Final = 8.0  # from the beginning of the job to the disturbance
_TRIES: Final = 4
_SECONDS: Final = 150
"""The limit of a run, which is then interrupted: a TaskManager waits for ever for a worker whose pool was
killed before it had started the worker (Beam's `ExternalEnvironmentFactory`)."""


def disturb(cluster: Cluster, part: str, rng: random.Random) -> None:
    """Kill a part of the cluster and start it again, as Kubernetes would; or cut off the object store."""
    number = rng.randint(1, cluster.task_managers)
    match part:
        case "task manager":
            cluster.kill(f"task manager {number}")
            cluster.start_task_manager(number)
        case "pool":
            cluster.kill(f"pool {number}")
            cluster.start_pool(number)
        case "job manager":
            cluster.kill("job manager")
            cluster.start_job_manager()
        case "s3":
            cluster.fail(cut=1.0)
            time.sleep(S3_SECONDS)
            cluster.fail()


def run_disturbed(cluster: Cluster, part: str, words: list[str | Path], rng: random.Random) -> None:
    """Run a command until it succeeds; the first run is disturbed once its job is running.

    Raises AssertionError if it does not succeed, or fails with a traceback.
    """
    code, output = _run(cluster, words, (part, rng))
    runs = 1
    while code:
        assert "Traceback" not in output, output
        assert runs < _TRIES, output
        cluster.wait_for_slots()
        code, output = _run(cluster, words, None)
        runs += 1


def _run(
    cluster: Cluster, words: list[str | Path], disturbance: tuple[str, random.Random] | None
) -> tuple[int, str]:
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(command(*words), stdout=output, stderr=output, env=os.environ)
        try:
            if disturbance is not None:
                part, rng = disturbance
                while process.poll() is None and not (cluster.overview() or {}).get("jobs-running"):
                    time.sleep(0.2)
                time.sleep(rng.uniform(0, MOST_SECONDS))
                disturb(cluster, part, rng)
            code = process.wait(_SECONDS)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)  # which cancels the job
            code = process.wait(_SECONDS)
        output.seek(0)
        return code, output.read()
