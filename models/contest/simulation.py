"""Simulation: hand after hand of any game, by built-in players and policies, on `engine.arena`."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from cardlog import models
from cardlog.models.engine import arena
from cardlog.models.engine.arena import STEP_EVENTS, Log, Waiting, Wave, loop_of, new_deal, new_tables
from cardlog.models.engine.dealing import BOOK, MOST_SEATS, POLICY, Setup, at_seats
from cardlog.models.engine.game import Records
from cardlog.models.engine.policy import DecisionBatch, Policy, actions_of, load

DEFAULT_PLAYERS: Final = ("random",)
POLICY_TABLES: Final = 500  # tables that play at the same time if there are policies


@dataclass(frozen=True)
class Played:
    """Hands that were played."""

    # as in a batch: all events, and where each hand starts, and the end
    events: Records
    offsets: NDArray[np.int64]
    details: list[str]  # texts that the events' `detail` is an index into
    # the number of each hand's match, and the hand's number in it: shape (hands,)
    matches: NDArray[np.int32]
    hand_nos: NDArray[np.int32]
    # each seat's `return`, as in a training row; nan for empty seats: shape (hands, `MOST_SEATS`)
    returns: NDArray[np.float64]


def setup_of(
    game: str, players: tuple[str | Policy, ...], rules: str, *, scored: bool, single: bool
) -> tuple[Setup, NDArray[np.int8], list[Policy]]:
    """How a game is played, the `players` of its tables, and the policies among them. Raises ValueError,
    naming the valid ones, for players or rules that the game does not have."""
    available = models.game(game).playing()
    players = tuple(policy_of(game, player) for player in players)
    for player in players:
        if isinstance(player, str) and player not in available.names:
            raise ValueError(f"{game} has no players {player!r}; there are: {', '.join(available.names)}")
    policies: list[Policy] = []
    seated = np.zeros(MOST_SEATS, np.int8)
    names = []
    for seat, player in enumerate(at_seats(players, available.seats, available.usual_seats)):
        if not isinstance(player, str):
            number = next((i for i, policy in enumerate(policies) if policy is player), len(policies))
            if number == len(policies):
                policies.append(player)
            seated[seat] = -1 - number
            names.append(POLICY)
        else:
            seated[seat] = list(available.names).index(player)
            names.append(player)
    if rules not in available.rules:
        raise ValueError(f"{game} has no rules {rules!r}; there are: {', '.join(available.rules)}")
    return Setup(rules, tuple(names), scored, single), seated, policies


def policy_of(game: str, player: str | Policy) -> str | Policy:
    """The policy of a player that is one, else the player as it is. Policies are imported only when used."""
    model = models.game(game)
    if not isinstance(player, str):
        return player
    if player.startswith("search"):
        from cardlog.models.players.search import is_search, searcher

        return searcher(model, player) if is_search(model, player) else player
    if player.endswith(".npz"):
        from cardlog.models.players.network import trained

        return trained(model, Path(player).absolute())
    if player == "network" and player in model.playing().names:
        from cardlog.models.players.network import network

        return network(model)
    own = model.playing().policies
    return load(own[player]) if player in own else player


class Simulation:
    """An endless sequence of hands, the same for the same arguments, however many are played at a time.

    game
        A game that has players.
    key
        The random seed, 64 bits.
    players
        One for all seats or one per seat: names of the game's players, or policies, each of which is
        called once for up to `POLICY_TABLES` tables.
    rules
        A name of the rules that the game has.
    scored, single
        See `cardlog.models.engine.dealing.Setup`.
    tables
        The tables as they are; hand n is at table n modulo their number.

    Raises ValueError, naming the valid ones, for players or rules that the game does not have.
    """

    def __init__(
        self,
        game: str,
        key: int,
        players: tuple[str | Policy, ...] = DEFAULT_PLAYERS,
        rules: str = BOOK,
        *,
        scored: bool = True,
        single: bool = False,
    ) -> None:
        self._setup, seated, self._policies = setup_of(game, players, rules, scored=scored, single=single)
        self._game = models.game(game)
        self._players = self._game.playing()
        count = POLICY_TABLES if self._policies else self._players.tables
        self.tables, blank = new_tables(self._game, self._setup, seated, count)
        self._deal = new_deal(key, single, blank)
        self._done = 0

    def play(self, count: int) -> Played:
        """The next hands. Raises ValueError if a policy chooses an illegal action."""
        log = Log(
            np.empty(count, self._players.table),
            np.empty((count, MOST_SEATS)),
            np.empty(0, self._game.event),
            np.zeros(count + 1, np.int64),
        )
        if self._policies:
            log = log._replace(events=np.concatenate([log.events, *self._waves(log)]))
        else:
            capacity = count * self._players.most_events + STEP_EVENTS
            log = log._replace(events=np.empty(capacity, self._game.event))
            loop_of(self._game, arena.play)(self._deal, self._done, self.tables, log)
        self._done += count
        events = log.events[: log.offsets[-1]]
        details = self._players.openings(self._setup, log.before)
        events["detail"][log.offsets[:-1]] = np.arange(count)
        matches, hand_nos = log.before["match"].copy(), log.before["hand_no"].copy()
        return Played(events, log.offsets, details, matches, hand_nos, log.returns)

    def _waves(self, log: Log) -> Iterator[Records]:
        """Play the hands of a log, as many at a time as there are tables; yields each wave's events."""
        count = len(log.before)
        for first in range(0, count, len(self.tables)):
            rows = slice(first, min(first + len(self.tables), count))
            events, sizes = self._play_wave(self._done + first, log.before[rows], log.returns[rows])
            log.offsets[first + 1 : rows.stop + 1] = log.offsets[first] + sizes.cumsum()
            longest = sizes.max()
            yield events[:, :longest][np.arange(longest) < sizes[:, None]]

    def _play_wave(
        self, first: int, before: Records, returns: NDArray[np.float64]
    ) -> tuple[Records, NDArray[np.int64]]:
        """Play hands, from number `first`, each at its own table; returns their events and their sizes."""
        count = len(before)
        wave = Wave(
            self.tables,
            np.empty(count, self._game.state),
            np.empty((count, self._players.most_events + STEP_EVENTS), self._game.event),
            np.zeros(count, np.int64),
            np.zeros(count, np.int64),
        )
        waiting = self._room_for(count)
        ask, act = loop_of(self._game, arena.ask), loop_of(self._game, arena.act)
        loop_of(self._game, arena.begin_wave)(self._deal, first, wave, before)
        while not wave.states["done"].all():
            asking = ask(first, wave, waiting)
            if asking:
                actions = self._ask(waiting, asking, wave.states)
                act(first, wave, waiting.hands[:asking], actions)
            else:
                wave = wave._replace(events=np.concatenate([wave.events, np.empty_like(wave.events)], 1))
        loop_of(self._game, arena.end_wave)(self._deal, first, wave, returns)
        return wave.events, wave.sizes

    def _room_for(self, count: int) -> Waiting:
        return Waiting(
            np.empty(count, np.int64),
            np.empty(count, np.int8),
            np.empty((count, self._game.decisions.width), np.int8),
            np.empty((count, self._game.decisions.most_actions), np.bool_),
            np.empty(count, np.int8),
            np.empty(count, np.int8),
        )

    def _ask(self, waiting: Waiting, count: int, states: Records) -> NDArray[np.int64]:
        """What the policies choose at the first `count` tables that wait."""
        decisions = DecisionBatch(
            waiting.observations[:count], waiting.masks[:count], waiting.kinds[:count], waiting.seats[:count]
        )
        actions = np.empty(count, np.int64)
        for number, policy in enumerate(self._policies):
            rows = waiting.policies[:count] == number
            if rows.any():
                batch = decisions.take(rows)
                sees = getattr(policy, "sees", None)
                if sees is not None:
                    batch = replace(batch, states=sees(states[waiting.hands[:count][rows]], batch.seats))
                actions[rows] = actions_of(policy, batch)
        return actions
