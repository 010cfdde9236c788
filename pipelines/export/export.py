"""Export: training data for programs that learn, and hands in the forms they can be read from.

plan → read pieces of events, encode, write blocks → one file, or shards and one manifest.
"""

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from cardlog import models
from cardlog.models.kaiser import rules as kaiser
from cardlog.pipelines import scratch
from cardlog.pipelines.errors import plain_errors
from cardlog.pipelines.export import costs, encoders, hand_filter, mixing, records, training
from cardlog.pipelines.export.minari_files import MINARI
from cardlog.pipelines.export.output import (
    STANDARD_OUTPUT,
    OutputError,
    check_format,
    filled,
    new_file,
    placed,
    watched,
)
from cardlog.pipelines.export.records import CSV, JSONL
from cardlog.pipelines.export.selection import Selection
from cardlog.pipelines.export.spec import ExportPlan, ExportSpec, Portion, ordered_portions, portions_of
from cardlog.pipelines.export.splits import parse_splits
from cardlog.pipelines.progress import Watch, no_watch
from cardlog.pipelines.sql.warehouse import as_of_marts
from cardlog.pipelines.storage.moment import PinnedStore, pinned
from cardlog.pipelines.storage.remote import is_remote, shared_folder
from cardlog.pipelines.storage.store import Store, game_of
from cardlog.pipelines.whole import draft_of
from cardlog.schemas.errors import CardlogError

LITTLE_ROWS: Final = 2_000_000
"""Events up to which an export is done in sequence, by the functions that the pipelines wire: importing
and starting Beam would take longer than the work. Options for Beam ask for it."""


class ExportError(CardlogError):
    """What was asked can't be exported; the text is for the user."""


def formats() -> dict[str, tuple[str, ...]]:
    """The forms there are, by name, and the games that each can hold."""
    every = tuple(models.GAMES)
    return {CSV: (kaiser.GAME,), JSONL: every, **dict.fromkeys(training.FORMS, every)}


def export(
    store: Store,
    game: str,
    format_name: str,
    out: str | Path,
    *,
    encoder: str = encoders.DEFAULT,
    seed: int = 0,
    splits: str | Sequence[int] = "80,10,10",
    order: str | None = None,
    selection: Selection | None = None,
    beam_options: Sequence[str] = (),
    watch: Watch = no_watch,
) -> int:
    """Write what the store has of a game to a file or folder, which is there whole or not at all.

    out
        A new file, or for training data a new or empty folder; also a URI. ``-`` is standard output, and a
        file that ends in ``.gz`` is compressed.
    encoder, seed, splits, order, selection
        For training data: what makes the observations, how hands are split into train, validation
        and test, in percentages, the order of the rows, one of `mixing.ORDERS` (default: `_order`), and which
        hands and seats count. The other forms hold every stored hand, and take no selection.
    beam_options
        Options for Beam. Workers on other machines must reach the store, or the folder that `out` is in.

    Returns how many rows, hands or events it has. Raises ExportError, naming what there is, for a game or
    format there is none of; and if there is nothing to write, or `out` is there or can't be written.
    """
    _check_is_outside(store, str(out))
    chosen = selection or Selection()
    try:
        check_format(game, format_name, formats(), "export")
        store = as_of_marts(store) if chosen.where is not None else pinned(store, {"events", "ingests"})
        paths = _paths(store, game)
        run = _Run(beam_options, watch)
        spec = ExportSpec(game, format_name, store.moment.versions["events"])
        if format_name in training.FORMS:
            named = encoders.encoder(game, encoder)
            hand_filter.check(chosen)
            spec = replace(
                spec, encoder=named.name, encoder_version=named.version, layout=named.layout,
                selection=chosen, seed=seed, splits=parse_splits(splits), order=_order(format_name, order),
            )  # fmt: skip
            return _export_rows(store, spec, portions_of(store, paths), str(out), run)
        _check_takes_all(format_name, chosen)
        portions = (ordered_portions if format_name == JSONL else portions_of)(store, paths)
        return _export_records(store, spec, portions, str(out), run)
    except OutputError as error:
        raise ExportError(str(error)) from error


def _check_takes_all(form: str, selection: Selection) -> None:
    """Raises OutputError if something is chosen of what is one file."""
    if selection != Selection():
        asked = ", ".join(selection.asked())
        raise OutputError(f"{form} has all hands of the store; {asked}: that is for training data")


