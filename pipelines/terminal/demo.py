"""The whole pipeline on the sample logs, as commands that anybody could type."""

import filecmp
import gzip
import shlex
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from rich.markup import escape

from cardlog import models
from cardlog.pipelines.leftovers import note
from cardlog.pipelines.sql import hand_lookup, query
from cardlog.pipelines.storage.moment import pinned
from cardlog.pipelines.storage.store import Store, StoreError
from cardlog.pipelines.terminal.console import draw
from cardlog.pipelines.terminal.drawings import analysis
from cardlog.pipelines.terminal.run import CURRENT

FOLDER: Final = Path("demo-store")
MARK: Final = ".made-by-cardlog-demo"
"""A file that marks a folder as safe to delete."""
LOGS: Final = {
    "kaiser": ("playedhand.csv.gz", "playedhand_edge.csv"),
    "belote": (
        "cesmak_transcripts.txt.gz",
        "bornabesic_transcripts.txt.gz",
        "readme_transcripts.txt.gz",
        "edge/cesmak_traceback.txt.gz",
        "edge/bornabesic_mojibake.txt.gz",
        "edge/cesmak_truncated.txt.gz",
    ),
    "ruter_sju": ("transcripts.txt.gz", "variants_transcripts.txt.gz", "edge_human_transcripts.txt.gz"),
    "pinochle": ("jan2013_transcripts.txt.gz", "head2014_transcripts.txt.gz"),
    "five_card_draw": ("games_transcripts.txt.gz",),
}
"""The logs of each game, in its folder of samples."""

_SAMPLES: Final = (
    Path(__file__).parents[2] / "samples",
    Path(__file__).resolve().parents[2] / "tests" / "fixtures",
)
"""Folders of sample logs: in an installed package, and in the repository."""


def samples(game: str) -> Path:
    """The folder of a game's sample logs. Raises StoreError if they are not installed."""
    for folder in _SAMPLES:
        if (folder / game).is_dir():
            return folder / game
    raise StoreError("the sample logs are missing; reinstall cardlog, or run the demo in its repository")


def run(folder: Path | None) -> None:
    """Build a store from the sample logs and show the results."""
    began = time.monotonic()
    store = Store(str(_empty(folder or FOLDER)))
    cardlog = _commands(store.root)
    _title("Ingest", "logs of five programs, some of them odd or damaged")
    cardlog("ingest", *(str(samples(game) / name) for game, names in LOGS.items() for name in names))
    cardlog("query", _SOURCES)
    _title("Build", "tables from the events, then the marts with dbt")
    cardlog("build")
    for name, about, sql, *options in _ASKED:
        _title(name, about)
        cardlog("query", sql, *options)
    hand_id = ""
    for game in models.GAMES:
        _title("Show", f"a hand of {models.game(game).summary.partition(':')[0]}")
        with query.connect(store) as connection:
            [(hand_id,)] = connection.run(_SHOWN.format(game=game)).fetchall()
        cardlog("show", hand_id)
    _title("Analyse", "what a card cost: the worst one of a few hands of Kaiser")
    costly, said = _costliest(store)
    draw(said)
    _title("Export", "the original dump, restored from the events")
    draw(_round_trip(samples("kaiser") / "playedhand.csv.gz"))
    CURRENT.store = store
    seconds = time.monotonic() - began
    draw(f"\n[dim]{seconds:.0f} seconds.[/] The store is in [bold]{escape(store.root)}[/]. Try:")
    option = f"--store {shlex.quote(str(folder or FOLDER))}"
    for command in (
        f"cardlog status {option}",
        f'cardlog query "select * from kaiser_dealer_bids order by all" {option}',
        f"cardlog show {hand_id[:8]} {option}",
        f"cardlog show {costly[:8]} --analyse {option}",
        f"cardlog quarantine list {option}",
        f"cardlog export --game kaiser --format parquet training-data {option}",
    ):
        draw(f"  [cyan].venv/bin/{escape(command)}[/]")


