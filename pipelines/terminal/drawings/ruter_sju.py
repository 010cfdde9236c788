"""A hand of Ruter Sju: the cards, the laps, the final layout and the order of finish."""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from rich.markup import escape
from rich.table import Table
from rich.text import Text

from cardlog.models.ruter_sju import rules as ruter_sju
from cardlog.models.ruter_sju.state import NUMBER_OF, SUIT_LETTERS, SUIT_OF
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.events.folding import initial_states
from cardlog.pipelines.terminal.drawings import parts
from cardlog.schemas.cards import UNKNOWN
from cardlog.schemas.events import Action

_COURT: Final = {1: "A", 11: "J", 12: "Q", 13: "K"}
_WORDS: Final = {
    Action.PLAY_BLOCK: "[yellow]block[/]",
    Action.PLAY_BLOCKED: "[dim]blocked[/]",
    Action.PLAY_PASS: "pass",
}


def draw(batch: Batch, state: Any, opening: dict[str, Any]) -> Iterator[Any]:
    """The parts of a drawing."""
    settings = opening["settings"]
    yield parts.began(batch)
    yield parts.agreed(
        f"{settings['suits']} suits of {settings['cards_per_suit']}", f"rules: {settings['dialect']}"
    )
    yield _hands(state, opening["players"])
    yield _laps(batch, state)
    yield "Table: " + " · ".join(_board(state))


def _suits(state: Any) -> list[str]:
    """The suits with their symbols; those without have letters."""
    return [parts.SYMBOLS.get(letter, f"suit {letter}") for letter in SUIT_LETTERS[: int(state["suits"])]]


def _numbers(numbers: Iterable[int]) -> str:
    return " ".join(_COURT.get(number, str(number)) for number in numbers)


def _hands(state: Any, players: list[dict[str, Any]]) -> Table:
    """The cards dealt to each seat, by suit in ascending order."""
    table = parts.table("", "player", *_suits(state))
    for seat, player in enumerate(players):
        held = state["dealt_cards"][seat][: int(state["counts"][seat])]
        kind = player.get("bot") or player.get("kind")
        name = " ".join(filter(None, [player.get("name"), f"({kind})" if kind else ""]))
        cells = [
            _numbers(sorted(int(NUMBER_OF[card]) for card in held if SUIT_OF[card] == suit)) or "–"
            for suit in range(int(state["suits"]))
        ]
        if len(held) and held[0] == UNKNOWN:
            cells = [f"{len(held)} cards, not shown"]
        table.add_row(f"seat {seat}", Text(name), *cells)
    return table


def _laps(batch: Batch, state: Any) -> Table:
    """One line per lap: what each seat did in its turn."""
    seats = int(state["seats"])
    rows: list[list[str]] = []
    start, before = -1, -1
    [current] = initial_states(batch)[0].copy()
    for event in batch.events:
        again = bool(current["again"])
        ruter_sju.evolve(current, event.copy())
        word = _WORDS.get(Action(event["action"]), "")
        if event["action"] == Action.PLAY_CARD:
            code = int(event["cards"][0])
            word = parts.suited(_numbers([int(NUMBER_OF[code])]), SUIT_LETTERS[int(SUIT_OF[code])])
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
    table = parts.table(parts.numbers("lap"), *(f"seat {seat}" for seat in range(seats)))
    for number, cells in enumerate(rows, 1):
        table.add_row(str(number), *cells)
    return table


def _board(state: Any) -> Iterator[str]:
    """The final layout, each suit in ascending order."""
    ranks = int(state["ranks"])
    for name, bits in zip(_suits(state), map(int, state["placed"]), strict=False):
        placed = [number for number in range(1, ranks + 1) if bits >> (number - 1) & 1]
        yield f"{name} {'all' if len(placed) == ranks else _numbers(placed) or 'nothing'}"


def sentence(state: Any, opening: dict[str, Any]) -> str:
    """The order in which the players went out."""
    players = opening["players"]
    out = sorted((int(state["places"][seat]), seat) for seat in range(len(players)) if state["places"][seat])
    words = [f"{place}. {players[seat].get('name') or f'seat {seat}'}" for place, seat in out]
    return f"Out: {escape(' · '.join(words))}"
