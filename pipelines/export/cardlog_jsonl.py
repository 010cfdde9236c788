"""cardlog-jsonl: events as text, one a line, in the canonical form of docs/formats/cardlog-jsonl.md:
the keys in the table's order, what is null left out, and nothing of where the event was read."""

import json
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cardlog.models.compiled import compiled
from cardlog.pipelines.export.pieces import batches
from cardlog.pipelines.export.spec import Item, Plan
from cardlog.pipelines.export.text import (
    MICROSECONDS,
    MOST_NUMBER,
    YEAR_1,
    YEAR_10000,
    Pool,
    pool,
    put,
    put_digits,
    put_number,
    put_time,
)
from cardlog.pipelines.progress import Tally
from cardlog.pipelines.readers.json_lines import canonical
from cardlog.pipelines.storage.batch import NO_DATASET, NO_HAND_NO, NO_MATCH, Batch
from cardlog.schemas.cards import CHARACTERS, NO_SUIT, SUIT_LETTERS
from cardlog.schemas.events import ACTIONS, NO_AMOUNT, NO_DETAIL, NO_SEAT, NO_TIME, SCHEMA_VERSION
from cardlog.schemas.names import EVENTS_FORMAT

_WORDS, _WORD_ENDS = pool(
    [
        b'","match_id":', b',"hand_no":', b',"seq":', b',"seat":', b',"cards":"', b',"suit":"',
        b',"amount":', b',"detail":', b',"occurred_at":', b',"schema_version":%d' % SCHEMA_VERSION,
    ]
)  # fmt: skip
_MATCH, _HAND_NO, _SEQ, _SEAT, _CARDS, _SUIT, _AMOUNT, _DETAIL, _TIME, _VERSION = range(10)
_ACTIONS, _ACTION_ENDS = pool([f',"kind":"{a.kind}","action":"{a.name}"'.encode() for a in ACTIONS])
_SUITS: Final = np.frombuffer(SUIT_LETTERS.encode(), np.uint8)
_NUMBERS: Final = 5
"""Numbers and times that one line may have."""
_LONGEST_LINE: Final = 32 + len(_WORDS) + int(np.diff(_ACTION_ENDS).max()) + _NUMBERS * (MOST_NUMBER + 10)
"""Characters of a line, more rather than less, without the game, match, cards and detail."""

_QUOTE, _T, _Z, _DOT, _COMMA, _CLOSE, _NEWLINE = np.frombuffer(b'"TZ.,}\n', np.uint8)


def encode_item(plan: Plan, item: Item) -> Iterator[tuple[int, memoryview]]:
    """The events of an item's hands as lines, and how many they are.

    Hands are in the order of their ids, so that the same hands give the same bytes however they came in.
    """
    tally = Tally(plan.tally)
    for batch in batches(plan, item):
        yield len(batch.events), lines(batch)
        tally.add(len(batch), len(batch.events))


def lines(batch: Batch) -> memoryview:
    """The events of a batch, one a line."""
    head, _ = pool([b'{"game":%s,"hand_id":"' % json.dumps(batch.game).encode()])
    matches = pool([json.dumps(match).encode() for match in batch.matches])
    details = pool([_detail_value(detail) for detail in batch.details])
    origins = pool(_origins(batch))
    sizes = np.diff(details.ends)
    spoken = batch.events["detail"][batch.events["detail"] != NO_DETAIL]
    longest = _LONGEST_LINE + len(head) + int(np.diff(matches.ends).max(initial=0))
    room = (
        len(batch.events) * longest
        + int(sizes[spoken].sum())
        + 2 * int(batch.events["count"].sum(dtype=np.int64))
        + len(origins.text)
    )
    text = np.empty(room, np.uint8)
    ids = np.ascontiguousarray(batch.hand_ids).view(np.uint8).reshape(len(batch), 32)
    hands = _Hands(batch.offsets, ids, batch.match_of, batch.hand_nos)
    end = _write(text, batch.events, hands, _Texts(head, matches, details, origins))
    return text[:end].data


def _origins(batch: Batch) -> list[bytes]:
    """What each hand's first line says of its data set and key: what an ingest would not say by itself."""
    datasets = [
        b',"dataset":%s' % json.dumps(name).encode() if name != EVENTS_FORMAT else b""
        for name in batch.datasets
    ]
    of_hand = (b"" if number == NO_DATASET else datasets[number] for number in batch.dataset_of.tolist())
    pairs = zip(batch.keys.to_pylist(), batch.derived_keys().to_pylist(), strict=True)
    keys = (b',"source_key":%s' % json.dumps(k).encode() if k and k != own else b"" for k, own in pairs)
    return [dataset + key for dataset, key in zip(of_hand, keys, strict=True)]


