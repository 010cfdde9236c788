"""From rows of `events` back to batches: the inverse of `to_arrow`.

A column is taken as the buffers it consists of, and one compiled pass puts all of them into the
records.
"""

from typing import Any, Final, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cardlog import models
from cardlog.models.compiled import Int, compiled
from cardlog.pipelines.storage.batch import NO_HAND_NO, NO_INGEST, Batch
from cardlog.schemas import versions
from cardlog.schemas.cards import NO_TRUMP, RANK_OF_BYTE, SUIT_LETTERS, SUIT_OF_BYTE, SUIT_STRIDE, UNKNOWN
from cardlog.schemas.events import CODE, NO_AMOUNT, NO_SEAT, NO_TIME, SCHEMA

READ_COLUMNS: Final = [name for name in SCHEMA.names if name != "game"]
"""Columns a batch is made from; the game is known from the partition."""

_UNKNOWN_ACTION: Final = 255


def from_table(game: str, table: pa.Table) -> Batch:
    """The hands of some rows in the order of (hand_id, seq).

    table
        Columns `READ_COLUMNS`, of any version; older ones are upcast.

    Raises ValueError if the rows are not whole hands in order, or hold what no event has.
    """
    return batch_of(game, versions.upcast(table))


def batch_of(game: str, table: pa.Table) -> Batch:
    """The hands of rows of the newest version; what has no value may be left out."""
    rows = len(table)
    column = {name: _plain(table.column(name)) for name in table.column_names}
    ids, hand = _dictionary(column.get("hand_id"), rows)
    details, detail_of = _dictionary(column.get("detail"), rows)
    events, offsets = _events_of(game, column, ids, hand, detail_of)
    firsts = offsets[:-1]
    matches, match_of = _dictionary(column.get("match_id"), rows)
    sources, source_of = _dictionary(column.get("source_id"), rows)
    datasets, dataset_of = _dictionary(column.get("dataset"), rows)
    keys = column.get("source_key")
    return Batch(
        game,
        np.array(ids, "S32")[hand[firsts]] if rows else np.zeros(0, "S32"),
        events,
        offsets,
        details,
        match_of[firsts],
        matches,
        _values(column.get("hand_no"), np.int32(NO_HAND_NO), rows)[firsts],
        source_of[firsts],
        sources,
        dataset_of[firsts],
        datasets,
        pa.nulls(len(firsts), pa.string()) if keys is None else keys.cast(pa.string()).take(pa.array(firsts)),
        _values(column.get("ingest_no"), np.int64(NO_INGEST), rows)[firsts],
    )


def _events_of(
    game: str,
    column: dict[str, pa.Array],
    ids: list[str],
    hand: NDArray[np.int32],
    detail_of: NDArray[np.int32],
) -> tuple[NDArray[np.void], NDArray[np.int64]]:
    """The events of rows, and where each hand begins, and the end."""
    rows = len(hand)
    kinds, kind_of = _dictionary(column.get("kind"), rows)
    names, name_of = _dictionary(column.get("action"), rows)
    letters, suit_of = _dictionary(column.get("suit"), rows)
    events = np.empty(rows, models.game(game).EVENT)
    offsets = np.zeros(rows + 1, np.int64)
    columns = _Columns(
        hand,
        _values(column["seq"], np.int16(0), rows),
        kind_of,
        name_of,
        _values(column.get("seat"), np.int8(NO_SEAT), rows),
        suit_of,
        _values(column.get("amount"), np.int32(NO_AMOUNT), rows),
        _values(column["source_line"], np.int32(0), rows),
        detail_of,
        _values(column.get("occurred_at"), np.int64(NO_TIME), rows),
    )
    suits = np.array([*map(SUIT_LETTERS.index, letters), -1], np.int8)
    hands = _fill(events, offsets, columns, _codes(kinds, names), suits)
    if hands == _BAD_SEQ:
        raise ValueError(f"the events of hand {_broken_hand(ids, hand, column['seq'])} are not all there")
    if hands == _BAD_ACTION:
        raise ValueError("an event is of no known kind and action")
    if "cards" in column:
        _put_cards(events, column["cards"])
    return events, offsets[: hands + 1].copy()


def hands_of(game: str, table: pa.Table) -> Batch:
    """The hands of rows of the newest version, which come hand by hand, with their matches alone."""
    rows = len(table)
    ids, hand = _dictionary(_plain(table.column("hand_id")), rows)
    firsts = np.flatnonzero(np.diff(hand, prepend=-1))
    matches, match_of = _dictionary(_plain(table.column("match_id")), rows)
    return Batch(
        game,
        np.array(ids, "S32")[hand[firsts]] if rows else np.zeros(0, "S32"),
        np.zeros(0, models.game(game).EVENT),
        np.zeros(len(firsts) + 1, np.int64),
        [],
        match_of[firsts],
        matches,
        _values(_plain(table.column("hand_no")), np.int32(NO_HAND_NO), rows)[firsts],
    )


def _plain(column: pa.ChunkedArray) -> pa.Array:
    """A column as one array that begins at the beginning of its buffers."""
    if column.num_chunks == 1 and column.chunk(0).offset == 0:
        return column.chunk(0)
    chunks = column.chunks if column.num_chunks != 1 else [column.chunk(0), column.chunk(0)[:0]]
    if pa.types.is_dictionary(column.type):
        chunks = pa.chunked_array(chunks, column.type).unify_dictionaries().chunks
    return pa.concat_arrays(chunks) if chunks else pa.array([], column.type)


