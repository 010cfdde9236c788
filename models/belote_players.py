"""Belote's players: who plays the hands that `cardlog simulate` writes.

`Simulation` plays hand after hand at `TABLES` tables at once. Every choice is taken from what
`legal_bids`, `legal_cards` and `may_claim` allow and goes through `evolve`, so a simulated hand is legal
as a logged one is.

The random player does what that of the programs does: it names trump half the time, any suit as
likely, plays any legal card, and claims bela half the time.
"""

import json
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from models import belote, belote_state
from models.belote_score import SEATS, TRICKS
from models.belote_state import HAND_CARDS
from models.chance import begin, below, happens, shuffle
from models.compiled import Int, compiled
from models.fold import Records
from models.playing import BOOK, Played, at_seats, new_event
from schemas import cards
from schemas.events import NO_SEAT, compiled_dtype

PLAYERS: Final = {"random": "names trump half the time, any legal card"}
"""The players there are."""
RULES: Final = {
    BOOK: "docs/rules/belote.md",
    "cesmak": "the engine's: a led diamond frees everyone, no run ends in the ace",
    "bornabesic": "the same engine",
    "readme": "the same engine",
}
"""The rules they can play by."""

TABLES: Final = 40
"""Tables that play at the same time."""
MOST_EVENTS: Final = 1 + SEATS + SEATS + 6 + 1 + SEATS * HAND_CARDS + TRICKS + 6
"""Events of a hand: the opening, hands, bids, declarations, bela, cards, tricks and scores."""

# How often something happens, in thousandths.
PASS: Final = 500
CLAIM: Final = 500

_DECK: Final = np.array(cards.codes(belote_state.DECK_TEXT), np.uint8)

