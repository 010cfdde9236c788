"""A hand of high card: who held what, the tricks, and who took more of them."""

from typing import Any, Final

from cardlog.models.high_card.rules import TRICKS
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.hands import tricks
from cardlog.pipelines.hands.shapes import Describer, Facts, Sentence, Table, Team
from cardlog.pipelines.texts import _, filled
from cardlog.schemas import cards


def _about(state: Any) -> Table:
    return tricks.about(state, _("tricks of %(n)s", n=TRICKS))


def _step(previous: Table, before: Any, event: Any, state: Any) -> Table:
    return {
        **tricks.step(previous, event, state, begins=False),
        "hands": tricks.hands(state, TRICKS, cards.PACK_RANKS[::-1]),
        "tags": [["dealer"] if seat == state["dealer"] else [] for seat in range(4)],
    }


def _facts(batch: Batch, state: Any, opening: dict[str, Any]) -> Facts:
    return Facts([], [tricks.dealt(state, opening), *tricks.played(state)])


def _result(state: Any) -> list[Sentence]:
    team = int(state["score"].argmax())
    won = _("%(team)s win with %(tricks)s tricks of %(all)s.")
    return [filled(won, team=Team(team), tricks=str(state["points"][team]), all=str(TRICKS))]


DESCRIBER: Final = Describer(_about, _step, _facts, _result)
