"""Ruter Sju: three to six players lay suits out from their middle cards; first out wins.

Numbers in brackets, [R3], are the rules of docs/rules/ruter_sju.md.
"""

import json
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np

from cardlog.models.compiled import Int, compiled
from cardlog.models.dealing import BOOK
from cardlog.models.fold import Records
from cardlog.schemas import cards, events
from cardlog.schemas.events import CODE, NO_AMOUNT, NO_SEAT
from cardlog.schemas.reasons import Reason

GAME: Final = "ruter_sju"
SEATS: Final = 6
"""[R1] The most players; at least `FEWEST_SEATS`."""
FEWEST_SEATS: Final = 3
SUITS: Final = 6
"""[R2] The most suits a deck has."""
RANKS: Final = 15
"""[R2] The most cards a suit has; at least `FEWEST_RANKS`, for otherwise the middle card is an end."""
FEWEST_RANKS: Final = 3
DECK_CARDS: Final = SUITS * RANKS
SUIT_LETTERS: Final = "DSHC45"
"""[R2] The suits in the order of the game: diamonds first, because their middle card begins."""
RANK_LETTERS: Final = "A23456789TJQKEF"
"""[R2] A suit's cards from the lowest, the ace, which is number 1."""

ORIGINAL: Final = "original"
"""The dialect of the program that wrote the transcripts."""


@dataclass(frozen=True)
class Rules:
    """What a dialect makes of the points on which dialects differ.

    humans_unchecked
        [R10] A human seat may place any card it holds, take the block at any time, go on after any end
        card, and let its turn go by.
    computers_go_on
        [R7] A computer that may place another card after an end card always does.
    starter_is_asked
        [R5] Unless a computer holds the first suit's middle card, any seat may begin.
    computers_wait
        [R8] Until that card lies, a computer that does not hold it lets its turn go by.
    sole_card_keeps_in
        [R1] A computer whose only card is that one is not out once it has placed it.
    """

    humans_unchecked: bool
    computers_go_on: bool
    starter_is_asked: bool
    computers_wait: bool
    sole_card_keeps_in: bool


RULES: Final = {
    BOOK: Rules(
        humans_unchecked=False,
        computers_go_on=False,
        starter_is_asked=False,
        computers_wait=False,
        sole_card_keeps_in=False,
    ),
    ORIGINAL: Rules(
        humans_unchecked=True,
        computers_go_on=True,
        starter_is_asked=True,
        computers_wait=True,
        sole_card_keeps_in=True,
    ),
}
"""The dialects a hand may be judged by."""
BOTS: Final = ("smart", "dumb", "random")
"""[R11] The kinds of computer players that an opening may name."""


def _codec() -> tuple[Any, Any, Any]:
    """The code of each card, and the suit and the number of each code, -1 and 0 if it is no card."""
    card_of = np.zeros((SUITS, RANKS + 1), np.uint8)
    suit_of = np.full(256, -1, np.int8)
    number_of = np.zeros(256, np.int8)
    for suit, letter in enumerate(SUIT_LETTERS):
        for number, rank in enumerate(RANK_LETTERS, 1):
            code = cards.code(rank + letter)
            card_of[suit, number] = code
            suit_of[code] = suit
            number_of[code] = number
    return card_of, suit_of, number_of


CARD_OF, SUIT_OF, NUMBER_OF = _codec()
"""The code of the card of a suit and number, shape (6, 16), column 0 unused; the suit, -1 for none, and
the number of each code, shape (256,)."""

# Phases of a hand, in order.
OPENING, DEALING, PLAYING, DONE = range(4)
NO_CARD: Final = 0
"""Stands for none among numbers of cards."""

