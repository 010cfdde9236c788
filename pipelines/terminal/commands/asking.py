"""Commands that query and show what is stored, and what cardlog knows."""

import sys
from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Option

from cardlog.pipelines.screen import write_lines
from cardlog.pipelines.terminal.answers import Answering, Output, answer, standard_input
from cardlog.pipelines.terminal.console import draw, fail, plain, say
from cardlog.pipelines.terminal.options import Asked, HandArgument, OnStore, Printing, listed
from cardlog.pipelines.uncompiled import run_uncompiled


def query(
    sql: Annotated[str, Argument(metavar="SQL", help="One query, or - for stdin; try 'show tables'.")],
    file: Annotated[Path | None, Option(help="Write to this new file instead of stdout.")] = None,
    *,
    how: Answering,
    on: OnStore,
) -> None:
    """Query the tables and marts in SQL, read-only."""
    answer(on.open(), standard_input() if sql == "-" else sql, how, file)


def shell(how: Answering, on: OnStore) -> None:
    """Query at a prompt, with completion and history; or run the statements on standard input."""
    from cardlog.pipelines.terminal import shell

    if how.output is Output.parquet:
        fail("--output parquet is for 'cardlog query' with --file OUT")
    on.open()
    (shell.talk if sys.stdin.isatty() and sys.stdout.isatty() else shell.read)(on.open, how)


def show(
    hand_id: HandArgument,
    raw: Annotated[bool, Option("--raw", help="Print the source lines it was read from.")] = False,
    analyse: Annotated[bool, Option("--analyse", help="Also show what each card cost.")] = False,
    *,
    on: OnStore,
) -> None:
    """Draw one hand, trick by trick."""
    if not raw and not analyse:
        run_uncompiled()  # for one hand that takes milliseconds
    from cardlog.pipelines.sql import hand_lookup
    from cardlog.pipelines.storage.moment import pinned
    from cardlog.pipelines.terminal import drawings

    opened = pinned(on.open(), ["events", "ingests"])
    batch = hand_lookup.find(opened, hand_id)
    if raw:
        from cardlog.pipelines.ingest.lineage import raw_lines

        sys.stdout.write(raw_lines(opened, batch))  # escapes it
    else:
        draw(drawings.hand(batch))
        if analyse:
            from cardlog.pipelines.terminal.drawings import analysis

            draw(analysis.drawn(analysis.costs(batch)))


def status(on: Asked) -> None:
    """Show what the store holds, and whether tables and marts are up to date."""
    from cardlog.pipelines.upkeep.status import status as status_of

    found = status_of(on.open())
    if on.is_json(found):
        return
    draw(f"[bold]{plain(found['store'])}[/]")
    tables = found["tables"].items()
    listed([{"table": name, **t, "rows": f"{t['rows']:,}", "files": f"{t['files']:,}"} for name, t in tables],
           ["table", "rows", "files", "version", "state"])  # fmt: skip
    counts, kept, gone = found["hands"], found["quarantine"], found["erased"]
    draw(
        f"\nhands: {counts['hands_read']:,} read = {counts['hands_stored']:,} stored "
        f"({counts['hands_aborted']:,} broken off) + {counts['duplicates']:,} duplicates "
        f"+ {counts['quarantined']:,} quarantined"
    )
    draw(
        f"in quarantine: {kept['waiting']:,} hands, {kept['incomplete']:,} of them incomplete; "
        f"{kept['stored_since']:,} more were stored since"
    )
    if gone["erasures"]:
        draw(
            f"erased since, in {gone['erasures']:,} erasures: {gone['hands']:,} hands, "
            f"{gone['entries']:,} in quarantine"
        )
    draw(f"sources: {found['sources']:,} · marts: {found['marts']}")


def quarantine_list(
    reason: Annotated[str | None, Option(help="Only hands with this reason.")] = None,
    limit: Annotated[int, Option(min=1, help="List at most this many.")] = 20,
    *,
    on: Asked,
) -> None:
    """Count the hands in quarantine by reason, and list some of them."""
    from cardlog.pipelines.storage.moment import pinned
    from cardlog.pipelines.upkeep import quarantine

    opened = pinned(on.open(), ["events", "ingests", "quarantine"])
    counts, entries = quarantine.counts(opened, reason), quarantine.entries(opened, reason, limit)
    if on.is_json({"reasons": counts, "entries": entries}):
        return
    if not counts:
        say("Quarantine is empty.")
        return
    since = ["stored_since"] if any(count["stored_since"] for count in counts) else []
    listed(counts, ["reason", "hands", *since, "meaning"])
    print()
    listed(entries, ["quarantine_id", "reason", "where", "message"])
    total = sum(count["hands"] for count in counts)
    if len(entries) < total:
        say(f"{len(entries):,} of {total:,} are listed; --limit N lists more, --reason CODE some.")


def quarantine_show(
    quarantine_id: Annotated[str, Argument(metavar="ID", help="The entry's id, or its first digits.")],
    *,
    on: Asked,
) -> None:
    """Show one hand in quarantine: what is wrong, its source and its text."""
    from cardlog.pipelines.sql.quarantined import MEANINGS
    from cardlog.pipelines.upkeep import quarantine

    found: dict[str, Any] = quarantine.entry(on.open(), quarantine_id)
    if on.is_json(found):
        return
    draw(f"[bold yellow]{found['reason']}[/]  {plain(found['message'])}")
    found["status"] += f": {MEANINGS[found['status']]}"
    names = [
        "quarantine_id", "game", "hand_id", "format", "dataset", "source_path", "source_id", "where", "status"
    ]  # fmt: skip
    write_lines(sys.stdout, names, [[str(found[name] or "") for name in names]])
    print()
    print(found["raw"])


def formats(on: Printing) -> None:
    """List the log formats that can be read."""
    from cardlog.pipelines import readers

    found = [{"format": name, "reads": readers.get(name).SUMMARY} for name in readers.FORMATS]
    if not on.is_json(found):
        listed(found)


def games(on: Printing) -> None:
    """List the games."""
    from cardlog import models

    found = [{"game": name, "about": models.game(name).summary} for name in models.GAMES]
    if not on.is_json(found):
        listed(found)
