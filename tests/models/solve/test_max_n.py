"""The solver of games without teams against plain max^n over the rules, and properties of its values."""

from collections import Counter
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from cardlog.models.engine.compiled import compiled
from cardlog.models.engine.dealing import new_event
from cardlog.models.ruter_sju import RUTER_SJU
from cardlog.models.ruter_sju.decisions import MOST_ACTIONS, legal_actions, to_event
from cardlog.models.ruter_sju.rules import evolve
from cardlog.models.ruter_sju.solvable import RACE
from cardlog.models.ruter_sju.state import CARD_OF, RANKS
from cardlog.models.solve.race import MOVES
from cardlog.schemas.events import NO_SEAT, Action
from tests.support.figures import report
from tests.support.priced import Hands, simulated
from tests.support.soak import long, soak

TABLES = [
    ("book", 4, 10, 100),
    *long(("book", 3, 10, 100), ("book", 6, 10, 100), ("original", 5, 10, 100)),
    *soak(*((rules, seats, 400, 3000) for rules in ("book", "original") for seats in (3, 4, 5, 6))),
]
"""Rules, seats, how many hands, and how many of their endings are compared."""
CARDS_LEFT = 12
MOST_PLIES = 400
move_of = RACE.functions.acted


@compiled
def plain(states: Any, events: Any, masks: Any, best: Any, ply: int) -> None:
    """Write the places to which a state leads to `best[ply]` by trying everything to the very end, without
    any of the solver's shortcuts. Of equally good actions the lowest is taken."""
    state = states[ply]
    if state.done:
        best[ply] = state.places
        return
    seat = state.turn
    masks[ply] = False
    blocked = state.holder == seat
    if not blocked:
        legal_actions(state, masks[ply])
    best[ply] = 100
    for action in range(1 if blocked else MOST_ACTIONS):
        if not blocked and not masks[ply, action]:
            continue
        states[ply + 1] = state
        event = new_event(events, 0, Action.PLAY_BLOCKED, NO_SEAT)
        if not blocked:
            to_event(state, action, event)
        evolve(states[ply + 1], event)
        plain(states, events, masks, best, ply + 1)
        if best[ply + 1, seat] < best[ply, seat]:
            best[ply] = best[ply + 1]


@compiled
def price_plainly(
    positions: Any, states: Any, events: Any, masks: Any, best: Any, values: Any, numbers: Any
) -> None:
    """The returns of all legal actions of some positions by plain max^n."""
    for index in range(len(numbers)):
        position = positions[numbers[index]]
        legal_actions(position, masks[0])
        for action in range(MOST_ACTIONS):
            if masks[0, action]:
                states[1] = position
                to_event(position, action, new_event(events, 0, Action.PLAY_BLOCKED, NO_SEAT))
                move = move_of(position, events[0])
                evolve(states[1], events[0])
                plain(states, events, masks, best, 1)
                values[index, move] = position.seats + 1 - 2 * best[1, position.turn]
        masks[0] = False


def differences(hands: Hands, endings: int) -> tuple[int, int]:
    """How many actions of some endings have a different value by plain max^n, and how many there are."""
    count = len(hands.befores)
    values, exact = hands.analyse(slice(0, count), budget=20_000)
    positions = hands.positions()
    late = np.flatnonzero(positions["left"].sum(1) <= CARDS_LEFT)[:endings]
    assert len(late) == endings
    assert exact[late].all()
    expected = np.full((endings, MOVES), np.nan, np.float32)
    price_plainly(
        positions,
        np.zeros(MOST_PLIES, hands.game.state),
        np.zeros(1, hands.game.event),
        np.zeros((MOST_PLIES, MOST_ACTIONS), np.bool_),
        np.zeros((MOST_PLIES, 6), np.int64),
        expected,
        late,
    )
    same = (values[late] == expected) | (np.isnan(values[late]) & np.isnan(expected))
    return int((~same).sum()), int((~np.isnan(expected)).sum())


@pytest.mark.parametrize(("rules", "seats", "count", "endings"), TABLES)
def test_plain_max_n_over_the_rules_finds_the_same_values(
    rules: str, seats: int, count: int, endings: int
) -> None:
    """Of every legal action in endings, in the middle of a turn too."""
    wrong, actions = differences(simulated("ruter_sju", rules, count, seats), endings)
    if endings > 100:
        report(f"max^n, {rules}, {seats} seats: {actions} actions of {endings} endings, {wrong} differ")
    assert wrong == 0
    assert actions > 100


@pytest.mark.long
def test_values_do_not_depend_on_the_table_or_on_what_was_solved_before() -> None:
    """A small table, and one that has seen other hands."""
    hands = simulated("ruter_sju", "book", 2)
    several, _ = hands.analyse(slice(0, 2))
    small, exact = hands.analyse(slice(1, 2), table_bits=17)
    assert exact.all()
    np.testing.assert_array_equal(small, several[-len(small) :])


