"""Incremental builds give the same marts as a rebuild, and what the marts say of a data set doesn't depend on
what else is in the store, nor on how its logs grew."""

import gzip
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import pytest

from cardlog.pipelines import runs
from cardlog.pipelines.export.simulate import simulate
from cardlog.pipelines.sql import marts, query, warehouse
from cardlog.pipelines.storage.moment import pinned
from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.upkeep import quarantine
from tests.support import summaries
from tests.support.csv_rows import changed, dump, dump_lines, edge_lines
from tests.support.shared import FIXTURES, small_store
from tests.support.small_project import assert_as_rebuilt, base_of
from tests.support.stores import copied, ingest, ingest_text

pytestmark = pytest.mark.long

Rows = dict[str, list[dict[str, Any]]]

LOGS = (
    "belote/readme_transcripts.txt.gz", "pinochle/jan2013_edge_throwin_transcripts.txt.gz",
    "five_card_draw/games_transcripts.txt.gz", "hold_em/sample.phhs", "ruter_sju/transcripts.txt.gz",
)  # fmt: skip
END = b"=== GAME R0030"
"""Of Ruter Sju's log the games before this one are taken, several of each mix."""
TORCH = ("examples/real_torch.txt.gz", "torch_cesmak_transcripts.txt.gz")
"""Two logs of belote that have a match of the same name and first deal."""
SIMULATED = {"kaiser": 40, "belote": 20, "ruter_sju": 20, "pinochle": 20, "five_card_draw": 40, "hold_em": 40}
WITHOUT_DATA_SET = {
    *("data_quality", "ingested_sources", "quarantine_reasons", "score_discrepancies"),  # of sources
    *("five_card_draw_pots", "ruter_sju_acts", "ruter_sju_boards"),  # only by their hands
    *(f"{game}_recomputed_points" for game in ("kaiser", "belote", "pinochle")),
    *(path.stem for path in (warehouse.DBT_PROJECT / "models" / "marts" / "analysis").glob("*.sql")),
}
"""Marts, and those of hands that were analysed, as none is here."""
ENDS = ("_low", "_high")
"""Of intervals, which depend on the matches' names."""
BY_IDS = {"ruter_sju_place_estimates", "ruter_sju_place_calibration"}
"""Marts that take one part of the hands or the other by their ids, which are of a data set."""
UNLIKE_SIDES = {"seatings"}
"""Marts of hands with humans and computers, of whom simulated ones have only these."""