MOST_CARDS: Final = DECK_CARDS // FEWEST_SEATS
EVENT: Final = events.record_dtype(MOST_CARDS)
STATE: Final = events.compiled_dtype(
    [
        ("done", np.int8),  # 1 once all are out
        ("phase", np.int8),
        ("turn", np.int8),  # the seat to act, while there is one
        ("tricks", np.int8),  # always 0: there are none
        ("seats", np.int8),
        ("suits", np.int8),
        ("ranks", np.int8),  # cards of a suit
        ("centre", np.int8),  # number of the middle card
        ("humans", np.int8),  # seats that a human plays, one bit each
        ("humans_unchecked", np.int8),
        ("computers_go_on", np.int8),
        ("starter_is_asked", np.int8),
        ("computers_wait", np.int8),
        ("sole_card_keeps_in", np.int8),
        ("dealt", np.int8),  # seats whose cards were told, one bit each
        ("hidden", np.int8),  # seats whose cards are not known, one bit each
        ("any_start", np.int8),  # seats that may be the first to act instead of `turn`, one bit each
        ("again", np.int8),  # 1 while the seat in turn may place another card after an end card
        ("holder", np.int8),  # seat that holds the block, NO_SEAT if none does
        ("out", np.int8),  # seats that are out
        ("plays", np.int8),  # cards placed
        ("places", np.int8, (SEATS,)),  # finishing place from 1, 0 while in
        ("left", np.int8, (SEATS,)),  # cards in hand
        ("counts", np.int8, (SEATS,)),  # cards dealt
        ("blocks", np.int8, (SEATS,)),  # times the block was taken, at most 127
        ("under", np.int8, (SUITS,)),  # number last placed below the middle, NO_CARD if none
        ("over", np.int8, (SUITS,)),  # number last placed above it
        ("placed", np.int16, (SUITS,)),  # cards on the table: bit n - 1 for number n
        ("hands", np.int16, (SEATS, SUITS)),  # cards held, likewise; 0 for hidden ones
        ("pool", np.int16, (SUITS,)),  # cards that the hidden hands hold together, likewise
        ("played", np.uint8, (DECK_CARDS,)),  # card codes in the order they were placed
        ("players", np.int8, (DECK_CARDS,)),  # seats that placed them
        ("dealt_cards", np.uint8, (SEATS, MOST_CARDS)),  # as dealt, `cards.UNKNOWN` if hidden
    ]
)

OPEN = CODE["deal", "open"]
DEAL_HAND = CODE["deal", "hand"]
PLAY_CARD = CODE["play", "card"]
TAKE_BLOCK = CODE["play", "block"]
BLOCKED = CODE["play", "blocked"]
PASS = CODE["play", "pass"]
SCORE_PLACE = CODE["score", "place"]

# Bits of `legal_actions`: for suit s the low end 3s, the middle card 3s + 1, the high end 3s + 2; then
LOW, MIDDLE, HIGH = range(3)
BLOCK_BIT: Final = 3 * SUITS
PASS_BIT: Final = BLOCK_BIT + 1
BLOCKED_BIT: Final = PASS_BIT + 1
ANY_CARD_BIT: Final = BLOCKED_BIT + 1
"""Set if the seat may place any card it holds. [R10]"""

_OK = int(Reason.OK)
_INCOMPLETE = int(Reason.INCOMPLETE)
_UNKNOWN_CARD = int(Reason.UNKNOWN_CARD)
_DUPLICATE_CARD = int(Reason.DUPLICATE_CARD)
_WRONG_TURN = int(Reason.WRONG_TURN)
_NOT_IN_HAND = int(Reason.NOT_IN_HAND)
_MUST_FOLLOW = int(Reason.MUST_FOLLOW)
_OUT_OF_ORDER = int(Reason.OUT_OF_ORDER)
_SCORE_MISMATCH = int(Reason.SCORE_MISMATCH)
_UNKNOWN = cards.UNKNOWN


@dataclass(frozen=True)
class Settings:
    """What a hand is played with.

    dialect
        A name in `RULES`.
    suits, cards_per_suit
        [R2] The shape of the deck.
    """

    dialect: str = BOOK
    suits: int = 4
    cards_per_suit: int = 13


def opening(settings: Settings, players: list[dict[str, str]]) -> str:
    """The `detail` of a hand's first event, as canonical JSON. A player has name, kind and bot, where
    they are known."""
    detail = {"dealer": None, "players": players, "settings": asdict(settings)}
    return json.dumps(detail, separators=(",", ":"), sort_keys=True)


