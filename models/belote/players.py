"""Belote's players: who plays the hands that `cardlog simulate` writes.

`Simulation` plays hand after hand at `TABLES` tables at once. Every choice is taken from what
`legal_bids`, `legal_cards` and `may_claim` allow and goes through `evolve`, so a simulated hand is legal
as a logged one is.

The random player does what that of the programs does: it names trump half the time, any suit as
likely, plays any legal card, and claims bela half the time. A policy claims it whenever it may.
"""

import json
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cardlog.models.belote import decisions as belote_decisions
from cardlog.models.belote import rules as belote
from cardlog.models.belote import state as belote_state
from cardlog.models.belote.score import SEATS, TRICKS
from cardlog.models.belote.state import HAND_CARDS
from cardlog.models.compiled import Int, compiled
from cardlog.models.fold import Records
from cardlog.models.playing import BOOK, POLICY, Asked, Played, Policy, at_seats, new_event
from cardlog.models.rng import begin, below, happens, shuffle
from cardlog.schemas import cards
from cardlog.schemas.events import NO_SEAT, compiled_dtype

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
POLICY_TABLES: Final = 500
"""Tables that play at the same time where a policy is asked."""
MOST_EVENTS: Final = 1 + SEATS + SEATS + 6 + 1 + SEATS * HAND_CARDS + TRICKS + 6
"""Events of a hand: the opening, hands, bids, declarations, bela, cards, tricks and scores."""

