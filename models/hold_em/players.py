"""Hold'em's players, who play at many tables at once. A match goes on until one player has all the chips. All
cards are known, unlike in most logs."""

from functools import cache
from typing import Any, Final

import numpy as np

from cardlog.models.engine.compiled import Int, compiled
from cardlog.models.engine.dealing import (
    BOOK,
    EXPERT,
    Setup,
    detail_by,
    new_event,
    shuffle_pack,
    stamp,
    table_dtype,
)
from cardlog.models.engine.game import Players, Records
from cardlog.models.engine.opening import NUMBER, to_template
from cardlog.models.engine.rng import below, pick, with_probability
from cardlog.models.hold_em import state as game
from cardlog.models.hold_em.decisions import MOST_ACTIONS, legal_actions, to_event
from cardlog.models.hold_em.expert import expert
from cardlog.models.hold_em.state import HOLE_CARDS, SEATS
from cardlog.models.poker.actions import CALL_ACTION, CHECK_ACTION, FOLD_ACTION, SMALL_RAISE
from cardlog.models.poker.cards import BOARD_CARDS, rank_on
from cardlog.models.poker.chips import LEAST_SEATS, bits, next_seat, report_chips, seat_players, settle
from cardlog.models.poker.table import FIXED_LIMIT, POSTING, STRUCTURES, opening
from cardlog.schemas import cards
from cardlog.schemas.events import NO_SEAT, Action

MOST_RAISES: Final = 4  # in a round, so that a hand ends

# Frequencies, in thousandths.
STRUCTURE_WEIGHTS: Final = np.array([700, 100, 200])
BLINDS: Final = np.array([2, 10, 50, 100])  # the big blind
BLIND_WEIGHTS: Final = np.array([200, 300, 250, 250])
STACKS: Final = np.array([10, 40, 100, 250])  # in big blinds
STACK_WEIGHTS: Final = np.array([150, 250, 450, 150])
FOLD: Final = 320  # when facing a bet
RAISE: Final = 230  # when a raise is legal

_PACK: Final = np.array(cards.codes(game.DECK_TEXT), np.uint8)


def prepare(setup: Setup, tables: Records) -> Records:
    """See `Players`."""
    states = np.zeros(1, game.STATE)
    settings = {"structure": STRUCTURES[0], "ante_trimming": True, "small_bet": 1, "big_bet": 1}
    game.fill(states[0], game.RULES[setup.rules], settings, 0, [])
    return states


def details(setup: Setup, tables: Records) -> list[str]:
    """See `Players`."""
    names = ("dealer", "chips", "seats", "big_blind", "structure")
    columns = (tables[name].tolist() for name in names)
    texts = []
    for dealer, chips, seats, blind, structure in zip(*columns, strict=True):
        present = tuple(map(bool, chips[:seats]))
        text = _template(setup.rules, dealer, present, blind, structure)
        texts.append(text % tuple(chips[:seats]))
    return texts


@cache
def _template(rules: str, dealer: int, present: tuple[bool, ...], blind: int, structure: int) -> str:
    players = [
        {"kind": "computer", "name": f"player {seat}"} if sits else None for seat, sits in enumerate(present)
    ]
    settings = {
        "ante_trimming": True, "big_bet": blind * (1 + (structure == FIXED_LIMIT)), "currency": "",
        "dialect": rules, "small_bet": blind, "structure": STRUCTURES[structure], "unit": 1,
    }  # fmt: skip
    return to_template(opening(settings, dealer, players, [NUMBER] * len(present)))


@compiled
def begin_match(table: Any) -> None:
    """Pick the structure, blinds, chips and dealer at random."""
    rng = table.rng
    table.structure = pick(rng, STRUCTURE_WEIGHTS)
    table.big_blind = BLINDS[pick(rng, BLIND_WEIGHTS)]
    stack = STACKS[pick(rng, STACK_WEIGHTS)] * table.big_blind
    for seat in range(SEATS):
        table.chips[seat] = stack if seat < table.seats else 0
    table.dealer = below(rng, table.seats)


@compiled
def open_hand(table: Any, state: Any, opening: Any) -> None:
    """Fill a blank state as `begin` would from the opening's detail, and shuffle."""
    shuffle_pack(table, _PACK)
    stamp(table, opening)
    state.dealer = table.dealer
    state.structure = table.structure
    state.small_bet = table.big_blind
    state.big_bet = table.big_blind * (1 + (table.structure == FIXED_LIMIT))
    seat_players(state, table.chips)


@compiled
def follow(table: Any, state: Any, events: Any, size: Int) -> Int:
    """Blinds, the deal, the board, and what a log reports at the end."""
    if state.phase == POSTING and _blinds_posted(state) == 2:
        return _deal(table, state, events, size)
    if state.phase == POSTING:
        return _post(table, state, events, size)
    if state.phase == game.BOARD:
        event = new_event(events, size, Action.DEAL_BOARD, NO_SEAT)
        dealt = np.int64(state.board_count[0])
        event.count = 3 if dealt == 0 else 1
        for index in range(event.count):
            event.cards[index] = table.deck[HOLE_CARDS * SEATS + dealt + index]
        return size + 1
    last = events[size - 1].action
    if table.scored and state.done and last not in (Action.SCORE_SHOW, Action.SCORE_HAND, Action.SCORE_MATCH):
        if bits(state.live) > 1:
            size = _show(state, events, size)
        return report_chips(state, events, size)
    return size


