"""Commands that query and show what is stored, and list the formats and games."""

import sys
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Option

from cardlog.pipelines.runtime.uncompiled import run_uncompiled
from cardlog.pipelines.terminal.answers import BINARY, QueryOptions, answer, standard_input
from cardlog.pipelines.terminal.console import data, draw, fail, plain, say
from cardlog.pipelines.terminal.options import (
    HIGHEST,
    CommonOptions,
    HandArgument,
    OnStore,
    PrintOptions,
    print_table,
)
from cardlog.pipelines.terminal.run import CURRENT
from cardlog.pipelines.text.screen import write_lines
from cardlog.schemas.limits import MOST_HANDS


def query(
    sql: Annotated[str, Argument(metavar="SQL", help="One query, or - for stdin; try 'show tables'.")],
    file: Annotated[Path | None, Option(help="Write to this new file instead of stdout.")] = None,
    *,
    options: QueryOptions,
    on: OnStore,
) -> None:
    """Query the tables and marts in SQL, read-only."""
    store = on.open() if CURRENT.is_logged else on.store  # the query's process opens it
    answer(store, standard_input() if sql == "-" else sql, options, file)


def shell(options: QueryOptions, on: OnStore) -> None:
    """Query at a prompt, with completion and history; or run the statements on standard input."""
    from cardlog.pipelines.terminal import shell

    if options.output in BINARY:
        fail(f"--output {options.output} is for 'cardlog query' with --file OUT")
    on.open()
    run = shell.run_prompt if sys.stdin.isatty() and sys.stdout.isatty() else shell.run_standard_input
    run(on.open, options)


def show(
    hand_id: HandArgument,
    raw: Annotated[bool, Option("--raw", help="Print the source lines it was read from.")] = False,
    analyse: Annotated[bool, Option("--analyse", help="Also show what each card cost.")] = False,
    *,
    on: OnStore,
) -> None:
    """Draw one hand, trick by trick."""
    if not raw and not analyse:
        run_uncompiled()  # takes milliseconds for one hand
    from cardlog.pipelines.hands import drawing
    from cardlog.pipelines.hands.costs import costs
    from cardlog.pipelines.sql import hand_lookup
    from cardlog.pipelines.storage.moment import pinned

    opened = pinned(on.open(), ["events", "ingests"])
    batch = hand_lookup.find(opened, hand_id)
    if raw:
        from cardlog.pipelines.ingest.lineage import raw_lines

        sys.stdout.write(raw_lines(opened, batch))  # escapes it
    else:
        draw(drawing.hand(batch))
        if analyse:
            draw(drawing.cost_table(costs(batch)))


def odds(
    hands: Annotated[
        list[str], Argument(metavar="HAND…", help="Two to ten hands or ranges: AhKh, 'QQ+, A5s-A2s', random.")
    ],
    board: Annotated[str, Option(metavar="CARDS", help="The cards on the table, such as 2c7hTd.")] = "",
    dead: Annotated[str, Option(metavar="CARDS", help="Cards that can't be dealt any more.")] = "",
    samples: Annotated[
        int | None,
        Option(min=1, max=MOST_HANDS, help="Draw so many deals (default: count all, if that is quick)."),
    ] = None,
    seed: Annotated[int, Option(min=0, max=HIGHEST, help="Random seed.")] = 0,
    *,
    printing: PrintOptions,
) -> None:
    """Equity of hold'em hands and ranges against each other."""
    from cardlog.models.poker.odds import odds as odds_of

    found = odds_of(*hands, board=board, dead=dead, samples=samples, seed=seed)
    if printing.print_json(asdict(found)):
        return
    shares = ["equity", "win", "tie", *([] if found.exact else ["error"])]
    print_table(
        [
            {"hand": player.hand} | {name: f"{getattr(player, name):.2%}" for name in shares}
            for player in found.players
        ]
    )
    drawn = "all counted" if found.exact else "drawn at random; error: the standard error of the equity"
    print(f"{found.deals:,} deals, {drawn}")


class StatusFormat(StrEnum):
    """Formats of `status` for other programs."""

    openmetrics = "openmetrics"


