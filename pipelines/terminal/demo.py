"""The whole pipeline on the sample logs, as commands that a user could type."""

import shlex
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from rich.markup import escape
from rich.text import Text

from cardlog import models
from cardlog.pipelines.hands import drawing
from cardlog.pipelines.hands.costs import costs
from cardlog.pipelines.sql import hand_lookup, query
from cardlog.pipelines.storage.moment import pinned
from cardlog.pipelines.storage.store import Store, StoreError
from cardlog.pipelines.terminal import precompile
from cardlog.pipelines.terminal.console import draw
from cardlog.pipelines.terminal.precompile import ANALYSED
from cardlog.pipelines.terminal.run import CURRENT
from cardlog.pipelines.terminal.samples import samples

FOLDER: Final = Path("demo-store")
MARK: Final = ".made-by-cardlog-demo"
"""A file in folders that are safe to delete."""
_TITLE: Final = models.game(ANALYSED).title
_SOURCES: Final = """
    select
        parse_filename(source_path) as source,
        hands_read, hands_stored, hands_aborted, duplicates, quarantined
    from ingests
    order by format, source
"""
_QUERIES: Final = {
    "why are hands in quarantine?": """
        select reason, count(*) as hands, min(message) as one_of_them
        from quarantine
        group by reason
        order by hands desc, reason
        limit 5
    """,
    f"how often are {_TITLE}'s bids made, by contract?": f"""
        select
            contract || case when trump = 'N' then ' no trump' else '' end as bid,
            sum(hands)::int as hands,
            round(sum(hands_made) / sum(hands), 3) as made,
            round(sum(mean_score * hands) / sum(hands), 2) as score
        from {ANALYSED}_bid_success
        group by contract, trump = 'N', bid
        having sum(hands) >= 100
        order by contract, trump = 'N'
    """,
    "how did the hands of each game come out?": """
        select
            game, count(*) as hands, count(distinct match_id) as matches,
            count(*) filter (where status = 'aborted') as broken_off,
            round(avg(made::int), 2) as contracts_made
        from hands
        group by all
        order by hands desc
    """,
}
_HANDS_TO_ANALYSE: Final = f"""
    select hand_id from playedhand where game = '{ANALYSED}' and status = 'complete' order by hand_id limit 5
"""
_LOGS: Final = "demo.txt"
_HAND_TO_SHOW: Final = "select min(hand_id) from playedhand where game = '{game}' and status = 'complete'"


def run(folder: Path | None, cardlog: Callable[[list[str]], Any]) -> None:
    """Build a store from the sample logs and show the results.

    cardlog
        Runs a command line.
    """
    began = time.monotonic()
    store = Store(str(_empty(folder or FOLDER)))

    def on_store(*arguments: str) -> None:
        cardlog([*arguments, "--store", store.root])

    if not precompile.is_done():
        _title("Prepare", "compile the rules, once")
        precompile.main(playing=False)
    _title("Ingest", "logs of five programs, some of them odd or damaged")
    on_store("ingest", *logs())
    on_store("query", _SOURCES)
    _title("Build", "tables from the events, then the marts with dbt")
    on_store("build")
    for about, sql in _QUERIES.items():
        _title("Query", about)
        on_store("query", sql)
    hand_id = ""
    for game in _shown_games():
        _title("Show", f"a hand of {models.game(game).summary.partition(':')[0]}")
        with query.connect(store) as connection:
            [(hand_id,)] = connection.run(_HAND_TO_SHOW.format(game=game)).fetchall()
        on_store("show", hand_id)
    _title("Analyse", f"what a card cost: the worst one of a few hands of {_TITLE}")
    costly, sentence = _costliest(store)
    draw(sentence)
    CURRENT.store = store
    seconds = time.monotonic() - began
    draw(f"\n[dim]{seconds:.0f} seconds.[/] The store is in [bold]{escape(store.root)}[/]. Try:")
    option = f"--store {shlex.quote(str(folder or FOLDER))}"
    for command in (
        f"cardlog status {option}",
        f'cardlog query "select * from {ANALYSED}_dealer_bids order by all" {option}',
        f"cardlog show {hand_id[:8]} {option}",
        f"cardlog show {costly[:8]} --analyse {option}",
        f"cardlog quarantine list {option}",
        f"cardlog export --game {ANALYSED} --format parquet training-data {option}",
    ):
        draw(f"  [cyan].venv/bin/{escape(command)}[/]")


def logs() -> list[str]:
    """The logs that it reads: those named in the folder of each game's samples."""
    lists = [samples() / game / _LOGS for game in _shown_games()]
    return [str(path.parent / log) for path in lists for log in path.read_text("utf-8").split()]


def _shown_games() -> list[str]:
    """The games with sample logs; those of packages have none here."""
    return [game for game in models.GAMES if (samples() / game / _LOGS).is_file()]


def _costliest(store: Store) -> tuple[str, Text]:
    """The id of the hand with the costliest card, among a few, and a sentence on that card."""
    with query.connect(store) as connection:
        ids = [hand_id for (hand_id,) in connection.run(_HANDS_TO_ANALYSE).fetchall()]
    opened = pinned(store, ["events", "ingests"])
    plays = [(cost, hand_id) for hand_id in ids for cost in costs(hand_lookup.find(opened, hand_id))]
    worst, hand_id = max(plays, key=lambda pair: pair[0].cost)
    return hand_id, drawing.line(worst.sentence())


def _empty(folder: Path) -> Path:
    """An empty folder. One from an earlier demo is emptied; any other is left alone."""
    if folder.exists() and any(folder.iterdir()):
        if not (folder / MARK).exists():
            raise StoreError(f"{folder} is not empty and was not made by the demo; name another with --store")
        shutil.rmtree(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / MARK).touch()
    return folder


def _title(name: str, about: str) -> None:
    draw(f"\n[bold cyan]{name}[/] [dim]·[/] {about}")
