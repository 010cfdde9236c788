"""A stored hand as a page shows it: what the table looks like after each event.

The events are folded through the game's `evolve`, one at a time, and each state is described as it is then;
nothing here knows a rule. `VIEWS` has what each game shows.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from cardlog import models
from cardlog.models.dealing import new_event
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.events.folding import initial_states
from cardlog.pipelines.sql import hand_lookup
from cardlog.pipelines.storage.events_file import EventsFile
from cardlog.pipelines.storage.moment import pinned
from cardlog.pipelines.storage.store import Store, game_of
from cardlog.pipelines.terminal import drawings
from cardlog.pipelines.visible import one_line, shown
from cardlog.schemas import cards
from cardlog.schemas.events import NO_SEAT, NO_TIME, Action
from cardlog.web.hands import belote, five_card_draw, kaiser, pinochle, ruter_sju, table, words

View = dict[str, Any]


def title(game: str) -> str:
    """A game's name for people."""
    return models.game(game).title


@dataclass(frozen=True)
class HandView:
    """How a page shows hands of a game; `table` describes both functions."""

    about: Callable[[Any, dict[str, Any]], View] = table.about
    step: Callable[[View, Any, Any, Any], View] = table.step


VIEWS: Final = {
    "kaiser": HandView(kaiser.about, kaiser.step),
    "belote": HandView(belote.about, belote.step),
    "ruter_sju": HandView(ruter_sju.about, ruter_sju.step),
    "pinochle": HandView(pinochle.about, pinochle.step),
    "five_card_draw": HandView(five_card_draw.about, five_card_draw.step),
}
"""By game; hands of another are shown as a list of events."""


def view_of(game: str) -> HandView:
    """How hands of a game are shown."""
    return VIEWS.get(game, HandView())


def view(batch: Batch) -> View:
    """The only hand of a batch: who plays, and the table after each event, as plain values for JSON."""
    opening = _opening(batch)
    game = batch.game
    steps = _steps(batch)
    last = steps.pop("state")
    return {
        "game": game,
        "title": title(game),
        "id": batch.hand_ids[0].decode(),
        "match": shown(batch.matches[batch.match_of[0]], 60) if batch.match_of[0] >= 0 else None,
        "hand_no": int(batch.hand_nos[0]) if batch.hand_nos[0] >= 0 else None,
        "at": _time(batch),
        "complete": bool(last["done"]),
        "seats": [player(each, seat) for seat, each in enumerate(opening["players"])],
        "partners": "score" in last.dtype.names and len(opening["players"]) == 4,
        "settings": settings(opening.get("settings", {})),
        "result": drawings.result(batch, last),
        **view_of(game).about(last, opening),
        **steps,
    }


def _opening(batch: Batch) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(batch.details[int(batch.events["detail"][0])])
    return found


def player(entry: dict[str, Any] | None, seat: int) -> dict[str, Any] | None:
    """A player's name and kind; None for an empty seat."""
    if entry is None:
        return None
    kind = entry.get("bot") or entry.get("kind") or ""
    name = entry.get("name")
    title = f"Seat {seat}" if name in (None, "") else shown(name, 24)
    return {
        "name": f"Player {title}" if title.isdigit() else title,
        "whole_name": "" if name is None else one_line(str(name)[:1000]),
        "kind": shown(kind, 20),
    }


def settings(given: dict[str, Any]) -> str:
    """The settings of a hand on one line."""
    told = [
        f"{key.replace('_', ' ')}: {value}"
        for key, value in given.items()
        if isinstance(value, (int, str)) and not isinstance(value, bool)
    ]
    flags = [key.replace("_", " ") for key, value in given.items() if value is True]
    return shown(" · ".join(told + flags), 300)


def _time(batch: Batch) -> str | None:
    at = int(batch.events[0]["at"])
    return None if at == NO_TIME else str(np.datetime64(at, "us").astype("datetime64[s]")).replace("T", " ")


def _steps(batch: Batch) -> View:
    """What the table looks like after each event, and the state after the last one."""
    rules, module = models.game(batch.game), view_of(batch.game)
    [state] = initial_states(batch)[0].copy()
    game = _Game(batch.game)
    steps: list[View] = []
    for event in batch.events:
        before = state.copy()
        judged = event.copy()
        if rules.evolve(state, judged) != 0:
            break  # a store holds no such event
        seat = int(judged["seat"])
        steps.append(
            {
                "line": int(event["line"]),
                "seat": seat if seat != NO_SEAT and not words.is_of_team(judged) else None,
                "kind": words.kind_of(judged),
                "text": words.sentence(batch.game, before, judged, state),
                "turn": None,
                **game.choice(state),
                **module.step(steps[-1] if steps else {}, before, judged, state),
            }
        )
    return {"steps": steps, "state": state}


class _Game:
    """Asks a game what may be done."""

    def __init__(self, game: str) -> None:
        self._rules, self._decisions = models.game(game), models.game(game).decisions
        self._mask = np.zeros(self._decisions.most_actions, np.bool_)
        self._events = np.zeros(1, self._rules.event)
        self._card_of: dict[tuple[int, int], int] = {}

    def choice(self, state: Any) -> View:
        """Whose turn it is, the cards that may be played, and the sentence on what is legal."""
        text = self._rules.legal_text(state)
        if not text or state["done"]:
            return {}
        legal = self._cards(state)
        choice = {"turn": int(state["turn"]), "legal": legal}
        if not legal:
            choice["options"] = text.partition(": ")[2]
        return choice

    def _cards(self, state: Any) -> str:
        self._mask[:] = False
        kind, count = self._decisions.legal_actions(state, self._mask)
        found = (self._card(state, int(kind), int(action)) for action in np.flatnonzero(self._mask[:count]))
        return cards.texts([card for card in found if card != cards.UNKNOWN])

    def _card(self, state: Any, kind: int, action: int) -> int:
        """The card that an action plays, whatever the state; `UNKNOWN` if it plays none."""
        if (kind, action) not in self._card_of:
            event = new_event(self._events, 0, 0, int(state["turn"]))
            self._decisions.to_event(state, action, event)
            is_card = event["action"] == Action.PLAY_CARD and event["count"] == 1
            self._card_of[kind, action] = int(event["cards"][0]) if is_card else cards.UNKNOWN
        return self._card_of[kind, action]


def warm_up(store: Store) -> None:
    """Show a hand of each game that is stored, so that the first one on the page need not wait for compiled
    code to be loaded."""
    now = pinned(store, ["events", "ingests"])
    first = {game_of(path): path for path in reversed(now.paths("events"))}
    for path in first.values():
        hand_id, _ = EventsFile(now, path).range_of(0)
        view(hand_lookup.find(now, hand_id.decode()))
