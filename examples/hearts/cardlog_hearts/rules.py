"""The rules of hearts, by the numbers of RULES.md."""

from typing import Any, Final

import numpy as np

from cardlog import plugin
from cardlog.plugin import Action, Int, Reason, alone, cards, compiled, events, opening, trick

GAME: Final = "hearts"
SEATS, HAND_CARDS, PASSED_CARDS, PENALTIES, TARGET, FEWEST = 4, 13, 3, 26, 100, -1
PACK_TEXT: Final = "".join(rank + suit for suit in "CDHS" for rank in cards.PACK_RANKS)
PACK: Final = np.int64(cards.mask(PACK_TEXT))
HEARTS: Final = np.int64(cards.mask("".join(rank + "H" for rank in cards.PACK_RANKS)))
TWO_OF_CLUBS, QUEEN, JACK = (np.int64(cards.mask(card)) for card in ("2C", "QS", "JD"))
PASSES: Final = ("hold", "left", "across", "right")
RULES: Final = (
    "must_break_hearts", "qs_breaks_hearts", "no_pts_on_first_trick", "can_lead_any_club",
    "can_lead_hearts_instead_of_qs", "jd_bonus", "avoid_all_tricks_bonus", "pass_cards",
)  # fmt: skip
MUST_BREAK, QUEEN_BREAKS, CLEAN_FIRST, ANY_CLUB, HEARTS_FOR_QUEEN, JACK_BONUS, NO_TRICKS_BONUS = (
    1 << bit for bit in range(7)
)
EVENT: Final = events.record_dtype(HAND_CARDS)
STATE: Final = events.compiled_dtype(
    [
        *alone.fields(HAND_CARDS),
        ("rules", np.int16),  # of RULES, one bit each
        ("direction", np.int8),  # index in PASSES: to how many seats further cards are passed
        ("broken", np.int8),  # 1 once hearts may be led
        ("given", np.int64, (SEATS,)),  # cards passed
    ]
)
VISIBLE: Final = plugin.Visible(
    public=(*alone.PUBLIC, "rules", "direction", "broken"), own=alone.OWN | {"given": 0}, secret=alone.SECRET
)


def begin(detail: dict[str, Any]) -> plugin.Records:
    """The state before a hand's first event, shape (1,). Raises ValueError."""
    settings = opening.checked_settings(detail, {"pass": str, "rules": list})
    if settings["pass"] not in PASSES or not set(settings["rules"]) <= set(RULES):
        raise ValueError(f"pass must be one of {', '.join(PASSES)}, and rules some of {', '.join(RULES)}")
    state = alone.new_state(STATE, detail)
    state["rules"] = sum(1 << RULES.index(rule) for rule in set(settings["rules"]))
    state["direction"] = PASSES.index(settings["pass"])
    return state


@compiled
def evolve(state: Any, event: Any) -> Reason:
    """See `Game`."""
    if event.action == Action.PLAY_CARD:
        return _play(state, event)
    if event.action == Action.DEAL_PASS:
        return _pass(state, event)
    if event.action == Action.DEAL_HAND:
        reason, _ = trick.deal_from(state, event, PACK, state.phase == alone.DEALING, False)  # R1
        if reason == Reason.OK and trick.is_dealt(state):
            state.phase, state.turn = alone.PASSING, 0
            if state.direction == 0:
                _lead(state)
        return reason
    return alone.other_event(state, event, FEWEST)  # R11


@compiled
def _lead(state: Any) -> None:
    """[R3] Who holds the two of clubs leads."""
    state.phase = alone.PLAYING
    for seat in range(SEATS):
        if state.hands[seat] & TWO_OF_CLUBS:
            state.turn = seat


@compiled
def _pass(state: Any, event: Any) -> Reason:
    """[R2] Each seat passes three cards, one event each; all change hands once the last is chosen."""
    if state.phase != alone.PASSING:
        return Reason.OUT_OF_ORDER
    reason = trick.check_play(state, event, PACK, legal_cards(state), 0)
    if reason != Reason.OK:
        return reason
    state.given[state.turn] |= np.int64(1) << np.int64(event.cards[0])
    if trick.size_of(state.given[state.turn]) == PASSED_CARDS:
        state.turn += 1
    if state.turn == SEATS:
        for seat in range(SEATS):
            _receive(state, seat, np.int64(state.given[(seat - state.direction) % SEATS]))
        _lead(state)
    return Reason.OK


