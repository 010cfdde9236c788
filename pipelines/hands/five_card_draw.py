"""Five-card draw: chips, the pot, who has folded, what was drawn, and the hands shown."""

from typing import Any, Final

from cardlog.models.five_card_draw.state import SECOND_BETS
from cardlog.models.poker.ranks import HAND_CARDS
from cardlog.models.poker.table import DEALING
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.hands import poker
from cardlog.pipelines.hands.shapes import Cards, Describer, Facts, Rows, Sentence, Table, joined
from cardlog.pipelines.text.texts import N_, _
from cardlog.schemas import cards
from cardlog.schemas.events import Action

ROUNDS: Final = (
    N_("ante"), N_("deal"), N_("before the draw"), N_("the draw"), N_("after the draw"), N_("showdown"),
)  # fmt: skip


def _step(previous: Table, before: Any, event: Any, state: Any) -> Table:
    """The chips of `poker.chips`, and `discarded`: the cards that have just been."""
    seats = poker.seats_of(previous, state)
    discards = cards.texts(event["cards"][: int(event["count"])])
    return {
        **poker.chips(state, seats),
        "round": _(_round(state)),
        "hands": [_held(state, seat) for seat in seats],
        "discarded": discards if event["action"] == Action.PLAY_DISCARD else None,
        "tags": [_tags(state, seat) for seat in seats],
        "stop": bool(_round(state) != _round(before)),
    }


def _round(state: Any) -> str:
    if state["posts_blinds"] and state["phase"] < DEALING:
        return N_("blinds")
    return ROUNDS[min(max(int(state["phase"]) - 1, 0), len(ROUNDS) - 1)]


def _held(state: Any, seat: int) -> str:
    if not int(state["dealt"]) >> seat & 1:
        return ""
    replaced = int(state["replaced"]) if seat == state["turn"] else 0  # their slots are at the end
    return poker.held(state["held_cards"][seat][: HAND_CARDS - replaced])


def _tags(state: Any, seat: int) -> list[str]:
    drew = int(state["swapped"][seat]) >= 0 and state["phase"] >= SECOND_BETS
    more = [_("drew %(n)s", n=state["swapped"][seat])] if drew else []
    return poker.tags(state, seat, int(state["rank"][seat]), more)


def _facts(batch: Batch, state: Any, opening: dict[str, Any]) -> Facts:
    settings = opening["settings"]
    number = f"no. {batch.hand_nos[0] + 1}" if batch.hand_nos[0] >= 0 else ""
    stakes = f"ante {settings['ante']}" if "ante" in settings else poker.stakes(settings)
    return Facts(
        [number, f"{stakes}, rules: {settings['dialect']}"],
        [_hands(state, opening["players"]), *_betting(batch)],
    )


def _hands(state: Any, players: list[dict[str, Any] | None]) -> Rows:
    """One line per player, starting left of the button."""
    rows = []
    for seat in poker.in_turn(state):
        swapped = int(state["swapped"][seat])
        dealt = state["dealt_cards"][seat] if poker.in_mask(state["dealt"], seat) else []
        rows.append([
            *poker.player_cells(state, seat, players),
            Cards(cards.texts(dealt)),
            "" if swapped < 0 else str(swapped),
            Cards(cards.texts(state["held_cards"][seat])) if swapped >= 0 else "",
            *poker.end_cells(state, seat, int(state["rank"][seat])),
        ])  # fmt: skip
    return Rows(["", "player", "dealt", "drew", "held at the end", "", *poker.CHIPS], rows, poker.CHIPS)


def _betting(batch: Batch) -> list[Sentence]:
    """The bets before the draw and after it."""
    before: list[Sentence] = []
    after: list[Sentence] = []
    bets = before
    for event in batch.events:
        bets = after if event["action"] == Action.PLAY_DISCARD else bets
        bets += [bet] if (bet := poker.bet_of(event)) else []
    return [
        [title, *joined(bets)]
        for title, bets in (("Before the draw: ", before), ("After the draw: ", after))
        if bets
    ]


DESCRIBER: Final = Describer(poker.about, _step, _facts, poker.result)
