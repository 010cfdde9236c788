"""A hand of Ruter Sju: the cards, the laps, the final layout and the order of finish."""

from typing import Any, Final

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from cardlog.models.ruter_sju import rules as ruter_sju
from cardlog.models.ruter_sju.state import NUMBER_OF, SUIT_LETTERS, SUIT_OF
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.events.folding import initial_states
from cardlog.pipelines.terminal.drawings import parts as shared
from cardlog.schemas.cards import UNKNOWN
from cardlog.schemas.events import Action

_COURT = {1: "A", 11: "J", 12: "Q", 13: "K"}


def draw(batch: Batch, state: Any) -> RenderableType:
    """Draw the only hand of a batch, given its final state."""
    opening = shared.opening(batch)
    players = opening["players"]
    settings = opening["settings"]
    agreed = Text(
        f"{settings['suits']} suits of {settings['cards_per_suit']} · rules: {settings['dialect']}",
        style="dim",
    )
    parts: list[RenderableType] = [
        shared.title("Ruter Sju", batch, state, *shared.began(batch)),
        agreed,
        _hands(state, players),
        _laps(batch, state),
        _board(state),
    ]
    return Group(*parts, result(state, opening))


def _suit(suit: int) -> str:
    letter = SUIT_LETTERS[suit]
    return shared.SYMBOLS.get(letter, f"suit {letter}")


def _number(number: int) -> str:
    return _COURT.get(number, str(number))


def _card(code: int) -> str:
    """A card with its suit's symbol, in rich's markup; a suit without a symbol is shown by its letter."""
    suit, number = int(SUIT_OF[code]), _number(int(NUMBER_OF[code]))
    letter = SUIT_LETTERS[suit]
    if letter not in shared.SYMBOLS:
        return f"{number}/{letter}"
    symbol = shared.SYMBOLS[letter]
    return f"[red]{number}{symbol[5]}[/]" if symbol.startswith("[red]") else number + symbol


def _hands(state: Any, players: list[dict[str, Any]]) -> Table:
    """The cards dealt to each seat, by suit in ascending order."""
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    for name in ("", "player", *(_suit(suit) for suit in range(int(state["suits"])))):
        table.add_column(name)
    for seat, player in enumerate(players):
        held = state["dealt_cards"][seat][: int(state["counts"][seat])]
        kind = player.get("bot") or player.get("kind")
        name = " ".join(filter(None, [player.get("name"), f"({kind})" if kind else ""]))
        cells = [_numbers(held, suit) for suit in range(int(state["suits"]))]
        if len(held) and held[0] == UNKNOWN:
            cells = [f"{len(held)} cards, not shown"]
        table.add_row(f"seat {seat}", Text(name), *cells)
    return table


def _numbers(held: Any, suit: int) -> str:
    numbers = sorted(int(NUMBER_OF[card]) for card in held if SUIT_OF[card] == suit)
    return " ".join(map(_number, numbers)) or "–"


def _laps(batch: Batch, state: Any) -> Table:
    """One line per lap: what each seat did in its turn."""
    seats = int(state["seats"])
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column("lap", justify="right")
    for seat in range(seats):
        table.add_column(f"seat {seat}")
    rows: list[list[str]] = []
    start, before = -1, -1
    [current] = initial_states(batch)[0].copy()
    for event in batch.events:
        again = bool(current["again"])
        ruter_sju.evolve(current, event.copy())
        word = _word(event)
        if not word:
            continue
        seat = int(event["seat"])
        start = seat if start < 0 else start
        if not again:
            step = (seat - start) % seats
            if not rows or step <= before:
                rows.append([""] * seats)
            before = step
        rows[-1][seat] += (" " if rows[-1][seat] else "") + word
    for number, cells in enumerate(rows, 1):
        table.add_row(str(number), *cells)
    return table


def _word(event: Any) -> str:
    if event["action"] == Action.PLAY_CARD:
        return _card(int(event["cards"][0]))
    return _WORDS.get(Action(event["action"]), "")


_WORDS: Final = {
    Action.PLAY_BLOCK: "[yellow]block[/]",
    Action.PLAY_BLOCKED: "[dim]blocked[/]",
    Action.PLAY_PASS: "pass",
}


def _board(state: Any) -> Text:
    """The final layout, each suit in ascending order."""
    words = []
    for suit in range(int(state["suits"])):
        placed = [n for n in range(1, int(state["ranks"]) + 1) if int(state["placed"][suit]) >> (n - 1) & 1]
        complete = len(placed) == int(state["ranks"])
        cards = "all" if complete else " ".join(map(_number, placed)) or "nothing"
        words.append(f"{_suit(suit)} {cards}")
    return Text.from_markup("Table: " + " · ".join(words))


def result(state: Any, opening: dict[str, Any]) -> Text:
    """The order in which the players went out."""
    players = opening["players"]
    out = sorted((int(state["places"][seat]), seat) for seat in range(len(players)) if state["places"][seat])
    words = [f"{place}. {players[seat].get('name') or f'seat {seat}'}" for place, seat in out]
    text = Text("Out: " + (" · ".join(words) or "nobody"))
    if not state["done"]:
        text.append(" · the record of this hand ends here", style="yellow")
    return text
