"""Commands that derive tables and marts from the events."""

from typing import Annotated

import typer

from cardlog.pipelines.terminal import report
from cardlog.pipelines.terminal.commands.upkeep import after_adding
from cardlog.pipelines.terminal.console import fail
from cardlog.pipelines.terminal.options import (
    DEFAULT_STORE,
    PROBLEMS,
    CompactOption,
    FlinkMasterOption,
    JsonOption,
    RunnerOption,
    StoreOption,
    open_store,
    run_on,
)

MartsOption = Annotated[
    bool, typer.Option("--marts/--no-marts", help="Build the marts with dbt, or leave them.")
]


def build(
    store: StoreOption = DEFAULT_STORE,
    marts: MartsOption = True,
    compact: CompactOption = True,
    runner: RunnerOption = None,
    flink_master: FlinkMasterOption = None,
    as_json: JsonOption = False,
) -> None:
    """Update the derived tables from new events, then build the marts with dbt."""
    _build(store, run_on(runner, flink_master), False, marts, compact, as_json)


def rebuild(
    store: StoreOption = DEFAULT_STORE,
    marts: MartsOption = True,
    runner: RunnerOption = None,
    flink_master: FlinkMasterOption = None,
    as_json: JsonOption = False,
) -> None:
    """Build all tables and marts from scratch, with the same result."""
    _build(store, run_on(runner, flink_master), True, marts, False, as_json)


def _build(
    store: str, beam_options: list[str], afresh: bool, marts: bool, compact: bool, as_json: bool
) -> None:
    from cardlog.pipelines import runs
    from cardlog.pipelines.sql import warehouse
    from cardlog.pipelines.sql.held_back import HeldBack
    from cardlog.pipelines.sql.marts import build as build_marts
    from cardlog.pipelines.terminal.console import progress, working

    opened = open_store(store)
    rows = runs.build(opened, afresh=afresh, beam_options=beam_options, watch=progress)
    after_adding(opened, compact)
    models, failed = None, None
    if marts and (afresh or not warehouse.is_current(opened)):
        try:
            with working("dbt builds and tests the marts"):
                models = build_marts(opened, afresh=afresh)
        except HeldBack as error:
            models, failed = error.outcome.models, error
    report.build(rows, marts, models, failed, as_json)
    if failed:
        fail(str(failed), PROBLEMS)
