"""Kaiser's players, who play at many tables at once, as in the online game's log. The random one bids without
looking at its cards. The frequencies below imitate the rows of tests/fixtures/kaiser and lead to similar
contracts: seven in ten are the minimum, more than a quarter are forced on the dealer, one in seven is taken
by the dealer, who equalled the highest bid, and one in twenty-five is without trump."""

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
from cardlog.models.engine.rng import below, pick, with_probability
from cardlog.models.engine.trick import BEFORE, SEATS, report_trick
from cardlog.models.kaiser import rules as kaiser
from cardlog.models.kaiser.decisions import to_event
from cardlog.models.kaiser.expert import expert
from cardlog.models.kaiser.legal import legal_bids, legal_cards
from cardlog.models.kaiser.state import (
    DEALING,
    DECK_TEXT,
    HAND_CARDS,
    HIGHEST_BID,
    LOWEST_BID,
    NAMING,
    PASSED,
    PASSING,
    PLAYING,
    TRICKS,
    Settings,
    begin,
    opening,
)
from cardlog.schemas import cards
from cardlog.schemas.events import NO_SEAT, Action

# Frequencies, in thousandths.
MINIMUM_BIDS: Final = np.arange(LOWEST_BID, LOWEST_BID + 4)
MINIMUM_WEIGHTS: Final = np.array([25, 120, 795, 60])
PASS_CARDS: Final = 420
NO_TRUMP_OUT_AT_62: Final = 420
OVER_AT_MINUS_52: Final = 720
PASS_AS_FIRST: Final = 660  # passes while nobody has bid
PASS_OVER_A_BID: Final = 860
PASS_AS_DEALER: Final = 740  # passes of a dealer who need only equal the highest bid
NO_TRUMP: Final = 30  # bids without trump, of all bids
RAISE: Final = 140  # bids one above the lowest, of all bids; two above, of these; and so on
KAISER: Final = 8  # bids of twelve without trump, of all bids

_DECK: Final = np.array(cards.codes(DECK_TEXT), np.uint8)


def prepare(setup: Setup, tables: Records) -> Records:
    """See `Players`."""
    return begin(json.loads(opening(Settings(), 0, [None] * SEATS)))


def details(setup: Setup, tables: Records) -> list[str]:
    """See `Players`."""
    names = ("dealer", "min_bid", "pass_cards", "no_trump_out", "minus_52", "no_trump")
    keys = zip(*(tables[name].tolist() for name in names), strict=True)
    scores = map(tuple, tables["score"].tolist()) if setup.scored else repeat(())
    return [_template(setup.scored, key) % score for key, score in zip(keys, scores, strict=False)]


@cache
def _template(scored: bool, key: tuple[int, ...]) -> str:
    dealer, min_bid, passes, no_trump_out, minus_52, no_trump = key
    settings = Settings(min_bid, bool(passes), no_trump_out, bool(minus_52))
    extra = {"match": {"score": [NUMBER] * 2, "no_trump": bool(no_trump)}} if scored else None
    return to_template(opening(settings, dealer, [True] * SEATS, extra))


@compiled
def begin_match(table: Any) -> None:
    """Pick settings and the dealer at random."""
    rng = table.rng
    table.score[:] = 0
    table.no_trump = 0
    table.dealer = below(rng, SEATS)
    table.min_bid = MINIMUM_BIDS[pick(rng, MINIMUM_WEIGHTS)]
    table.pass_cards = with_probability(rng, PASS_CARDS)
    table.no_trump_out = 62 if with_probability(rng, NO_TRUMP_OUT_AT_62) else 52
    table.minus_52 = with_probability(rng, OVER_AT_MINUS_52)


@compiled
def open_hand(table: Any, state: Any, opening: Any) -> None:
    """Fill a blank state as `begin` would from the opening's detail, and shuffle."""
    dealing.stamp(table, opening)
    dealing.shuffle_pack(table, _DECK)
    state.dealer = table.dealer
    state.min_bid = table.min_bid
    state.pass_cards = table.pass_cards
    state.no_trump_out = table.no_trump_out
    if table.scored:
        state.in_match = 1
        state.before[:] = table.score
        state.no_trump_before = table.no_trump


@compiled
def follow(table: Any, state: Any, events: Any, size: Int) -> Int:
    """The deal, the passing of cards if the table plays with it, and the scores of tricks and of the hand."""
    if state.phase == DEALING:
        return dealing.deal_hands(table, events, size, HAND_CARDS)
    if state.phase == PASSING:
        for seat in range(SEATS):
            _choose_passed(table.rng, state, new_event(events, size + seat, Action.DEAL_PASS, seat))
        return size + SEATS
    if table.scored and events[size - 1].action == Action.PLAY_CARD and state.trick_cards == 0:
        size = report_trick(state, events, size)
        if state.done:
            size = _report_scores(state, events, size)
    return size


@compiled
def _report_scores(state: Any, events: Any, size: Int) -> Int:
    """The scores of the hand and of the match; returns the index of the next event."""
    for team in range(2):
        new_event(events, size + team, Action.SCORE_HAND, team).amount = state.score[team]
        after = _match_score_after(state, state.before[team], team)
        new_event(events, size + 2 + team, Action.SCORE_MATCH, team).amount = after
    return size + 4


