"""The command that lets all players of a game play against each other."""

from typing import Annotated

from typer import Option

from cardlog.pipelines.terminal.commands.writing import GameOption
from cardlog.pipelines.terminal.console import draw, table, working
from cardlog.pipelines.terminal.options import Printing


def ladder(
    game: GameOption,
    players: Annotated[
        str | None, Option(help="Players or policies, separated by commas (default: all of the game's).")
    ] = None,
    deals: Annotated[
        int, Option(min=2, help="Number of deals for each pair; each is played once per seating.")
    ] = 1000,
    seed: Annotated[int, Option(help="Random seed; the same seed deals the same hands.")] = 0,
    stop: Annotated[bool, Option("--stop", help="End a pair once it is clear who is better.")] = False,
    *,
    on: Printing,
) -> None:
    """Let all players of a game play against each other, on the same deals with seats exchanged."""
    from cardlog.pipelines.export import simulate

    with working("Players play against each other"):
        found = simulate.ladder(game, players, deals, seed, stop)
    if on.is_json(found.as_dict()):
        return
    table(
        ["player", "rating", "CPU ms a decision"],
        [[each.player, f"{each.rating:+.0f}", f"{each.milliseconds:.3g}"] for each in found.standings],
    )
    draw("")
    table(
        ["A", "B", "deals", "A's share of hands", "A's points a hand"],
        [
            [pair.a, pair.b, f"{of.deals:,}", of.share.text(".1%"), of.points.text("+.2f")]
            for pair in found.pairs
            for of in (pair.result,)
        ],
    )
    draw("each deal is played once per seating; 95 % intervals over deals")
