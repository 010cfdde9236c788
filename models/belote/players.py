"""Belote's players, who play at many tables at once. The random one does as that of the original programs: it
names trump half the time, each suit equally often, plays any legal card, and claims bela half the time.
Policies always claim it."""

import json
from itertools import repeat
from typing import Any, Final

import numpy as np

from cardlog.models.belote import rules as belote
from cardlog.models.belote import state as belote_state
from cardlog.models.belote.decisions import DECK_INDEX, to_event
from cardlog.models.belote.declarations import counting_team
from cardlog.models.belote.expert import expert
from cardlog.models.belote.legal import bela_cards, legal_bids, legal_cards
from cardlog.models.belote.score import TRICKS
from cardlog.models.belote.state import HAND_CARDS
from cardlog.models.engine import dealing
from cardlog.models.engine.compiled import Int, compiled
from cardlog.models.engine.dealing import BOOK, EXPERT, NO_MATCH, Setup, new_event
from cardlog.models.engine.game import Players, Records
from cardlog.models.engine.opening import NUMBER, to_template
from cardlog.models.engine.rng import below, with_probability
from cardlog.models.engine.trick import BEFORE, SEATS, any_card, report_trick
from cardlog.schemas import cards
from cardlog.schemas.events import Action

# Frequencies, in thousandths.
PASS: Final = 500
CLAIM: Final = 500
ALWAYS: Final = 1000

_DECK: Final = np.array(cards.codes(belote_state.DECK_TEXT), np.uint8)

_COMPUTERS: Final = [{"kind": "computer"}] * SEATS


def prepare(setup: Setup, tables: Records) -> Records:
    """See `Players`."""
    tables["draws_dealer"] = setup.rules == BOOK
    return belote_state.begin(json.loads(belote_state.opening(setup.rules, 0, players=_COMPUTERS)))


def details(setup: Setup, tables: Records) -> list[str]:
    """See `Players`."""
    numbers = [NUMBER] * 2 if setup.scored else None
    templates = [
        to_template(belote_state.opening(setup.rules, dealer, players=_COMPUTERS, score=numbers))
        for dealer in range(SEATS)
    ]
    scores = map(tuple, tables["score"].tolist()) if setup.scored else repeat(())
    return [
        templates[dealer] % score for dealer, score in zip(tables["dealer"].tolist(), scores, strict=False)
    ]


@compiled
def begin_match(table: Any) -> None:
    """[R17] Draw the first dealer; by the programs' rules it is seat 0."""
    table.score[:] = 0
    table.dealer = below(table.rng, SEATS) if table.draws_dealer else 0


@compiled
def open_hand(table: Any, state: Any, opening: Any) -> None:
    """Fill a blank state as `begin` would from the opening's detail, and shuffle."""
    opening.amount = table.number + 1
    state.dealer = table.dealer
    state.in_match = table.scored
    state.before[:] = table.score
    dealing.shuffle_pack(table, _DECK)


@compiled
def follow(table: Any, state: Any, events: Any, size: Int) -> Int:
    """The deal, the declarations that count, and the scores of tricks and of the hand."""
    if state.phase == belote_state.DEALING:
        return dealing.deal_hands(table, events, size, HAND_CARDS)
    last = events[size - 1].action
    if last == Action.BID_TRUMP:
        return _declare(state, events, size)
    if table.scored and last == Action.PLAY_CARD and state.trick_cards == 0:
        size = report_trick(state, events, size)
        if state.done:
            size = _report_scores(state, events, size)
    return size


@compiled
def _declare(state: Any, events: Any, size: Int) -> Int:
    """Show all declarations that count; returns the index of the next event."""
    team = counting_team(state)
    for step in range(1, SEATS + 1 if team >= 0 else 1):
        seat = (state.dealer + step) & 3
        for number in range(state.found_count[seat] if seat & 1 == team else 0):
            event = new_event(events, size, Action.MELD_DECLARE, seat)
            for card in range(61):
                if state.found[seat, number] >> card & 1:
                    event.cards[event.count] = card
                    event.count += 1
            size += 1
    return size