def _costliest(store: Store) -> tuple[str, str]:
    """The hand with the costliest card of the first ones of Kaiser, and what that card was."""
    with query.connect(store) as connection:
        ids = [hand_id for (hand_id,) in connection.run(_ANALYSED).fetchall()]
    opened = pinned(store, ["events", "ingests"])
    found = [
        (each.cost, hand_id, each)
        for hand_id in ids
        for each in analysis.costs(hand_lookup.find(opened, hand_id))
        if each.exact
    ]
    _, hand_id, worst = max(found, key=lambda one: one[0])
    return hand_id, f"{worst.sentence(f'seat {worst.seat}')} {analysis.CAVEAT}"


_ANALYSED: Final = """
    select hand_id from playedhand where game = 'kaiser' and status = 'complete' order by hand_id limit 5
"""
_SOURCES: Final = """
    select
        parse_filename(source_path) as source,
        hands_read, hands_stored, hands_aborted, duplicates, quarantined
    from ingests
    order by format, source
"""
_REASONS: Final = """
    select reason, count(*) as hands, min(message) as one_of_them
    from quarantine
    group by reason
    order by hands desc, reason
    limit 5
"""
_BIDS: Final = """
    select
        contract || case when trump = 'N' then ' no trump' else '' end as bid,
        sum(hands)::int as hands,
        round(sum(hands_made) / sum(hands), 3) as made,
        round(sum(mean_points * hands) / sum(hands), 2) as points,
        round(sum(mean_score * hands) / sum(hands), 2) as score
    from kaiser_bid_success
    group by contract, trump = 'N', bid
    having sum(hands) >= 100
    order by contract, trump = 'N'
"""
_SPECIAL: Final = """
    select
        card, taken_by, sum(hands)::int as hands,
        round(sum(share_of_card), 3) as share,
        round(sum(mean_bidder_points * hands) / sum(hands), 2) as bidders_points,
        round(sum(made_rate * hands) / sum(hands), 3) as bid_made
    from kaiser_special_cards
    group by all
    order by card desc, hands desc
"""
_GAMES: Final = """
    select
        hands.game, count(*) as hands, count(distinct hands.match_id) as matches,
        count(*) filter (where hands.status = 'aborted') as broken_off,
        round(avg(hands.made::int), 2) as contracts_made
    from hands
    group by all
    order by hands desc
"""
_TRICKS: Final = """
    select 'trick ' || (trick_no + 1) as trick, mean_bidder_points
    from kaiser_points_per_trick
    order by trick_no
"""
_ASKED: Final = (
    ("Quarantine", "illegal hands are kept apart, with their text and a reason", _REASONS),
    ("Query", "how often are bids made, by contract?", _BIDS),
    ("Query", "who takes the five of hearts and the three of spades?", _SPECIAL),
    ("Chart", "points of a trick to the bidders, by trick", _TRICKS, "--chart", "bar"),
    ("Query", "how did the hands of each game come out?", _GAMES),
)
"""A title for each query, what it asks, the query, and options."""
_SHOWN: Final = "select min(hand_id) from playedhand where game = '{game}' and status = 'complete'"


def _commands(store: str) -> Callable[..., None]:
    """Runs commands on a store."""
    from cardlog.pipelines.terminal.cli import app

    return lambda *line: app([*line, "--store", store], standalone_mode=False)


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


def _round_trip(dump: Path) -> str:
    """Ingest the dump alone, export it, and compare the two byte by byte."""
    with tempfile.TemporaryDirectory(prefix="cardlog-demo-") as name:
        folder = note(Path(name))
        cardlog = _commands(str(folder / "store"))
        cardlog("ingest", str(dump))
        cardlog("export", "--game", "kaiser", "--format", "playedhand-csv", str(folder / "out.csv"))
        with gzip.open(dump) as packed, (folder / "in.csv").open("wb") as plain:
            shutil.copyfileobj(packed, plain)
        if not filecmp.cmp(folder / "in.csv", folder / "out.csv", shallow=False):
            return "[bold red]the export differs from the dump[/]"
        size = (folder / "out.csv").stat().st_size
    return f"cardlog export --format playedhand-csv: {size:,} bytes, identical to the original dump"
