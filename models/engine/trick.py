"""What trick-taking games of four share: sets of cards as bit masks, the deal, the play and taking of tricks.
States have the fields of `fields`; those of games that need only one mask for a hand have ``hands`` and
``seen``, too. A function that returns a reason leaves the state alone unless that is `Reason.OK`."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cardlog.models.engine.compiled import Int, compiled
from cardlog.models.engine.dealing import new_event
from cardlog.models.engine.game import Records
from cardlog.models.engine.opening import dealer_of, players_of
from cardlog.models.engine.rng import below
from cardlog.schemas import cards
from cardlog.schemas.cards import SUIT_STRIDE
from cardlog.schemas.events import NO_AMOUNT, NO_SEAT, Action
from cardlog.schemas.reasons import Reason

SEATS: Final = 4

DECISION_KINDS: Final = ("bid", "play")
BID, PLAY = range(2)
NAME_WORDS: Final = ("name clubs", "name diamonds", "name hearts", "name spades")
"""The words of actions that name a suit, in the order of the suits' numbers."""
SUIT_BITS: Final = np.int64((1 << SUIT_STRIDE) - 1)
"""The cards of suit 0; shifted by 16 bits for each suit above."""


PUBLIC: Final = (
    "done", "phase", "turn", "dealer", "dealt", "declarer", "trump", "best", "winner", "trick_cards",
    "trick_value", "plays", "played", "tricks", "leaders", "winners", "values", "points",
)  # fmt: skip
"""Those of `fields` that everyone sees: all but ``dealt_cards``."""


def fields(hand_cards: int, value: type[np.signedinteger[Any]] = np.int8) -> list[Any]:
    """The fields of a state that these functions use, ``done`` first; `value` is the type of what a trick is
    worth."""
    return [
        ("done", np.int8),  # 1 once the hand is over
        ("phase", np.int8),
        ("turn", np.int8),  # the seat to act, if any
        ("dealer", np.int8),
        ("dealt", np.int8),  # seats that have cards, one bit each
        ("dealt_cards", np.uint8, (SEATS, hand_cards)),  # as dealt, cards.UNKNOWN if not shown
        ("declarer", np.int8),
        ("trump", np.int8),  # NO_SUIT until named
        ("best", np.uint8),  # card that takes the trick so far
        ("winner", np.int8),  # seat that played it
        ("trick_cards", np.int8),  # cards on the table
        ("trick_value", value),  # what they are worth
        ("plays", np.int8),
        ("played", np.uint8, (SEATS * hand_cards,)),  # card codes in playing order
        ("tricks", np.int8),  # whole tricks
        ("leaders", np.int8, (hand_cards,)),
        ("winners", np.int8, (hand_cards,)),
        ("values", value, (hand_cards,)),
        ("points", np.int16, (2,)),  # taken in tricks so far, by team
    ]


BEFORE: Final = {"dealer": "dealer", "score": "before", "scored": "in_match"}
"""`Players.in_state` of these games."""


def new_state(dtype: np.dtype[np.void], detail: dict[str, Any], has_dealer: bool = True) -> Records:
    """The state before a hand's first event, shape (1,), with what an opening's `detail` says of the dealer,
    in games that have one. Raises ValueError unless that is one of four players."""
    state = np.zeros(1, dtype)
    state["dealer"] = dealer_of(detail, SEATS) if has_dealer else NO_SEAT
    players_of(detail, SEATS, SEATS)
    state["declarer"], state["trump"] = NO_SEAT, cards.NO_SUIT
    return state


def index_by_code(codes: NDArray[np.int64]) -> NDArray[np.int64]:
    """The index of each code among some cards, -1 for others: shape (256,)."""
    index = np.full(256, -1, np.int64)
    index[codes] = np.arange(len(codes))
    return index


@compiled
def suit_of(card: Int) -> Int:
    """The suit of a card code, 0..3."""
    return card >> 4


@compiled
def size_of(cards: Int) -> Int:
    """How many cards are in a mask."""
    count = np.int64(0)
    while cards:
        cards &= cards - 1
        count += 1
    return count


_DE_BRUIJN: Final = 0x03F79D71B4CB0A89
_FACTOR_OF_BIT: Final = np.uint64(_DE_BRUIJN)
_BIT_OF: Final = np.zeros(64, np.int64)
_BIT_OF[[(_DE_BRUIJN << bit & 2**64 - 1) >> 58 for bit in range(64)]] = np.arange(64)


@compiled
def lowest(cards: Int) -> Int:
    """The lowest card code of a mask that is not empty."""
    return np.int64(_BIT_OF[(np.uint64(cards & -cards) * _FACTOR_OF_BIT) >> np.uint64(58)])


@compiled
def nth_card(cards: Int, number: Int) -> Int:
    """The code of the n-th lowest card of a set, from 0."""
    for _ in range(number):
        cards &= cards - 1
    return lowest(cards)


@compiled
def any_card(rng: Any, cards: Int) -> Int:
    """A random card of a set that is not empty."""
    return nth_card(cards, below(rng, size_of(cards)))


