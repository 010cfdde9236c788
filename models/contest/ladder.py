"""Ladders: all players of a game against each other, each pair in a play-off.

Ratings are Bradley and Terry's ("Rank analysis of incomplete block designs", Biometrika 39, 1952), from the
shares of hands won: with 400 more, ten of eleven hands are won. Each pair counts as if it had drawn one deal
more, since a player that won everything would have no rating.

With `stops`, a pair ends once it is clear who is better: Wald's sequential test of whether A wins 55 or 45 of
100 deals that are not drawn, both errors 1 %. Each deal moves its ratio by the same step, so it ends also
where one side wins them all; `LEAST_DEALS` are played in any case, for an interval. The points of such pairs
are biased a little away from 0.
"""

import sys
from dataclasses import asdict, dataclass
from functools import cache
from itertools import combinations
from math import log, log10
from pathlib import Path
from time import process_time
from typing import Any, Final

import msgspec
import numpy as np

from cardlog import models
from cardlog.models.contest.play_off import Estimate, Pairing, PlayOff
from cardlog.models.contest.simulation import Simulation, policy_of
from cardlog.models.engine.dealing import BOOK
from cardlog.models.engine.policy import Policy, counted, load
from cardlog.schemas.events import Action
from cardlog.schemas.limits import MOST_DEALS

CLAIRVOYANT: Final = "clairvoyant"
"""A player for ladders only, which sees all cards and plays them perfectly, and bids like the expert."""
TREE_SEARCH: Final = "ismcts"
"""Another one, see the module of this name; ``ismcts-N`` plays N rounds for a card."""
LEAST_DEALS: Final = 100
BATCH_DEALS: Final = 50
_ERROR: Final = 0.01
_CLEAR: Final = log((1 - _ERROR) / _ERROR) / log(0.55 / 0.45)  # the lead in deals at which the test ends
TIMED_HANDS: Final = 20
_SCALE: Final = 400
_ROUNDS: Final = 1000
_DECISIONS: Final = [int(action) for action in Action if action.name.startswith(("BID_", "PLAY_"))]


@dataclass(frozen=True)
class Standing:
    """A player's place."""

    player: str
    rating: float  # Bradley and Terry's; the first player named has 0
    # CPU time of a decision, at a table of such players only and with all that the table does
    milliseconds: float


@dataclass(frozen=True)
class Pair:
    """Two players' play-off; the result is A's."""

    a: str
    b: str
    result: PlayOff


