"""Computers that think about a choice, in one process for all tables.

Their budget is a number of plays, never a time, so that they choose the same on every machine.
"""

from dataclasses import asdict
from typing import Any, Final, NamedTuple

import numpy as np

from cardlog import models
from cardlog.models.contest.simulation import policy_of
from cardlog.models.engine.dealing import new_event
from cardlog.models.engine.game import Game, Records
from cardlog.models.engine.policy import DecisionBatch, actions_of
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.text.texts import N_, _, language
from cardlog.schemas import cards

SEARCH: Final = "search"
NICENESS: Final = 5
"""Niceness of the process in which they think."""
MOST_CARDS: Final = 5
"""How many costly cards a review names."""
UNITS: Final = (
    N_("points more than the other side"),
    N_("result of the hand"),
    N_("chips won less those put in"),
)
"""The units of advice, which come from `models`, for the catalogue."""


class Question(NamedTuple):
    """A decision of the seat in turn.

    player
        The name of the player that decides.
    states
        The state of the hand: shape (1,).
    """

    game: str
    player: str
    states: Records


class Advice(NamedTuple):
    """What the adviser would do.

    card
        The card to play, or those to exchange; empty for other actions.
    values
        The expected value of each card, or bet; empty if the adviser has none.
    unit
        Unit of the values.
    """

    action: int
    card: str
    values: dict[str, float]
    unit: str


def adviser_of(game: Game) -> str | None:
    """The player that gives advice in a game: `SEARCH`, if the game has it."""
    return SEARCH if SEARCH in game.playing().names else None


def advise(question: Question) -> Advice:
    """What the adviser of a game would do, and the value that it expects of each card."""
    game, state = models.game(question.game), question.states[0]
    event = new_event(np.zeros(1, game.event), 0, 0, int(state["turn"]))
    mask = np.zeros(game.decisions.most_actions, np.bool_)
    kind, _count = game.decisions.legal_actions(state, mask)
    policy: Any = policy_of(game.name, SEARCH)
    [seen] = policy.sees(question.states, np.array([state["turn"]]))
    action, values = policy.advice(seen, int(kind), mask)
    game.decisions.to_event(state, action, event)
    card = cards.texts(event["cards"][: int(event["count"])])
    named = {policy.name(int(n)): round(float(values[n]), 2) for n in np.flatnonzero(~np.isnan(values))}
    return Advice(action, card, named, policy.unit)


def review(arguments: tuple[Batch, str]) -> dict[str, Any]:
    """What the cards of the only hand of a batch cost, with all cards seen: the costliest `cards`, each as an
    `costs.Cost`; and the `curve` of what the first side could expect, as SVG, with the sentence that it
    `says`.

    arguments
        The batch, and the language.
    """
    from cardlog.pipelines.hands.costs import costliest, costs
    from cardlog.web import drawing
    from cardlog.web.hands import curve

    batch, reader_language = arguments
    language.set(reader_language)
    plays = costs(batch)
    if not plays:
        return {"cards": [], "curve": "", "says": ""}
    moves = [(cost.seat, cost.values[cost.card], max(cost.values.values())) for cost in plays]
    worst = [asdict(cost) for cost in costliest(plays, MOST_CARDS)]
    plot = curve(moves, _("the first side"))
    return {"cards": worst, "curve": str(drawing.svg(plot)), "says": plot.sentence()}


def values_at(arguments: tuple[Batch, int]) -> dict[str, float]:
    """What each legal card at an event of the only hand of a batch would have led to, for the seat's side,
    the best first; empty if the log hides cards.

    arguments
        The batch, and the index of the event that played a card.
    """
    from cardlog.pipelines.hands.costs import costs

    batch, event = arguments
    values = next((cost.values for cost in costs(batch) if cost.event == event), {})
    return dict(sorted(values.items(), key=lambda value: -value[1]))


def claim(question: Question) -> list[int]:
    """The cards with which the side in turn takes all remaining tricks, see `claims.all_tricks`."""
    from cardlog.models.solve.claims import all_tricks

    return all_tricks(models.game(question.game), question.states[0])


def choose(question: Question) -> int:
    """The choice of a player that thinks; it sees only what its seat knows."""
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