@compiled
def choose(table: Any, state: Any, events: Any, size: Int) -> Int:
    """Let the built-in player in turn act."""
    if table.players[state.turn] == EXPERT:
        return _act(table, state, expert(state), ALWAYS, events, size)
    if state.phase != belote_state.BIDDING:
        action = DECK_INDEX[any_card(table.rng, legal_cards(state))]
        return _act(table, state, action, CLAIM, events, size)
    action = np.int64(0)
    if legal_bids(state) & 1 == 0 or not with_probability(table.rng, PASS):
        action = np.int64(1 + below(table.rng, len(cards.SUITS)))
    return _act(table, state, action, CLAIM, events, size)


@compiled
def carry_out(table: Any, state: Any, action: Int, events: Any, size: Int) -> Int:
    """See `Players`. Bela is claimed whenever it may be."""
    return _act(table, state, action, ALWAYS, events, size)


@compiled
def _act(table: Any, state: Any, action: Int, claims: int, events: Any, size: Int) -> Int:
    """Write the events of an action of the seat in turn, which claims bela with probability claims/1000."""
    event = new_event(events, size, Action.PLAY_CARD, state.turn)
    to_event(state, action, event)
    if (
        state.phase == belote_state.PLAYING
        and _may_claim_with(state, event.cards[0])
        and with_probability(table.rng, claims)
    ):
        new_event(events, size, Action.MELD_BELA, state.turn)
        size += 1
        to_event(state, action, new_event(events, size, Action.PLAY_CARD, state.turn))
    return size + 1


@compiled
def _may_claim_with(state: Any, card: Int) -> bool:
    """Whether a card is king or queen of trump and the seat in turn holds the other one, too."""
    both = bela_cards(state)
    return bool(both >> card & 1 and both & ~state.hands[state.turn] == 0)


@compiled
def _report_scores(state: Any, events: Any, size: Int) -> Int:
    """The points taken, and the scores of the hand and of the match; returns the index of the next event."""
    for team in range(2):
        new_event(events, size, Action.SCORE_POINTS, team).amount = belote.taken(state, team)
        new_event(events, size + 2, Action.SCORE_HAND, team).amount = state.score[team]
        after = state.before[team] + state.score[team]
        new_event(events, size + 4, Action.SCORE_MATCH, team).amount = after
        size += 1
    return size + 4


@compiled
def settle(table: Any, state: Any) -> None:
    """Add the hand to the match score, end the match if it is won, and pass the deal on."""
    for team in range(2):
        table.score[team] += state.score[team]
    table.dealer = (table.dealer + 1) % SEATS
    if max(table.score[0], table.score[1]) >= belote_state.GAME_POINTS:
        table.match = NO_MATCH


PLAYERS: Final = Players(
    names={
        "random": "names trump half the time, any legal card",
        "expert": "names trump by what six cards are worth, plays by rules of thumb",
        "search": "grows a tree of cards from sets of 1,200 deals that fit what it knows",
        "network": "has learnt from exact values what cards are worth, from search what to bid",
    },
    rules={
        BOOK: "docs/rules/belote.md",
        "cesmak": "the engine: a diamond lead frees everyone, no run ends in the ace",
        "bornabesic": "the same engine",
        "readme": "the same engine",
    },
    table=dealing.table_dtype(
        len(_DECK),
        [
            ("score", np.int16, (2,)),  # of the match, before the hand
            ("draws_dealer", np.int8),
            ("dealer", np.int8),
        ],
    ),
    most_events=1 + SEATS + SEATS + 6 + 1 + SEATS * HAND_CARDS + TRICKS + 6,
    usual_seats=SEATS,
    prepare=prepare,
    detail=dealing.detail_by(details),
    details=details,
    begin_match=begin_match,
    open_hand=open_hand,
    follow=follow,
    choose=choose,
    settle=settle,
    winner_of=lambda table, state: belote.match_winner(table["score"]),
    expert=expert,
    in_state=BEFORE,
    policies={"search": "cardlog.models.players.ismcts:TreeSearch"},
    carry_out=carry_out,
    tables=40,
)
