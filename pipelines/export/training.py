"""Training data: the decisions of a game, encoded, parted into splits, in the form that was asked for.

A folder has one subfolder a kind of decision; ``README.md`` tells people and `datasets` what is
what, ``manifest.json`` programs, and with Parquet ``croissant.json`` whoever reads Croissant. The
same store, encoder, selection and seed give the same bytes.
"""

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cardlog.pipelines.export import croissant, dataset_card
from cardlog.pipelines.export.encoders import DEFAULT, Encoder
from cardlog.pipelines.export.minari_files import MinariFiles
from cardlog.pipelines.export.numpy_files import NpzFiles, NumpyFiles
from cardlog.pipelines.export.output import OutputError
from cardlog.pipelines.export.parquet_files import ParquetFiles
from cardlog.pipelines.export.selection import Chosen, Selection, choose
from cardlog.pipelines.export.splits import SPLITS, split_of
from cardlog.pipelines.progress import Tally
from cardlog.pipelines.storage.events_file import EventsFile
from cardlog.pipelines.storage.folding import fold_batch
from cardlog.pipelines.storage.store import Store, game_of
from cardlog.pipelines.version import VERSION

DEFAULT_KIND: Final = "play"
ROWS_AT_A_TIME: Final = 50_000
MANIFEST: Final = "manifest.json"
COLUMNS: Final = {
    "hand_id": pa.string(),
    "match_id": pa.string(),
    "seat": pa.int8(),
    "step": pa.int16(),
    "encoder": pa.string(),
    "encoder_version": pa.int16(),
    "dialect": pa.string(),
    "observation": pa.list_(pa.int8()),
    "action_mask": pa.list_(pa.bool_()),
    "action": pa.int16(),
    "reward": pa.float32(),
    "return": pa.float32(),
    "outcome": pa.int8(),
}
"""The columns of a row. In a file the two lists have the length that the kind's have."""
_TEXTS: Final = ("match_id", "dialect")
"""Columns of texts whose lengths differ."""


class Files(Protocol):
    """The files of one kind of decision and one split."""

    def add(self, rows: pa.Table) -> None:
        """Add training rows."""

    def close(self) -> None:
        """Write what is left."""


@dataclass
class Size:
    """How much one kind and split has: rows, and the longest texts of each column in bytes."""

    rows: int
    longest: dict[str, int]


FORMS: Final[dict[str, Callable[[Path, str, Size], Files]]] = {
    "parquet": lambda folder, split, size: ParquetFiles(folder, split, size.rows),
    "npy": lambda folder, split, size: NumpyFiles(folder, split, size.rows, size.longest),
    "npz": lambda folder, split, size: NpzFiles(folder, split, size.rows, size.longest),
    "minari": lambda folder, split, size: MinariFiles(folder, split),
}
"""The forms of training data, and what makes their files."""


@dataclass(frozen=True)
class Order:
    """What is to be written: the decisions of a game, encoded, of some hands and seats, in a form."""

    encoder: Encoder
    form: str
    selection: Selection
    seed: int
    splits: tuple[int, ...]


def write(store: Store, paths: list[str], order: Order, folder: Path, tally: Tally) -> int:
    """Fill a folder; returns how many rows it has.

    paths
        The data files of `decisions` of the game.

    Raises OutputError if there is no row to write.
    """
    chosen = choose(store, order.encoder.game, order.selection)
    sizes: dict[tuple[str, int], Size] = {}
    for kind, split, rows in _parts(_short_rows(store, paths, order), chosen, order):
        size = sizes.setdefault((kind, split), Size(0, dict.fromkeys(_TEXTS, 0)))
        size.rows += len(rows)
        for name in _TEXTS:
            longest = pc.max(pc.binary_length(rows.column(name).cast(pa.string()))).as_py()
            size.longest[name] = max(size.longest[name], longest or 0)
    if not sizes:
        raise OutputError(_nothing(order))
    keys = sorted(sizes, key=_kind_order)
    files = {key: FORMS[order.form](folder / key[0], SPLITS[key[1]], sizes[key]) for key in keys}
    for kind, split, rows in _parts(_whole_rows(store, paths, order, tally), chosen, order):
        files[kind, split].add(_training_rows(rows, order.encoder))
    for key in keys:
        files[key].close()
    counts = {key: sizes[key].rows for key in keys}
    _describe(store, order, folder, counts)
    return sum(counts.values())


def _nothing(order: Order) -> str:
    game = order.encoder.game
    if order.selection.asked():
        return f"no decision of {game} is what was asked for, so there is nothing to write"
    return f"no hand of {game} was played to its end, so there is nothing to write"


def _kind_order(key: tuple[str, int]) -> tuple[bool, str, int]:
    """The default kind first, and in it train, validation, test."""
    kind, split = key
    return kind != DEFAULT_KIND, kind, split


# ---------------------------------------------------------------- rows


def _short_rows(store: Store, paths: list[str], order: Order) -> Iterator[pa.Table]:
    """The rows with no more than it takes to count them."""
    names = ["hand_id", "match_id", "seat", "kind"]
    if order.encoder.name == DEFAULT:
        yield from _stored(store, paths, names)
    else:
        yield from (rows.select(names) for rows in _encoded(store, order.encoder))


