"""Belote: who names trump, declarations on the table, bela; trumps are sorted by their own order."""

from collections.abc import Iterator
from typing import Any, Final

from cardlog.models.belote import rules as belote
from cardlog.models.belote.legal import bid_text
from cardlog.models.belote.score import HAND_POINTS, PLAIN_ORDER, TRICKS, TRUMP_ORDER
from cardlog.models.belote.state import NOBODY, NOT_SPOKEN, PASSED
from cardlog.models.engine.trick import SEATS
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.hands import tricks
from cardlog.pipelines.hands.shapes import Cards, Describer, Facts, Rows, Sentence, Suit, Table, joined, quiet
from cardlog.pipelines.text.texts import _, filled
from cardlog.schemas import cards

HAND_CARDS: Final = 8


def _about(state: Any) -> Table:
    return tricks.about(state, _("of %(points)s, with declarations", points=HAND_POINTS))


def _step(previous: Table, before: Any, event: Any, state: Any) -> Table:
    trump = tricks.trump_of(state)
    orders = [(TRUMP_ORDER if suit == trump else PLAIN_ORDER)[::-1] for suit in tricks.BY_SUIT]
    tags = tricks.tags(state, state["trump"] >= 0, lambda bid: _("pass") if bid == PASSED else None)
    if state["bela"] != NOBODY:
        tags[int(state["bela"])].append(_("bela"))
    melds = ["".join(_declarations(state, seat)) for seat in range(SEATS)]
    return {
        **tricks.step(previous, event, state, begins=tricks.names_trump(before, state)),
        "hands": tricks.hands(state, HAND_CARDS, orders),
        "tags": tags,
        "melds": melds if state["plays"] <= SEATS else None,
        "points": [int(belote.taken(state, team)) for team in range(2)],
    }


def _declarations(state: Any, seat: int) -> Iterator[str]:
    """The cards of each declaration that a seat has shown."""
    for mask in state["shown"][seat, : int(state["shown_count"][seat])]:
        yield "".join(cards.in_mask(mask))


def _facts(batch: Batch, state: Any, opening: dict[str, Any]) -> Facts:
    agreed = [f"rules of {opening['settings']['dialect']}"]
    if batch.match_of[0] >= 0:
        agreed.append(f"match {batch.matches[batch.match_of[0]]}, hand {batch.hand_nos[0]}")
    if "match" in opening:
        agreed.append("{} : {} before".format(*opening["match"]["score"]))
    body: list[Sentence | Rows] = [quiet(*agreed), tricks.dealt(state, opening)]
    body.append(tricks.bidding(state, NOT_SPOKEN, _spoken))
    melds = joined(_melds(state))
    if melds:
        body.append(["Declarations: ", *melds])
    return Facts([], [*body, *tricks.played(state)])


def _spoken(bid: int) -> Sentence:
    return ["pass"] if bid == PASSED else ["names ", Suit(bid_text(bid))]


def _melds(state: Any) -> Iterator[Sentence]:
    for seat in range(SEATS):
        yield from ([seat, " shows ", Cards(shown)] for shown in _declarations(state, seat))
    if state["bela"] != NOBODY:
        yield [int(state["bela"]), " says bela"]


def _result(state: Any) -> list[Sentence]:
    team = int(state["declarer"]) & 1
    points = [str(belote.taken(state, side)) for side in range(2)]
    needed, worth = str(state["needed"]), str(state["hand_value"])
    did = filled(
        _("needed %(needed)s of %(worth)s and have %(points)s"),
        needed=needed,
        worth=worth,
        points=points[team],
    )
    end = [_("all tricks")] if state["tricks_won"].max() == TRICKS else tricks.made(not state["failed"])
    return tricks.result(state, did, end, filled(_("have %(points)s"), points=points[1 - team]))


DESCRIBER: Final = Describer(_about, _step, _facts, _result)
