"""A step loop: play one hand choice by choice, as in OpenSpiel or RLCard, on the same arena.

    table = Steps("kaiser")
    table.reset(seed=1)
    while not table.is_over:
        table.step(choose(table.observe(), table.legal_actions()))
    table.returns()

Actions, observations and masks are those of training rows, and the hand is kept as events, so it can be
stored, judged and exported like any other. For many hands `cardlog.simulation` is a thousand times
faster.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cardlog import models
from cardlog.models.contest.simulation import Played, setup_of
from cardlog.models.engine import arena
from cardlog.models.engine.arena import STEP_EVENTS, loop_of, new_deal, new_tables
from cardlog.models.engine.dealing import BOOK, MOST_SEATS
from cardlog.models.engine.policy import listed


class Steps:
    """A table at which the caller makes every choice.

    game
        A game that has players.
    rules
        A name of the rules that the game has.
    seats
        How many seats, in games that allow several numbers.

    Raises ValueError, naming the valid ones, for rules or seats that the game does not have.
    """

    def __init__(self, game: str, rules: str = BOOK, seats: int | None = None) -> None:
        self._game = models.game(game)
        self._players = self._game.playing()
        players = (_nobody,) * self._players.seats_or_usual(seats)
        self._setup, self._seated, _ = setup_of(game, players, rules, scored=True, single=True)
        self._decisions = self._game.decisions
        self._mask = np.zeros(self._decisions.most_actions, np.bool_)
        self.reset(0)

    def reset(self, seed: int = 0) -> None:
        """Deal a new hand, the first of a match; the same seed gives the same hand."""
        self._tables, blank = new_tables(self._game, self._setup, self._seated, 1)
        self._deal = new_deal(seed, True, blank)
        self._state = blank.copy()
        self._events = np.empty(4 * STEP_EVENTS, self._game.event)
        self._size = 0
        self._returns = np.full(MOST_SEATS, np.nan)
        open_table = loop_of(self._game, arena.open_table)
        size = open_table(self._deal, 0, self._tables[0], self._state[0], self._events, 0)
        self._before = self._tables.copy()
        self._go_on(size)

    @property
    def is_over(self) -> bool:
        """Whether the hand is played out."""
        return bool(self._state["done"][0])

    @property
    def seats(self) -> int:
        """How many seats there are."""
        return int(self._tables["seats"][0])

    @property
    def current_seat(self) -> int:
        """The seat in turn. Raises ValueError once the hand is over."""
        self._must_go_on()
        return int(self._state["turn"][0])

    @property
    def kind(self) -> str:
        """The kind of the decision, one of `Decisions.kinds`. Raises ValueError once the hand is over."""
        self._must_go_on()
        return str(self._decisions.kinds[self._kind])

    def observe(self, seat: int | None = None) -> NDArray[np.int8]:
        """What a seat knows, by default the one in turn: shape (`Decisions.width`,), int8."""
        seat = self.current_seat if seat is None else seat
        if not 0 <= seat < self.seats:
            raise ValueError(f"there is no seat {seat}; there are 0 to {self.seats - 1}")
        observation = np.zeros(self._decisions.width, np.int8)
        self._decisions.observe(self._state[0], seat, observation)
        return observation

    def legal_actions(self) -> list[int]:
        """The actions open to the seat in turn; none once the hand is over."""
        return list(map(int, np.flatnonzero(self._mask)))

    def mask(self) -> NDArray[np.bool_]:
        """The legal actions as an array: shape (`Decisions.most_actions`,), bool."""
        return self._mask.copy()

    def step(self, action: int) -> None:
        """Let the seat in turn act, and apply what follows without a choice. Raises ValueError if the action
        is illegal, or if the hand is over."""
        self._must_go_on()
        if not 0 <= action < len(self._mask) or not self._mask[action]:
            raise ValueError(
                f"action {action} is not legal; seat {self.current_seat} may choose {listed(self._mask)}"
            )
        if self._size + STEP_EVENTS > len(self._events):
            self._events = np.concatenate([self._events, np.empty_like(self._events)])
        table, state = self._tables[0], self._state[0]
        carry_out = arena.carry_out_of(self._game)
        self._go_on(carry_out(table, state, int(action), self._events, self._size))

    def returns(self) -> list[float]:
        """Each seat's return, as in training rows. Raises ValueError before the hand is over."""
        if not self.is_over:
            raise ValueError("the hand is not over yet")
        return list(map(float, self._returns[: self.seats]))

    def played(self) -> Played:
        """The hand so far."""
        details = [self._players.detail(self._setup, self._before[0])]
        events = self._events[: self._size].copy()
        events["detail"][0] = 0
        offsets = np.array([0, self._size], np.int64)
        matches, hand_nos = np.zeros((2, 1), np.int32)
        return Played(events, offsets, details, matches, hand_nos, self._returns[None].copy())

    def _must_go_on(self) -> None:
        if self.is_over:
            raise ValueError("the hand is over; reset() deals another")

    def _go_on(self, size: int) -> None:
        """Judge the events up to `size`, add those that follow, and find the next decision."""
        table, state = self._tables[0], self._state[0]
        self._size = loop_of(self._game, arena.play_on)(table, state, self._events, self._size, size)
        self._mask[:] = False
        self._kind = self._decisions.legal_actions(state, self._mask)[0]
        if self.is_over and np.isnan(self._returns[0]):
            loop_of(self._game, arena.close_table)(self._deal, table, state, self._returns)


def _nobody(observations: Any, masks: Any) -> Any:
    """Placeholder for a policy: the caller chooses."""
    raise NotImplementedError
