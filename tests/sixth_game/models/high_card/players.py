"""High card's players: who plays the hands that `cardlog simulate` writes."""

import json
from typing import Any, Final

import numpy as np
from cardlog.models.high_card import rules as high_card
from cardlog.models.high_card.rules import HAND_CARDS, SEATS

from cardlog.models.playing import BOOK, Played, at_seats
from cardlog.models.rng import begin, below, shuffle
from cardlog.schemas import cards
from cardlog.schemas.events import NO_AMOUNT, NO_DETAIL, NO_SEAT, NO_TIME

PLAYERS: Final = {"random": "any legal card"}
"""The players there are."""
RULES: Final = {BOOK: "docs/rules/high_card.md"}
"""The rules they can play by."""

MATCH_HANDS: Final = 5
"""Hands of a match; the deal alternates."""
MOST_EVENTS: Final = 1 + SEATS + SEATS * HAND_CARDS + 1
"""Events of a hand: the opening, the hands, the cards, and who won."""


class Simulation:
    """Hands without end, the same for the same key, however many are asked for at a time.

    key
        Where chance begins, 64 bits.
    scores
        Whether the log tells who won. The hands themselves are the same with and without.
    players, rules
        Who plays, and by which rules. Of both there is only one.
    """

    def __init__(
        self, key: int, scores: bool, players: tuple[str, ...] = ("random",), rules: str = BOOK
    ) -> None:
        at_seats(players, SEATS)
        self._key = np.uint64(key)
        self._scores = scores
        self._done = 0
        self._details = [high_card.opening(dealer) for dealer in range(SEATS)]

    def play(self, count: int) -> Played:
        """The next hands."""
        size = MOST_EVENTS if self._scores else MOST_EVENTS - 1
        events = np.zeros(count * size, high_card.EVENT)
        for name, null in (("seat", NO_SEAT), ("suit", cards.NO_SUIT), ("amount", NO_AMOUNT)):
            events[name] = null
        events["detail"], events["at"] = NO_DETAIL, NO_TIME
        numbers = np.arange(self._done, self._done + count)
        for place, number in enumerate(numbers):
            self._hand(int(number), events[place * size : (place + 1) * size])
        self._done += count
        offsets = np.arange(0, len(events) + 1, size, dtype=np.int64)
        matches, hand_nos = np.divmod(numbers.astype(np.int32), np.int32(MATCH_HANDS))
        return Played(events, offsets, self._details, matches, hand_nos)

    def _hand(self, number: int, events: Any) -> None:
        """Play one hand into its events."""
        chance = np.zeros(1, np.uint64)
        begin(chance, self._key, number)
        deck = np.array(cards.codes(high_card.DECK_TEXT), np.uint8)
        shuffle(chance, deck)
        dealer = number % SEATS
        state = high_card.begin(json.loads(self._details[dealer]))[0]
        events[0]["action"], events[0]["detail"] = high_card.OPEN, dealer
        events[1 : 1 + SEATS]["action"] = high_card.DEAL_HAND
        for place, event in enumerate(events):
            if 1 <= place <= SEATS:
                event["seat"], event["count"] = place - 1, HAND_CARDS
                event["cards"] = deck[HAND_CARDS * (place - 1) : HAND_CARDS * place]
            elif state["done"]:
                event["action"], event["amount"] = high_card.SCORE_HAND, high_card.HAND_SCORE
                event["seat"] = np.argmax(state["points"])
            elif place:
                legal = int(high_card.legal_cards(state))
                able = [card for card in range(61) if legal >> card & 1]
                event["action"], event["seat"], event["count"] = high_card.PLAY_CARD, state["turn"], 1
                event["cards"][0] = able[below(chance, len(able))]
            if high_card.evolve(state, event):
                raise AssertionError(f"hand {number}: the player did what the rules forbid")
