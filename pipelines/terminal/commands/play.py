"""Commands that simulate hands or compare players, without a store."""

from typing import Annotated

import typer

from cardlog.pipelines.terminal import report
from cardlog.pipelines.terminal.options import JsonOption

RulesOption = Annotated[str | None, typer.Option(help="Rules to play by (default: the rule book's).")]


def simulate(
    out: Annotated[
        str, typer.Argument(metavar="OUT", help="New file, gzipped if the name ends in .gz, or - for stdout.")
    ],
    game: Annotated[str, typer.Option(help="The game.")],
    hands: Annotated[int, typer.Option(min=1, help="Number of hands.")],
    seed: Annotated[int, typer.Option(help="Random seed; the same seed gives the same bytes.")] = 0,
    players: Annotated[
        str | None, typer.Option(help="One player for all seats, or one per seat: a,b,c,d (default: random).")
    ] = None,
    rules: RulesOption = None,
    format: Annotated[
        str | None,
        typer.Option(help="playedhand-csv or cardlog-jsonl (default: by the name of OUT)."),
    ] = None,
) -> None:
    """Simulate hands and write them as a log to ingest."""
    from cardlog.pipelines.export.simulate import simulate as write_log
    from cardlog.pipelines.terminal.console import progress

    write_log(game, hands, seed, out, format_name=format, players=players, rules=rules, watch=progress)
    report.wrote(hands, "hands", out)


def play_off(
    game: Annotated[str, typer.Argument(metavar="GAME", help="The game.")],
    a: Annotated[
        str, typer.Argument(metavar="A", help="A player of the game, or a policy as module:object.")
    ],
    b: Annotated[str, typer.Argument(metavar="B", help="The opponent, in the same form.")],
    hands: Annotated[
        int, typer.Option(min=1, help="Number of hands to deal; each is played once per seating.")
    ] = 1000,
    seed: Annotated[int, typer.Option(help="Random seed; the same seed deals the same hands.")] = 0,
    rules: RulesOption = None,
    seats: Annotated[
        int | None, typer.Option(help="Number of seats, in games for different numbers of players.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Pit two players against each other, on the same deals with seats exchanged."""
    from cardlog.pipelines.export import simulate

    found = simulate.play_off(game, (a, b), hands, seed, rules, seats)
    report.play_off(found, (a, b), as_json)
