"""Drawings for the terminal: hands trick by trick, tables and bar charts.

Each game draws its own hands, in a module of its name.
"""

import json
from importlib import import_module
from typing import Any, Final, cast

import numpy as np
from rich.console import RenderableType
from rich.table import Table

from cardlog import models
from cardlog.pipelines.storage.batch import Batch
from cardlog.pipelines.storage.folding import fold_batch
from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.storage.stored_hands import ID_DIGITS, stored_batches
from cardlog.pipelines.visible import one_line
from cardlog.schemas import cards
from cardlog.schemas.cards import SUITS
from cardlog.schemas.errors import CardlogError

MODULES: Final = {name: f"cardlog.pipelines.terminal.drawings.{name}" for name in models.GAMES}
SYMBOLS: Final = dict(zip(SUITS + "N", ("♣", "[red]♦[/]", "[red]♥[/]", "♠", "no trump"), strict=True))
SHORTEST_PREFIX: Final = 4
SEATS: Final = 4


class HandNotFound(CardlogError):
    """There is no such hand, or more than one; the text is for the user."""


def find(store: Store, name: str) -> Batch:
    """The hand with this id prefix or source key, as a batch of one. Digits alone are first taken for a key,
    which a number often is. Raises HandNotFound, StoreError."""
    prefix = name.lower()
    is_prefix = len(prefix) >= SHORTEST_PREFIX and set(prefix) <= set("0123456789abcdef")
    found = _with_prefix(store, prefix) if is_prefix and not name.isdigit() else []
    if not found and name:
        prefix = _id_of_key(store, name) or prefix
        found = _with_prefix(store, prefix) if is_prefix or prefix != name.lower() else []
    if not found and is_prefix:
        raise HandNotFound(f"no hand has an id that begins with {prefix}, or the key {name}")
    if not found:
        raise HandNotFound(f"no hand has the key {name!r}; an id needs at least {SHORTEST_PREFIX} hex digits")
    if len(found) > 1:
        ids = ", ".join(batch.hand_ids[0].decode()[: len(prefix) + 4] + "…" for batch in found[:5])
        raise HandNotFound(f"{len(found)} hands have an id that begins with {prefix}: {ids}")
    return found[0]


def id_of(store: Store, name: str) -> str:
    """The id of the hand that `find` finds. One written out need not be that of a stored hand: quarantine may
    have it. Raises HandNotFound, StoreError."""
    try:
        return str(find(store, name).hand_ids[0].decode())
    except HandNotFound:
        if len(name) == ID_DIGITS and set(name.lower()) <= set("0123456789abcdef"):
            return name.lower()
        raise


def _with_prefix(store: Store, prefix: str) -> list[Batch]:
    """The hands whose id begins so, each as a batch of one."""
    found: list[Batch] = []
    paths = store.paths("events")
    store.check_files(("events", path) for path in paths)
    for path in paths:
        for batch in stored_batches(store, path, prefix=prefix):
            found += [batch.take(np.array([hand])) for hand in range(len(batch))]
        if found and len(prefix) == ID_DIGITS:
            break
    return found


def _id_of_key(store: Store, key: str) -> str | None:
    """The id of the hand with this source key. Raises HandNotFound if data sets have several."""
    from cardlog.pipelines.sql import query  # not above: ids are found without DuckDB

    sql = "select hand_id, dataset from events where seq = 0 and source_key = ? order by all"
    found = query.connect(store, ["events"]).execute(sql, [key]).fetchall()
    if len(found) > 1:
        ids = ", ".join(f"{hand_id[:8]}… of {dataset}" for hand_id, dataset in found[:5])
        raise HandNotFound(f"{len(found)} hands have the key {key}: {ids}")
    return found[0][0] if found else None


def hand(batch: Batch) -> RenderableType:
    """A drawing of the hand in a batch of one."""
    folded = fold_batch(batch)
    return cast(RenderableType, import_module(MODULES[batch.game]).draw(batch, folded.states[0]))


def opening(batch: Batch) -> dict[str, Any]:
    """The opening of the only hand of a batch, with its texts escaped for display."""
    detail = json.loads(batch.details[int(batch.events["detail"][0])])
    return cast(dict[str, Any], _escaped(detail))


def _escaped(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _escaped(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_escaped(item) for item in value]
    return one_line(value) if isinstance(value, str) else value


def card(text: str) -> str:
    """A card with its suit's symbol, in rich's markup: ``[red]5♥[/]``."""
    symbol = SYMBOLS[text[1]]
    rank = "10" if text[0] == "T" else text[0]
    return f"[red]{rank}{symbol[5]}[/]" if symbol.startswith("[red]") else rank + symbol


def tricks(state: Any) -> Table:
    """The tricks of a four-seat game, one line each: who played what, who led (▸), who took it (bold), its
    points. The layout of the state is in `cardlog.pipelines.build.projections.tricks`."""
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column("trick", justify="right")
    for seat in range(SEATS):
        table.add_column(f"seat {seat}")
    table.add_column("taken by")
    table.add_column("points", justify="right")
    for trick in range(len(state["winners"])):
        played = state["played"][SEATS * trick : min(SEATS * (trick + 1), int(state["plays"]))]
        if not len(played):
            break
        complete = trick < state["tricks"]
        cells = [""] * SEATS
        for step, code in enumerate(played):
            seat = (int(state["leaders"][trick]) + step) % SEATS
            shown = card(cards.text(int(code)))
            if complete and seat == state["winners"][trick]:
                shown = f"[bold underline]{shown}[/]"
            cells[seat] = ("▸" if step == 0 else " ") + shown
        end = (f"seat {state['winners'][trick]}", str(state["values"][trick])) if complete else ("", "")
        table.add_row(str(trick + 1), *cells, *end)
    return table


def bars(values: dict[str, float], width: int, unit: str = "") -> list[str]:
    """A bar chart, one line per value: label, bar, number."""
    if not values:
        return []
    longest = max(map(len, values))
    top = max(max(values.values()), 1e-12)
    lines = []
    for label, value in values.items():
        eighths = round(max(value, 0) / top * width * 8)
        bar = "█" * (eighths // 8) + ("" if eighths % 8 == 0 else " ▏▎▍▌▋▊▉"[eighths % 8])
        lines.append(f"{label:<{longest}}  {bar} {value:,.4g}{unit}")
    return lines