def settings_of(detail: dict[str, Any]) -> Settings:
    """The settings of an opening. Raises ValueError if they are not those of this game."""
    given = detail.get("settings")
    if not isinstance(given, dict):
        raise ValueError("the opening has no settings")
    unknown = given.keys() - Settings.__annotations__.keys()
    if unknown:
        raise ValueError(f"unknown setting {sorted(unknown)[0]}")
    for name, kind in Settings.__annotations__.items():
        if type(given.get(name)) is not kind:
            raise ValueError(f"setting {name} is {given.get(name)!r}; it must be a {kind.__name__}")
    settings = Settings(**given)
    if settings.dialect not in RULES:
        raise ValueError(f"dialect is {settings.dialect!r}; it must be one of: {', '.join(RULES)}")
    if not 1 <= settings.suits <= SUITS:
        raise ValueError(f"setting suits is {settings.suits}; it must be from 1 to {SUITS}")
    if not FEWEST_RANKS <= settings.cards_per_suit <= RANKS:
        raise ValueError(
            f"setting cards_per_suit is {settings.cards_per_suit}; it must be from {FEWEST_RANKS} to {RANKS}"
        )
    return settings


def begin(detail: dict[str, Any]) -> Records:
    """The state before the first event of a hand with this opening, shape (1,).

    Raises ValueError if the opening can't be one of Ruter Sju's.
    """
    settings = settings_of(detail)
    players = detail.get("players")
    if not isinstance(players, list) or not FEWEST_SEATS <= len(players) <= SEATS:
        raise ValueError(f"the opening must name {FEWEST_SEATS} to {SEATS} players")
    if settings.suits * settings.cards_per_suit < len(players):
        raise ValueError("the deck has fewer cards than there are players")
    state = np.zeros(1, STATE)
    for seat, player in enumerate(players):
        if not isinstance(player, dict) or player.get("kind") not in (None, "human", "computer"):
            raise ValueError("a player must be an object, its kind human or computer if it is told")
        if player.get("bot") not in (None, *BOTS):
            raise ValueError(f"a player's bot is {player['bot']!r}; it must be one of: {', '.join(BOTS)}")
        if player.get("kind") == "human":
            state["humans"] |= 1 << seat
    rules = RULES[settings.dialect]
    for flag, holds in asdict(rules).items():
        state[flag] = holds
    state["seats"] = len(players)
    state["suits"] = settings.suits
    state["ranks"] = settings.cards_per_suit
    state["centre"] = middle(settings.cards_per_suit)
    state["holder"] = NO_SEAT
    return state


def middle(ranks: int) -> int:
    """[R3] The number of a suit's middle card: 7 of 13, 5 of 10."""
    return (ranks + 1) // 2


@compiled
def evolve(state: Any, event: Any) -> int:
    """Apply one event to the state of a hand, or say why it is illegal. See `cardlog.models.fold.Evolve`."""
    action = event.action
    if action in (PLAY_CARD, TAKE_BLOCK, BLOCKED, PASS):
        return _act(state, event)
    if action == DEAL_HAND:
        return _deal(state, event)
    if action == SCORE_PLACE:
        return _check_place(state, event)
    if action == OPEN:
        if state.phase != OPENING:
            return _OUT_OF_ORDER
        state.phase = DEALING
        return _OK
    return _OUT_OF_ORDER


# ---------------------------------------------------------------- the deal


@compiled
def _deal(state: Any, event: Any) -> int:
    """[R4] Every card is dealt, to each seat as many or one more; a hand may be told as ``??``."""
    if state.phase != DEALING:
        return _OUT_OF_ORDER
    seat = event.seat
    if seat < 0 or seat >= state.seats or state.dealt >> seat & 1:
        return _WRONG_TURN
    held = np.zeros(SUITS, np.int16)
    unknown = 0
    for place in range(event.count):
        card = event.cards[place]
        if card == _UNKNOWN:
            unknown += 1
            continue
        suit, number = SUIT_OF[card], NUMBER_OF[card]
        if suit < 0 or suit >= state.suits or number > state.ranks:
            return _UNKNOWN_CARD
        bit = np.int16(np.int64(1) << (number - 1))
        if held[suit] & bit or _is_dealt(state, suit, bit):
            return _DUPLICATE_CARD
        held[suit] |= bit
    fewest = state.suits * state.ranks // state.seats
    spare = state.suits * state.ranks - fewest * state.seats
    if event.count < fewest or event.count > fewest + (spare > 0) or 0 < unknown < event.count:
        return _INCOMPLETE
    if state.dealt | 1 << seat == (1 << state.seats) - 1:
        total = np.int64(event.count)
        for other in range(state.seats):
            total += state.counts[other]
        if total != state.suits * state.ranks:
            return _INCOMPLETE
    for place in range(event.count):
        state.dealt_cards[seat, place] = event.cards[place]
    for suit in range(state.suits):
        state.hands[seat, suit] = held[suit]
    state.counts[seat] = event.count
    state.left[seat] = event.count
    state.dealt |= 1 << seat
    if unknown > 0:
        state.hidden |= 1 << seat
    if state.dealt == (1 << state.seats) - 1:
        _begin_play(state)
    return _OK


