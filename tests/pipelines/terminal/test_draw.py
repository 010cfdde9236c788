"""Drawings of hands: what is on them, and the lines that they come from."""

import gzip
import io
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from cardlog import models
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.hands import drawing as draw
from cardlog.pipelines.ingest.lineage import SourceGone, raw_lines
from cardlog.pipelines.sql import hand_lookup
from cardlog.pipelines.storage.store import Store
from tests.support import jsonl_logs
from tests.support.commands import users_environment
from tests.support.csv_rows import dump, dump_lines
from tests.support.ruter_sju_logs import read_text, text_of
from tests.support.shared import demo, small_store
from tests.support.stores import ask, dicts, ingest


def printed(batch: Batch) -> list[str]:
    """The drawing of a hand without colours, its lines without blanks at their ends."""
    console = Console(width=200, record=True, file=io.StringIO(), emoji=False)
    console.print(draw.hand(batch))
    return [line.rstrip() for line in console.export_text().splitlines()]


def drawn(name: str, store: Store | None = None) -> str:
    return "\n".join(printed(hand_lookup.find(store or small_store(), name)))


BROKEN_OFF = """\
Kaiser hand 3c7a49b71014bcd37ac2ac759e848acb  ·  no. 900041  ·  2016-09-09 11:28:45 UTC  ·  broken off
bids from 7 · no passing · game at 52, at 62 once no trump was bid
        player          ♠      ♥        ♣       ♦
seat 0  human           A K Q  K Q 8 5  –       10
seat 1  human           10 3   J        10 9 8  9 7
seat 2  human (dealer)  9 8    A 10 9   K 7     8
seat 3  human           J      –        A Q J   A K Q J
Bidding: seat 3 7 · seat 0 9 · seat 1 pass · seat 2 pass → seat 0 names ♥
trick  seat 0  seat 1  seat 2  seat 3  taken by  points
    1  ▸A♠      3♠      9♠      J♠     seat 0        -2
    2  ▸K♥      J♥      9♥      J♦     seat 0         1
The record of this hand ends here."""


def test_a_drawing_says_how_far_a_hand_that_was_broken_off_came() -> None:
    """Whole hands are in docs/cli.md, whose examples are run."""
    assert drawn(BROKEN_OFF.split()[2]) == BROKEN_OFF


def test_a_packed_source_is_unpacked_and_one_that_moved_is_found_again(store: Store, tmp_path: Path) -> None:
    text = dump(*dump_lines()[:3])
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(text))
    ingest(store, path)
    [hand] = dicts(store, "select distinct hand_id from events where source_line = 3")
    batch = hand_lookup.find(store, hand["hand_id"])
    assert raw_lines(store, batch) == dump_lines()[1].decode() + "\n"
    path.rename(tmp_path / "b.csv.gz")
    with pytest.raises(SourceGone, match=r"line 3 of source .* is gone or has changed; it was .*a\.csv\.gz"):
        raw_lines(store, batch)
    ingest(store, tmp_path / "b.csv.gz", dataset="again")
    assert raw_lines(store, batch) == dump_lines()[1].decode() + "\n"


def test_lines_of_other_hands_that_stand_between_are_left_out(store: Store, tmp_path: Path) -> None:
    one, other = (jsonl_logs.text_of(jsonl_logs.hand(key)).splitlines(keepends=True) for key in ("a", "b"))
    path = tmp_path / "tables.jsonl"
    path.write_bytes(b"".join(line for pair in zip(one, other, strict=True) for line in pair))
    ingest(store, path, final=True)
    found = {
        raw_lines(store, hand_lookup.find(store, row["hand_id"])).encode()
        for row in dicts(store, "select hand_id from events where seq = 0")
    }
    assert found == {b"".join(one), b"".join(other)}


SHOW_EACH = """
import sys
from cardlog.pipelines.terminal import cli

_, store, *names = sys.argv
for name in names:
    try:
        cli.main(["show", name, "--store", store])
    except SystemExit as end:
        assert not end.code, name
"""


@pytest.mark.long
def test_show_compiles_nothing_and_draws_the_same(tmp_path: Path) -> None:
    store = demo().store
    sql = "select min(hand_id), max(hand_id) from playedhand where status = 'complete' group by game"
    names = [name for low, high in ask(store, sql) for name in (low, high[:12])]
    assert len(names) == 2 * len({*models.GAMES} - {"hold_em"})  # of which the demo has no log
    done = subprocess.run(
        [sys.executable, "-c", SHOW_EACH, store.root, *names],
        env=users_environment(NUMBA_CACHE_DIR=str(tmp_path), COLUMNS="200"),
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    lines = [line.rstrip() for line in done.stdout.splitlines()]
    assert lines == "\n".join(drawn(name, store) for name in names).splitlines()
    assert done.stderr == ""
    assert [*tmp_path.rglob("*.nbi")] == []


def test_a_whole_hand_lap_by_lap() -> None:
    """The first laps as in samples/R0000, and a turn of two cards."""
    batch = read_text(text_of("transcripts")).batch
    [hand] = [index for index, which in enumerate(batch.match_of) if batch.matches[which] == "R0000"]
    lines = printed(batch.take(np.array([hand])))
    assert "complete" in lines[0]
    assert lines[1].strip() == "4 suits of 13 · rules: original"
    start = next(index for index, line in enumerate(lines) if line.split()[:1] == ["lap"])
    laps = "1 6♦ block 7♦", "2 5♦ blocked 7♠", "3 8♦ blocked 8♠"
    assert [line.split() for line in lines[start + 1 : start + 4]] == [lap.split() for lap in laps]
    assert any("K♥ J♦" in line for line in lines)
    assert lines[-1].strip() == "Out: 1. 1 · 2. 2 · 3. 0"
    assert "all" in lines[-2]
