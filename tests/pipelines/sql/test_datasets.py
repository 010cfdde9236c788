"""Data sets are kept apart: what the marts say of one doesn't depend on what else is in the store."""

import gzip
from collections import Counter
from typing import Any, NamedTuple

import pytest

from cardlog.pipelines import runs
from cardlog.pipelines.export.simulate import simulate
from cardlog.pipelines.sql import marts, query, warehouse
from cardlog.pipelines.storage.store import Store
from tests.support.shared import FIXTURES
from tests.support.stores import ingest, own_name
from tests.support.summaries import rows_of

LOGS = (
    "kaiser/playedhand_sample.csv",
    "belote/readme_transcripts.txt.gz",
    "pinochle/jan2013_edge_throwin_transcripts.txt.gz",
    "five_card_draw/games_transcripts.txt.gz",
    "hold_em/sample.phhs",
)
RUTER_SJU = "ruter_sju/transcripts.txt.gz"
"""Of this one the first 30 games, several of each mix."""
SIMULATED = {"kaiser": 40, "belote": 20, "ruter_sju": 20, "pinochle": 20, "five_card_draw": 40, "hold_em": 40}
WITHOUT = {"data_quality", "ingested_sources", "quarantine_reasons", "score_discrepancies"}
"""Marts of the group quality, which are about sources."""
OF_ANALYSIS = {path.stem for path in (warehouse.DBT_PROJECT / "models" / "marts" / "analysis").glob("*.sql")}
"""Marts of hands that were analysed, as none is here."""
UNLIKE_SIDES = {"seatings"}
"""Marts of hands with humans and computers, of whom simulated ones have only these."""
OF_HANDS = {"five_card_draw_pots", "ruter_sju_acts", "ruter_sju_boards"} | {
    f"{game}_recomputed_points" for game in ("kaiser", "belote", "pinochle")
}
"""Marts that have a data set only by their hands."""

pytestmark = pytest.mark.long

Rows = dict[str, list[dict[str, Any]]]


class Marts(NamedTuple):
    """A store and its marts that have a data set: of logs alone, and after these were ingested again and more
    were simulated."""

    store: Store
    alone: Rows
    together: Rows


def names() -> set[str]:
    return {path.stem for path in (warehouse.DBT_PROJECT / "models" / "marts").rglob("*.yml")}


def ask(store: Store) -> Rows:
    """The rows of each mart."""
    with query.connect(store) as connection:
        wanted = names() - WITHOUT - OF_HANDS - OF_ANALYSIS
        return {name: rows_of(connection, f"from {name}") for name in wanted}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    folder = tmp_path_factory.mktemp("datasets")
    store = Store(str(folder / "store"))
    text = gzip.decompress((FIXTURES / RUTER_SJU).read_bytes())
    (folder / "ruter_sju.txt").write_bytes(text[: text.index(b"=== GAME R0030")])
    logs = [folder / "ruter_sju.txt", *(FIXTURES / log for log in LOGS)]
    ingest(store, *logs, dataset="one")
    runs.build(store)
    marts.build(store)
    alone = ask(store)
    ingest(store, *logs, dataset="two")
    for game, hands in SIMULATED.items():
        simulate(game, hands, 1, str(folder / f"{game}.jsonl"))
        ingest(store, folder / f"{game}.jsonl", dataset="simulated")
    runs.build(store)
    marts.build(store)
    return Marts(store, alone, ask(store))


def of(rows: list[dict[str, Any]], dataset: str) -> list[str]:
    """The rows of a data set, without its name and those that are made from it, in order."""
    without = {"dataset", "hand_id", "match_id", "last_hand_id", "source_key", "ingest_no"}
    kept = [row for row in rows if row["dataset"] == dataset]
    return sorted(
        repr({name: rounded(value) for name, value in row.items() if name not in without}) for row in kept
    )


def rounded(value: Any) -> Any:
    """Sums of fractions may differ in the last digits."""
    return round(value, 9) if isinstance(value, float) else value


def test_every_mart_has_the_data_set_of_its_rows(built: Marts) -> None:
    for name, rows in built.together.items():
        found = {row["dataset"] for row in rows}
        expected = {"one", "two"} if name in UNLIKE_SIDES else {"one", "two", "simulated"}
        assert found == expected or name == "pinochle_refused_plays", name


def test_what_is_said_of_a_data_set_does_not_depend_on_others(built: Marts) -> None:
    for name, rows in built.together.items():
        assert {row["dataset"] for row in built.alone[name]} == {"one"}, name
        assert of(rows, "one") == of(built.alone[name], "one"), name


def test_a_source_in_two_data_sets_is_numbered_in_each(built: Marts) -> None:
    """The number of a game in its mix counts the games of the source in one data set."""
    numbers: dict[str, dict[tuple[str, int], int]] = {"one": {}, "two": {}, "simulated": {}}
    for row in built.together["ruter_sju_player_stats"]:
        numbers[row["dataset"]][own_name(row["match_id"]), row["seat"]] = row["game"]
    assert numbers["one"] == numbers["two"]
    assert max(numbers["one"].values()) > 1


def test_scores_checked_are_all_that_a_source_reports(built: Marts) -> None:
    """Whichever ingest has stored the hands, and whatever the scores are of."""
    with query.connect(built.store) as connection:
        found = rows_of(connection, "from data_quality")
        scored = rows_of(connection, "select source_id, action from events where kind = 'score'")
    scores = Counter(row["source_id"] for row in scored)
    assert [row["scores_checked"] for row in found] == [scores[row["source_id"]] for row in found]
    assert {bool(row["scores_checked"]) for row in found} == {False, True}
    assert len({row["source_id"] for row in found}) < len(found)
    assert len({row["action"] for row in scored}) > 2
