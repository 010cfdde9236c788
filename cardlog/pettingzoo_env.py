"""All seats of a hand as an environment of PettingZoo's, see `cardlog.env`."""

from typing import Any

import numpy as np
from pettingzoo import AECEnv

from cardlog import models
from cardlog.gymnasium_env import ANSI, drawn, spaces_of
from cardlog.models.contest.tables import Tables, caller


class HandEnv(AECEnv):  # type: ignore[misc]
    """A hand, with its seats as agents. Only the seat in turn is shown its mask; rewards, the returns of
    training rows, come when the hand is over. An illegal action raises ValueError."""

    def __init__(self, game: str, rules: str, seats: int | None, render_mode: str | None) -> None:
        super().__init__()
        model = models.game(game)
        self.metadata = {
            "name": f"{game}_v{model.decisions.version}",
            "render_modes": [ANSI],
            "is_parallelizable": False,
        }
        self.render_mode = render_mode
        count = model.playing().seats_or_usual(seats)
        self._game, self._tables = model, Tables(game, (caller,) * count, rules)
        self._seed = 0
        self.possible_agents = [f"seat_{seat}" for seat in range(count)]
        spaces = {agent: spaces_of(model) for agent in self.possible_agents}
        self.observation_spaces = {agent: observation for agent, (observation, _) in spaces.items()}
        self.action_spaces = {agent: action for agent, (_, action) in spaces.items()}

    def observation_space(self, agent: str) -> Any:
        """See `AECEnv`."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """See `AECEnv`."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal the hand that a seed determines, by default the one after that of the last seed."""
        self._seed = self._seed + 1 if seed is None else seed
        self._tables.begin(self._seed)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._select()

    def observe(self, agent: str) -> dict[str, Any]:
        """What a seat knows, and what it may do if it is in turn."""
        seat, mask = self.possible_agents.index(agent), np.zeros(self._game.decisions.most_actions, np.int8)
        if not self._tables.over[0] and seat == self._tables.seats[0]:
            mask[:] = self._tables.masks[0]
        return {"observation": self._tables.observe(0, seat), "action_mask": mask}

    def step(self, action: int | None) -> None:
        """Let the seat in turn act."""
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise ValueError(f"{agent} has to act")
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self._tables.act(np.zeros(1, np.int64), np.array([action], np.int64))
        if self._tables.over[0]:
            returns = self._tables.returns[0].tolist()
            self.rewards = dict(zip(self.possible_agents, returns, strict=False))
            self.terminations = dict.fromkeys(self.agents, True)
        else:
            self._select()
        self._accumulate_rewards()

    def render(self) -> str | None:
        """The hand so far, with all cards, as text."""
        return drawn(self._game.name, self._tables) if self.render_mode == ANSI else None

    def close(self) -> None:
        """Nothing is kept open."""

    def _select(self) -> None:
        self.agent_selection = self.possible_agents[int(self._tables.seats[0])]
        kinds = self._game.decisions.kinds
        self.infos[self.agent_selection] = {"kind": kinds[int(self._tables.kinds[0])]}
