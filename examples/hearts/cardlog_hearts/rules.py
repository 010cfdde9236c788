"""The rules of hearts, by the numbers of RULES.md."""

from typing import Any, Final

import numpy as np

from cardlog import plugin
from cardlog.plugin import Action, Int, Reason, cards, compiled, events, opening, trick

GAME: Final = "hearts"
SEATS, HAND_CARDS, PASSED_CARDS, PENALTIES, TARGET = 4, 13, 3, 26, 100
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
DEALING, PASSING, PLAYING, DONE = range(1, 5)

EVENT: Final = events.record_dtype(HAND_CARDS)
STATE: Final = events.compiled_dtype(
    [
        *trick.fields(HAND_CARDS),
        ("rules", np.int16),  # of RULES, one bit each
        ("direction", np.int8),  # index in PASSES: to how many seats further cards are passed
        ("broken", np.int8),  # 1 once hearts may be led
        ("hands", np.int64, (SEATS,)),  # cards held now, as masks
        ("given", np.int64, (SEATS,)),  # cards passed
        ("seen", np.int64),  # cards dealt so far
        ("score", np.int16, (SEATS,)),  # of the hand, once it is done
        ("before", np.int16, (SEATS,)),  # of the match
        ("in_match", np.int8),
    ]
)
VISIBLE: Final = plugin.Visible(
    public=(*trick.PUBLIC, "rules", "direction", "broken", "score", "before", "in_match"),
    own={"hands": 0, "given": 0, "dealt_cards": cards.UNKNOWN},
    secret={"seen": 0},
)


def detail_of(rules: list[str], direction: str, players: list[Any], score: list[int] | None = None) -> str:
    """The `detail` of a hand's first event; score: of the match before the hand."""
    detail = {"players": players, "settings": {"pass": direction, "rules": sorted(rules)}}
    return opening.to_json(detail if score is None else detail | {"match": {"score": score}})


def begin(detail: dict[str, Any]) -> plugin.Records:
    """The state before a hand's first event, shape (1,). Raises ValueError."""
    settings = opening.checked_settings(detail, {"pass": str, "rules": list})
    opening.players_of(detail, SEATS, SEATS)
    if settings["pass"] not in PASSES or not set(settings["rules"]) <= set(RULES):
        raise ValueError(f"pass must be one of {', '.join(PASSES)}, and rules some of {', '.join(RULES)}")
    state = np.zeros(1, STATE)
    state["declarer"], state["dealer"], state["trump"] = plugin.NO_SEAT, plugin.NO_SEAT, cards.NO_SUIT
    state["rules"] = sum(1 << RULES.index(rule) for rule in set(settings["rules"]))
    state["direction"] = PASSES.index(settings["pass"])
    if "match" in detail:
        state["before"], state["in_match"] = opening.scores_of(detail["match"], -10_000, 10_000, SEATS), 1
    return state


@compiled
def evolve(state: Any, event: Any) -> Reason:
    """See `Game`."""
    if event.action == Action.PLAY_CARD:
        return _play(state, event)
    if event.action == Action.DEAL_PASS:
        return _pass(state, event)
    if event.action == Action.DEAL_HAND:
        reason, _ = trick.deal_from(state, event, PACK, state.phase == DEALING, False)  # R1
        if reason == Reason.OK and trick.is_dealt(state):
            state.phase, state.turn = PASSING, 0
            if state.direction == 0:
                _lead(state)
        return reason
    if event.action == Action.SCORE_TRICK:
        return trick.check_trick(state, event)
    if event.action in (Action.SCORE_HAND, Action.SCORE_MATCH, Action.SCORE_PLACE):
        return _check_score(state, event)
    if event.action == Action.DEAL_OPEN and state.phase == 0:
        state.phase = DEALING
        return Reason.OK
    return Reason.OUT_OF_ORDER


@compiled
def _lead(state: Any) -> None:
    """[R3] Who holds the two of clubs leads."""
    state.phase = PLAYING
    for seat in range(SEATS):
        if state.hands[seat] & TWO_OF_CLUBS:
            state.turn = seat


