"""Five-card draw: up to six players, an ante, two rounds of betting around an exchange of cards.

Numbers in brackets, [R3], are the rules of docs/rules/five_card_draw.md. How hands rank is in
`models.five_card_draw_ranks`, who gets the chips in `models.five_card_draw_pots`.
"""

import json
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from models.compiled import Int, compiled
from models.five_card_draw_pots import MOST_SEATS, bits, could_be, is_known, share_out
from models.five_card_draw_ranks import ENCODED, HAND_CARDS, NO_CARD, rank_of_codes
from models.fold import Records
from schemas import cards, events
from schemas.events import CODE, NO_AMOUNT, NO_SEAT
from schemas.reasons import Reason

GAME: Final = "five_card_draw"
SEATS: Final = MOST_SEATS
LEAST_SEATS: Final = 2
MOST_SWAPPED: Final = 3
"""[R9] Cards that anyone may exchange."""
SWAPPED_WITH_ACE: Final = 4
"""[R9] Cards that one may exchange who keeps an ace."""
MOST_CHIPS: Final = 2**30
"""Chips of all players together; far more than a table has, so that sums stay in 32 bits."""
DECK_TEXT: Final = "".join(rank + suit for rank in cards.PACK_RANKS for suit in "SHDC")
"""[R1] The pack in the order in which the program that wrote the logs makes it."""


@dataclass(frozen=True)
class Rules:
    """What programs and the rule book do differently.

    third_bets_first
        [R5] The third player in dealing order opens the first round, as if there were blinds; otherwise
        the first.
    ante_all_in_acts
        [R8] A player whose last chips were the ante is asked to bet like the others; otherwise he is all in.
    short_ante_folds
        [R8] Such a player whose chips fell short of the ante, and who so has nothing to call with, folds.
    odd_chips_carried
        [R14] Odd chips of a split pot go to the next larger of the winners; otherwise to the first after
        the button.
    deals_as_registered
        [R4] Cards are dealt in the order in which players came to the table; otherwise from the first after
        the button. Logs don't tell the order, so only the dealer asks for this.
    shuffles
        [R4] The pack is shuffled before every hand; otherwise it lies as it was made. For the dealer, too.
    """

    third_bets_first: bool
    ante_all_in_acts: bool
    short_ante_folds: bool
    odd_chips_carried: bool
    deals_as_registered: bool
    shuffles: bool


RULES: Final = {
    "book": Rules(
        third_bets_first=False,
        ante_all_in_acts=False,
        short_ante_folds=False,
        odd_chips_carried=False,
        deals_as_registered=False,
        shuffles=True,
    ),
    "original": Rules(
        third_bets_first=True,
        ante_all_in_acts=True,
        short_ante_folds=True,
        odd_chips_carried=True,
        deals_as_registered=True,
        shuffles=True,
    ),
    "original_unshuffled": Rules(
        third_bets_first=True,
        ante_all_in_acts=True,
        short_ante_folds=True,
        odd_chips_carried=True,
        deals_as_registered=True,
        shuffles=False,
    ),
}
"""The dialects: the rule book's, and those of the program that wrote the logs, as a game that is played
and as one that is watched."""

# Phases of a hand, in order.
OPENING, ANTES, DEALING, FIRST_BETS, DRAWING, SECOND_BETS, SHOWING, DONE = range(8)

# What a seat may do, as bits of `legal_actions`; while drawing, bit n is to exchange n cards.
MAY_FOLD, MAY_CHECK, MAY_CALL, MAY_RAISE = (1 << number for number in range(4))