def ingests(store: Store, folder: Path, dataset: str, steps: int) -> Iterator[None]:
    """Ingest logs of all games, each as it grows, cut at lines; so that matches go on, hands are damaged and
    hands are stored late. Between the first step and the last one only some logs have grown."""
    rows = dump_lines()
    cut = changed(rows[1000], played_cards="")
    texts = {"kaiser.csv": dump(*rows[:20], edge_lines()[0], cut, *rows[20:40], edge_lines()[1])}
    for name in LOGS:
        text = (FIXTURES / name).read_bytes()
        text = gzip.decompress(text) if name.endswith(".gz") else text
        texts[Path(name).name.removesuffix(".gz")] = text[: text.find(END) if END in text else None]
    for step in range(steps):
        is_last = step == steps - 1
        for number, (name, text) in enumerate(texts.items()):
            if step in (0, steps - 1) or (step + number) % 2:
                end = len(text) if is_last else text.rindex(b"\n", 0, len(text) * (step + 1) // steps) + 1
                ingest_text(store, folder, text[:end], name, dataset=dataset, final=is_last)
        yield


def build(store: Store) -> None:
    """Add what is new to the marts."""
    runs.build(store)
    marts.build(store)
    assert warehouse.is_current(store)


def by_data_set(store: Store) -> Rows:
    """The rows of each mart that has a data set."""
    names = {path.stem for path in (warehouse.DBT_PROJECT / "models" / "marts").rglob("*.yml")}
    with query.connect(store) as connection:
        return {name: summaries.rows_of(connection, f"from {name}") for name in names - WITHOUT_DATA_SET}


class Grown(NamedTuple):
    """A store whose marts were built three times: from the beginnings of logs, from the whole logs, and when
    these were also ingested at once as another data set, and more were simulated; with the rows of its marts
    after the second build and after the third one."""

    store: Store
    alone: Rows
    together: Rows


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> Grown:
    folder = tmp_path_factory.mktemp("grown")
    store = Store(str(folder / "store"))
    for step, _ in enumerate(ingests(store, folder, "one", 2)):
        assert (base_of(store) is None) is (step == 0)
        ingest(store, FIXTURES / "belote" / TORCH[step], dataset="torch")
        build(store)
    quarantine.retry(store)
    alone = by_data_set(store)
    assert [*ingests(store, folder, "two", 1)]
    for game, hands in SIMULATED.items():
        simulate(game, hands, 1, str(folder / f"{game}.jsonl"))
        ingest(store, folder / f"{game}.jsonl", dataset="simulated")
    build(store)
    return Grown(store, alone, by_data_set(store))


def of(rows: list[dict[str, Any]], dataset: str, *ends: str) -> list[str]:
    """The rows of a data set, without its name and those that are made from it, in order. Sums of fractions
    may differ in the last digits; columns with some ends of names are left out."""
    without = {"dataset", "hand_id", "match_id", "last_hand_id", "source_key", "source_id", "ingest_no"}
    names = [name for name in sorted(rows[0].keys() - without) if not name.endswith(ends)] if rows else []
    kept = [[row[name] for name in names] for row in rows if row["dataset"] == dataset]
    return sorted(repr([round(one, 9) if type(one) is float else one for one in row]) for row in kept)


def test_data_sets_are_kept_apart_and_logs_that_grew_are_as_those_ingested_at_once(grown: Grown) -> None:
    """So games are numbered by an order that does not follow the ingests."""
    for name, rows in grown.together.items():
        expected = {"one", "two"} if name in UNLIKE_SIDES else {"one", "two", "simulated"}
        assert {row["dataset"] for row in rows} - {"torch"} == expected or name == "pinochle_refused_plays"
        assert of(rows, "one") == of(grown.alone[name], "one"), name
        assert of(rows, "one", *ENDS) == of(rows, "two", *ENDS) or name in BY_IDS, name
    assert max(row["game"] for row in grown.together["ruter_sju_player_stats"]) > 1


def test_scores_checked_are_all_that_a_source_reports(grown: Grown) -> None:
    """Whichever ingest has stored the hands, and whatever the scores are of."""
    with query.connect(grown.store) as connection:
        sql = "select source_id, scores_checked from data_quality"
        found = connection.execute(sql).fetchall()
        sql = "select source_id, action from events where kind = 'score'"
        scored = connection.execute(sql).fetchall()
    scores = Counter(source for source, _ in scored)
    assert found == [(source, scores[source]) for source, _ in found]
    assert {bool(checked) for _, checked in found} == {False, True}
    assert len({source for source, _ in found}) < len(found)
    assert len({action for _, action in scored}) > 2


def test_a_hand_of_another_log_may_have_the_place_of_one_of_a_match(grown: Grown) -> None:
    """All marts are built; that match is broken."""
    rows = grown.together["belote_matches"]
    assert [row["is_unbroken"] for row in rows if row["dataset"] == "torch"].count(False) == 1


def test_increments_come_to_what_a_rebuild_makes(grown: Grown) -> None:
    assert_as_rebuilt(grown.store)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(10))
def test_many_increments_come_to_what_a_rebuild_makes(seed: int, store: Store, tmp_path: Path) -> None:
    rng = random.Random(seed)
    for step, _ in enumerate(ingests(store, tmp_path, "one", 12)):
        if rng.random() < 0.8 or step == 0:
            build(store)
    quarantine.retry(store)
    build(store)
    assert_as_rebuilt(store)


def test_increments_read_no_hand_of_an_earlier_build_even_if_it_left_no_row(tmp_path: Path) -> None:
    store = copied(small_store(), tmp_path / "store")
    before, has_sums = pinned(store).moment.versions["events"], False
    path = str(warehouse.path_of(store))
    with duckdb.connect(path) as connection:
        models = connection.execute(
            "select schema_name || '.' || table_name from duckdb_columns() join duckdb_tables() "
            "using (schema_name, table_name) where column_name = 'ingest_no' and estimated_size > 0"
        ).fetchall()
        for (model,) in models:
            connection.execute(f"delete from {model}")
    ingest_text(store, tmp_path, dump(*dump_lines()[1000:1020]), "more.csv")
    build(store)
    with duckdb.connect(path, read_only=True) as connection:
        for (model,) in models:
            [(first,)] = connection.execute(f"select min(ingest_no) from {model}").fetchall()
            assert first is None or first > before, model
            has_sums |= first is not None and "_sums" in model
    assert has_sums
