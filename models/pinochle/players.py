"""Pinochle's players: who plays the hands that `cardlog simulate` writes.

`Simulation` plays match after match at one table. Every choice is taken from what the model allows and
goes through `evolve`, so a simulated hand is legal as a logged one is.

The random player bids without looking at its cards, now and then, mostly the lowest number; it names
any trump, rarely throws a hand in, and plays any legal card. All seats show their whole meld.
"""

import json
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cardlog.models.compiled import compiled
from cardlog.models.fold import Records
from cardlog.models.pinochle import rules as pinochle
from cardlog.models.pinochle.cards import DECK_CODES, meld, size_of, spread
from cardlog.models.pinochle.dialects import match_winner
from cardlog.models.pinochle.rules import HAND_CARDS, SEATS, TRICKS
from cardlog.models.playing import BOOK, Played, at_seats, new_event
from cardlog.models.rng import begin, below, happens, shuffle
from cardlog.schemas import cards
from cardlog.schemas.events import NO_SEAT, compiled_dtype

PLAYERS: Final = {"random": "any legal card, any trump, few bids"}
"""The players there are."""
RULES: Final = {
    BOOK: "docs/rules/pinochle.md",
    "jan2013": "those of the server of 2013: a hand thrown in is played on",
    "head2014": "those of the server of 2014",
}
"""The rules they can play by."""

MOST_EVENTS: Final = 1 + 4 * SEATS + 1 + SEATS * HAND_CARDS + TRICKS + 2
"""Events of a hand: the opening, hands, bids, melds and places, trump, cards, tricks and scores."""

# How often something happens, in thousandths.
BID: Final = 300
RAISE: Final = 500
"""Of the bids, those of a number more than the lowest; of these again those of yet one more."""
LOW_BID: Final = 20
"""Of the passes, those said as a number too low, where the rules take it for a pass."""
THROW_IN: Final = 30

_PACK: Final = np.repeat(DECK_CODES, 2).astype(np.uint8)
_BIT_MODULUS: Final = 67
"""Divided by this prime, the first 62 powers of two all leave different rests."""
_CODE_OF: Final = np.zeros(_BIT_MODULUS, np.uint8)
for _code in range(62):
    _CODE_OF[2**_code % _BIT_MODULUS] = _code

TABLE: Final = compiled_dtype(
    [
        ("match", np.int32),  # its number
        ("hand_no", np.int32),
        ("hands_played", np.int32),  # those that counted
        ("score", np.int32, (2,)),  # of the match, before the hand
        ("dealer", np.int8),
        ("trump_before", np.int8),
    ]
)
"""What is known at the table before a hand."""


class Simulation:
    """Hands without end, the same for the same key, however many are asked for at a time.

    key
        Where chance begins, 64 bits.
    scores
        Whether the log tells the match score before each hand and, as events, what each trick brought
        and what the match came to. The hands themselves are the same with and without.
    players
        Who plays.
    rules
        A name of `RULES`.
    """

    def __init__(
        self, key: int, scores: bool, players: tuple[str, ...] = ("random",), rules: str = BOOK
    ) -> None:
        at_seats(players, SEATS)
        self._key = np.uint64(key)
        self._scores = scores
        self._rules = rules
        self._done = 0
        self._table = np.zeros(1, TABLE)
        self._table["trump_before"] = cards.NO_SUIT
        self._blank = pinochle.begin(json.loads(pinochle.opening(rules, 0, [{}] * SEATS)))

    def play(self, count: int) -> Played:
        """The next hands."""
        events = np.empty(count * MOST_EVENTS, pinochle.EVENT)
        offsets = np.zeros(count + 1, np.int64)
        before = np.empty(count, TABLE)
        refused = _play(
            self._key, self._done, self._scores, self._blank, self._table, before, events, offsets
        )
        if refused >= 0:
            raise AssertionError(f"hand {self._done + refused}: the player did what the rules forbid")
        self._done += count
        events = events[: offsets[-1]]
        details, which = self._openings(before)
        events["detail"][offsets[:-1]] = which
        return Played(events, offsets, details, before["match"].copy(), before["hand_no"].copy())

    def _openings(self, before: Records) -> tuple[list[str], NDArray[np.int32]]:
        """The openings' details without repetition, and which one each hand has."""
        key = before["dealer"].astype(np.int64) << 4 | before["trump_before"] + 1
        if self._scores:
            key = key << 16 | before["hands_played"]
            for team in range(2):
                key = key << 20 | (before["score"][:, team] + 2**19)
        _, firsts, which = np.unique(key, return_index=True, return_inverse=True)
        return [self._opening(*row) for row in before[firsts].tolist()], which.astype(np.int32)

    def _opening(
        self, _match: int, _hand_no: int, hands_played: int, score: list[int], dealer: int, trump: int
    ) -> str:
        """As `pinochle.opening` has it; hardly two are alike, so this must be quick."""
        known = f'"trump":"{cards.SUITS[trump]}"' if trump >= 0 else '"trump":null'
        if self._scores:
            known = f'"hands_played":{hands_played},"score":[{score[0]},{score[1]}],{known}'
        return (
            f'{{"dealer":{dealer},"match":{{{known}}},"players":[{{}},{{}},{{}},{{}}],'
            f'"settings":{{"dialect":"{self._rules}"}}}}'
        )


