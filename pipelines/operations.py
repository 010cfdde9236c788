"""What can be done with a store: one function for each operation, with one result, which the command line,
Python and the page call."""

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import pyarrow as pa

from cardlog import models
from cardlog.pipelines import runs
from cardlog.pipelines.derive import derive as building
from cardlog.pipelines.errors import as_our_own
from cardlog.pipelines.export.export import export as export
from cardlog.pipelines.ingest.reading import BY_DEFAULT, Reading
from cardlog.pipelines.rehearsal import rehearsed
from cardlog.pipelines.runs import Ingested
from cardlog.pipelines.runtime.progress import Watch, no_watch
from cardlog.pipelines.sql import marts as dbt
from cardlog.pipelines.sql import user_project, warehouse
from cardlog.pipelines.sql.held_back import HeldBack
from cardlog.pipelines.storage.store import Store, StoreError
from cardlog.pipelines.upkeep import compact, hand_to_erase, quarantine
from cardlog.pipelines.upkeep import forget as erasing
from cardlog.pipelines.upkeep.forget import Forgotten
from cardlog.pipelines.upkeep.left_out import LeftOut, left_out
from cardlog.pipelines.upkeep.wanted import Wanted
from cardlog.schemas.errors import CardlogError
from cardlog.schemas.tables import ANALYSES


@dataclass(frozen=True)
class Built:
    """The result of a build.

    rows
        Number of rows of each derived table.
    models
        Number of dbt models built; None if the marts were up to date or not requested.
    left_out
        Stored hands that could not be projected, at most ten.
    failed
        The models or data tests that failed, and the games that were held back because of it.
    unmerged
        Why small files that have piled up were not merged, if that failed.
    warnings
        What data tests of the user's dbt project found whose severity is to warn.
    """

    rows: dict[str, int]
    models: int | None
    left_out: list[LeftOut]
    failed: HeldBack | None = None
    unmerged: str = field(default="", repr=False)
    warnings: list[str] = field(default_factory=list, repr=False)


@dataclass(frozen=True)
class Analysed:
    """The rows of each table of the analysis, and whether a build has to bring them to the marts."""

    rows: dict[str, int]
    marts_are_due: bool


def ingest(
    store: Store,
    paths: Sequence[str],
    how: Reading = BY_DEFAULT,
    *,
    dry_run: bool = False,
    beam_options: Sequence[str] = (),
    watch: Watch = no_watch,
) -> Ingested:
    """Read logs into a store as `runs.ingest` does, and merge small files if they have piled up.

    dry_run
        Store nothing; `rejects` has what would go to quarantine.
    """
    with rehearsed(store) if dry_run else nullcontext(store) as tables:
        result = runs.ingest(tables, list(paths), how, beam_options=beam_options, watch=watch)
        if result.ingest_id is None:
            return result
        if dry_run:
            return replace(result, rejects=quarantine.entries_of(tables, result.ingest_id))
    return replace(result, unmerged=_merge(store, watch))


def build(
    store: Store,
    *,
    afresh: bool = False,
    marts: bool = True,
    project: str | None = None,
    beam_options: Sequence[str] = (),
    watch: Watch = no_watch,
) -> Built:
    """Bring the derived tables up to date, or build them from scratch; then the marts, if they are due.

    project
        Folder of a dbt project of the user's own that this build and all later ones build, too; '' for none.

    Raises StoreError if the store can't be read or written; DbtError like `marts.build`, but for failures
    that hold back games, which the result has.
    """
    if project is not None:
        user_project.remember(warehouse.path_of(store), project)
    rows = runs.build(store, afresh=afresh, beam_options=beam_options, watch=watch)
    unmerged = _merge(store, watch)
    models, failed, warnings = None, None, []
    has_project = user_project.remembered(warehouse.path_of(store)) or warehouse.note_of(store).get("project")
    if marts and (afresh or has_project or not warehouse.is_current(store)):
        try:
            pa.default_memory_pool().release_unused()  # what Arrow kept, for DuckDB
            with watch("dbt builds and tests the marts", "", 0):
                models = dbt.build(store, afresh=afresh)
        except HeldBack as error:
            models, failed = error.models, error
        warnings = (warehouse.note_of(store).get("project") or {}).get("warnings", [])
    return Built(rows, models, left_out(store), failed, unmerged, warnings)


def analyse(
    store: Store,
    game: str | None = None,
    known: int = 0,
    *,
    beam_options: Sequence[str] = (),
    watch: Watch = no_watch,
) -> Analysed:
    """Analyse the hands that are not analysed yet, in all games that have a solver or in one.

    known
        The number of deals, consistent with what a seat knew, over which `cost_known` is averaged, also for
        hands that are analysed already; 0 to leave it out.

    Raises StoreError like `build`, CardlogError if the game has no solver.
    """
    solvable = [each.name for each in models.GAMES.values() if each.has_solver]
    if game and game not in solvable:
        raise CardlogError(f"{game} has no solver; these have: {', '.join(solvable)}")
    for name in [game] if game else solvable:
        planned = partial(building.plan, store, tuple(ANALYSES), known > 0, name, known)
        runs.build_planned(store, planned, beam_options, watch)
    return Analysed({name: store.rows(name) for name in ANALYSES}, not warehouse.is_current(store))


def forget(
    store: Store,
    wanted: Wanted,
    *,
    play: Path | None = None,
    dry_run: bool = False,
    watch: Watch = no_watch,
) -> Forgotten:
    """Erase hands or a name as `forget.forget` does, and build the marts again if there were any.

    Raises HandNotFound if no hand has the key, or more than one.
    """
    if wanted.hand is not None:
        wanted = replace(wanted, hand=hand_to_erase.id_of(store, wanted.hand))
    with watch("cardlog looks for what is to be erased" if dry_run else "cardlog erases it", "", 0):
        erased = erasing.forget(store, wanted, dry_run=dry_run, play=play)
    if dry_run or not erased.marts_removed:
        return erased
    try:
        with as_our_own():
            return replace(erased, failed=build(store, watch=watch).failed)
    except CardlogError as error:  # also for a full disk: what is erased is reported all the same
        return replace(erased, failed=error)


def _merge(store: Store, watch: Watch) -> str:
    """Merge small files that have piled up; returns what went wrong, if anything did, since that fails no
    operation."""
    try:
        if compact.is_piled_up(store):
            with watch("cardlog merges small files", "", 0):
                compact.compact(store, piled_up=True)
    except StoreError as error:
        return str(error)
    return ""
