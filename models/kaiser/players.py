"""Kaiser's players: who plays the hands that `cardlog simulate` writes.

`Simulation` plays hand after hand at `TABLES` tables at once, the way the online game's log comes:
consecutive hands belong to different matches. Every choice is taken from what `legal_bids` and
`legal_cards` allow and goes through `evolve`, so a simulated hand is legal as a logged one is.

The random player bids without looking at its cards. How often it does what follows the fixture's
rows (tests/fixtures/kaiser) with few numbers, those named below; its contracts come out alike: seven
in ten are the minimum, more than a quarter were forced on the dealer, one in seven the dealer took
by equalling the highest bid, one in twenty-five is without trump.
"""

import json
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cardlog.models.compiled import compiled
from cardlog.models.fold import Records
from cardlog.models.kaiser import rules as kaiser
from cardlog.models.kaiser.rules import HAND_CARDS, HIGHEST_BID, PASSED, SEATS, TRICKS
from cardlog.models.playing import BOOK, Played, at_seats, new_event
from cardlog.models.rng import begin, below, happens, pick, shuffle
from cardlog.schemas import cards
from cardlog.schemas.events import NO_SEAT, compiled_dtype

PLAYERS: Final = {"random": "any legal card, the bids of a cautious table"}
"""The players there are."""
RULES: Final = {BOOK: "docs/rules/kaiser.md"}
"""The rules they can play by."""

TABLES: Final = 40
"""Tables that play at the same time."""
MOST_EVENTS: Final = 1 + 3 * SEATS + 1 + SEATS * HAND_CARDS + TRICKS + 4
"""Events of a hand: the opening, hands, cards passed and bids, trump, cards, tricks and scores."""

FIRST_TIME: Final = 1_577_836_800_000_000
"""When the first hand is recorded: 2020-01-01 UTC, in microseconds."""
HAND_TIME: Final = 3_000_000
"""Microseconds between hands, over all tables; each comes somewhere within its own span."""

# How often something happens, in thousandths.
MINIMUM_BIDS: Final = np.arange(kaiser.LOWEST_BID, kaiser.LOWEST_BID + 4)
MINIMUM_WEIGHTS: Final = np.array([25, 120, 795, 60])
PASS_CARDS: Final = 420
NO_TRUMP_OUT_AT_62: Final = 420
OVER_AT_MINUS_52: Final = 720
COMPUTERS: Final = 260
"""Each seat by itself."""
PASS_AS_FIRST: Final = 660
"""A pass while nobody has bid."""
PASS_OVER_A_BID: Final = 860
PASS_AS_DEALER: Final = 740
"""The dealer's, who need only equal the highest bid."""
NO_TRUMP: Final = 30
"""Of the bids, those without trump."""
RAISE: Final = 140
"""Of the bids, those of a number more than the lowest; of these again those of yet one more."""
KAISER: Final = 8
"""Of the bids, those of twelve without trump."""

_DECK: Final = np.array(cards.codes(kaiser.DECK_TEXT), np.uint8)

NO_MATCH: Final = -1
TABLE: Final = compiled_dtype(
    [
        ("match", np.int32),  # its number, NO_MATCH if none is on
        ("hand_no", np.int32),
        ("score", np.int16, (2,)),  # of the match, before the hand
        ("no_trump", np.int8),  # whether the match had a contract without trump before the hand
        ("dealer", np.int8),
        ("min_bid", np.int8),
        ("pass_cards", np.int8),
        ("no_trump_out", np.int8),
        ("minus_52", np.int8),
        ("computers", np.int8),  # seats that a computer plays, one bit each
    ]
)
"""What is known at a table before a hand."""


