"""Five-card draw's players: who plays the hands that `cardlog simulate` writes.

`Simulation` plays hand after hand at `TABLES` tables at once. A match goes on until one player has all
the chips. Every bet and every draw is taken from what `legal_bets` and `legal_swaps` allow and goes through
`evolve`. All cards are told, so that a simulated hand says more than a logged one.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cardlog.models.compiled import Int, compiled
from cardlog.models.five_card_draw import rules as game
from cardlog.models.five_card_draw.rules import (
    HAND_CARDS,
    MAY_CALL,
    MAY_CHECK,
    MAY_FOLD,
    MAY_RAISE,
    SEATS,
    next_seat,
)
from cardlog.models.fold import Records
from cardlog.models.playing import BOOK, Played, at_seats, new_event
from cardlog.models.rng import begin, below, happens, pick, shuffle
from cardlog.schemas import cards
from cardlog.schemas.events import NO_SEAT, compiled_dtype

PLAYERS: Final = {"random": "any legal bet, any legal draw, without a look at the cards"}
"""The players there are."""
RULES: Final = {
    BOOK: "docs/rules/five_card_draw.md",
    "original": "as the program that wrote the logs plays",
    "original_unshuffled": "the same with a pack that is never shuffled",
}
"""The rules they can play by."""

TABLES: Final = 40
"""Tables that play at the same time."""
MOST_RAISES: Final = 4
"""In a round; then nobody raises any more, so that a hand has an end."""
MOST_EVENTS: Final = 1 + 2 * SEATS + 2 * (MOST_RAISES + 1) * SEATS + 2 * SEATS + 3 * SEATS
"""Events of a hand: the opening, antes and hands, bets, cards put away and drawn, and what comes of it."""

# How often something happens, in thousandths.
PLAYER_COUNTS: Final = np.arange(game.LEAST_SEATS, SEATS + 1)
PLAYER_WEIGHTS: Final = np.array([100, 200, 250, 250, 200])
ANTES: Final = np.array([5, 10, 25, 33])
ANTE_WEIGHTS: Final = np.array([400, 250, 200, 150])
CHIPS: Final = np.array([97, 100, 500, 1000])
CHIPS_WEIGHTS: Final = np.array([150, 250, 400, 200])
FOLD: Final = 320
"""Of the moments in which a bet must be called."""
RAISE: Final = 230
"""Of those in which one may raise."""
SIZE_WEIGHTS: Final = np.array([500, 250, 150, 100])
"""Of the raises: by up to half the pot, up to the pot, up to all the chips; and all the chips."""
SWAP_WEIGHTS: Final = np.array([100, 250, 300, 300, 50])
"""Of the draws, those of 0 to 4 cards."""

FIRST_TIME: Final = 1_577_836_800_000_000
"""When the first hand is recorded: 2020-01-01 UTC, in microseconds."""
HAND_TIME: Final = 3_000_000
"""Microseconds between hands, over all tables; each comes somewhere within its own span."""

NO_MATCH: Final = -1
TABLE: Final = compiled_dtype(
    [
        ("match", np.int32),  # its number, NO_MATCH if none is on
        ("hand_no", np.int32),
        ("dealer", np.int8),
        ("players", np.int8),
        ("ante", np.int32),
        ("chips", np.int32, (SEATS,)),  # before the hand
    ]
)
"""What is known at a table before a hand."""

_DECK: Final = np.array(cards.codes(game.DECK_TEXT), np.uint8)


class Simulation:
    """Hands without end, the same for the same key, however many are asked for at a time.

    key
        Where chance begins, 64 bits.
    scores
        Whether, as in a log, events tell who shows, what each player gets and what he has then. The hands
        themselves are the same with and without.
    players, rules
        Who plays, one name for all or one a seat, and by which of `RULES`.
    """

    def __init__(
        self, key: int, scores: bool, players: tuple[str, ...] = ("random",), rules: str = BOOK
    ) -> None:
        at_seats(players, SEATS)
        self._key = np.uint64(key)
        self._scores = scores
        self._rules = rules
        self._done = 0
        self._matches = np.zeros(1, np.int32)
        self._tables = np.zeros(TABLES, TABLE)
        self._tables["match"] = NO_MATCH
        self._blank = np.zeros(1, game.STATE)
        game.put_down(self._blank[0], game.RULES[rules], 1, 0, [])

    def play(self, count: int) -> Played:
        """The next hands."""
        events = np.empty(count * MOST_EVENTS, game.EVENT)
        offsets = np.zeros(count + 1, np.int64)
        before = np.empty(count, TABLE)
        rules = game.RULES[self._rules]
        refused = _play(
            self._key, self._done, self._scores, rules.shuffles, rules.deals_as_registered, self._blank,
            self._tables, self._matches, before, events, offsets,
        )  # fmt: skip
        if refused >= 0:
            raise AssertionError(f"hand {self._done + refused}: the player did what the rules forbid")
        self._done += count
        events = events[: offsets[-1]]
        events["detail"][offsets[:-1]] = np.arange(count)
        details = self._openings(before)
        return Played(events, offsets, details, before["match"].copy(), before["hand_no"].copy())

    def _openings(self, before: Records) -> list[str]:
        """The details of the openings, as `game.opening` makes them; no two hands have the same chips."""
        names = {chips: self._players(chips) for chips in {self._seated(row) for row in before["chips"]}}
        found = []
        for row, chips in zip(before.tolist(), before["chips"], strict=True):
            _, _, dealer, players, ante, _ = row
            score = str(chips[:players].tolist()).replace(" ", "")
            seated = names[self._seated(chips)][players]
            found.append(
                f'{{"dealer":{dealer},"match":{{"score":{score}}},"players":{seated},'
                f'"settings":{{"ante":{ante},"dialect":"{self._rules}"}}}}'
            )
        return found

    @staticmethod
    def _seated(chips: NDArray[np.int32]) -> bytes:
        return (chips > 0).tobytes()

    @staticmethod
    def _players(seated: bytes) -> dict[int, str]:
        """Who sits at the seats with chips, for every number of players."""
        one = '{{"kind":"computer","name":"player {}"}}'
        texts = [one.format(seat) if held else "null" for seat, held in enumerate(seated)]
        return {count: f"[{','.join(texts[:count])}]" for count in range(game.LEAST_SEATS, SEATS + 1)}


@compiled
def _play(
    key: np.uint64,
    first: int,
    scores: bool,
    shuffles: bool,
    as_registered: bool,
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
        _sit_down(state[0], table)
        for card in range(len(_DECK)):
            deck[card] = _DECK[card]
        if shuffles:
            shuffle(chance, deck)
        opening = new_event(events, offsets[place], game.OPEN, NO_SEAT)
        opening.amount = number + 1
        opening.at = FIRST_TIME + number * HAND_TIME + below(chance, HAND_TIME)
        size = _play_hand(chance, deck, state[0], as_registered, events, offsets[place])
        if size >= 0 and scores:
            size = _tell(state[0], events, size)
        if size < 0:
            return place
        offsets[place + 1] = size
        _settle(state[0], table)
    return -1


@compiled
def _begin_match(chance: Any, table: Any) -> None:
    """Find who plays, with how many chips, for what ante."""
    table.hand_no = 0
    table.players = PLAYER_COUNTS[pick(chance, PLAYER_WEIGHTS)]
    table.ante = ANTES[pick(chance, ANTE_WEIGHTS)]
    chips = CHIPS[pick(chance, CHIPS_WEIGHTS)]
    for seat in range(SEATS):
        table.chips[seat] = chips if seat < table.players else 0
    table.dealer = below(chance, table.players)


@compiled
def _sit_down(state: Any, table: Any) -> None:
    """Put into a blank state what `game.begin` would take from the opening's detail."""
    state.dealer = table.dealer
    state.ante = table.ante
    for seat in range(SEATS):
        state.start[seat] = table.chips[seat]
        state.stack[seat] = table.chips[seat]
        if table.chips[seat] > 0:
            state.present |= 1 << seat
    state.live = state.present


