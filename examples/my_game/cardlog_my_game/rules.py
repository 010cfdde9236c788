"""The rules, by the numbers of RULES.md: `evolve` is the only place that says what is legal."""

from typing import Any, Final

import numpy as np

from cardlog import plugin
from cardlog.plugin import Action, Int, Reason, alone, cards, compiled, events, opening, trick

NAME: Final = "my_game"
SEATS, HAND_CARDS, TARGET = 4, 13, 25
MOST: Final = 1  # who has most points wins; -1 in a game of penalties
PACK_TEXT: Final = "".join(rank + suit for suit in cards.SUITS for rank in cards.PACK_RANKS)
PACK: Final = np.int64(cards.mask(PACK_TEXT))

EVENT: Final = events.record_dtype(HAND_CARDS)
# a game's own fields are added here, and to the group of who sees them
STATE: Final = events.compiled_dtype(alone.fields(HAND_CARDS))
VISIBLE: Final = plugin.Visible(public=alone.PUBLIC, own=alone.OWN, secret=alone.SECRET)


def begin(detail: dict[str, Any]) -> plugin.Records:
    """The state before a hand's first event, shape (1,). Raises ValueError."""
    opening.checked_settings(detail, {})  # no settings yet: {"target": int} would be one
    return alone.new_state(STATE, detail)


@compiled
def evolve(state: Any, event: Any) -> Reason:
    """Change the state, or say why the event is illegal and leave the state alone."""
    if event.action == Action.PLAY_CARD:
        return _play(state, event)
    if event.action == Action.DEAL_HAND:
        reason, _ = trick.deal_from(state, event, PACK, state.phase == alone.DEALING, False)  # R1
        if reason == Reason.OK and trick.is_dealt(state):
            state.phase, state.turn = alone.PLAYING, 0
        return reason
    return alone.other_event(state, event, MOST)


@compiled
def legal_cards(state: Any) -> Int:
    """[R2] The cards the seat in turn may play, as a mask; none if it is nobody's turn."""
    if state.phase != alone.PLAYING:
        return np.int64(0)
    hand = np.int64(state.hands[state.turn])
    return trick.follow_suit(hand, trick.suit_led(state)) if state.trick_cards else hand


@compiled
def _play(state: Any, event: Any) -> Reason:
    """[R2, R3] One card; [R4] a trick is a point."""
    if state.phase != alone.PLAYING:
        return Reason.OUT_OF_ORDER
    reason = trick.check_play(state, event, PACK, legal_cards(state), state.hands[state.turn])
    if reason != Reason.OK:
        return reason
    card = np.int64(event.cards[0])
    state.hands[state.turn] &= ~(np.int64(1) << card)
    is_last = state.trick_cards == SEATS - 1
    if trick.lay(state, card, trick.beats(card, state.best, state.trump), is_last) and trick.take(state):
        state.phase, state.done = alone.DONE, 1
        for winner in state.winners:
            state.score[winner] += 1
    return Reason.OK


def legal_text(state: Any) -> str:
    """What the seat in turn may do, for a message; empty if it is nobody's turn."""
    return trick.legal_text(state, cards.in_mask(legal_cards(state)))
