"""How time and memory grow with the store: hands are added in large steps, each followed by a small ingest
and build, a query and a look at one hand; at the end comes a rebuild.

    python -m benchmarks.scale --game kaiser --hands 4_000_000 --step 1_000_000 --small 20_000

Each command runs in a process of its own, so that its peak memory is known.
"""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from cardlog import models
from cardlog.pipelines.export.output import log_formats
from cardlog.pipelines.export.playedhand_csv import CSV

QUERY: Final = "select game, count(*) as hands, avg(made::integer) as made from hands group by all"
_KIB: Final = 2**10


class Step(NamedTuple):
    """What one command took.

    hands
        How many the store had before it.
    seconds, cpu
        Wall time, and CPU time of all cores together.
    peak
        The most memory that a process had, in MiB.
    """

    hands: int
    command: str
    seconds: float
    cpu: float
    peak: float


def run(hands: int, step: int, small: int, games: list[str], folder: Path) -> Iterator[Step]:
    """Fill a store step by step; yields what each command took.

    hands, step, small
        How many hands in all, in a large ingest, and in a small one: of all games together.
    """
    store, stored = folder / "store", 0
    for number in range(-(-hands // step)):
        for name, size in (("large", step // len(games)), ("small", small // len(games))):
            logs = [_simulated(folder, game, size, 2 * number + (name == "small")) for game in games]
            yield _timed(stored, f"ingest ({name})", "ingest", *logs, "--store", str(store))
            yield _timed(stored, f"build ({name})", "build", "--store", str(store))
            stored += size * len(games)
            for log in logs:
                Path(log).unlink()
        yield _timed(stored, "query", "query", QUERY, "--store", str(store))
        last = subprocess.run(
            [*CARDLOG, "query", "select max(hand_id) from hands", "--output", "csv", "--store", str(store)],
            check=True, capture_output=True, text=True,
        )  # fmt: skip
        yield _timed(stored, "show", "show", last.stdout.split()[-1], "--store", str(store))
    yield _timed(stored, "rebuild", "rebuild", "--store", str(store))


CARDLOG: Final = (sys.executable, "-m", "cardlog")


def _simulated(folder: Path, game: str, hands: int, seed: int) -> str:
    log = folder / f"{game}-{seed}.{'csv' if game in log_formats()[CSV] else 'jsonl'}"
    words = ("simulate", "--game", game, "--hands", str(hands), "--seed", str(seed), str(log))
    subprocess.run([*CARDLOG, *words], check=True, capture_output=True)
    return str(log)


def _timed(hands: int, command: str, *words: str) -> Step:
    """Run a command, and measure it."""
    began = time.perf_counter()
    process = subprocess.Popen([*CARDLOG, *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert process.stderr
    errors = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{command} failed: {errors.decode()}")
    cpu = usage.ru_utime + usage.ru_stime
    return Step(hands, command, time.perf_counter() - began, cpu, usage.ru_maxrss / _KIB)


def draw(steps: list[Step], png: Path) -> None:
    """Draw CPU time and memory of each command against the hands stored."""
    from matplotlib import pyplot

    figure, (above, below) = pyplot.subplots(2, 1, figsize=(9, 8), sharex=True)
    for command in dict.fromkeys(step.command for step in steps):
        own = [step for step in steps if step.command == command]
        millions = [step.hands / 1e6 for step in own]
        above.plot(millions, [step.cpu for step in own], marker=".", label=command)
        below.plot(millions, [step.peak for step in own], marker=".", label=command)
    above.set_ylabel("seconds of CPU time")
    below.set_ylabel("MiB at most")
    below.set_xlabel("million hands stored before")
    for axis in (above, below):
        axis.set_ylim(bottom=0)
        axis.grid(alpha=0.3)
    above.legend(ncols=3)
    figure.tight_layout()
    figure.savefig(png, dpi=120)


def main() -> None:
    """Run it from the command line."""
    parser = argparse.ArgumentParser("python -m benchmarks.scale", description=__doc__)
    parser.add_argument("--hands", type=int, default=1_000_000, help="of all games together")
    parser.add_argument("--step", type=int, default=250_000, help="hands of a large ingest")
    parser.add_argument("--small", type=int, default=5_000, help="hands of a small ingest")
    parser.add_argument("--game", action="append", choices=[*models.GAMES], help="default: all five")
    parser.add_argument("--png", type=Path, help="draw a chart to this file; needs matplotlib")
    options = parser.parse_args()
    steps: list[Step] = []
    games = options.game or [*models.GAMES]
    with TemporaryDirectory() as folder:
        for step in run(options.hands, options.step, options.small, games, Path(folder)):
            print(
                f"{step.hands:12,}  {step.command:16} {step.seconds:8.2f} s {step.cpu:8.2f} s CPU "
                f"{step.peak:8,.0f} MiB",
                flush=True,
            )
            steps.append(step)
    if options.png:
        draw(steps, options.png)


if __name__ == "__main__":
    main()
