"""From rows of `events` back to batches: the inverse of `to_arrow`."""

from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cardlog import models
from cardlog.pipelines.events.batch import NO_HAND_NO, NO_INGEST, Batch, put_cards
from cardlog.schemas import versions
from cardlog.schemas.cards import CARD_OF_PAIR, NO_CARD, SUIT_LETTERS
from cardlog.schemas.events import CODE, NO_AMOUNT, NO_SEAT, NO_TIME, SCHEMA, record_dtype

READ_COLUMNS: Final = [name for name in SCHEMA.names if name != "game"]
"""Columns a batch is made from; the game is known from the partition."""

_UNKNOWN_ACTION: Final = 255
_ANY_EVENT: Final = record_dtype(104)
"""Of games whose package is not installed: their events are kept and shown, though not folded."""


def from_table(game: str, table: pa.Table) -> Batch:
    """The hands of some rows in the order of (hand_id, seq).

    table
        Columns `READ_COLUMNS`, of any version; older ones are upcast.

    Raises ValueError if the rows are not whole hands in order, or have a value that no event has.
    """
    column = _arrays(versions.upcast(table))
    ids, hand = _dictionary(column["hand_id"])
    details, detail_of = _dictionary(column["detail"])
    events, offsets = _events_of(game, column, ids, hand, detail_of)
    firsts = offsets[:-1]
    matches, match_of = _dictionary(column["match_id"])
    sources, source_of = _dictionary(column["source_id"])
    datasets, dataset_of = _dictionary(column["dataset"])
    return Batch(
        game,
        np.array(ids, "S32")[hand[firsts]],
        events,
        offsets,
        details,
        match_of[firsts],
        matches,
        _values(column["hand_no"], NO_HAND_NO)[firsts],
        source_of[firsts],
        sources,
        dataset_of[firsts],
        datasets,
        column["source_key"].cast(pa.string()).take(pa.array(firsts)),
        _values(column["ingest_no"], NO_INGEST)[firsts],
    )


def _events_of(
    game: str,
    column: dict[str, pa.Array],
    ids: list[str],
    hand: NDArray[np.int32],
    detail_of: NDArray[np.int32],
) -> tuple[NDArray[np.void], NDArray[np.int64]]:
    """The events of rows, and their offsets by hand; see `Batch`."""
    rows = len(hand)
    firsts = np.flatnonzero(np.diff(hand, prepend=-1))
    offsets = np.append(firsts, rows)
    numbers = np.arange(rows) - np.repeat(firsts, np.diff(offsets))
    wrong = np.flatnonzero(_values(column["seq"], 0) != numbers)
    if len(wrong):
        raise ValueError(f"the events of hand {ids[hand[wrong[0]]]} are not all there")
    kinds, kind_of = _dictionary(column["kind"])
    names, name_of = _dictionary(column["action"])
    letters, suit_of = _dictionary(column["suit"])
    events = np.zeros(rows, _event_dtype(game))
    events["action"] = _codes(kinds, names)[kind_of, name_of]
    events["suit"] = np.array([*map(SUIT_LETTERS.index, letters), -1], np.int8)[suit_of]
    events["detail"] = detail_of
    for field, name, null in _NUMBERS:
        events[field] = _values(column[name], null)
    if (events["action"] == _UNKNOWN_ACTION).any():
        raise ValueError("an event is of no known kind and action")
    _put_cards(events, column["cards"])
    return events, offsets


_NUMBERS: Final = (
    ("seat", "seat", NO_SEAT),
    ("amount", "amount", NO_AMOUNT),
    ("line", "source_line", 0),
    ("at", "occurred_at", NO_TIME),
)
"""Fields of events that are numbers: the column of each, and what stands for null."""


def hands_of(game: str, table: pa.Table) -> Batch:
    """The hands of some rows, in the order of the hands, with their matches but without their events."""
    column = _arrays(versions.upcast(table))
    ids, hand = _dictionary(column["hand_id"])
    firsts = np.flatnonzero(np.diff(hand, prepend=-1))
    matches, match_of = _dictionary(column["match_id"])
    return Batch(
        game,
        np.array(ids, "S32")[hand[firsts]],
        np.zeros(0, _event_dtype(game)),
        np.zeros(len(firsts) + 1, np.int64),
        [],
        match_of[firsts],
        matches,
        _values(column["hand_no"], NO_HAND_NO)[firsts],
    )


def _event_dtype(game: str) -> np.dtype[np.void]:
    return models.GAMES[game].event if game in models.GAMES else _ANY_EVENT


def _arrays(table: pa.Table) -> dict[str, pa.Array]:
    """The columns of a table, each as one array."""
    return {name: table.column(name).combine_chunks() for name in table.column_names}


def _values(column: pa.Array, null: int) -> NDArray[Any]:
    """The numbers of a column, with `null` for null."""
    if pa.types.is_timestamp(column.type):
        column = column.cast(pa.int64())
    return np.from_dlpack(column.fill_null(null))


def _dictionary(column: pa.Array) -> tuple[list[str], NDArray[np.int32]]:
    """The distinct values of a column of texts, and the index of each row's, -1 for null."""
    if not pa.types.is_dictionary(column.type):
        column = column.cast(pa.string()).dictionary_encode()
    return column.dictionary.to_pylist(), _values(column.indices, -1)


def _codes(kinds: list[str], names: list[str]) -> NDArray[np.uint8]:
    """The code of each kind with each name: shape (kinds, names)."""
    codes = [CODE.get((kind, name), _UNKNOWN_ACTION) for kind in kinds for name in names]
    return np.array(codes, np.uint8).reshape(len(kinds), len(names))


def _put_cards(events: NDArray[np.void], cards: pa.Array) -> None:
    """Fill in the cards of every event. Raises ValueError for a text that is no run of cards."""
    if not len(events):
        return
    most = events["cards"].shape[1]
    _, starts, data = cards.buffers()
    ends = np.frombuffer(starts, np.int32)[cards.offset : cards.offset + len(events) + 1]
    sizes = np.diff(ends)
    bad = np.flatnonzero((sizes % 2 != 0) | (sizes > 2 * most))
    if not len(bad):
        codes = CARD_OF_PAIR[np.frombuffer(data or b"", np.uint16, (ends[-1] - ends[0]) // 2, int(ends[0]))]
        bad = np.repeat(np.arange(len(events)), sizes // 2)[codes == NO_CARD]
        events["count"] = sizes // 2
        put_cards(events, codes)
    if len(bad):
        raise ValueError(f"{cards[int(bad[0])].as_py()!r} is no run of at most {most} cards")
