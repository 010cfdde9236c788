"""Computers that think about a card, in a process of their own, so that no table waits for another's.

There is one such process, started when it is first needed. It does one piece of work after the other, at low
priority; what it may spend on one is counted in plays, never in time, and so is the same everywhere.
"""

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np

from cardlog import models
from cardlog.models.dealing import new_event
from cardlog.models.game import Game, Records
from cardlog.models.policy import DecisionBatch, actions_of
from cardlog.models.simulation import policy_of
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.processes import Worker
from cardlog.schemas import cards
from cardlog.web.texts import _, language

AT_ONCE: Final = ("random", "expert", "smart", "dumb")
"""Players that choose at once, where the table is; all others think."""
SEARCH: Final = "search"
LOW: Final = 5
"""How nice the process is to others."""
MOST_CARDS: Final = 5
"""How many costly cards a review names."""

Asked = TypeVar("Asked")
Found = TypeVar("Found")


def thinks(player: str) -> bool:
    """Whether a player thinks about its choices."""
    return player not in AT_ONCE


class Thinker:
    """The process in which computers think."""

    def __init__(self) -> None:
        self._worker: Worker | None = None
        self._thread = ThreadPoolExecutor(1, "thinking")

    async def ask(self, work: Callable[[Asked], Found], asked: Asked) -> Found:
        """What a function of a module makes of something, once all that was asked earlier is done.

        Raises what it raises, or RuntimeError if the process was killed.
        """
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._do, work, asked)

    def _do(self, work: Callable[[Asked], Found], asked: Asked) -> Found:
        is_new = self._worker is None
        worker = self._worker = self._worker or Worker()
        try:
            if is_new:
                worker.do(os.nice, LOW)
            return worker.do(work, asked)
        except RuntimeError:
            worker.end()  # it is gone; this closes its pipes
            self._worker = None
            raise

    def stop(self) -> None:
        """End the process, whatever it is thinking about."""
        self._thread.shutdown(wait=False, cancel_futures=True)
        if self._worker is not None:
            self._worker.end()


class Question(NamedTuple):
    """A decision of the seat in turn.

    player
        Who is asked, by the name that a seat has.
    states
        The state of the hand: shape (1,).
    """

    game: str
    player: str
    states: Records


class Advice(NamedTuple):
    """What the adviser would do.

    card
        The one to be played, or those to be exchanged; empty if it is not about any.
    values
        What each card, or bet, is expected to lead to; empty if the adviser does not say.
    unit
        Of these.
    """

    action: int
    card: str
    values: dict[str, float]
    unit: str


def adviser_of(game: Game) -> str | None:
    """The player that gives advice in a game: the one that searches, if it has one."""
    return SEARCH if SEARCH in game.playing().names else None


def advise(question: Question) -> Advice:
    """What the adviser of a game would do, and what it expects of each card."""
    game, state = models.game(question.game), question.states[0]
    event = new_event(np.zeros(1, game.event), 0, 0, int(state["turn"]))
    mask = np.zeros(game.decisions.most_actions, np.bool_)
    kind, _count = game.decisions.legal_actions(state, mask)
    policy: Any = policy_of(game.name, SEARCH)
    [seen] = policy.sees(question.states, np.array([state["turn"]]))
    action, values = policy.advice(seen, int(kind), mask)
    game.decisions.to_event(state, action, event)
    card = cards.texts(event["cards"][: int(event["count"])])
    found = {policy.name(int(n)): round(float(values[n]), 2) for n in np.flatnonzero(~np.isnan(values))}
    return Advice(action, card, found, policy.unit)


def review(asked: tuple[Batch, str]) -> dict[str, Any]:
    """What the cards of the only hand of a batch cost, with all cards seen: the costliest `cards`, each as an
    `analysis.Cost`; and the `curve` of what the first side could expect, as SVG, with what it `says`."""
    from cardlog.pipelines.terminal.drawings import analysis
    from cardlog.web import drawing
    from cardlog.web.hands.costs import curve

    batch, spoken = asked
    language.set(spoken)
    costs = analysis.costs(batch)
    if not costs:
        return {"cards": [], "curve": "", "says": ""}
    plot = curve([(c.seat, c.values[c.card], max(c.values.values())) for c in costs], _("the first side"))
    cards = [asdict(each) for each in analysis.costliest(costs, MOST_CARDS)]
    return {"cards": cards, "curve": str(drawing.svg(plot)), "says": plot.sentence()}


def claim(question: Question) -> list[int]:
    """The cards by which the side in turn takes all tricks that are left, see `claims.all_tricks`."""
    from cardlog.models.claims import all_tricks

    return all_tricks(models.game(question.game), question.states[0])


def choose(question: Question) -> int:
    """The action of a player that thinks; it gets to see what its seat knows."""
    game = models.game(question.game)
    policy: Any = policy_of(game.name, question.player)
    turn = np.array([question.states[0]["turn"]], np.int8)
    observations = np.zeros((1, game.decisions.width), np.int8)
    masks = np.zeros((1, game.decisions.most_actions), np.bool_)
    kind, _count = game.decisions.legal_actions(question.states[0], masks[0])
    game.decisions.observe(question.states[0], int(turn[0]), observations[0])
    states = policy.sees(question.states, turn) if hasattr(policy, "sees") else None
    decisions = DecisionBatch(observations, masks, np.array([kind], np.int8), turn, states)
    return int(actions_of(policy, decisions)[0])
