"""Tables between hands, and the shuffle.

Whoever knows the 64 bits of a generator can predict all of its numbers. So the pack is shuffled with the
system's randomness, and the built-in players get new random bits before and after the deal.
"""

import json
import secrets
from random import Random
from typing import Any, Final

import numpy as np

from cardlog import models
from cardlog.models.engine.arena import new_tables
from cardlog.models.engine.dealing import MOST_SEATS, NO_MATCH, Setup, new_event
from cardlog.schemas.events import NO_AMOUNT, NO_SEAT, Action

SOMEONE: Final = -1
"""The code of every seat's player in the arena: one whose actions come from outside."""
CHANCE: Final = secrets.SystemRandom()
"""The system's randomness."""


def games_offered() -> list[str]:
    """The games that a table can play."""
    return [name for name, game in models.GAMES.items() if game.players is not None and rules_offered(name)]


def rules_offered(name: str) -> dict[str, str]:
    """The rules that a table can be played by, with their descriptions."""
    playing = models.game(name).playing()
    return {rules: text for rules, text in playing.rules.items() if rules not in playing.not_at_tables}


class Dealer:
    """Deals the hands of one table, match after match.

    chance
        The source of the shuffle and the players' random numbers.
    record
        The game's `TABLE`, as `cardlog.models.engine.arena` describes it.
    """

    def __init__(self, game: str, rules: str, seats: int, chance: Random = CHANCE) -> None:
        self.game, self._chance = models.game(game), chance
        names = (next(iter(self.game.playing().names)),) * seats
        # `single`: this number of seats and no other.
        self._setup = Setup(rules, names, scored=True, single=True)
        self.tables, self._blank = new_tables(
            self.game, self._setup, np.full(MOST_SEATS, SOMEONE, np.int8), 1
        )
        self.record: Any = self.tables[0]
        self.matches = -1
        """Number of the match, from 0; -1 before the first."""

    def _fresh_bits(self) -> np.uint64:
        return np.uint64(self._chance.getrandbits(64))

    @property
    def match_is_over(self) -> bool:
        """Whether the next hand begins a match."""
        return bool(self.record["match"] == NO_MATCH)

    def open(self, players: list[dict[str, Any]]) -> tuple[dict[str, Any], Any]:
        """Shuffle for the next hand; returns the detail of its first event, with these players except those
        who have left the match, and that event."""
        playing, record = self.game.playing(), self.record
        record["rng"][0] = self._fresh_bits()
        if self.match_is_over:
            playing.begin_match(record)
            for name, value in playing.agreed.items():
                record[name] = value
                if name == "chips":
                    record[name][int(record["seats"]) :] = 0
            self.matches += 1
            record["match"] = record["hand_no"] = 0
        event = np.zeros(1, self.game.event)
        new_event(event, 0, Action.DEAL_OPEN, NO_SEAT)
        playing.open_hand(record, self._blank.copy()[0], event[0])
        event[0]["amount"] = NO_AMOUNT
        self._chance.shuffle(record["deck"])
        detail = json.loads(playing.detail(self._setup, self.record))
        detail["players"] = [
            None if present is None else player
            for present, player in zip(detail["players"], players, strict=True)
        ]
        return detail, event[0]

    def dealt(self) -> None:
        """Note that the cards are dealt: later random numbers are independent of them."""
        self.record["rng"][0] = self._fresh_bits()

    def settle(self, state: Any) -> None:
        """Add a hand to the match."""
        self.game.playing().settle(self.record, state)
        self.record["hand_no"] += 1

    def dump(self) -> dict[str, Any]:
        """The table as JSON, without its random numbers."""
        names = [name for name in self.record.dtype.names if name not in ("rng", "players")]
        return {"matches": self.matches, **{name: self.record[name].tolist() for name in names}}

    def restore(self, dumped: dict[str, Any]) -> None:
        """Restore what `dump` returned."""
        self.matches = dumped["matches"]
        for name, value in dumped.items():
            if name != "matches":
                self.record[name] = value
        self.record["rng"][0] = self._fresh_bits()
