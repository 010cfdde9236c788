"""Export: training data for programs that learn, and hands in the formats that `cardlog ingest` reads.

plan → read pieces of events, encode, write blocks → one file, or a folder of files with its manifest.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from cardlog import models
from cardlog.pipelines import readers
from cardlog.pipelines.errors import plain_errors
from cardlog.pipelines.export import (
    cardlog_jsonl,
    costs,
    encoders,
    following,
    hand_filter,
    mixing,
    phh,
    playedhand_csv,
    training,
    who_and_when,
)
from cardlog.pipelines.export.blocks import blocks_of
from cardlog.pipelines.export.minari_files import MINARI
from cardlog.pipelines.export.output import (
    STANDARD_OUTPUT,
    OutputError,
    check_format,
    log_formats,
    new_file,
    new_folder,
    watched,
)
from cardlog.pipelines.export.playedhand_csv import CSV
from cardlog.pipelines.export.rows import ADDED, named, parse_splits
from cardlog.pipelines.export.selection import ALL_HANDS, Output, Selection
from cardlog.pipelines.export.spec import ExportPlan, ExportSpec, counted, portions_of
from cardlog.pipelines.runtime import scratch
from cardlog.pipelines.runtime.progress import Watch, no_watch
from cardlog.pipelines.runtime.threads import on_all_cores
from cardlog.pipelines.sql.warehouse import as_of_marts, unbuilt_hands
from cardlog.pipelines.storage.moment import PinnedStore, pinned
from cardlog.pipelines.storage.remote import is_remote, put_all, shared_folder
from cardlog.pipelines.storage.store import Store, game_of
from cardlog.pipelines.storage.stored_hands import ordered_batches, stored_batches
from cardlog.pipelines.text.visible import is_text
from cardlog.schemas.errors import CardlogError


class ExportError(CardlogError):
    """An export can't be done as requested; the text is for the user."""


def formats() -> dict[str, tuple[str, ...]]:
    """The games that each form can hold, by its name."""
    phh_games = {phh.PHH: tuple(readers.get(phh.PHH).GAMES)}
    return log_formats() | dict.fromkeys(training.FORMS, tuple(models.GAMES)) | phh_games


@dataclass(frozen=True)
class Exported:
    """The result of an export: how many rows, hands or events were written.

    hidden
        How many decisions of each kind were left out, because the log hides the player's own cards.
    unbuilt
        How many hands were left out because they were stored after the build of the marts that were asked.
    untold
        How many hands were left out because the format can't tell them, by what it is.
    """

    rows: int
    hidden: dict[str, int] = field(default_factory=dict)
    unbuilt: int = 0
    untold: dict[str, int] = field(default_factory=dict)


def export(
    store: Store,
    out: str,
    what: Output,
    selection: Selection = ALL_HANDS,
    *,
    beam_options: Sequence[str] = (),
    watch: Watch = no_watch,
) -> Exported:
    """Write a game's stored hands to a file or folder, which appears whole or not at all.

    out
        A new file, or for training data a new or empty folder; also a URI. ``-`` is standard output; ``.gz``
        is compressed.
    what, selection
        The forms that are no training data hold every stored hand, and take no selection.
    beam_options
        Options for Beam, which encodes training data. Workers must reach the store and, if that is a folder,
        the one that `out` is in.

    Raises ExportError for an unknown game, form, encoder or order and an invalid selection, if there is
    nothing to write, or if `out` exists or can't be written.
    """
    _check_is_outside(store, out)
    unbuilt = 0 if selection.where is None else unbuilt_hands(store)
    try:
        _check_texts(what, selection)
        check_format(what.game, what.format, formats(), "export")
        store = as_of_marts(store) if selection.where is not None else pinned(store, {"events", "ingests"})
        paths = _paths(store, what.game)
        with plain_errors():
            if what.format not in training.FORMS:
                _check_selects_nothing(what.format, selection)
                return _export_file(store, what.format, paths, out, watch)
            hand_filter.check(store, what.game, selection)
            encoder = encoders.encoder(what.game, what.encoder)
            spec = ExportSpec(
                what.game, what.format, store.moment.versions["events"], encoder.name, encoder.version,
                encoder.layout, encoder.words, selection=selection, seed=what.seed,
                splits=parse_splits(what.splits), order=_order(what.format, what.order),
                columns=_columns(what),
                split_by=next(iter(named(what.split_by, who_and_when.COLUMNS)), None),
                all_episodes=what.all_episodes, license=what.license or "", name=what.name or "",
                description=what.description or "",
            )  # fmt: skip
            with new_folder(out) as folder:
                return Exported(*_export_rows(store, spec, paths, folder, beam_options, watch), unbuilt)
    except OutputError as error:
        raise ExportError(str(error)) from error


