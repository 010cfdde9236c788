"""One seat of a hand, or of many at a time, as environments of Gymnasium's, see `cardlog.env`."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from gymnasium import Env
from gymnasium.spaces import Box, Dict, Discrete
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from cardlog import models
from cardlog.models.contest.tables import Tables, caller
from cardlog.models.engine.game import Game
from cardlog.models.engine.policy import Policy
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.hands import drawing

FIRST = np.zeros(1, np.int64)
MOST_SEED = 2**31
ANSI = "ansi"


def spaces_of(game: Game) -> tuple[Dict, Discrete]:
    """The observations, with their masks, and the actions of a seat."""
    of = game.decisions
    seen, mask = Box(-128, 127, (of.width,), np.int8), Box(0, 1, (of.most_actions,), np.int8)
    return Dict({"observation": seen, "action_mask": mask}), Discrete(of.most_actions)


def drawn(game: str, tables: Tables) -> str:
    """The hand of the first table so far, as text."""
    events, details = tables.hand(0)
    return drawing.text(Batch(game, np.array([b"0" * 32]), events, np.array([0, len(events)]), details))


def seated(
    game: str, against: str | Policy | Sequence[str | Policy], seat: int, rules: str, seats: int | None
) -> tuple[Game, tuple[str | Policy, ...], int, str]:
    """The game, the players of all seats, the seat that the agent has, and the rules. Raises ValueError."""
    model = models.game(game)
    others = [*against] if isinstance(against, (list, tuple)) else None
    count = model.playing().seats_or_usual(len(others) + 1 if others and seats is None else seats)
    others = others or [against] * (count - 1)
    if not 0 <= seat < count or len(others) != count - 1:
        raise ValueError(f"seat is {seat}, and {len(others)} others are named, of {count} seats")
    return model, (*others[:seat], caller, *others[seat:]), seat, rules


class SeatEnv(Env):  # type: ignore[misc]
    """A seat of a hand. The reward is that seat's return, when the hand is over. An illegal action changes
    nothing, and `info` says so."""

    metadata: ClassVar[dict[str, Any]] = {"render_modes": [ANSI]}

    def __init__(self, game: Game, players: Any, seat: int, rules: str, render_mode: str | None) -> None:
        self.render_mode = render_mode
        self._game, self._seat = game, seat
        self._tables = Tables(game.name, players, rules)
        self.observation_space, self.action_space = spaces_of(game)
        self._has_begun = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Deal the first of the hands that a seed determines, or the next one."""
        super().reset(seed=seed)
        if seed is not None or not self._has_begun:
            self._tables.begin(int(self.np_random.integers(MOST_SEED)) if seed is None else seed)
            self._has_begun = True
        else:
            self._tables.deal(FIRST)
        return self._observed(), self._info()

    def step(self, action: int) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """Let the seat act, and the others up to its next turn or the end of the hand."""
        if not self._tables.is_legal(0, int(action)):
            return self._observed(), 0.0, bool(self._tables.over[0]), False, {**self._info(), "illegal": True}
        self._tables.act(FIRST, np.array([action], np.int64))
        over = bool(self._tables.over[0])
        reward = float(self._tables.returns[0, self._seat]) if over else 0.0
        return self._observed(), reward, over, False, self._info()

    def action_masks(self) -> NDArray[np.bool_]:
        """What the seat may do, as sb3-contrib's `MaskablePPO` asks: shape (actions,)."""
        return np.array(self._tables.masks[0])

    def render(self) -> str | None:
        """The hand so far, with all cards, as text."""
        return drawn(self._game.name, self._tables) if self.render_mode == ANSI else None

    def _observed(self) -> dict[str, Any]:
        mask = self._tables.masks[0].astype(np.int8)
        return {"observation": self._tables.observe(0, self._seat), "action_mask": mask}

    def _info(self) -> dict[str, Any]:
        if self._tables.over[0]:
            return {}
        return {"kind": self._game.decisions.kinds[int(self._tables.kinds[0])]}


class SeatsEnv(VectorEnv):  # type: ignore[misc]
    """The same of many hands. Where one ends, the next is dealt in the same step; the last observation is in
    ``final_obs``. An illegal action raises ValueError."""

    metadata: ClassVar[dict[str, Any]] = {"autoreset_mode": AutoresetMode.SAME_STEP}

    def __init__(self, game: Game, players: Any, seat: int, rules: str, hands: int) -> None:
        self._game, self._seat = game, seat
        self._tables = Tables(game.name, players, rules, count=hands)
        self.num_envs = hands
        self.single_observation_space, self.single_action_space = spaces_of(game)
        self.observation_space = batch_space(self.single_observation_space, hands)
        self.action_space = batch_space(self.single_action_space, hands)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Deal all hands anew."""
        super().reset(seed=seed)
        self._tables.begin(int(self.np_random.integers(MOST_SEED)) if seed is None else seed)
        return self._observed(), self._kinds()

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[dict[str, Any], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Let the seat act in all hands, and the others up to its next turn."""
        self._tables.act(np.arange(self.num_envs), np.asarray(actions, np.int64))
        over, rewards, info = self._tables.over.copy(), np.zeros(self.num_envs), {}
        if over.any():
            rows = np.flatnonzero(over)
            rewards[rows] = self._tables.returns[rows, self._seat]
            final = self._observed()
            for row in rows.tolist():
                final["observation"][row] = self._tables.observe(row, self._seat)
            info = {"final_obs": final, "_final_obs": over}
            self._tables.deal(rows)
        return self._observed(), rewards, over, np.zeros_like(over), info | self._kinds()

    def _kinds(self) -> dict[str, Any]:
        kinds = np.array(self._game.decisions.kinds, object)[self._tables.kinds]
        return {"kind": kinds, "_kind": np.ones(self.num_envs, np.bool_)}

    def _observed(self) -> dict[str, Any]:
        masks = self._tables.masks.astype(np.int8)
        return {"observation": self._tables.observations.copy(), "action_mask": masks}
