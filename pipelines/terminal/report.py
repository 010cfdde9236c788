"""The commands' results: as text for a person, or as JSON for a program."""

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from cardlog.pipelines.sql.quarantined import MEANINGS
from cardlog.pipelines.terminal.console import plain, rows_table, say, stdout
from cardlog.pipelines.terminal.run import CURRENT
from cardlog.pipelines.terminal.streams import data
from cardlog.pipelines.visible import json_text, one_line

if TYPE_CHECKING:
    from cardlog.models.play_off import PlayOff
    from cardlog.pipelines.runs import IngestResult
    from cardlog.pipelines.sql.held_back import HeldBack
    from cardlog.pipelines.upkeep.compact import Compacted
    from cardlog.pipelines.upkeep.forget import Forgotten
    from cardlog.pipelines.upkeep.verify import Report

TERMINAL_ROWS: Final = 100
"""Rows of a query shown on a terminal."""
MANY_ROWS: Final = 1_000_000
KNOWN: Final = "this content is in the store already"


def most_rows(file: Path | None) -> int:
    """How many rows to print: few on a terminal, as many as fit in memory elsewhere."""
    return TERMINAL_ROWS if file is None and sys.stdout.isatty() else MANY_ROWS


def _print_json(value: Any) -> None:
    """Print JSON; an object also says how long the run took, and the store's versions and size."""
    if isinstance(value, dict):
        value = {**value, "run": CURRENT.as_dict()}
    data().write(json_text(value, indent=2) + "\n")


def ingest(result: "IngestResult", store: str, as_json: bool, nothing: str = "Nothing new to read.") -> None:
    """What an ingest read, stored and quarantined; `nothing` is the message if it did nothing."""
    counts = result.counts
    CURRENT.result = {"ingest_id": result.ingest_id, **vars(counts), "bytes_read": result.bytes_read}
    if as_json:
        skipped: list[dict[str, str | None]] = [
            {"path": file.source.path, "source_id": file.source.source_id, "reason": KNOWN}
            for file in result.skipped
        ]
        skipped += [
            {"path": path, "source_id": None, "reason": reason} for path, reason in result.passed_over
        ]
        _print_json({**CURRENT.result, "sources": result.rows, "skipped": skipped})
        return
    for path, reason in [*((file.source.path, KNOWN) for file in result.skipped), *result.passed_over]:
        say(f"[dim]skipped[/] {plain(path)}: {reason}")
    if not result.rows:
        say(nothing)
        return
    aborted = f" ({counts.hands_aborted:,} of them broken off)" if counts.hands_aborted else ""
    say(
        f"Read [bold]{counts.hands_read:,}[/] hands from {len(result.rows)} "
        f"{'file' if len(result.rows) == 1 else 'files'}: "
        f"[green]{counts.hands_stored:,} stored[/]{aborted}, {counts.duplicates:,} duplicates, "
        f"[{'yellow' if counts.quarantined else 'dim'}]{counts.quarantined:,} quarantined[/]."
    )
    if counts.quarantined:
        say(f"See them: cardlog quarantine list{_store(store)}")
    if counts.hands_stored:
        say(f"Next: cardlog build{_store(store)}")


def _store(store: str) -> str:
    return "" if store == "./store" else f" --store {plain(shlex.quote(store))}"


def build(
    rows: dict[str, int], marts: bool, models: int | None, failed: "HeldBack | None", as_json: bool
) -> None:
    """The row counts of the projections, and the result of building the marts."""
    outcome = failed.outcome.as_json() if failed else {"failed": [], "stale": {}}
    CURRENT.result = {"rows": rows, "dbt_models": models, **outcome}
    if as_json:
        _print_json(CURRENT.result)
        return
    say("Built: " + ", ".join(f"{name} [bold]{count:,}[/] rows" for name, count in rows.items()) + ".")
    if failed:
        say(f"dbt built {models} models.")
    elif marts:
        up_to_date = "The marts are up to date."
        say(up_to_date if models is None else f"dbt built {models} models; all data tests pass.")