def _whole_rows(store: Store, paths: list[str], order: Order, tally: Tally) -> Iterator[pa.Table]:
    names = [*(name for name in COLUMNS if name not in _ADDED), "kind"]
    rows_of = (
        _stored(store, paths, names) if order.encoder.name == DEFAULT else _encoded(store, order.encoder)
    )
    for rows in rows_of:
        tally.add(len(pc.unique(rows.column("hand_id"))), len(rows))
        yield rows


def _stored(store: Store, paths: list[str], names: list[str]) -> Iterator[pa.Table]:
    """Rows of `decisions`, some whole hands at a time: a row group is large, and reading it and what is
    done with it take several times its memory."""
    for path in paths:
        file = store.open("decisions", path, names)
        held = file.schema_arrow.empty_table().select(names)
        for batch in file.iter_batches(ROWS_AT_A_TIME, columns=names, use_threads=False):
            rows = pa.concat_tables([held, pa.table(batch).select(names)]).combine_chunks()
            ids = rows.column("hand_id").chunk(0)
            begins = np.flatnonzero(pc.not_equal(ids[1:], ids[:-1])) + 1
            end = int(begins[-1]) if len(begins) else 0
            held = rows[end:]
            if end:
                yield rows[:end]
        if len(held):
            yield held


def _encoded(store: Store, encoder: Encoder) -> Iterator[pa.Table]:
    """Rows as `decisions` has them, by another encoder, from the events."""
    for path in store.paths("events"):
        if game_of(path) != encoder.game:
            continue
        file = EventsFile(store, path)
        for piece in range(file.pieces):
            batch = file.batch(piece)
            yield encoder.rows(batch, fold_batch(batch)).combine_chunks()


def _parts(tables: Iterator[pa.Table], chosen: Chosen, order: Order) -> Iterator[tuple[str, int, pa.Table]]:
    """The chosen rows, parted by kind and split."""
    for table in tables:
        rows = chosen.filter(table)
        split = split_of(rows, order.seed, order.splits)
        for kind in pc.unique(rows.column("kind").cast(pa.string())).to_pylist():
            of_kind = np.asarray(pc.equal(rows.column("kind"), kind))
            for number in np.unique(split[of_kind]).tolist():
                yield kind, number, rows.filter(pa.array(of_kind & (split == number)))


_ADDED: Final = ("encoder", "encoder_version", "dialect", "outcome")
"""Columns that `decisions` has not."""


def _training_rows(rows: pa.Table, encoder: Encoder) -> pa.Table:
    """Rows of `decisions`, all of one kind, with the columns of training data."""
    count = len(rows)
    added = {
        "encoder": pa.array([encoder.name]).take(pa.array(np.zeros(count, np.int8))),
        "encoder_version": np.full(count, encoder.version, np.int16),
        "outcome": pc.sign(rows.column("return")).cast(pa.int8()),
    }
    columns = [added[name] if name in added else rows.column(name) for name in COLUMNS]
    arrays = [
        column.cast(kind) if isinstance(column, pa.ChunkedArray) else pa.array(column, kind)
        for column, kind in zip(columns, COLUMNS.values(), strict=True)
    ]
    return pa.table(dict(zip(COLUMNS, arrays, strict=True)))


# ---------------------------------------------------------------- what describes the files


def _describe(store: Store, order: Order, folder: Path, counts: dict[tuple[str, int], int]) -> None:
    """Write the card, the manifest and, for Parquet, the Croissant."""
    card = dataset_card.text(order, counts)
    (folder / "README.md").write_text(card, encoding="utf-8")
    files = [
        _file(folder, path) for path in sorted(folder.rglob("*")) if path.is_file() and path.name not in _OWN
    ]
    if order.form == "parquet":
        description = croissant.description(order, counts, files, folder)
        _write_json(folder / croissant.NAME, description)
    _write_json(folder / MANIFEST, _manifest(store, order, counts, files))


_OWN: Final = ("README.md", MANIFEST, croissant.NAME)


def _file(folder: Path, path: Path) -> dict[str, Any]:
    with path.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    return {"path": path.relative_to(folder).as_posix(), "bytes": path.stat().st_size, "sha256": digest}


def _manifest(
    store: Store, order: Order, counts: dict[tuple[str, int], int], files: list[dict[str, Any]]
) -> dict[str, Any]:
    """What the dataset was made from and what it holds."""
    rows: dict[str, dict[str, int]] = {}
    for (kind, split), count in counts.items():
        rows.setdefault(kind, {})[SPLITS[split]] = count
    return {
        "game": order.encoder.game,
        "encoder": order.encoder.name,
        "encoder_version": order.encoder.version,
        "selection": order.selection.asked(),
        "seed": order.seed,
        "splits": dict(zip(SPLITS, order.splits, strict=True)),
        "events_version": store.table("events").version(),
        "cardlog_version": VERSION,
        "columns": list(COLUMNS),
        "rows": rows,
        "files": files,
    }


def _write_json(path: Path, value: dict[str, Any]) -> None:
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
