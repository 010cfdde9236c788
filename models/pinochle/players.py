"""Pinochle's players, who play match after match at one table. The random one sometimes bids, without looking
at its cards, mostly the lowest number; it names any trump, rarely throws a hand in, and plays any legal card.
All seats show their whole meld."""

import json
from functools import cache
from itertools import repeat
from typing import Any, Final

import numpy as np

from cardlog.models.engine import dealing
from cardlog.models.engine.compiled import Int, compiled
from cardlog.models.engine.dealing import BOOK, EXPERT, NO_MATCH, Setup, new_event
from cardlog.models.engine.game import Players, Records
from cardlog.models.engine.opening import NUMBER, to_template
from cardlog.models.engine.rng import below, with_probability
from cardlog.models.engine.trick import BEFORE, SEATS, nth_card, report_trick, size_of
from cardlog.models.pinochle import state as pinochle
from cardlog.models.pinochle.cards import DECK_CODES, meld, spread
from cardlog.models.pinochle.decisions import to_event
from cardlog.models.pinochle.dialects import match_winner
from cardlog.models.pinochle.expert import expert
from cardlog.models.pinochle.legal import legal_cards
from cardlog.models.pinochle.state import BIDDING, DEALING, HAND_CARDS, MELDING, PLAYING, TRICKS
from cardlog.schemas import cards
from cardlog.schemas.events import Action

# Frequencies, in thousandths.
BID: Final = 300
RAISE: Final = 500  # bids one above the lowest, of all bids; two above, of these; and so on
LOW_BID: Final = 20  # passes made by too low a bid, of all passes, if the rules have them
THROW_IN: Final = 30

_COMPUTERS: Final = [{"kind": "computer"}] * SEATS
_PACK: Final = np.repeat(DECK_CODES, 2).astype(np.uint8)


def prepare(setup: Setup, tables: Records) -> Records:
    """See `Players`."""
    tables["draws_dealer"] = setup.rules == BOOK
    return pinochle.begin(json.loads(pinochle.opening(setup.rules, 0, [{}] * SEATS)))


def details(setup: Setup, tables: Records) -> list[str]:
    """See `Players`."""
    columns = [tables["hands_played"], *tables["score"].T] if setup.scored else []
    numbers = zip(*(column.tolist() for column in columns), strict=True) if columns else repeat(())
    keys = zip(tables["dealer"].tolist(), tables["trump_before"].tolist(), strict=True)
    return [
        _template(setup.rules, setup.scored, *key) % values
        for key, values in zip(keys, numbers, strict=False)
    ]


@cache
def _template(rules: str, scored: bool, dealer: int, trump: int) -> str:
    match: dict[str, Any] = {"trump": cards.SUITS[trump] if trump >= 0 else None}
    if scored:
        match |= {"hands_played": NUMBER, "score": [NUMBER] * 2}
    return to_template(pinochle.opening(rules, dealer, _COMPUTERS, match))


@compiled
def begin_match(table: Any) -> None:
    """[R16] Draw the first dealer; by the servers' rules it is seat 0."""
    table.hands_played = 0
    table.score[:] = 0
    table.dealer = below(table.rng, SEATS) if table.draws_dealer else 0
    table.trump_before = cards.NO_SUIT


@compiled
def open_hand(table: Any, state: Any, opening: Any) -> None:
    """Fill a blank state as `begin` would from the opening's detail, and shuffle."""
    state.dealer = table.dealer
    state.declarer = table.dealer
    state.trump_before = table.trump_before
    if table.scored:
        state.in_match = 1
        state.before[:] = table.score
    dealing.shuffle_pack(table, _PACK)


@compiled
def follow(table: Any, state: Any, events: Any, size: Int) -> Int:
    """The deal, all melds, and the scores of tricks and of the match."""
    if state.phase == DEALING:
        return dealing.deal_hands(table, events, size, HAND_CARDS)
    if state.phase == MELDING:
        for seat in range(SEATS):
            _show(state, new_event(events, size + seat, Action.MELD_DECLARE, seat))
        return size + SEATS
    last = events[size - 1].action
    if table.scored and last in (Action.PLAY_CARD, Action.BID_THROW_IN):
        if last == Action.PLAY_CARD and state.trick_cards == 0:
            size = report_trick(state, events, size)
        if state.done:
            size = _report_scores(state, events, size)
    return size


