"""The command that says what cards were worth."""

from typing import Annotated

from typer import Option

from cardlog.pipelines.terminal.console import draw, progress, say
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


def analyse(
    game: Annotated[str | None, Option(help="Only hands of this game.")] = None,
    hand: Annotated[
        str | None, Option(help="Show what each card of this hand cost, and store nothing.")
    ] = None,
    known: Annotated[
        int, Option(min=0, help="Also find cost_known, over so many deals that fit what the player knew.")
    ] = 0,
    runner: RunnerOption = None,
    flink_master: FlinkMasterOption = None,
    store: StoreOption = DEFAULT_STORE,
    as_json: JsonOption = False,
) -> None:
    """Find out what every card played was worth, with all cards seen: the tables analysis and pars."""
    from cardlog.pipelines import runs

    opened = open_store(store)
    if hand is not None:
        from cardlog.pipelines.sql import hand_lookup
        from cardlog.pipelines.storage.moment import pinned
        from cardlog.pipelines.terminal.drawings import analysis

        found = analysis.costs(hand_lookup.find(pinned(opened, ["events", "ingests"]), hand))
        if not is_json([each.as_dict() for each in found], as_json):
            draw(analysis.drawn(found))
        return
    rows = runs.analyse(opened, game or "", known, beam_options=run_on(runner, flink_master), watch=progress)
    if not is_json({"rows": rows}, as_json):
        say("Analysed: " + ", ".join(f"{name} [bold]{count:,}[/] rows" for name, count in rows.items()) + ".")