MOST_CARDS: Final = HAND_CARDS
EVENT: Final = events.record_dtype(MOST_CARDS)
STATE: Final = events.compiled_dtype(
    [
        ("done", np.int8),  # 1 once it is settled who gets what
        ("phase", np.int8),
        ("turn", np.int8),  # the seat to act, while there is one
        ("tricks", np.int8),  # rounds that are over: of betting, of drawing, of betting
        ("dealer", np.int8),  # the seat with the button
        ("third_bets_first", np.int8),
        ("ante_all_in_acts", np.int8),
        ("short_ante_folds", np.int8),
        ("odd_chips_carried", np.int8),
        ("replaced", np.int8),  # cards that the seat in turn put away and has not yet got replaced
        # Seats as masks, one bit each.
        ("present", np.int8),  # those with chips at the beginning
        ("live", np.int8),  # those that have not folded
        ("all_in", np.int8),
        ("pending", np.int8),  # those that must still act in this round
        ("dealt", np.int8),
        ("known", np.int8),  # those whose cards are known now
        ("shown", np.int8),  # those that have shown their hand, or mucked it
        ("mucked", np.int8),
        ("told", np.int8),  # those of whom the source has said what they won
        ("raises", np.int8),  # raises in this round, at most 100 are counted
        ("swapped", np.int8, (SEATS,)),  # cards exchanged, -1 before
        ("dealt_cards", np.uint8, (SEATS, HAND_CARDS)),  # as dealt, UNKNOWN if hidden
        ("held_cards", np.uint8, (SEATS, HAND_CARDS)),  # as they are now, those drawn last
        ("discards", np.uint8, (SEATS, SWAPPED_WITH_ACE)),
        ("dealt_rank", np.int16, (SEATS,)),  # 0 while not known
        ("rank", np.int16, (SEATS,)),  # of the cards held now, 0 while not known
        ("best", np.int16),  # the best rank shown, 0 before
        ("limit", np.int16, (SEATS,)),  # the best rank shown when a seat mucked
        ("ante", np.int32),
        ("start", np.int32, (SEATS,)),  # chips before the hand
        ("stack", np.int32, (SEATS,)),  # chips in front of a seat now
        ("staked", np.int32, (SEATS,)),  # chips it has put in
        ("won", np.int32, (SEATS,)),  # chips it gets
        ("seen", np.int64),  # all cards known so far, as a mask
    ]
)

OPEN = CODE["deal", "open"]
DEAL_HAND = CODE["deal", "hand"]
DEAL_DRAW = CODE["deal", "draw"]
BID_ANTE = CODE["bid", "ante"]
BID_CHECK = CODE["bid", "check"]
BID_CALL = CODE["bid", "call"]
BID_RAISE = CODE["bid", "raise"]
BID_FOLD = CODE["bid", "fold"]
DISCARD = CODE["play", "discard"]
SCORE_HAND = CODE["score", "hand"]
SCORE_MATCH = CODE["score", "match"]
SCORE_SHOW = CODE["score", "show"]

_OK = int(Reason.OK)
_INCOMPLETE = int(Reason.INCOMPLETE)
_UNKNOWN_CARD = int(Reason.UNKNOWN_CARD)
_DUPLICATE_CARD = int(Reason.DUPLICATE_CARD)
_WRONG_TURN = int(Reason.WRONG_TURN)
_NOT_IN_HAND = int(Reason.NOT_IN_HAND)
_MUST_FOLLOW = int(Reason.MUST_FOLLOW)
_BAD_BID = int(Reason.BAD_BID)
_OUT_OF_ORDER = int(Reason.OUT_OF_ORDER)
_SCORE_MISMATCH = int(Reason.SCORE_MISMATCH)

_UNKNOWN = cards.UNKNOWN
_MOST_COUNTED = 100


# ---------------------------------------------------------------- the opening


def opening(
    dialect: str, ante: int, dealer: int, players: list[dict[str, Any] | None], chips: list[int]
) -> str:
    """The `detail` of a hand's first event, as canonical JSON.

    players
        By seat, each with a name and a kind where they are known; None for a seat that nobody holds.
    chips
        What each seat has before the hand, 0 where nobody sits.
    """
    detail = {
        "dealer": dealer,
        "match": {"score": chips},
        "players": players,
        "settings": {"ante": ante, "dialect": dialect},
    }
    return json.dumps(detail, separators=(",", ":"), sort_keys=True, ensure_ascii=False)


def begin(detail: dict[str, Any]) -> Records:
    """The state before the first event of a hand with this opening, shape (1,).

    Raises ValueError if the opening can't be one of five-card draw.
    """
    settings = detail.get("settings")
    if not isinstance(settings, dict) or settings.keys() != {"ante", "dialect"}:
        raise ValueError("settings must be an object with ante and dialect")
    ante, dialect = settings["ante"], settings["dialect"]
    if type(ante) is not int or not 0 < ante <= MOST_CHIPS:
        raise ValueError(f"ante is {ante!r}; it must be a number of chips from 1 to {MOST_CHIPS}")
    if not isinstance(dialect, str) or dialect not in RULES:
        raise ValueError(f"dialect is {dialect!r}; it must be one of {', '.join(RULES)}")
    players, chips = _seats(detail)
    dealer = detail.get("dealer")
    if type(dealer) is not int or dealer not in range(len(players)) or players[dealer] is None:
        raise ValueError(f"dealer is {dealer!r}; it must be a seat that a player holds")
    state = np.zeros(1, STATE)
    put_down(state[0], RULES[dialect], ante, dealer, chips)
    return state


