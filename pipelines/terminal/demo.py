"""The whole pipeline on the sample logs: ingest, build, query, export."""

import filecmp
import gzip
import shlex
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.markup import escape

from cardlog.pipelines import runs
from cardlog.pipelines.export import export
from cardlog.pipelines.leftovers import note
from cardlog.pipelines.sql import hand_lookup, marts, query, results
from cardlog.pipelines.storage.store import Store, StoreError
from cardlog.pipelines.terminal import drawings
from cardlog.pipelines.terminal.console import progress, rows_table, stdout, working

FOLDER: Final = Path("demo-store")
MARK: Final = ".made-by-cardlog-demo"
"""A file that marks a folder as safe to delete."""
BAR_WIDTH: Final = 40
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
    out = stdout()
    began = time.monotonic()
    store = Store(str(_empty(folder or FOLDER)))
    _ingest(out, store)
    _build(out, store)
    hand_id = _show(out, _asker(store), store)
    _title(out, "Export", "the original dump, restored from the events")
    out.print(_round_trip(store, samples("kaiser") / "playedhand.csv.gz"), highlight=False)
    seconds = time.monotonic() - began
    out.print(f"\n[dim]{seconds:.0f} seconds.[/] The store is in [bold]{escape(store.root)}[/]. Try:")
    option = f"--store {shlex.quote(str(folder or FOLDER))}"
    for command in (
        f"cardlog status {option}",
        f'cardlog query "show tables" {option}',
        f'cardlog query "select * from kaiser_dealer_bids order by all" {option}',
        f"cardlog show {hand_id[:8]} {option}",
        f"cardlog quarantine list {option}",
        f"cardlog export --game kaiser --format parquet training-data {option}",
    ):
        out.print(f"  [cyan].venv/bin/{escape(command)}[/]", highlight=False)


def _ingest(out: Console, store: Store) -> None:
    _title(out, "Ingest", "logs of five programs, some of them odd or damaged")
    logs = {game: [str(samples(game) / name) for name in names] for game, names in LOGS.items()}
    result = runs.ingest(store, [path for paths in logs.values() for path in paths], watch=progress)
    counts = ("hands_read", "hands_stored", "hands_aborted", "duplicates", "quarantined")
    rows_table(
        ["game", "source", "hands read", "stored", "of them broken off", "duplicates", "quarantined"],
        [
            [game, Path(row["source_path"]).name] + [f"{row[count]:,}" for count in counts]
            for game, paths in logs.items()
            for row in result.rows
            if row["source_path"] in paths
        ],
        False,
    )


def _build(out: Console, store: Store) -> None:
    _title(out, "Build", "tables from the events, then the marts with dbt")
    rows = runs.build(store, watch=progress)
    with working("dbt builds and tests the marts"):
        models = marts.build(store)
    out.print("  ".join(f"[bold]{name}[/] {count:,} rows" for name, count in rows.items()), highlight=False)
    out.print(f"{models} dbt models; all their data tests pass", highlight=False)


def _show(out: Console, ask: "_Ask", store: Store) -> str:
    """Queries, a chart and a hand of each game; returns the id of the last one."""
    _title(out, "Quarantine", "illegal hands are kept apart, with their text and a reason")
    rows_table(*ask(_REASONS))
    _title(out, "Query", "how often are bids made, by contract?")
    rows_table(*ask(_BIDS))
    _title(out, "Query", "who takes the five of hearts and the three of spades?")
    rows_table(*ask(_SPECIAL))
    _title(out, "Chart", "points of a trick to the bidders, by trick")
    points = ask("select trick_no, mean_bidder_points from kaiser_points_per_trick order by trick_no")
    for line in drawings.bars({f"trick {int(n) + 1}": float(mean) for n, mean in points[1]}, BAR_WIDTH):
        out.print(line, highlight=False)
    _title(out, "Query", "how did the hands of each game come out?")
    rows_table(*ask(_GAMES))
    hand_id = ""
    for about, sql in _SHOWN:
        _title(out, "Show", about)
        hand_id = ask(sql)[1][0][0]
        out.print(drawings.hand(hand_lookup.find(store, hand_id)))
    return hand_id


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
_SHOWN: Final = (
    ("a Kaiser hand, trick by trick", """
        select hand_id from hands
        where game = 'kaiser' and status = 'complete' and trump = 'N' and contract >= 9 and made
        order by declarer_score desc, source_hand_no
        limit 1
    """),
    ("a belote hand, with what was declared", """
        select hand_id from events
        where game = 'belote' and action = 'declare' and cards is not null
        order by amount desc, match_id, hand_no
        limit 1
    """),
    ("a game of Ruter Sju, lap by lap", """
        select hand_id from playedhand
        where game = 'ruter_sju' and status = 'complete' and player_4_hand is null
        and length(played_cards) = 2 * 52
        order by match_id
        limit 1
    """),
    ("a Pinochle hand, with its meld", """
        select hand_id from hands
        where game = 'pinochle' and status = 'complete' and made
        order by declarer_score desc, match_id
        limit 1
    """),
    ("a hand of five-card draw, with the best cards shown", """
        select hand_id from five_card_draw_players
        where hand_after is not null and dialect = 'original'
        order by rank_after, match_id
        limit 1
    """),
)  # fmt: skip
"""The hands to draw: a title, and the query that finds one."""


def _empty(folder: Path) -> Path:
    """An empty folder. One from an earlier demo is emptied; any other is left alone."""
    if folder.exists() and any(folder.iterdir()):
        if not (folder / MARK).exists():
            raise StoreError(f"{folder} is not empty and was not made by the demo; name another with --store")
        shutil.rmtree(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / MARK).touch()
    return folder


def _title(out: Console, name: str, about: str) -> None:
    out.print(f"\n[bold cyan]{name}[/] [dim]·[/] {about}", highlight=False)


_Ask = Callable[[str], tuple[list[str], list[list[str]], bool]]


def _asker(store: Store) -> _Ask:
    connection = query.connect(store)
    return lambda sql: results.rows(connection.run(sql), 100)


def _round_trip(store: Store, dump: Path) -> str:
    """Ingest the dump alone, export it, and compare the two byte by byte."""
    with tempfile.TemporaryDirectory(prefix="cardlog-demo-") as name:
        folder = note(Path(name))
        alone = Store(str(folder / "store"))
        runs.ingest(alone, [str(dump)])
        runs.build(alone, wanted=("playedhand",))
        export.export(alone, "kaiser", "playedhand-csv", folder / "out.csv")
        with gzip.open(dump) as packed, (folder / "in.csv").open("wb") as plain:
            shutil.copyfileobj(packed, plain)
        if not filecmp.cmp(folder / "in.csv", folder / "out.csv", shallow=False):
            return "[bold red]the export differs from the dump[/]"
        size = (folder / "out.csv").stat().st_size
    return f"cardlog export --format playedhand-csv: {size:,} bytes, identical to the original dump"
