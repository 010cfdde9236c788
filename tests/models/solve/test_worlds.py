"""The deals that fit what a seat knows: complete, legal, and each as likely as it should be."""

from collections import Counter
from collections.abc import Iterator
from itertools import chain, pairwise, permutations
from typing import Any

import numpy as np
import pytest

from cardlog import models
from cardlog.models.engine.dealing import BOOK
from cardlog.models.engine.trick import player_of
from cardlog.models.ruter_sju.state import CARD_OF, RANKS
from cardlog.models.solve import worlds
from cardlog.models.solve.race import Race
from cardlog.models.solve.solvable import search_loop, searchable_of
from cardlog.schemas.events import Action
from tests.support.priced import Hands, simulated
from tests.support.soak import long

GAMES = [
    parameters
    for name in ("kaiser", "belote", "pinochle")
    for rules in models.game(name).playing().rules
    for parameters in ([(name, rules, 4)] if rules == BOOK and name != "pinochle" else long((name, rules, 4)))
]
DRAWN = 3
DRAWS = 1000
ENDINGS = 5
MOST_DEALS = 40


class Position:
    """A seat's turn in one of some hands, and the deals that fit what it knows."""

    def __init__(self, hands: Hands, number: int, state: Any) -> None:
        self.hands, self.number, self.state, self.game = hands, number, state, hands.game
        self.solver: Any = searchable_of(self.game)
        self.functions, self.me = self.solver.functions, int(state["turn"])
        self.functions.reveal(state, hands.lasts[hands.plays["hand"][number]])
        self.seats = int(state["seats"]) if self.is_race else 4
        self.seen = self.game.visible.seen_by(state[None], np.array([self.me]))[0]
        self.known = self.solver.knowledge() if self.is_race else worlds.knowledge(self.game)
        self.known.rng[0] = number
        if self.is_race:
            self.ways = self.functions.learn(self.seen, self.known)
            assert len(self.ways)
        else:
            learn = search_loop(self.game, worlds.learn)
            assert learn(self.seen, self.known, self.solver.tables())

    @property
    def is_race(self) -> bool:
        return isinstance(self.solver, Race)

    def draw(self) -> list[list[int]]:
        """The hands of one such deal: lists of codes, ascending."""
        if self.is_race:
            self.functions.deal(self.seen, self.known, self.ways)
        else:
            assert search_loop(self.game, worlds.draw_world)(self.seen, self.known)
        return self.held(self.known.world[0])

    def held(self, state: Any) -> list[list[int]]:
        """The cards that the seats hold."""
        if self.is_race:
            places = [(suit, step) for suit in range(6) for step in range(RANKS)]
            masks = state["hands"][: self.seats].tolist()
            return [sorted(int(CARD_OF[s, n + 1]) for s, n in places if m[s] >> n & 1) for m in masks]
        found = []
        for seat in range(self.seats):
            once, twice = int(self.functions.held(state, seat)), int(self.functions.held_twice(state, seat))
            found.append([card for card in range(64) for mask in (once, twice) if mask >> card & 1])
        return found

    def dealt(self, held: list[list[int]]) -> list[list[int]]:
        """What the seats had when the first card was led, if these cards are what they hold."""
        found = [list(cards) for cards in held]
        for play in range(int(self.state["plays"])):
            player = self.state["players"][play] if self.is_race else player_of(self.state, play)
            found[int(player)].append(int(self.state["played"][play]))
        return found

    def is_legal(self, held: list[list[int]]) -> bool:
        """Whether the hand could have been played to this point if it had been dealt like this."""
        hand, dealt = self.hands.plays["hand"][self.number], self.dealt(held)
        given = self._before_passing(dealt)
        if given is None:
            return False
        replayed = self.hands.befores[hand].copy()
        for index in range(self.hands.offsets[hand], self.hands.plays["event"][self.number]):
            event = self.hands.events[index].copy()
            if event["action"] in (Action.DEAL_HAND, Action.DEAL_PASS):
                cards = dealt[event["seat"]] if event["action"] == Action.DEAL_HAND else given[event["seat"]]
                event["cards"][: event["count"]] = cards
            if self.game.evolve(replayed, event):
                return False
        return all(replayed[name] == self.state[name] for name in ("turn", *["again"] * self.is_race))

    def _before_passing(self, dealt: list[list[int]]) -> list[list[int]] | None:
        """Undo the pass between partners; None if the seat knows that it was a different one. The others may
        have passed each other any cards."""
        if self.game.name != "kaiser" or self.state["gave"] == 0:
            return [[]] * self.seats
        given = [dealt[seat ^ 2][:2] for seat in range(self.seats)]
        for seat in (self.me, self.me ^ 2):
            given[seat] = self.state["passed_cards"][seat].tolist()
            if not set(given[seat]) <= set(dealt[seat ^ 2]):
                return None
        for seat in range(self.seats):
            dealt[seat][:] = [card for card in dealt[seat] if card not in given[seat ^ 2]] + given[seat]
        return given

    def weight(self, held: list[list[int]]) -> int:
        """In how many ways a pack deals this, if twins are distinguished."""
        had = [Counter(seat_cards) for seat_cards in self.dealt(held)]
        pairs = [card for card in set().union(*had) if sum(counter[card] for counter in had) == 2]
        return 2 ** sum(max(counter[card] for counter in had) == 1 for card in pairs)


