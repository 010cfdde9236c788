"""The deals that fit what a seat knows: complete, legal, and each as likely as it should be."""

from collections import Counter
from collections.abc import Iterator
from itertools import chain, permutations
from typing import Any

import numpy as np
import pytest

from cardlog import models
from cardlog.models.engine.dealing import BOOK, new_event
from cardlog.models.engine.trick import SEATS, player_of
from cardlog.models.solve import worlds
from cardlog.models.solve.solvable import search_loop, solvable_of
from cardlog.schemas.events import Action
from tests.support.priced import Hands, simulated
from tests.support.soak import long

GAMES = [
    parameters
    for name in ("kaiser", "belote", "pinochle")
    for rules in models.game(name).playing().rules
    for parameters in ([(name, rules)] if rules == BOOK and name != "pinochle" else long((name, rules)))
]
DRAWN = 3
DRAWS = 1000
ENDINGS = 5
MOST_DEALS = 40


class Position:
    """A seat's turn in one of some hands, and the deals that fit what it knows."""

    def __init__(self, hands: Hands, number: int, state: Any) -> None:
        self.hands, self.number, self.state = hands, number, state
        self.game = hands.game
        solvable = solvable_of(self.game)
        self.functions = solvable.functions
        self.functions.reveal(state, hands.lasts[hands.plays["hand"][number]])
        self.me = int(state["turn"])
        self.seen = self.game.visible.seen_by(state[None], np.array([self.me]))[0]
        self.known = worlds.knowledge(self.game)
        self.known.rng[0] = number
        learn = search_loop(self.game, worlds.learn)
        assert learn(self.seen, self.known, solvable.tables())

    def draw(self) -> list[list[int]]:
        """The hands of one such deal: lists of codes, ascending."""
        assert search_loop(self.game, worlds.draw_world)(self.seen, self.known)
        return [self.held(self.known.world[0], seat) for seat in range(SEATS)]

    def held(self, state: Any, seat: int) -> list[int]:
        """The cards a seat holds."""
        once, twice = int(self.functions.held(state, seat)), int(self.functions.held_twice(state, seat))
        return [card for card in range(64) for mask in (once, twice) if mask >> card & 1]

    def is_legal(self, held: list[list[int]]) -> bool:
        """Whether the hand could have been played to this point if it had been dealt like this."""
        hand = self.hands.plays["hand"][self.number]
        dealt = [list(seat_cards) for seat_cards in held]
        for play in range(int(self.state["plays"])):
            dealt[int(player_of(self.state, play))].append(int(self.state["played"][play]))
        given = self._before_passing(dealt)
        if given is None:
            return False
        replayed = self.hands.befores[hand].copy()
        for index in range(self.hands.offsets[hand], self.hands.plays["event"][self.number]):
            event = self.hands.events[index].copy()
            if event["action"] in (Action.DEAL_HAND, Action.DEAL_PASS):
                cards = dealt[event["seat"]] if event["action"] == Action.DEAL_HAND else given[event["seat"]]
                event = new_event(np.zeros(1, self.game.event), 0, event["action"], event["seat"])
                event["count"] = len(cards)
                event["cards"][: len(cards)] = cards
            if self.game.evolve(replayed, event):
                return False
        return True

    def _before_passing(self, dealt: list[list[int]]) -> list[list[int]] | None:
        """Undo the pass between partners; None if the seat knows that it was a different one. The others may
        have passed each other any cards."""
        if self.game.name != "kaiser" or self.state["gave"] == 0:
            return [[]] * SEATS
        given = [dealt[seat ^ 2][:2] for seat in range(SEATS)]
        for seat in (self.me, self.me ^ 2):
            given[seat] = self.state["passed_cards"][seat].tolist()
            if not set(given[seat]) <= set(dealt[seat ^ 2]):
                return None
        for seat in range(SEATS):
            dealt[seat][:] = [card for card in dealt[seat] if card not in given[seat ^ 2]] + given[seat]
        return given

    def weight(self, held: list[list[int]]) -> int:
        """In how many ways a pack deals this, if twins are distinguished."""
        had = [Counter(seat_cards) for seat_cards in held]
        for play in range(int(self.state["plays"])):
            had[int(player_of(self.state, play))][int(self.state["played"][play])] += 1
        pairs = [card for card in set().union(*had) if sum(counter[card] for counter in had) == 2]
        return 2 ** sum(max(counter[card] for counter in had) == 1 for card in pairs)


def positions(name: str, rules: str, count: int) -> Iterator[Position]:
    """Every play of some simulated hands."""
    hands = simulated(name, rules, count)
    for number, state in enumerate(hands.positions()):
        yield Position(hands, number, state)


@pytest.mark.parametrize(("name", "rules"), GAMES)
def test_every_deal_that_is_drawn_can_be_played_to_the_present(name: str, rules: str) -> None:
    """What the seat knows is unchanged: its own hand, and how many cards the others hold."""
    moved = 0
    for position in positions(name, rules, 3):
        truth = [position.held(position.state, seat) for seat in range(SEATS)]
        assert position.is_legal(truth)
        for _ in range(DRAWN):
            held = position.draw()
            assert held[position.me] == truth[position.me]
            assert [*map(len, held)] == [*map(len, truth)]
            assert sorted(chain(*held)) == sorted(chain(*truth))
            assert position.is_legal(held)
            moved += held != truth
    assert moved > 50


@pytest.mark.parametrize(("name", "rules"), GAMES)
def test_each_deal_is_drawn_with_the_probability_of_a_shuffled_pack(name: str, rules: str) -> None:
    """Compared with all deals of the unseen cards that can be played to the present, one by one."""
    endings = 0
    for position in positions(name, rules, 40):
        others = [seat for seat in range(SEATS) if seat != position.me]
        unseen = [card for seat in others for card in position.held(position.state, seat)]
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


def fitting(position: Position, unseen: list[int]) -> dict[str, int]:
    """The deals of the unseen cards that fit, and their weights."""
    sizes = [0 if seat == position.me else len(position.held(position.state, seat)) for seat in range(SEATS)]
    ends = np.cumsum([0, *sizes]).tolist()
    weights = {}
    for order in set(permutations(unseen)):
        held = [sorted(order[ends[seat] : ends[seat + 1]]) for seat in range(SEATS)]
        held[position.me] = position.held(position.state, position.me)
        if str(held) not in weights:
            weights[str(held)] = position.weight(held) if position.is_legal(held) else 0
    return {deal: weight for deal, weight in weights.items() if weight}