class Simulation:
    """Hands without end, the same for the same key, however many are asked for at a time.

    key
        Where chance begins, 64 bits.
    scores
        Whether the log tells the match score before each hand and, as events, what each trick and
        hand brought. The hands themselves are the same with and without.
    players, rules
        Who plays, and by which rules. Of both Kaiser has only one.
    """

    def __init__(
        self, key: int, scores: bool, players: tuple[str, ...] = ("random",), rules: str = BOOK
    ) -> None:
        at_seats(players, SEATS)
        self._key = np.uint64(key)
        self._scores = scores
        self._done = 0
        self._matches = np.zeros(1, np.int32)
        self._tables = np.zeros(TABLES, TABLE)
        self._tables["match"] = NO_MATCH
        self._blank = kaiser.begin(json.loads(kaiser.opening(kaiser.Settings(), 0, [None] * SEATS)))

    def play(self, count: int) -> Played:
        """The next hands."""
        events = np.empty(count * MOST_EVENTS, kaiser.EVENT)
        offsets = np.zeros(count + 1, np.int64)
        before = np.empty(count, TABLE)
        refused = _play(
            self._key, self._done, self._scores, self._blank, self._tables, self._matches,
            before, events, offsets,
        )  # fmt: skip
        if refused >= 0:
            raise AssertionError(f"hand {self._done + refused}: the player did what the rules forbid")
        self._done += count
        events = events[: offsets[-1]]
        details, which = self._openings(before)
        events["detail"][offsets[:-1]] = which
        return Played(events, offsets, details, before["match"].copy(), before["hand_no"].copy())

    def _openings(self, before: Records) -> tuple[list[str], NDArray[np.int32]]:
        """The openings' details without repetition, and which one each hand has."""
        key = np.zeros(len(before), np.int64)
        names = ["dealer", "min_bid", "pass_cards", "no_trump_out", "minus_52", "computers"]
        for name in [*names, "no_trump"] if self._scores else names:
            key = key << 6 | before[name]
        for team in range(2) if self._scores else ():
            key ^= (before["score"][:, team].astype(np.int64) + 2**10) << (42 + 11 * team)
        _, firsts, which = np.unique(key, return_index=True, return_inverse=True)
        return [self._opening(row) for row in before[firsts]], which.astype(np.int32)

    def _opening(self, row: np.void) -> str:
        settings = kaiser.Settings(
            int(row["min_bid"]), bool(row["pass_cards"]), int(row["no_trump_out"]), bool(row["minus_52"])
        )
        computers: list[bool | None] = [bool(row["computers"] >> seat & 1) for seat in range(SEATS)]
        match = {"score": row["score"].tolist(), "no_trump": bool(row["no_trump"])}
        return kaiser.opening(
            settings, int(row["dealer"]), computers, {"match": match} if self._scores else None
        )


@compiled
def _play(
    key: np.uint64,
    first: int,
    scores: bool,
    blank: Any,
    tables: Any,
    matches: Any,
    before: Any,
    events: Any,
    offsets: Any,
) -> int:
    """Play hands, from number `first` on; returns the place of one that was refused, -1 if none."""
    chance = np.zeros(1, np.uint64)
    deck = np.empty(len(_DECK), np.uint8)
    state = blank.copy()
    for place in range(len(before)):
        number = first + place
        begin(chance, key, number)
        table = tables[number % len(tables)]
        if table.match == NO_MATCH:
            _begin_match(chance, table)
            table.match = matches[0]
            matches[0] += 1
        before[place] = table
        state[0] = blank[0]
        _sit_down(state[0], table, scores)
        opening = new_event(events, offsets[place], kaiser.OPEN, NO_SEAT)
        opening.amount = number + 1
        opening.at = FIRST_TIME + number * HAND_TIME + below(chance, HAND_TIME)
        offsets[place + 1] = _play_hand(chance, deck, state[0], scores, events, offsets[place])
        if offsets[place + 1] < 0:
            return place
        _settle(state[0], table)
    return -1


@compiled
def _begin_match(chance: Any, table: Any) -> None:
    """Agree on settings, and find who plays and deals."""
    table.hand_no = 0
    table.score[:] = 0
    table.no_trump = 0
    table.dealer = below(chance, SEATS)
    table.min_bid = MINIMUM_BIDS[pick(chance, MINIMUM_WEIGHTS)]
    table.pass_cards = happens(chance, PASS_CARDS)
    table.no_trump_out = 62 if happens(chance, NO_TRUMP_OUT_AT_62) else 52
    table.minus_52 = happens(chance, OVER_AT_MINUS_52)
    table.computers = 0
    for seat in range(SEATS):
        if happens(chance, COMPUTERS):
            table.computers |= 1 << seat


@compiled
def _sit_down(state: Any, table: Any, scores: bool) -> None:
    """Put into a blank state what `kaiser.begin` would take from the opening's detail."""
    state.dealer = table.dealer
    state.min_bid = table.min_bid
    state.pass_cards = table.pass_cards
    state.no_trump_out = table.no_trump_out
    if scores:
        state.in_match = 1
        state.before[:] = table.score
        state.no_trump_before = table.no_trump