def _detail_value(detail: str) -> bytes:
    """A detail as an object, or as a string where an object would not be read back as the same."""
    try:
        value = json.loads(detail)
        if isinstance(value, dict) and canonical(value) == detail:
            return detail.encode()
    except (ValueError, RecursionError):
        pass
    return json.dumps(detail).encode()


@compiled
def _word(text: Any, offset: int, word: int) -> int:
    return put(text, offset, _WORDS, _WORD_ENDS[word], _WORD_ENDS[word + 1])


@compiled
def _piece(text: Any, offset: int, pieces: Pool, number: int) -> int:
    return put(text, offset, pieces.text, pieces.ends[number], pieces.ends[number + 1])


class _Hands(NamedTuple):
    """What each hand has, as in `Batch`."""

    offsets: NDArray[np.int64]
    ids: NDArray[np.uint8]
    match_of: NDArray[np.int32]
    hand_nos: NDArray[np.int32]


class _Texts(NamedTuple):
    """What lines have literally: how each begins, and pieces by match, by detail and by hand."""

    head: NDArray[np.uint8]
    matches: Pool
    details: Pool
    origins: Pool


@compiled
def _write(text: NDArray[np.uint8], events: NDArray[Any], hands: _Hands, texts: _Texts) -> int:
    """Write all lines; returns where they end."""
    offset = 0
    for hand in range(len(hands.ids)):
        begin = offset
        first = hands.offsets[hand]
        offset = put(text, offset, texts.head, 0, len(texts.head))
        offset = put(text, offset, hands.ids[hand], 0, 32)
        match = hands.match_of[hand]
        if match == NO_MATCH:
            text[offset] = _QUOTE
            offset += 1
        else:
            offset = _word(text, offset, _MATCH)
            offset = _piece(text, offset, texts.matches, match)
        if hands.hand_nos[hand] != NO_HAND_NO:
            offset = _word(text, offset, _HAND_NO)
            offset = put_number(text, offset, hands.hand_nos[hand])
        offset = _word(text, offset, _SEQ)
        end = offset
        for number in range(first, hands.offsets[hand + 1]):
            event = events[number]
            if number > first:
                offset = put(text, offset, text, begin, end)
            offset = put_number(text, offset, number - first)
            offset = _write_event(text, offset, event)
            if event.detail != NO_DETAIL:
                offset = _word(text, offset, _DETAIL)
                offset = _piece(text, offset, texts.details, event.detail)
            if event.at != NO_TIME:
                offset = _word(text, offset, _TIME)
                offset = _write_time(text, offset, event.at)
            if number == first:
                offset = _word(text, offset, _VERSION)
                offset = _piece(text, offset, texts.origins, hand)
            text[offset] = _CLOSE
            text[offset + 1] = _NEWLINE
            offset += 2
    return offset


@compiled
def _write_event(text: Any, offset: int, event: Any) -> int:
    """What an event says from its kind to its amount."""
    offset = put(text, offset, _ACTIONS, _ACTION_ENDS[event.action], _ACTION_ENDS[event.action + 1])
    if event.seat != NO_SEAT:
        offset = _word(text, offset, _SEAT)
        offset = put_number(text, offset, event.seat)
    if event.count:
        offset = _word(text, offset, _CARDS)
        for card in range(event.count):
            text[offset] = CHARACTERS[event.cards[card], 0]
            text[offset + 1] = CHARACTERS[event.cards[card], 1]
            offset += 2
        text[offset] = _QUOTE
        offset += 1
    if event.suit != NO_SUIT:
        offset = _word(text, offset, _SUIT)
        text[offset] = _SUITS[event.suit]
        text[offset + 1] = _QUOTE
        offset += 2
    if event.amount != NO_AMOUNT:
        offset = _word(text, offset, _AMOUNT)
        offset = put_number(text, offset, event.amount)
    return offset


@compiled
def _write_time(text: Any, offset: int, at: int) -> int:
    """A time as ISO 8601 in UTC, ``"2016-03-01T21:16:07.226159Z"``; in microseconds since 1970 if
    its year has not four digits."""
    if at < YEAR_1 or at >= YEAR_10000:
        return put_number(text, offset, at)
    text[offset] = _QUOTE
    seconds = at // MICROSECONDS
    offset = put_time(text, offset + 1, seconds, _T)
    text[offset] = _DOT
    offset = put_digits(text, offset + 1, at - seconds * MICROSECONDS, 6)
    text[offset] = _Z
    text[offset + 1] = _QUOTE
    return offset + 2
