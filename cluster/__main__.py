"""Start a cluster on this machine until Ctrl-C, or run the tests that need one."""

import os
import signal
import subprocess
import sys
import threading
from typing import Final

from cluster import jars
from cluster.machines import BUCKET, ROOT, Cluster

SKIPPED: Final = 77  # exit code if this machine can't run a cluster: neither passed nor failed


def main(words: list[str]) -> int:
    """``python -m cluster [fetch | lock | test [pytest's arguments]]``"""
    try:
        match words:
            case []:
                return _serve()
            case ["fetch"]:
                print(jars.fetch())
            case ["lock"]:
                jars.lock()
            case ["test", *arguments]:
                jars.fetch()
                return _test(arguments)
            case _:
                print(main.__doc__, file=sys.stderr)
                return 2
    except jars.Missing as reason:
        print(f"skipped: {reason}")
        return SKIPPED
    return 0


def _serve() -> int:
    stopped = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopped.set())
    with Cluster() as cluster:
        print(f"Flink: http://{cluster.master}    logs: {cluster.folder}\n")
        for name, value in cluster.environment.items():
            print(f"export {name}={value}")
        print(
            f"\ncardlog ingest --store s3://{BUCKET}/store --runner flink LOG…\n\nCtrl-C stops it.",
            flush=True,
        )
        stopped.wait()
    return 0


def _test(arguments: list[str]) -> int:
    command = [sys.executable, "-m", "pytest", "-m", "cluster", "-n", "0", "tests/cluster", *arguments]
    return subprocess.run(command, cwd=ROOT, env=os.environ | {"CARDLOG_CLUSTER": "1"}).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
