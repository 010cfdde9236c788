"""High card's players: who plays the hands that `cardlog simulate` writes."""

import json
from typing import Any, Final

import numpy as np

from cardlog.models.compiled import Int, compiled
from cardlog.models.dealing import (
    BOOK,
    NO_MATCH,
    Setup,
    deal_hands,
    new_event,
    shuffle_pack,
    table_dtype,
)
from cardlog.models.game import Players, Records
from cardlog.models.high_card.rules import (
    DEALING,
    DECK_TEXT,
    HAND_CARDS,
    MATCH_POINTS,
    TRICKS,
    begin,
    legal_cards,
    opening,
)
from cardlog.models.trick import SEATS, any_card, report_trick
from cardlog.schemas import cards
from cardlog.schemas.events import Action

_DECK: Final = np.array(cards.codes(DECK_TEXT), np.uint8)


def prepare(setup: Setup, tables: Records) -> Records:
    """See `Players`."""
    return begin(json.loads(opening(0)))


def detail(setup: Setup, table: Any) -> str:
    """The opening's detail of a hand."""
    return opening(int(table["dealer"]), table["score"].tolist() if setup.scored else None)


@compiled
def begin_match(table: Any) -> None:
    """The deal goes round from match to match."""
    table.score[0] = 0
    table.score[1] = 0


@compiled
def open_hand(table: Any, state: Any, opening: Any) -> None:
    """Fill a blank state as `begin` would from the opening's detail, and shuffle."""
    state.dealer = table.dealer
    if table.scored:
        state.in_match = 1
        state.before[0] = table.score[0]
        state.before[1] = table.score[1]
    shuffle_pack(table, _DECK)


@compiled
def follow(table: Any, state: Any, events: Any, size: Int) -> Int:
    """The deal, and the scores of tricks, of the hand and of the match."""
    if state.phase == DEALING:
        return deal_hands(table, events, size, HAND_CARDS)
    if table.scored and events[size - 1].action == Action.PLAY_CARD and state.trick_cards == 0:
        size = report_trick(state, events, size)
        if state.done:
            for team in range(2):
                new_event(events, size + team, Action.SCORE_HAND, team).amount = state.score[team]
                after = state.before[team] + state.score[team]
                new_event(events, size + 2 + team, Action.SCORE_MATCH, team).amount = after
            size += 4
    return size


@compiled
def choose(table: Any, state: Any, events: Any, size: Int) -> Int:
    """Let the built-in player in turn play any legal card."""
    event = new_event(events, size, Action.PLAY_CARD, state.turn)
    event.count = 1
    event.cards[0] = any_card(table.rng, legal_cards(state))
    return size + 1


@compiled
def settle(table: Any, state: Any) -> None:
    """[R6] Add the hand to the match, which is over at three points, and pass the deal on."""
    for team in range(2):
        table.score[team] += state.score[team]
        if table.score[team] == MATCH_POINTS:
            table.match = NO_MATCH
    table.dealer = (table.dealer + 1) % SEATS


PLAYERS: Final = Players(
    names={"random": "any legal card"},
    rules={BOOK: "docs/rules/high_card.md"},
    table=table_dtype(len(_DECK), [("dealer", np.int8), ("score", np.int16, (2,))]),
    most_events=1 + SEATS + SEATS * HAND_CARDS + TRICKS + 4,
    usual_seats=SEATS,
    prepare=prepare,
    detail=detail,
    begin_match=begin_match,
    open_hand=open_hand,
    follow=follow,
    choose=choose,
    settle=settle,
    winner_of=lambda table, state: int(table["score"].argmax()),
)
