"""Bits flipped all over a store: whoever reads it says so, or gives the answers it gave before."""

import os
import random
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest

from cardlog.pipelines.build import build
from cardlog.pipelines.export import export
from cardlog.pipelines.sql import hand_lookup, query, warehouse
from cardlog.pipelines.sql.query import QueryError
from cardlog.pipelines.storage import data_files, delta_log
from cardlog.pipelines.storage.store import SCHEMAS, Store, StoreError
from cardlog.pipelines.upkeep import quarantine
from cardlog.pipelines.upkeep.verify import verify
from tests.support.flips import flipped
from tests.support.shared import small_store

FLIPS = int(os.environ.get("CARDLOG_FLIPS", "140"))
"""How many for each kind of file of each table; the ways to read below take turns."""
ERRORS = (StoreError, QueryError, duckdb.Error)
"""What is a message for the user, of which there must be one."""


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A copy of a store with everything in it, to be damaged one bit at a time."""
    folder = tmp_path_factory.mktemp("flips")
    shutil.copytree(small_store().root, folder / "store")
    return Store(str(folder / "store"))


def rebuilt(store: Store) -> Any:
    """What a rebuild writes, without Beam: files are named by their content."""
    plan = build.plan(store, build.ALL, afresh=True)
    return [build.build_item(store.root, item, None) for item in plan.items]


def to_build(store: Store) -> Any:
    """What a build finds to do, and from which rows."""
    plan = build.plan(store, build.ALL, afresh=False)
    return plan.version, plan.since, plan.items


def exported(store: Store) -> Any:
    found = []
    for form in ("cardlog-jsonl", "playedhand-csv"):
        out = Path(store.root).with_name("out")
        out.unlink(missing_ok=True)
        export.export(store, "kaiser", form, out)
        found.append(out.read_bytes())
    return found


def shown(store: Store) -> Any:
    batch = hand_lookup.find(store, "02ad")
    return batch.hand_ids.tolist(), batch.content().tolist()


def in_quarantine(store: Store) -> Any:
    return quarantine.counts(store), quarantine.entries(store, None, 100)


def asked(store: Store) -> Any:
    return [
        query.connect(store, {name}).execute(f"select bit_xor(hash(t)), count(*) from {name} t").fetchall()
        for name in SCHEMAS
    ]


def marts(store: Store) -> Any:
    connection = query.connect(store)
    names = connection.execute(
        "select table_schema || '.' || table_name from information_schema.tables "
        "where table_catalog = 'marts' and table_schema in ('main', 'steps') order by all"
    ).fetchall()
    return [connection.execute(f"select bit_xor(hash(t)) from {name} t").fetchall() for (name,) in names]


READERS: dict[str, Callable[[Store], Any]] = {
    "build": to_build,
    "rebuild": rebuilt,
    "export": exported,
    "show": shown,
    "quarantine": in_quarantine,
    "query": asked,
    "verify": lambda store: vars(verify(store)),
}


def outcomes(
    store: Store, path: Path, bits: list[int], readers: dict[str, Callable[[Store], Any]]
) -> Counter[str]:
    """What readers, which take turns, say to flipped bits: ``SILENT`` if an answer is another one."""
    expected = {name: read(store) for name, read in readers.items()}
    found: Counter[str] = Counter()
    for number, bit in enumerate(bits):
        name, read = list(readers.items())[number % len(readers)]
        delta_log._replays.clear()
        data_files._verified.clear()
        with flipped(path, bit):
            try:
                same = read(store) == expected[name]
                found["the same" if same else "found" if name == "verify" else f"SILENT {name} {bit}"] += 1
            except ERRORS:
                found["found"] += 1
    delta_log._replays.clear()
    assert {name: read(store) for name, read in readers.items()} == expected
    return found


@pytest.mark.soak
@pytest.mark.parametrize("kind", ["data", "log"])
@pytest.mark.parametrize("table", SCHEMAS)
def test_no_flipped_bit_of_a_table_changes_an_answer(table: str, kind: str, store: Store) -> None:
    folder = Path(store.uri(table))
    paths = [folder / path for path in store.paths(table)]
    if kind == "log":
        paths = sorted((folder / "_delta_log").glob("*.json"))
    rng = random.Random(f"{table} {kind}")
    for path in paths:
        bits = [rng.randrange(8 * path.stat().st_size) for _ in range(-(-FLIPS // len(paths)))]
        found = outcomes(store, path, bits, READERS)
        assert set(found) <= {"the same", "found"}, found
        assert found["found"] > 0


@pytest.mark.soak
def test_no_flipped_bit_of_the_warehouse_changes_an_answer(store: Store) -> None:
    path = warehouse.path_of(store)
    rng = random.Random("warehouse")
    bits = [rng.randrange(8 * path.stat().st_size) for _ in range(FLIPS)]
    found = outcomes(store, path, bits, {"marts": marts, "verify": READERS["verify"]})
    assert set(found) <= {"the same", "found"}, found
    assert found["found"] > 0
