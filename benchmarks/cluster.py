"""Flink over S3 on one machine: fixed cost of a job, two TaskManagers against one, memory of workers,
requests to the object store, and from these what a billion hands would take.

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

from cardlog.pipelines.export.simulate import simulate
from cardlog.pipelines.storage.remote import Folder
from cardlog.pipelines.storage.store import Store
from cluster.machines import BUCKET, Cluster, environment_of
from tests.cluster.support import command

LOG_HANDS: Final = 100_000
"""Hands of a log: as large as a block, so that there is a piece of work for each worker."""
BILLION: Final = 1_000_000_000
WORKERS: Final = 100
PRICES: Final = {"PUT": 5e-6, "POST": 5e-6, "GET": 4e-7, "HEAD": 4e-7, "DELETE": 0.0}
"""Dollars a request, as object stores ask in 2026; lists count as puts, and are few."""


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
    print(json.dumps({"task managers": figures, "a billion hands": billion(figures["2"], hands)}, indent=1))


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
    return [int(pid) for pool in pools for pid in _children(pool)]


def _children(pid: int) -> list[str]:
    threads = Path(f"/proc/{pid}/task")
    try:
        return [child for thread in threads.iterdir() for child in (thread / "children").read_text().split()]
    except OSError:
        return []


def _peak(pid: int) -> int:
    try:
        text = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    return next((int(line.split()[1]) // 1024 for line in text.splitlines() if line.startswith("VmHWM")), 0)


def _cpu(cluster: Cluster) -> dict[str, float]:
    """CPU seconds so far; those of workers that have ended count with their pool."""
    found = {"workers": 0.0, "java": 0.0}
    of = {process.pid: name for name, process in cluster.processes.items() if name != "s3"}
    for pid, name in [*of.items(), *((pid, "pool") for pid in _python_workers(cluster))]:
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        kind = "workers" if name.startswith("pool") else "java"
        found[kind] += sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    return found


def billion(measured: dict[str, Any], hands: int) -> dict[str, float]:
    """What a billion hands on a hundred workers would take, in proportion to what was measured.

    measured
        Figures of two TaskManagers. Workers' CPU time and requests grow with the hands, except for those of
        an empty job.
    """
    fixed = measured["rebuild of 100 hands"]
    found: dict[str, float] = {}
    for name in ("ingest", "rebuild"):
        took = measured[name]
        own = max(took["workers"] - fixed["workers"], 0.1) / hands
        found[f"{name}, hours on {WORKERS} workers"] = round(own * BILLION / WORKERS / 3600, 2)
        extra = {
            kind: max(count - fixed["requests"].get(kind, 0), 0) for kind, count in took["requests"].items()
        }
        dollars = sum(PRICES.get(kind, 0.0) * count for kind, count in extra.items()) * BILLION / hands
        found[f"{name}, dollars of requests"] = round(dollars, 2)
    found["data files of events"] = measured["files"] * BILLION / hands
    return found


if __name__ == "__main__":
    main()