def wrote(count: int, what: str, out: str) -> None:
    """How much was written, and where."""
    if out != "-":
        say(f"Wrote [bold]{count:,}[/] {what} to {plain(out)}.")


def left_out(hidden: dict[str, int]) -> None:
    """How many decisions of each kind were left out because cards are hidden."""
    if hidden:
        counts = ", ".join(f"{count:,} of kind {kind}" for kind, count in hidden.items())
        say(
            f"Left out, because the log hides the player's own cards: {counts}; "
            "--include-hidden-cards includes them."
        )


def listing(found: list[dict[str, str]], as_json: bool) -> None:
    """A list, one entry per line."""
    if as_json:
        _print_json(found)
    else:
        rows_table(list(found[0]), [list(entry.values()) for entry in found], False)


def play_off(found: "PlayOff", sides: tuple[str, str], as_json: bool) -> None:
    """Wins and points of both sides, with confidence intervals."""
    if as_json:
        _print_json({"a": sides[0], "b": sides[1], **found.as_dict()})
        return
    mirrored = (
        (found.won, found.share, found.points),
        (found.lost, found.share.mirrored(1), found.points.mirrored(0)),
    )
    rows_table(
        ["", "player", "hands won", "share of hands", "points a hand"],
        [
            [side, name, f"{won:,}", share.text(".1%"), points.text("+.2f")]
            for side, name, (won, share, points) in zip("AB", sides, mirrored, strict=True)
        ],
        False,
    )
    stdout().print(
        f"{found.deals:,} deals, {found.hands:,} hands, {found.drawn:,} drawn; 95 % intervals over deals",
        highlight=False,
    )


def status(found: dict[str, Any], as_json: bool) -> None:
    """What the store holds."""
    if as_json:
        _print_json(found)
        return
    out = stdout()
    out.print(f"[bold]{plain(found['store'])}[/]", highlight=False)
    rows_table(
        ["table", "rows", "files", "version", "state"],
        [
            [name, f"{t['rows']:,}", f"{t['files']:,}", str(t["version"]), t["state"]]
            for name, t in found["tables"].items()
        ],
        False,
    )
    counts = found["hands"]
    out.print(
        f"\nhands: {counts['hands_read']:,} read = {counts['hands_stored']:,} stored "
        f"({counts['hands_aborted']:,} broken off) + {counts['duplicates']:,} duplicates "
        f"+ {counts['quarantined']:,} quarantined",
        highlight=False,
    )
    kept = found["quarantine"]
    if any(kept.values()):
        out.print(
            f"in quarantine: {kept['waiting']:,} hands, {kept['incomplete']:,} of them incomplete; "
            f"{kept['stored_since']:,} more were stored since",
            highlight=False,
        )
    gone = found["erased"]
    if gone["erasures"]:
        out.print(
            f"erased since, in {gone['erasures']:,} erasures: {gone['hands']:,} hands, "
            f"{gone['entries']:,} in quarantine",
            highlight=False,
        )
    out.print(f"sources: {found['sources']:,} · marts: {found['marts']}", highlight=False)


def vacuum(found: list[tuple[str, int]], dry_run: bool, as_json: bool) -> None:
    """Which files were removed."""
    total = sum(size for _, size in found)
    CURRENT.result = {"removed": not dry_run, "files": len(found), "bytes": total}
    if as_json:
        files = [{"path": path, "bytes": size} for path, size in found]
        _print_json({"removed": not dry_run, "files": files})
        return
    for path, size in found:
        print(f"{size:>12,}  {one_line(path)}")
    say(f"{'Would remove' if dry_run else 'Removed'} {len(found):,} files, {total / 2**20:,.1f} MiB.")