def _seats(detail: dict[str, Any]) -> tuple[list[Any], list[int]]:
    """The players by seat, and their chips."""
    players = detail.get("players")
    if not isinstance(players, list) or not LEAST_SEATS <= len(players) <= SEATS:
        raise ValueError(f"the opening must name {LEAST_SEATS} to {SEATS} players, null for an empty seat")
    for player in players:
        if player is not None and (
            not isinstance(player, dict) or player.get("kind") not in (None, "human", "computer")
        ):
            raise ValueError("a player must be an object, its kind human or computer if it is told")
    if sum(player is not None for player in players) < LEAST_SEATS:
        raise ValueError(f"at least {LEAST_SEATS} seats must be held")
    match = detail.get("match")
    chips = match.get("score") if isinstance(match, dict) else None
    if not isinstance(chips, list) or len(chips) != len(players):
        raise ValueError("match must hold score, the chips of each seat before the hand")
    for player, count in zip(players, chips, strict=True):
        if type(count) is not int or count < 0 or (count > 0) != (player is not None):
            raise ValueError("a seat must have chips if a player holds it, and none otherwise")
    if sum(chips) > MOST_CHIPS:
        raise ValueError(f"the chips must be at most {MOST_CHIPS} in all")
    return players, chips


def put_down(state: Any, rules: Rules, ante: int, dealer: int, chips: list[int]) -> None:
    """Put into a blank state what is known before a hand."""
    for name in ("third_bets_first", "ante_all_in_acts", "short_ante_folds", "odd_chips_carried"):
        state[name] = getattr(rules, name)
    state["ante"] = ante
    state["dealer"] = dealer
    state["start"][: len(chips)] = chips
    state["stack"][: len(chips)] = chips
    state["present"] = sum(1 << seat for seat, count in enumerate(chips) if count)
    state["live"] = state["present"]
    state["swapped"] = -1
    state["dealt_cards"] = _UNKNOWN
    state["held_cards"] = _UNKNOWN
    state["discards"] = _UNKNOWN


# ---------------------------------------------------------------- the fold


@compiled
def evolve(state: Any, event: Any) -> int:
    """Apply one event to the state of a hand, or say why it is illegal. See `models.fold.Evolve`."""
    action = event.action
    if action in (BID_CHECK, BID_CALL, BID_RAISE, BID_FOLD):
        return _bet(state, event)
    if action == BID_ANTE:
        return _ante(state, event)
    if action == DEAL_HAND:
        return _deal(state, event)
    if action == DISCARD:
        return _discard(state, event)
    if action == DEAL_DRAW:
        return _draw(state, event)
    if action == SCORE_SHOW:
        return _show(state, event)
    if action == SCORE_HAND:
        return _reward(state, event)
    if action == SCORE_MATCH:
        return _standing(state, event)
    if action == OPEN:
        if state.phase != OPENING:
            return _OUT_OF_ORDER
        state.phase = ANTES
        state.pending = state.present
        state.turn = next_seat(state.present, state.dealer)
        return _OK
    return _OUT_OF_ORDER


@compiled
def next_seat(mask: Int, seat: Int) -> Int:
    """The first seat of a mask after a seat in turn order, which may be that seat itself; the seat if
    there is none."""
    for step in range(1, SEATS + 1):
        other = (seat + step) % SEATS
        if mask >> other & 1:
            return other
    return seat


@compiled
def _is_seat(state: Any, seat: Int) -> bool:
    """Whether a seat is in the hand."""
    return bool(0 <= seat < SEATS and state.present >> seat & 1)