@compiled
def _report_scores(state: Any, events: Any, size: Int) -> Int:
    """The match scores after the hand and, if the match is over, who has won."""
    for team in range(2):
        new_event(events, size + team, Action.SCORE_MATCH, team).amount = state.after[team]
    size += 2
    winner = match_winner(state.after, state.declarer & 1)
    for seat in range(SEATS if winner >= 0 else 0):
        new_event(events, size + seat, Action.SCORE_PLACE, seat).amount = 1 if seat & 1 == winner else 2
    return size + SEATS if winner >= 0 else size


@compiled
def _show(state: Any, event: Any) -> None:
    """A seat's whole meld."""
    seat = event.seat
    points, firsts, seconds = meld(
        state.firsts[seat], state.seconds[seat], state.trump, state.double_run_shows_both_nines == 1
    )
    event.amount = points
    event.count = spread(firsts, seconds, event.cards)


@compiled
def choose(table: Any, state: Any, events: Any, size: Int) -> Int:
    """Let the built-in player in turn act."""
    event = new_event(events, size, Action.PLAY_CARD, state.turn)
    if table.players[state.turn] == EXPERT:
        to_event(state, expert(state), event)
    elif state.phase == PLAYING:
        event.count = 1
        event.cards[0] = _choose_card(table.rng, state)
    elif state.phase == BIDDING:
        _choose_bid(table.rng, state, event)
    elif with_probability(table.rng, THROW_IN):
        event.action = Action.BID_THROW_IN
    else:
        event.action = Action.BID_TRUMP
        event.suit = below(table.rng, len(cards.SUITS))
    return size + 1


@compiled
def _choose_bid(rng: Any, state: Any, event: Any) -> None:
    """Mostly a pass, else mostly the lowest legal bid."""
    event.action = Action.BID_PASS
    if with_probability(rng, BID):
        event.action = Action.BID_BID
        event.amount = state.high_bid + 1
        while with_probability(rng, RAISE):
            event.amount += 1
    elif state.low_bids_are_passes and with_probability(rng, LOW_BID):
        event.action = Action.BID_BID
        event.amount = 1 + below(rng, state.high_bid)


@compiled
def _choose_card(rng: Any, state: Any) -> Int:
    """A random legal card; a card held twice is twice as likely."""
    legal = legal_cards(state)
    twice = legal & state.seconds[state.turn]
    kinds = size_of(legal)
    number = below(rng, kinds + size_of(twice))
    return nth_card(legal, number) if number < kinds else nth_card(twice, number - kinds)


@compiled
def settle(table: Any, state: Any) -> None:
    """Add the hand to the match score, end the match if it is won, and pass the deal on."""
    for team in range(2):
        table.score[team] += state.score[team]
    table.dealer = (table.dealer + 1) % SEATS
    if state.tricks == TRICKS:
        table.hands_played += 1
        table.trump_before = state.trump
    if match_winner(table.score, state.declarer & 1) >= 0:
        table.match = NO_MATCH


PLAYERS: Final = Players(
    names={
        "random": "any legal card, any trump, few bids",
        "expert": "bids what it can meld and take, plays by rules of thumb",
        "search": "averages exact values over deals that fit what it knows",
        "network": "has learnt what search bids and plays",
    },
    rules={
        BOOK: "docs/rules/pinochle.md",
        "jan2013": "the server of 2013: a hand thrown in is played on",
        "head2014": "the server of 2014",
    },
    table=dealing.table_dtype(
        len(_PACK),
        [
            ("hands_played", np.int32),  # in the match, without those thrown in
            ("score", np.int32, (2,)),  # of the match, before the hand
            ("draws_dealer", np.int8),
            ("dealer", np.int8),
            ("trump_before", np.int8),
        ],
    ),
    most_events=1 + 4 * SEATS + 1 + SEATS * HAND_CARDS + TRICKS + 2,
    usual_seats=SEATS,
    prepare=prepare,
    detail=dealing.detail_by(details),
    details=details,
    begin_match=begin_match,
    open_hand=open_hand,
    follow=follow,
    choose=choose,
    settle=settle,
    winner_of=lambda table, state: match_winner(table["score"], int(state["declarer"]) & 1),
    expert=expert,
    in_state=BEFORE | {"trump_before": "trump_before"},
)