@compiled
def _pass(state: Any, event: Any) -> Reason:
    """[R2] Each seat passes three cards, one event each; all change hands once the last is chosen."""
    reason = Reason.OUT_OF_ORDER if state.phase != PASSING else trick.take_seat(state, event)
    if reason != Reason.OK:
        return reason
    seat, card = np.int64(state.turn), np.int64(event.cards[0])
    if event.count != 1 or card > cards.HIGHEST_CODE or legal_cards(state) >> card & 1 == 0:
        gone = card <= cards.HIGHEST_CODE and state.given[seat] >> card & 1
        return Reason.DUPLICATE_CARD if gone else trick.why_not(state, event, PACK, 0, 1)
    state.given[seat] |= np.int64(1) << card
    if trick.size_of(state.given[seat]) == PASSED_CARDS:
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
            card = np.int64(0)
            while received >> card & 1 == 0:
                card += 1
            state.dealt_cards[seat, index] = card
            received &= received - 1


@compiled
def legal_cards(state: Any) -> Int:
    """[R2, R4-R7] The cards the seat in turn may pass or play, as a mask."""
    if state.phase == PASSING:
        return np.int64(state.hands[state.turn] & ~state.given[state.turn])
    if state.phase != PLAYING:
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
    reason = Reason.OUT_OF_ORDER if state.phase != PLAYING else trick.take_seat(state, event)
    if reason != Reason.OK:
        return reason
    card = np.int64(event.cards[0])
    if event.count != 1 or card > cards.HIGHEST_CODE or legal_cards(state) >> card & 1 == 0:
        return trick.why_not(state, event, PACK, state.hands[state.turn], 1)
    bit = np.int64(1) << card
    state.hands[state.turn] &= ~bit
    if bit & HEARTS or (bit == QUEEN and state.rules & QUEEN_BREAKS):
        state.broken = 1
    wins = trick.beats(card, state.best, state.trump)
    if trick.lay(state, card, wins, penalty(state, card)) and trick.take(state):
        state.phase, state.done = DONE, 1
        _score(state)
    return Reason.OK


@compiled
def _score(state: Any) -> None:
    """[R8-R10] Penalties; who takes all hearts and the queen gives them to the others; the bonuses."""
    jack, taken, tricks = np.zeros(SEATS, np.int64), np.zeros(SEATS, np.int64), np.zeros(SEATS, np.int64)
    for play in range(len(state.played)):
        value = penalty(state, np.int64(state.played[play]))
        winner = state.winners[play // SEATS]
        jack[winner] += min(value, 0)
        taken[winner] += max(value, 0)
        tricks[winner] += 1
    moon = taken.max() == PENALTIES
    for seat in range(SEATS):
        value = PENALTIES - taken[seat] if moon else taken[seat]
        state.score[seat] = (
            value + jack[seat] - (5 if tricks[seat] == 0 and state.rules & NO_TRICKS_BONUS else 0)
        )


@compiled
def place(state: Any, seat: Int) -> Int:
    """[R11] The place of a seat in the match after the hand: the fewest points are the first."""
    ahead = np.int64(1)
    for other in range(SEATS):
        ahead += state.before[other] + state.score[other] < state.before[seat] + state.score[seat]
    return ahead


@compiled
def _check_score(state: Any, event: Any) -> Reason:
    """A reported score of the hand or place in the match must agree with the fold."""
    is_match = event.action != Action.SCORE_HAND
    if state.done == 0 or event.seat < 0 or event.seat >= SEATS or (is_match and state.in_match == 0):
        return Reason.OUT_OF_ORDER
    amount = np.int64(state.score[event.seat]) + (state.before[event.seat] if is_match else 0)
    if event.action == Action.SCORE_PLACE:
        amount = place(state, event.seat)
    return Reason.OK if event.amount in (plugin.NO_AMOUNT, amount) else Reason.SCORE_MISMATCH


def legal_text(state: Any) -> str:
    """What the seat in turn may do, for a message; empty if it is nobody's turn."""
    named = [cards.text(card) for card in cards.codes(PACK_TEXT) if int(legal_cards(state)) >> card & 1]
    return (
        f"seat {state['turn']}: {'pass ' * int(state['phase'] == PASSING)}{' '.join(named)}" if named else ""
    )
