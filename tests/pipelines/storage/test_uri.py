"""A store behind a URI: the way through Arrow's file systems, shown on ``file://``."""

from pathlib import Path

import pytest

from cardlog.pipelines import runs
from cardlog.pipelines.sql import marts, query, warehouse
from cardlog.pipelines.storage.store import Store, StoreError
from cardlog.pipelines.terminal import drawings as draw
from cardlog.pipelines.upkeep import status
from tests.support.csv_rows import EDGE, SAMPLE


@pytest.fixture(scope="module")
def remote(tmp_path_factory: pytest.TempPathFactory) -> Store:
    store = Store(f"file://{tmp_path_factory.mktemp('remote')}/store")
    runs.ingest(store, [str(SAMPLE), str(EDGE)])
    runs.build(store)
    return store


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Store:
    store = Store(str(tmp_path_factory.mktemp("local") / "store"))
    runs.ingest(store, [str(SAMPLE), str(EDGE)])
    runs.build(store)
    return store


@pytest.mark.parametrize("table", ["events", "playedhand", "tricks", "decisions", "quarantine"])
def test_tables_are_the_same_as_in_a_folder(remote: Store, local: Store, table: str) -> None:
    sql = f"select * from {table} order by all"
    assert remote.is_local is False
    theirs = query.run(query.connect(remote), sql).fetchall()
    assert theirs == query.run(query.connect(local), sql).fetchall()
    assert theirs


@pytest.mark.usefixtures("few_marts")
def test_marts_and_drawings_are_made_of_it(
    remote: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert marts.build(remote) > 0
    assert warehouse.path_of(remote) == tmp_path / "warehouse.duckdb"
    connection = query.connect(remote)
    [(hand_id,)] = query.run(connection, "select hand_id from hands order by 1 limit 1").fetchall()
    assert draw.find(remote, hand_id).hand_ids[0].decode() == hand_id
    assert status.status(remote)["hands"]["hands_stored"] == 324


def test_files_of_the_machine_stay_out_of_reach(remote: Store) -> None:
    with pytest.raises(query.QueryError, match="read_text can't be used in a query"):
        query.run(query.connect(remote), "select * from read_text('/etc/hostname')")


def test_a_uri_of_no_known_kind_is_an_error_for_the_user() -> None:
    with pytest.raises(StoreError, match="gopher"):
        Store("gopher://somewhere/store")