@compiled
def _ante(state: Any, event: Any) -> int:
    """[R3] The ante from each player, from the first after the button; who has less pays what he has."""
    if state.phase != ANTES:
        return _OUT_OF_ORDER
    seat = state.turn
    if event.seat != seat:
        return _WRONG_TURN
    if event.amount != min(state.ante, state.stack[seat]):
        return _BAD_BID
    _pay_in(state, seat, event.amount)
    if state.stack[seat] == 0 and state.ante_all_in_acts == 0:
        state.all_in |= 1 << seat
    state.pending &= ~(1 << seat)
    state.turn = next_seat(state.present, seat)
    if state.pending == 0:
        state.phase = DEALING
    return _OK


@compiled
def _pay_in(state: Any, seat: Int, amount: Int) -> None:
    state.stack[seat] -= amount
    state.staked[seat] += amount


@compiled
def _cards_of(state: Any, event: Any, count: Int, held: Any) -> int:
    """Whether an event shows so many cards that may come from the pack, or so many hidden ones; their
    mask goes into `held`, 0 if they are hidden."""
    if event.count != count:
        return _INCOMPLETE
    mask = np.int64(0)
    hidden = 0
    for place in range(count):
        card = event.cards[place]
        if card == _UNKNOWN:
            hidden += 1
            continue
        if ENCODED[card] == NO_CARD:
            return _UNKNOWN_CARD
        bit = np.int64(1) << np.int64(card)
        if (state.seen | mask) & bit:
            return _DUPLICATE_CARD
        mask |= bit
    if hidden != 0 and hidden != count:
        return _UNKNOWN_CARD
    held[0] = mask
    return _OK


@compiled
def _deal(state: Any, event: Any) -> int:
    """[R4] Five cards to each player, from the pack, none twice; a log may hide them."""
    if state.phase != DEALING:
        return _OUT_OF_ORDER
    seat = event.seat
    if not _is_seat(state, seat) or state.dealt >> seat & 1:
        return _WRONG_TURN
    held = np.zeros(1, np.int64)
    reason = _cards_of(state, event, HAND_CARDS, held)
    if reason != _OK:
        return reason
    for place in range(HAND_CARDS):
        state.dealt_cards[seat, place] = event.cards[place]
        state.held_cards[seat, place] = event.cards[place]
    state.dealt |= 1 << seat
    if held[0] != 0:
        state.seen |= held[0]
        state.known |= 1 << seat
        state.rank[seat] = rank_of_codes(state.held_cards[seat])
        state.dealt_rank[seat] = state.rank[seat]
    if state.dealt == state.present:
        _begin_round(state, FIRST_BETS)
    return _OK


# ---------------------------------------------------------------- betting


@compiled
def _begin_round(state: Any, phase: Int) -> None:
    """[R5] Who bets first: the first after the button, in some programs the third of the first round.
    [R7] No round if fewer than two can bet."""
    state.phase = phase
    state.raises = 0
    state.pending = state.live & ~state.all_in
    if bits(state.pending) < 2:
        state.pending = 0
        _end_round(state)
        return
    before = state.dealer
    if phase == FIRST_BETS and state.third_bets_first == 1:
        for _ in range(2 % bits(state.present)):
            before = next_seat(state.present, before)
    state.turn = next_seat(state.pending, before)


@compiled
def _end_round(state: Any) -> None:
    """Go on to what follows a round of betting."""
    state.tricks += 1
    if state.phase == FIRST_BETS:
        state.phase = DRAWING
        state.pending = state.live
        state.turn = next_seat(state.pending, state.dealer)
        return
    state.phase = SHOWING
    state.turn = next_seat(state.live, state.dealer)
    if state.known & state.live == state.live:
        settle(state)


@compiled
def owed(state: Any) -> Int:
    """[R6] What the seat in turn must pay to call, whether or not it has as much."""
    most = np.int64(0)
    for seat in range(SEATS):
        most = max(most, np.int64(state.staked[seat]))
    return most - state.staked[state.turn]


@compiled
def legal_bets(state: Any) -> Int:
    """[R6] What the seat in turn may do, as bits: check if nothing is asked, otherwise fold or call;
    raise if it has more than is asked. [R8] Without chips, which only some programs ask: call with
    none, or fold if the ante was not paid whole."""
    asked = owed(state)
    stack = state.stack[state.turn]
    if stack == 0:
        return MAY_FOLD if asked > 0 and state.short_ante_folds == 1 else MAY_CALL
    legal: Int = MAY_FOLD | MAY_CALL if asked > 0 else MAY_CHECK
    if stack > asked:
        legal |= MAY_RAISE
    return legal


