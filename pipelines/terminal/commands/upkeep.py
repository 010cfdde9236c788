"""Commands that maintain a store."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer
from typer import Argument, Option

from cardlog.pipelines.terminal.console import ask, fail, plain, progress, say, working
from cardlog.pipelines.terminal.options import PROBLEMS, CommonOptions, DryRunOption, print_table
from cardlog.pipelines.text.visible import one_line
from cardlog.pipelines.upkeep.wanted import Wanted

if TYPE_CHECKING:
    from cardlog.pipelines.upkeep.forget import Forgotten

MIB: Final = 2**20


def vacuum(
    older_than: Annotated[float, Option(min=0, metavar="HOURS", help="Only files older than this.")] = 24.0,
    dry_run: DryRunOption = False,
    *,
    on: CommonOptions,
) -> None:
    """Remove files that no table refers to, left by killed runs and overlapping logs."""
    from cardlog.pipelines.upkeep import vacuum as vacuuming

    files = vacuuming.vacuum(on.open(), vacuuming.seconds_of(older_than, 3600), dry_run)
    total = sum(size for _, size in files)
    listing = {"removed": not dry_run, "files": [{"path": path, "bytes": size} for path, size in files]}
    if on.print_json(listing, {"removed": not dry_run, "files": len(files), "bytes": total}):
        return
    for path, size in files:
        print(f"{size:>12,}  {one_line(path)}")
    say(f"{'Would remove' if dry_run else 'Removed'} {len(files):,} files, {total / MIB:,.1f} MiB.")


def compact(dry_run: DryRunOption = False, *, on: CommonOptions) -> None:
    """Put many small data files into few large ones; no row changes."""
    from cardlog.pipelines.upkeep import compact as compacting

    opened = on.open()
    with working("cardlog merges small files"):
        tables = compacting.compact(opened, dry_run=dry_run)
    done = {"compacted": not dry_run, "tables": [vars(table) for table in tables]}
    if on.print_json(done, done):
        return
    print_table([
        {"table": t.table, "files before": t.before, "files after": t.after, "MiB": f"{t.bytes / MIB:,.1f}"}
        for t in tables
    ])  # fmt: skip
    before, after = sum(table.before for table in tables), sum(table.after for table in tables)
    say(f"{'Would put' if dry_run else 'Put'} {before:,} data files into {after:,}.")


def verify(on: CommonOptions) -> None:
    """Check every data file against its digest, and the tables against each other."""
    from cardlog.pipelines.upkeep.verify import verify as verify_store

    opened = on.open()
    with working("cardlog reads all files of the store"):
        report = verify_store(opened)
    if not on.print_json(report.as_json(), report.as_json()):
        for problem in report.problems:
            print(f"{problem.place}: {problem.what}; {problem.advice}")
        say(f"Verified {report.files:,} data files, {report.bytes / MIB:,.1f} MiB.")
        if report.orphans:
            orphans = f"{report.orphans:,}, {report.orphan_bytes / MIB:,.1f} MiB"
            say(f"Files that belong to no table: {orphans}; 'cardlog vacuum' removes them.")
        say(f"Problems: {len(report.problems):,}." if report.problems else "The store is sound.")
    if report.problems:
        raise typer.Exit(PROBLEMS)


def forget(
    what: Wanted,
    play: Annotated[
        Path | None, Option(metavar="DIR", help="Folder of the tables of 'serve --play'.")
    ] = None,
    yes: Annotated[bool, Option("--yes", help="Erase without asking, for programs.")] = False,
    dry_run: DryRunOption = False,
    *,
    on: CommonOptions,
) -> None:
    """Erase hands or a player's name from the store for good."""
    from cardlog.pipelines import operations
    from cardlog.pipelines.storage import journal
    from cardlog.pipelines.upkeep import hand_to_erase

    opened = on.open()
    if play is not None and not journal.exists(play):
        say(f"{plain(play)} has no journal of tables.")
    if what.hand is not None:
        what = replace(what, hand=(hand_id := hand_to_erase.id_of(opened, what.hand)))
        say(plain(hand_to_erase.described(opened, hand_id)))
    erase = partial(operations.forget, opened, what, play=play, watch=progress)
    erased = erase(dry_run=dry_run or not yes)
    if not (dry_run or yes):
        if not erased.is_nothing:
            _report_erasure(erased, dry_run=True)
            ask("Erase this for good?")
        erased = erase()
    done = {"erased": not dry_run, **vars(erased)}
    del done["failed"]
    if not on.print_json(done, done):
        _report_erasure(erased, dry_run)
    if erased.failed:
        fail(str(erased.failed), PROBLEMS)


def _report_erasure(erased: "Forgotten", dry_run: bool) -> None:
    from cardlog.pipelines.sql.known_names import typed

    verb = "change" if erased.kind == "player" else "remove"
    verb = f"Would {verb}" if dry_run else f"{verb}d".capitalize()
    if erased.is_nothing:
        say("There is nothing to erase" + plain(erased.why_nothing and f": {erased.why_nothing}") + ".")
    if erased.files:
        say(
            f"{verb} {erased.hands:,} hands of {erased.events:,} events, and {erased.quarantined:,} in "
            f"quarantine, in data files of {erased.bytes / MIB:,.1f} MiB: {erased.files:,}."
        )
    if erased.tables:
        say(f"{verb} {erased.tables:,} tables, and files of hands, of 'cardlog serve'.")
    if erased.lines:
        say(f"{verb} {erased.lines:,} lines of aliases.csv and notes of 'quarantine resolve'.")
    for form in () if erased.is_nothing else erased.other_forms:
        say(
            "There is this name in another spelling, which is another name; for it, give "
            + plain(f"--{erased.kind} {typed(form)}")
        )
    if erased.removed:
        say(f"Removed {erased.removed:,} files that could have had what was erased.")


def quarantine_resolve(
    ids: Annotated[
        list[str] | None,
        Argument(metavar="ID…", help="Keys of hands, or whole ids of entries."),
    ] = None,
    reason: Annotated[str | None, Option(help="All hands with this reason.")] = None,
    everything: Annotated[bool, Option("--all", help="All hands.")] = False,
    note: Annotated[str, Option(metavar="TEXT", help="Why, for 'quarantine show'.")] = "",
    *,
    on: CommonOptions,
) -> None:
    """Say of hands in quarantine that they need nothing more: they alarm nobody."""
    from cardlog.pipelines.upkeep import quarantine

    resolved = quarantine.resolve(on.open(), ids or (), reason=reason, everything=everything, note=note)
    if not on.print_json({"resolved": resolved}):
        say(f"Resolved: {resolved:,} hands." if resolved else "There is nothing to resolve.")
