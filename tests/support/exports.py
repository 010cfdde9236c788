"""Exports in tests."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from cardlog.pipelines.export import export as exporting
from cardlog.pipelines.export.selection import ALL_HANDS, Output, Selection
from cardlog.pipelines.runtime.progress import Watch, no_watch
from cardlog.pipelines.storage.store import Store


def export(
    store: Store,
    game: str,
    format_name: str,
    out: str | Path,
    *,
    splits: str | Sequence[int] = "80,10,10",
    selection: Selection = ALL_HANDS,
    beam_options: Sequence[str] = (),
    watch: Watch = no_watch,
    **how: Any,
) -> int:
    """The number of rows of an export."""
    splits = splits if isinstance(splits, str) else ",".join(map(str, splits))
    what = Output(game, format_name, splits=splits, **how)
    done = exporting.export(store, str(out), what, selection, beam_options=beam_options, watch=watch)
    return done.rows


def rows_in(folder: Path, kind: str = "play", split: str = "") -> pa.Table:
    """The training rows of a kind and a split, or all splits, of an exported folder."""
    files = sorted((folder / kind).glob(f"{split}*.parquet"))
    return pa.concat_tables(pq.read_table(path) for path in files)


def manifest_of(folder: Path) -> dict[str, Any]:
    """The manifest of an exported folder."""
    found: dict[str, Any] = json.loads((folder / "manifest.json").read_text("utf-8"))
    return found


def columns_in(folder: Path, form: str, kind: str = "play", split: str = "train") -> dict[str, Any]:
    """The columns of training rows of any form: arrays of NumPy's, lists of Parquet's."""
    if form == "npz":
        return dict(np.load(folder / kind / f"{split}.npz"))
    if form == "npy":
        return {path.stem: np.load(path) for path in (folder / kind / split).glob("*.npy")}
    return rows_in(folder, kind, split).to_pydict()