@compiled
def of_suit(cards: Int, suit: Int) -> Int:
    """The cards of a set that are in one suit, as a mask."""
    return cards & (SUIT_BITS << (suit << 4))


@compiled
def follow_suit(hand: Int, suit_led: Int) -> Int:
    """The legal cards after a lead: those of the suit led, or any if there are none."""
    same = of_suit(hand, suit_led)
    return same if same != 0 else hand


@compiled
def beats(card: Int, best: Int, trump: Int) -> bool:
    """Whether `card`, played later, takes the trick from `best`: higher in the same suit, or a
    trump on a plain card. Ranks count by their numbers; trump may be no suit."""
    if suit_of(card) == suit_of(best):
        return bool(card > best)
    return bool(suit_of(card) == trump)


@compiled
def outcome(state: Any, decision: Any) -> tuple[float, float]:
    """Reward and return of a decision, in games of two partnerships with these kinds: the trick's points,
    negative if the other team took it, nan if it was not finished, 0 for a bid; and the score of the hand
    less the other team's, nan if the hand breaks off."""
    team = decision.seat & 1
    reward = 0.0
    if decision.kind == PLAY:
        reward = np.nan
        if decision.trick < state.tricks:
            value = np.float64(state.values[decision.trick])
            reward = value if state.winners[decision.trick] & 1 == team else -value
    if state.done == 0:
        return reward, np.nan
    return reward, np.float64(state.score[team]) - np.float64(state.score[1 - team])


def legal_text(state: Any, options: list[str]) -> str:
    """`Game.legal_text`, from the names of what the seat in turn may do."""
    return f"seat {state['turn']}: {' '.join(options)}" if options else ""


# ---------------------------------------------------------------- the deal


@compiled
def may_deal(state: Any, event: Any, deals: bool) -> Reason:
    """Whether the seat of an event may get its cards; `deals` says whether the hand is at that point."""
    if not deals:
        return Reason.OUT_OF_ORDER
    if event.seat < 0 or event.seat >= SEATS or state.dealt >> event.seat & 1:
        return Reason.WRONG_TURN
    return Reason.OK


@compiled
def cards_of(event: Any, pack: Int, gone: Int, hides: bool) -> tuple[Reason, Int, Int]:
    """The cards of an event as a mask, and how many are unknown, which is allowed if it `hides` some. The
    reason is `OK` if all are in the pack and none comes twice or is gone already."""
    held = np.int64(0)
    hidden = np.int64(0)
    for index in range(event.count):
        card = event.cards[index]
        if hides and card == cards.UNKNOWN:
            hidden += 1
            continue
        if card > cards.HIGHEST_CODE or pack >> card & 1 == 0:
            return Reason.UNKNOWN_CARD, held, hidden
        bit = np.int64(1) << card
        if (gone | held) & bit:
            return Reason.DUPLICATE_CARD, held, hidden
        held |= bit
    return Reason.OK, held, hidden


@compiled
def deal(state: Any, event: Any) -> None:
    """Note what a seat is dealt; once all have their cards, it is the turn of the dealer's left."""
    for index in range(event.count):
        state.dealt_cards[event.seat, index] = event.cards[index]
    state.dealt |= 1 << event.seat
    if is_dealt(state):
        state.turn = (state.dealer + 1) % SEATS


@compiled
def is_dealt(state: Any) -> bool:
    """Whether all seats have their cards."""
    return bool(state.dealt == (1 << SEATS) - 1)


@compiled
def deal_from(state: Any, event: Any, pack: Int, deals: bool, hides: bool) -> tuple[Reason, Int]:
    """Deal a seat its hand, in games that need only one mask for it; also returns how many of its cards
    are unknown."""
    reason = may_deal(state, event, deals)
    if reason != Reason.OK:
        return reason, np.int64(0)
    reason, held, hidden = cards_of(event, pack, state.seen, hides)
    if reason == Reason.OK and event.count != state.dealt_cards.shape[1]:
        reason = Reason.INCOMPLETE
    if reason == Reason.OK:
        state.seen |= held
        state.hands[event.seat] = held
        deal(state, event)
    return reason, hidden


# ---------------------------------------------------------------- the play


@compiled
def take_seat(state: Any, event: Any) -> Reason:
    """The seat in turn acts; an event without a seat gets it."""
    if event.seat == NO_SEAT:
        event.seat = state.turn
    return Reason.OK if event.seat == state.turn else Reason.WRONG_TURN


@compiled
def suit_led(state: Any) -> Int:
    """The suit of the first card on the table, which must not be empty."""
    return suit_of(np.int64(state.played[state.plays - state.trick_cards]))


@compiled
def why_not(state: Any, event: Any, pack: Int, held: Int, copies: Int) -> Reason:
    """Why the seat in turn, holding `held`, can't play an event's card; the pack has `copies` of each."""
    card = np.int64(event.cards[0])
    if event.count != 1:
        return Reason.INCOMPLETE
    if card > cards.HIGHEST_CODE or pack >> card & 1 == 0:
        return Reason.UNKNOWN_CARD
    if held >> card & 1:
        return Reason.MUST_FOLLOW
    played = 0
    for index in range(state.plays):
        played += state.played[index] == card
    return Reason.DUPLICATE_CARD if played == copies else Reason.NOT_IN_HAND