def test_what_takes_too_many_nodes_is_estimated_and_still_adds_up() -> None:
    """An estimate is a mean of returns, and the last choice is exact."""
    hands = simulated("ruter_sju", "book", 2)
    values, exact = hands.analyse(slice(0, 2), budget=30_000)
    assert exact.any()
    assert not exact.all()
    legal = ~np.isnan(values)
    taken = values[np.arange(len(values)), RACE.columns(hands.events[hands.plays["event"]])]
    assert not np.isnan(taken).any()
    assert (np.abs(values[legal]) <= 6).all()
    for hand in range(2):
        last = np.flatnonzero(hands.plays["hand"] == hand)[-1]
        assert taken[last] == 5 - 2 * hands.lasts["places"][hand, hands.plays["seat"][last]]


# ---------------------------------------------------------------- worlds


def held_in(state: Any) -> list[list[int]]:
    """The cards of each seat, as numbers of actions."""
    return [
        [suit * RANKS + step for suit in range(6) for step in range(RANKS) if mask[suit] >> step & 1]
        for mask in state["hands"][: state["seats"]].tolist()
    ]


def is_legal(hands: Hands, number: int, state: Any, held: list[list[int]]) -> bool:
    """Whether a hand could have been played up to a decision if these cards were held there."""
    dealt = [[int(CARD_OF[card // RANKS, card % RANKS + 1]) for card in seat_cards] for seat_cards in held]
    for play in range(int(state["plays"])):
        dealt[int(state["players"][play])].append(int(state["played"][play]))
    hand = hands.plays["hand"][number]
    replayed = hands.befores[hand].copy()
    for index in range(hands.offsets[hand], hands.plays["event"][number]):
        event = hands.events[index].copy()
        if event["action"] == Action.DEAL_HAND:
            event["cards"][: event["count"]] = dealt[event["seat"]]
        if evolve(replayed, event):
            return False
    return bool(replayed["turn"] == state["turn"] and replayed["again"] == state["again"])


def fitting(hands: Hands, number: int, state: Any) -> list[str]:
    """All deals of the unseen cards that fit what the seat in turn knows."""
    held, me = held_in(state), int(state["turn"])
    others = [seat for seat in range(len(held)) if seat != me]
    deals = []

    def fill(seats: list[int], unseen: set[int], deal: dict[int, list[int]]) -> None:
        if not seats:
            whole = [sorted(deal.get(seat, held[seat])) for seat in range(len(held))]
            if is_legal(hands, number, state, whole):
                deals.append(str(whole))
            return
        for given in combinations(sorted(unseen), len(held[seats[0]])):
            fill(seats[1:], unseen - set(given), deal | {seats[0]: list(given)})

    fill(others, {card for seat in others for card in held[seat]}, {})
    return deals


def drawn(state: Any, count: int) -> list[list[list[int]]]:
    """Deals drawn from what the seat in turn knows."""
    functions = RACE.functions
    seen = RUTER_SJU.visible.seen_by(state[None], np.array([state["turn"]]))[0]
    known = RACE.knowledge()
    ways = functions.learn(seen, known)
    assert len(ways)
    deals = []
    for _ in range(count):
        functions.deal(seen, known, ways)
        deals.append(held_in(known.world[0]))
    return deals


@pytest.mark.parametrize("seats", [3, 4, 6])
def test_deals_that_are_drawn_fit_what_was_seen(seats: int) -> None:
    """The hand could have been played with them: a seat that took the block had no card that fitted."""
    hands = simulated("ruter_sju", "book", 3, seats)
    positions = hands.positions()
    unchanged, count = 0, 0
    for number in range(0, len(positions), 7):
        state = positions[number]
        held = held_in(state)
        for deal in drawn(state, 2):
            assert deal[state["turn"]] == held[state["turn"]]
            assert [len(cards) for cards in deal] == [len(cards) for cards in held]
            assert is_legal(hands, number, state, deal)
            unchanged += deal == held
            count += 1
    assert count > 2 * unchanged


@pytest.mark.long
def test_each_deal_that_fits_is_equally_likely() -> None:
    from scipy.stats import chisquare  # slow to import

    hands = simulated("ruter_sju", "book", 6)
    positions = hands.positions()
    tried = 0
    for number in np.flatnonzero((positions["left"].sum(1) <= 7) & (positions["out"] <= 1)):
        state = positions[number]
        fit = fitting(hands, number, state)
        if not 3 <= len(fit) <= 60:
            continue
        counts = Counter(str(deal) for deal in drawn(state, 1000))
        assert set(counts) <= set(fit)
        assert chisquare([counts[deal] for deal in fit]).pvalue > 1e-4
        tried += 1
    assert tried >= 3
