"""Five-card draw's players, who play at many tables at once. A match goes on until one player has all the
chips. All cards are known, unlike in a log."""

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
    stamp,
    table_dtype,
)
from cardlog.models.engine.game import Players, Records
from cardlog.models.engine.opening import NUMBER, to_template
from cardlog.models.engine.rng import below, pick, shuffle, with_probability
from cardlog.models.five_card_draw import rules as game
from cardlog.models.five_card_draw import state as game_state
from cardlog.models.five_card_draw.decisions import to_event
from cardlog.models.five_card_draw.expert import expert
from cardlog.models.five_card_draw.legal import ACE, legal_swaps
from cardlog.models.five_card_draw.state import SEATS, cards_dealt
from cardlog.models.poker.betting import MAY_CALL, MAY_CHECK, MAY_FOLD, MAY_RAISE, legal_bets, owed
from cardlog.models.poker.chips import LEAST_SEATS, next_seat, pot_of, report_chips, seat_players, settle
from cardlog.models.poker.ranks import HAND_CARDS
from cardlog.models.poker.table import DEALING, POSTING
from cardlog.schemas import cards
from cardlog.schemas.events import Action

MOST_RAISES: Final = 4  # in a round, so that a hand ends

# Frequencies, in thousandths.
PLAYER_COUNTS: Final = np.arange(LEAST_SEATS, SEATS + 1)
PLAYER_WEIGHTS: Final = np.array([100, 200, 250, 250, 200])
ANTES: Final = np.array([5, 10, 25, 33])
ANTE_WEIGHTS: Final = np.array([400, 250, 200, 150])
CHIPS: Final = np.array([97, 100, 500, 1000])
CHIPS_WEIGHTS: Final = np.array([150, 250, 400, 200])
FOLD: Final = 320  # when facing a bet
RAISE: Final = 230  # when a raise is legal
SIZE_WEIGHTS: Final = np.array([500, 250, 150, 100])
"""Raises by up to half the pot, by up to the pot, by up to all the chips, and all in."""
SWAP_WEIGHTS: Final = np.array([100, 250, 300, 300, 50])  # draws of 0 to 4 cards

_DECK: Final = np.array(cards.codes(game_state.DECK_TEXT), np.uint8)


def prepare(setup: Setup, tables: Records) -> Records:
    """See `Players`."""
    rules = game_state.RULES[setup.rules]
    tables["shuffles"], tables["deals_as_registered"] = rules.shuffles, rules.deals_as_registered
    if setup.single or len(setup.players) < SEATS:
        tables["named_seats"] = len(setup.players)
    states = np.zeros(1, game.STATE)
    game_state.fill(states[0], rules, 1, 0, [])
    return states


def details(setup: Setup, tables: Records) -> list[str]:
    """See `Players`."""
    columns = (tables[name].tolist() for name in ("dealer", "chips", "seats", "ante"))
    texts = []
    for dealer, chips, seats, ante in zip(*columns, strict=True):
        text = _template(setup.rules, dealer, tuple(map(bool, chips[:seats])))
        texts.append(text % (*chips[:seats], ante))
    return texts


@cache
def _template(rules: str, dealer: int, present: tuple[bool, ...]) -> str:
    players = [
        {"kind": "computer", "name": f"player {seat}"} if sits else None for seat, sits in enumerate(present)
    ]
    return to_template(game.opening(rules, NUMBER, dealer, players, [NUMBER] * len(present)))


@compiled
def begin_match(table: Any) -> None:
    """Pick the seats, chips, ante and dealer at random."""
    rng = table.rng
    seats = PLAYER_COUNTS[pick(rng, PLAYER_WEIGHTS)]
    table.seats = table.named_seats if table.named_seats else seats
    table.ante = ANTES[pick(rng, ANTE_WEIGHTS)]
    chips = CHIPS[pick(rng, CHIPS_WEIGHTS)]
    for seat in range(SEATS):
        table.chips[seat] = chips if seat < table.seats else 0
    table.dealer = below(rng, table.seats)


@compiled
def open_hand(table: Any, state: Any, opening: Any) -> None:
    """Fill a blank state as `begin` would from the opening's detail, and shuffle."""
    table.deck[:] = _DECK
    if table.shuffles:
        shuffle(table.rng, table.deck)
    stamp(table, opening)
    state.dealer = table.dealer
    state.ante = table.ante
    seat_players(state, table.chips)


@compiled
def follow(table: Any, state: Any, events: Any, size: Int) -> Int:
    """Antes, the deal, the cards drawn for those discarded, and what a log reports at the end."""
    if state.phase == POSTING:
        event = new_event(events, size, Action.BID_ANTE, state.turn)
        event.amount = min(state.ante, state.stack[state.turn])
        return size + 1
    if state.phase == DEALING:
        undealt = state.present & ~state.dealt
        seat = next_seat(undealt, SEATS - 1 if table.deals_as_registered else np.int64(state.dealer))
        _draw_cards(table, state, HAND_CARDS, new_event(events, size, Action.DEAL_HAND, seat))
        return size + 1
    if state.phase == game_state.DRAWING and state.replaced > 0:
        _draw_cards(table, state, state.replaced, new_event(events, size, Action.DEAL_DRAW, state.turn))
        return size + 1
    last = events[size - 1].action
    if table.scored and state.done and last not in (Action.SCORE_SHOW, Action.SCORE_HAND, Action.SCORE_MATCH):
        return _report_scores(state, events, size)
    return size


