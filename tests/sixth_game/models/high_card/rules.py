"""High card: two players, three cards each, three tricks without trump.

Numbers in brackets, [R3], are the rules of docs/rules/high_card.md.
"""

from typing import Any, Final

import numpy as np

from cardlog.models.compiled import Int, compiled
from cardlog.models.fold import Records
from cardlog.models.opening import checked_settings, dealer_of, players_of, to_json
from cardlog.models.trick import beats, follow_suit, suit_of
from cardlog.schemas import cards, events
from cardlog.schemas.events import CODE, NO_AMOUNT, NO_SEAT
from cardlog.schemas.reasons import Reason

GAME: Final = "high_card"
SEATS: Final = 2
HAND_CARDS: Final = 3
TRICKS: Final = 3
DECK_TEXT: Final = "".join(rank + suit for suit in cards.SUITS for rank in cards.PACK_RANKS)
"""[R1] The pack; the order is the order of actions in training rows."""
DECK: Final = np.int64(cards.mask(DECK_TEXT))
HAND_SCORE: Final = 1
"""[R5] What the winner of a hand scores."""

MOST_CARDS: Final = HAND_CARDS
EVENT: Final = events.record_dtype(MOST_CARDS)
STATE: Final = events.compiled_dtype(
    [
        ("done", np.int8),  # 1 once the last card is played
        ("opened", np.int8),
        ("turn", np.int8),  # the seat to act, while there is one
        ("dealer", np.int8),
        ("dealt", np.int8),  # seats that have cards, one bit each
        ("plays", np.int8),
        ("tricks", np.int8),  # whole tricks
        ("leaders", np.int8, (TRICKS,)),
        ("winners", np.int8, (TRICKS,)),
        ("points", np.int8, (SEATS,)),  # tricks taken
        ("played", np.uint8, (SEATS * HAND_CARDS,)),  # card codes in playing order
        ("dealt_cards", np.uint8, (SEATS, HAND_CARDS)),
        ("hands", np.int64, (SEATS,)),  # cards held now, as masks
    ]
)

OPEN = CODE["deal", "open"]
DEAL_HAND = CODE["deal", "hand"]
PLAY_CARD = CODE["play", "card"]
SCORE_HAND = CODE["score", "hand"]

_ALL_DEALT: Final = (1 << SEATS) - 1
_OK = int(Reason.OK)
_INCOMPLETE = int(Reason.INCOMPLETE)
_UNKNOWN_CARD = int(Reason.UNKNOWN_CARD)
_DUPLICATE_CARD = int(Reason.DUPLICATE_CARD)
_WRONG_TURN = int(Reason.WRONG_TURN)
_NOT_IN_HAND = int(Reason.NOT_IN_HAND)
_MUST_FOLLOW = int(Reason.MUST_FOLLOW)
_OUT_OF_ORDER = int(Reason.OUT_OF_ORDER)
_SCORE_MISMATCH = int(Reason.SCORE_MISMATCH)


def opening(dealer: int) -> str:
    """The `detail` of a hand's first event, as canonical JSON."""
    detail = {"dealer": dealer, "players": [{}] * SEATS, "settings": {}}
    return to_json(detail)


def begin(detail: dict[str, Any]) -> Records:
    """The state before the first event of a hand with this opening, shape (1,).

    Raises ValueError if the opening can't be one of high card.
    """
    checked_settings(detail, {})
    dealer = dealer_of(detail, SEATS)
    players_of(detail, SEATS, SEATS)
    state = np.zeros(1, STATE)
    state["dealer"] = dealer
    state["turn"] = 1 - dealer
    return state


@compiled
def evolve(state: Any, event: Any) -> int:
    """Apply one event to the state of a hand, or say why it is illegal. See `cardlog.models.fold.Evolve`."""
    if event.action == PLAY_CARD:
        return _play(state, event)
    if event.action == DEAL_HAND:
        return _deal(state, event)
    if event.action == SCORE_HAND:
        return _check_score(state, event)
    if event.action == OPEN and state.opened == 0:
        state.opened = 1
        return _OK
    return _OUT_OF_ORDER


