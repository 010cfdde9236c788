"""Commands that write files from the store: training data, logs, documentation of the marts."""

from pathlib import Path
from typing import Annotated, Any

import typer

from cardlog.pipelines.terminal import report
from cardlog.pipelines.terminal.console import say
from cardlog.pipelines.terminal.options import (
    DEFAULT_STORE,
    FlinkMasterOption,
    RunnerOption,
    StoreOption,
    open_store,
    run_on,
)

SeedOption = Annotated[
    int, typer.Option(help="Seed of the split into train, validation and test, and of the order.")
]
OrderOption = Annotated[
    str | None,
    typer.Option(help="Order of training rows: mixed over all hands (default), or hand after hand."),
]
SinceOption = Annotated[str | None, typer.Option(help="Only hands of this day or later, in UTC: 2016-03-01.")]
WhereOption = Annotated[
    str | None, typer.Option(help='Only hands that satisfy an SQL condition, such as "team_0_score > 0".')
]
HiddenCardsOption = Annotated[
    bool,
    typer.Option(
        "--include-hidden-cards", help="Include decisions where the log hides the player's own cards."
    ),
]


def export(
    out: Annotated[
        str,
        typer.Argument(
            metavar="OUT",
            help="New file or, for parquet, folder, or a URI; - for stdout; gzipped if the name ends in .gz.",
        ),
    ],
    game: Annotated[str, typer.Option(help="The game.")],
    format: Annotated[
        str,
        typer.Option(help="Output format: parquet, npy, npz, minari, playedhand-csv or cardlog-jsonl."),
    ],
    encoder: Annotated[
        str, typer.Option(help="Encoder of the observations, or your own, module:object.")
    ] = "v1",
    seed: SeedOption = 0,
    splits: Annotated[str, typer.Option(help="Percentages of train, validation and test.")] = "80,10,10",
    order: OrderOption = None,
    dialect: Annotated[str | None, typer.Option(help="Only hands played by these rules.")] = None,
    since: SinceOption = None,
    until: Annotated[str | None, typer.Option(help="Only hands of this day or earlier, in UTC.")] = None,
    player: Annotated[str | None, typer.Option(help="Only decisions of the player with this name.")] = None,
    seats: Annotated[str | None, typer.Option(help="Only decisions of human or of computer players.")] = None,
    where: WhereOption = None,
    mart: Annotated[str, typer.Option(help="The mart whose columns --where uses.")] = "hands",
    include_aborted: Annotated[
        bool, typer.Option("--include-aborted", help="Include unfinished hands in training data.")
    ] = False,
    include_hidden_cards: HiddenCardsOption = False,
    runner: RunnerOption = None,
    flink_master: FlinkMasterOption = None,
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """Write training data, or the hands in their original format."""
    from cardlog.pipelines.export.export import export as export_rows
    from cardlog.pipelines.export.selection import Selection
    from cardlog.pipelines.export.training import hidden_rows_of
    from cardlog.pipelines.terminal.console import progress

    selection = Selection(
        dialect, since, until, player, seats, where, mart, include_aborted, include_hidden_cards
    )
    count = export_rows(
        _opened(store, where), game, format, out,
        encoder=encoder, seed=seed, splits=splits, order=order, selection=selection,
        beam_options=run_on(runner, flink_master), watch=progress,
    )  # fmt: skip
    report.wrote(count, "rows", out)
    report.left_out(hidden_rows_of(out))


def _opened(path: str, where: str | None) -> Any:
    """The store; says how many hands a condition can't be asked of."""
    from cardlog.pipelines.sql.unbuilt import unbuilt_hands

    store = open_store(path)
    if where is not None and (hands := unbuilt_hands(store)):
        say(f"--where is asked of the marts: hands stored since the last build ({hands:,}) are left out.")
    return store


def docs(
    out: Annotated[Path, typer.Argument(metavar="OUT", help="New HTML file.")],
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """Write a page that documents every mart: columns, sources and SQL."""
    from cardlog.pipelines.sql import dbt_docs
    from cardlog.pipelines.terminal.console import fixed_bytes, working

    opened = open_store(store)
    with fixed_bytes(out) as file, working("dbt describes the marts"):
        file.write(dbt_docs.page(opened))
    say(f"Wrote {out}; open it in a browser.")
