"""cardlog-jsonl: events as text, one per line, in the canonical form of docs/formats/cardlog-jsonl.md:
the keys in the table's order, nulls left out, and nothing about where the event was read. Hands are in the
order of their ids, so that the same hands give the same bytes however they came in.

Each column becomes text for all events of a batch at once; then the columns are joined.
"""

import json
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from cardlog.pipelines.events.batch import NO_DATASET, NO_HAND_NO, NO_MATCH, Batch
from cardlog.pipelines.events.columns import card_texts
from cardlog.pipelines.readers.json_lines import canonical
from cardlog.schemas.cards import NO_SUIT, SUIT_LETTERS
from cardlog.schemas.events import ACTIONS, NO_AMOUNT, NO_DETAIL, NO_SEAT, NO_TIME, SCHEMA_VERSION
from cardlog.schemas.names import EVENTS_FORMAT

_ACTIONS: Final = [f',"kind":"{action.kind}","action":"{action.name}"' for action in ACTIONS]
_SUITS: Final = [f',"suit":"{letter}"' for letter in SUIT_LETTERS]
_VERSION: Final = f',"schema_version":{SCHEMA_VERSION}'
_YEARS: Final = tuple(int(np.datetime64(year, "us").astype(int)) for year in ("0001-01-01", "10000-01-01"))
"""Times from the first up to the second have a year of four digits. Others are written as numbers."""


def lines(batch: Batch) -> memoryview:
    """The events of a batch, one per line."""
    events, count = batch.events, len(batch.events)
    if not count:
        return memoryview(b"")
    hand = np.repeat(np.arange(len(batch)), np.diff(batch.offsets))
    seq = np.arange(count) - batch.offsets[:-1][hand]
    details = [f',"detail":{_detail_value(detail)}' for detail in batch.details]
    origins: list[str | None] = [None] * count
    for number, origin in zip(batch.offsets[:-1].tolist(), _origins(batch), strict=True):
        origins[number] = origin
    columns = [
        _by_index(_heads(batch), hand),
        _numbers(seq, -1, ""),
        _by_index(_ACTIONS, events["action"]),
        _numbers(events["seat"], NO_SEAT, ',"seat":'),
        _joined(',"cards":"', card_texts(events["cards"], events["count"]).cast(pa.large_string()), '"'),
        _by_index(_SUITS, events["suit"], NO_SUIT),
        _numbers(events["amount"], NO_AMOUNT, ',"amount":'),
        _by_index(details, events["detail"], NO_DETAIL),
        _times(events["at"]),
        pa.array(origins, pa.large_string()),
        pa.scalar("}\n", pa.large_string()),
        pa.scalar("", pa.large_string()),
    ]
    joined = pc.binary_join_element_wise(*columns, null_handling="replace", null_replacement="")
    _, ends, text = joined.buffers()
    return memoryview(text)[: np.frombuffer(ends, np.int64)[count]]


def _heads(batch: Batch) -> list[str]:
    """The beginning of each hand's lines."""
    matches = [f',"match_id":{json.dumps(match)}' for match in batch.matches]
    rows = zip(batch.hand_ids.tolist(), batch.match_of.tolist(), batch.hand_nos.tolist(), strict=True)
    heads = []
    for hand_id, match, number in rows:
        in_match = "" if match == NO_MATCH else matches[match]
        hand_no = "" if number == NO_HAND_NO else f',"hand_no":{number}'
        heads.append(f'{{"game":"{batch.game}","hand_id":"{hand_id.decode()}"{in_match}{hand_no},"seq":')
    return heads


def _origins(batch: Batch) -> list[str]:
    """The end of each hand's first line: the version, and its data set and key unless an ingest would infer
    them."""
    fields = [f',"dataset":{json.dumps(name)}' if name != EVENTS_FORMAT else "" for name in batch.datasets]
    datasets = ("" if number == NO_DATASET else fields[number] for number in batch.dataset_of.tolist())
    keys = zip(batch.keys.to_pylist(), batch.derived_keys().to_pylist(), strict=True)
    return [
        _VERSION + dataset + (f',"source_key":{json.dumps(key)}' if key and key != own else "")
        for dataset, (key, own) in zip(datasets, keys, strict=True)
    ]


def _detail_value(detail: str) -> str:
    """A detail as an object, or as a string where an object would not be read back as the same."""
    try:
        value = json.loads(detail)
        if isinstance(value, dict) and canonical(value) == detail:
            return detail
    except (ValueError, RecursionError):
        pass
    return json.dumps(detail)


def _by_index(texts: list[str], index: NDArray[Any], none: int | None = None) -> pa.LargeStringArray:
    """The text of each event by its index; null where that is `none`."""
    missing = None if none is None else index == none
    return pa.array(texts, pa.large_string()).take(pa.array(index.astype(np.int64), mask=missing))


def _numbers(values: NDArray[Any], none: int, key: str) -> pa.LargeStringArray:
    """Numbers after their key; null where they are `none`."""
    return _joined(key, pa.array(values.astype(np.int64), mask=values == none).cast(pa.large_string()))


def _joined(*parts: str | pa.LargeStringArray) -> pa.LargeStringArray:
    """Columns of texts joined with constant texts; null where one of the columns is."""
    columns = (pa.scalar(part, pa.large_string()) if isinstance(part, str) else part for part in (*parts, ""))
    return pc.binary_join_element_wise(*columns)


def _times(at: NDArray[np.int64]) -> pa.LargeStringArray:
    """Times as ISO 8601 in UTC, ``"2016-03-01T21:16:07.226159Z"``; null where there is none."""
    first, end = _YEARS
    is_year = (at >= first) & (at < end)
    iso = pa.array(at, pa.timestamp("us"), mask=~is_year).cast(pa.large_string())
    dated = _joined(',"occurred_at":"', pc.binary_replace_slice(iso, 10, 11, "T"), 'Z"')
    return pc.coalesce(dated, _numbers(np.where(is_year, NO_TIME, at), NO_TIME, ',"occurred_at":'))
