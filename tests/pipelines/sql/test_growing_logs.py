"""Marts say the same of a log whether it was ingested at once or as it grew."""

import gzip
from pathlib import Path

import pytest

from cardlog.pipelines import runs
from cardlog.pipelines.sql import process
from cardlog.pipelines.sql.marts import build
from cardlog.pipelines.storage.store import Store
from tests.support.shared import FIXTURES
from tests.support.stores import ingest

pytestmark = pytest.mark.long

GAMES = 12
ORDERED = {
    "ruter_sju_player_stats": "hand_id, seat, game",
    "match_wins": "dataset, is_pair, player_name, player_kind, last_matches, last_matches_won",
}


def built(folder: Path, parts: list[bytes]) -> dict[str, list[tuple[object, ...]]]:
    """What the marts with an order say after one path was ingested with each of these contents."""
    store, log = Store(str(folder / "store")), folder / "log.txt"
    for part in parts:
        log.write_bytes(part)
        ingest(store, log)
        runs.build(store)
        build(store)
    queries = {name: f"select {columns} from {name} order by all" for name, columns in ORDERED.items()}
    return {name: process.ask(store, sql).fetchall() for name, sql in queries.items()}


def test_a_log_that_grew(tmp_path: Path) -> None:
    """Games are numbered, and the last matches chosen, by an order that does not follow the ingests."""
    text = gzip.decompress((FIXTURES / "ruter_sju" / "transcripts.txt.gz").read_bytes())
    games = [b"=== GAME" + game for game in text.split(b"=== GAME")[1 : GAMES + 1]]
    for name in ("once", "grown"):
        (tmp_path / name).mkdir()
    whole = [b"".join(games[:count]) for count in (5, GAMES)]
    once, grown = built(tmp_path / "once", whole[-1:]), built(tmp_path / "grown", whole)
    assert once == grown
    assert {row[2] for row in once["ruter_sju_player_stats"]} >= {0, 1, 2}