@dataclass(frozen=True)
class Ladder:
    """The players, best first, and all pairs."""

    standings: list[Standing]
    pairs: list[Pair]

    def as_dict(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        return asdict(self)

    def points(self, a: str, b: str) -> Estimate | None:
        """A's points per hand against B; None if they have not met."""
        for pair in self.pairs:
            if {pair.a, pair.b} == {a, b}:
                return pair.result.points if pair.a == a else pair.result.points.mirrored(0)
        return None

    def markdown(self) -> str:
        """A table in Markdown: the standings, and each player's points per hand against all others."""
        names = [standing.player for standing in self.standings]
        header = ["player", "rating", "CPU ms per decision", *(f"against `{name}`" for name in names)]
        rows = [
            [f"`{own.player}`", f"{own.rating:+.0f}", f"{float(f'{own.milliseconds:.2g}'):g}"]
            + [points.plus_minus() if (points := self.points(own.player, name)) else "" for name in names]
            for own in self.standings
        ]
        return "\n".join(f"| {' | '.join(row)} |" for row in [header, ["---"] * len(header), *rows])


@cache
def published(game: str) -> Ladder | None:
    """The ladder of docs/players.md, as `cardlog ladder --json` wrote it; None for a game without one."""
    path = Path(__file__).parents[1] / game / "ladder.json"
    return msgspec.json.decode(path.read_bytes(), type=Ladder) if path.exists() else None


def players_of(game: str) -> list[str]:
    """The players that a ladder of a game has by default."""
    model = models.game(game)
    names = list(model.playing().names)
    return [*names, *[TREE_SEARCH] * (model.solvable is not None), *[CLAIRVOYANT] * model.has_solver]


def ladder(
    game: str,
    players: list[str],
    deals: int = 1000,
    seed: int = 0,
    *,
    rules: str = BOOK,
    stops: bool = False,
) -> Ladder:
    """Let all players play against each other.

    players
        Two or more: names of the game's players, `CLAIRVOYANT`, `TREE_SEARCH`, policies (``module:object``).
    deals, seed
        How many deals each pair plays at most, each once for each seating; and what determines them, the same
        for all pairs.
    stops
        Whether a pair ends when it is clear who is better.

    Raises ValueError, naming the valid ones, for players or rules that the game does not have.
    """
    if len(set(players)) < max(2, len(players)):
        raise ValueError("a ladder needs two players or more, each named once")
    if not 2 <= deals <= MOST_DEALS:
        raise ValueError(f"{deals} deals can't be played; it must be from 2 to {MOST_DEALS:,}")
    loaded = {name: _player(game, name) for name in players}
    pairs = []
    for a, b in combinations(players, 2):
        pairing = Pairing(game, (loaded[a], loaded[b]), seed, rules, None)
        for first in range(0, deals, BATCH_DEALS):
            pairing.play(min(BATCH_DEALS, deals - first))
            if stops and first + BATCH_DEALS >= LEAST_DEALS and abs(pairing.lead) > _CLEAR:
                break
        pairs.append(Pair(a, b, pairing.result()))
    ratings = rated(players, pairs)
    standings = [
        Standing(name, ratings[name], _milliseconds(game, loaded[name], seed, rules)) for name in players
    ]
    return Ladder(sorted(standings, key=lambda standing: -standing.rating), pairs)


def _player(game: str, name: str) -> str | Policy:
    """A player by its name."""
    model = models.game(game)
    if name == CLAIRVOYANT and model.has_solver:
        from cardlog.models.players.search import Level, Search

        return Search(model, Level(worlds=0))
    rounds = counted(name, TREE_SEARCH)
    if rounds is not None and model.solvable is not None:
        from cardlog.models.players.ismcts import ROUNDS, TreeSearch

        return TreeSearch(model, rounds=rounds or ROUNDS)
    player = load(name) if ":" in name else policy_of(game, name)
    if isinstance(player, str) and player not in model.playing().names:
        raise ValueError(f"{game} has no players {name!r}; there are: {', '.join(players_of(game))}")
    return player


def rated(players: list[str], pairs: list[Pair]) -> dict[str, float]:
    """The ratings by Bradley and Terry's model, found by minorization (Hunter, "MM algorithms for generalized
    Bradley-Terry models", Annals of Statistics 32, 2004)."""
    index = {name: number for number, name in enumerate(players)}
    won = np.zeros((len(players), len(players)))
    for pair in pairs:
        a, b, hands = index[pair.a], index[pair.b], pair.result.hands
        won[a, b] = pair.result.share.mean * hands + 1
        won[b, a] = (1 - pair.result.share.mean) * hands + 1
    met = won + won.T
    strength = np.ones(len(players))
    for _ in range(_ROUNDS):
        strength = won.sum(axis=1) / (met / np.add.outer(strength, strength)).sum(axis=1)
        strength /= strength[0]
    return {name: _SCALE * log10(strength[number]) for name, number in index.items()}


def _milliseconds(game: str, player: str | Policy, seed: int, rules: str) -> float:
    """The CPU time of a decision of a player."""
    simulation = Simulation(game, seed, (player,), rules, single=True)
    simulation.play(1)  # compiles
    start = process_time()
    played = simulation.play(TIMED_HANDS)
    spent = process_time() - start
    return 1000 * spent / int(np.isin(played.events["action"], _DECISIONS).sum())


if __name__ == "__main__":  # prints the published ladder of a game, as docs/players.md has it
    if (published_ladder := published(sys.argv[-1])) is None:
        sys.exit("usage: python -m cardlog.models.contest.ladder GAME")
    print(published_ladder.markdown())