def _check_texts(what: Output, selection: Selection) -> None:
    """Raises OutputError if an option is not valid text, which neither files nor queries can hold."""
    for name, value in (vars(what) | vars(selection)).items():
        if isinstance(value, str) and not is_text(value):
            raise OutputError(f"{name} is {value!r}, which is not UTF-8")


def _check_selects_nothing(form: str, selection: Selection) -> None:
    """Raises OutputError if a form that holds all hands is to hold a selection."""
    if selection != ALL_HANDS:
        criteria = ", ".join(selection.criteria())
        raise OutputError(f"{form} has all hands of the store; {criteria}: that is for training data")


def _columns(what: Output) -> tuple[str, ...]:
    """The columns to add. Raises OutputError for those that there are not, and for what episodes have."""
    wanted = named(what.columns, ADDED)
    if what.format == MINARI and {*wanted} & {*following.COLUMNS}:
        raise OutputError(
            "minari holds episodes, in which the next step is the next one; --columns without it"
        )
    return wanted


def _order(form: str, order: str | None) -> str:
    """The order of training rows: mixed, unless they are episodes. Raises OutputError for any other."""
    if form == MINARI:
        if order == mixing.MIXED:
            raise OutputError("minari holds episodes, which keep the order of a hand; leave --order out")
        return mixing.HAND
    if order not in (None, *mixing.ORDERS):
        raise OutputError(f"order is {order!r}; it must be {' or '.join(mixing.ORDERS)}")
    return order or mixing.MIXED


def _export_file(store: Store, form: str, paths: list[str], out: str, watch: Watch) -> Exported:
    """Write a form that is one file."""
    with new_file(out) as file, watched(watch, "export", _event_count(store, paths)) as tally:
        hands = (batch for path in paths for batch in stored_batches(store, path))
        if form == CSV:
            return Exported(playedhand_csv.write(store, counted(hands, tally), file))
        if form == phh.PHH:
            one_hand = out.removesuffix(".gz").endswith(phh.ONE_HAND)
            try:
                count, untold = phh.write(store, counted(hands, tally), file, one_hand)
            except phh.NotInPhh as error:
                raise OutputError(str(error)) from error
            return Exported(count, untold=untold)
        count = 0
        for batch in counted(ordered_batches(store, paths), tally):
            file.write(cardlog_jsonl.lines(batch))
            count += len(batch.events)
        return Exported(count)


def _export_rows(
    store: Store, spec: ExportSpec, paths: list[str], folder: Path, beam_options: Sequence[str], watch: Watch
) -> tuple[int, dict[str, int]]:
    """Fill a folder with training data; returns what `training.describe` does."""
    portions = portions_of(store, paths)
    with (
        shared_folder(_shared_parent(store, folder, beam_options)) as shared,
        watched(watch, "export", _event_count(store, paths)) as tally,
    ):
        plan = ExportPlan(store.root, spec, shared.uri, tally)
        with scratch.folder() as lookups:
            if spec.selection.where is not None:
                hand_filter.write_chosen(store, spec.selection, Path(lookups))
            if spec.selection.has_costs:
                costs.write(Store(store.root), spec.game, Path(lookups))
            put_all(Path(lookups), shared)
        if beam_options:
            from cardlog.pipelines.export.transforms import export_pipeline
            from cardlog.pipelines.runtime import beam_runs

            beam_runs.run(partial(export_pipeline, plan=plan, portions=portions), beam_options)
        else:
            on_all_cores(partial(training.encode_portion, plan), portions)
        blocks = [block for portion in portions for block in blocks_of(shared.uri, portion.key)]
        training.write(plan, blocks, folder)
    return training.describe(spec, blocks, folder)


def _shared_parent(store: Store, folder: Path, beam_options: Sequence[str]) -> str:
    """Where to make the folder for blocks, which all workers must reach: in the folder being filled, or under
    the root of the store if workers may be on machines that can't reach this one."""
    if beam_options and is_remote(store.root):
        from cardlog.pipelines.runtime.beam_runs import are_apart

        if are_apart(beam_options):
            return store.root
    return str(folder)


def _check_is_outside(store: Store, out: str) -> None:
    """Raises ExportError for a file or folder inside the store, even if it is reached through links."""
    if store.is_local and not is_remote(out):
        is_inside = out != STANDARD_OUTPUT and Path(out).resolve().is_relative_to(store.root)
    else:
        is_inside = f"{out}/".startswith(f"{store.root}/")
    if is_inside:
        raise ExportError(f"{out} is inside the store {store.root}, which holds nothing but its own files")


def _event_count(store: Store, paths: list[str]) -> int:
    """How many events data files hold."""
    sizes = store.sizes("events")
    return sum(sizes[path] for path in paths)


def _paths(store: PinnedStore, game: str) -> list[str]:
    """The data files of `events` with a game. Raises ExportError if there are none."""
    paths = [path for path in store.paths("events") if game_of(path) == game]
    if not paths:
        raise ExportError(f"there is no hand of {game} in {store.root}, so there is nothing to write")
    return paths
