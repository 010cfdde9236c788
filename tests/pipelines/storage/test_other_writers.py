"""Stores that other Delta clients wrote into: their strings, row groups and orders are read; what they
take away is missed."""

import re
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable, WriterProperties, write_deltalake

from cardlog.pipelines import runs
from cardlog.pipelines.derive import derive as building
from cardlog.pipelines.sql import hand_lookup
from cardlog.pipelines.storage import events_file as reading
from cardlog.pipelines.storage.events_file import EventsFile
from cardlog.pipelines.storage.store import Store, StoreError
from cardlog.pipelines.storage.stored_hands import stored_ids
from cardlog.pipelines.upkeep.verify import verify
from cardlog.schemas import versions
from cardlog.schemas.events import SCHEMA
from tests.support.csv_rows import dump, dump_lines
from tests.support.exports import export
from tests.support.soak import soak
from tests.support.stores import PROJECTIONS, assert_same, built, copied, ingest_text

pytestmark = pytest.mark.long

LINES = dump_lines()


@pytest.fixture
def store(good: Store, tmp_path: Path) -> Store:
    """A copy of it for others to write into."""
    return copied(good, tmp_path / "store")


def events_of(store: Store) -> DeltaTable:
    """The table of events, with its protection taken away."""
    table = DeltaTable(store.uri("events"))
    table.alter.set_table_properties({"delta.appendOnly": "false"})
    return table


def compacted(store: Store, **how: Any) -> None:
    DeltaTable(store.uri("events")).optimize.compact(**how)


def plain(rows: pa.Table, kind: pa.DataType) -> pa.Table:
    """Rows of events with strings of some type instead of dictionaries."""
    for place, field in enumerate(SCHEMA):
        if pa.types.is_dictionary(field.type) or field.type == pa.string():
            column = rows.column(place).cast(pa.string())
            rows = rows.set_column(place, field.name, column if field.name == "game" else column.cast(kind))
    return rows


def rewritten_as(kind: Callable[[], pa.DataType]) -> Callable[[Store], None]:
    """A writer of the same rows, backwards, with strings of some type."""

    def write(store: Store) -> None:
        rows = pa.concat_tables(store.read("events"))
        rows = plain(rows.take(pa.array(range(len(rows) - 1, -1, -1))), kind())
        events_of(store)
        write_deltalake(store.uri("events"), rows, mode="overwrite")

    return write


WRITERS: dict[str, Callable[[Store], object]] = {
    "small row groups": partial(compacted, writer_properties=WriterProperties(max_row_group_size=100)),
    "another order": lambda store: DeltaTable(store.uri("events")).optimize.z_order(["kind", "source_line"]),
    "plain strings": rewritten_as(pa.string),
    "compacted": compacted,
    "large strings": rewritten_as(pa.large_string),
    "string views": rewritten_as(pa.string_view),
}


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are read in several pieces."""
    monkeypatch.setattr(reading, "LOOSE_ROWS", 1000)


@pytest.fixture(scope="module")
def twelve_more(good: Store, tmp_path_factory: pytest.TempPathFactory) -> Store:
    """The same hands and twelve more rows, ten of them known, built. Not to be changed."""
    folder = tmp_path_factory.mktemp("more")
    return built(copied(good, folder / "store"), folder, dump(*LINES[50:62]))


@pytest.mark.parametrize("writer", [*list(WRITERS)[:3], *soak(*list(WRITERS)[3:])])
@pytest.mark.usefixtures("small_pieces")
def test_what_others_rewrote_is_read_as_it_was(
    writer: str, store: Store, good: Store, twelve_more: Store, tmp_path: Path
) -> None:
    WRITERS[writer](store)
    assert not set(store.paths("events")) & set(good.paths("events"))
    (path,) = store.paths("events")
    assert EventsFile(store, path).pieces == 3
    ids = stored_ids(store, path)
    assert len(ids) == 60
    name = ids[7].decode()
    assert (hand_lookup.find(store, name).content() == hand_lookup.find(good, name).content()).all()
    assert ingest_text(store, tmp_path, dump(*LINES[50:62]), "more.csv").counts.duplicates == 10
    runs.build(store, afresh=True)
    assert_same(twelve_more, store, PROJECTIONS, without=("source_id", "source_line"))


def test_a_build_after_others_compacted_adds_none_twice(store: Store, good: Store, tmp_path: Path) -> None:
    """The events, then also what was built of them; and exports have every hand."""
    compacted(store)
    assert runs.build(store)["playedhand"] == 60
    assert_same(good, store, PROJECTIONS)
    ingest_text(store, tmp_path, dump(*LINES[60:63]), "more.csv")
    compacted(store)
    assert None not in building.plan(store, building.ALL, afresh=False).since.values()
    assert runs.build(store)["playedhand"] == 63
    for name in PROJECTIONS:
        DeltaTable(store.uri(name)).optimize.compact()
        assert len(store.paths(name)) == 1
    ingest_text(store, tmp_path, dump(*LINES[63:64]), "last.csv")
    assert runs.build(store)["playedhand"] == 64
    runs.build(expected_of := copied(store, f"{store.root}-copy"), afresh=True)
    assert_same(expected_of, store, PROJECTIONS)
    assert export(store, "kaiser", "playedhand-csv", tmp_path / "out.csv") == 64
    assert export(store, "kaiser", "npz", tmp_path / "training") > 0


def test_deleted_rows_are_missed(store: Store) -> None:
    events_of(store).delete("hand_id < '8'")
    left = runs.build(store, afresh=True)
    assert 0 < left["playedhand"] < 60
    assert runs.build(store) == left
    (problem,) = [problem for problem in verify(store).problems if problem.place == "events"]
    assert re.fullmatch(r"it holds \d+ hands of .* events, but the ingests stored 60 of .*", problem.what)
    assert problem.advice.startswith("restore it from a backup")


def test_a_hand_that_is_not_whole_is_named_with_its_file(store: Store) -> None:
    """Parts of hands were deleted, or are in several files."""
    ids = sorted(pa.concat_tables(store.read("events")).column("hand_id").unique().to_pylist())
    events_of(store).delete(f"hand_id = '{ids[9]}' and seq = 5")
    (path,) = (path for path in store.paths("events") if "part-" in path)
    with pytest.raises(StoreError, match=rf"{path} can't be read .*hand {ids[9]} are not all there.*backup"):
        runs.build(store, afresh=True)


def test_events_of_a_newer_cardlog_ask_for_an_upgrade(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(versions, "SCHEMA_VERSION", versions.SCHEMA_VERSION - 1)
    with pytest.raises(StoreError, match=r"\.parquet: .*written by a newer cardlog; upgrade"):
        runs.build(store, afresh=True)


def test_a_foreign_table_in_a_tables_place_is_named(store: Store) -> None:
    shutil.rmtree(store.uri("tricks"))
    write_deltalake(store.uri("tricks"), pa.table({"colour": ["red"], "size": [3]}))
    with pytest.raises(StoreError, match=r"the table .*tricks is not cardlog's"):
        runs.build(store)
