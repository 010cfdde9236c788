"""Ruter Sju's marts against the original program's own figures, and against what the fold says."""

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
from stores import ingest

from pipelines import runs, warehouse
from pipelines.store import Store

FIXTURES = Path(__file__).parents[1] / "fixtures" / "ruter_sju"
LOGS = [str(FIXTURES / f"{name}transcripts.txt.gz") for name in ("", "variants_", "edge_human_")]
TABLES = ["stats.csv", *(path.name for path in sorted(FIXTURES.glob("variants_stats_*.csv")))]


@pytest.fixture(scope="module")
def marts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    """The warehouse of all logs; the build has run all data tests."""
    store = Store(str(tmp_path_factory.mktemp("ruter_sju") / "store"))
    ingest(store, *LOGS)
    runs.build(store)
    warehouse.run_dbt(store)
    with duckdb.connect(str(warehouse.path_of(store)), read_only=True) as connection:
        yield connection


def rows_of(connection: duckdb.DuckDBPyConnection, sql: str) -> list[dict[str, Any]]:
    result = connection.execute(sql)
    names = [column[0] for column in result.description or []]
    return [dict(zip(names, row, strict=True)) for row in result.fetchall()]


def snake(name: str) -> str:
    return {"gid": "match_id"}.get(name, re.sub("([A-Z])", lambda letter: "_" + letter[1].lower(), name))


def same(ours: Any, theirs: str) -> bool:
    if isinstance(ours, float):
        return ours == float(theirs)
    return str(ours) == theirs


def test_every_cell_of_the_statistics_is_the_original_one(marts: duckdb.DuckDBPyConnection) -> None:
    """All 27 to 29 columns of stats.csv and the variants; doubles are equal, not only near."""
    ours = {
        (row["match_id"], row["player_name"]): row
        for row in rows_of(marts, "from ruter_sju_player_stats where kind in ('smart', 'dumb', 'random')")
    }
    cells = 0
    wrong = []
    for table in TABLES:
        for row in csv.DictReader(io.StringIO((FIXTURES / table).read_text())):
            found = ours[row["gid"], row["playerName"]]
            for name, value in row.items():
                cells += 1
                if not same(found[snake(name)], value):
                    wrong.append((table, row["gid"], row["playerName"], name, found[snake(name)], value))
    assert wrong == []
    assert cells == 900 * 28 + 18 * (27 + 28 + 28 + 29 + 30)
