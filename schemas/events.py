"""The event stream: one row per event, and the closed vocabulary of what can happen.

`SCHEMA` is the table of record (docs/tables.md lists it). In memory, an event is a small NumPy
record, `record_dtype`, which is what a game's `evolve` takes.
"""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa

SCHEMA_VERSION: Final = 1
"""The current version of the `events` table; `cardlog.schemas.versions` reads the older ones."""


@dataclass(frozen=True)
class Action:
    """One thing that can happen: its kind, its name and what its columns mean."""

    kind: str
    name: str
    meaning: str


ACTIONS: Final = (
    Action("deal", "open", "The hand begins; always seq 0. detail: settings, dealer, players. amount: the source's own number of the hand, if it has one."),
    Action("deal", "hand", "seat is dealt cards."),
    Action("deal", "pass", "seat gives cards to its partner."),
    Action("deal", "draw", "seat is dealt cards for those it discarded."),
    Action("bid", "pass", "seat makes no bid."),
    Action("bid", "bid", "seat bids amount; suit N if it is a no-trump bid."),
    Action("bid", "trump", "seat names the trump suit."),
    Action("bid", "throw_in", "seat gives the hand up."),
    Action("bid", "ante", "seat pays amount before the deal."),
    Action("bid", "check", "seat bets nothing, with nothing to call."),
    Action("bid", "call", "seat pays amount, all that it must."),
    Action("bid", "raise", "seat pays amount, more than it must."),
    Action("bid", "fold", "seat leaves the hand."),
    Action("meld", "declare", "seat shows cards worth amount points."),
    Action("meld", "bela", "seat claims king and queen of trump, amount points."),
    Action("play", "card", "seat plays a card."),
    Action("play", "block", "seat can't play and takes the block."),
    Action("play", "blocked", "seat holds the block and is passed over."),
    Action("play", "discard", "seat discards cards."),
    Action("score", "trick", "The source says: seat takes the trick, worth amount points."),
    Action("score", "hand", "The source says: seat's team scores amount points for the hand."),
    Action("score", "place", "The source says: seat finishes at place amount."),
    Action("score", "match", "The source says: seat's team has amount points after this hand."),
    Action("score", "show", "The source says: seat shows cards."),
    Action("score", "points", "The source says: seat's team took amount points in the hand, whatever the contract makes of them."),
    Action("play", "pass", "seat plays nothing: its turn is over."),
)  # fmt: skip
"""All actions. The index is the action's code in compiled records; new ones go to the end."""

KINDS: Final = ("deal", "bid", "meld", "play", "score")
CODE: Final = {(action.kind, action.name): code for code, action in enumerate(ACTIONS)}
"""The code of (kind, action)."""

NO_SEAT: Final = -1
NO_AMOUNT: Final = -(2**31)
"""Stands for null in the `amount` of a record."""
NO_DETAIL: Final = -1
NO_TIME: Final = -(2**63)


def compiled_dtype(fields: list[Any]) -> np.dtype[np.void]:
    """The dtype of a record that compiled code works on: an event, or the state of a hand.

    Its scalars are `np.record`, whose fields are attributes as well, so that the same code also
    runs as plain Python (NUMBA_DISABLE_JIT=1). A field must not be named as a method of theirs.
    """
    return np.dtype((np.record, np.dtype(fields, align=True)))


def record_dtype(most_cards: int) -> np.dtype[np.void]:
    """The compiled form of one event of a game in which no event shows more than `most_cards`.

    `cards` holds `count` card codes, the rest is 0. `detail` is an index into a list kept beside
    the records, `at` is in microseconds since 1970 UTC. Null is -1 in seat, suit and detail,
    `NO_AMOUNT` in amount and `NO_TIME` in at.
    """
    return compiled_dtype(
        [
            ("action", np.uint8),
            ("seat", np.int8),
            ("suit", np.int8),
            ("count", np.uint8),
            ("amount", np.int32),
            ("line", np.int32),
            ("detail", np.int32),
            ("at", np.int64),
            ("cards", np.uint8, (most_cards,)),
        ]
    )


LABEL: Final = pa.dictionary(pa.int32(), pa.string())
"""A string column with few values: dictionary-encoded in memory and in the file."""


def column(name: str, kind: pa.DataType, doc: str, nullable: bool = True) -> pa.Field:
    """A field with its description, which `docs/tables.md` and the dbt sources repeat."""
    return pa.field(name, kind, nullable, {"doc": doc})


SCHEMA: Final = pa.schema(
    [
        column("game", LABEL, "The game; the partition of the table.", False),
        column("hand_id", LABEL, "The hand: 32 hex digits, made from format, data set and the source's own key.", False),
        column("match_id", LABEL, "The match the hand belongs to, where the source names it: the source's own name, then ~ and 16 hex digits made from format and data set."),
        column("hand_no", pa.int32(), "Position of the hand in its match, from 0, where the source gives it."),
        column("seq", pa.int16(), "Position of the event in its hand, from 0 without gaps.", False),
        column("kind", LABEL, "deal, bid, meld, play or score.", False),
        column("action", LABEL, "What happened, within the kind.", False),
        column("seat", pa.int8(), "Who acted, from 0 in turn order."),
        column("cards", pa.string(), "The cards, two characters each, rank then suit; ?? if not shown."),
        column("suit", LABEL, "C, D, H, S, or N for no trump."),
        column("amount", pa.int32(), "Bid value, meld points, chips or points; see the action."),
        column("detail", LABEL, "JSON with what only this game has; at open the settings, dealer and players."),
        column("occurred_at", pa.timestamp("us", "UTC"), "When it happened, where the source says so."),
        column("source_id", LABEL, "sha256 of the source file.", False),
        column("source_line", pa.int32(), "Line of the source the event was read from, from 1.", False),
        column("ingest_no", pa.int64(), "The commit that brought the row: the version of this table that it made. Rows above the highest number that was seen are exactly the new ones, wherever compact has put them.", False),
        column("schema_version", pa.int16(), "Version of this table when the row was written.", False),
        column("dataset", LABEL, "Data set the hand was ingested into."),
        column("source_key", pa.string(), "At open: the source's own key of the hand, if it has one: its number, the match and the hand's position in it, such as table-7/3, or its name."),
    ]
)  # fmt: skip
"""The `events` table, sorted by (hand_id, seq); a row group holds whole hands."""

ROW_GROUP_ROWS: Final = 200_000
"""Approximate rows of a row group."""

PLAIN_COLUMNS: Final = ("cards", "amount", "occurred_at", "source_key", "source_line")
"""Columns whose values rarely repeat: without a dictionary they take a fifth less space."""
