"""How a hand is described, in the terminal and on the page."""

from typing import Any, Final

from cardlog.plugin import Batch, Describer, Facts, cards, shapes, tricks

from .rules import HAND_CARDS, SEATS


def _about(state: Any) -> dict[str, Any]:
    return tricks.about(state, "points")


def _step(previous: dict[str, Any], before: Any, event: Any, state: Any) -> dict[str, Any]:
    return {
        **tricks.step(previous, event, state, begins=state["phase"] != before["phase"]),
        "hands": tricks.hands(state, HAND_CARDS, cards.PACK_RANKS[::-1]),
        "tags": [[] for _ in range(SEATS)],
    }


def _facts(batch: Batch, state: Any, opening: dict[str, Any]) -> Facts:
    return Facts([shapes.began(batch)], [tricks.dealt(state, opening), *tricks.played(state)])


def _result(state: Any) -> list[list[Any]]:
    return [shapes.joined([seat, f" {points}"] for seat, points in enumerate(state["score"].tolist()))]


DESCRIBER: Final = Describer(_about, _step, _facts, _result)