def _values(column: pa.Array | None, null: np.signedinteger[Any], rows: int) -> NDArray[Any]:
    """The numbers of a column, which are of the type of `null`; that where there is none."""
    if column is None or column.null_count == rows:
        return np.full(rows, null)
    valid, data = column.buffers()
    numbers = np.frombuffer(data, null.dtype, rows)
    return _filled(numbers, np.frombuffer(valid, np.uint8), null) if column.null_count else numbers


@compiled
def _filled(numbers: NDArray[Any], valid: NDArray[np.uint8], null: Any) -> NDArray[Any]:
    """The numbers, and `null` where the bits, least significant first, say that there is none."""
    filled = np.empty_like(numbers)
    for index in range(len(numbers)):
        filled[index] = numbers[index] if valid[index >> 3] >> (index & 7) & 1 else null
    return filled


def _dictionary(column: pa.Array | None, rows: int) -> tuple[list[str], NDArray[np.int32]]:
    """The distinct values of a column of texts, and which one each row has, -1 for none."""
    if column is None:
        return [], np.full(rows, -1, np.int32)
    if not pa.types.is_dictionary(column.type):
        column = column.cast(pa.string()).dictionary_encode()
    return column.dictionary.to_pylist(), _values(column.indices, np.int32(-1), rows)


def _codes(kinds: list[str], names: list[str]) -> NDArray[np.uint8]:
    """The code of each kind with each name."""
    codes = np.full((len(kinds), len(names)), _UNKNOWN_ACTION, np.uint8)
    for row, kind in enumerate(kinds):
        for index, name in enumerate(names):
            codes[row, index] = CODE.get((kind, name), _UNKNOWN_ACTION)
    return codes


def _broken_hand(ids: list[str], hand: NDArray[np.int32], seq: pa.Array) -> str:
    """The first hand whose seq does not run 0, 1, 2 …"""
    numbers = _values(seq, np.int16(0), len(hand)).astype(np.int64)
    begins = np.append(True, hand[1:] != hand[:-1])
    expected = np.append(0, numbers[:-1] + 1)
    expected[begins] = 0
    return ids[int(hand[np.flatnonzero(numbers != expected)[0]])]


_BAD_SEQ: Final = -1
_BAD_ACTION: Final = -2


class _Columns(NamedTuple):
    """What each row has: values, and for `kind`, `action` and `suit` the index of a distinct value."""

    hand: NDArray[np.int32]
    seq: NDArray[np.int16]
    kind_of: NDArray[np.int32]
    name_of: NDArray[np.int32]
    seat: NDArray[np.int8]
    suit_of: NDArray[np.int32]
    amount: NDArray[np.int32]
    line: NDArray[np.int32]
    detail: NDArray[np.int32]
    time: NDArray[np.int64]


@compiled
def _fill(
    events: NDArray[Any],
    offsets: NDArray[np.int64],
    columns: _Columns,
    codes: NDArray[np.uint8],
    suits: NDArray[np.int8],
) -> Int:
    """Fill in everything but the cards, and where each hand begins and the last one ends; returns
    how many hands there are, or what is wrong. The last of `suits` stands for none."""
    hands = 0
    for index in range(len(events)):
        if index == 0 or columns.hand[index] != columns.hand[index - 1]:
            if columns.seq[index] != 0:
                return _BAD_SEQ
            offsets[hands] = index
            hands += 1
        elif columns.seq[index] != columns.seq[index - 1] + 1:
            return _BAD_SEQ
        action = codes[columns.kind_of[index], columns.name_of[index]]
        if action == _UNKNOWN_ACTION:
            return _BAD_ACTION
        event = events[index]
        event.action = action
        event.seat = columns.seat[index]
        event.suit = suits[columns.suit_of[index]]
        event.amount = columns.amount[index]
        event.line = columns.line[index]
        event.detail = columns.detail[index]
        event.at = columns.time[index]
        event.count = 0
        for card in range(len(event.cards)):
            event.cards[card] = 0
    offsets[hands] = len(events)
    return hands


def _put_cards(events: NDArray[np.void], cards: pa.Array) -> None:
    """Fill in the cards of every event. Raises ValueError for a text that is no run of cards."""
    if not len(events):
        return
    _, starts, data = cards.buffers()
    width = np.int64 if pa.types.is_large_string(cards.type) else np.int32
    ends = np.frombuffer(starts, width, len(events) + 1)
    bad = _decode(events, ends, np.frombuffer(data or b"", np.uint8))
    if bad >= 0:
        most = events["cards"].shape[1]
        raise ValueError(f"{cards[bad].as_py()!r} is no run of at most {most} cards")


@compiled
def _decode(events: NDArray[Any], ends: NDArray[Any], data: NDArray[np.uint8]) -> int:
    for number in range(len(events)):
        event = events[number]
        size = ends[number + 1] - ends[number]
        if size % 2 or size > 2 * len(event.cards):
            return number
        event.count = size // 2
        for card in range(size // 2):
            offset = ends[number] + 2 * card
            rank = np.int64(RANK_OF_BYTE[data[offset]])
            suit = np.int64(SUIT_OF_BYTE[data[offset + 1]])
            if data[offset] == 63 and data[offset + 1] == 63:
                event.cards[card] = UNKNOWN
            elif rank < 0 or suit < 0 or suit == NO_TRUMP:
                return number
            else:
                event.cards[card] = suit * SUIT_STRIDE + rank
    return -1