def compact(found: list["Compacted"], dry_run: bool, as_json: bool) -> None:
    """How many data files each table had, and has."""
    CURRENT.result = {"compacted": not dry_run, "tables": [vars(table) for table in found]}
    if as_json:
        _print_json(CURRENT.result)
        return
    rows_table(
        ["table", "files before", "files after", "MiB"],
        [[t.table, f"{t.before:,}", f"{t.after:,}", f"{t.bytes / 2**20:,.1f}"] for t in found],
        False,
    )
    before, after = sum(table.before for table in found), sum(table.after for table in found)
    say(f"{'Would put' if dry_run else 'Put'} {before:,} data files into {after:,}.")


def forget(found: "Forgotten", dry_run: bool, as_json: bool) -> None:
    """What was erased."""
    CURRENT.result = {"erased": not dry_run, **vars(found)}
    if as_json:
        _print_json(CURRENT.result)
        return
    if not found.files:
        say("There is nothing to erase.")
    else:
        verb = "changed" if found.kind == "player" else "removed"
        files, were = ("1 data file", "was") if found.files == 1 else (f"{found.files:,} data files", "were")
        verb, were = (f"Would have {verb}", "would be") if dry_run else (verb.capitalize(), were)
        size = f"{found.bytes / 2**20:,.1f} MiB"
        say(
            f"{verb} {found.hands:,} hands of {found.events:,} events, and {found.quarantined:,} in "
            f"quarantine; {files}, {size}, {were} written anew."
        )
    if found.removed:
        say(f"Removed {found.removed:,} files that could have had what was erased.")
    for path in found.left:
        print(f"{one_line(path)} still says what was erased")
    if found.searched and not found.left:
        say(f"Read {found.searched:,} files of the store: none says what was to be erased.")


def verify(found: "Report", as_json: bool) -> None:
    """The problems found in a store."""
    CURRENT.result = found.as_json()
    if as_json:
        _print_json(CURRENT.result)
        return
    for problem in found.problems:
        print(f"{problem.place}: {problem.what}; {problem.advice}")
    say(f"Verified {found.files:,} data files, {found.bytes / 2**20:,.1f} MiB.")
    if found.orphans:
        size = f"{found.orphan_bytes / 2**20:,.1f} MiB"
        files = "1 file belongs" if found.orphans == 1 else f"{found.orphans:,} files belong"
        say(f"{files} to no table, {size}; 'cardlog vacuum' removes them.")
    say(f"Problems: {len(found.problems):,}." if found.problems else "The store is sound.")


def quarantine(counts: list[dict[str, Any]], entries: list[dict[str, Any]], as_json: bool) -> None:
    """The hands in quarantine: counts by reason, and some entries."""
    if as_json:
        _print_json({"reasons": counts, "entries": entries})
        return
    if not counts:
        say("Quarantine is empty.")
        return
    names = ["reason", "hands", "stored_since", "meaning"]
    if not any(count["stored_since"] for count in counts):
        names.remove("stored_since")
    rows_table(names, [[str(count[name]) for name in names] for count in counts], False)
    print()
    names = ["quarantine_id", "reason", "where", "message"]
    rows_table(names, [[str(entry[name]) for name in names] for entry in entries], False)
    total = sum(count["hands"] for count in counts)
    if len(entries) < total:
        say(f"{len(entries):,} of {total:,} are listed; --limit N lists more, --reason CODE some.")


def entry(found: dict[str, Any], as_json: bool) -> None:
    """One hand in quarantine."""
    if as_json:
        _print_json(found)
        return
    out = stdout()
    out.print(f"[bold yellow]{found['reason']}[/]  {plain(found['message'])}", highlight=False)
    for name in (
        "quarantine_id",
        "game",
        "hand_id",
        "format",
        "dataset",
        "source_path",
        "source_id",
        "where",
    ):
        out.print(
            f"[dim]{name:>14}[/]  {plain(found[name] if found[name] is not None else '')}",
            highlight=False,
        )
    out.print(f"[dim]{'status':>14}[/]  {found['status']}: {MEANINGS[found['status']]}", highlight=False)
    print()
    print(found["raw"])
