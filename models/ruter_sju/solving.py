"""What the solver of `max_n` needs of Ruter Sju.

Numbers in brackets, [R3], are the rules of docs/rules/ruter_sju.md.
"""

from typing import Any, Final

import numpy as np

from cardlog.models.compiled import Int, compiled
from cardlog.models.dealing import new_event
from cardlog.models.max_n import Race, Racing
from cardlog.models.ruter_sju.decisions import BLOCK_ACTION, PASS_ACTION, to_event
from cardlog.models.ruter_sju.expert import expert
from cardlog.models.ruter_sju.legal import may_block, may_pass, placements
from cardlog.models.ruter_sju.rules import evolve
from cardlog.models.ruter_sju.state import NO_CARD, NUMBER_OF, PLAYING, RANK_LETTERS, RANKS, SUIT_LETTERS, SUIT_OF
from cardlog.schemas import cards
from cardlog.schemas.events import NO_SEAT, Action


@compiled
def _reveal(state: Any, last: Any) -> bool:
    """Hidden hands stay hidden. [R10] A hand in which a seat may do what it likes need not end, nor one in
    which a seat stays in without cards."""
    if state.hidden or (state.humans_unchecked and state.humans):
        return False
    for seat in range(state.seats):
        if state.sole_card_keeps_in and state.counts[seat] == 1:
            return False
    return True


@compiled
def _acted(state: Any, event: Any) -> Int:
    if event.action == Action.PLAY_BLOCK:
        return np.int64(BLOCK_ACTION)
    if event.action == Action.PLAY_PASS:
        return np.int64(PASS_ACTION)
    card = event.cards[0]
    return np.int64(SUIT_OF[card]) * RANKS + np.int64(NUMBER_OF[card]) - 1


@compiled
def _list_moves(state: Any, moves: Any) -> Int:
    seat = np.int64(state.turn)
    count = 0
    for suit in range(np.int64(state.suits)):
        fit: Int = placements(state, seat, suit)
        number = suit * RANKS
        while fit:
            if fit & 1:
                moves[count] = number
                count += 1
            fit >>= 1
            number += 1
    if count == 0 and may_block(state, seat):
        moves[count] = BLOCK_ACTION
        count += 1
    if may_pass(state, seat):
        moves[count] = PASS_ACTION
        count += 1
    return count


@compiled
def _act(state: Any, action: Int, event: Any) -> None:
    """[R8] The holder of the block is passed over."""
    event.seat = NO_SEAT
    event.count = 0
    to_event(state, action, event)
    evolve(state, event)
    while state.phase == PLAYING and state.holder == state.turn:
        event.action = Action.PLAY_BLOCKED
        event.seat = NO_SEAT
        evolve(state, event)


@compiled
def _position(state: Any) -> Int:
    """The ends of each suit, who is in turn and whether it may go on, and who holds the block."""
    centre, ranks = np.int64(state.centre), np.int64(state.ranks)
    upper = ranks - centre + 1
    number = np.int64(state.turn) * 2 + np.int64(state.again)
    number = number * (np.int64(state.seats) + 1) + np.int64(state.holder) + 1
    for suit in range(state.suits):
        lies = np.int64(state.placed[suit]) >> (centre - 1) & 1
        below = 0 if state.under[suit] == NO_CARD else centre - np.int64(state.under[suit])
        above = 0 if state.over[suit] == NO_CARD else np.int64(state.over[suit]) - centre
        number = number * (centre * upper + 1) + lies * (1 + below * upper + above)
    return number


_NAMES: Final = (
    *(rank + suit for suit in SUIT_LETTERS for rank in RANK_LETTERS), "block", "pass",
)  # fmt: skip

RACE: Final = Race(
    Racing(evolve, _reveal, _acted, _list_moves, _act, _position, expert),
    budget=20_000_000,
    private={"hands": 0, "dealt_cards": cards.UNKNOWN},
    names=_NAMES,
    late=26,
)