# How often something happens, in thousandths.
PASS: Final = 500
CLAIM: Final = 500
ALWAYS: Final = 1000

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
        Who plays, one for all or one a seat: those of `PLAYERS`, and `POLICY`.
    rules
        The dialect that is played.
    policy
        Plays for `POLICY`.

    Raises ValueError for another number of players, or if one is `POLICY` and there is none.
    """

    def __init__(
        self,
        key: int,
        scores: bool,
        players: tuple[str, ...] = ("random",),
        rules: str = BOOK,
        policy: Policy | None = None,
    ) -> None:
        self._policies = sum(1 << seat for seat, who in enumerate(at_seats(players, SEATS)) if who == POLICY)
        if self._policies and policy is None:
            raise ValueError(f"a player is named {POLICY}, and no policy is given")
        self._policy = policy
        self._key = np.uint64(key)
        self._scores = scores
        self._done = 0
        self._matches = np.zeros(1, np.int32)
        self._tables = np.zeros(POLICY_TABLES if self._policies else TABLES, TABLE)
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
        """The next hands. Raises ValueError if the policy chooses what is not legal."""
        before = np.empty(count, TABLE)
        if self._policies:
            events, offsets = self._play_by_policy(before)
        else:
            events = np.empty(count * MOST_EVENTS, belote.EVENT)
            offsets = np.zeros(count + 1, np.int64)
            _play(
                self._key, self._done, self._scores, self._blank, self._tables, self._matches,
                before, events, offsets,
            )  # fmt: skip
            events = events[: offsets[-1]]
        self._done += count
        details, which = self._openings(before)
        events["detail"][offsets[:-1]] = which
        return Played(events, offsets, details, before["match"].copy(), before["hand_no"].copy())

    def _play_by_policy(self, before: Records) -> tuple[Records, NDArray[np.int64]]:
        """Play as many hands as there are places in `before`; their events, and where each begins."""
        count = len(before)
        events = np.empty((count, MOST_EVENTS), belote.EVENT)
        sizes = np.zeros(count, np.int64)
        for first in range(0, count, len(self._tables)):
            wave = slice(first, first + len(self._tables))
            self._play_wave(self._done + first, before[wave], events[wave], sizes[wave])
        offsets = np.concatenate([np.zeros(1, np.int64), sizes.cumsum()])
        return events[np.arange(MOST_EVENTS) < sizes[:, None]], offsets

    def _play_wave(self, number: int, before: Records, events: Records, sizes: NDArray[np.int64]) -> None:
        """Play hands at different tables, from one number on, all together."""
        count = len(before)
        tables = np.arange(number, number + count) % len(self._tables)
        states = np.repeat(self._blank, count)
        chances = np.empty((count, 1), np.uint64)
        _begin_all(self._key, number, self._scores, self._tables, self._matches, tables, chances, states,
                   before, events, sizes)  # fmt: skip
        waiting = np.empty(count, np.int64)
        asked = Asked(
            np.empty(count, np.int8),
            np.empty(count, np.int8),
            np.empty((count, belote_decisions.OBSERVATION_WIDTH), np.int8),
            np.empty((count, belote_decisions.MOST_ACTIONS), np.bool_),
        )
        while True:
            left = _ask_all(
                chances, states, self._policies, self._scores, events, sizes, waiting, asked.seats,
                asked.kinds, asked.observations, asked.masks,
            )  # fmt: skip
            if left == 0:
                break
            now = Asked(asked.seats[:left], asked.kinds[:left], asked.observations[:left], asked.masks[:left])
            assert self._policy
            actions = np.asarray(self._policy(now))
            _check(now, actions)
            _act_all(chances, states, self._scores, events, sizes, waiting[:left], actions.astype(np.int64))
        for hand, table in enumerate(tables.tolist()):
            _settle(states[hand], self._tables[table])

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


def _check(asked: Asked, actions: NDArray[Any]) -> None:
    """Whether a policy has answered as it should; raises ValueError."""
    count = len(asked.seats)
    if actions.shape != (count,) or actions.dtype.kind not in "iu":
        raise ValueError(
            f"the policy gave an array of {actions.dtype} and shape {actions.shape}, "
            f"not whole numbers of shape ({count},)"
        )
    within = (actions >= 0) & (actions < asked.masks.shape[1])
    legal = within & asked.masks[np.arange(count), np.where(within, actions, 0)]
    if not legal.all():
        wrong = int(legal.argmin())
        raise ValueError(f"the policy chose action {actions[wrong]}, which is not legal for it")


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
) -> None:
    """Play hands by random players only, from number `first` on."""
    chance = np.zeros(1, np.uint64)
    state = blank.copy()
    for place in range(len(before)):
        number = first + place
        table = tables[number % len(tables)]
        state[0] = blank[0]
        _sit_down(table, matches, scores, state[0], before, place)
        size = _begin(key, number, chance, state[0], events, offsets[place])
        offsets[place + 1] = _go_on(chance, state[0], 0, scores, events, size)
        _settle(state[0], table)


@compiled
def _begin_all(
    key: np.uint64,
    first: int,
    scores: bool,
    tables: Any,
    matches: Any,
    at: Any,
    chances: Any,
    states: Any,
    before: Any,
    events: Any,
    sizes: Any,
) -> None:
    """Begin hands, from number `first` on, each at its table."""
    for place in range(len(at)):
        _sit_down(tables[at[place]], matches, scores, states[place], before, place)
        sizes[place] = _begin(key, first + place, chances[place], states[place], events[place], 0)


@compiled
def _ask_all(
    chances: Any,
    states: Any,
    policies: int,
    scores: bool,
    events: Any,
    sizes: Any,
    waiting: Any,
    seats: Any,
    kinds: Any,
    observations: Any,
    masks: Any,
) -> int:
    """Play on at all tables to where a policy is to decide, or to the end of the hand; returns how many
    tables wait, and puts which ones they are, and what is asked, into the arrays."""
    count = 0
    for place in range(len(states)):
        state = states[place]
        if state.done:
            continue
        sizes[place] = _go_on(chances[place], state, policies, scores, events[place], sizes[place])
        if state.done == 0:
            waiting[count] = place
            seats[count] = state.turn
            masks[count] = False
            kinds[count] = belote_decisions.ask(state, masks[count])[0]
            belote_decisions.observe(state, observations[count])
            count += 1
    return count


@compiled
def _act_all(
    chances: Any, states: Any, scores: bool, events: Any, sizes: Any, waiting: Any, actions: Any
) -> None:
    """Let the seats in turn do what the policy has chosen."""
    for number in range(len(waiting)):
        place = waiting[number]
        sizes[place] = _step(chances[place], states[place], actions[number], ALWAYS, scores, events[place],
                             sizes[place])  # fmt: skip


@compiled
def _sit_down(table: Any, matches: Any, scores: bool, state: Any, before: Any, place: int) -> None:
    """Put what is known before a hand into its state, and into `before`; begin a match if none is on."""
    if table.match == NO_MATCH:
        table.hand_no = 0
        table.score[:] = 0
        table.dealer = 0
        table.match = matches[0]
        matches[0] += 1
    before[place] = table
    state.dealer = table.dealer
    state.in_match = scores
    state.before[:] = table.score


@compiled
def _begin(key: np.uint64, number: int, chance: Any, state: Any, events: Any, size: int) -> int:
    """Open a hand and deal; returns where the next event goes."""
    begin(chance, key, number)
    new_event(events, size, belote.OPEN, NO_SEAT).amount = number + 1
    _do(state, events, size)
    deck = _DECK.copy()
    shuffle(chance, deck)
    for seat in range(SEATS):
        size += 1
        event = new_event(events, size, belote.DEAL_HAND, seat)
        event.count = HAND_CARDS
        event.cards[:HAND_CARDS] = deck[seat * HAND_CARDS : (seat + 1) * HAND_CARDS]
        _do(state, events, size)
    return size + 1


@compiled
def _go_on(chance: Any, state: Any, policies: int, scores: bool, events: Any, size: int) -> int:
    """Play on, to the end of the hand or to where one of some seats, bits of `policies`, is in turn;
    returns where the next event goes."""
    while state.done == 0 and policies >> state.turn & 1 == 0:
        if state.phase == belote_state.BIDDING:
            action = 0
            if belote.legal_bids(state) & 1 == 0 or not happens(chance, PASS):
                action = 1 + below(chance, len(cards.SUITS))
        else:
            action = belote_decisions.DECK_PLACE[_choose(chance, belote.legal_cards(state))]
        size = _step(chance, state, action, CLAIM, scores, events, size)
    return size


@compiled
def _step(chance: Any, state: Any, action: Int, claim: int, scores: bool, events: Any, size: int) -> int:
    """Let the seat in turn do something, and note what follows from it; bela is claimed with a chance of
    `claim` thousandths. Returns where the next event goes."""
    bidding = state.phase == belote_state.BIDDING
    tricks = state.tricks
    event = new_event(events, size, belote.PLAY_CARD, state.turn)
    belote_decisions.act(state, event, action)
    if not bidding and _takes_bela(state, event.cards[0]) and happens(chance, claim):
        new_event(events, size, belote.CLAIM_BELA, state.turn)
        _do(state, events, size)
        size += 1
        belote_decisions.act(state, new_event(events, size, belote.PLAY_CARD, state.turn), action)
    _do(state, events, size)
    size += 1
    if bidding and state.phase != belote_state.BIDDING:
        size = _declare(state, events, size)
    if scores and state.tricks > tricks:
        event = new_event(events, size, belote.SCORE_TRICK, state.winners[tricks])
        event.amount = state.values[tricks]
        _do(state, events, size)
        size += 1
    if scores and state.done:
        size = _say_scores(state, events, size)
    return size


@compiled
def _do(state: Any, events: Any, place: int) -> None:
    """Let an event change the state; the players do nothing that is not legal."""
    if belote.evolve(state, events[place]) != 0:
        raise AssertionError("a player did what the rules forbid")


@compiled
def _declare(state: Any, events: Any, size: int) -> int:
    """Show all that counts; returns where the next event goes."""
    team = belote.counting_team(state)
    for step in range(1, SEATS + 1 if team >= 0 else 1):
        seat = (state.dealer + step) & 3
        for number in range(state.found_count[seat] if seat & 1 == team else 0):
            event = new_event(events, size, belote.DECLARE, seat)
            for card in range(61):
                if state.found[seat, number] >> card & 1:
                    event.cards[event.count] = card
                    event.count += 1
            _do(state, events, size)
            size += 1
    return size


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
