"""A hand as a page shows it: the table after each event.

What the game's describer says of each state (`cardlog.pipelines.hands`), as plain values for JSON; nothing
here knows a rule.
"""

import json
from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from cardlog import models
from cardlog.models.engine.dealing import NOTHING, new_event
from cardlog.models.engine.game import Game
from cardlog.pipelines.charts.plot import Plot
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.events.folding import replay_batch
from cardlog.pipelines.hands import describer_of
from cardlog.pipelines.hands.costs import WORST
from cardlog.pipelines.hands.shapes import Cards, Marked, Sentence, Suit, Team, began, changes
from cardlog.pipelines.hands.words import DescribedEvent
from cardlog.pipelines.text.texts import _, filled
from cardlog.pipelines.text.visible import one_line, shown
from cardlog.schemas.events import ACTIONS, NO_AMOUNT, Action

View = dict[str, Any]
COLUMNS: Final = "step, seat, best_cards, best_value, value, cost_open, cost_known, exact"
"""The columns of `analysis` that are needed, one row per card, in the order of play."""


def title(game: str) -> str:
    """A game's name for people."""
    return models.game(game).title


def plain(sentence: Sentence) -> list[Any]:
    """A sentence as plain values: texts, numbers of seats, ``{"cards": "8STH"}`` and ``{"suit": "H"}``;
    the page shows them with names and symbols."""
    parts: list[Any] = []
    for part in sentence:
        if isinstance(part, Team):
            parts += filled(_("%(first)s and %(second)s"), first=part.team, second=part.team + 2)
        elif isinstance(part, Marked):
            parts += plain(part.parts)
        else:
            parts.append(vars(part) if isinstance(part, Cards | Suit) else part)
    return parts


class HandPage:
    """Describes a hand, its events and the legal actions, as plain values for JSON.

    opening
        The detail of the hand's first event.
    """

    def __init__(self, game: str, opening: dict[str, Any]) -> None:
        self.game, self.opening = models.game(game), opening
        self._describer = describer_of(game)
        self._mask = np.zeros(self.game.decisions.most_actions, np.bool_)
        self._events = np.zeros(1, self.game.event)
        self._fixed = {
            "game": game,
            "title": self.game.title,
            "seats": [_player(player, seat) for seat, player in enumerate(opening["players"])],
            "partners": self.game.has_teams,
            "settings": _settings(opening.get("settings", {})),
        }

    def about(self, state: Any, is_over: bool) -> View:
        """The hand up to a state."""
        return {**self._fixed, "complete": is_over, **self._describer.about(state)}

    def result(self, state: Any) -> list[list[Any]]:
        """The sentences on the result; empty until the hand is complete."""
        return [plain(sentence) for sentence in self._describer.result(state)] if state["done"] else []

    def step(self, previous: View, described: DescribedEvent, *, from_log: bool) -> View:
        """An event, and the table after it, given the step before."""
        return {
            "seat": described.actor,
            "kind": described.kind,
            "text": plain(described.sentence(from_log)),
            "turn": None,
            **self._describer.step(previous, described.before, described.event, described.state),
        }

    def actions(self, state: Any) -> list[View]:
        """The legal actions of the seat in turn."""
        kind, count = legal(self.game, state, self._mask)
        if kind == NOTHING:
            return []
        return [self._action(state, action) for action in np.flatnonzero(self._mask[:count]).tolist()]

    def _action(self, state: Any, action: int) -> View:
        event = new_event(self._events, 0, 0, int(state["turn"]))
        self.game.decisions.to_event(state, action, event)
        described = DescribedEvent(self.game, event)
        is_set = described.action == Action.PLAY_DISCARD
        view = {
            "action": action,
            "text": described.choice(),
            "card": described.cards if described.cards and not is_set else None,
            "cards": described.cards if is_set else None,
            "kind": described.name,
            "amount": None if event["amount"] == NO_AMOUNT else described.amount,
            "suit": described.suit or None,
        }
        if described.action == Action.BID_RAISE and self.game.decisions.raises:
            view["least"], view["most"] = self.game.decisions.raises(state)
        return view


def legal(game: Game, state: Any, mask: Any) -> tuple[int, int]:
    """The kind of the next decision, `NOTHING` if there is none, and how many actions it has; writes which of
    them are legal into the mask."""
    mask[:] = False
    if state["done"]:
        return NOTHING, 0
    kind, count = game.decisions.legal_actions(state, mask)
    return int(kind), int(count)


def choices(game: Game, opening: dict[str, Any], events: Any) -> Iterator[tuple[int, int, bool]]:
    """The choices of a hand: the index of the first event of each, the seat, and whether it had an
    alternative."""
    state = game.begin(opening)[0]
    mask = np.zeros(game.decisions.most_actions, np.bool_)
    bela = None  # it belongs to the card after it
    for index, event in enumerate(events.copy()):
        kind = ACTIONS[int(event["action"])].kind
        if event["action"] == Action.MELD_BELA:
            bela = index, True
        elif kind in ("bid", "play") and event["seat"] == state["turn"]:
            if legal(game, state, mask)[0] != NOTHING:
                first, is_free = bela or (index, bool(mask.sum() > 1))
                yield first, int(event["seat"]), is_free
            bela = None
        game.evolve(state, event)


