"""Tables between hands, and the shuffle.

Whoever knows a generator's 64 bits knows all that follows from them. So the pack is shuffled by the system's
randomness, and the built-in players choose by bits that are drawn afresh before and after the deal.
"""

import json
import secrets
from random import Random
from typing import Any, Final

import numpy as np

from cardlog import models
from cardlog.models.dealing import NO_MATCH, Setup, new_event
from cardlog.models.simulation import new_tables
from cardlog.schemas.events import NO_AMOUNT, NO_SEAT, Action

AGREED: Final[dict[str, dict[str, Any]]] = {
    "kaiser": {"min_bid": 7, "pass_cards": 0, "no_trump_out": 52, "minus_52": 1},
    "five_card_draw": {"ante": 10, "chips": 1000},
}
"""What a table agrees on, where a simulation picks at random. Passing cards is not a decision in Kaiser's
training rows, so that there is no action for it."""
NOT_AT_TABLES: Final = {("five_card_draw", "original_unshuffled"), ("ruter_sju", "original")}
"""Rules that people can't play by: the pack is never shuffled; what a person does is not checked, so that a
hand need not end."""
SOMEONE: Final = -1
"""The player at every seat, as the arena has it: one that is waited for."""
CHANCE: Final = secrets.SystemRandom()
"""The system's randomness."""


def rules_offered(name: str) -> dict[str, str]:
    """The rules that a table can be played by, with a description."""
    return {
        rules: text
        for rules, text in models.game(name).playing().rules.items()
        if (name, rules) not in NOT_AT_TABLES
    }


class Dealer:
    """Deals hand after hand of a match at one table.

    chance
        Where the shuffle and the players' random numbers come from.
    record
        The game's `TABLE`, as `cardlog.models.arena` describes it.
    """

    def __init__(self, game: str, rules: str, seats: int, chance: Random = CHANCE) -> None:
        self.game, self._chance = models.game(game), chance
        names = (next(iter(self.game.playing().names)),) * seats
        self._setup = Setup(rules, names, scored=True, single=True)  # single: so many seats and no others
        self.tables, self._blank = new_tables(game, self._setup, np.full(6, SOMEONE, np.int8), 1)
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
        """Shuffle for the next hand; returns its first event and that event's detail, with these players but
        for those who have left the match."""
        playing, record = self.game.playing(), self.record
        record["rng"][0] = self._fresh_bits()
        if self.match_is_over:
            playing.begin_match(record)
            for name, value in AGREED.get(self.game.name, {}).items():
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
        text = playing.detail(self._setup, self.record)
        detail = json.loads(text)
        there = detail["players"]
        detail["players"] = [None if there[seat] is None else who for seat, who in enumerate(players)]
        return detail, event[0]

    def dealt(self) -> None:
        """The cards are dealt: from now on chance has nothing to do with them."""
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
        """Undo `dump`."""
        self.matches = dumped["matches"]
        for name, value in dumped.items():
            if name != "matches":
                self.record[name] = value
        self.record["rng"][0] = self._fresh_bits()