@compiled
def _play_hand(chance: Any, deck: Any, state: Any, as_registered: bool, events: Any, size: int) -> int:
    """Play a hand out; returns where its events end, -1 if one was refused."""
    if game.evolve(state, events[size]) != 0:
        return -1
    size += 1
    top = 0  # cards of the pack that are dealt
    seat = SEATS - 1 if as_registered else np.int64(state.dealer)
    while state.done == 0:
        event = new_event(events, size, game.BID_ANTE, state.turn)
        if state.phase == game.ANTES:
            event.amount = min(state.ante, state.stack[state.turn])
        elif state.phase == game.DEALING:
            seat = next_seat(state.present, seat)
            event.action = game.DEAL_HAND
            event.seat = seat
            _take(deck, top, HAND_CARDS, event)
            top += HAND_CARDS
        elif state.phase == game.DRAWING and state.replaced > 0:
            event.action = game.DEAL_DRAW
            _take(deck, top, state.replaced, event)
            top += state.replaced
        elif state.phase == game.DRAWING:
            _choose_cards(chance, state, len(deck) - top, event)
        else:
            _choose_bet(chance, state, event)
        if game.evolve(state, event) != 0:
            return -1
        size += 1
    return size


@compiled
def _take(deck: Any, top: int, count: int, event: Any) -> None:
    """Let an event show the next cards of the pack."""
    event.count = count
    for place in range(count):
        event.cards[place] = deck[top + place]