@compiled
def _bet(state: Any, event: Any) -> int:
    """[R6] Fold, check, call or raise by the seat in turn. [R7] After a raise all others who can must
    act again. [R10] When all but one have folded, he wins."""
    if state.phase != FIRST_BETS and state.phase != SECOND_BETS:
        return _OUT_OF_ORDER
    seat = state.turn
    if event.seat != seat:
        return _WRONG_TURN
    legal = legal_bets(state)
    asked, stack = owed(state), np.int64(state.stack[seat])
    amount = np.int64(0)
    if event.action == BID_FOLD or event.action == BID_CHECK:
        bit = MAY_FOLD if event.action == BID_FOLD else MAY_CHECK
        if legal & bit == 0 or event.amount != NO_AMOUNT:
            return _BAD_BID
    elif event.action == BID_CALL:
        amount = np.int64(event.amount)
        if legal & MAY_CALL == 0 or amount != min(asked, stack):
            return _BAD_BID
    else:
        amount = np.int64(event.amount)
        if legal & MAY_RAISE == 0 or amount <= asked or amount > stack:
            return _BAD_BID
    _pay_in(state, seat, amount)
    state.pending &= ~(1 << seat)
    if event.action == BID_FOLD:
        state.live &= ~(1 << seat)
    elif state.stack[seat] == 0:
        state.all_in |= 1 << seat
    if event.action == BID_RAISE:
        state.raises = min(state.raises + 1, _MOST_COUNTED)
        state.pending = state.live & ~state.all_in & ~(1 << seat)
    if bits(state.live) == 1:
        _win_alone(state)
    elif state.pending == 0:
        _end_round(state)
    else:
        state.turn = next_seat(state.pending, seat)
    return _OK


@compiled
def _win_alone(state: Any) -> None:
    """[R10] The only player left gets all that was put in."""
    winner = next_seat(state.live, state.dealer)
    for seat in range(SEATS):
        state.won[winner] += state.staked[seat]
    state.tricks += 1
    _finish(state)


# ---------------------------------------------------------------- the draw


@compiled
def legal_swaps(state: Any) -> Int:
    """[R9] How many cards the seat in turn may exchange, as bits 0 to 4."""
    swaps = (1 << MOST_SWAPPED + 1) - 1
    if state.known >> state.turn & 1:
        for place in range(HAND_CARDS):
            if state.held_cards[state.turn, place] & 15 == 12:
                return swaps | 1 << SWAPPED_WITH_ACE
        return swaps
    return swaps | 1 << SWAPPED_WITH_ACE


@compiled
def _discard(state: Any, event: Any) -> int:
    """[R9] Up to three cards put away, four if an ace is kept, from the first after the button on."""
    if state.phase != DRAWING or state.replaced != 0:
        return _OUT_OF_ORDER
    seat = state.turn
    if event.seat == NO_SEAT:
        event.seat = seat
    elif event.seat != seat:
        return _WRONG_TURN
    count = np.int64(event.count)
    if legal_swaps(state) >> count & 1 == 0:
        return _MUST_FOLLOW
    known = state.known >> seat & 1 == 1
    gone = np.int64(0)
    for number in range(count):
        card = event.cards[number]
        if known == (card == _UNKNOWN):
            return _UNKNOWN_CARD
        if not known:
            continue
        found = -1
        for place in range(HAND_CARDS):
            if state.held_cards[seat, place] == card:
                found = place
        if found < 0:
            return _UNKNOWN_CARD if ENCODED[card] == NO_CARD else _NOT_IN_HAND
        if gone >> found & 1:
            return _DUPLICATE_CARD
        gone |= np.int64(1) << found
    if known and count == SWAPPED_WITH_ACE and not _keeps_ace(state.held_cards[seat], gone):
        return _MUST_FOLLOW
    for number in range(count):
        state.discards[seat, number] = event.cards[number]
    state.swapped[seat] = count
    kept = 0
    for place in range(HAND_CARDS):
        if known and gone >> place & 1 == 0:
            state.held_cards[seat, kept] = state.held_cards[seat, place]
            kept += 1
    state.replaced = count
    if count == 0:
        _end_draw(state)
    return _OK


@compiled
def _keeps_ace(held: Any, gone: Int) -> bool:
    """[R9] Whether an ace is among the cards that are not put away, given by their places."""
    for place in range(HAND_CARDS):
        if gone >> place & 1 == 0 and held[place] & 15 == 12:
            return True
    return False


