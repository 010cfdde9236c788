"""The event stream: one row per event, and the closed vocabulary of what can happen.

`SCHEMA` is the table of record (docs/tables.md lists it). In memory, an event is a small NumPy
record, `record_dtype`, which is what a game's `evolve` takes.
"""

from enum import IntEnum
from typing import Any, Final, NamedTuple, Self

import numpy as np
import pyarrow as pa

SCHEMA_VERSION: Final = 1
"""The current version of the `events` table; `cardlog.schemas.versions` reads the older ones."""


class Action(IntEnum):
    """What can happen; the number is the action's code in compiled records. Append new ones at the end."""

    meaning: str
    """What the columns of such an event mean."""

    def __new__(cls, code: int, meaning: str = "") -> Self:
        """A member with its meaning."""
        member = int.__new__(cls, code)
        member._value_ = code
        member.meaning = meaning
        return member

    DEAL_OPEN = (
        0,
        "The hand begins; always seq 0. detail: settings, dealer, players. amount: the source's own number of the hand, if it has one.",
    )
    DEAL_HAND = 1, "seat is dealt cards."
    DEAL_PASS = 2, "seat gives cards to its partner."
    DEAL_DRAW = 3, "seat is dealt cards for those it discarded."
    BID_PASS = 4, "seat makes no bid."
    BID_BID = 5, "seat bids amount; suit N if it is a no-trump bid."
    BID_TRUMP = 6, "seat names the trump suit."
    BID_THROW_IN = 7, "seat gives the hand up."
    BID_ANTE = 8, "seat pays amount before the deal."
    BID_CHECK = 9, "seat bets nothing, with nothing to call."
    BID_CALL = 10, "seat pays amount, all that it must."
    BID_RAISE = 11, "seat pays amount, more than it must."
    BID_FOLD = 12, "seat leaves the hand."
    MELD_DECLARE = 13, "seat shows cards worth amount points."
    MELD_BELA = 14, "seat claims king and queen of trump, amount points."
    PLAY_CARD = 15, "seat plays a card."
    PLAY_BLOCK = 16, "seat can't play and takes the block."
    PLAY_BLOCKED = 17, "seat holds the block and is passed over."
    PLAY_DISCARD = 18, "seat discards cards."
    SCORE_TRICK = 19, "The source says: seat takes the trick, worth amount points."
    SCORE_HAND = 20, "The source says: seat's team scores amount points for the hand."
    SCORE_PLACE = 21, "The source says: seat finishes at place amount."
    SCORE_MATCH = 22, "The source says: seat's team has amount points after this hand."
    SCORE_SHOW = 23, "The source says: seat shows cards."
    SCORE_POINTS = (
        24,
        "The source says: seat's team took amount points in the hand, whatever the contract makes of them.",
    )
    PLAY_PASS = 25, "seat plays nothing: its turn is over."
    DEAL_BOARD = 26, "Cards that all players share are dealt; amount: to which board, if there are two."
    BID_BLIND = 27, "seat bets amount before the deal: a blind or straddle."
    BID_DEAD = 28, "seat pays amount before the deal for blinds it has missed; nobody has to match it."
    SCORE_UNCALLED = 29, "The source says: seat gets amount back, which it bet and nobody called."
    SCORE_POT = 30, "The source says: there were amount chips to win."
    SCORE_RAKE = 31, "The source says: the house takes amount."
    SCORE_CASH_OUT = 32, "The source says: the house pays seat amount for its chances, and takes its place."


class Word(NamedTuple):
    """An action as written in the columns `kind` and `action`, and its meaning."""

    kind: str
    name: str
    meaning: str


def _word(action: Action) -> Word:
    kind, _, name = action.name.lower().partition("_")
    return Word(kind, name, action.meaning)


ACTIONS: Final = tuple(map(_word, Action))
"""All actions; the index is the code."""

KINDS: Final = ("deal", "bid", "meld", "play", "score")
CODE: Final = {(word.kind, word.name): Action(code) for code, word in enumerate(ACTIONS)}
"""The code of (kind, action)."""

NO_SEAT: Final = -1
NO_AMOUNT: Final = -(2**31)
"""Stands for null in the `amount` of a record."""
NO_DETAIL: Final = -1
NO_TIME: Final = -(2**63)


def compiled_dtype(fields: list[Any]) -> np.dtype[np.void]:
    """The dtype of a record that compiled code works on: an event, or the state of a hand.

    Its scalars are `np.record`, whose fields are attributes as well, so that the same code also
    runs as plain Python (NUMBA_DISABLE_JIT=1). A field must not have the name of one of its methods.
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
