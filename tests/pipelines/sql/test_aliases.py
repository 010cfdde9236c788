"""Names that `aliases.csv` says are of one person are one in the marts."""

from pathlib import Path

import duckdb
import pytest

import cardlog as api
from cardlog.pipelines.sql import aliases
from tests.support.stores import FIXTURES

LOG = sorted((FIXTURES.parent / "five_card_draw").glob("games_sample.txt"))[0]


def written(folder: Path, text: str) -> Path:
    (folder / aliases.FILE).write_text(text, encoding="utf-8")
    return folder / "warehouse.duckdb"


def test_names_have_a_person_and_others_stay(tmp_path: Path) -> None:
    path = written(tmp_path, '\ufeffname,person\nO\'Neil,Ann\n\n"a,b",Ann\n')
    assert aliases.persons(path) == {"O'Neil": "Ann", "a,b": "Ann"}
    with duckdb.connect() as connection:
        connection.execute("create view seats as select unnest(['O''Neil', 'a,b', 'Bo', null]) as name")
        for found, *expected in ((aliases.persons(path), "Ann", "Ann"), ({}, "O'Neil", "a,b")):
            connection.execute(aliases.function(found))
            rows = connection.execute("select person(name) from seats").fetchall()
            assert rows == [(name,) for name in (*expected, "Bo", None)]
    assert aliases.forget(path, "a,b") == 1
    assert aliases.persons(path) == {"O'Neil": "Ann"}
    aliases.forget(path, "Ann")
    assert aliases.persons(path) == {}


def test_a_file_that_makes_no_sense_is_refused(tmp_path: Path) -> None:
    for text in ("", "person,name\n", "name,person\na\n", "name,person\na,\n", "name,person\na,b\na,c\n"):
        with pytest.raises(api.CardlogError, match=r"aliases\.csv: "):
            aliases.persons(written(tmp_path, text))


@pytest.mark.long
def test_the_next_build_has_them_and_a_forgotten_name_is_no_longer_in_the_file(tmp_path: Path) -> None:
    store = api.open(tmp_path / "store")
    store.ingest(LOG)
    store.build(marts=False)
    hands = "select player_name, count(*) from {} where player_name is not null group by all order by all"
    (one, few), (other, more), *rest = store.sql(hands.format("seats")).fetchall()
    file = written(tmp_path / "store", f"name,person\n{one},{other}\n").with_name(aliases.FILE)
    store.build()
    assert store.sql(hands.format("seats")).fetchall() == [(other, few + more), *rest]
    for mart in ("players", "player_months", "ratings", "five_card_draw_players"):
        assert store.sql(f"select count(*) from {mart} where player_name = '{one}'").fetchone() == (0,)
    assert (one, few) in store.sql(hands.format("memory.seats")).fetchall()
    file.write_text(file.read_text() + "Bo,Bob\n")
    assert store.status()["marts"] == "behind: cardlog build"
    (tmp_path / "store" / "warehouse.duckdb").unlink()  # else the forget builds the marts
    assert store.forget(player=one).lines == 1
    assert aliases.persons(file) == {"Bo": "Bob"}
    store.build()
    assert (store.forget(player="Bob").marts_removed, aliases.persons(file)) == (True, {})