@compiled
def _blinds_posted(state: Any) -> Int:
    """How many blinds have been posted."""
    count = 0
    for seat in range(SEATS):
        count += state.bets[seat] > 0
    return count


@compiled
def _post(table: Any, state: Any, events: Any, size: Int) -> Int:
    """[R3] The small blind, then the big one. With two players the button has the small blind."""
    first: Int = np.int64(state.dealer)
    if bits(state.present) > 2:
        first = next_seat(state.present, first)
    second = next_seat(state.present, first)
    seat = first if _blinds_posted(state) == 0 else second
    blind = table.big_blind if seat == second else table.big_blind // 2
    event = new_event(events, size, Action.BID_BLIND, seat)
    event.amount = min(np.int64(blind), np.int64(state.stack[seat]))
    return size + 1


@compiled
def _deal(table: Any, state: Any, events: Any, size: Int) -> Int:
    """Two cards to each player, from the first after the button."""
    seat: Int = np.int64(state.dealer)
    left = np.int64(state.present)
    while left:
        seat = next_seat(left, seat)
        left &= ~(np.int64(1) << seat)
        event = new_event(events, size, Action.DEAL_HAND, seat)
        event.count = HOLE_CARDS
        for index in range(HOLE_CARDS):
            event.cards[index] = table.deck[HOLE_CARDS * seat + index]
        size += 1
    return size


@compiled
def _show(state: Any, events: Any, size: Int) -> Int:
    """[R13] The last to bet or raise shows first, then each in turn, unless a better hand has been shown that
    can win all that he can."""
    waiting = np.int64(state.live)
    seat: Int = np.int64(state.dealer)
    if state.aggressor >= 0 and state.live >> state.aggressor & 1:
        seat = np.int64(state.aggressor) - 1
    shown = np.int64(0)
    while waiting:
        seat = next_seat(waiting, seat)
        waiting &= ~(np.int64(1) << seat)
        rank = rank_on(state.board[0], state.dealt_cards[seat])
        shows = True
        for other in range(SEATS):
            if shown >> other & 1 and state.staked[other] >= state.staked[seat]:
                shows = shows and bool(rank_on(state.board[0], state.dealt_cards[other]) >= rank)
        event = new_event(events, size, Action.SCORE_SHOW, seat)
        event.count = HOLE_CARDS
        for index in range(HOLE_CARDS):
            event.cards[index] = state.dealt_cards[seat, index] if shows else cards.UNKNOWN
        if shows:
            shown |= np.int64(1) << seat
        size += 1
    return size


@compiled
def choose(table: Any, state: Any, events: Any, size: Int) -> Int:
    """Let the built-in player in turn act."""
    event = new_event(events, size, Action.BID_CHECK, state.turn)
    if table.players[state.turn] == EXPERT:
        to_event(state, expert(state), event)
    else:
        to_event(state, _any_action(table.rng, state), event)
    return size + 1


@compiled
def _any_action(rng: Any, state: Any) -> Int:
    """A random legal action."""
    mask = np.zeros(MOST_ACTIONS, np.bool_)
    legal_actions(state, mask)
    raises = np.int64(0)
    for action in range(SMALL_RAISE, MOST_ACTIONS):
        raises += mask[action]
    if raises and state.raises < MOST_RAISES and with_probability(rng, RAISE):
        number = below(rng, raises)
        for action in range(SMALL_RAISE, MOST_ACTIONS):
            if mask[action]:
                if number == 0:
                    return np.int64(action)
                number -= 1
    if mask[CHECK_ACTION]:
        return np.int64(CHECK_ACTION)
    return np.int64(FOLD_ACTION if with_probability(rng, FOLD) else CALL_ACTION)


PLAYERS: Final = Players(
    names={
        "random": "any legal bet, without looking at the cards",
        "expert": "bets by its chance to win and the odds that the pot offers",
        "search": "weighs its bets over sets of ten deals that fit what it knows",
    },
    rules={
        BOOK: "docs/rules/hold_em.md",
    },
    table=table_dtype(
        len(_PACK),
        [
            ("dealer", np.int8),
            ("structure", np.int8),
            ("big_blind", np.int32),
            ("chips", np.int32, (SEATS,)),  # before the hand
        ],
    ),
    most_events=1 + 2 * SEATS + BOARD_CARDS + 4 * (MOST_RAISES + 1) * SEATS + 3 * SEATS,
    usual_seats=6,
    prepare=prepare,
    detail=detail_by(details),
    details=details,
    begin_match=begin_match,
    open_hand=open_hand,
    follow=follow,
    choose=choose,
    settle=settle,
    winner_of=lambda table, state: int(table["chips"].argmax()),
    expert=expert,
    policies={"search": "cardlog.models.hold_em.search:player"},
    agreed={"big_blind": 10, "chips": 1000, "structure": 0},
    seat_counts=range(LEAST_SEATS, SEATS + 1),
    tables=40,
)
