"""A store, its queries and its hands from Python: like the command line, but results are returned and errors
raised. What docs/python.md shows is run by `test_names.py`."""

import json
import re
import shutil
from html import unescape
from pathlib import Path
from typing import Any

import pytest

import cardlog
from cardlog import result as results
from cardlog.pipelines.sql import process
from tests.support.commands import Cardlog
from tests.support.csv_rows import SAMPLE

HAND = "02ad14058eac6936cff7852dc5e73e6f"
COUNT = "select count(*) from events where seq = 0"


@pytest.fixture
def three_rows(tmp_path: Path) -> Path:
    log = tmp_path / "three.csv"
    log.write_bytes(b"".join(SAMPLE.read_bytes().splitlines(keepends=True)[:4]))
    return log


def test_ingest_build_ask(tmp_path: Path, three_rows: Path, capfd: pytest.CaptureFixture[str]) -> None:
    store = cardlog.open(tmp_path / "store")
    done = store.ingest(three_rows, dataset="mine")
    assert (done.hands_read, done.hands_stored, done.quarantined, done.skipped) == (3, 3, 0, [])
    assert [row["dataset"] for row in done.sources] == ["mine"]
    again = store.ingest([str(three_rows)], dataset="mine")
    assert (again.hands_read, again.sources) == (0, [])
    assert again.skipped == [(str(three_rows), "this content was ingested before")]
    (wider := tmp_path / "wider.csv").write_bytes(three_rows.read_bytes().replace(b"\n", b",note\n"))
    assert store.ingest(wider, ignore_columns="note,other", dry_run=True).hands_stored == 3
    built = store.build(marts=False)
    assert (built.rows["playedhand"], built.models) == (3, None)
    assert store.rebuild(marts=False) == built
    assert store.marts() == []
    assert store.sql("select count(*) from tricks").fetchone() == (24,)
    assert store.retry().hands_read == 0
    assert store.verify().problems == store.vacuum() == []
    assert capfd.readouterr() == ("", "")


def test_it_says_and_writes_what_the_commands_do(
    small: cardlog.Store, tmp_path: Path, command: Cardlog
) -> None:
    assert json.loads(command("status", "--json", "--store", small.path).out) == small.status()
    listed = json.loads(command("formats", "--json").out)
    assert cardlog.formats() == {row["format"]: row["reads"] for row in listed}
    listed = json.loads(command("games", "--json").out)
    assert cardlog.games().keys() == {row["game"] for row in listed}
    mine = cardlog.simulate("kaiser", 5, tmp_path / "a.jsonl", seed=7, players=["random"] * 4)
    line = "--game kaiser --hands 5 --seed 7 --players random,random,random,random"
    command("simulate", tmp_path / "b.jsonl", *line.split())
    assert mine.read_bytes() == (tmp_path / "b.jsonl").read_bytes()