@compiled
def _draw(state: Any, event: Any) -> int:
    """[R9] As many cards from the pack as were put away; they come after those that were kept."""
    if state.phase != DRAWING or state.replaced == 0:
        return _OUT_OF_ORDER
    seat = state.turn
    if event.seat != seat:
        return _WRONG_TURN
    count = np.int64(state.replaced)
    drawn = np.zeros(1, np.int64)
    reason = _cards_of(state, event, count, drawn)
    if reason != _OK:
        return reason
    known = state.known >> seat & 1 == 1
    if known == (drawn[0] == 0):
        return _UNKNOWN_CARD
    if known:
        for number in range(count):
            state.held_cards[seat, HAND_CARDS - count + number] = event.cards[number]
        state.rank[seat] = rank_of_codes(state.held_cards[seat])
        state.seen |= drawn[0]
    state.replaced = 0
    _end_draw(state)
    return _OK


@compiled
def _end_draw(state: Any) -> None:
    """Go on to the next player who draws, or to the second round."""
    state.pending &= ~(1 << state.turn)
    if state.pending:
        state.turn = next_seat(state.pending, state.turn)
    else:
        state.tricks += 1
        _begin_round(state, SECOND_BETS)


# ---------------------------------------------------------------- the showdown


@compiled
def _places(state: Any) -> Any:
    """The place of each seat in dealing order, from 0 for the first after the button: shape (6,)."""
    places = np.zeros(SEATS, np.int64)
    for seat in range(SEATS):
        places[seat] = (seat - state.dealer - 1) % SEATS
    return places


@compiled
def settle(state: Any) -> None:
    """[R13, R14] Share out the chips by hands that are known as far as it takes."""
    won = np.zeros(SEATS, np.int64)
    share_out(state.live, state.staked, state.rank, _places(state), state.odd_chips_carried == 1, won)
    for seat in range(SEATS):
        state.won[seat] = won[seat]
    _finish(state)


@compiled
def _finish(state: Any) -> None:
    for seat in range(SEATS):
        state.stack[seat] += state.won[seat]
    state.phase = DONE
    state.done = 1


@compiled
def _held(hand: Any) -> Int:
    """A hand as a mask."""
    mask = np.int64(0)
    for place in range(HAND_CARDS):
        mask |= np.int64(1) << np.int64(hand[place])
    return mask


@compiled
def _show(state: Any, event: Any) -> int:
    """[R11] From the first after the button, each shows a hand that is as good as the best shown so
    far, or mucks it. What the source shows must be so, and be the hand where it is known."""
    if state.phase != SHOWING and state.phase != DONE:
        return _OUT_OF_ORDER
    waiting = state.live & ~state.shown
    if bits(state.live) < 2 or waiting == 0 or state.told != 0:
        return _OUT_OF_ORDER
    seat = next_seat(waiting, state.dealer)
    if event.seat != seat:
        return _WRONG_TURN
    known = state.known >> seat & 1 == 1
    if event.count != HAND_CARDS:
        return _INCOMPLETE
    if event.cards[0] == _UNKNOWN:
        return _muck(state, event, seat)
    mask = np.zeros(1, np.int64)
    seen = state.seen
    if known:
        state.seen = seen & ~_held(state.held_cards[seat])
    reason = _cards_of(state, event, HAND_CARDS, mask)
    state.seen = seen
    if reason != _OK:
        return reason
    if known and mask[0] != _held(state.held_cards[seat]):
        return _NOT_IN_HAND
    rank = rank_of_codes(event.cards)
    if state.best != 0 and rank > state.best:
        return _SCORE_MISMATCH
    if not known:
        for place in range(HAND_CARDS):
            state.held_cards[seat, place] = event.cards[place]
        state.known |= 1 << seat
        state.rank[seat] = rank
        state.seen |= mask[0]
        if state.swapped[seat] == 0:
            state.dealt_cards[seat] = state.held_cards[seat]
            state.dealt_rank[seat] = rank
    state.best = rank
    state.shown |= 1 << seat
    _after_show(state)
    return _OK


