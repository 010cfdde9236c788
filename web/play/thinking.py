"""Computers that think about a card: the work of one process for all tables.

What it may spend on a question is counted in plays, never in time, and so is the same everywhere.
"""

from dataclasses import asdict
from typing import Any, Final, NamedTuple

import numpy as np

from cardlog import models
from cardlog.models.dealing import new_event
from cardlog.models.game import Game, Records
from cardlog.models.policy import DecisionBatch, actions_of
from cardlog.models.simulation import policy_of
from cardlog.pipelines.events.batch import Batch
from cardlog.schemas import cards
from cardlog.web.texts import _, language

AT_ONCE: Final = ("random", "expert", "smart", "dumb")
"""Players that choose at once, where the table is; all others think."""
SEARCH: Final = "search"
NICENESS: Final = 5
"""Of the process in which they think."""
MOST_CARDS: Final = 5
"""How many costly cards a review names."""


def thinks(player: str) -> bool:
    """Whether a player thinks about its choices."""
    return player not in AT_ONCE


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
