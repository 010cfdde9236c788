"""Ruter Sju: the suits laid out from their middle cards, who holds the block, who is out."""

from collections.abc import Iterable
from typing import Any, Final

from cardlog.models.ruter_sju.state import CARD_OF, NUMBER_OF, RANK_LETTERS, SUIT_LETTERS, SUIT_OF
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.hands.shapes import (
    Cards,
    Describer,
    Facts,
    Marked,
    Rows,
    Sentence,
    Suit,
    Table,
    began,
    changes,
    joined,
    quiet,
)  # fmt: skip
from cardlog.pipelines.text.texts import _, filled
from cardlog.schemas import cards
from cardlog.schemas.events import Action

_COURT: Final = {1: "A", 11: "J", 12: "Q", 13: "K"}
_WORDS: Final = {
    Action.PLAY_BLOCK: Marked(["block"], "odd"),
    Action.PLAY_BLOCKED: Marked(["blocked"], "quiet"),
    Action.PLAY_PASS: "pass",
}
"""What a seat did in its turn, unless it laid a card."""


def _about(state: Any) -> Table:
    return {
        "shape": "layout",
        "suits": SUIT_LETTERS[: int(state["suits"])],
        "ranks": RANK_LETTERS[: int(state["ranks"])],
        "centre": int(state["centre"]) - 1,
    }


def _step(previous: Table, before: Any, event: Any, state: Any) -> Table:
    """The layout, and whose turn of which lap it was.

    layout
        For each suit, a mask of the ranks that lie on the table.
    last
        The card laid by this event.
    lap, from_first
        Number of the lap, and how many seats this one is after the one that began.
    """
    seats = int(state["seats"])
    is_card = event["action"] == Action.PLAY_CARD
    is_act = is_card or event["action"] in _WORDS
    first = previous.get("first")
    if is_act and first is None:
        first = int(event["seat"])
    lap, distance = previous.get("lap", 0), previous.get("from_first", -1)
    begins_lap = False
    if is_act and first is not None and not before["again"]:
        new_distance = (int(event["seat"]) - first) % seats
        begins_lap = new_distance <= distance or distance < 0
        lap, distance = lap + begins_lap, new_distance
    return {
        "layout": [int(mask) for mask in state["placed"][: int(state["suits"])]],
        "last": cards.text(int(event["cards"][0])) if is_card else None,
        "first": first,
        "lap": lap,
        "from_first": distance,
        "stop": begins_lap,
        "block": int(state["holder"]) if state["holder"] >= 0 else None,
        "hands": [_held(state, seat) for seat in range(seats)],
        "tags": [_tags(state, seat) for seat in range(seats)],
        "places": [int(place) or None for place in state["places"][:seats]],
    }


def _held(state: Any, seat: int) -> str:
    if not int(state["dealt"]) >> seat & 1:
        return ""
    if int(state["hidden"]) >> seat & 1:
        return cards.UNKNOWN_TEXT * int(state["left"][seat])
    return "".join(
        cards.text(int(CARD_OF[suit, number]))
        for suit in range(int(state["suits"]))
        for number in range(1, int(state["ranks"]) + 1)
        if int(state["hands"][seat, suit]) >> (number - 1) & 1
    )


def _tags(state: Any, seat: int) -> list[str]:
    tags = [_("has the block")] if seat == state["holder"] else []
    place = int(state["places"][seat])
    return [*tags, _("out, place %(place)s", place=place)] if place else tags


def _facts(batch: Batch, state: Any, opening: dict[str, Any]) -> Facts:
    settings = opening["settings"]
    agreed = quiet(
        f"{settings['suits']} suits of {settings['cards_per_suit']}", f"rules: {settings['dialect']}"
    )
    return Facts(
        [began(batch)], [agreed, _dealt(state, opening["players"]), _laps(batch, state), _board(state)]
    )


def _numbers(numbers: Iterable[int]) -> str:
    return " ".join(_COURT.get(number, str(number)) for number in numbers)


def _suits(state: Any) -> list[Any]:
    return [Suit(letter) for letter in SUIT_LETTERS[: int(state["suits"])]]


def _dealt(state: Any, players: list[dict[str, Any]]) -> Rows:
    """The cards dealt to each seat, by suit in ascending order."""
    rows = []
    for seat, player in enumerate(players):
        held = state["dealt_cards"][seat][: int(state["counts"][seat])]
        kind = player.get("bot") or player.get("kind")
        name = " ".join(filter(None, [player.get("name"), f"({kind})" if kind else ""]))
        cells = [
            _numbers(sorted(int(NUMBER_OF[card]) for card in held if SUIT_OF[card] == suit)) or "–"
            for suit in range(int(state["suits"]))
        ]
        if len(held) and held[0] == cards.UNKNOWN:
            cells = [f"{len(held)} cards, not shown"]
        rows.append([f"seat {seat}", name, *cells])
    return Rows(["", "player", *_suits(state)], rows)


def _laps(batch: Batch, state: Any) -> Rows:
    """One line per lap: what each seat did in its turn."""
    seats = range(int(state["seats"]))
    laps: list[list[Any]] = []
    table: Table = {}
    for before, event, after in changes(batch):
        table = _step(table, before, event, after)
        done = Cards(table["last"]) if table["last"] else _WORDS.get(Action(event["action"]))
        if done is None:
            continue
        if table["lap"] > len(laps):
            laps.append([str(len(laps) + 1), *([] for _ in seats)])
        cell = laps[-1][int(event["seat"]) + 1]
        cell += [" ", done] if cell else [done]
    return Rows(["lap", *(f"seat {seat}" for seat in seats)], laps, ["lap"])


def _board(state: Any) -> Sentence:
    """The final layout, each suit in ascending order."""
    count, found = int(state["ranks"]), []
    for suit, bits in zip(_suits(state), map(int, state["placed"]), strict=False):
        placed = [number for number in range(1, count + 1) if bits >> (number - 1) & 1]
        found.append([suit, f" {'all' if len(placed) == count else _numbers(placed) or 'nothing'}"])
    return ["Table: ", *joined(found)]


def _result(state: Any) -> list[Sentence]:
    out = sorted(
        (int(state["places"][seat]), seat) for seat in range(int(state["seats"])) if state["places"][seat]
    )
    return [filled(_("Out: %(order)s"), order=joined([f"{place}. ", seat] for place, seat in out))]


DESCRIBER: Final = Describer(_about, _step, _facts, _result)