@compiled
def _choose_cards(chance: Any, state: Any, left: int, event: Any) -> None:
    """Any cards, as many as are legal and the pack still has; of four, the fifth is an ace."""
    event.action = game.DISCARD
    count = min(pick(chance, SWAP_WEIGHTS), left)
    if game.legal_swaps(state) >> count & 1 == 0:
        count = game.MOST_SWAPPED
    held = state.held_cards[state.turn].copy()
    shuffle(chance, held)
    if count > game.MOST_SWAPPED:
        for place in range(HAND_CARDS):
            if held[place] & 15 == 12:
                held[place], held[HAND_CARDS - 1] = held[HAND_CARDS - 1], held[place]
    event.count = count
    for place in range(count):
        event.cards[place] = held[place]


@compiled
def _choose_bet(chance: Any, state: Any, event: Any) -> None:
    """A legal bet."""
    legal = game.legal_bets(state)
    if legal & MAY_RAISE and state.raises < MOST_RAISES and happens(chance, RAISE):
        event.action = game.BID_RAISE
        event.amount = _choose_amount(chance, state)
    elif legal & MAY_CHECK:
        event.action = game.BID_CHECK
    elif legal & MAY_CALL == 0 or (legal & MAY_FOLD and happens(chance, FOLD)):
        event.action = game.BID_FOLD
    else:
        event.action = game.BID_CALL
        event.amount = min(game.owed(state), np.int64(state.stack[state.turn]))


@compiled
def _choose_amount(chance: Any, state: Any) -> int:
    """The chips of a raise."""
    asked, stack = game.owed(state), np.int64(state.stack[state.turn])
    pot = asked
    for seat in range(SEATS):
        pot += np.int64(state.staked[seat])
    size = pick(chance, SIZE_WEIGHTS)
    if size == 3:
        return int(stack)
    most: Int = stack - asked
    if size < 2:
        largest: Int = pot // (2 - size)
        most = min(most, max(largest, 1))
    return int(asked + 1 + below(chance, int(most)))


@compiled
def _tell(state: Any, events: Any, size: int) -> int:
    """What a log tells at the end: hands that are shown, what each gets, what each has; -1 if the rules do
    not agree."""
    live = np.int64(state.live)
    showing = live if live & (live - 1) else 0
    seat: Int = np.int64(state.dealer)
    best: Int = 0
    while showing:
        seat = next_seat(showing, seat)
        showing &= ~(1 << seat)
        event = new_event(events, size, game.SCORE_SHOW, seat)
        event.count = HAND_CARDS
        shows = best == 0 or state.rank[seat] <= best
        for place in range(HAND_CARDS):
            event.cards[place] = state.held_cards[seat, place] if shows else cards.UNKNOWN
        if shows:
            best = np.int64(state.rank[seat])
        if game.evolve(state, event) != 0:
            return -1
        size += 1
    for action in (game.SCORE_HAND, game.SCORE_MATCH):
        for other in range(SEATS):
            amount = state.won[other] if action == game.SCORE_HAND else state.stack[other]
            if state.present >> other & 1 and (amount > 0 or action == game.SCORE_MATCH):
                event = new_event(events, size, action, other)
                event.amount = amount
                if game.evolve(state, event) != 0:
                    return -1
                size += 1
    return size


@compiled
def _settle(state: Any, table: Any) -> None:
    """Note the chips, move the button on, and end the match if one player has them all."""
    left, mask = 0, 0
    for seat in range(SEATS):
        table.chips[seat] = state.stack[seat]
        if state.stack[seat] > 0:
            left += 1
            mask |= 1 << seat
    table.hand_no += 1
    table.dealer = next_seat(mask, table.dealer)
    if left == 1:
        table.match = NO_MATCH
