"""The state of the five-card draw parser, and of the hand by the rules.

Turns, bets, chips and cards are in the game's own state, which `evolve` updates event by event. `PARSER` has
what the rules do not need: who sits where, which lines were read, what the human typed.
"""

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cardlog.models.compiled import Int, compiled
from cardlog.models.five_card_draw import rules as game
from cardlog.models.five_card_draw import state as game_state
from cardlog.models.five_card_draw.ranks import CATEGORY_OF, HAND_CARDS, rank_of_codes
from cardlog.pipelines.readers.five_card_draw_transcript.faults import FINE
from cardlog.pipelines.readers.five_card_draw_transcript.lines import NONE
from cardlog.schemas.cards import UNKNOWN
from cardlog.schemas.events import NO_AMOUNT, NO_DETAIL, NO_TIME, compiled_dtype

SEATS: Final = game_state.SEATS
MOST_NAMES: Final = 10
"""Names that are noted: more than seats, to detect tables with too many players."""
UNREPORTED: Final = -2
"""The human was asked for cards to swap, but the answer is not in the log or can't be read."""
UNRESOLVED: Final = -2
"""The human's seat has not been looked up yet."""
GOES_ON, OVER, BROKEN_OFF = range(3)
"""Progress of a match: `OVER` after its last line, `BROKEN_OFF` by a crash."""

PARSER: Final = compiled_dtype(
    [
        ("hands", np.int32),  # found so far; the last one is open if `open` is 1
        ("events", np.int64),  # made so far
        ("junk", np.int32),  # runs of lines that belong to nothing
        # Of the match:
        ("match", np.int32),  # index of the match among those of the text
        ("hand_no", np.int32),  # hands of it so far
        ("over", np.int8),  # GOES_ON, OVER, BROKEN_OFF
        ("preamble", np.int32),  # first line before its first hand, or NONE
        ("preamble_wrong", np.int32),  # a line of it that can't be read, or NONE
        ("seats", np.int8),  # 0 before a hand has named the players
        ("trusted", np.int8),  # whether a complete hand has confirmed the seats
        ("name_from", np.int64, (SEATS,)),  # offsets of each seat's name in the buffer
        ("name_to", np.int64, (SEATS,)),
        ("human", np.int8),  # seat of the human, NONE or UNRESOLVED
        ("human_from", np.int64),
        ("human_to", np.int64),  # human_from if nobody was asked for a name
        ("piped", np.int8),  # whether input is not echoed, not even the name
        ("given", np.int64),  # chips at the beginning, NONE if not known
        ("ante", np.int64),
        ("total", np.int64),  # chips of all players
        ("before", np.int64, (SEATS,)),  # chips before the next hand, NONE if not known
        ("left", np.int8),  # players named in the last standings
        ("left_from", np.int64, (MOST_NAMES,)),
        ("left_to", np.int64, (MOST_NAMES,)),
        ("left_chips", np.int64, (MOST_NAMES,)),
        # Of the open hand:
        ("open", np.int8),
        ("crashed", np.int8),
        ("ended", np.int8),
        ("thanked", np.int8),
        ("game_over", np.int8),
        ("button", np.int8),
        ("collected", np.int8),
        ("leaving", np.int8),  # seats, as a mask
        ("standings", np.int8),  # seats whose chips after the hand have been reported, as a mask
        ("standing", np.int64, (SEATS,)),  # these chips, or NONE
        ("evolved", np.int64),  # index of the next event to apply to the state
        ("refused", np.int8),  # whether the rules have refused an event
        ("deal", np.int64),  # first event that deals, or NONE
        ("draw", np.int64),  # the human's draw until the new hand is shown, or NONE
        ("bet_answer", np.int64),  # the last number that the human typed, or NONE
        ("swap_answer", np.int64),  # the cards to swap, as bits; NONE or UNREPORTED
    ]
)
"""Progress in the text, the match and the hand."""

HAND: Final = compiled_dtype(
    [
        ("match", np.int32),
        ("number", np.int32),
        ("first", np.int32),  # its first line, from 0
        ("last", np.int32),  # the line after its last
        ("cut", np.int8),  # whether the text ends in the middle of it
        ("wrong", np.int8),  # one of `faults`
        ("wrong_line", np.int32),
        ("shuffled", np.int8),
        ("dealer", np.int8),
        ("human", np.int8),  # seat of the human, NONE if there is none
        ("piped", np.int8),  # as in `PARSER`
        ("seats", np.int8),
        ("name_from", np.int64, (SEATS,)),
        ("name_to", np.int64, (SEATS,)),
        ("human_from", np.int64),
        ("human_to", np.int64),
        ("ante", np.int64),
        ("given", np.int64),
        ("chips", np.int64, (SEATS,)),  # before the hand
        ("first_event", np.int64),
    ]
)
"""A hand in a text."""


class Output(NamedTuple):
    """The results; `PARSER` has their numbers: hands, their events, and junk as first line and the one after
    the last, shape (runs, 2)."""

    hands: NDArray[np.void]
    events: NDArray[np.void]
    junk: NDArray[np.int32]