def opening_of(batch: Batch) -> dict[str, Any]:
    """The detail of the first event of the only hand of a batch."""
    opening: dict[str, Any] = json.loads(batch.details[int(batch.events["detail"][0])])
    return opening


def view(batch: Batch) -> View:
    """The only hand of a batch: its players, and the table after each event, as plain values for JSON."""
    page = HandPage(batch.game, opening_of(batch))
    told, state = _steps(batch, page)
    return {
        "id": batch.hand_ids[0].decode(),
        "match": shown(batch.matches[batch.match_of[0]], 60) if batch.match_of[0] >= 0 else None,
        "hand_no": int(batch.hand_nos[0]) if batch.hand_nos[0] >= 0 else None,
        "at": began(batch).removesuffix(" UTC") or None,
        **page.about(state, bool(state["done"])),
        "result": page.result(state),
        "steps": told,
    }


def _steps(batch: Batch, page: HandPage) -> tuple[list[View], Any]:
    """The table after each event, and the state after the last one."""
    view: View = {}
    told: list[View] = []
    for before, event, state in changes(batch):
        view = page.step(view, DescribedEvent(page.game, event, before, state), from_log=True)
        text = page.game.legal_text(state)
        if text and not state["done"]:
            cards = [action["card"] for action in page.actions(state)]
            view |= {"turn": int(state["turn"]), "legal": "".join(filter(None, cards))}
            if not view["legal"]:
                view["options"] = text.partition(": ")[2]
        told.append({"line": int(event["line"]), **view})
    return told, state


def _player(entry: dict[str, Any] | None, seat: int) -> dict[str, Any] | None:
    """A player's name and kind; None for an empty seat."""
    if entry is None:
        return None
    kind = str(entry.get("bot") or entry.get("kind") or "")
    name = entry.get("name")
    title = _("Seat %(number)s", number=seat) if name in (None, "") else shown(name, 24)
    return {
        "name": _("Player %(name)s", name=title) if title.isdigit() else title,
        "whole_name": "" if name is None else one_line(str(name)[:1000]),
        "kind": {"human": _("human"), "computer": _("computer")}.get(kind, shown(kind, 20)),
    }


def _settings(settings: dict[str, Any]) -> str:
    """The settings of a hand on one line."""
    values = [
        f"{key.replace('_', ' ')}: {value}"
        for key, value in settings.items()
        if isinstance(value, (int, str)) and not isinstance(value, bool)
    ]
    flags = [key.replace("_", " ") for key, value in settings.items() if value is True]
    return shown(" · ".join(values + flags), 300)


# ---------------------------------------------------------------- what cards cost


def costs(batch: Batch, rows: list[dict[str, Any]], players: list[dict[str, Any] | None]) -> dict[str, Any]:
    """The costs of a hand.

    events
        The cost of each card, by the index of the event that played it.
    worst
        The events of the costliest cards.
    plot
        What the first team could expect after each card; None in games without teams.
    """
    event_of_step = replay_batch(batch).rows["event"]
    events = {int(event_of_step[row["step"]]): _cost(row) for row in rows}
    costly = [index for index, cost in events.items() if cost["cost"]]
    costly.sort(key=lambda index: -events[index]["cost"])
    plot = None
    if models.game(batch.game).has_teams:
        moves = [(row["seat"], row["value"], row["best_value"]) for row in rows]
        first, second = [player["name"] for player in players[::2] if player]
        plot = curve(moves, _("%(first)s and %(second)s", first=first, second=second))
    return {"events": events, "worst": costly[:WORST], "plot": plot}


def _cost(row: dict[str, Any]) -> dict[str, Any]:
    """The cost of a card, its cost by what was known, and a sentence on them and what would have been
    better."""
    cost, known = row["cost_open"], row["cost_known"]
    text = _("It led to %(value)s.")
    if cost:
        text = _("It led to %(value)s; %(better)s would have led to %(best)s: it cost %(cost)s.")
    better = Cards(row["best_cards"]) if row["best_cards"] else _("another move")
    numbers = {"value": f"{row['value']:+g}", "best": f"{row['best_value']:+g}", "cost": f"{cost:g}"}
    if not row["exact"]:
        numbers = {name: _("about %(n)s", n=number) for name, number in numbers.items()}
    sentence = plain(filled(text, better=better, **numbers))
    if cost and known is not None:
        sentence += [" ", _("By what was known, it cost %(cost)s.", cost=f"{known:.2g}")]
    return {"cost": cost, "known": known, "text": sentence}


def curve(moves: list[tuple[int, float, float]], names: str) -> Plot:
    """What the first team, with its players' names, could expect before the first card and after each.

    moves
        For each card the seat, and for its side the value of the card and of the best card.
    """
    sides = [-1 if seat % 2 else 1 for seat, *_rest in moves]
    values = [sides[0] * moves[0][2]]
    values += [side * value for side, (_seat, value, _best) in zip(sides, moves, strict=True)]
    values = [int(value) if float(value).is_integer() else value for value in values]
    return Plot(
        _("What %(names)s could expect", names=names),
        "line",
        list(range(len(values))),
        {_("expected"): values},
        _("card"),
        says=_(
            "Their score less that of the others after each card, if all play perfectly from there and see "
            "all cards."
        ),
    )
