"""Commands that ingest logs, and derive tables and marts from the events."""

import shlex
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Final

import typer
from typer import Argument, Option

from cardlog.pipelines.ingest.reading import Reading, Text
from cardlog.pipelines.ingest.rotation import logs
from cardlog.pipelines.runtime.uncompiled import run_small_uncompiled
from cardlog.pipelines.terminal.console import data, draw, fail, plain, progress, say
from cardlog.pipelines.terminal.options import (
    DEFAULT_STORE,
    PROBLEMS,
    CommonOptions,
    PipelineOptions,
    PrintOptions,
)
from cardlog.pipelines.text.visible import json_text
from cardlog.schemas.limits import MOST_DEALS

if TYPE_CHECKING:
    from cardlog.pipelines.runs import Ingested

MOST_REJECTS: Final = 20
"""Hands that the report of a dry run lists."""
MartsOption = Annotated[bool, Option("--marts/--no-marts", help="Build the marts with dbt, or leave them.")]
ProjectOption = Annotated[
    str | None,
    Option(metavar="DIR", help="A dbt project of your own to build, too, from now on in every build."),
]
NoProjectOption = Annotated[
    bool, Option("--no-project", help="Build without that project, and remove its tables.")
]
MaxQuarantinedOption = Annotated[
    float | None,
    Option(min=0, max=1, metavar="SHARE", help="Exit with 1 if more of the new hands are bad, such as 0.01."),
]


def ingest(
    paths: Annotated[list[str], Argument(metavar="PATH…", help="Files, folders, globs, or - for stdin.")],
    strict: Annotated[bool, Option("--strict", help="Exit with 1 if anything is not stored.")] = False,
    max_quarantined: MaxQuarantinedOption = None,
    dry_run: Annotated[
        bool, Option("--dry-run", help="Say what would be stored and what not, and store nothing.")
    ] = False,
    *,
    how: Reading,
    on: PipelineOptions,
) -> None:
    """Read game logs into the store, checking every hand against the rules: all or nothing is stored."""
    run_small_uncompiled(on.store, chain.from_iterable(logs(paths)), beam_options := on.beam_options)
    from cardlog.pipelines import operations
    from cardlog.pipelines.upkeep import quarantine

    opened = on.open(must_exist=False)
    result = operations.ingest(opened, paths, how, dry_run=dry_run, beam_options=beam_options, watch=progress)
    rejects = result.rejects
    if result.quarantined and not dry_run and (strict or max_quarantined is not None):
        rejects = quarantine.entries_of(opened, result.ingest_id or "")
    _report(result, on, "Nothing new to read.", dry_run)
    bad = quarantine.newly_bad(rejects)
    new = result.hands_stored + bad
    if max_quarantined is not None and bad > max_quarantined * new:
        fail(
            f"{bad / new:.2%} of the new hands were quarantined, more than {max_quarantined:.2%}",
            PROBLEMS,
        )
    if strict and (quarantine.is_open(rejects) or result.passed_over):
        raise typer.Exit(PROBLEMS)


def validate(
    files: Annotated[list[str] | None, Argument(metavar="FILE…", help="Logs, or - for stdin.")] = None,
    schema: Annotated[
        bool, Option("--schema", help="Print the JSON Schema of a line of cardlog-jsonl instead.")
    ] = False,
    *,
    how: Text,
    on: PrintOptions,
) -> None:
    """Check logs against their format and the rules; no store is needed."""
    if schema:
        from cardlog.pipelines.readers.cardlog_jsonl.schema import schema as schema_of

        data().write(json_text(schema_of(), indent=2) + "\n")
        return
    if not files:
        raise typer.BadParameter("name the logs to check, or give --schema")
    run_small_uncompiled(".", chain.from_iterable(logs(files)))
    from cardlog.pipelines import runs
    from cardlog.pipelines.runtime import scratch
    from cardlog.pipelines.storage.store import Store
    from cardlog.pipelines.upkeep import quarantine

    with scratch.folder() as folder:
        store = Store(f"{folder}/store")
        found = runs.ingest(store, files, Reading(**vars(how)), skip_unreadable=True, watch=progress)
        rejects = quarantine.entries_of(store, found.ingest_id) if found.ingest_id else []
    for entry in rejects:
        entry.pop("quarantine_id")
    skipped = [{"path": path, "reason": reason} for path, reason in found.passed_over]
    if not on.print_json({**vars(found.counts), "rejects": rejects, "skipped": skipped}):
        for entry in rejects:
            draw(f"{plain(entry['where'])}: [yellow]{entry['reason']}[/]: {plain(entry['message'])}")
        for path, reason in found.passed_over:
            draw(f"{plain(path)}: [yellow]skipped[/]: {plain(reason)}")
        say(f"Checked {found.hands_read:,} hands: {found.hands_stored:,} right, {found.quarantined:,} wrong.")
    if rejects or skipped:
        raise typer.Exit(PROBLEMS)


def retry(
    strict: Annotated[bool, Option("--strict", help="Exit with 1 if a hand stays in quarantine.")] = False,
    *,
    on: PipelineOptions,
) -> None:
    """Read quarantined hands again, after a reader or a rule was fixed."""
    from cardlog.pipelines.upkeep import quarantine

    opened = on.open()
    result = quarantine.retry(opened, beam_options=on.beam_options, watch=progress)
    _report(result, on, "No hand in quarantine can be stored now.")
    if strict and quarantine.waiting(opened):
        raise typer.Exit(PROBLEMS)


