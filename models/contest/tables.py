"""Many tables at once, at which a caller makes the choices of some seats and players those of the others.

Observations, masks and actions are those of training rows. Each table plays hand after hand; the caller says
when the next one is dealt.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cardlog.models.contest.simulation import Simulation
from cardlog.models.engine import arena
from cardlog.models.engine.arena import Waiting, Wave, loop_of, new_deal
from cardlog.models.engine.dealing import BOOK, MOST_SEATS
from cardlog.models.engine.policy import Policy, listed


def caller(observations: Any, masks: Any) -> Any:
    """The player of the seats for which the caller chooses: a policy that is never asked."""
    raise NotImplementedError


class Tables(Simulation):
    """The tables.

    players
        One for each seat: names of the game's players, policies, or `caller`.
    count
        How many tables.

    Raises ValueError, naming the valid ones, for players, rules or seats that the game does not have.
    """

    def __init__(
        self, game: str, players: tuple[str | Policy, ...], rules: str = BOOK, *, count: int = 1
    ) -> None:
        if count < 1:
            raise ValueError(f"{count} hands can't be played at a time; it must be at least one")
        super().__init__(game, 0, players, rules, single=True)
        self.tables = np.repeat(self.tables[:1], count)
        self._number = self._policies.index(caller)
        size = self._players.most_events + 2 * arena.STEP_EVENTS
        self._wave = Wave(
            self.tables,
            np.zeros(count, self._game.state),
            np.empty((count, size), self._game.event),
            np.zeros(count, np.int64),
            np.zeros(count, np.int64),
        )
        self._first = self.tables.copy()
        self._before = self.tables.copy()
        # what the seat in turn knows and may do, if the caller chooses for it, and which seat that is
        self.observations = np.zeros((count, self._game.decisions.width), np.int8)
        self.masks = np.zeros((count, self._game.decisions.most_actions), np.bool_)
        self.kinds, self.seats = np.zeros((2, count), np.int8)
        # each seat's return of the last hand that was played out, as in training rows
        self.returns = np.full((count, MOST_SEATS), np.nan)

    @property
    def over(self) -> NDArray[np.bool_]:
        """Which hands are played out: shape (tables,)."""
        return np.asarray(self._wave.states["done"] == 1)

    def begin(self, seed: int) -> None:
        """Deal a hand at all tables, which a seed determines with all that follow."""
        self._deal = new_deal(seed, True, self._deal.blank)
        self._done = 0
        self.tables[:] = self._first
        self.deal(np.arange(len(self.tables)))

    def deal(self, rows: NDArray[np.int64]) -> None:
        """Deal the next hand at some tables. Hands that end before the caller has a choice are skipped."""
        while len(rows):
            for row in rows.tolist():
                self._wave.judged[row] = 0
                loop_of(self._game, arena.begin_wave)(
                    self._deal, self._done, self._table(row), self._before[row : row + 1]
                )
                self._done += 1
            self._go_on()
            rows = rows[self.over[rows]]

    def act(self, rows: NDArray[np.int64], actions: NDArray[np.int64]) -> None:
        """Act for the seats in turn at some tables. Raises ValueError if an action is illegal."""
        for row, action in zip(rows.tolist(), actions.tolist(), strict=True):
            if not self.is_legal(row, action):
                choices = listed(self.masks[row])
                raise ValueError(f"action {action} is not legal; seat {self.seats[row]} may choose {choices}")
        loop_of(self._game, arena.act)(0, self._wave, rows, actions)
        self._go_on()

    def is_legal(self, row: int, action: int) -> bool:
        """Whether the seat in turn at a table may act so."""
        return bool(0 <= action < self.masks.shape[1] and self.masks[row, action])

    def observe(self, row: int, seat: int) -> NDArray[np.int8]:
        """What a seat at a table knows: shape (`Decisions.width`,)."""
        observation = np.zeros(self._game.decisions.width, np.int8)
        self._game.decisions.observe(self._wave.states[row], seat, observation)
        return observation

    def hand(self, row: int) -> tuple[Any, list[str]]:
        """The events of a table's hand so far, and the texts that their `detail` is an index into."""
        events = self._wave.events[row, : self._wave.sizes[row]].copy()
        events["detail"][0] = 0
        return events, [self._players.detail(self._setup, self._before[row])]

    def _table(self, row: int) -> Wave:
        wave, rows = self._wave, slice(row, row + 1)
        return Wave(
            wave.tables[rows], wave.states[rows], wave.events[rows], wave.judged[rows], wave.sizes[rows]
        )

    def _go_on(self) -> None:
        """Play on at all tables to the caller's turn or the end of the hand."""
        playing = np.flatnonzero(~self.over)
        waiting = self._room_for(len(self.tables))
        while True:
            count = loop_of(self._game, arena.ask)(0, self._wave, waiting)
            others = waiting.policies[:count] != self._number
            if others.any():
                asked = Waiting(*(part[:count][others] for part in waiting))
                actions = self._ask(asked, len(asked.hands), self._wave.states)
                loop_of(self._game, arena.act)(0, self._wave, asked.hands, actions)
            elif count < (~self.over).sum():  # hands of more events than there is room for
                events = self._wave.events
                self._wave = self._wave._replace(events=np.concatenate([events, np.empty_like(events)], 1))
            else:
                break
        rows = waiting.hands[:count]
        self.masks[:], self.observations[:] = False, 0
        self.masks[rows], self.observations[rows] = waiting.masks[:count], waiting.observations[:count]
        self.kinds[rows], self.seats[rows] = waiting.kinds[:count], waiting.seats[:count]
        for row in playing[self.over[playing]].tolist():
            loop_of(self._game, arena.end_wave)(self._deal, 0, self._table(row), self.returns[row : row + 1])
