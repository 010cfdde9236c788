"""High card's players: who plays the hands that `cardlog simulate` writes."""

import json
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cardlog.models.compiled import Int, compiled
from cardlog.models.dealing import BOOK, NO_MATCH, Setup, any_card, deal_hands, new_event, table_dtype
from cardlog.models.fold import Records
from cardlog.models.high_card import rules as high_card
from cardlog.models.high_card.decisions import to_event
from cardlog.models.high_card.rules import HAND_CARDS, SEATS
from cardlog.models.rng import shuffle
from cardlog.schemas import cards

PLAYERS: Final = {"random": "any legal card"}
"""The players there are."""
RULES: Final = {BOOK: "docs/rules/high_card.md"}
"""The rules they can play by."""

SEAT_COUNTS: Final = range(SEATS, SEATS + 1)
USUAL_SEATS: Final = SEATS
TABLES: Final = 1
"""Tables that play at the same time."""
MATCH_HANDS: Final = 5
"""Hands of a match; the deal alternates."""
MOST_EVENTS: Final = 1 + SEATS + SEATS * HAND_CARDS + 1
"""Events of a hand: the opening, the hands, the cards, and who won."""

_DECK: Final = np.array(cards.codes(high_card.DECK_TEXT), np.uint8)
TABLE: Final = table_dtype(len(_DECK), [("dealer", np.int8)])
"""What is known at the table before a hand."""


def prepare(setup: Setup, tables: Records) -> Records:
    """See `cardlog.models.arena`."""
    return high_card.begin(json.loads(high_card.opening(0)))


def openings(setup: Setup, before: Records) -> tuple[list[str], NDArray[np.int32]]:
    """The openings' details, one a dealer, and which one each hand has."""
    return [high_card.opening(dealer) for dealer in range(SEATS)], before["dealer"].astype(np.int32)


@compiled
def begin_match(table: Any) -> None:
    """There is nothing to agree on."""


@compiled
def open_hand(table: Any, state: Any, opening: Any) -> None:
    """The deal alternates."""
    table.dealer = table.number % SEATS
    state.dealer = table.dealer
    state.turn = 1 - table.dealer
    table.deck[:] = _DECK
    shuffle(table.rng, table.deck)


@compiled
def follow(table: Any, state: Any, events: Any, size: int) -> Int:
    """The deal, and who won."""
    if state.dealt == 0:
        return deal_hands(table, events, size, HAND_CARDS)
    if table.scored and state.done and events[size - 1].action == high_card.PLAY_CARD:
        winner = 0 if state.points[0] > state.points[1] else 1
        new_event(events, size, high_card.SCORE_HAND, winner).amount = high_card.HAND_SCORE
        return size + 1
    return size


@compiled
def choose(table: Any, state: Any, events: Any, size: int) -> int:
    """What the built-in player in turn does."""
    event = new_event(events, size, high_card.PLAY_CARD, state.turn)
    event.count = 1
    event.cards[0] = any_card(table.rng, high_card.legal_cards(state))
    return size + 1


@compiled
def carry_out(table: Any, state: Any, action: Int, events: Any, size: int) -> int:
    """See `cardlog.models.arena`."""
    to_event(state, action, new_event(events, size, high_card.PLAY_CARD, state.turn))
    return size + 1


@compiled
def settle(table: Any, state: Any) -> None:
    """A match is over after `MATCH_HANDS` hands."""
    if table.hand_no == MATCH_HANDS - 1:
        table.match = NO_MATCH