@compiled
def _muck(state: Any, event: Any, seat: Int) -> int:
    """[R11] A hand that is not shown is worse than the best that was; so the first is always shown."""
    for place in range(HAND_CARDS):
        if event.cards[place] != _UNKNOWN:
            return _UNKNOWN_CARD
    if state.best == 0 or (state.rank[seat] != 0 and state.rank[seat] <= state.best):
        return _SCORE_MISMATCH
    state.limit[seat] = state.best
    state.shown |= 1 << seat
    state.mucked |= 1 << seat
    _after_show(state)
    return _OK


@compiled
def _after_show(state: Any) -> None:
    """Once everyone has shown or mucked, settle what can be settled."""
    if state.phase == SHOWING and state.shown & state.live == state.live:
        if is_known(state.live, state.staked, state.rank, _places(state)):
            settle(state)


@compiled
def _reward(state: Any, event: Any) -> int:
    """What the source says a player gets. [R13] Where hidden hands share in a side pot there must be
    hands with which it is right; it is settled once all chips are told of."""
    seat = event.seat
    if state.phase < SHOWING or (state.phase == SHOWING and state.live & ~state.shown):
        return _OUT_OF_ORDER
    if not _is_seat(state, seat) or state.told >> seat & 1:
        return _OUT_OF_ORDER
    if event.amount <= 0:
        return _SCORE_MISMATCH
    if state.done == 1:
        if state.won[seat] != event.amount and not _trade_odd_chips(state, seat, event.amount):
            return _SCORE_MISMATCH
        state.told |= 1 << seat
        return _OK
    pot = np.int64(0)
    told = np.zeros(SEATS, np.int64)
    for other in range(SEATS):
        pot += state.staked[other]
        told[other] = state.won[other]
    told[seat] = event.amount
    if told.sum() > pot:
        return _SCORE_MISMATCH
    if told.sum() == pot and not could_be(
        state.live, state.staked.astype(np.int64), state.rank, state.limit, _places(state),
        state.odd_chips_carried == 1, told, 0,
    ):  # fmt: skip
        return _SCORE_MISMATCH
    state.won[seat] = event.amount
    state.told |= 1 << seat
    if told.sum() == pot:
        _finish(state)
    return _OK


@compiled
def _trade_odd_chips(state: Any, seat: Int, amount: Int) -> bool:
    """[R14] Nobody knows in which order the program takes winners who tie and have put in the same: a
    player may have got what another of them should."""
    if state.odd_chips_carried == 0 or bits(state.live) == 1:
        return False
    for other in range(SEATS):
        if (
            (state.live & ~state.told) >> other & 1
            and state.rank[other] == state.rank[seat] != 0
            and state.staked[other] == state.staked[seat]
            and state.won[other] == amount
        ):
            state.stack[seat] += amount - state.won[seat]
            state.stack[other] += state.won[seat] - amount
            state.won[other] = state.won[seat]
            state.won[seat] = amount
            return True
    return False


@compiled
def _standing(state: Any, event: Any) -> int:
    """What the source says a player has after the hand."""
    if state.done == 0:
        return _OUT_OF_ORDER
    if not _is_seat(state, event.seat):
        return _WRONG_TURN
    return _OK if event.amount == state.stack[event.seat] else _SCORE_MISMATCH


# ---------------------------------------------------------------- what is legal


@compiled
def legal_actions(state: Any) -> Int:
    """What the seat in turn may do: `legal_bets` in a round of betting, `legal_swaps` when it is to
    exchange cards, otherwise nothing."""
    if state.phase == FIRST_BETS or state.phase == SECOND_BETS:
        return legal_bets(state)
    if state.phase == DRAWING and state.replaced == 0:
        return legal_swaps(state)
    return 0


def legal_text(state: Any) -> str:
    """What the seat in turn may do, for a message; empty if it is nobody's turn."""
    legal = int(legal_actions(state))
    if not legal:
        return ""
    if state["phase"] == DRAWING:
        most = "4 keeping an ace" if legal >> SWAPPED_WITH_ACE & 1 else ""
        named = ["exchange 0 to 3 cards", most]
    else:
        asked, stack = int(owed(state)), int(state["stack"][state["turn"]])
        named = [
            "fold" if legal & MAY_FOLD else "",
            "check" if legal & MAY_CHECK else "",
            f"call {min(asked, stack)}" if legal & MAY_CALL else "",
            f"raise, paying {asked + 1} to {stack}" if legal & MAY_RAISE else "",
        ]
    return f"seat {state['turn']}: {', '.join(filter(None, named))}"
