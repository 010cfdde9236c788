"""Every game's random players, against the original program."""

from collections.abc import Iterator
from typing import Final

from benchmarks.data import SEED, Data
from benchmarks.figures import Figure, rate
from benchmarks.timing import interleaved, one_core
from cardlog import models
from cardlog.models.simulation import Simulation

ROUNDS: Final = 5
HANDS: Final = 20_000
ORIGINALS: Final = {"belote": 2790, "ruter_sju": 65, "pinochle": 860}
"""The most hands per second that the original programs played on a machine like this one, with random
players and their output dropped; from the fixtures' timings."""


def players(data: Data) -> Iterator[Figure]:
    """Play every game: times the original program."""
    for game in models.GAMES:
        hands = data.sizes.part(HANDS)

        def play(game: str = game, hands: int = hands) -> None:
            Simulation(game, SEED).play(hands)

        with one_core():
            found = interleaved(ROUNDS, compiled=play)["compiled"]
        yield rate(f"{game}: hands played, one core", found, hands, "hands/s")
        if game in ORIGINALS:
            times = found.rate(hands).times(1 / ORIGINALS[game])
            yield Figure(f"{game}: against the original's best figure", times, "×")
