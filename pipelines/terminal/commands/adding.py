"""Commands that ingest logs, and derive tables and marts from the events."""

import shlex
from contextlib import nullcontext
from itertools import chain
from typing import Annotated, Any, Final

import typer
from typer import Argument, Option

from cardlog.pipelines.ingest.rotation import logs
from cardlog.pipelines.terminal.console import draw, fail, plain, progress, say, working
from cardlog.pipelines.terminal.options import DEFAULT_STORE, PROBLEMS, CommonOptions, PipelineOptions
from cardlog.pipelines.uncompiled import run_small_uncompiled

MOST_REJECTS: Final = 20
"""Hands that the report of a dry run lists."""
MartsOption = Annotated[bool, Option("--marts/--no-marts", help="Build the marts with dbt, or leave them.")]
MaxQuarantinedOption = Annotated[
    float | None,
    Option(min=0, max=1, metavar="SHARE", help="Exit with 1 if more of the new hands are bad, such as 0.01."),
]


IgnoreColumnsOption = Annotated[
    list[str] | None, Option(metavar="NAMES", help="Columns, or keys of JSON lines, to let pass unread.")
]
IgnoreKindsOption = Annotated[
    list[str] | None, Option(metavar="KINDS", help="Kinds of JSON lines that are no events, to let pass.")
]


def ingest(
    paths: Annotated[list[str], Argument(metavar="PATH…", help="Files, folders, globs, or - for stdin.")],
    format: Annotated[str | None, Option(help="Format of all files (default: detected).")] = None,
    dataset: Annotated[str | None, Option(help="Namespace of ids (default: the format's name).")] = None,
    strict: Annotated[bool, Option("--strict", help="Exit with 1 if anything is not stored.")] = False,
    max_quarantined: MaxQuarantinedOption = None,
    final: Annotated[bool, Option("--final", help="Store hands cut off by a log's end as aborted.")] = False,
    ignore_columns: IgnoreColumnsOption = None,
    ignore_kinds: IgnoreKindsOption = None,
    timezone: Annotated[str | None, Option(help="Zone of times that name none.")] = None,
    replace: Annotated[bool, Option("--replace", help="Replace stored hands that these correct.")] = False,
    pseudonymise: Annotated[str | None, Option(metavar="KEYFILE", help="Replace names by digests.")] = None,
    dry_run: Annotated[
        bool, Option("--dry-run", help="Say what would be stored and what not, and store nothing.")
    ] = False,
    *,
    on: PipelineOptions,
) -> None:
    """Read game logs into the store, checking every hand against the rules: all or nothing is stored."""
    run_small_uncompiled(on.store, chain.from_iterable(logs(paths)), beam_options := on.beam_options)
    from cardlog.pipelines import runs
    from cardlog.pipelines.readers.options import ReadOptions
    from cardlog.pipelines.rehearsal import rehearsed
    from cardlog.pipelines.upkeep import quarantine

    opened = on.open(must_exist=False)
    with rehearsed(opened) if dry_run else nullcontext(opened) as opened:
        result = runs.ingest(
            opened, paths,
            format_name=format, dataset=dataset, final=final, replaces=replace, pseudonymise=pseudonymise,
            options=ReadOptions.of(ignore_columns or (), ignore_kinds or (), timezone),
            beam_options=beam_options, watch=progress,
        )  # fmt: skip
        counts, bad, rejects, is_open = result.counts, 0, [], False
        if result.ingest_id is not None and counts.quarantined:
            rejects = quarantine.entries_of(opened, result.ingest_id) if dry_run else []
            bad = quarantine.newly_bad(opened, result.ingest_id) if max_quarantined is not None else 0
            is_open = strict and quarantine.is_open(opened, result.ingest_id)
        _report(result, on, "Nothing new to read.", rejects if dry_run else None)
        if result.ingest_id is not None and not dry_run:
            _compact(opened)
    new = counts.hands_stored + bad
    if max_quarantined is not None and bad > max_quarantined * new:
        fail(
            f"{bad / new:.2%} of the new hands were quarantined, more than {max_quarantined:.2%}",
            PROBLEMS,
        )
    if is_open or (strict and result.passed_over):
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


