"""What hold'em's `search` tries its bets in, see `cardlog.models.poker.search`.

The rest of the board is drawn from the unseen cards, and so are the others' hands: hands with which the
expert would have called, bet or checked as they did are `1 / UNLIKELY` times as likely as others. All play on
as the expert would, who bets by his chance against random hands; it is counted for all seats at once.
"""

from typing import Any, Final

import numpy as np

from cardlog.models.engine.compiled import Int, compiled
from cardlog.models.engine.dealing import new_event
from cardlog.models.engine.game import Game
from cardlog.models.engine.rng import below, draw
from cardlog.models.hold_em.decisions import legal_actions, to_event
from cardlog.models.hold_em.expert import POSITION, STRONG, bet, fill_unseen
from cardlog.models.hold_em.rules import evolve
from cardlog.models.hold_em.state import (
    BOARD,
    HOLE_CARDS,
    PREFLOP,
    RIVER,
    SEATS,
    STREETS,
    key_of,
)
from cardlog.models.players.search import Level
from cardlog.models.poker.cards import BOARD_CARDS, rank_on
from cardlog.models.poker.chips import bits, next_seat
from cardlog.models.poker.ranks import PACK, mask_of
from cardlog.models.poker.search import Bets, BetSearch, Betting
from cardlog.schemas import cards
from cardlog.schemas.events import NO_SEAT, Action, compiled_dtype

SAMPLES: Final = 30  # random hands and boards over which chances are counted
FIRST_CARDS: Final = 3  # of the board
MOST_HANDS: Final = len(PACK) * (len(PACK) - 1) // 2
TRIED: Final = 20  # draws of a hand that has no card of another's
UNLIKELY: Final = 0.05
# The least chance with which the expert about calls: before the flop, the same in a blind or against one
# other, where a call costs less of the pot, and later.
ENTERS, DEFENDS, CALLS = 0.33, 0.22, 0.4

WORLD: Final = compiled_dtype(
    [
        ("count", np.int64),  # of the hands that others may hold
        ("hands", np.uint8, (MOST_HANDS, HOLE_CARDS)),
        # the chance of each of these to beat so many random hands: before the flop, and now
        ("before", np.float64, (MOST_HANDS, SEATS)),
        ("now", np.float64, (MOST_HANDS, SEATS)),
        ("weights", np.float64, (SEATS, MOST_HANDS)),  # of the hands of each seat, added up
        ("board", np.uint8, (BOARD_CARDS,)),
        # the chance of each seat in each round to beat so many random hands
        ("chances", np.float64, (len(STREETS), SEATS, SEATS)),
    ]
)


@compiled
def _count_chances(rng: Any, pack: Any, known_board: Any, hands: Any, rivals: Int, chances: Any) -> None:
    """Write the chance of each of some hands to beat one to `rivals` random hands of a pack, on boards that
    begin with some known cards: shape (hands, seats)."""
    known, board, ranks = len(known_board), np.zeros(BOARD_CARDS, np.uint8), np.zeros(SEATS, np.int64)
    board[:known] = known_board
    counts = np.zeros(len(hands), np.int64)
    chances[: len(hands)] = 0.0
    needed = BOARD_CARDS - known + HOLE_CARDS * rivals
    for _ in range(SAMPLES):
        for index in range(needed):
            other = index + below(rng, len(pack) - index)
            pack[index], pack[other] = pack[other], pack[index]
        used = mask_of(pack[:needed])
        for index in range(known, BOARD_CARDS):
            board[index] = pack[needed - 1 - index + known]
        for rival in range(rivals):
            ranks[rival] = rank_on(board, pack[HOLE_CARDS * rival : HOLE_CARDS * (rival + 1)])
        for number in range(len(hands)):
            if hands[number, 0] == cards.UNKNOWN or used & mask_of(hands[number]):
                continue
            counts[number] += 1
            own, won = rank_on(board, hands[number]), 1.0
            for rival in range(rivals):
                if ranks[rival] < own:
                    break
                if ranks[rival] == own:
                    won /= 2
                chances[number, rival + 1] += won
    for number in range(len(hands)):
        chances[number] /= max(counts[number], 1)


@compiled
def _prepare(rng: Any, state: Any, world: Any) -> None:
    """See `Betting`: weigh the hands that the others may hold."""
    pack = np.zeros(len(PACK), np.int64)
    size = fill_unseen(state, pack)
    world.count = 0
    for one in range(size):
        for other in range(one):
            world.hands[world.count, 0], world.hands[world.count, 1] = pack[one], pack[other]
            world.count += 1
    hands = world.hands[: world.count]
    _count_chances(rng, pack[:size], state.board[0, :0], hands, bits(state.present) - 1, world.before)
    if state.tricks > PREFLOP:
        board, rivals = state.board[0, : state.board_count[0]], bits(state.live) - 1
        _count_chances(rng, pack[:size], board, hands, rivals, world.now)
    for seat in range(SEATS):
        if seat != state.turn and state.live >> seat & 1:
            total = 0.0
            for number in range(world.count):
                misfits = _misfits_before_flop(state, seat, world.before[number])
                if state.tricks > PREFLOP:
                    misfits += _misfits_now(state, seat, world.now[number])
                total += UNLIKELY**misfits
                world.weights[seat, number] = total