@compiled
def _is_dealt(state: Any, suit: Int, bit: Any) -> bool:
    for seat in range(state.seats):  # noqa: SIM110, a generator can't be compiled
        if state.hands[seat, suit] & bit:
            return True
    return False


@compiled
def _begin_play(state: Any) -> None:
    """[R5] Who holds the middle card of the first suit begins. [R9] What no known hand holds is in
    the hidden ones; if that is one, it is known. [R10] Where no computer holds it, the program asks who
    begins and takes any answer."""
    for suit in range(state.suits):
        rest = (1 << np.int64(state.ranks)) - 1
        for seat in range(state.seats):
            rest &= ~np.int64(state.hands[seat, suit])
        state.pool[suit] = rest
    for seat in range(state.seats):
        if state.hidden == 1 << seat:
            _reveal(state, seat)
    first = np.int64(1) << (state.centre - 1)
    holder = NO_SEAT
    for seat in range(state.seats - 1, -1, -1):
        if state.hidden >> seat & 1 and holder == NO_SEAT:
            state.turn = seat
        if state.hands[seat, 0] & first:
            state.turn = seat
            holder = seat
    state.any_start = state.hidden if holder == NO_SEAT else 0
    if state.starter_is_asked and (holder == NO_SEAT or state.humans >> holder & 1):
        state.any_start = (1 << state.seats) - 1
    state.phase = PLAYING


@compiled
def _reveal(state: Any, seat: Int) -> None:
    """Give the only hidden hand the cards that nobody else was dealt, suit by suit."""
    count = 0
    for suit in range(state.suits):
        for number in range(1, state.ranks + 1):
            if np.int64(state.pool[suit]) >> (number - 1) & 1:
                state.dealt_cards[seat, count] = CARD_OF[suit, number]
                count += 1
        state.hands[seat, suit] = state.pool[suit]
        state.pool[suit] = 0
    state.hidden = 0


# ---------------------------------------------------------------- what is legal


@compiled
def is_unchecked(state: Any, seat: Int) -> bool:
    """[R10] Whether the seat's acts are taken as they come."""
    return bool(state.humans_unchecked and state.humans >> seat & 1)


@compiled
def holding(state: Any, seat: Int, suit: Int) -> Int:
    """The cards of a suit that a seat holds, or if they are hidden may hold: bit n - 1 for number n."""
    held: Int = np.int64(state.hands[seat, suit])
    if state.hidden >> seat & 1:
        held = np.int64(state.pool[suit])
    return held


@compiled
def fitting(state: Any, suit: Int) -> Int:
    """[R6] The cards of a suit that fit the table, as a mask likewise: the middle card; once it lies
    the two next to it, and those next to the cards last placed below and above. [R5] Nothing but
    the first suit's middle card before that lies."""
    middle_bit: Int = np.int64(1) << np.int64(state.centre - 1)
    if state.placed[0] & middle_bit == 0:
        return middle_bit if suit == 0 else np.int64(0)
    if state.placed[suit] & middle_bit == 0:
        return middle_bit
    fit: Int = middle_bit << 1 | middle_bit >> 1
    if state.under[suit] > 1:
        fit |= np.int64(1) << (state.under[suit] - 2)
    if state.over[suit] != NO_CARD:
        fit |= np.int64(1) << state.over[suit]
    fit &= (np.int64(1) << np.int64(state.ranks)) - 1
    fit &= ~np.int64(state.placed[suit])
    return fit


