"""Commands that write files: training data, logs, documentation of the marts; and that play."""

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from cardlog.pipelines.terminal.console import draw, plain, progress, say, table, working
from cardlog.pipelines.terminal.options import (
    DEFAULT_STORE,
    FlinkMasterOption,
    JsonOption,
    RunnerOption,
    StoreOption,
    is_json,
    open_store,
    run_on,
)
from cardlog.pipelines.whole import new_file

GameOption = Annotated[str, Option(help="The game.")]
RulesOption = Annotated[str | None, Option(help="Rules to play by (default: the rule book's).")]
FormatOption = Annotated[
    str, Option(help="Output format: parquet, npy, npz, minari, playedhand-csv or cardlog-jsonl.")
]
SeedOption = Annotated[
    int, Option(help="Seed of the split into train, validation and test, and of the order.")
]
OrderOption = Annotated[
    str | None, Option(help="Order of training rows: mixed over all hands (default), or hand after hand.")
]
HiddenCardsOption = Annotated[
    bool,
    Option("--include-hidden-cards", help="Include decisions where the log hides the player's own cards."),
]
SinceOption = Annotated[str | None, Option(help="Only hands of this day or later, in UTC: 2016-03-01.")]


def export(
    out: Annotated[
        str,
        Argument(
            metavar="OUT",
            help="New file or, for parquet, folder, or a URI; - for stdout; gzipped if the name ends in .gz.",
        ),
    ],
    game: GameOption,
    format: FormatOption,
    encoder: Annotated[str, Option(help="Encoder of the observations, or your own, module:object.")] = "v1",
    seed: SeedOption = 0,
    splits: Annotated[str, Option(help="Percentages of train, validation and test.")] = "80,10,10",
    order: OrderOption = None,
    dialect: Annotated[str | None, Option(help="Only hands played by these rules.")] = None,
    since: SinceOption = None,
    until: Annotated[str | None, Option(help="Only hands of this day or earlier, in UTC.")] = None,
    player: Annotated[str | None, Option(help="Only decisions of the player with this name.")] = None,
    seats: Annotated[str | None, Option(help="Only decisions of human or of computer players.")] = None,
    where: Annotated[
        str | None, Option(help='Only hands that satisfy an SQL condition, such as "team_0_score > 0".')
    ] = None,
    mart: Annotated[str, Option(help="The mart whose columns --where uses.")] = "hands",
    include_aborted: Annotated[
        bool, Option("--include-aborted", help="Include unfinished hands in training data.")
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
    from cardlog.pipelines.sql.warehouse import unbuilt_hands

    opened = open_store(store)
    if where is not None and (hands := unbuilt_hands(opened)):
        say(f"--where is asked of the marts: hands stored since the last build ({hands:,}) are left out.")
    selection = Selection(
        dialect, since, until, player, seats, where, mart, include_aborted, include_hidden_cards
    )
    count = export_rows(
        opened, game, format, out,
        encoder=encoder, seed=seed, splits=splits, order=order, selection=selection,
        beam_options=run_on(runner, flink_master), watch=progress,
    )  # fmt: skip
    _wrote(count, "rows", out, hidden_rows_of(out))


def _wrote(count: int, what: str, out: str, hidden: dict[str, int] | None = None) -> None:
    if out != "-":
        say(f"Wrote [bold]{count:,}[/] {what} to {plain(out)}.")
    if hidden:
        counts = ", ".join(f"{count:,} of kind {kind}" for kind, count in hidden.items())
        say(
            f"Left out, because the log hides the player's own cards: {counts}; "
            "--include-hidden-cards includes them."
        )


def docs(
    out: Annotated[Path, Argument(metavar="OUT", help="New HTML file.")],
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """Write a page that documents every mart: columns, sources and SQL."""
    from cardlog.pipelines.sql import marts

    opened = open_store(store)
    with new_file(out) as file, working("dbt describes the marts"):
        file.write(marts.page(opened))
    say(f"Wrote {plain(out)}; open it in a browser.")


def simulate(
    out: Annotated[
        str, Argument(metavar="OUT", help="New file, gzipped if the name ends in .gz, or - for stdout.")
    ],
    game: GameOption,
    hands: Annotated[int, Option(min=1, help="Number of hands.")],
    seed: Annotated[int, Option(help="Random seed; the same seed gives the same bytes.")] = 0,
    players: Annotated[
        str | None, Option(help="One player for all seats, or one per seat: a,b,c,d (default: random).")
    ] = None,
    rules: RulesOption = None,
    format: Annotated[
        str | None, Option(help="playedhand-csv or cardlog-jsonl (default: by the name of OUT).")
    ] = None,
) -> None:
    """Simulate hands and write them as a log to ingest."""
    from cardlog.pipelines.export.simulate import simulate as write_log

    write_log(game, hands, seed, out, format_name=format, players=players, rules=rules, watch=progress)
    _wrote(hands, "hands", out)


def play_off(
    game: Annotated[str, Argument(metavar="GAME", help="The game.")],
    a: Annotated[str, Argument(metavar="A", help="A player of the game, or a policy as module:object.")],
    b: Annotated[str, Argument(metavar="B", help="The opponent, in the same form.")],
    hands: Annotated[
        int, Option(min=1, help="Number of hands to deal; each is played once per seating.")
    ] = 1000,
    seed: Annotated[int, Option(help="Random seed; the same seed deals the same hands.")] = 0,
    rules: RulesOption = None,
    seats: Annotated[
        int | None, Option(help="Number of seats, in games for different numbers of players.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Pit two players against each other, on the same deals with seats exchanged."""
    from cardlog.pipelines.export import simulate

    found = simulate.play_off(game, (a, b), hands, seed, rules, seats)
    if is_json({"a": a, "b": b, **found.as_dict()}, as_json):
        return
    mirrored = (
        ("A", a, found.won, found.share, found.points),
        ("B", b, found.lost, found.share.mirrored(1), found.points.mirrored(0)),
    )
    table(
        ["", "player", "hands won", "share of hands", "points a hand"],
        [
            [side, name, f"{won:,}", share.text(".1%"), points.text("+.2f")]
            for side, name, won, share, points in mirrored
        ],
    )
    draw(f"{found.deals:,} deals, {found.hands:,} hands, {found.drawn:,} drawn; 95 % intervals over deals")


def demo(
    store: Annotated[Path | None, Option(help="Folder of the store to make (default: demo-store).")] = None,
) -> None:
    """Run the whole pipeline on the sample logs."""
    from cardlog.pipelines.terminal.demo import run

    run(store)