@compiled
def check_play(state: Any, event: Any, pack: Int, legal: Int, held: Int) -> Reason:
    """Why an event is not one of the legal cards of the seat in turn, which holds `held`, in a pack with each
    card once."""
    reason = take_seat(state, event)
    card = np.int64(event.cards[0])
    if reason == Reason.OK and (event.count != 1 or card > cards.HIGHEST_CODE or legal >> card & 1 == 0):
        return why_not(state, event, pack, held, 1)
    return reason


@compiled
def lay(state: Any, card: Int, wins: bool, value: Int) -> bool:
    """Put a card of the seat in turn on the table; it `wins` if it beats the best so far. True if it was the
    last of the trick."""
    if state.trick_cards == 0:
        state.leaders[state.tricks] = state.turn
        state.trick_value = 0
    if wins or state.trick_cards == 0:
        state.best = card
        state.winner = state.turn
    state.trick_value += value
    state.played[state.plays] = card
    state.plays += 1
    state.trick_cards += 1
    if state.trick_cards == SEATS:
        return True
    state.turn = (state.turn + 1) % SEATS
    return False


@compiled
def take(state: Any) -> bool:
    """The seat with the best card takes the trick, and leads next; True if it was the last one."""
    state.winners[state.tricks] = state.winner
    state.values[state.tricks] = state.trick_value
    state.points[state.winner & 1] += state.trick_value
    state.turn = state.winner
    state.trick_cards = 0
    state.tricks += 1
    return bool(state.tricks == len(state.winners))


@compiled
def check_trick(state: Any, event: Any) -> Reason:
    """A reported trick must agree with the fold: who took it and, if reported, what it is worth."""
    if state.tricks == 0 or state.trick_cards != 0:
        return Reason.OUT_OF_ORDER
    last = state.tricks - 1
    return agrees(event, state.values[last]) if event.seat == state.winners[last] else Reason.SCORE_MISMATCH


@compiled
def agrees(event: Any, amount: Int) -> Reason:
    """Whether what an event reports, if anything, is `amount`."""
    return Reason.OK if event.amount in (NO_AMOUNT, amount) else Reason.SCORE_MISMATCH


@compiled
def report_trick(state: Any, events: Any, size: Int) -> Int:
    """Write who took the last trick; returns the index of the next event."""
    last = state.tricks - 1
    new_event(events, size, Action.SCORE_TRICK, state.winners[last]).amount = state.values[last]
    return size + 1


# ---------------------------------------------------------------- decisions


@compiled
def mark(mask: Any, legal: Int, codes: Any) -> None:
    """Mark which cards are legal, one action for each."""
    for index in range(len(codes)):
        mask[index] = legal >> codes[index] & 1 == 1


@compiled
def player_of(state: Any, play: Int) -> Int:
    """The seat that played the n-th card."""
    return np.int64((state.leaders[play >> 2] + play) & 3)


@compiled
def observe_cards(observation: Any, cards: Int, places: Any, value: Int) -> None:
    """Write one value for all cards of a mask."""
    while cards:
        observation[places[lowest(cards)]] = value
        cards &= cards - 1


@compiled
def observe_played(state: Any, me: Int, observation: Any, places: Any, values: tuple[int, int]) -> None:
    """Write who has played which cards: `values`, one for earlier tricks and one for the table, plus the
    player, counted from `me`."""
    on_table = state.plays - state.trick_cards
    for play in range(state.plays):
        value = values[0] if play < on_table else values[1]
        observation[places[state.played[play]]] = value + ((player_of(state, play) - me) & 3)


SUITS: Final = len(cards.SUITS)
LACKS: Final = (SEATS - 1) * SUITS  # how many values `observe_lacking` writes


@compiled
def observe_lacking(state: Any, me: Int, observation: Any, start: Int, rules: tuple[bool, Int]) -> None:
    """Write which suits the others have shown to lack, 1 or 0 for each player from the left of `me` and each
    suit. `rules`: whether a player who can't follow suit must trump; a suit that need not be followed."""
    must_trump, free = rules
    trump = np.int64(state.trump)
    trump_bit = np.int64(must_trump and 0 <= trump < SUITS) << (trump & 3)
    lacks = np.int64(0)  # a bit for each seat and suit
    led: Int = np.int64(0)
    for play in range(state.plays):  # without branches, which could not be predicted
        suit = suit_of(np.int64(state.played[play]))
        led = suit if play & 3 == 0 else led
        shown = 1 << led | trump_bit * (suit != trump)
        lacks |= shown * ((suit != led) & (led != free)) << SUITS * player_of(state, play)
    others = (lacks << SUITS * SEATS | lacks) >> SUITS * (me + 1)
    for index in range(LACKS):
        observation[start + index] = others >> index & 1