def blank_states() -> NDArray[np.void]:
    """Two states of a hand: the open one, and the one that each begins with before anyone is seated.

    The dialect depends on a later line, whether the deck is shuffled; both have the same flags for the rules.
    """
    states = np.zeros(2, game.STATE)
    for state in states:
        game_state.put_down(state, game_state.RULES["original"], 0, 0, [])
    return states


@compiled
def mark_wrong(hand: Any, fault: Int, line: Int) -> None:
    """Note a fault of a hand; the first one counts."""
    if hand.wrong == FINE:
        hand.wrong = fault
        hand.wrong_line = line


@compiled
def add_event(parser: Any, events: Any, line: Int, action: Int, seat: Int, amount: Int) -> Any:
    """A new event at the end."""
    event = events[parser.events]
    parser.events += 1
    event.action = action
    event.seat = seat
    event.suit = -1
    event.count = 0
    event.amount = amount
    event.line = line
    event.detail = NO_DETAIL
    event.at = NO_TIME
    for card in range(HAND_CARDS):
        event.cards[card] = 0
    return event


@compiled
def all_stand(parser: Any, state: Any) -> bool:
    """Whether the standings of all players have been reported."""
    return bool(state.present != 0 and state.present & ~parser.standings == 0)


# ---------------------------------------------------------------- the hand by the rules


@compiled
def begin_state(parser: Any, hand: Any, states: Any) -> None:
    """The state before the first event of a hand. The judge refuses an opening with fewer than two players
    or too many chips, so the rules are not asked about such a hand."""
    states[0] = states[1]
    state = states[0]
    state.ante = hand.ante
    state.dealer = hand.dealer
    players = 0
    for seat in range(SEATS):
        chips = hand.chips[seat]
        state.start[seat] = chips
        state.stack[seat] = chips
        if chips != 0:
            players += 1
            state.present |= 1 << seat
    state.live = state.present
    parser.evolved = hand.first_event
    too_many = max(hand.ante, hand.chips.sum()) > game_state.MOST_CHIPS
    parser.refused = players < game_state.LEAST_SEATS or too_many


@compiled
def catch_up(parser: Any, state: Any, events: Any) -> None:
    """Apply the events so far to the state, but for a draw whose cards are still to be shown.

    After the rules have refused one, the judge will refuse the hand. Its lines are parsed nevertheless: a
    contradiction is the better reason, and a match without an id is named by the content of its hand.
    """
    stop = parser.events if parser.draw == NONE else parser.draw - 1
    while parser.evolved < stop:
        event = events[parser.evolved]
        parser.evolved += 1
        if parser.refused == 0 and game.evolve(state, event) != 0:
            parser.refused = 1
        if parser.refused == 1:
            _apply_unchecked(state, event)


@compiled
def _apply_unchecked(state: Any, event: Any) -> None:
    """Apply an event against the rules: chips, cards, and who has shown them."""
    seat, action = event.seat, event.action
    if action == game.SCORE_HAND:
        state.won[seat] = event.amount + (state.won[seat] if state.reported >> seat & 1 else 0)
        state.reported |= 1 << seat
    elif event.amount != NO_AMOUNT and action != game.SCORE_MATCH:
        state.staked[seat] += event.amount
    elif action == game.DEAL_HAND or action == game.DEAL_DRAW:
        for card in range(event.count if event.cards[0] != UNKNOWN else 0):
            state.held_cards[seat, HAND_CARDS - event.count + card] = event.cards[card]
    elif action == game.DISCARD:
        _put_away(state.held_cards[seat], event)
    elif action == game.SCORE_SHOW:
        hidden = event.cards[0] == UNKNOWN
        both = (state.shown & ~state.mucked if hidden else state.mucked) >> seat & 1
        if both:  # no reward fits a hand that was shown and mucked
            state.mucked &= ~(1 << seat)
            state.shown |= 1 << seat
            state.rank[seat] = 0
        elif hidden:
            state.mucked |= 1 << seat
        elif _all_differ(event.cards):
            state.shown |= 1 << seat
            state.rank[seat] = rank_of_codes(event.cards)


@compiled
def _put_away(held: Any, event: Any) -> None:
    """Remove the cards of a discard from a hand; the rest moves to the front."""
    kept = 0
    for card in range(HAND_CARDS):
        gone = False
        for number in range(event.count):
            gone |= bool(held[card] == event.cards[number])
        if not gone:
            held[kept] = held[card]
            kept += 1


@compiled
def _all_differ(held: Any) -> bool:
    for one in range(HAND_CARDS):
        for other in range(one):
            if held[one] == held[other]:
                return False
    return True


@compiled
def chips_of(state: Any, seat: Int) -> Int:
    """A seat's chips, including reported winnings."""
    won = np.int64(state.won[seat]) if state.reported >> seat & 1 else np.int64(0)
    return np.int64(state.start[seat]) - np.int64(state.staked[seat]) + won


@compiled
def shown_category(state: Any, seat: Int) -> Int:
    """The category of the hand that a seat has shown, an index into `CATEGORIES`, or `NONE`."""
    if (state.shown & ~state.mucked) >> seat & 1 == 0:
        return NONE
    return np.int64(CATEGORY_OF[state.rank[seat]])
