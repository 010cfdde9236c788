"""Training data: the decisions of a game as Parquet files that `datasets.load_dataset` opens.

A folder has one subfolder a kind of decision, whose files are named by their split, and a card,
README.md, that tells `datasets` what is what. Hands are split by a hash of their match, or of the
hand where there is none, so that a match is never in two splits and stays in its own when more data
comes.
"""

import hashlib
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from pipelines.exporters.output import OutputError
from pipelines.progress import Tally
from pipelines.store import Store

TABLE: Final = "decisions"
SPLITS: Final = ("train", "validation", "test")
DEFAULT_KIND: Final = "play"
COLUMNS: Final = {
    "hand_id": pa.string(),
    "match_id": pa.string(),
    "seat": pa.int8(),
    "step": pa.int16(),
    "observation": pa.list_(pa.int8()),
    "action_mask": pa.list_(pa.bool_()),
    "action": pa.int16(),
    "reward": pa.float32(),
    "return": pa.float32(),
}
"""The columns of a row. In a file the two lists have the length that the kind's have."""
GROUP_ROWS: Final = 100_000
"""Rows of a row group."""
FILE_ROWS: Final = 4_000_000
"""Rows after which a split goes on in another file."""


def parse_splits(text: str) -> tuple[int, ...]:
    """Percentages of train, validation and test. Raises OutputError if that is not what they are."""
    parts = [part.strip() for part in text.split(",")]
    if len(parts) != len(SPLITS) or not all(part.isascii() and part.isdecimal() for part in parts):
        raise OutputError(f"splits is {text!r}; it must be three percentages, as 80,10,10")
    percentages = tuple(int(part) for part in parts)
    if sum(percentages) != 100:
        raise OutputError(f"splits is {text!r}; the three must sum to 100")
    return percentages


def write(
    store: Store,
    game: str,
    paths: list[str],
    folder: Path,
    tally: Tally,
    *,
    seed: int,
    splits: tuple[int, ...],
    include_aborted: bool,
) -> int:
    """Fill a folder from data files of `decisions`; returns how many rows it has.

    Raises OutputError if there is no row to write.
    """
    shards: dict[tuple[str, int], _Shards] = {}
    for rows in _row_groups(store, paths):
        tally.add(len(pc.unique(rows.column("hand_id"))), len(rows))
        if not include_aborted:
            rows = rows.filter(pc.equal(rows.column("status"), "complete"))
        split = split_of(rows, seed, splits)
        for kind in pc.unique(rows.column("kind").cast(pa.string())).to_pylist():
            of_kind = np.asarray(pc.equal(rows.column("kind"), kind))
            for number in np.unique(split[of_kind]).tolist():
                part = rows.filter(pa.array(of_kind & (split == number)))
                shards.setdefault((kind, number), _Shards(folder / kind, SPLITS[number])).add(part)
    if not shards:
        raise OutputError(f"no hand of {game} was played to its end, so there is nothing to write")
    counts = {key: shards[key].close() for key in sorted(shards, key=_kind_order)}
    card = _card(game, counts, seed, splits, include_aborted)
    (folder / "README.md").write_text(card, encoding="utf-8")
    return sum(counts.values())


def _row_groups(store: Store, paths: list[str]) -> Iterator[pa.Table]:
    names = [*COLUMNS, "kind", "status"]
    for path in paths:
        file = store.open(TABLE, path, names)
        for group in range(file.num_row_groups):
            yield file.read_row_group(group, columns=names, use_threads=False).combine_chunks()


def _kind_order(key: tuple[str, int]) -> tuple[bool, str, int]:
    """The default kind first, and in it train, validation, test."""
    kind, split = key
    return kind != DEFAULT_KIND, kind, split


# ---------------------------------------------------------------- splits


def split_of(rows: pa.Table, seed: int, splits: tuple[int, ...]) -> NDArray[np.int8]:
    """The split of each row, as an index into `SPLITS`."""
    of_hand = _split_of_labels(rows.column("hand_id"), seed, splits)
    of_match = _split_of_labels(rows.column("match_id"), seed, splits)
    return np.where(of_match < 0, of_hand, of_match)


def _split_of_labels(column: pa.ChunkedArray, seed: int, splits: tuple[int, ...]) -> NDArray[np.int8]:
    """The split of each label of a dictionary column, -1 for null."""
    if not len(column):
        return np.zeros(0, np.int8)
    labels = column.combine_chunks()
    numbers = [_split_of_name(name, seed, splits) for name in labels.dictionary.to_pylist()]
    return np.asarray(np.array([*numbers, -1], np.int8)[labels.indices.fill_null(-1)])


