"""How hands of hearts are described, in the terminal and on the page."""

from typing import Any, Final

from cardlog.plugin import Batch, Describer, Facts, cards, shapes, tricks

from .rules import HAND_CARDS, PASSES, RULES, SEATS


def _about(state: Any) -> dict[str, Any]:
    return tricks.about(state, "penalties")


def _step(previous: dict[str, Any], before: Any, event: Any, state: Any) -> dict[str, Any]:
    return {
        **tricks.step(previous, event, state, begins=state["phase"] != before["phase"]),
        "hands": tricks.hands(state, HAND_CARDS, cards.PACK_RANKS[::-1]),
        "tags": [[] for _ in range(SEATS)],
    }


def _facts(batch: Batch, state: Any, opening: dict[str, Any]) -> Facts:
    on = [rule for bit, rule in enumerate(RULES) if int(state["rules"]) >> bit & 1]
    given = ["".join(cards.in_mask(mask)) for mask in state["given"] if mask]
    passed = shapes.joined([seat, " ", shapes.Cards(passed)] for seat, passed in enumerate(given))
    passing = ["Passed ", PASSES[int(state["direction"])], ": ", *passed] if passed else ["Nobody passes."]
    return Facts(
        [shapes.began(batch)],
        [shapes.quiet(*on), tricks.dealt(state, opening), passing, *tricks.played(state)],
    )


def _result(state: Any) -> list[list[Any]]:
    return [shapes.joined([seat, f" {points}"] for seat, points in enumerate(state["score"].tolist()))]


DESCRIBER: Final = Describer(_about, _step, _facts, _result)