@compiled
def _deal(state: Any, event: Any) -> int:
    """[R2] Three cards to each seat, from the pack, none twice."""
    if state.opened == 0 or state.dealt == _ALL_DEALT:
        return _OUT_OF_ORDER
    seat = event.seat
    if seat < 0 or seat >= SEATS or state.dealt >> seat & 1:
        return _WRONG_TURN
    held = np.int64(0)
    for index in range(event.count):
        card = event.cards[index]
        if card > 60 or DECK >> card & 1 == 0:
            return _UNKNOWN_CARD
        bit = np.int64(1) << card
        if (held | state.hands[1 - seat]) & bit:
            return _DUPLICATE_CARD
        held |= bit
    if event.count != HAND_CARDS:
        return _INCOMPLETE
    for index in range(HAND_CARDS):
        state.dealt_cards[seat, index] = event.cards[index]
    state.hands[seat] = held
    state.dealt |= 1 << seat
    return _OK


@compiled
def legal_cards(state: Any) -> Int:
    """[R3] The cards the seat in turn may play, as a mask: of the suit led if it has any."""
    if state.dealt != _ALL_DEALT or state.done == 1:
        return np.int64(0)
    hand: Int = state.hands[state.turn]
    if state.plays % SEATS == 0:
        return hand
    return follow_suit(hand, suit_of(state.played[state.plays - 1]))


@compiled
def legal_actions(state: Any) -> Int:
    """What the seat in turn may do: `legal_cards`."""
    return legal_cards(state)


@compiled
def _play(state: Any, event: Any) -> int:
    """[R3] One card, from the seat in turn; the second ends the trick."""
    if state.dealt != _ALL_DEALT or state.done == 1:
        return _OUT_OF_ORDER
    seat = state.turn
    if event.seat == NO_SEAT:
        event.seat = seat
    elif event.seat != seat:
        return _WRONG_TURN
    if event.count != 1:
        return _INCOMPLETE
    card = event.cards[0]
    if card > 60 or DECK >> card & 1 == 0:
        return _UNKNOWN_CARD
    if state.hands[seat] >> card & 1 == 0:
        return _NOT_IN_HAND
    if legal_cards(state) >> card & 1 == 0:
        return _MUST_FOLLOW
    state.hands[seat] &= ~(np.int64(1) << card)
    state.played[state.plays] = card
    state.plays += 1
    if state.plays % SEATS == 1:
        state.leaders[state.tricks] = seat
        state.turn = 1 - seat
    else:
        _take(state, seat)
    return _OK


@compiled
def _take(state: Any, second: int) -> None:
    """[R4] The higher card of the suit led takes the trick; its player leads next."""
    led = state.played[state.plays - 2]
    winner = second if beats(state.played[state.plays - 1], led, cards.NO_SUIT) else 1 - second
    state.winners[state.tricks] = winner
    state.points[winner] += 1
    state.turn = winner
    state.tricks += 1
    state.done = state.tricks == TRICKS


@compiled
def _check_score(state: Any, event: Any) -> int:
    """[R5] Whom the source calls the winner must have taken more tricks."""
    if state.done == 0 or event.seat < 0 or event.seat >= SEATS:
        return _OUT_OF_ORDER
    score = HAND_SCORE if state.points[event.seat] > state.points[1 - event.seat] else 0
    if event.amount != NO_AMOUNT and event.amount != score:
        return _SCORE_MISMATCH
    return _OK


def legal_text(state: Any) -> str:
    """What the seat in turn may do, for a message; empty if it is nobody's turn."""
    mask = int(legal_actions(state))
    named = [cards.text(card) for card in cards.codes(DECK_TEXT) if mask >> card & 1]
    return f"seat {state['turn']}: {' '.join(named)}" if named else ""
