"""Exports in tests."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

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