def _report(result: "Ingested", on: CommonOptions, nothing: str, dry_run: bool = False) -> None:
    """Print what an ingest read, stored and quarantined, or the message `nothing` if it read no files."""
    done = {"ingest_id": result.ingest_id, **vars(result.counts), "completed": result.completed}
    done |= {"replaced": result.replaced, "erased": result.erased, "bytes_read": result.bytes_read}
    entries = [{"path": path, "reason": reason} for path, reason in dict(result.skipped).items()]
    dry = {"dry_run": True, "rejects": result.rejects} if dry_run else {}
    rest = {"sources": result.sources, "skipped": entries, "continued": result.continued, **dry}
    _say_unmerged(result.unmerged)
    if on.print_json({**done, **rest}, done):
        return
    for path, older in result.continued.items():
        say(f"[dim]read[/] {plain(path)} [dim]after[/] {plain(', '.join(older))}")
    for path, reason in dict(result.skipped).items():
        say(f"[dim]skipped[/] {plain(path)}: {reason}")
    if not result.sources:
        say(nothing)
        return
    kinds = {"broken off": result.hands_aborted, "completed": result.completed, "replaced": result.replaced}
    parts = [f"{count:,} of them {kind}" for kind, count in kinds.items() if count]
    of_them = f" ({', '.join(parts)})" if parts else ""
    files = "1 file" if len(result.sources) == 1 else f"{len(result.sources)} files"
    say(
        f"Read [bold]{result.hands_read:,}[/] hands from {files}: "
        f"[green]{result.hands_stored:,} stored[/]{of_them}, {result.duplicates:,} duplicates, "
        f"[{'yellow' if result.quarantined else 'dim'}]{result.quarantined:,} quarantined[/]."
    )
    if result.erased:
        say(f"{result.erased:,} of the duplicates were erased with 'cardlog forget --hand', for good.")
    if dry_run:
        for entry in result.rejects[:MOST_REJECTS]:
            say(f"{plain(entry['where'])}: [yellow]{entry['reason']}[/]: {plain(entry['message'])}")
        if len(result.rejects) > MOST_REJECTS:
            say(f"… and {len(result.rejects) - MOST_REJECTS:,} more; --json has all of them.")
        say("This was a dry run: nothing was stored.")
        return
    if result.quarantined:
        say(f"See them: cardlog quarantine list{_option(on)}")
    if result.hands_stored:
        say(f"Next: cardlog build{_option(on)}")


def _option(on: CommonOptions) -> str:
    """The option for the store in the commands that are suggested."""
    return "" if on.store == DEFAULT_STORE else f" --store {plain(shlex.quote(on.store))}"


def build(
    marts: MartsOption = True,
    project: ProjectOption = None,
    no_project: NoProjectOption = False,
    *,
    on: PipelineOptions,
) -> None:
    """Update the derived tables from new events, then build the marts with dbt."""
    _build(on, False, marts, _wanted(project, no_project))


def rebuild(
    marts: MartsOption = True,
    project: ProjectOption = None,
    no_project: NoProjectOption = False,
    *,
    on: PipelineOptions,
) -> None:
    """Build all tables and marts from scratch, with the same result."""
    _build(on, True, marts, _wanted(project, no_project))


def _wanted(project: str | None, no_project: bool) -> str | None:
    if project is not None and no_project:
        raise typer.BadParameter("give --project DIR or --no-project, not both")
    return "" if no_project else project


def _build(on: PipelineOptions, afresh: bool, marts: bool, project: str | None) -> None:
    run_small_uncompiled(on.store, (), beam_options := on.beam_options)
    from cardlog.pipelines import operations

    opened = on.open()
    built = operations.build(
        opened, afresh=afresh, marts=marts, project=project, beam_options=beam_options, watch=progress
    )
    _say_unmerged(built.unmerged)
    for warning in built.warnings:
        say(f"[yellow]warning[/] {plain(warning)}")
    outcome = built.failed.as_json() if built.failed else {"failed": [], "stale": {}}
    missing = list(map(vars, built.left_out))
    done = {"rows": built.rows, "left_out": missing, "dbt_models": built.models, "warnings": built.warnings}
    done |= outcome
    if not on.print_json(done, done):
        _say_rows("Built", built.rows)
        if built.models is not None:
            say(f"dbt built {built.models} models" + ("." if built.failed else "; all data tests pass."))
        elif marts:
            say("The marts are up to date.")
    if problems := [*built.left_out, *filter(None, [built.failed])]:
        fail("\n".join(map(str, problems)), PROBLEMS)


def analyse(
    game: Annotated[str | None, Option(help="Only hands of this game.")] = None,
    hand: Annotated[str | None, Option(help="Only show what each card of this hand cost.")] = None,
    known: Annotated[
        int, Option(min=0, max=MOST_DEALS, help="Deals to average cost_known over; 0 for none.")
    ] = 0,
    *,
    on: PipelineOptions,
) -> None:
    """Find out what every card played was worth, with all cards seen: the tables analysis and pars."""
    from cardlog.pipelines import operations

    opened = on.open()
    if hand is not None:
        from cardlog.pipelines.hands import drawing
        from cardlog.pipelines.hands.costs import costs
        from cardlog.pipelines.sql import hand_lookup

        plays = costs(hand_lookup.find(opened, hand), known)
        if not on.print_json([vars(play) for play in plays]):
            draw(drawing.cost_table(plays))
        return
    done = operations.analyse(opened, game, known, beam_options=on.beam_options, watch=progress)
    if not on.print_json({"rows": done.rows}):
        _say_rows("Analysed", done.rows)
        if done.marts_are_due:
            say(f"Next: cardlog build{_option(on)}")


def _say_rows(verb: str, rows: dict[str, int]) -> None:
    """Report the number of rows of each table."""
    say(f"{verb}: " + ", ".join(f"{name} [bold]{count:,}[/] rows" for name, count in rows.items()) + ".")


def _say_unmerged(problem: str) -> None:
    if problem:
        say(f"Small files were not merged: {problem}")