@compiled
def _rival_count(state: Any, seat: Int) -> Int:
    """Against how many a seat first acted: those who act after it before the flop, or are left."""
    mask = np.int64(state.live)
    other: Int = np.int64(seat)
    for _ in range(SEATS):
        if other == state.last_blind:
            break
        other = next_seat(state.present, other)
        mask |= np.int64(1) << other
    return bits(mask) - 1


@compiled
def _misfits_before_flop(state: Any, seat: Int, chances: Any) -> Int:
    """How many of a seat's acts before the flop the expert would hardly have chosen, given its chances."""
    staked, rivals = state.staked[seat], _rival_count(state, seat)
    raises = state.raised[seat] - (state.tricks > PREFLOP and _has_raised(state, seat))
    least = 0.0
    if raises > 0:
        fair = 1.0 / (rivals + 1)
        least = fair + (1.0 - fair) * (STRONG - POSITION * (seat == state.dealer))
    elif staked > state.small_bet or (staked == state.small_bet and seat != state.last_blind):
        least = DEFENDS if rivals == 1 or seat == state.last_blind else ENTERS
    return np.int64(chances[rivals] < least)


@compiled
def _has_raised(state: Any, seat: Int) -> bool:
    """Whether a seat was the last to bet or raise, in this round."""
    return bool(state.bets[seat] > 0 and state.aggressor == seat)


@compiled
def _misfits_now(state: Any, seat: Int, chances: Any) -> Int:
    """The same of the seat's acts in this round."""
    rivals = bits(state.live) - 1
    fair = 1.0 / (rivals + 1)
    is_strong = chances[rivals] >= fair + (1.0 - fair) * STRONG
    if _has_raised(state, seat):
        return np.int64(not is_strong)
    if state.bets[seat] > 0:
        return np.int64(chances[rivals] < CALLS)
    return np.int64(state.acted >> seat & 1 == 1 and is_strong)


@compiled
def _deal(rng: Any, state: Any, world: Any) -> None:
    """See `Betting`."""
    used = np.int64(0)
    for seat in range(SEATS):
        if seat != state.turn and state.live >> seat & 1:
            number = _draw_hand(rng, world, seat, used)
            state.dealt_cards[seat, :] = world.hands[number]
            state.known |= 1 << seat
            used |= mask_of(world.hands[number])
    pack = np.zeros(len(PACK), np.int64)
    size: Int = 0
    for index in range(fill_unseen(state, pack)):
        if used >> pack[index] & 1 == 0:
            pack[size] = pack[index]
            size += 1
    for index in range(BOARD_CARDS):
        world.board[index] = state.board[0, index]
        if index >= state.board_count[0]:
            other = below(rng, size)
            size -= 1
            pack[other], pack[size] = pack[size], pack[other]
            world.board[index] = pack[size]
    state.boards, state.seen = 1, 0
    for street in range(state.tricks, RIVER + 1):
        board = world.board[: street + FIRST_CARDS - 1 if street else 0]
        rivals = bits(state.live) - 1
        _count_chances(rng, pack[:size], board, state.dealt_cards, rivals, world.chances[street])


@compiled
def _draw_hand(rng: Any, world: Any, seat: Int, used: Int) -> Int:
    """The number of a hand that a seat may hold, with no card that is used."""
    weights = world.weights[seat, : world.count]
    for _ in range(TRIED):
        share = np.float64(draw(rng) >> np.uint64(11)) / 2.0**53
        number: Int = np.int64(np.searchsorted(weights, share * weights[-1], "right"))
        if used & mask_of(world.hands[number]) == 0:
            return number
    while used & mask_of(world.hands[number]):
        number = below(rng, world.count)
    return number


@compiled
def _follow(state: Any, events: Any, world: Any) -> bool:
    """See `Betting`: the next cards of the board."""
    if state.phase != BOARD:
        return False
    event = new_event(events, 0, Action.DEAL_BOARD, NO_SEAT)
    dealt = np.int64(state.board_count[0])
    event.count = 1 if dealt else FIRST_CARDS
    for index in range(event.count):
        event.cards[index] = world.board[dealt + index]
    return True


@compiled
def _act(state: Any, world: Any) -> Int:
    """See `Betting`."""
    return bet(state, world.chances[state.tricks, state.turn, bits(state.live) - 1])


NAMES: Final = (
    "fold", "check", "call", "small raise", "half the pot", "three quarters", "the pot", "more than the pot",
    "all in",
)  # fmt: skip
BETS: Final = Bets(
    Betting(evolve, legal_actions, to_event, key_of, _prepare, _deal, _follow, _act),
    world=WORLD,
    names=NAMES,
    deals=10,
    doubt=2.0,
    searches=lambda state: True,
)


def player(game: Game, level: Level) -> BetSearch:
    """The player of a level."""
    return BetSearch(game, level, BETS)
