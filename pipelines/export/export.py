"""Export: training data for programs that learn, and hands in the forms they can be read from."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cardlog import models
from cardlog.models.kaiser import rules as kaiser
from cardlog.pipelines.export import cardlog_jsonl, playedhand_csv, training
from cardlog.pipelines.export import encoders as encoding
from cardlog.pipelines.export.output import STANDARD_OUTPUT, OutputError, Watch, new_file, new_folder, watched
from cardlog.pipelines.export.selection import Selection
from cardlog.pipelines.export.splits import parse_splits
from cardlog.pipelines.storage.moment import PinnedStore, pinned
from cardlog.pipelines.storage.store import Store, game_of
from cardlog.schemas.errors import CardlogError

CSV: Final = "playedhand-csv"
JSONL: Final = "cardlog-jsonl"
PARQUET: Final = "parquet"


class ExportError(CardlogError):
    """What was asked can't be exported; the text is for the user."""


@dataclass(frozen=True)
class Format:
    """A form of export: what it holds, the table it is made from, and the games it can hold."""

    name: str
    summary: str
    table: str
    games: tuple[str, ...]


def formats() -> dict[str, Format]:
    """The forms there are, by name."""
    every = tuple(models.GAMES)
    found = (
        Format(CSV, "the rows that Kaiser's hands came in, in their order", "playedhand", (kaiser.GAME,)),
        Format(JSONL, "the events, one a line", "events", every),
        Format(PARQUET, "decisions to learn from, for datasets.load_dataset", "decisions", every),
        Format("npy", "decisions to learn from, one NumPy array a column", "decisions", every),
        Format("npz", "the same, packed into one file a split", "decisions", every),
        Format("minari", "a sample of them as episodes, for minari.load_dataset", "decisions", every),
    )
    return {form.name: form for form in found}


def export(
    store: Store,
    game: str,
    format_name: str,
    out: str | Path,
    *,
    encoder: str = encoding.DEFAULT,
    seed: int = 0,
    splits: str = "80,10,10",
    selection: Selection | None = None,
    watch: Watch | None = None,
) -> int:
    """Write what the store has of a game to a file or folder, which is there whole or not at all.

    out
        A new file, or for training data a new or empty folder. ``-`` is standard output, and a file
        that ends in ``.gz`` is compressed.
    encoder, seed, splits, selection
        For training data: what makes the observations, how hands are split into train, validation
        and test, in percentages, and which hands and seats count. The other forms hold every
        stored hand.

    Returns how many rows, hands or events it has. Raises ExportError, naming what there is, for a
    game or format there is none of; and if there is nothing to write, the tables are older than
    the events, or `out` is there already or can't be written.
    """
    _check_is_outside(store, str(out))
    try:
        form = _format(format_name, game)
        store = pinned(store, None if form.name in training.FORMS else {"events", "ingests", form.table})
        paths = _paths(store, form, game)
        sizes = store.sizes(form.table)
        watching = watched(watch, "export", sum(sizes[path] for path in paths))
        if form.name in training.FORMS:
            order = training.Order(
                _encoder(game, encoder), form.name, selection or Selection(), seed, parse_splits(splits)
            )
            with new_folder(str(out)) as folder, watching as tally:
                return training.write(store, paths, order, folder, tally)
        write = playedhand_csv.write if form.name == CSV else cardlog_jsonl.write
        with new_file(str(out)) as file, watching as tally:
            return write(store, paths, file, tally)
    except OutputError as error:
        raise ExportError(str(error)) from error


def _check_is_outside(store: Store, out: str) -> None:
    """Raises ExportError for a place inside the store, whatever links lead there."""
    if out != STANDARD_OUTPUT and store.is_local and Path(out).resolve().is_relative_to(store.root):
        raise ExportError(f"{out} is inside the store {store.root}, which holds nothing but its own files")


def _format(name: str, game: str) -> Format:
    there = formats()
    if name not in there:
        raise ExportError(f"there is no format {name!r} to export; there are: {', '.join(there)}")
    if game not in models.GAMES:
        raise ExportError(f"there is no game {game!r}; there are: {', '.join(models.GAMES)}")
    if game not in there[name].games:
        able = ", ".join(form for form, found in there.items() if game in found.games)
        raise ExportError(f"{name} can't hold {game}; there are: {able}")
    return there[name]


def _encoder(game: str, name: str) -> encoding.Encoder:
    there = encoding.encoders(game)
    if name not in there:
        raise ExportError(f"{game} has no encoder {name!r}; there are: {', '.join(there)}")
    return there[name]


def _paths(store: PinnedStore, form: Format, game: str) -> list[str]:
    """The data files to export. Raises ExportError if there are none or they are not up to date."""
    if not any(game_of(path) == game for path in store.paths("events")):
        raise ExportError(f"there is no hand of {game} in {store.root}, so there is nothing to write")
    if form.table != "events" and not store.moment.is_built:
        raise ExportError(f"the table {form.table} is older than the events; run 'cardlog build' first")
    return [path for path in store.paths(form.table) if game_of(path) == game]