@compiled
def placements(state: Any, seat: Int, suit: Int) -> Int:
    """The cards of a suit that a seat may place if it is its turn, as a mask likewise."""
    if state.holder == seat:
        return np.int64(0)
    held = holding(state, seat, suit)
    if not is_unchecked(state, seat):
        held &= fitting(state, suit)
    return held


@compiled
def _count_placements(state: Any, seat: Int) -> int:
    count = 0
    for suit in range(state.suits):
        left = placements(state, seat, suit)
        while left != 0:
            left &= left - 1
            count += 1
    return count


@compiled
def waits(state: Any, seat: Int) -> bool:
    """[R10] Whether a seat is a computer's that does nothing because the first suit's middle card, which
    it does not hold, does not lie yet."""
    middle_bit = np.int64(1) << np.int64(state.centre - 1)
    lies = (np.int64(state.placed[0]) | holding(state, seat, 0)) & middle_bit
    return bool(state.computers_wait and state.humans >> seat & 1 == 0 and lies == 0)


@compiled
def may_block(state: Any, seat: Int) -> bool:
    """[R8] The block is for those who can't place a card; whether they can't is not known of hidden hands."""
    if state.holder == seat:
        return False
    if is_unchecked(state, seat):
        return True
    if state.again or waits(state, seat):
        return False
    return bool(state.hidden >> seat & 1) or _count_placements(state, seat) == 0


@compiled
def may_pass(state: Any, seat: Int) -> bool:
    """[R7] After an end card one need not go on."""
    if state.holder == seat:
        return False
    if is_unchecked(state, seat) or waits(state, seat):
        return True
    return bool(state.again and not (state.computers_go_on and state.humans >> seat & 1 == 0))


@compiled
def legal_actions(state: Any) -> Int:
    """What the seat in turn may do, as a mask of the bits above; 0 if it is nobody's turn."""
    if state.phase != PLAYING:
        return np.int64(0)
    seat = state.turn
    if state.holder == seat:
        return np.int64(1) << BLOCKED_BIT
    legal = np.int64(0)
    for suit in range(state.suits):
        may = holding(state, seat, suit) & fitting(state, suit)
        below = (np.int64(1) << (state.centre - 1)) - 1
        for end, part in ((LOW, below), (MIDDLE, below + 1), (HIGH, ~(2 * below + 1))):
            if may & part:
                legal |= np.int64(1) << (3 * suit + end)
    if may_block(state, seat):
        legal |= np.int64(1) << BLOCK_BIT
    if may_pass(state, seat):
        legal |= np.int64(1) << PASS_BIT
    if is_unchecked(state, seat):
        legal |= np.int64(1) << ANY_CARD_BIT
    return legal


# ---------------------------------------------------------------- the play


@compiled
def _act(state: Any, event: Any) -> int:
    """[R5-R8] What the seat in turn does: one card, or the block, or nothing."""
    if state.phase != PLAYING:
        return _OUT_OF_ORDER
    seat = np.int64(state.turn)
    if event.seat == NO_SEAT:
        event.seat = seat
    elif event.seat != seat:
        if event.seat < 0 or event.seat >= state.seats or state.any_start >> event.seat & 1 == 0:
            return _WRONG_TURN
        seat = np.int64(event.seat)
    action = event.action
    if action == BLOCKED:
        if state.holder != seat:
            return _WRONG_TURN
    elif state.holder == seat:
        return _WRONG_TURN
    elif action == PLAY_CARD:
        reason = _why_not(state, event, seat)
        if reason != _OK:
            return reason
    elif action == TAKE_BLOCK:
        if not may_block(state, seat):
            return _MUST_FOLLOW
    elif not may_pass(state, seat):
        return _MUST_FOLLOW
    state.turn = seat
    state.any_start = 0
    if action == PLAY_CARD:
        _place(state, event.cards[0])
    elif action == TAKE_BLOCK:
        _take_block(state)
    else:
        _end_turn(state)
    return _OK