def _report(
    result: Any, on: CommonOptions, nothing: str, rejects: list[dict[str, Any]] | None = None
) -> None:
    """Print what an ingest read, stored and quarantined, or the message `nothing` if it read no files.

    rejects
        The entries of a dry run in quarantine; None for an ingest that has stored what it read.
    """
    counts = result.counts
    done = {"ingest_id": result.ingest_id, **vars(counts), "completed": result.completed}
    done |= {"replaced": result.replaced, "erased": result.erased, "bytes_read": result.bytes_read}
    skipped = dict(result.not_read)
    entries = [{"path": path, "reason": reason} for path, reason in skipped.items()]
    dry = {} if rejects is None else {"dry_run": True, "rejects": rejects}
    rest = {"sources": result.rows, "skipped": entries, "continued": result.continued, **dry}
    if on.print_json({**done, **rest}, done):
        return
    for path, older in result.continued.items():
        say(f"[dim]read[/] {plain(path)} [dim]after[/] {plain(', '.join(older))}")
    for path, reason in skipped.items():
        say(f"[dim]skipped[/] {plain(path)}: {reason}")
    if not result.rows:
        say(nothing)
        return
    kinds = {"broken off": counts.hands_aborted, "completed": result.completed, "replaced": result.replaced}
    parts = [f"{count:,} of them {kind}" for kind, count in kinds.items() if count]
    of_them = f" ({', '.join(parts)})" if parts else ""
    files = "1 file" if len(result.rows) == 1 else f"{len(result.rows)} files"
    say(
        f"Read [bold]{counts.hands_read:,}[/] hands from {files}: "
        f"[green]{counts.hands_stored:,} stored[/]{of_them}, {counts.duplicates:,} duplicates, "
        f"[{'yellow' if counts.quarantined else 'dim'}]{counts.quarantined:,} quarantined[/]."
    )
    if result.erased:
        say(f"{result.erased:,} of the duplicates were erased with 'cardlog forget --hand', for good.")
    if rejects is not None:
        for entry in rejects[:MOST_REJECTS]:
            say(f"{plain(entry['where'])}: [yellow]{entry['reason']}[/]: {plain(entry['message'])}")
        if len(rejects) > MOST_REJECTS:
            say(f"… and {len(rejects) - MOST_REJECTS:,} more; --json has all of them.")
        say("This was a dry run: nothing was stored.")
        return
    if counts.quarantined:
        say(f"See them: cardlog quarantine list{_option(on)}")
    if counts.hands_stored:
        say(f"Next: cardlog build{_option(on)}")


def _option(on: CommonOptions) -> str:
    """The option for the store in the commands that are suggested."""
    return "" if on.store == DEFAULT_STORE else f" --store {plain(shlex.quote(on.store))}"


def build(marts: MartsOption = True, *, on: PipelineOptions) -> None:
    """Update the derived tables from new events, then build the marts with dbt."""
    _build(on, False, marts)


def rebuild(marts: MartsOption = True, *, on: PipelineOptions) -> None:
    """Build all tables and marts from scratch, with the same result."""
    _build(on, True, marts)


def _build(on: PipelineOptions, afresh: bool, marts: bool) -> None:
    run_small_uncompiled(on.store, (), beam_options := on.beam_options)
    from cardlog.pipelines import runs
    from cardlog.pipelines.sql import warehouse
    from cardlog.pipelines.sql.held_back import HeldBack
    from cardlog.pipelines.sql.marts import build as build_marts
    from cardlog.pipelines.upkeep.left_out import left_out

    opened = on.open()
    rows = runs.build(opened, afresh=afresh, beam_options=beam_options, watch=progress)
    _compact(opened)
    models, failed = None, None
    if marts and (afresh or not warehouse.is_current(opened)):
        try:
            with working("dbt builds and tests the marts"):
                models = build_marts(opened, afresh=afresh)
        except HeldBack as error:
            models, failed = error.models, error
    outcome = failed.as_json() if failed else {"failed": [], "stale": {}}
    missing = left_out(opened)
    done = {"rows": rows, "left_out": list(map(vars, missing)), "dbt_models": models, **outcome}
    if not on.print_json(done, done):
        _say_rows("Built", rows)
        if models is not None:
            say(f"dbt built {models} models" + ("." if failed else "; all data tests pass."))
        elif marts:
            say("The marts are up to date.")
    if failed or missing:
        fail("\n".join(map(str, [*missing, *filter(None, [failed])])), PROBLEMS)


def analyse(
    game: Annotated[str | None, Option(help="Only hands of this game.")] = None,
    hand: Annotated[str | None, Option(help="Only show what each card of this hand cost.")] = None,
    known: Annotated[int, Option(min=0, help="Deals to average cost_known over; 0 for none.")] = 0,
    *,
    on: PipelineOptions,
) -> None:
    """Find out what every card played was worth, with all cards seen: the tables analysis and pars."""
    from cardlog.pipelines import runs
    from cardlog.pipelines.sql import warehouse

    opened = on.open()
    if hand is not None:
        from cardlog.pipelines.sql import hand_lookup
        from cardlog.pipelines.terminal.drawings import analysis

        costs = analysis.costs(hand_lookup.find(opened, hand), known)
        if not on.print_json([vars(cost) for cost in costs]):
            draw(analysis.cost_table(costs))
        return
    rows = runs.analyse(opened, game or "", known, beam_options=on.beam_options, watch=progress)
    if not on.print_json({"rows": rows}):
        _say_rows("Analysed", rows)
        if not warehouse.is_current(opened):
            say(f"Next: cardlog build{_option(on)}")


def _say_rows(verb: str, rows: dict[str, int]) -> None:
    """Report the number of rows of each table."""
    say(f"{verb}: " + ", ".join(f"{name} [bold]{count:,}[/] rows" for name, count in rows.items()) + ".")


def _compact(store: Any) -> None:
    """Merge small files that have piled up; a failure does not fail the command."""
    from cardlog.pipelines.storage.store import StoreError
    from cardlog.pipelines.upkeep import compact

    try:
        if compact.is_piled_up(store):
            with working("cardlog merges small files"):
                compact.compact(store, piled_up=True)
    except StoreError as error:
        say(f"Small files were not merged: {error}")