@compiled
def _choose_passed(rng: Any, state: Any, event: Any) -> None:
    """Pass two random cards of the hand to the partner."""
    first = below(rng, HAND_CARDS)
    second = (first + 1 + below(rng, HAND_CARDS - 1)) % HAND_CARDS
    event.count = 2
    event.cards[0] = state.dealt_cards[event.seat, first]
    event.cards[1] = state.dealt_cards[event.seat, second]


@compiled
def choose(table: Any, state: Any, events: Any, size: Int) -> Int:
    """Let the built-in player in turn act."""
    event = new_event(events, size, Action.PLAY_CARD, state.turn)
    if table.players[state.turn] == EXPERT:
        to_event(state, expert(state), event)
    elif state.phase == PLAYING:
        _choose_card(table.rng, state, event)
    elif state.phase == NAMING:
        event.action = Action.BID_TRUMP
        event.suit = below(table.rng, len(cards.SUITS))
    else:
        to_event(state, _choose_bid(table.rng, state), event)
    return size + 1


@compiled
def _choose_card(rng: Any, state: Any, event: Any) -> None:
    """A random legal card."""
    legal = legal_cards(state)
    held = state.dealt_cards[state.turn]
    count = 0
    for index in range(HAND_CARDS):
        count += legal >> held[index] & 1
    skipped = below(rng, count)
    for index in range(HAND_CARDS):
        if legal >> held[index] & 1:
            if skipped == 0:
                event.cards[0] = held[index]
            skipped -= 1
    event.count = 1


@compiled
def _choose_bid(rng: Any, state: Any) -> int:
    """The rank of a legal bid: mostly a pass, else mostly the lowest number with trump."""
    legal = legal_bids(state)
    is_first = state.declarer == NO_SEAT
    may_pass = legal & 1 == 1
    if may_pass:
        passes = PASS_AS_FIRST if is_first else PASS_OVER_A_BID
        if not is_first and state.turn == state.dealer:
            passes = PASS_AS_DEALER
        if with_probability(rng, passes):
            return PASSED
    if with_probability(rng, KAISER):
        rank = 2 * HIGHEST_BID + 1
    else:
        rank = 2 * state.min_bid + with_probability(rng, NO_TRUMP)
        while rank <= 2 * HIGHEST_BID + 1 and legal >> rank & 1 == 0:
            rank += 2
        while with_probability(rng, RAISE):
            rank += 2
    if rank <= 2 * HIGHEST_BID + 1 and legal >> rank & 1:
        return rank
    return PASSED if may_pass else 2 * state.min_bid


@compiled
def _match_score_after(state: Any, before: int, team: int) -> int:
    """A team's match score after the hand."""
    return kaiser.settle(before, state.score[team], team == state.declarer & 1, state.min_bid)


@compiled
def settle(table: Any, state: Any) -> None:
    """Add the hand to the match score, end the match if it is won, and pass the deal on."""
    for team in range(2):
        table.score[team] = _match_score_after(state, table.score[team], team)
    table.no_trump |= state.bids[state.declarer] & 1
    table.dealer = (table.dealer + 1) % SEATS
    if winner_of(table, state) >= 0:
        table.match = NO_MATCH


@compiled
def winner_of(table: Any, state: Any) -> int:
    """The team that has won the match, whose score includes this hand; -1 while neither has."""
    team = state.declarer & 1
    kaiser_bid = 0
    if state.bids[state.declarer] == 2 * HIGHEST_BID + 1:
        kaiser_bid = 1 if state.points[team] >= HIGHEST_BID else -1
    target = kaiser.match_target(table.no_trump_out, table.no_trump == 1)
    return kaiser.match_winner(table.score, team, target, table.minus_52 == 1, kaiser_bid)


PLAYERS: Final = Players(
    names={
        "random": "any legal card, the bids of a cautious table",
        "expert": "bids what its hand is worth, plays by rules of thumb",
        "search": "averages exact values over deals that fit what it knows",
        "network": "has learnt from exact values what cards are worth, from search what to bid",
    },
    rules={BOOK: "docs/rules/kaiser.md"},
    table=dealing.table_dtype(
        len(_DECK),
        [
            ("score", np.int16, (2,)),  # of the match, before the hand
            ("no_trump", np.int8),  # whether the match had a contract without trump before the hand
            ("dealer", np.int8),
            ("min_bid", np.int8),
            ("pass_cards", np.int8),
            ("no_trump_out", np.int8),
            ("minus_52", np.int8),
        ],
    ),
    most_events=1 + 3 * SEATS + 1 + SEATS * HAND_CARDS + TRICKS + 4,
    usual_seats=SEATS,
    prepare=prepare,
    detail=dealing.detail_by(details),
    details=details,
    begin_match=begin_match,
    open_hand=open_hand,
    follow=follow,
    choose=choose,
    settle=settle,
    winner_of=winner_of,
    expert=expert,
    # no cards are passed: passing is not a decision in training rows, so there is no action for it
    agreed={"min_bid": 7, "pass_cards": 0, "no_trump_out": 52, "minus_52": 1},
    in_state=BEFORE
    | {name: name for name in ("min_bid", "pass_cards", "no_trump_out")}
    | {"no_trump": "no_trump_before"},
    tables=40,
)
