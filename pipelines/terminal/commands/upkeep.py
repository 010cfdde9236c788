"""Commands that maintain a store."""

from typing import Annotated, Any

import typer

from cardlog.pipelines.terminal import report
from cardlog.pipelines.terminal.options import (
    DEFAULT_STORE,
    PROBLEMS,
    JsonOption,
    StoreOption,
    open_store,
)


def status(store: StoreOption = DEFAULT_STORE, as_json: JsonOption = False) -> None:
    """Show what the store holds, and whether tables and marts are up to date."""
    from cardlog.pipelines.upkeep.status import status as status_of

    report.status(status_of(open_store(store)), as_json)


def vacuum(
    older_than: Annotated[
        float, typer.Option(min=0, metavar="HOURS", help="Only files older than this many hours.")
    ] = 24.0,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only list what would be removed.")] = False,
    store: StoreOption = DEFAULT_STORE,
    as_json: JsonOption = False,
) -> None:
    """Remove files that no table refers to, left by killed runs and overlapping logs."""
    from cardlog.pipelines.upkeep.vacuum import vacuum as vacuum_store

    found = vacuum_store(open_store(store), older_than * 3600, dry_run)
    report.vacuum(found, dry_run, as_json)


def compact(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be done.")] = False,
    store: StoreOption = DEFAULT_STORE,
    as_json: JsonOption = False,
) -> None:
    """Put many small data files into few large ones; no row changes."""
    from cardlog.pipelines.terminal.console import working
    from cardlog.pipelines.upkeep import compact as compacting

    opened = open_store(store)
    with working("cardlog merges small files"):
        found = compacting.compact(opened, dry_run=dry_run)
    report.compact(found, dry_run, as_json)


def after_adding(store: Any, wanted: bool) -> None:
    """Compact what has piled up, once an ingest or a build is done; that one counts whatever comes of it."""
    from cardlog.pipelines.storage.store import StoreError
    from cardlog.pipelines.terminal.console import say, working
    from cardlog.pipelines.upkeep.piles import is_piled_up

    try:
        if wanted and is_piled_up(store):
            from cardlog.pipelines.upkeep import compact as compacting

            with working("cardlog merges small files"):
                compacting.compact(store, piled_up=True)
    except StoreError as error:
        say(f"Small files were not merged: {error}")


def verify(store: StoreOption = DEFAULT_STORE, as_json: JsonOption = False) -> None:
    """Check every data file against its digest, and the tables against each other."""
    from cardlog.pipelines.terminal.console import working
    from cardlog.pipelines.upkeep.verify import verify as verify_store

    opened = open_store(store)
    with working("cardlog reads all files of the store"):
        found = verify_store(opened)
    report.verify(found, as_json)
    if found.problems:
        raise typer.Exit(PROBLEMS)