def status(
    format: Annotated[StatusFormat | None, Option(help="Print it for Prometheus instead.")] = None,
    *,
    on: CommonOptions,
) -> None:
    """Show what the store holds, and whether tables and marts are up to date."""
    from cardlog.pipelines.upkeep.status import status as status_of

    report = status_of(on.open())
    if on.print_json(report):
        return
    if format is not None:
        from cardlog.pipelines.upkeep.openmetrics import openmetrics

        data().write(openmetrics(report))
        return
    draw(f"[bold]{plain(report['store'])}[/]")
    rows = [
        {"table": name, **table, "rows": f"{table['rows']:,}", "files": f"{table['files']:,}"}
        for name, table in report["tables"].items()
    ]
    print_table(rows, ["table", "rows", "files", "version", "state"])
    counts, bad, erased = report["hands"], report["quarantine"], report["erased"]
    draw(
        f"\nhands: {counts['hands_read']:,} read = {counts['hands_stored']:,} stored "
        f"({counts['hands_aborted']:,} broken off) + {counts['duplicates']:,} duplicates "
        f"+ {counts['quarantined']:,} quarantined"
    )
    resolved = f", {bad['resolved']:,} resolved" if bad["resolved"] else ""
    draw(
        f"in quarantine: {bad['waiting']:,} hands, {bad['incomplete']:,} of them incomplete; "
        f"{bad['stored_since']:,} more were stored since" + resolved
    )
    if erased["erasures"]:
        draw(
            f"erased since, in {erased['erasures']:,} erasures: {erased['hands']:,} hands, "
            f"{erased['entries']:,} in quarantine"
        )
    draw(f"sources: {report['sources']:,} · marts: {report['marts']}")
    for game, package in report["missing"].items():
        draw(f"{game}: its hands stay as they are, since the package {package} is not installed")


def quarantine_list(
    reason: Annotated[str | None, Option(help="Only hands with this reason.")] = None,
    limit: Annotated[int, Option(min=1, max=HIGHEST, help="List at most this many.")] = 20,
    resolved: Annotated[bool, Option("--resolved", help="List those that are resolved.")] = False,
    *,
    on: CommonOptions,
) -> None:
    """Count the hands in quarantine by reason, and list some of them, by default those not resolved."""
    from cardlog.pipelines.storage.moment import pinned
    from cardlog.pipelines.upkeep import quarantine

    opened = pinned(on.open(), ["events", "ingests", "quarantine"])
    counts = quarantine.counts(opened, reason)
    entries = quarantine.entries(opened, reason, limit, resolved=resolved)
    if on.print_json({"reasons": counts, "entries": entries}):
        return
    if not counts:
        say("Quarantine is empty.")
        return
    since = [name for name in ("stored_since", "resolved") if any(count[name] for count in counts)]
    print_table(counts, ["reason", "hands", *since, "meaning"])
    print()
    print_table(entries, ["quarantine_id", "reason", "where", "message"])
    total = sum(count["resolved"] if resolved else count["hands"] - count["resolved"] for count in counts)
    if len(entries) < total:
        say(f"{len(entries):,} of {total:,} are listed; --limit N lists more, --reason CODE some.")


def quarantine_show(
    quarantine_id: Annotated[
        str, Argument(metavar="ID", help="The hand's key, or the entry's id or its first digits.")
    ],
    *,
    on: CommonOptions,
) -> None:
    """Show one hand in quarantine: what is wrong, its source and its text."""
    from cardlog.pipelines.sql.quarantined import MEANINGS
    from cardlog.pipelines.upkeep import quarantine

    opened = on.open()
    entry: dict[str, Any] = quarantine.entry(opened, quarantine_id)
    if resolution := quarantine.resolution(opened, entry["quarantine_id"]):
        entry |= {"resolved_at": resolution.at, "note": resolution.note}
    if on.print_json(entry):
        return
    draw(f"[bold yellow]{entry['reason']}[/]  {plain(entry['message'])}")
    entry["status"] += f": {MEANINGS[entry['status']]}"
    names = [
        "quarantine_id", "game", "hand_id", "format", "dataset", "source_path", "source_id", "where", "status"
    ] + (["resolved_at", "note"] if resolution else [])  # fmt: skip
    write_lines(sys.stdout, names, [[str(entry[name] or "") for name in names]])
    print()
    print(entry["raw"])


def formats(on: PrintOptions) -> None:
    """List the log formats that can be read."""
    from cardlog.pipelines import readers

    rows = [
        {"format": name, "reads": reader.SUMMARY, "from": readers.FORMATS.origin(name)}
        for name, reader in readers.FORMATS.items()
    ]
    if not on.print_json(rows):
        print_table(rows)


def games(on: CommonOptions) -> None:
    """List the games, and those in the store whose package is not installed."""
    from cardlog import models
    from cardlog.pipelines.upkeep.status import missing_games

    rows = [
        {"game": name, "about": game.summary, "from": models.GAMES.origin(name)}
        for name, game in models.GAMES.items()
    ]
    store = on.open(must_exist=False)
    missing = missing_games(store) if store.exists else {}
    rows += [
        {"game": name, "about": "Not installed; the store has hands of it.", "from": package}
        for name, package in missing.items()
    ]
    if not on.print_json(rows):
        print_table(rows)