@lru_cache(maxsize=2**16)
def _split_of_name(name: str, seed: int, splits: tuple[int, ...]) -> int:
    """Where a match or a hand belongs: a matter of its name and the seed alone."""
    digest = hashlib.blake2b(f"{seed}\0{name}".encode(), digest_size=8).digest()
    place = int.from_bytes(digest, "little") * 100 >> 64
    number = 0
    while place >= splits[number]:
        place -= splits[number]
        number += 1
    return number


# ---------------------------------------------------------------- files


class _Shards:
    """The files of one kind and split, named as on the Hub: ``train-00000-of-00002.parquet``."""

    def __init__(self, folder: Path, split: str) -> None:
        self._folder, self._split = folder, split
        self._files: list[Path] = []
        self._writer: pq.ParquetWriter | None = None
        self._waiting: list[pa.Table] = []
        self._in_file = self._rows = 0
        folder.mkdir(exist_ok=True)

    def add(self, rows: pa.Table) -> None:
        """Add rows of `decisions`."""
        self._waiting.append(_training_rows(rows))
        if sum(map(len, self._waiting)) >= GROUP_ROWS:
            self._flush()

    def _flush(self) -> None:
        if not self._waiting:
            return
        rows = pa.concat_tables(self._waiting)
        self._waiting.clear()
        if self._writer is not None and self._in_file + len(rows) > FILE_ROWS:
            self._writer.close()
            self._writer = None
        if self._writer is None:
            self._files.append(self._folder / f"{self._split}-{len(self._files)}.tmp")
            self._writer = pq.ParquetWriter(self._files[-1], rows.schema, compression="zstd")
            self._in_file = 0
        self._writer.write_table(rows, len(rows))
        self._in_file += len(rows)
        self._rows += len(rows)

    def close(self) -> int:
        """Give the files their names; returns how many rows they have."""
        self._flush()
        if self._writer is not None:
            self._writer.close()
        for number, file in enumerate(self._files):
            file.rename(file.with_name(f"{self._split}-{number:05d}-of-{len(self._files):05d}.parquet"))
        return self._rows


def _training_rows(rows: pa.Table) -> pa.Table:
    """Rows of `decisions`, all of one kind, with the columns of training data."""
    columns = {}
    for name, kind in COLUMNS.items():
        column = rows.column(name)
        columns[name] = _fixed_lists(column) if pa.types.is_list(kind) else column.cast(kind)
    return pa.table(columns)


def _fixed_lists(column: pa.ChunkedArray) -> pa.Array:
    """Lists that all have the same length, with that length as their type."""
    lengths = pc.min_max(pc.list_value_length(column)).as_py()
    if lengths["min"] != lengths["max"]:
        raise OutputError(f"lists of one kind have {lengths['min']} and {lengths['max']} values")
    values = column.combine_chunks().flatten()
    return pa.FixedSizeListArray.from_arrays(values, lengths["max"])


# ---------------------------------------------------------------- the card


def _card(
    game: str, counts: dict[tuple[str, int], int], seed: int, splits: tuple[int, ...], include_aborted: bool
) -> str:
    """README.md: what `datasets` reads at its top, and what a person reads below."""
    kinds = list(dict.fromkeys(kind for kind, _ in counts))
    there = {kind: [SPLITS[number] for of_kind, number in counts if of_kind == kind] for kind in kinds}
    configs = "".join(_config(kind, kind == kinds[0], there[kind]) for kind in kinds)
    rows = "\n".join(f"| {kind} | {SPLITS[number]} | {count} |" for (kind, number), count in counts.items())
    shares = ", ".join(f"{percent} % {name}" for name, percent in zip(SPLITS, splits, strict=True))
    hands = "all hands, also those that break off" if include_aborted else "hands played to their end"
    return f"""---
configs:
{configs}---
# Decisions of {game}

One row per decision of a seat, of {hands}; written by cardlog.

| configuration | split | rows |
|---|---|---|
{rows}

Split by match, or by hand where the match is not known: {shares}, seed {seed}. With more data a match
stays in its split.

| column | meaning |
|---|---|
| `hand_id`, `match_id` | the hand, and its match where the source tells |
| `seat` | who decided, from 0 in turn order |
| `step` | place of the decision in its hand, bids and plays together |
| `observation` | what the seat knew; `docs/features/{game}.md` of cardlog has the layout |
| `action_mask` | which actions were legal |
| `action` | the action taken, an index into `action_mask` |
| `reward` | points of the trick to the seat's team, negative if the other team took it; 0 for a bid |
| `return` | score of the hand to the seat's team less that of the other team |
"""


def _config(kind: str, is_default: bool, splits: list[str]) -> str:
    """A configuration in YAML: only the splits that have rows, because `datasets` wants a file."""
    files = "".join(f"  - split: {split}\n    path: {kind}/{split}-*.parquet\n" for split in splits)
    default = "  default: true\n" if is_default else ""
    return f"- config_name: {kind}\n{default}  data_files:\n{files}"