@compiled
def _draw_cards(table: Any, state: Any, count: Int, event: Any) -> None:
    """Put the next cards of the pack into an event."""
    top = cards_dealt(state)
    event.count = count
    for index in range(count):
        event.cards[index] = table.deck[top + index]


@compiled
def choose(table: Any, state: Any, events: Any, size: Int) -> Int:
    """Let the built-in player in turn act."""
    event = new_event(events, size, Action.PLAY_DISCARD, state.turn)
    if table.players[state.turn] == EXPERT:
        to_event(state, expert(state), event)
        return size + 1
    if state.phase == game_state.DRAWING:
        _choose_cards(table.rng, state, len(table.deck) - cards_dealt(state), event)
    else:
        _choose_bet(table.rng, state, event)
    return size + 1


@compiled
def _choose_cards(rng: Any, state: Any, pack_left: Int, event: Any) -> None:
    """Random cards, no more than are legal and the pack still has; with four, the card kept is an ace."""
    count = min(pick(rng, SWAP_WEIGHTS), pack_left)
    if legal_swaps(state) >> count & 1 == 0:
        count = game_state.MOST_SWAPPED
    held = state.held_cards[state.turn].copy()
    shuffle(rng, held)
    if count > game_state.MOST_SWAPPED:
        for index in range(HAND_CARDS):
            if held[index] & 15 == ACE:
                held[index], held[HAND_CARDS - 1] = held[HAND_CARDS - 1], held[index]
    event.count = count
    for index in range(count):
        event.cards[index] = held[index]


@compiled
def _choose_bet(rng: Any, state: Any, event: Any) -> None:
    """A random legal bet."""
    legal = legal_bets(state)
    if legal & MAY_RAISE and state.raises < MOST_RAISES and with_probability(rng, RAISE):
        event.action = Action.BID_RAISE
        event.amount = _choose_amount(rng, state)
    elif legal & MAY_CHECK:
        event.action = Action.BID_CHECK
    elif legal & MAY_CALL == 0 or (legal & MAY_FOLD and with_probability(rng, FOLD)):
        event.action = Action.BID_FOLD
    else:
        event.action = Action.BID_CALL
        event.amount = min(owed(state), np.int64(state.stack[state.turn]))


@compiled
def _choose_amount(rng: Any, state: Any) -> Int:
    """The chips of a raise."""
    to_call, stack = owed(state), np.int64(state.stack[state.turn])
    pot = pot_of(state) + to_call
    size = pick(rng, SIZE_WEIGHTS)
    if size == 3:
        return stack
    most: Int = stack - to_call
    if size < 2:
        largest: Int = pot // (2 - size)
        most = min(most, max(largest, 1))
    return to_call + 1 + below(rng, most)


@compiled
def _report_scores(state: Any, events: Any, size: Int) -> Int:
    """What a log reports at the end: the hands shown, what each player wins and has."""
    live = np.int64(state.live)
    showing = live if live & (live - 1) else 0
    seat: Int = np.int64(state.dealer)
    best: Int = 0
    while showing:
        seat = next_seat(showing, seat)
        showing &= ~(1 << seat)
        event = new_event(events, size, Action.SCORE_SHOW, seat)
        event.count = HAND_CARDS
        shows = best == 0 or state.rank[seat] <= best
        for index in range(HAND_CARDS):
            event.cards[index] = state.held_cards[seat, index] if shows else cards.UNKNOWN
        if shows:
            best = np.int64(state.rank[seat])
        size += 1
    return report_chips(state, events, size)


PLAYERS: Final = Players(
    names={
        "random": "any legal bet, any legal draw, without looking at the cards",
        "expert": "discards by exact odds, bets by pot odds",
        "search": "weighs bets after the draw over sets of fifty deals that fit what it knows",
        "cfr": "against one opponent near an equilibrium, bluffs included; else as expert",
        "network": "has learnt what search bets and discards",
    },
    rules={
        BOOK: "docs/rules/five_card_draw.md",
        "original": "the program that wrote the logs",
        "original_unshuffled": "the same with a pack that is never shuffled",
    },
    table=table_dtype(
        len(_DECK),
        [
            ("dealer", np.int8),
            ("named_seats", np.int8),  # how many players there are, 0 for a random number
            ("shuffles", np.int8),
            ("deals_as_registered", np.int8),
            ("ante", np.int32),
            ("chips", np.int32, (SEATS,)),  # before the hand
        ],
    ),
    most_events=1 + 2 * SEATS + 2 * (MOST_RAISES + 1) * SEATS + 2 * SEATS + 3 * SEATS,
    usual_seats=SEATS,
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
    agreed={"ante": 10, "chips": 1000},
    not_at_tables=("original_unshuffled",),
    policies={
        "search": "cardlog.models.five_card_draw.search:player",
        "cfr": "cardlog.models.five_card_draw.cfr:PLAYER",
    },
    seat_counts=range(LEAST_SEATS, SEATS + 1),
    tables=40,
)
