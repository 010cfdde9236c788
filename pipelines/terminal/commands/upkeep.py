"""Commands that maintain a store."""

from typing import TYPE_CHECKING, Annotated, Final

import typer
from typer import Option

from cardlog.pipelines.terminal.console import fail, say, working
from cardlog.pipelines.terminal.options import PROBLEMS, Asked, DryRunOption, listed
from cardlog.pipelines.visible import one_line

if TYPE_CHECKING:
    from cardlog.pipelines.upkeep.forget import Forgotten

MIB: Final = 2**20


def vacuum(
    older_than: Annotated[float, Option(min=0, metavar="HOURS", help="Only files older than this.")] = 24.0,
    dry_run: DryRunOption = False,
    *,
    on: Asked,
) -> None:
    """Remove files that no table refers to, left by killed runs and overlapping logs."""
    from cardlog.pipelines.upkeep.vacuum import vacuum as vacuum_store

    found = vacuum_store(on.open(), older_than * 3600, dry_run)
    total = sum(size for _, size in found)
    files = [{"path": path, "bytes": size} for path, size in found]
    done = {"removed": not dry_run, "files": len(found), "bytes": total}
    if on.is_json({"removed": not dry_run, "files": files}, done):
        return
    for path, size in found:
        print(f"{size:>12,}  {one_line(path)}")
    say(f"{'Would remove' if dry_run else 'Removed'} {len(found):,} files, {total / MIB:,.1f} MiB.")


def compact(dry_run: DryRunOption = False, *, on: Asked) -> None:
    """Put many small data files into few large ones; no row changes."""
    from cardlog.pipelines.upkeep import compact as compacting

    opened = on.open()
    with working("cardlog merges small files"):
        found = compacting.compact(opened, dry_run=dry_run)
    done = {"compacted": not dry_run, "tables": [vars(table) for table in found]}
    if on.is_json(done, done):
        return
    listed([
        {"table": t.table, "files before": t.before, "files after": t.after, "MiB": f"{t.bytes / MIB:,.1f}"}
        for t in found
    ])  # fmt: skip
    before, after = sum(table.before for table in found), sum(table.after for table in found)
    say(f"{'Would put' if dry_run else 'Put'} {before:,} data files into {after:,}.")


def verify(on: Asked) -> None:
    """Check every data file against its digest, and the tables against each other."""
    from cardlog.pipelines.upkeep.verify import verify as verify_store

    opened = on.open()
    with working("cardlog reads all files of the store"):
        found = verify_store(opened)
    if not on.is_json(found.as_json(), found.as_json()):
        for problem in found.problems:
            print(f"{problem.place}: {problem.what}; {problem.advice}")
        say(f"Verified {found.files:,} data files, {found.bytes / MIB:,.1f} MiB.")
        if found.orphans:
            orphans = f"{found.orphans:,}, {found.orphan_bytes / MIB:,.1f} MiB"
            say(f"Files that belong to no table: {orphans}; 'cardlog vacuum' removes them.")
        say(f"Problems: {len(found.problems):,}." if found.problems else "The store is sound.")
    if found.problems:
        raise typer.Exit(PROBLEMS)


def forget(
    player: Annotated[str | None, Option(metavar="NAME", help="Replace a player's name.")] = None,
    hand: Annotated[str | None, Option(metavar="ID", help="Remove a hand: its id or its key.")] = None,
    dataset: Annotated[str | None, Option(help="Remove all hands of a data set.")] = None,
    older_than: Annotated[float | None, Option(min=0, metavar="DAYS", help="Remove older hands.")] = None,
    dry_run: DryRunOption = False,
    *,
    on: Asked,
) -> None:
    """Erase hands or a player's name from the store for good."""
    from cardlog.pipelines.sql import hand_lookup
    from cardlog.pipelines.sql.held_back import HeldBack
    from cardlog.pipelines.upkeep import forget as forgetting

    opened = on.open()
    wanted = forgetting.Wanted(player, hand and hand_lookup.id_of(opened, hand), dataset, older_than)
    with working("cardlog looks for what is to be erased"):
        found = forgetting.forget(opened, wanted, dry_run=dry_run)
    done = {"erased": not dry_run, **vars(found)}
    if not on.is_json(done, done):
        _report_erasure(found, dry_run)
    if found.marts_removed and not dry_run:
        try:
            with working("dbt builds and tests the marts"):
                forgetting.build_again(opened)
        except HeldBack as error:
            fail(str(error), PROBLEMS)


def _report_erasure(found: "Forgotten", dry_run: bool) -> None:
    if not found.files:
        say("There is nothing to erase.")
    else:
        verb = "change" if found.kind == "player" else "remove"
        say(
            f"{f'Would {verb}' if dry_run else f'{verb}d'.capitalize()} {found.hands:,} hands of "
            f"{found.events:,} events, and {found.quarantined:,} in quarantine, in data files of "
            f"{found.bytes / MIB:,.1f} MiB: {found.files:,}."
        )
    if found.removed:
        say(f"Removed {found.removed:,} files that could have had what was erased.")
