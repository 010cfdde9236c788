"""A five-card draw hand: who held what, before and after the draw, the betting, and the winnings."""

from typing import Any, Final

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from cardlog.models.five_card_draw import ranks
from cardlog.models.five_card_draw.state import SEATS
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.terminal.drawings import parts as shared
from cardlog.schemas import cards
from cardlog.schemas.cards import UNKNOWN
from cardlog.schemas.events import Action

HIDDEN: Final = "[dim]??[/]"


def draw(batch: Batch, state: Any) -> RenderableType:
    """Draw the only hand of a batch, given its final state."""
    opening = shared.opening(batch)
    names = [_name(player, seat) for seat, player in enumerate(opening["players"])]
    words = [f"no. {batch.hand_nos[0] + 1}"] if batch.hand_nos[0] >= 0 else []
    words.append(f"ante {opening['settings']['ante']}, rules: {opening['settings']['dialect']}")
    title = shared.title("Five-card draw", batch, state, *words)
    parts: list[RenderableType] = [title, _hands(state, names)]
    parts += [Text(line) for line in _betting(batch, names)]
    parts.append(result(state, opening))
    return Group(*parts)


def _name(player: dict[str, Any] | None, seat: int) -> str:
    return str((player or {}).get("name") or f"seat {seat}")


def _hand(codes: Any) -> str:
    texts = [int(code) for code in codes]
    return " ".join(HIDDEN if code == UNKNOWN else shared.card(cards.text(code)) for code in texts)


def _hands(state: Any, names: list[str]) -> Table:
    """One line per player, starting left of the button."""
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    for name in ("", "player", "dealt", "drew", "held at the end", ""):
        table.add_column(name)
    for name in ("put in", "won", "chips"):
        table.add_column(name, justify="right")
    for step in range(1, SEATS + 1):
        seat = (int(state["dealer"]) + step) % SEATS
        if not state["present"] >> seat & 1:
            continue
        mark = " (button)" if seat == state["dealer"] else ""
        swapped = int(state["swapped"][seat])
        rank = int(state["rank"][seat])
        end = ranks.category(rank) if rank else ""
        end += " folded" if not state["live"] >> seat & 1 else ""
        end += " mucked" if state["mucked"] >> seat & 1 else ""
        dealt = state["dealt_cards"][seat] if state["dealt"] >> seat & 1 else []
        table.add_row(
            f"seat {seat}",
            Text(names[seat] + mark),
            _hand(dealt),
            "" if swapped < 0 else str(swapped),
            _hand(state["held_cards"][seat]) if swapped >= 0 else "",
            end.strip(),
            str(state["staked"][seat]),
            str(state["won"][seat]) if state["won"][seat] else "",
            str(state["stack"][seat]),
        )
    return table


_WORDS: Final = {
    Action.BID_CHECK: "checks",
    Action.BID_FOLD: "folds",
    Action.BID_CALL: "calls",
    Action.BID_RAISE: "raises",
}


def _betting(batch: Batch, names: list[str]) -> list[str]:
    """What was bet before the draw and after it."""
    rounds: list[list[str]] = [[], []]
    after = 0
    for event in batch.events:
        action = Action(event["action"])
        if action == Action.PLAY_DISCARD:
            after = 1
        if action in _WORDS:
            paid = f" {event['amount']}" if action in (Action.BID_CALL, Action.BID_RAISE) else ""
            rounds[after].append(f"{names[int(event['seat'])]} {_WORDS[action]}{paid}")
    titles = ("Before the draw: ", "After the draw: ")
    return [title + " · ".join(bets) for title, bets in zip(titles, rounds, strict=True) if bets]


def result(state: Any, opening: dict[str, Any]) -> Text:
    """What was in the pot."""
    if not state["done"]:
        return shared.UNFINISHED
    return Text(f"{int(state['won'].sum())} chips were in the pot.")