def _order(form: str, order: str | None) -> str:
    """The order of training rows: mixed, unless they are episodes. Raises OutputError if that can't be."""
    if form == MINARI:
        if order == mixing.MIXED:
            raise OutputError("minari holds episodes, which keep the order of a hand; leave --order out")
        return mixing.HAND
    if order not in (None, *mixing.ORDERS):
        raise OutputError(f"order is {order!r}; it must be {' or '.join(mixing.ORDERS)}")
    return order or mixing.MIXED


def _export_rows(store: Store, spec: ExportSpec, portions: list[Portion], out: str, run: "_Run") -> int:
    """Fill a folder with training data."""
    root = run.shared_root(store, out)
    with filled(out, root) as folder, _folder_beside(out, root) as blocks, plain_errors():
        plan = _plan(store, spec, portions, blocks, folder)
        if spec.selection.where is not None:
            plan = replace(plan, chosen=f"{blocks}/chosen")
            with placed(f"{blocks}/chosen", blocks) as here:
                hand_filter.write_chosen(store, spec.selection, here)
        if spec.selection.has_costs:
            plan = replace(plan, costs=f"{blocks}/costs")
            with placed(f"{blocks}/costs", blocks) as here:
                costs.write(Store(store.root), spec.game, here)
        run.work(plan)
        return sum(training.rows_in(folder).values())


def _export_records(store: Store, spec: ExportSpec, portions: list[Portion], out: str, run: "_Run") -> int:
    """Write a form that is one file."""
    with new_file(out) as file, _folder_beside(out, run.shared_root(store, out)) as blocks, plain_errors():
        plan = _plan(store, spec, portions, blocks)
        run.work(plan)
        return records.join(plan, store, file)


class _Run(NamedTuple):
    """How an export is run."""

    beam_options: Sequence[str]
    watch: Watch

    def work(self, plan: ExportPlan) -> None:
        """Do what workers do: with Beam, or one thing after the other."""
        with watched(self.watch, "export", plan.rows) as tally:
            plan = replace(plan, tally=tally)
            if self.beam_options or plan.rows > LITTLE_ROWS:
                from cardlog.pipelines import beam_runs
                from cardlog.pipelines.export.transforms import export_pipeline

                beam_runs.run(partial(export_pipeline, plan=plan), self.beam_options)
            else:
                _in_sequence(plan)

    def shared_root(self, store: Store, out: str) -> str | None:
        """Where files are exchanged if workers may be on machines that reach nothing of this one: the root of
        a remote store, or the remote folder that `out` is in; else None."""
        remote = [root for root in (store.root, out.rpartition("/")[0]) if is_remote(root)]
        if not remote or not self.beam_options:
            return None
        from cardlog.pipelines.beam_runs import are_apart

        return remote[0] if are_apart(self.beam_options) else None


def _in_sequence(plan: ExportPlan) -> None:
    """Do in this process what `transforms.export_pipeline` wires."""
    if plan.spec.form not in training.FORMS:
        for portion in plan.portions:
            records.encode_portion(plan, portion)
        return
    blocks = [block for portion in plan.portions for block in training.encode_portion(plan, portion)]
    for shard in training.lay_out(plan, blocks):
        training.write_shard(plan, shard)
    training.describe(plan, blocks)


def _plan(
    store: Store, spec: ExportSpec, portions: list[Portion], blocks: str, folder: str = ""
) -> ExportPlan:
    sizes = store.sizes("events")
    rows = sum(sizes[path] for path in sizes if game_of(path) == spec.game)
    return ExportPlan(store.root, spec, folder, blocks, tuple(portions), rows)


@contextmanager
def _folder_beside(out: str, root: str | None) -> Iterator[str]:
    """A folder for blocks, where workers reach it: under a remote root, or beside what is written."""
    if root is not None:
        with shared_folder(root) as shared:
            yield shared.uri
        return
    if out == STANDARD_OUTPUT or is_remote(out):
        with scratch.folder() as folder:
            yield folder
        return
    draft = draft_of(Path(out))
    draft.mkdir()
    try:
        yield str(draft)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _check_is_outside(store: Store, out: str) -> None:
    """Raises ExportError for a file or folder inside the store, whatever links lead there."""
    if store.is_local and not is_remote(out):
        is_inside = out != STANDARD_OUTPUT and Path(out).resolve().is_relative_to(store.root)
    else:
        is_inside = f"{out}/".startswith(f"{store.root}/")
    if is_inside:
        raise ExportError(f"{out} is inside the store {store.root}, which holds nothing but its own files")


def _paths(store: PinnedStore, game: str) -> list[str]:
    """The data files of `events` to export. Raises ExportError if there are none."""
    paths = [path for path in store.paths("events") if game_of(path) == game]
    if not paths:
        raise ExportError(f"there is no hand of {game} in {store.root}, so there is nothing to write")
    return paths