def test_where_out_is_in_the_working_directory(
    small: cardlog.Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name with a dash is a file like any other: only commands have standard output."""
    monkeypatch.chdir(tmp_path)
    assert small.export("-", game="kaiser", format="playedhand-csv") == 324
    assert cardlog.simulate("kaiser", 2, "played.csv", seed=1) == Path("played.csv")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["-", "played.csv"]


# ---------------------------------------------------------------- queries


def test_every_form_has_the_same_rows(small: cardlog.Store) -> None:
    found = small.sql("select hand_id, contract, added_date from hands order by hand_id limit 30")
    assert found.types == ["VARCHAR", "INTEGER", "TIMESTAMP WITH TIME ZONE"]
    rows = found.fetchall()
    assert (len(rows), found.fetchall(), found.fetchone()) == (30, rows, rows[0])
    assert found.arrow().column("hand_id").to_pylist() == [row[0] for row in rows]
    frame = found.df()
    assert [*frame.columns] == found.columns == ["hand_id", "contract", "added_date"]
    assert frame["contract"].tolist() == [row[1] for row in rows]
    pytest.importorskip("polars")
    assert found.pl()["contract"].to_list() == [row[1] for row in rows]


def test_it_is_shown_as_a_table(small: cardlog.Store, capsys: pytest.CaptureFixture[str]) -> None:
    found = small.sql("select hand_id, contract from hands where contract is not null order by all")
    found.show(2)
    shown = capsys.readouterr().out.split("\n")
    assert shown[0].split() == ["hand_id", "contract"]
    assert shown[2:] == [
        "0312938e5dfe2a78a83c29de284f0f46         8",
        f"… {len(found.fetchall())} rows; these are the first 2",
        "",
    ]
    assert repr(found).split("\n")[:3] == shown[:3]
    assert len(repr(found).split("\n")) == 22
    assert repr(small.sql("explain select 1")).startswith("explain_key    explain_value\nphysical_plan")


def test_cells_can_do_nothing_to_a_terminal_or_a_page(small: cardlog.Store) -> None:
    found = small.sql("""select '<script>alert(1)</script>' || chr(27) || '[2J' as "<b>" """)
    assert "\x1b" not in repr(found)
    page = found._repr_html_()
    assert not re.search("<script|<b>", page)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;\\x1b[2J" in page
    assert found.fetchall() == [("<script>alert(1)</script>\x1b[2J",)]


@pytest.mark.long
@pytest.mark.parametrize("method", ["fetchall", "arrow", "df"])
def test_a_query_that_takes_too_long_is_stopped(method: str, small: cardlog.Store) -> None:
    found = small.sql("select count(*) from range(1000000) a, range(1000000) b", timeout=0.3)
    with pytest.raises(cardlog.QueryError, match=r"took longer than 0\.3 s and was stopped"):
        getattr(found, method)()


def test_a_package_that_is_missing_is_named(small: cardlog.Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "find_spec", lambda name: None)
    for package, method in (("pandas", "df"), ("polars", "pl")):
        with pytest.raises(cardlog.MissingPackage, match=rf"\.{method}\(\) needs {package}") as missing:
            getattr(small.sql("select 1"), method)()
        assert isinstance(missing.value, ImportError)


def test_one_process_answers_query_after_query_of_the_same_state(tmp_path: Path) -> None:
    """A result is of the moment at which it was asked for, and of the store that is there then."""
    store = cardlog.open(tmp_path / "store")
    store.ingest(cardlog.simulate("kaiser", 3, tmp_path / "a.csv", seed=1))

    def asked(sql: str = COUNT, **limits: Any) -> tuple[int, Any]:
        found = store.sql(sql, **limits)
        assert found._bound is not None
        return found._bound._process, found.fetchone()

    first = asked()
    assert first[1] == (3,)
    assert [asked() for _ in range(3)] == [first] * 3
    assert asked(memory="1GB")[0] != first[0]
    first, earlier = asked(), store.sql(COUNT)
    with pytest.raises(cardlog.QueryError, match="no longer"):
        asked("select error('no longer')")
    assert asked()[0] != first[0]
    store.ingest(cardlog.simulate("kaiser", 3, tmp_path / "b.csv", seed=2))
    assert (earlier.fetchone(), asked()[1]) == ((3,), (6,))
    for hands in (2, 4):
        shutil.rmtree(store.path)
        store.ingest(cardlog.simulate("kaiser", hands, tmp_path / f"{hands}.csv", seed=3))
        assert asked()[1] == (hands,)


def test_a_stale_mart_is_warned_of(small: cardlog.Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """By what the process of the query says of the store."""
    begin, said = process.ProcessConnection.__init__, "of kaiser the marts show the state of events 3"

    def begin_with_remark(connection: process.ProcessConnection, *arguments: Any) -> None:
        begin(connection, *arguments)
        connection.remarks = [said]

    process.take(None)  # one that is kept would be asked
    monkeypatch.setattr(process.ProcessConnection, "__init__", begin_with_remark)
    with pytest.warns(cardlog.StaleMart, match=said) as warned:
        small.sql("select 1 from hands")
    assert warned[0].filename == __file__
    process.take(None)


# ---------------------------------------------------------------- hands


def test_a_hand_is_drawn_as_by_the_command_and_in_a_notebook_with_its_events_and_its_line(
    small: cardlog.Store, command: Cardlog
) -> None:
    hand = small.hand(HAND[:8])
    assert (hand.id, hand.game) == (HAND, "kaiser")
    assert f"{hand}\n" == f"{hand!r}\n" == command("show", HAND[:8], "--store", small.path).out
    page = hand._repr_html_()
    assert page.startswith("<pre")
    assert unescape(re.sub(r"<[^>]*>", "", page)).rstrip("\n") == str(hand)
    table = small.sql(f"from events where hand_id = '{HAND}' order by seq").arrow().to_pylist()
    assert hand.events.to_pylist() == table
    assert [row["seq"] for row in table] == [*range(len(table))]
    assert hand.source() in SAMPLE.read_text(encoding="utf-8").splitlines(keepends=True)
    assert hand.source().startswith(f"{hand.row['id']},")


def test_names_can_do_nothing_to_a_page_or_a_terminal(tmp_path: Path) -> None:
    """Neither HTML nor rich's markup, which would make links."""
    name = '<img src=x onerror="alert(1)">[link=javascript:alert(1)]&amp;\x1b[2J'
    log = cardlog.simulate("belote", 1, tmp_path / "log.jsonl")
    opening, *rows = map(json.loads, log.read_text(encoding="utf-8").splitlines())
    opening["detail"]["players"][0]["name"] = name
    log.write_text("".join(json.dumps(row) + "\n" for row in (opening, *rows)), encoding="utf-8")
    store = cardlog.open(tmp_path / "store")
    assert store.ingest(log).hands_stored == 1
    [(hand_id,)] = store.sql("select distinct hand_id from events").fetchall()
    hand = store.hand(hand_id)
    page = hand._repr_html_()
    assert "&lt;img src=x onerror=&quot;alert(1)&quot;&gt;[link=javascript:alert(1)]&amp;amp;\\x1b[2J" in page
    assert set(re.findall(r"<(\w+)", page)) == {"pre", "span"}
    assert "\x1b" not in str(hand)


# ---------------------------------------------------------------- errors


def test_every_mistake_is_an_error_of_its_kind(
    small: cardlog.Store, tmp_path: Path, three_rows: Path
) -> None:
    none, out = cardlog.open(tmp_path / "none"), tmp_path / "out"
    absent = (none.build, none.status, none.verify, none.vacuum, none.marts, none.retry)
    for kind, said, mistake in (
        *((cardlog.StoreError, r"there is no store at .*none; \.ingest", ask) for ask in absent),
        (cardlog.SourceError, "no format 'csv'; there are: ", lambda: none.ingest("x.csv", format="csv")),
        (cardlog.SourceError, r"gone\.csv", lambda: none.ingest(tmp_path / "gone.csv")),
        (cardlog.ExportError, "there is no game 'whist'", lambda: small.export(out, game="whist")),
        (cardlog.ExportError, "since is 'May'", lambda: small.export(out, game="kaiser", since="May")),
        (cardlog.SimulateError, "'whist' is no game", lambda: cardlog.simulate("whist", 1, out)),
        (cardlog.LimitError, "'lots' is not a size", lambda: small.sql("select 1", memory="lots")),
        (cardlog.QueryError, 'column "nope" not found', lambda: small.sql("select nope from hands")),
        (cardlog.CardlogError, "no game 'whist'; there are: kaiser", lambda: cardlog.features("whist")),
        (cardlog.CardlogError, r"three\.csv", lambda: cardlog.open(three_rows / "s").ingest(three_rows)),
        (cardlog.HandNotFound, "no hand has an id", lambda: small.hand("ffffffff")),
    ):
        with pytest.raises(kind, match=said):
            mistake()
    assert list(tmp_path.iterdir()) == [three_rows]


def test_a_bug_stays_what_it_is(small: cardlog.Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cardlog.pipelines.upkeep.status.pinned", lambda store: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        small.status()