@compiled
def _receive(state: Any, seat: Int, received: Int) -> None:
    """A seat gets cards for those it passed; `dealt_cards` are those after the pass."""
    state.hands[seat] = state.hands[seat] & ~state.given[seat] | received
    for index in range(HAND_CARDS):
        if state.given[seat] >> np.int64(state.dealt_cards[seat, index]) & 1:
            state.dealt_cards[seat, index] = trick.lowest(received)
            received &= received - 1


@compiled
def legal_cards(state: Any) -> Int:
    """[R2, R4-R7] The cards the seat in turn may pass or play, as a mask."""
    if state.phase == alone.PASSING:
        return np.int64(state.hands[state.turn] & ~state.given[state.turn])
    if state.phase != alone.PLAYING:
        return np.int64(0)
    hand, rules = np.int64(state.hands[state.turn]), np.int64(state.rules)
    if state.trick_cards:
        same = trick.of_suit(hand, trick.suit_led(state))
        if same:
            return same
    elif state.plays == 0:
        return trick.of_suit(hand, 0) if rules & ANY_CLUB else TWO_OF_CLUBS
    allowed = hand
    if state.tricks == 0 and rules & CLEAN_FIRST:
        allowed = hand & ~(HEARTS | QUEEN)
    elif state.trick_cards == 0 and rules & MUST_BREAK and state.broken == 0:
        allowed = hand & ~HEARTS
        if allowed == QUEEN and rules & HEARTS_FOR_QUEEN:
            allowed = hand
    return allowed if allowed else hand


@compiled
def penalty(state: Any, card: Int) -> Int:
    """[R8] What a card is worth to who takes it."""
    bit = np.int64(1) << card
    if bit == JACK:
        return np.int64(-10 if state.rules & JACK_BONUS else 0)
    return np.int64(1 if bit & HEARTS else 13 if bit == QUEEN else 0)


@compiled
def _play(state: Any, event: Any) -> Reason:
    """[R3-R7] One card; the highest of the suit led takes the trick."""
    if state.phase != alone.PLAYING:
        return Reason.OUT_OF_ORDER
    reason = trick.check_play(state, event, PACK, legal_cards(state), state.hands[state.turn])
    if reason != Reason.OK:
        return reason
    card = np.int64(event.cards[0])
    bit = np.int64(1) << card
    state.hands[state.turn] &= ~bit
    if bit & HEARTS or (bit == QUEEN and state.rules & QUEEN_BREAKS):
        state.broken = 1
    wins = trick.beats(card, state.best, state.trump)
    if trick.lay(state, card, wins, penalty(state, card)) and trick.take(state):
        state.phase, state.done = alone.DONE, 1
        _score(state)
    return Reason.OK


@compiled
def _score(state: Any) -> None:
    """[R8-R10] Penalties; who takes all hearts and the queen gives them to the others; the bonuses."""
    taken, bonus = np.zeros(SEATS, np.int64), np.zeros(SEATS, np.int64)
    for play in range(len(state.played)):
        value, winner = penalty(state, np.int64(state.played[play])), state.winners[play // SEATS]
        taken[winner] += max(value, 0)
        bonus[winner] += min(value, 0)
    moon = taken.max() == PENALTIES
    for seat in range(SEATS):
        if state.rules & NO_TRICKS_BONUS and not (state.winners == seat).any():
            bonus[seat] -= 5
        state.score[seat] = bonus[seat] + (PENALTIES - taken[seat] if moon else taken[seat])


def legal_text(state: Any) -> str:
    """What the seat in turn may do, for a message; empty if it is nobody's turn."""
    passing = ["pass"] * int(state["phase"] == alone.PASSING)
    return trick.legal_text(state, passing + cards.in_mask(legal_cards(state)))
