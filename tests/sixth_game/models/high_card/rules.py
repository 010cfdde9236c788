"""High card: four players in two partnerships, three cards each, three tricks without trump.

Numbers in brackets, [R3], are the rules of docs/rules/high_card.md.
"""

from typing import Any, Final

import numpy as np

from cardlog.models import trick
from cardlog.models.compiled import Int, compiled
from cardlog.models.game import Records
from cardlog.models.opening import checked_settings, scores_of, to_json
from cardlog.models.trick import (
    SEATS,
    beats,
    check_trick,
    deal_from,
    follow_suit,
    is_dealt,
    lay,
    suit_led,
    take,
    take_seat,
    why_not,
)
from cardlog.models.visible import Visible
from cardlog.schemas import cards, events
from cardlog.schemas.events import NO_AMOUNT, Action
from cardlog.schemas.reasons import Reason

GAME: Final = "high_card"
HAND_CARDS: Final = 3
TRICKS: Final = 3
DECK_TEXT: Final = "".join(rank + suit for suit in cards.SUITS for rank in cards.PACK_RANKS)
"""[R1] The pack; the order is the order of actions in training rows."""
DECK: Final = np.int64(cards.mask(DECK_TEXT))
HAND_SCORE: Final = 1
"""[R5] What the winners of a hand score."""
MATCH_POINTS: Final = 3
"""[R6] What wins a match."""

OPENING, DEALING, PLAYING, DONE = range(4)

EVENT: Final = events.record_dtype(HAND_CARDS)
STATE: Final = events.compiled_dtype(
    [
        *trick.fields(HAND_CARDS),
        ("score", np.int16, (2,)),
        ("before", np.int16, (2,)),  # match score before the hand, if reported
        ("in_match", np.int8),  # 1 if it was
        ("hands", np.int64, (SEATS,)),  # cards held now, as masks
        ("seen", np.int64),  # cards dealt so far, as a mask
    ]
)

VISIBLE: Final = Visible(
    public=(*trick.PUBLIC, "score", "before", "in_match"),
    own={"hands": 0, "dealt_cards": cards.UNKNOWN},
    secret={"seen": 0},
)


def opening(dealer: int, score: list[int] | None = None) -> str:
    """The `detail` of a hand's first event, as canonical JSON; score: of the match before the hand."""
    detail: dict[str, Any] = {"dealer": dealer, "players": [{}] * SEATS, "settings": {}}
    return to_json(detail if score is None else detail | {"match": {"score": score}})


def begin(detail: dict[str, Any]) -> Records:
    """The state before the first event of a hand with this opening, shape (1,).

    Raises ValueError if the opening can't be one of high card.
    """
    checked_settings(detail, {})
    state = trick.new_state(STATE, detail)
    if "match" in detail:
        state["before"] = scores_of(detail["match"], 0, MATCH_POINTS)
        state["in_match"] = 1
    return state


@compiled
def evolve(state: Any, event: Any) -> Reason:
    """Apply one event to the state of a hand, or say why it is illegal. See `Game`."""
    if event.action == Action.PLAY_CARD:
        return _play(state, event)
    if event.action == Action.DEAL_HAND:
        return _deal(state, event)
    if event.action == Action.SCORE_TRICK:
        return check_trick(state, event)
    if event.action in (Action.SCORE_HAND, Action.SCORE_MATCH):
        return _check_score(state, event)
    if event.action == Action.DEAL_OPEN and state.phase == OPENING:
        state.phase = DEALING
        return Reason.OK
    return Reason.OUT_OF_ORDER


@compiled
def _deal(state: Any, event: Any) -> Reason:
    """[R2] Three cards to each seat, from the pack, none twice."""
    reason, _ = deal_from(state, event, DECK, state.phase == DEALING, False)
    if reason == Reason.OK and is_dealt(state):
        state.phase = PLAYING
    return reason


@compiled
def legal_cards(state: Any) -> Int:
    """[R3] The cards the seat in turn may play, as a mask: of the suit led if it has any."""
    if state.phase != PLAYING:
        return np.int64(0)
    hand: Int = state.hands[state.turn]
    return hand if state.trick_cards == 0 else follow_suit(hand, suit_led(state))


@compiled
def _play(state: Any, event: Any) -> Reason:
    """[R3] One card, from the seat in turn. [R4] The fourth ends the trick; the highest card of the suit led
    takes it."""
    if state.phase != PLAYING:
        return Reason.OUT_OF_ORDER
    reason = take_seat(state, event)
    if reason != Reason.OK:
        return reason
    card = event.cards[0]
    if event.count != 1 or card > 60 or legal_cards(state) >> card & 1 == 0:
        return why_not(state, event, DECK, state.hands[state.turn], 1)
    state.hands[state.turn] &= ~(np.int64(1) << card)
    if lay(state, card, beats(card, state.best, state.trump), 1) and take(state):
        state.phase = DONE
        state.done = 1
        winners = 0 if state.points[0] > state.points[1] else 1  # [R5]
        state.score[winners] = HAND_SCORE
    return Reason.OK


@compiled
def _check_score(state: Any, event: Any) -> Reason:
    """[R5, R6] A reported score of the hand or of the match must agree with the fold."""
    if state.done == 0 or event.seat < 0 or event.seat > 1:
        return Reason.OUT_OF_ORDER
    amount = np.int64(state.score[event.seat])
    if event.action == Action.SCORE_MATCH:
        if state.in_match == 0:
            return Reason.OUT_OF_ORDER
        amount += np.int64(state.before[event.seat])
    return Reason.OK if event.amount in (NO_AMOUNT, amount) else Reason.SCORE_MISMATCH


def legal_text(state: Any) -> str:
    """What the seat in turn may do, for a message; empty if it is nobody's turn."""
    mask = int(legal_cards(state))
    named = [cards.text(card) for card in cards.codes(DECK_TEXT) if mask >> card & 1]
    return f"seat {state['turn']}: {' '.join(named)}" if named else ""