@compiled
def _play(
    key: np.uint64,
    first: int,
    scores: bool,
    blank: Any,
    tables: Any,
    before: Any,
    events: Any,
    offsets: Any,
) -> int:
    """Play hands, from number `first` on; returns the place of one that was refused, -1 if none."""
    chance = np.zeros(1, np.uint64)
    pack = np.empty(len(_PACK), np.uint8)
    state = blank.copy()
    table = tables[0]
    for place in range(len(before)):
        begin(chance, key, first + place)
        before[place] = table
        state[0] = blank[0]
        _sit_down(state[0], table, scores)
        new_event(events, offsets[place], pinochle.OPEN, NO_SEAT)
        offsets[place + 1] = _play_hand(chance, pack, state[0], scores, events, offsets[place])
        if offsets[place + 1] < 0:
            return place
        _settle(state[0], table)
    return -1


@compiled
def _sit_down(state: Any, table: Any, scores: bool) -> None:
    """Put into a blank state what `pinochle.begin` would take from the opening's detail."""
    state.dealer = table.dealer
    state.declarer = table.dealer
    state.trump_before = table.trump_before
    if scores:
        state.in_match = 1
        state.before[:] = table.score


@compiled
def _play_hand(chance: Any, pack: Any, state: Any, scores: bool, events: Any, size: int) -> int:
    """Deal, bid, name trump, meld and play, after the opening at `size`; returns where the hand ends
    in `events`, -1 if an event was refused."""
    refused = pinochle.evolve(state, events[size])
    size += 1
    pack[:] = _PACK
    shuffle(chance, pack)
    for seat in range(SEATS):
        event = new_event(events, size, pinochle.DEAL_HAND, seat)
        event.count = HAND_CARDS
        event.cards[:HAND_CARDS] = pack[seat * HAND_CARDS : (seat + 1) * HAND_CARDS]
        refused |= pinochle.evolve(state, event)
        size += 1
    melded = 0
    while state.phase != pinochle.DONE and refused == 0:
        tricks = state.tricks
        event = new_event(events, size, pinochle.PLAY_CARD, state.turn)
        if state.phase == pinochle.MELDING:
            _show(state, event, melded)
            melded += 1
        else:
            _choose(chance, state, event)
        refused |= pinochle.evolve(state, event)
        size += 1
        if scores and state.tricks > tricks:
            event = new_event(events, size, pinochle.SCORE_TRICK, state.winners[tricks])
            event.amount = state.values[tricks]
            refused |= pinochle.evolve(state, event)
            size += 1
    if scores and refused == 0:
        return _tell(state, events, size)
    return size if refused == 0 else -1


@compiled
def _tell(state: Any, events: Any, size: int) -> int:
    """The match scores after the hand and, if it is over, who has won; returns where they end."""
    for team in range(2):
        event = new_event(events, size, pinochle.SCORE_MATCH, team)
        event.amount = state.after[team]
        if pinochle.evolve(state, event) != 0:
            return -1
        size += 1
    winner = match_winner(state.after, state.declarer & 1)
    for seat in range(SEATS if winner >= 0 else 0):
        event = new_event(events, size, pinochle.SCORE_PLACE, seat)
        event.amount = 1 if seat & 1 == winner else 2
        if pinochle.evolve(state, event) != 0:
            return -1
        size += 1
    return size


@compiled
def _show(state: Any, event: Any, seat: int) -> None:
    """A seat's meld, all of it."""
    event.action = pinochle.DECLARE
    event.seat = seat
    points, firsts, seconds = meld(
        state.firsts[seat], state.seconds[seat], state.trump, state.double_run_shows_both_nines == 1
    )
    event.amount = points
    event.count = spread(firsts, seconds, event.cards)


@compiled
def _choose(chance: Any, state: Any, event: Any) -> None:
    """What the seat in turn does."""
    if state.phase == pinochle.PLAYING:
        _choose_card(chance, state, event)
    elif state.phase == pinochle.NAMING:
        if happens(chance, THROW_IN):
            event.action = pinochle.THROW_IN
        else:
            event.action = pinochle.NAME_TRUMP
            event.suit = below(chance, len(cards.SUITS))
    else:
        _choose_bid(chance, state, event)


@compiled
def _choose_bid(chance: Any, state: Any, event: Any) -> None:
    """Mostly a pass, else mostly the lowest bid there is."""
    event.action = pinochle.BID_PASS
    if happens(chance, BID):
        event.action = pinochle.BID
        event.amount = state.high_bid + 1
        while happens(chance, RAISE):
            event.amount += 1
    elif state.low_bids_are_passes and happens(chance, LOW_BID):
        event.action = pinochle.BID
        event.amount = 1 + below(chance, state.high_bid)


@compiled
def _choose_card(chance: Any, state: Any, event: Any) -> None:
    """Any card of those held that is legal, each as likely."""
    legal = pinochle.legal_cards(state)
    singles = int(size_of(legal))
    left = below(chance, singles + int(size_of(legal & state.seconds[state.turn])))
    if left >= singles:
        left -= singles
        legal &= state.seconds[state.turn]
    for _ in range(left):
        legal &= legal - 1
    event.cards[0] = _CODE_OF[(legal & -legal) % _BIT_MODULUS]
    event.count = 1


@compiled
def _settle(state: Any, table: Any) -> None:
    """Put the hand into the match, end the match if it is won, and move the deal on."""
    for team in range(2):
        table.score[team] += state.score[team]
    winner = match_winner(table.score, state.declarer & 1)
    table.hand_no += 1
    table.dealer = (table.dealer + 1) % SEATS
    if state.tricks == TRICKS:
        table.hands_played += 1
        table.trump_before = state.trump
    if winner >= 0:
        table.match += 1
        table.hand_no = 0
        table.hands_played = 0
        table.score[:] = 0
        table.dealer = 0
        table.trump_before = cards.NO_SUIT
