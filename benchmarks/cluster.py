"""Flink over S3 on one machine: fixed cost of a job, two TaskManagers against one, memory of workers,
requests to the object store.

    python -m benchmarks cluster --hands 2_000_000

It needs Java 17 and Maven, as `make cluster` does.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

from benchmarks.figures import children_of, cpu_of
from cardlog.pipelines.export.simulate import simulate
from cardlog.pipelines.storage.remote import Folder
from cardlog.pipelines.storage.store import Store
from cluster.machines import BUCKET, Cluster, environment_of
from tests.cluster.support import command

LOG_HANDS: Final = 100_000
"""Hands of a log: as large as a block, so that there is a piece of work for each worker."""


class Took(NamedTuple):
    """What a command took: by the clock; CPU time of Python workers and of Java; the largest worker's peak of
    memory, in MiB; requests to the object store."""

    seconds: float
    workers: float
    java: float
    memory: int
    requests: Counter[str]


def main(words: list[str] | None = None) -> None:
    """Run and print all figures."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--hands", type=int, default=2_000_000)
    hands = parser.parse_args(words).hands
    with TemporaryDirectory(prefix="cardlog-bench-") as folder:
        figures: dict[str, Any] = {str(count): _speed(count, hands, Path(folder)) for count in (1, 2)}
    print(json.dumps({"task managers": figures}, indent=1))


def _log(folder: Path, hands: int, seed: int) -> Path:
    path = folder / f"{hands}-{seed}.csv"
    if not path.exists():
        simulate("kaiser", hands, seed, str(path))
    return path


def _speed(task_managers: int, hands: int, folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = {}
    with ExitStack() as stack:
        cluster = stack.enter_context(Cluster(task_managers))
        stack.enter_context(environment_of(cluster))
        bucket = Folder(f"s3://{BUCKET}/logs")
        bucket.put("small.csv", _log(folder, 100, 0))
        for number in range(max(1, hands // LOG_HANDS)):
            path = _log(folder, min(hands, LOG_HANDS), number + 1)
            bucket.put(f"large/{path.name}", path)
        small, large = f"s3://{BUCKET}/small", f"s3://{BUCKET}/large"
        _timed(cluster, "ingest", f"{bucket.uri}/small.csv", "--store", small)  # the first job loads classes
        for name, words in (
            ("rebuild of 100 hands", ["rebuild", "--no-marts", "--store", small]),
            ("ingest", ["ingest", f"{bucket.uri}/large", "--store", large]),
            ("rebuild", ["rebuild", "--no-marts", "--store", large]),
        ):
            took = _timed(cluster, *words)
            found[name] = took._asdict()
            print(f"{task_managers} task managers, {name}: {took}", file=sys.stderr, flush=True)
        found["files"] = len(Store(large).paths("events"))
    return found


def _timed(cluster: Cluster, *words: str) -> Took:
    cluster.fail()  # which counts requests from nought
    before = _cpu(cluster)
    begin = time.monotonic()
    memory = 0
    process = subprocess.Popen(command(*words), stdout=subprocess.DEVNULL, env=os.environ)
    while process.poll() is None:
        memory = max(memory, *map(_peak, _python_workers(cluster)), 0)
        time.sleep(0.5)
    if process.returncode:
        raise RuntimeError(f"{' '.join(words)}: exit code {process.returncode}")
    seconds = time.monotonic() - begin
    after = _cpu(cluster)
    workers, java = (round(after[kind] - before[kind], 1) for kind in ("workers", "java"))
    return Took(round(seconds, 1), workers, java, memory, Counter(cluster.requests()))


def _python_workers(cluster: Cluster) -> list[int]:
    """The processes that the pools have started."""
    pools = [process.pid for name, process in cluster.processes.items() if name.startswith("pool")]
    return [worker for pool in pools for worker in children_of(pool)]


def _peak(pid: int) -> int:
    try:
        text = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    return next((int(line.split()[1]) // 1024 for line in text.splitlines() if line.startswith("VmHWM")), 0)


def _cpu(cluster: Cluster) -> dict[str, float]:
    """CPU seconds so far; those of workers that have ended count with their pool."""
    found = {"workers": sum(map(cpu_of, _python_workers(cluster))), "java": 0.0}
    for name, process in cluster.processes.items():
        if name != "s3":
            found["workers" if name.startswith("pool") else "java"] += cpu_of(process.pid)
    return found


if __name__ == "__main__":
    main()