NO_MATCH: Final = -1
TABLE: Final = compiled_dtype(
    [
        ("match", np.int32),  # its number, NO_MATCH if none is on
        ("hand_no", np.int32),
        ("score", np.int16, (2,)),  # of the match, before the hand
        ("dealer", np.int8),
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
    players
        Who plays; there is only one kind.
    rules
        The dialect that is played.
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
        some = [{"kind": "computer"}] * SEATS
        self._blank = belote.begin(json.loads(belote.opening(rules, 0, players=some)))
        # An opening for each dealer, with a place for what differs between hands.
        self._patterns = [
            belote.opening(rules, dealer, players=some, score=[-1, -1] if scores else None)
            .replace("%", "%%")
            .replace("-1,-1", "%d,%d")
            for dealer in range(SEATS)
        ]

    def play(self, count: int) -> Played:
        """The next hands."""
        events = np.empty(count * MOST_EVENTS, belote.EVENT)
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
        """The openings' details, and which one each hand has. With scores hardly two are alike."""
        if not self._scores:
            return self._patterns, before["dealer"].astype(np.int32)
        ours, theirs = before["score"][:, 0].tolist(), before["score"][:, 1].tolist()
        patterns = [self._patterns[dealer] for dealer in before["dealer"].tolist()]
        details = [
            pattern % score for pattern, score in zip(patterns, zip(ours, theirs, strict=True), strict=True)
        ]
        return details, np.arange(len(before), dtype=np.int32)


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
            table.hand_no = 0
            table.score[:] = 0
            table.dealer = 0
            table.match = matches[0]
            matches[0] += 1
        before[place] = table
        state[0] = blank[0]
        state[0].dealer = table.dealer
        state[0].in_match = scores
        state[0].before[:] = table.score
        new_event(events, offsets[place], belote.OPEN, NO_SEAT).amount = number + 1
        offsets[place + 1] = _play_hand(chance, deck, state[0], scores, events, offsets[place])
        if offsets[place + 1] < 0:
            return place
        _settle(state[0], table)
    return -1


@compiled
def _play_hand(chance: Any, deck: Any, state: Any, scores: bool, events: Any, size: int) -> int:
    """Deal, bid, declare and play, after the opening at `size`; returns where the hand ends in `events`,
    -1 if an event was refused."""
    refused = belote.evolve(state, events[size])
    size += 1
    deck[:] = _DECK
    shuffle(chance, deck)
    for seat in range(SEATS):
        event = new_event(events, size, belote.DEAL_HAND, seat)
        event.count = HAND_CARDS
        event.cards[:HAND_CARDS] = deck[seat * HAND_CARDS : (seat + 1) * HAND_CARDS]
        refused |= belote.evolve(state, event)
        size += 1
    while state.phase == belote_state.BIDDING and refused == 0:
        event = new_event(events, size, belote.BID_PASS, state.turn)
        if belote.legal_bids(state) & 1 == 0 or not happens(chance, PASS):
            event.action = belote.NAME_TRUMP
            event.suit = below(chance, len(cards.SUITS))
        refused |= belote.evolve(state, event)
        size += 1
    size, reason = _declare(state, events, size)
    refused |= reason
    while state.done == 0 and refused == 0:
        tricks = state.tricks
        legal = belote.legal_cards(state)
        card = _choose(chance, legal)
        if _takes_bela(state, card) and happens(chance, CLAIM):
            refused |= belote.evolve(state, new_event(events, size, belote.CLAIM_BELA, state.turn))
            size += 1
        event = new_event(events, size, belote.PLAY_CARD, state.turn)
        event.count = 1
        event.cards[0] = card
        refused |= belote.evolve(state, event)
        size += 1
        if scores and state.tricks > tricks:
            event = new_event(events, size, belote.SCORE_TRICK, state.winners[tricks])
            event.amount = state.values[tricks]
            refused |= belote.evolve(state, event)
            size += 1
    if scores and refused == 0:
        size = _say_scores(state, events, size)
    return size if refused == 0 else -1


@compiled
def _declare(state: Any, events: Any, size: int) -> tuple[int, int]:
    """Show all that counts; returns where the events end, and the reason of one that was refused."""
    refused = 0
    team = belote.counting_team(state)
    for step in range(1, SEATS + 1 if team >= 0 else 1):
        seat = (state.dealer + step) & 3
        for number in range(state.found_count[seat] if seat & 1 == team else 0):
            event = new_event(events, size, belote.DECLARE, seat)
            for card in range(61):
                if state.found[seat, number] >> card & 1:
                    event.cards[event.count] = card
                    event.count += 1
            refused |= belote.evolve(state, event)
            size += 1
    return size, refused


@compiled
def _choose(chance: Any, legal: Int) -> Int:
    """Any card of a mask, each as likely."""
    count = 0
    left = legal
    while left:
        left &= left - 1
        count += 1
    for _ in range(below(chance, count)):
        legal &= legal - 1
    card: Int = np.int64(0)
    for step in (32, 16, 8, 4, 2, 1):
        if legal & ((np.int64(1) << step) - 1) == 0:
            legal >>= step
            card += step
    return card


@compiled
def _takes_bela(state: Any, card: Int) -> bool:
    """Whether a card is king or queen of trump and the other one is in the same hand."""
    both = belote.bela_cards(state)
    return bool(both >> card & 1 and both & ~state.hands[state.turn] == 0)


@compiled
def _say_scores(state: Any, events: Any, size: int) -> int:
    """What a team has, what that brings it, and the score of the match."""
    for team in range(2):
        new_event(events, size, belote.SCORE_POINTS, team).amount = belote.taken(state, team)
        new_event(events, size + 2, belote.SCORE_HAND, team).amount = state.score[team]
        after = state.before[team] + state.score[team]
        new_event(events, size + 4, belote.SCORE_MATCH, team).amount = after
        size += 1
    return size + 4


@compiled
def _settle(state: Any, table: Any) -> None:
    """Put the hand into the match score, end the match if it is won, and move the deal on."""
    for team in range(2):
        table.score[team] += state.score[team]
    table.hand_no += 1
    table.dealer = (table.dealer + 1) % SEATS
    if max(table.score[0], table.score[1]) >= belote_state.GAME_POINTS:
        table.match = NO_MATCH
