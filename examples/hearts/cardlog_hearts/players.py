"""Who plays at tables: `random`, and `expert`, which ducks, and discards what hurts most."""

import json
from typing import Any, Final

import numpy as np

from cardlog import plugin
from cardlog.plugin import Action, Int, Setup, cards, compiled, new_event, trick

from . import rules
from .decisions import INDEX
from .rules import DEALING, HAND_CARDS, PASSES, PASSING, QUEEN, SEATS, TARGET, legal_cards, penalty, place

_PACK: Final = np.array(cards.codes(rules.PACK_TEXT), np.uint8)
_STANDARD: Final = ["must_break_hearts", "qs_breaks_hearts", "no_pts_on_first_trick", "pass_cards"]
_ORDER: Final = (1, 3, 2, 0)  # left, right, across, hold


def prepare(setup: Setup, tables: plugin.Records) -> plugin.Records:
    """See `Players`."""
    return rules.begin(json.loads(rules.detail_of(_STANDARD, "hold", [{}] * SEATS)))


def detail(setup: Setup, table: Any) -> str:
    """See `Players`."""
    direction = PASSES[_ORDER[int(table["hand_no"]) % SEATS]]
    players = [{"bot": name, "kind": "computer"} for name in setup.players]
    return rules.detail_of(_STANDARD, direction, players, table["score"].tolist() if setup.scored else None)


@compiled
def begin_match(table: Any) -> None:
    """See `Players`."""
    table.score[:] = 0


@compiled
def open_hand(table: Any, state: Any, opening: Any) -> None:
    """See `Players`."""
    state.direction = _ORDER[table.hand_no % SEATS]
    state.in_match = table.scored
    if table.scored:
        state.before[:] = table.score
    plugin.shuffle_pack(table, _PACK)


@compiled
def follow(table: Any, state: Any, events: Any, size: Int) -> Int:
    """The deal, and what tricks, the hand and the match bring."""
    if state.phase == DEALING:
        return plugin.deal_hands(table, events, size, HAND_CARDS)
    if table.scored and events[size - 1].action == Action.PLAY_CARD and state.trick_cards == 0:
        size = trick.report_trick(state, events, size)
        is_last = (state.before + state.score).max() >= TARGET
        for seat in range(SEATS if state.done else 0):
            new_event(events, size, Action.SCORE_HAND, seat).amount = state.score[seat]
            new_event(events, size + 1, Action.SCORE_MATCH, seat).amount = (
                state.before[seat] + state.score[seat]
            )
            size += 2
        for seat in range(SEATS if state.done and is_last else 0):
            new_event(events, size, Action.SCORE_PLACE, seat).amount = place(state, seat)
            size += 1
    return size


@compiled
def value(state: Any, card: Int) -> Int:
    """How gladly the expert plays or passes a card: it discards the queen of spades and what may catch it,
    then hearts and high cards; leads low; and plays the highest card that does not take the trick."""
    rank, is_queen = card & 15, np.int64(1) << card == QUEEN
    if state.phase == PASSING or (state.trick_cards and trick.suit_of(card) != trick.suit_led(state)):
        return rank + 2 * penalty(state, card) + 20 * is_queen + 8 * (card >> 4 == 3 and rank > 10)
    takes = state.trick_cards == 0 or card > state.best
    is_cheap = state.trick_cards == SEATS - 1 and state.trick_value <= 0
    return (-rank if takes and not is_cheap else 100 + rank) + is_queen * (-200 if takes else 200)


@compiled
def expert(state: Any) -> Int:
    """See `Players`."""
    legal, best, most = legal_cards(state), np.int64(-1), np.int64(-1000)
    for card in range(64):
        if legal >> card & 1 and value(state, np.int64(card)) > most:
            best, most = np.int64(card), value(state, np.int64(card))
    return INDEX[best]


@compiled
def choose(table: Any, state: Any, events: Any, size: Int) -> Int:
    """See `Players`."""
    action = Action.DEAL_PASS if state.phase == PASSING else Action.PLAY_CARD
    event = new_event(events, size, action, state.turn)
    is_expert = table.players[state.turn] == 1
    event.count = 1
    event.cards[0] = _PACK[expert(state)] if is_expert else trick.any_card(table.rng, legal_cards(state))
    return size + 1


@compiled
def settle(table: Any, state: Any) -> None:
    """[R11] A match is over once a seat has 100 points."""
    table.score[:] += state.score
    if table.score.max() >= TARGET:
        table.match = plugin.NO_MATCH


def winner_of(table: Any, state: Any) -> int:
    """[R11] Who has fewest points, unless several have."""
    score = table["score"].tolist()
    return score.index(min(score)) if score.count(min(score)) == 1 else -1


PLAYERS: Final = plugin.Players(
    names={"random": "any legal card", "expert": "ducks, and discards what hurts most"},
    rules={plugin.BOOK: "RULES.md"},
    table=plugin.table_dtype(len(_PACK), [("score", np.int16, (SEATS,))]),
    most_events=1 + SEATS * (1 + rules.PASSED_CARDS + HAND_CARDS + 3) + HAND_CARDS, usual_seats=SEATS,
    prepare=prepare, detail=detail, begin_match=begin_match, open_hand=open_hand, follow=follow,
    choose=choose, settle=settle, winner_of=winner_of, expert=expert,
)  # fmt: skip
