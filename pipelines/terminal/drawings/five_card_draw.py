"""A five-card draw hand: who held what, before and after the draw, the betting, and the winnings."""

from collections.abc import Iterator
from typing import Any, Final

from rich.table import Table
from rich.text import Text

from cardlog.models.five_card_draw import ranks
from cardlog.models.five_card_draw.state import SEATS
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.terminal.drawings import parts
from cardlog.schemas import cards
from cardlog.schemas.cards import UNKNOWN
from cardlog.schemas.events import Action

HIDDEN: Final = "[dim]??[/]"
_WORDS: Final = {
    Action.BID_CHECK: "checks",
    Action.BID_FOLD: "folds",
    Action.BID_CALL: "calls",
    Action.BID_RAISE: "raises",
}


def draw(batch: Batch, state: Any, opening: dict[str, Any]) -> Iterator[Any]:
    """The parts of a drawing."""
    names = [
        str((player or {}).get("name") or f"seat {seat}") for seat, player in enumerate(opening["players"])
    ]
    number = [f"no. {batch.hand_nos[0] + 1}"] if batch.hand_nos[0] >= 0 else []
    yield [*number, f"ante {opening['settings']['ante']}, rules: {opening['settings']['dialect']}"]
    yield _hands(state, names)
    yield from _betting(batch, names)


def _hand(codes: Any) -> str:
    return " ".join(HIDDEN if code == UNKNOWN else parts.card(cards.text(int(code))) for code in codes)


def _hands(state: Any, names: list[str]) -> Table:
    """One line per player, starting left of the button."""
    right = map(parts.numbers, ("put in", "won", "chips"))
    table = parts.table("", "player", "dealt", "drew", "held at the end", "", *right)
    for step in range(1, SEATS + 1):
        seat = (int(state["dealer"]) + step) % SEATS
        if not state["present"] >> seat & 1:
            continue
        mark = " (button)" if seat == state["dealer"] else ""
        swapped = int(state["swapped"][seat])
        rank = int(state["rank"][seat])
        end = [ranks.category(rank)] if rank else []
        end += [] if state["live"] >> seat & 1 else ["folded"]
        end += ["mucked"] if state["mucked"] >> seat & 1 else []
        dealt = state["dealt_cards"][seat] if state["dealt"] >> seat & 1 else []
        table.add_row(
            f"seat {seat}",
            Text(names[seat] + mark),
            _hand(dealt),
            "" if swapped < 0 else str(swapped),
            _hand(state["held_cards"][seat]) if swapped >= 0 else "",
            " ".join(end),
            str(state["staked"][seat]),
            str(state["won"][seat]) if state["won"][seat] else "",
            str(state["stack"][seat]),
        )
    return table


def _betting(batch: Batch, names: list[str]) -> Iterator[Text]:
    """The bets before the draw and after it."""
    rounds: dict[str, list[str]] = {"Before the draw: ": [], "After the draw: ": []}
    bets, after = rounds.values()
    for event in batch.events:
        action = Action(event["action"])
        if action == Action.PLAY_DISCARD:
            bets = after
        if action in _WORDS:
            paid = f" {event['amount']}" if action in (Action.BID_CALL, Action.BID_RAISE) else ""
            bets.append(f"{names[int(event['seat'])]} {_WORDS[action]}{paid}")
    return (Text(title + " · ".join(bets)) for title, bets in rounds.items() if bets)


def sentence(state: Any, opening: dict[str, Any]) -> str:
    """The size of the pot."""
    return f"{int(state['won'].sum())} chips were in the pot."