@compiled
def _play_hand(chance: Any, deck: Any, state: Any, scores: bool, events: Any, size: int) -> int:
    """Deal, pass, bid, name trump and play, after the opening at `size`; returns where the hand
    ends in `events`, -1 if an event was refused."""
    refused = kaiser.evolve(state, events[size])
    size += 1
    deck[:] = _DECK
    shuffle(chance, deck)
    for seat in range(SEATS):
        event = new_event(events, size, kaiser.DEAL_HAND, seat)
        event.count = HAND_CARDS
        event.cards[:HAND_CARDS] = deck[seat * HAND_CARDS : (seat + 1) * HAND_CARDS]
        refused |= kaiser.evolve(state, event)
        size += 1
    for seat in range(SEATS if state.phase == kaiser.PASSING else 0):
        event = new_event(events, size, kaiser.DEAL_PASS, seat)
        _choose_passed(chance, state, event)
        refused |= kaiser.evolve(state, event)
        size += 1
    while state.phase != kaiser.DONE and refused == 0:
        tricks = state.tricks
        event = new_event(events, size, kaiser.PLAY_CARD, state.turn)
        _choose(chance, state, event)
        refused |= kaiser.evolve(state, event)
        size += 1
        if scores and state.tricks > tricks:
            event = new_event(events, size, kaiser.SCORE_TRICK, state.winners[tricks])
            event.amount = state.values[tricks]
            refused |= kaiser.evolve(state, event)
            size += 1
    for team in range(2 if scores else 0):
        event = new_event(events, size + team, kaiser.SCORE_HAND, team)
        event.amount = state.score[team]
        refused |= kaiser.evolve(state, event)
        event = new_event(events, size + 2 + team, kaiser.SCORE_MATCH, team)
        event.amount = _after(state, state.before[team], team)
        refused |= kaiser.evolve(state, event)
    return size + 4 * scores if refused == 0 else -1


@compiled
def _choose_passed(chance: Any, state: Any, event: Any) -> None:
    """Two cards of the hand for the partner."""
    first = below(chance, HAND_CARDS)
    second = (first + 1 + below(chance, HAND_CARDS - 1)) % HAND_CARDS
    event.count = 2
    event.cards[0] = state.dealt_cards[event.seat, first]
    event.cards[1] = state.dealt_cards[event.seat, second]


@compiled
def _choose(chance: Any, state: Any, event: Any) -> None:
    """What the seat in turn does."""
    if state.phase == kaiser.PLAYING:
        _choose_card(chance, state, event)
    elif state.phase == kaiser.NAMING:
        event.action = kaiser.NAME_TRUMP
        event.suit = below(chance, len(cards.SUITS))
    else:
        rank = _choose_bid(chance, state)
        event.action = kaiser.BID_PASS
        if rank != PASSED:
            event.action = kaiser.BID
            event.amount = rank >> 1
            event.suit = cards.NO_TRUMP if rank & 1 else cards.NO_SUIT


@compiled
def _choose_card(chance: Any, state: Any, event: Any) -> None:
    """Any legal card, each as likely."""
    legal = kaiser.legal_cards(state)
    held = state.dealt_cards[state.turn]
    count = 0
    for place in range(HAND_CARDS):
        count += legal >> held[place] & 1
    left = below(chance, count)
    for place in range(HAND_CARDS):
        if legal >> held[place] & 1:
            if left == 0:
                event.cards[0] = held[place]
            left -= 1
    event.count = 1


@compiled
def _choose_bid(chance: Any, state: Any) -> int:
    """The rank of a legal bid: mostly a pass, else mostly the lowest number with trump."""
    legal = kaiser.legal_bids(state)
    first = state.declarer == NO_SEAT
    may_pass = legal & 1 == 1
    if may_pass:
        passing = PASS_AS_FIRST if first else PASS_OVER_A_BID
        if not first and state.turn == state.dealer:
            passing = PASS_AS_DEALER
        if happens(chance, passing):
            return PASSED
    if happens(chance, KAISER):
        rank = 2 * HIGHEST_BID + 1
    else:
        rank = 2 * state.min_bid + happens(chance, NO_TRUMP)
        while rank <= 2 * HIGHEST_BID + 1 and legal >> rank & 1 == 0:
            rank += 2
        while happens(chance, RAISE):
            rank += 2
    if rank <= 2 * HIGHEST_BID + 1 and legal >> rank & 1:
        return rank
    return PASSED if may_pass else 2 * state.min_bid


@compiled
def _after(state: Any, before: int, team: int) -> int:
    """A team's match score after the hand."""
    return kaiser.settle(before, state.score[team], team == state.declarer & 1, state.min_bid)


@compiled
def _settle(state: Any, table: Any) -> None:
    """Put the hand into the match score, end the match if it is won, and move the deal on."""
    rank = state.bids[state.declarer]
    team = state.declarer & 1
    for side in range(2):
        table.score[side] = _after(state, table.score[side], side)
    table.no_trump |= rank & 1
    table.hand_no += 1
    table.dealer = (table.dealer + 1) % SEATS
    kaiser_bid = 0
    if rank == 2 * HIGHEST_BID + 1:
        kaiser_bid = 1 if state.points[team] >= HIGHEST_BID else -1
    target = kaiser.match_target(table.no_trump_out, table.no_trump == 1)
    if kaiser.match_winner(table.score, team, target, table.minus_52 == 1, kaiser_bid) >= 0:
        table.match = NO_MATCH
