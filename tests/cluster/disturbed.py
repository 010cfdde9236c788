"""Runs during which a part of the cluster is killed, then the same command again if that failed them."""

import os
import random
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Final, NamedTuple

from cluster.machines import Cluster
from tests.cluster.support import command

DISTURBANCES: Final = ("task manager", "pool", "job manager", "s3")
S3_SECONDS: Final = 10
MOST_SECONDS: Final = 8.0
"""The disturbance comes so long after the beginning of the job, at most."""
_TRIES: Final = 4
_SECONDS: Final = 150
"""Limit of a run, which is then interrupted: a TaskManager waits for ever for a worker whose pool was killed
before it had started it (Beam's `ExternalEnvironmentFactory`)."""


class Disturbed(NamedTuple):
    """What came of a disturbed run: whether it went on to its end by itself, and its runs in all."""

    what: str
    survived: bool
    runs: int


def disturb(cluster: Cluster, what: str, chance: random.Random) -> None:
    """Kill a part of the cluster and start it again, as Kubernetes would; or cut off the object store."""
    number = chance.randint(1, cluster.task_managers)
    match what:
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


def run_disturbed(cluster: Cluster, what: str, words: list[str | Path], chance: random.Random) -> Disturbed:
    """Run a command until it succeeds, the first time disturbed once its job is at work.

    Raises AssertionError if it does not succeed, or fails with anything but a sentence.
    """
    done, stderr = _run(cluster, words, (what, chance))
    survived, runs = done == 0, 1
    while done:
        assert "Traceback" not in stderr, stderr
        assert runs < _TRIES, stderr
        cluster.wait_for_slots()
        done, stderr = _run(cluster, words, None)
        runs += 1
    return Disturbed(what, survived, runs)


def _run(
    cluster: Cluster, words: list[str | Path], disturbance: tuple[str, random.Random] | None
) -> tuple[int, str]:
    with tempfile.TemporaryFile("w+") as said:
        process = subprocess.Popen(command(*words), stdout=said, stderr=said, env=os.environ)
        try:
            if disturbance is not None:
                what, chance = disturbance
                while process.poll() is None and not (cluster.overview() or {}).get("jobs-running"):
                    time.sleep(0.2)
                time.sleep(chance.uniform(0, MOST_SECONDS))
                disturb(cluster, what, chance)
            code = process.wait(_SECONDS)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)  # which cancels the job
            code = process.wait(_SECONDS)
        said.seek(0)
        return code, said.read()
