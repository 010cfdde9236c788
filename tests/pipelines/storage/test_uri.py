"""A store behind a URI: the way through Arrow's file systems, shown on ``file://``."""

import io
from pathlib import Path

import pytest

from cardlog.pipelines import runs
from cardlog.pipelines.export.export import ExportError
from cardlog.pipelines.ingest import sources
from cardlog.pipelines.sql import hand_lookup, marts, query, warehouse
from cardlog.pipelines.storage.errors import Damaged, naming
from cardlog.pipelines.storage.remote import TEMPORARY, Folder
from cardlog.pipelines.storage.store import Store, StoreError
from cardlog.pipelines.upkeep import status, vacuum
from tests.support.csv_rows import EDGE, SAMPLE
from tests.support.exports import export
from tests.support.files import content
from tests.support.shared import small_store

pytestmark = pytest.mark.long

BEAM = ("--runner=FnApiRunner",)


@pytest.fixture(scope="module")
def remote(tmp_path_factory: pytest.TempPathFactory) -> Store:
    store = Store(f"file://{tmp_path_factory.mktemp('remote')}/store")
    runs.ingest(store, [str(SAMPLE), str(EDGE)])
    runs.build(store)
    return store


def test_tables_marts_and_drawings_are_the_same_as_in_a_folder(
    remote: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert remote.is_local is False
    assert marts.build(remote) > 0
    assert warehouse.path_of(remote) == tmp_path / "warehouse.duckdb"
    for table in ("events", "playedhand", "tricks", "decisions", "quarantine", "hands"):
        sql = f"select * from {table} order by all"
        theirs = query.connect(remote).run(sql).fetchall()
        assert theirs
        assert theirs == query.connect(small_store()).run(sql).fetchall(), table
    [(hand_id,)] = query.connect(remote).run("select min(hand_id) from hands").fetchall()
    assert hand_lookup.find(remote, hand_id).hand_ids[0].decode() == hand_id
    assert status.status(remote)["hands"]["hands_stored"] == 324


def test_vacuum_removes_what_machines_exchanged(remote: Store) -> None:
    folder = Folder(f"{remote.root}/{TEMPORARY}/run")
    folder.put("source", io.BytesIO(b"text"))
    assert vacuum.vacuum(remote, 3600, dry_run=False) == []
    assert vacuum.vacuum(remote, -1, dry_run=True) == [(f"{TEMPORARY}/run/source", 4)]
    assert folder.has("source")
    vacuum.vacuum(remote, -1, dry_run=False)
    assert not folder.has("source")


def test_exports_to_a_uri(remote: Store, tmp_path: Path) -> None:
    """The same bytes as in a folder."""
    there, here = f"file://{tmp_path}/there", tmp_path / "here"
    here.mkdir()
    forms = {"rows": "parquet", "arrays": "npz", "a": "cardlog-jsonl", "a.gz": "cardlog-jsonl"}
    for name, form in forms.items():
        export(small_store(), "kaiser", form, here / name)
        export(remote, "kaiser", form, f"{there}/{name}")
    assert content(tmp_path / "there") == content(tmp_path / "here")
    with pytest.raises(ExportError, match="nothing was overwritten"):
        export(remote, "kaiser", "parquet", f"{there}/rows")
    with pytest.raises(ExportError, match="is inside the store"):
        export(remote, "kaiser", "parquet", f"{remote.root}/rows")


@pytest.mark.parametrize("form", ["parquet", "playedhand-csv"])
def test_workers_apart_reach_nothing_but_the_store(
    form: str, remote: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cardlog.pipelines.runtime.beam_runs.are_apart", lambda options: True)
    export(small_store(), "kaiser", form, tmp_path / "here")
    export(remote, "kaiser", form, tmp_path / "there", beam_options=BEAM)
    assert content(tmp_path / "there") == content(tmp_path / "here")
    assert Folder(f"{remote.root}/{TEMPORARY}").files() == {}


def test_sources_are_copied_for_workers_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the workers open is under the root of the store; the rows say where the log was."""
    opened: list[str] = []
    open_raw = sources.open_raw
    monkeypatch.setattr("cardlog.pipelines.runtime.beam_runs.are_apart", lambda options: True)
    monkeypatch.setattr(sources, "open_raw", lambda path: opened.append(path) or open_raw(path))
    store = Store(f"file://{tmp_path}/store")
    runs.ingest(store, [str(SAMPLE)], beam_options=BEAM)
    is_copy = [path.startswith(f"{store.root}/{TEMPORARY}/") for path in opened]
    assert opened[: is_copy.index(True)] == [str(SAMPLE)] * is_copy.index(True)
    assert all(is_copy[is_copy.index(True) :])
    assert [row["source_path"] for part in store.read("ingests") for row in part.to_pylist()] == [str(SAMPLE)]
    assert Folder(f"{store.root}/{TEMPORARY}").files() == {}


def test_errors_of_an_object_store_are_no_damage(remote: Store) -> None:
    busy = OSError("AWS Error SLOW_DOWN during GetObject operation: Please reduce your request rate.")
    reported = pytest.raises(StoreError, match="can't be read: AWS Error SLOW_DOWN")
    with reported as caught, naming(remote.uri("events"), "events"):
        raise busy
    assert not isinstance(caught.value, Damaged)
