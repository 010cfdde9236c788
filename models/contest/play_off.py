"""Play-offs: who plays better, on the same deals with seats exchanged.

Two sides alternate at a table, A B A B. Every deal, the first of a match, is played once for each seating:
the seats move on by one, and the sides swap. So both sides get the same luck, and the difference is the play.
The unit is the deal, since the hands of one deal are not independent. With *d* a deal's result, the mean over
its seatings, and *s* the standard deviation of *d* over *n* deals, the 95 % interval is ``mean(d) ± 1.96 s /
√n``.
"""

from dataclasses import asdict, dataclass
from math import sqrt
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cardlog import models
from cardlog.models.contest.simulation import Simulation
from cardlog.models.engine.dealing import BOOK
from cardlog.models.engine.policy import Policy, load
from cardlog.schemas.limits import MOST_DEALS

CHUNK_DEALS: Final = 5_000  # deals played at a time
NORMAL_95: Final = 1.96


@dataclass(frozen=True)
class Estimate:
    """A mean over deals and its 95 % interval, None if there is only one deal."""

    mean: float
    low: float | None
    high: float | None

    def mirrored(self, total: float) -> "Estimate":
        """The other side's part of a total."""
        if self.low is None or self.high is None:
            return Estimate(total - self.mean, None, None)
        return Estimate(total - self.mean, total - self.high, total - self.low)

    def text(self, form: str) -> str:
        """For a table, with numbers in a format of the function `format`."""
        if self.low is None or self.high is None:
            return format(self.mean, form)
        return f"{self.mean:{form}} ({self.low:{form}} to {self.high:{form}})"

    def plus_minus(self) -> str:
        """The mean, and how far the ends of its interval are from it."""
        return f"{self.mean:+.2f}" if self.high is None else f"{self.mean:+.2f} ± {self.high - self.mean:.2f}"


@dataclass(frozen=True)
class PlayOff:
    """The result of a play-off.

    deals, hands
        Each deal is played once for each seating.
    won, lost, drawn
        Hands that A won, lost and drew: a hand is won by the side whose seats got more on average.
    share
        Share of the hands that A won, a draw counting half.
    points
        A's return for a hand: the mean over its seats of the `return` of a training row. In a game of
        partnerships that is the score of the hand less the other side's.
    """

    deals: int
    hands: int
    won: int
    lost: int
    drawn: int
    share: Estimate
    points: Estimate

    def as_dict(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        return asdict(self)


def seatings(seats: int) -> list[tuple[int, ...]]:
    """The ways two alternating sides can sit, each with the side of every seat."""
    turned = [tuple((seat + turn) % seats % 2 for seat in range(seats)) for turn in range(seats)]
    swapped = [tuple(1 - side for side in sides) for sides in turned]
    return list(dict.fromkeys(turned + swapped))


def play_off(
    game: str,
    sides: tuple[str | Policy, str | Policy],
    deals: int = 1000,
    seed: int = 0,
    *,
    rules: str = BOOK,
    seats: int | None = None,
) -> PlayOff:
    """Pit two players against each other, on the same deals with seats exchanged.

    sides
        A and B: each a name of the game's players, a policy, or the name of one, ``module:object``.
    deals
        How many deals; each is played once for each seating.
    seed
        Determines the deals and the random choices of built-in players.
    seats
        How many seats, in games that allow several numbers.

    Raises ValueError, naming the valid ones, for players, rules or seats that the game does not have, and
    if a policy chooses an illegal action.
    """
    if not 1 <= deals <= MOST_DEALS:
        raise ValueError(f"{deals} deals can't be played; it must be from 1 to {MOST_DEALS:,}")
    pairing = Pairing(game, sides, seed, rules, seats)
    for first in range(0, deals, CHUNK_DEALS):
        pairing.play(min(CHUNK_DEALS, deals - first))
    return pairing.result()


class Pairing:
    """Two sides that play deal after deal; arguments as of `play_off`. `lead` is how many more deals A has
    won than lost."""

    def __init__(
        self, game: str, sides: tuple[str | Policy, str | Policy], seed: int, rules: str, seats: int | None
    ) -> None:
        players = [load(side) if isinstance(side, str) and ":" in side else side for side in sides]
        self._tables = [
            (
                np.array(seating) == 0,
                Simulation(game, seed, tuple(players[side] for side in seating), rules, single=True),
            )
            for seating in seatings(models.game(game).playing().seats_or_usual(seats))
        ]
        # each deal's share and points of A, the means over its seatings: shape (2, deals)
        self._means: list[NDArray[np.float64]] = []
        self._won = self._lost = 0
        self.lead = 0

    def play(self, deals: int) -> None:
        """Play the next deals in all seatings."""
        sides = np.empty((2, len(self._tables), deals))
        for seating, (is_ours, simulation) in enumerate(self._tables):
            returns = simulation.play(deals).returns[:, : len(is_ours)]
            sides[0, seating] = returns[:, is_ours].mean(axis=1)
            sides[1, seating] = returns[:, ~is_ours].mean(axis=1)
        mine, theirs = sides
        share = (1 + np.sign(mine - theirs)) / 2
        self._means.append(np.array([share.mean(axis=0), mine.mean(axis=0)]))
        self._won += int((mine > theirs).sum())
        self._lost += int((mine < theirs).sum())
        self.lead += int(np.sign((mine - theirs).sum(axis=0)).sum())

    def result(self) -> PlayOff:
        """The result so far."""
        shares, points = np.concatenate(self._means, axis=1)
        hands = len(points) * len(self._tables)
        drawn = hands - self._won - self._lost
        return PlayOff(len(points), hands, self._won, self._lost, drawn, estimate(shares), estimate(points))


def estimate(values: NDArray[np.float64]) -> Estimate:
    """The mean over deals and its interval, from one value per deal."""
    mean = float(values.mean())
    if len(values) < 2:
        return Estimate(mean, None, None)
    error = NORMAL_95 * float(values.std(ddof=1)) / sqrt(len(values))
    return Estimate(mean, mean - error, mean + error)
