"""Commands for hands that were not stored."""

from typing import Annotated

import typer

from cardlog.pipelines.terminal import report
from cardlog.pipelines.terminal.options import (
    DEFAULT_STORE,
    PROBLEMS,
    FlinkMasterOption,
    JsonOption,
    RunnerOption,
    StoreOption,
    open_store,
    run_on,
)

app = typer.Typer(no_args_is_help=True, help="Hands rejected by a reader or the rules.")


@app.command("list")
def list_hands(
    reason: Annotated[str | None, typer.Option(help="Only hands with this reason.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="List at most this many.")] = 20,
    store: StoreOption = DEFAULT_STORE,
    as_json: JsonOption = False,
) -> None:
    """Count the hands in quarantine by reason, and list some of them."""
    from cardlog.pipelines.storage.moment import pinned
    from cardlog.pipelines.upkeep import quarantine

    opened = pinned(open_store(store), ["events", "ingests", "quarantine"])
    report.quarantine(quarantine.counts(opened, reason), quarantine.entries(opened, reason, limit), as_json)


@app.command()
def show(
    quarantine_id: Annotated[str, typer.Argument(metavar="ID", help="The entry's id, or its first digits.")],
    store: StoreOption = DEFAULT_STORE,
    as_json: JsonOption = False,
) -> None:
    """Show one hand in quarantine: what is wrong, its source and its text."""
    from cardlog.pipelines.upkeep import quarantine

    report.entry(quarantine.entry(open_store(store), quarantine_id), as_json)


@app.command()
def retry(
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with 1 if a hand stays in quarantine.")
    ] = False,
    runner: RunnerOption = None,
    flink_master: FlinkMasterOption = None,
    store: StoreOption = DEFAULT_STORE,
    as_json: JsonOption = False,
) -> None:
    """Read quarantined hands again, after a reader or a rule was fixed."""
    from cardlog.pipelines.terminal.console import progress
    from cardlog.pipelines.upkeep import quarantine

    opened = open_store(store)
    options = run_on(runner, flink_master)
    result = quarantine.retry(opened, beam_options=options, watch=progress)
    report.ingest(result, store, as_json, nothing="No hand in quarantine can be stored now.")
    if strict and quarantine.waiting(opened):
        raise typer.Exit(PROBLEMS)
