"""Commands that bring logs into the store."""

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

MaxQuarantinedOption = Annotated[
    str | None,
    typer.Option(
        metavar="SHARE",
        help="Exit with 1 if more of the new hands are bad, such as 1% or 0.01; incomplete ones don't count.",
    ),
]


def ingest(
    paths: Annotated[
        list[str], typer.Argument(metavar="PATH…", help="Files, folders, globs, or - for stdin; .gz too.")
    ],
    format: Annotated[
        str | None, typer.Option(help="Format of the files (default: detected for each file).")
    ] = None,
    dataset: Annotated[
        str | None, typer.Option(help="Namespace of the hands' ids (default: the format's name).")
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with 1 if a hand was quarantined or a file is not a log.")
    ] = False,
    max_quarantined: MaxQuarantinedOption = None,
    final: Annotated[
        bool, typer.Option("--final", help="Treat hands cut off by the end of the log as aborted.")
    ] = False,
    pseudonymise: Annotated[
        str | None, typer.Option(metavar="KEYFILE", help="Replace players' names by digests with this key.")
    ] = None,
    compact: CompactOption = True,
    runner: RunnerOption = None,
    flink_master: FlinkMasterOption = None,
    store: StoreOption = DEFAULT_STORE,
    as_json: JsonOption = False,
) -> None:
    """Read game logs into the store, checking every hand against the rules: all or nothing is stored."""
    from cardlog.pipelines import runs
    from cardlog.pipelines.terminal.console import progress
    from cardlog.pipelines.upkeep import quarantine

    most = None if max_quarantined is None else _share(max_quarantined)
    opened = open_store(store, must_exist=False)
    result = runs.ingest(
        opened, paths,
        format_name=format, dataset=dataset, final=final, pseudonymise=pseudonymise,
        beam_options=run_on(runner, flink_master), watch=progress,
    )  # fmt: skip
    report.ingest(result, store, as_json)
    if result.ingest_id is not None:
        after_adding(opened, compact)
    counts = result.counts
    if most is not None and result.ingest_id is not None and counts.quarantined:
        bad = quarantine.newly_bad(opened, result.ingest_id)
        new = counts.hands_stored + bad
        if bad > most * new:
            fail(f"{bad / new:.2%} of the new hands were quarantined, more than {max_quarantined}", PROBLEMS)
    if strict and (counts.quarantined or result.passed_over):
        raise typer.Exit(PROBLEMS)


def _share(text: str) -> float:
    """A share given in per cent or as a fraction."""
    try:
        share = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        fail(f"--max-quarantined {text}: give a share such as 1% or 0.01")
    return share
