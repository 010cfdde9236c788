"""Every game's random players, against the same code as plain Python and against the original program."""

import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Final

from benchmarks.data import ROOT, SEED, Data
from benchmarks.figures import Figure
from benchmarks.timing import interleaved, one_core
from cardlog import models
from cardlog.models.simulation import Simulation

ROUNDS: Final = 5
HANDS: Final = 20_000
PLAIN_HANDS: Final = 20
ORIGINALS: Final = {"belote": 2790, "ruter_sju": 65, "pinochle": 860}
"""The most hands per second that the original programs played on a machine like this one, with random
players and their output dropped; from the fixtures' timings."""
_PLAIN: Final = """
import sys, time
from cardlog.models.simulation import Simulation
game, hands, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
simulation = Simulation(game, seed)
simulation.play(2)
began = time.process_time()
simulation.play(hands)
print(hands / (time.process_time() - began))
"""


def players(data: Data) -> Iterator[Figure]:
    """Play every game: times the same code as plain Python, and times the original program."""
    for game in models.GAMES:
        hands = data.sizes.part(HANDS)

        def play(game: str = game, hands: int = hands) -> None:
            Simulation(game, SEED).play(hands)

        with one_core():
            found = interleaved(ROUNDS, compiled=play)
        rate = found["compiled"].rate(hands)
        plain = _plain(game)
        yield Figure(
            f"{game}: hands played, one core", rate, "hands/s", cpu=found["compiled"].cpu_rate(hands)
        )
        yield Figure(f"{game}: against the same code as plain Python", rate.times(1 / plain), "×")
        if game in ORIGINALS:
            original = rate.times(1 / ORIGINALS[game])
            yield Figure(f"{game}: against the original's best figure", original, "×")


def _plain(game: str) -> float:
    """Hands per second of a game's players as plain Python, by CPU time."""
    command = [sys.executable, "-c", _PLAIN, game, str(PLAIN_HANDS), str(SEED)]
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(ROOT)}
    return float(subprocess.run(command, env=environment, capture_output=True, check=True, text=True).stdout)