def positions(name: str, rules: str, seats: int, count: int) -> Iterator[Position]:
    """Every play of some simulated hands."""
    hands = simulated(name, rules, count, seats)
    for number, state in enumerate(hands.positions()):
        yield Position(hands, number, state)


@pytest.mark.parametrize(
    ("name", "rules", "seats"), [*GAMES, *(("ruter_sju", BOOK, seats) for seats in (3, 4, 6))]
)
def test_every_deal_that_is_drawn_can_be_played_to_the_present(name: str, rules: str, seats: int) -> None:
    """What the seat knows is unchanged: its own hand, and how many cards the others hold. In Ruter Sju, a
    seat that took the block had no card that fitted."""
    moved = 0
    for position in positions(name, rules, seats, 3):
        truth = position.held(position.state)
        assert position.is_legal(truth)
        for _ in range(DRAWN):
            held = position.draw()
            assert held[position.me] == truth[position.me]
            assert [*map(len, held)] == [*map(len, truth)]
            assert sorted(chain(*held)) == sorted(chain(*truth))
            assert position.is_legal(held)
            moved += held != truth
    assert moved > 50


@pytest.mark.parametrize(("name", "rules", "seats"), [*GAMES, *long(("ruter_sju", BOOK, 4))])
def test_each_deal_is_drawn_with_the_probability_of_a_shuffled_pack(
    name: str, rules: str, seats: int
) -> None:
    """Compared with all deals of the unseen cards that can be played to the present, one by one."""
    endings = 0
    for position in positions(name, rules, seats, 40):
        unseen = [*chain(*others(position))]
        if not 4 <= len(unseen) <= 5:
            continue
        expected = fitting(position, unseen)
        if 1 < len(expected) <= MOST_DEALS:
            drawn = Counter(str(position.draw()) for _ in range(DRAWS))
            assert drawn.keys() <= expected.keys()
            from scipy.stats import chisquare  # slow to import

            total = sum(expected.values())
            seen = [drawn[deal] for deal in expected]
            assert chisquare(seen, [DRAWS * weight / total for weight in expected.values()]).pvalue > 1e-4
            endings += 1
            if endings == ENDINGS:
                return
    pytest.fail("there are too few endings")


def others(position: Position) -> list[list[int]]:
    """The hands, without that of the seat in turn."""
    held = position.held(position.state)
    return [[] if seat == position.me else cards for seat, cards in enumerate(held)]


def fitting(position: Position, unseen: list[int]) -> dict[str, int]:
    """The deals of the unseen cards that fit, and their weights."""
    ends = np.cumsum([0, *map(len, others(position))]).tolist()
    weights = {}
    for order in set(permutations(unseen)):
        held = [sorted(order[start:end]) for start, end in pairwise(ends)]
        held[position.me] = position.held(position.state)[position.me]
        if str(held) not in weights:
            weights[str(held)] = position.weight(held) if position.is_legal(held) else 0
    return {deal: weight for deal, weight in weights.items() if weight}
