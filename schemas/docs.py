"""Writes docs/tables.md from the schemas: ``python -m cardlog.schemas.docs``. A test compares them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pyarrow as pa

from cardlog.schemas import events, tables
from cardlog.schemas.reasons import MEANING, Reason

PAGE: Final = Path(__file__).resolve().parents[1] / "docs" / "tables.md"

_INTRODUCTION: Final = """\
# Tables

A store has eleven tables. `events`, `quarantine` and `ingests` are the record: rows are only
added, until they are erased. `playedhand`, `tricks`, `plays`, `seats`, `bids` and `decisions` are derived
from `events` alone, by `cardlog build`, and can be rebuilt at any time; so are `analysis` and `pars`, by
`cardlog analyse`.

Seats count from 0 in turn order; which seats are a team says the game. Hands, tricks and
events count from 0, lines of a file from 1. A card is two characters, a rank of `23456789TJQKA` and a
suit of `CDHS`; `??` is a card that was not shown. "never" in the column null means that every row has
a value.

`cardlog query "describe TABLE"` shows the same columns with DuckDB's names for the types. The marts,
which dbt builds from these tables, are described beside their SQL, in `dbt_project/models`.

This page is generated from `schemas/` by `python -m cardlog.schemas.docs`; edit it there.
"""

TABLES: Final = {
    "events": (
        events.SCHEMA,
        "One row per event, sorted by hand_id and seq. The table of record: everything else about a "
        "stored hand follows from it.",
    ),
    "quarantine": (
        tables.QUARANTINE,
        "One row per hand that could not be read or that the rules reject, and ingest that brought it, with "
        "its text as it was read. In `quarantined_hands`, a view for SQL, each hand is "
        "[once](cli.md#cardlog-quarantine-list), with its `status`.",
    ),
    "ingests": (
        tables.INGESTS,
        "One row per source of every ingest, with counts of its lines and hands. In every row "
        "hands_read = hands_stored + duplicates + quarantined.",
    ),
    "playedhand": (
        tables.PLAYEDHAND,
        "One row per stored hand, of every game. The first twenty columns are those of Kaiser's dump, "
        "in its order; columns that a game does not have are null.",
    ),
    "tricks": (
        tables.TRICKS,
        "One row per whole trick of every stored hand: who led, who took it, with what, and for which side.",
    ),
    "plays": (
        tables.PLAYS,
        "One row per card played, of every game: who played it, in which trick, as lead, follow, trump or "
        "discard, and what it won. Ruter Sju has no tricks, so what belongs to a trick is null; "
        "five-card draw plays no cards.",
    ),
    "seats": (
        tables.SEATS,
        "One row per stored hand and seat that somebody sits at, of every game: who sat there, with whom, "
        "what was dealt and bid, and what came of it. What a log does not say is null.",
    ),
    "bids": (
        tables.BIDS,
        "One row per bid or pass in the auction of a hand, of every game that has one. In belote the bid is "
        "the choice of trump.",
    ),
    "decisions": (
        tables.DECISIONS,
        "One row per decision of a seat: what it could do, what it did, and the outcome. The actions are "
        "numbered in [features](features). What the seat knew is made from the events by "
        "[`cardlog export`](training.md).",
    ),
    "analysis": (
        tables.ANALYSIS,
        "One row per card played in Kaiser, belote and Pinochle, and per act in Ruter Sju, once "
        "[`cardlog analyse`](analysis.md) has priced it: what it led to and what the best one would have, if "
        "all play perfectly from there and see all cards. Hands of which the log does not show all cards "
        "have no rows.",
    ),
    "pars": (
        tables.PARS,
        "One row per hand in `analysis` of a game with teams: what its deal was worth from the first card "
        "on, with the contract that was bid.",
    ),
}
"""The schema and description of each table."""


def page() -> str:
    """The text of docs/tables.md."""
    parts = [_INTRODUCTION]
    for name, (schema, description) in TABLES.items():
        rows = [(f"`{field.name}`", _type(field.type), _null(field), _doc(field)) for field in schema]
        parts.append(f"## {name}\n\n{description}\n\n" + _table(("column", "type", "null", "meaning"), rows))
    actions = [(action.kind, f"`{action.name}`", action.meaning) for action in events.ACTIONS]
    parts.append(
        "## Actions\n\nEverything that can happen in a hand: `kind` and `action` of `events`. Score "
        "events hold what the source reports; the rules keep their own score, and a hand in which the two "
        "differ goes to quarantine.\n\n" + _table(("kind", "action", "meaning"), actions)
    )
    reasons = [(f"`{reason.code}`", MEANING[reason]) for reason in Reason if reason is not Reason.OK]
    parts.append(
        "## Reasons\n\nWhy a hand is in quarantine: `reason` of `quarantine`.\n\n"
        + _table(("reason", "meaning"), reasons)
    )
    return "\n".join(parts)


def _table(header: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = ["| " + " | ".join(row) + " |\n" for row in (header, *rows)]
    return "".join([lines[0], "|" + "---|" * len(header) + "\n", *lines[1:]])


def _type(kind: pa.DataType) -> str:
    """The name of an Arrow type, as stored in the Parquet files."""
    if pa.types.is_dictionary(kind):
        return _type(kind.value_type)
    if pa.types.is_list(kind):
        return f"list of {_type(kind.value_type)}"
    return "timestamp in µs, UTC" if pa.types.is_timestamp(kind) else str(kind)


def _null(field: pa.Field) -> str:
    return "" if field.nullable else "never"


def _doc(field: pa.Field) -> str:
    doc: str = field.metadata[b"doc"].decode()
    return doc


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
