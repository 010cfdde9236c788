"""Stores of older versions: they are read as they are, go on, and say what a store of today would."""

import tarfile
from pathlib import Path

import pytest
from deltalake import DeltaTable

from cardlog.pipelines import runs
from cardlog.pipelines.export import export
from cardlog.pipelines.sql import query
from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.upkeep import compact, verify
from cardlog.schemas.events import SCHEMA
from tests.support.jsonl_logs import hand, text_of
from tests.support.stores import ingest_text

KEPT = Path(__file__).parents[2] / "fixtures" / "events"
OPENINGS = "select match_id, hand_no, dataset, source_key from events where seq = 0"


@pytest.fixture(params=["v2", "v3"])
def old(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    """A store that an older cardlog wrote: hands of the data sets `club` and `den` from the same bytes."""
    with tarfile.open(KEPT / f"{request.param}_store.tar.gz") as archive:
        archive.extractall(tmp_path, filter="data")
    return Store(str(tmp_path / request.param))


def check_keys(store: Store, hands: int) -> None:
    """Every hand has its data set, and its key follows from its match or its number."""
    rows = query.ask(store, OPENINGS).fetchall()
    assert len(rows) == hands
    assert {dataset for _, _, dataset, _ in rows} == {"club", "den", "playedhand-csv"}
    for match_id, hand_no, dataset, key in rows:
        if match_id is not None:
            assert key == f"{match_id[:-17]}/{hand_no}"
        elif dataset == "playedhand-csv":
            assert key in ("100001", "100002", "100003")
        else:
            assert key is None


def test_data_sets_and_keys_of_old_hands_are_known(old: Store) -> None:
    check_keys(old, 15)
    others = "select count(*), count(source_key), count(dataset) from events where seq > 0"
    rows, keys, datasets = query.ask(old, others).fetchall()[0]
    assert rows == datasets > 0
    assert keys == 0


def test_an_old_store_goes_on(old: Store, tmp_path: Path) -> None:
    """Its table gets the new columns, and its hands are known again by what they say."""
    paths = [tmp_path / f"{game}.jsonl" for game in ("kaiser", "ruter_sju")]
    for path in paths:
        export.export(old, path.stem, "cardlog-jsonl", str(path))
    text = b"".join(path.read_bytes() for path in paths)
    counts = ingest_text(old, tmp_path, text, "all.jsonl", final=True).counts
    assert (counts.hands_stored, counts.duplicates, counts.quarantined) == (0, 15, 0)
    more = text_of(hand("a new one", match_id="table-9", hand_no=0))
    ingest_text(old, tmp_path, more, "more.jsonl", dataset="club", final=True)
    assert {field.name for field in DeltaTable(old.uri("events")).schema().fields} == set(SCHEMA.names)
    rows = query.ask(old, f"{OPENINGS} and source_key = 'a new one'").fetchall()
    assert [(hand_no, dataset) for _, hand_no, dataset, _ in rows] == [(0, "club")]
    runs.build(old)
    compact.compact(old)
    assert verify.verify(old).problems == []
    built = "select hand_id, dataset, source_key from playedhand order by all"
    stored = "select hand_id, dataset, source_key from events where seq = 0 order by all"
    assert query.ask(old, built).fetchall() == query.ask(old, stored).fetchall()
