"""Commands that write files, such as training data and logs, and commands that play."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from cardlog.pipelines.export.selection import Output, Selection
from cardlog.pipelines.runtime.uncompiled import run_uncompiled
from cardlog.pipelines.runtime.whole import new_file
from cardlog.pipelines.terminal.console import draw, plain, progress, say, working
from cardlog.pipelines.terminal.options import (
    HIGHEST,
    CommonOptions,
    OnStore,
    PrintOptions,
    RunnerOptions,
    print_table,
)
from cardlog.schemas.limits import MOST_DEALS, MOST_HANDS

GameOption = Annotated[str, Option(help="The game.")]
RulesOption = Annotated[str | None, Option(help="Rules to play by (default: the rule book's).")]


def export(
    out: Annotated[str, Argument(metavar="OUT", help="New file, folder for parquet, or URI; - for stdout.")],
    *,
    what: Output,
    selection: Selection,
    runner: RunnerOptions,
    on: OnStore,
) -> None:
    """Write training data, or the hands in their original format."""
    from cardlog.pipelines import operations

    done = operations.export(
        on.open(), out, what, selection, beam_options=runner.beam_options, watch=progress
    )
    if done.unbuilt:
        hands = f"hands stored since the last build ({done.unbuilt:,}) are left out"
        say(f"--where is asked of the marts: {hands}.")
    _report_written(done.rows, "rows", out, done.hidden)
    if done.untold:
        counts = ", ".join(f"{count:,} with {why}" for why, count in done.untold.items())
        say(f"Left out, because {what.format} can't tell them: {counts}.")


def _report_written(count: int, unit: str, out: str, hidden: dict[str, int] | None = None) -> None:
    if out != "-":
        say(f"Wrote [bold]{count:,}[/] {unit} to {plain(out)}.")
    if hidden:
        counts = ", ".join(f"{count:,} of kind {kind}" for kind, count in hidden.items())
        say(
            f"Left out, because the log hides the player's own cards: {counts}; "
            "--include-hidden-cards includes them."
        )


def docs(out: Annotated[Path, Argument(metavar="OUT", help="New HTML file.")], on: OnStore) -> None:
    """Write a page that documents every mart: columns, sources and SQL."""
    from cardlog.pipelines.sql import marts

    opened = on.open()
    with new_file(out) as file, working("dbt describes the marts"):
        file.write(marts.page(opened))
    say(f"Wrote {plain(out)}; open it in a browser.")


def report(
    player: Annotated[str, Argument(metavar="PLAYER", help="The player's name.")],
    out: Annotated[Path, Option(metavar="FILE", help="New HTML file.")] = Path("report.html"),
    *,
    on: OnStore,
) -> None:
    """Write a page on a player: results, trend, rating, costs, and hands worth another look."""
    run_uncompiled()  # takes milliseconds for each hand
    from cardlog.pipelines.charts.report import report as made

    opened = on.open()
    with new_file(out) as file:
        file.write(made(opened, player).encode())
    say(f"Wrote {plain(out)}; open it in a browser.")


def puzzles(
    game: Annotated[str | None, Option(help="Only puzzles of this game.")] = None,
    gap: Annotated[float, Option(min=0, help="Least points that the second-best card costs.")] = 1,
    limit: Annotated[int, Option(min=1, max=HIGHEST, help="At most this many.")] = 20,
    out: Annotated[
        Path | None, Option(metavar="FILE", help="Write them to a new file of JSON lines.")
    ] = None,
    *,
    on: CommonOptions,
) -> None:
    """List positions with one right card, with all cards seen, or write them to a file."""
    run_uncompiled()  # takes milliseconds for each hand
    from cardlog.pipelines.export import puzzles as positions

    opened = on.open()
    rows = positions.puzzles(opened, game, gap, limit)
    if out is not None:
        with new_file(out) as file:
            positions.write(opened, rows, file)
        _report_written(len(rows), "puzzles", str(out))
    elif not on.print_json(rows):
        if not rows:
            say("There are no such puzzles; 'cardlog analyse' and then 'cardlog build' add hands to look in.")
            return
        cells = [row | {"hand": row["hand_id"][:8], "gap": f"{row['gap']:g}"} for row in rows]
        names = "game hand trick seat role contract trump legal gap played best"
        print_table(cells, names.split())


def simulate(  # noqa: PLR0913, a user's options
    out: Annotated[str, Argument(metavar="OUT", help="New file, gzipped for .gz, or - for stdout.")],
    game: GameOption,
    hands: Annotated[int, Option(min=1, max=MOST_HANDS, help="Number of hands.")],
    seed: Annotated[int, Option(help="Random seed; the same seed gives the same bytes.")] = 0,
    players: Annotated[str | None, Option(help="One for all seats, or a,b,c,d (default: random).")] = None,
    rules: RulesOption = None,
    format: Annotated[str | None, Option(help="playedhand-csv or cardlog-jsonl (default: by OUT).")] = None,
) -> None:
    """Simulate hands and write them as a log to ingest."""
    from cardlog.pipelines.export.simulate import simulate as write_log

    write_log(game, hands, seed, out, format_name=format, players=players, rules=rules, watch=progress)
    _report_written(hands, "hands", out)


def play_off(  # noqa: PLR0913, a user's options
    game: Annotated[str, Argument(metavar="GAME", help="The game.")],
    a: Annotated[str, Argument(metavar="A", help="A player of the game, or a policy as module:object.")],
    b: Annotated[str, Argument(metavar="B", help="The opponent, in the same form.")],
    hands: Annotated[
        int, Option(min=1, max=MOST_DEALS, help="Hands to deal, each played once per seating.")
    ] = 1000,
    seed: Annotated[int, Option(help="Random seed; the same seed deals the same hands.")] = 0,
    rules: RulesOption = None,
    seats: Annotated[int | None, Option(help="Number of seats, where it may vary.")] = None,
    *,
    on: PrintOptions,
) -> None:
    """Pit two players against each other, on the same deals with seats exchanged."""
    from cardlog.pipelines.export import simulate

    result = simulate.play_off(game, (a, b), hands, seed, rules, seats)
    if on.print_json({"a": a, "b": b, **result.as_dict()}):
        return
    sides = (
        ("A", a, result.won, result.share, result.points),
        ("B", b, result.lost, result.share.mirrored(1), result.points.mirrored(0)),
    )
    print_table([
        {"": side, "player": player, "hands won": f"{won:,}",
         "share of hands": share.text(".1%"), "points per hand": points.text("+.2f")}
        for side, player, won, share, points in sides
    ])  # fmt: skip
    draw(f"{result.deals:,} deals, {result.hands:,} hands, {result.drawn:,} drawn; 95 % intervals over deals")


def ladder(
    game: GameOption,
    players: Annotated[str | None, Option(help="Players or policies: a,b,c (default: all).")] = None,
    deals: Annotated[
        int, Option(min=2, max=MOST_DEALS, help="Deals of a pair, each played once per seating.")
    ] = 1000,
    seed: Annotated[int, Option(help="Random seed; the same seed deals the same hands.")] = 0,
    stop: Annotated[bool, Option("--stop", help="End a pair once it is clear who is better.")] = False,
    *,
    on: PrintOptions,
) -> None:
    """Let all players of a game play against each other, on the same deals with seats exchanged."""
    from cardlog.pipelines.export import simulate

    with working("Players play against each other"):
        result = simulate.ladder(game, players, deals, seed, stop)
    if on.print_json(result.as_dict()):
        return
    print_table([
        {"player": row.player, "rating": f"{row.rating:+.0f}",
         "CPU ms per decision": f"{row.milliseconds:.3g}"}
        for row in result.standings
    ])  # fmt: skip
    print()
    print_table([
        {"A": pair.a, "B": pair.b, "deals": f"{pair.result.deals:,}",
         "A's share of hands": pair.result.share.text(".1%"),
         "A's points per hand": pair.result.points.text("+.2f")}
        for pair in result.pairs
    ])  # fmt: skip
    draw("each deal is played once per seating; 95 % intervals over deals")


def new_game(
    name: Annotated[str, Argument(metavar="NAME", help="The game's name: small letters and underscores.")],
    folder: Annotated[Path, Argument(metavar="DIR", help="New folder.")],
) -> None:
    """Write the skeleton of a package for a game of your own: a game that runs, to change."""
    from cardlog.pipelines.terminal import new_game as skeleton

    files = skeleton.write(name, folder)
    where = plain(str(folder))
    say(f"Wrote {len(files)} files to {where}: a trick-taking game named {name}, for you to change.")
    say(f"'pip install --editable {where}' installs it; docs/plugins.md tells the rest.")


def demo(
    context: typer.Context,
    store: Annotated[Path | None, Option(help="Folder of the store to make (default: demo-store).")] = None,
) -> None:
    """Run the whole pipeline on the sample logs."""
    from cardlog.pipelines.terminal.demo import run

    run(store, partial(context.find_root().command.main, standalone_mode=False))
