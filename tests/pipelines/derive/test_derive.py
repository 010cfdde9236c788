"""Build: the projections follow the events, step by step or all at once, and are the same."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import write_deltalake

from cardlog.pipelines import runs
from cardlog.pipelines.derive import derive as building
from cardlog.pipelines.derive import projections
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.sql import process
from cardlog.pipelines.storage.commits import Change
from cardlog.pipelines.storage.store import SCHEMAS, Store, StoreError
from cardlog.pipelines.upkeep.left_out import LeftOut, left_out
from cardlog.pipelines.upkeep.rewrite import plain
from cardlog.pipelines.upkeep.verify import verify
from tests.support.commands import runner
from tests.support.csv_rows import SAMPLE, dump, dump_lines
from tests.support.exports import export
from tests.support.logs import FIXTURES, beginnings
from tests.support.stores import PROJECTIONS, ask, assert_same, built, ingest, ingest_text, one

ROWS = dump_lines()[:60]


@pytest.mark.long
def test_small_files_are_grouped(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(6):
        ingest_text(store, tmp_path, dump(*ROWS[10 * number :][:10]), f"{number}.csv")
    assert len(store.paths("events")) == 6
    runs.build(store)
    assert [len(store.paths(name)) for name in PROJECTIONS] == [1] * len(PROJECTIONS)
    before = {name: store.rows(name) for name in PROJECTIONS}
    monkeypatch.setattr(building, "ITEM_ROWS", 900)
    plan = building.plan(store, PROJECTIONS, afresh=True)
    sizes = store.sizes("events")
    assert [len(item.paths) for item in plan.items] == [2, 2, 2]
    assert all(sum(sizes[path] for path in item.paths) <= 900 for item in plan.items)
    assert sorted(path for item in plan.items for path in item.paths) == store.paths("events")
    assert plan.rows == store.rows("events")
    assert runs.build(store, afresh=True) == before
    assert [len(store.paths(name)) for name in PROJECTIONS] == [3] * len(PROJECTIONS)


@pytest.mark.long
def test_a_build_makes_projections_of_an_older_version_anew(tmp_path: Path) -> None:
    """Which a cardlog with other columns of `decisions` has built. Until then they are as good as not built:
    exports do without them, and nothing takes their old columns for the new ones."""
    old = built(Store(str(tmp_path / "old")), tmp_path, dump(*ROWS[:6]), "old.csv")
    rows = plain(pa.concat_tables(old.read("decisions"))).drop_columns(["step"])
    shutil.rmtree(old.uri("decisions"))
    rows = rows.append_column("observation", pa.nulls(len(rows), pa.string()))
    write_deltalake(old.uri("decisions"), rows, partition_by=["game"])
    assert [old.built_from(name) for name in PROJECTIONS if name != "decisions"] == [1] * 5
    assert old.built_from("decisions") is None
    assert process.ask(old, "select count(*) from decisions").fetchall() == [(0,)]
    assert export(old, "kaiser", "playedhand-csv", tmp_path / "hands.csv") == 6
    assert export(old, "kaiser", "parquet", tmp_path / "rows") > 6 * 32
    before = old.table("decisions").version()
    runs.build(old)
    table = old.table("decisions")
    assert table.version() == before + 1  # one commit
    assert [field.name for field in table.schema().fields] == SCHEMAS["decisions"].names
    other = Store(str(tmp_path / "other"))
    ingest(other, tmp_path / "old.csv")
    runs.build(other)
    assert_same(other, old, PROJECTIONS)
    assert old.built_from("decisions") == old.table("events").version()
    ingest_text(old, tmp_path, dump(*ROWS[:9]), "more.csv")
    assert runs.build(old)["playedhand"] == 9
    assert verify(old).problems == []


def test_builds_without_end_are_given_up(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ingest_text(store, tmp_path, dump(*ROWS[:5]), "a.csv")
    monkeypatch.setattr(runs, "MOST_TRIES", 3)
    monkeypatch.setattr(building, "commit", lambda *_: dict.fromkeys(PROJECTIONS, "behind"))
    with pytest.raises(StoreError, match="try again later"):
        runs.build(store)


@pytest.mark.long
def test_events_that_are_illegal_are_not_built(store: Store, tmp_path: Path) -> None:
    """Something else wrote to the store: the hand is left out, all others are built, and it is named."""
    ingest(store, SAMPLE)
    (path,) = store.paths("events")
    table = store.open("events", path).read()
    cards = table.column("cards").to_pylist()
    plays = [place for place, kind in enumerate(table.column("kind").to_pylist()) if kind == "play"]
    cards[plays[0]], cards[plays[4]] = cards[plays[4]], cards[plays[0]]
    table = table.set_column(table.schema.get_field_index("cards"), "cards", [cards])
    hand_id = table.column("hand_id")[plays[0]].as_py()
    other = Store(str(tmp_path / "other"))
    other.create()
    other.commit("events", Change([other.write("events", "kaiser", [table])], {}))
    runs.build(store)
    rows = runs.build(other)
    assert rows["playedhand"] == store.rows("playedhand") - 1
    for name in PROJECTIONS:
        assert ask(other, f"select 1 from {name} where hand_id = '{hand_id}'") == []
    why = f"hand {hand_id} is stored, but its events are illegal"
    found = {(problem.place, problem.what) for problem in verify(other).problems}
    assert {("playedhand", f"it lacks hand {hand_id} of the events: {why}")} < found
    assert why in {what for _, what in found}


def test_a_hand_that_can_not_be_projected_is_left_out_by_name(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """And all else is built; the next build says it again, and a rebuild without the error adds the hand. An
    overflow of plain Python is no such error: the command starts again with compiled rules."""
    cardlog = runner(capsys, monkeypatch)
    ingest(store, SAMPLE, *beginnings(tmp_path))
    [(hand_id,)] = ask(store, "select hand_id from events where game = 'belote' order by all limit 1")
    whole = projections.TABLES["belote"]
    errors = [IndexError("action 100 is out of bounds"), RuntimeWarning("overflow encountered in multiply")]

    def fails_at_one(batch: Batch, states: Any) -> dict[str, Any]:
        if hand_id.encode() in batch.hand_ids:
            raise errors.pop() if len(errors) > 1 else errors[0]
        return whole.hand_columns(batch, states)

    monkeypatch.setitem(projections.TABLES.ours, "belote", replace(whole, hand_columns=fails_at_one))
    with pytest.raises(RuntimeWarning, match="overflow"):
        runs.build(store)
    expected = LeftOut("belote", hand_id, "action 100 is out of bounds")
    for _ in range(2):
        done = cardlog("build", "--store", store.root, "--json", "--no-marts")
        assert done.code == 1
        assert str(expected) in done.err
        assert json.loads(done.out)["left_out"] == [vars(expected)]
    assert store.rows("playedhand") == one(store, "select count(*) - 1 from events where seq = 0")
    [problem] = verify(store).problems
    assert problem.what == f"it lacks hand {hand_id} of the events: action 100 is out of bounds"
    monkeypatch.setitem(projections.TABLES.ours, "belote", whole)
    [problem] = verify(store).problems
    assert "'cardlog rebuild'" in problem.advice
    assert cardlog("rebuild", "--store", store.root, "--no-marts").code == 0
    assert verify(store).problems == []


def test_a_bid_that_counts_as_a_pass_is_an_action_of_its_mask(store: Store) -> None:
    """[R5] Even the highest there is, or any after it: `low_bids_are_passes`."""
    ingest(store, FIXTURES / "pinochle" / "highest_bid.jsonl.gz")
    runs.build(store)
    assert left_out(store) == []
    bids = (
        "select action from decisions where kind = 'bid' and action between 1 and 100 order by hand_id, step"
    )
    assert ask(store, bids) == [(100,), (100,)]


@pytest.mark.long
def test_data_files_do_not_depend_on_what_their_process_read_before(tmp_path: Path) -> None:
    """Workers of a cluster live longer than a run, and a repeated bundle must give the same file."""
    texts = (Path(__file__).parents[2] / "fixtures/belote/transcripts_sample.txt").read_bytes()
    short = texts[: texts.index(b"\n", 60_000) + 1]
    found = []
    for number, text in enumerate((short, texts, short)):
        (tmp_path / "belote.log").write_bytes(text)
        one_store = Store(str(tmp_path / f"store-{number}"))
        ingest(one_store, tmp_path / "belote.log")
        runs.build(one_store, afresh=True)
        found.append([one_store.paths(name) for name in PROJECTIONS])
    assert found[0] == found[2] != found[1]