@compiled
def _why_not(state: Any, event: Any, seat: Int) -> int:
    """Why a seat can't place the event's card, `_OK` if it can."""
    if event.count != 1:
        return _INCOMPLETE
    card = event.cards[0]
    suit, number = SUIT_OF[card], NUMBER_OF[card]
    if suit < 0 or suit >= state.suits or number > state.ranks:
        return _UNKNOWN_CARD
    if placements(state, seat, suit) >> (number - 1) & 1:
        return _OK
    if state.placed[suit] >> (number - 1) & 1:
        return _DUPLICATE_CARD
    if holding(state, seat, suit) >> (number - 1) & 1:
        return _MUST_FOLLOW
    return _NOT_IN_HAND


@compiled
def _place(state: Any, card: Int) -> None:
    """[R6] Lay a card of the seat in turn on the table. [R7] After an end card it may place another
    of those it could have placed instead. [R10] The program overlooks that a computer is out with the
    very first card."""
    seat = np.int64(state.turn)
    suit, number = np.int64(SUIT_OF[card]), np.int64(NUMBER_OF[card])
    bit = np.int64(1) << (number - 1)
    is_end = number == 1 or number == state.ranks
    begins = suit == 0 and number == state.centre and state.humans >> seat & 1 == 0
    others = _count_placements(state, seat) - 1 if is_end else 0
    if state.hidden >> seat & 1:
        state.pool[suit] = np.int64(state.pool[suit]) & ~bit
    else:
        state.hands[seat, suit] = np.int64(state.hands[seat, suit]) & ~bit
    state.placed[suit] = np.int64(state.placed[suit]) | bit
    if number < state.centre:
        state.under[suit] = number
    elif number > state.centre:
        state.over[suit] = number
    state.played[state.plays] = card
    state.players[state.plays] = seat
    state.plays += 1
    state.left[seat] -= 1
    if state.left[seat] == 0 and not (begins and state.sole_card_keeps_in):
        _leave(state)
    elif is_end and (others > 0 or is_unchecked(state, seat)):
        state.again = 1
    else:
        _end_turn(state)


@compiled
def _leave(state: Any) -> None:
    """[R1] Who has placed his last card is out; the last one goes on alone until he is, too."""
    state.out += 1
    state.places[state.turn] = state.out
    if state.out == state.seats:
        state.phase = DONE
        state.done = 1
        state.again = 0
    else:
        _end_turn(state)


@compiled
def _take_block(state: Any) -> None:
    """[R8] There is one block, so whoever held it is free. [R10] Taken after a card was placed in
    the same turn it stays where it is."""
    if state.again == 0:
        state.holder = state.turn
        if state.blocks[state.turn] < 127:
            state.blocks[state.turn] += 1
    _end_turn(state)


@compiled
def _end_turn(state: Any) -> None:
    """[R1] The turn goes to the next seat that is in. [R8] The last one that is in is free."""
    state.again = 0
    seat = np.int64(state.turn)
    for _ in range(state.seats):
        seat = (seat + 1) % state.seats
        if state.places[seat] == 0:
            break
    state.turn = seat
    if state.holder == seat and state.out == state.seats - 1:
        state.holder = NO_SEAT


@compiled
def _check_place(state: Any, event: Any) -> int:
    """[R1] What the source says of who finished where must be what the fold has."""
    if state.done == 0 or event.seat < 0 or event.seat >= state.seats:
        return _OUT_OF_ORDER
    if event.amount != NO_AMOUNT and event.amount != state.places[event.seat]:
        return _SCORE_MISMATCH
    return _OK


def legal_text(state: Any) -> str:
    """What the seat in turn may do, for a message; empty if it is nobody's turn."""
    mask = int(legal_actions(state))
    seat = int(state["turn"])
    named = [
        RANK_LETTERS[number - 1] + SUIT_LETTERS[suit]
        for suit in range(int(state["suits"]))
        for number in range(1, int(state["ranks"]) + 1)
        if mask and int(placements(state, seat, suit)) >> (number - 1) & 1
    ]
    words = ((BLOCK_BIT, "the block"), (PASS_BIT, "pass"), (BLOCKED_BIT, "blocked"))
    named += [word for bit, word in words if mask >> bit & 1]
    return f"seat {seat}: {' '.join(named)}" if named else ""
