"""A store from Python: like the command line, but results are returned and errors raised."""

import json
from pathlib import Path
from typing import Any

import pytest

import cardlog
from cardlog.pipelines.sql import process
from cardlog.pipelines.terminal import cli
from tests.support.csv_rows import SAMPLE


def by_command(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    with pytest.raises(SystemExit) as end:
        cli.main(list(arguments))
    assert not end.value.code
    return capsys.readouterr().out


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
    built = store.build(marts=False)
    assert built.rows["playedhand"] == 3
    assert built.models is None
    assert store.rebuild(marts=False) == built
    assert store.marts() == []
    assert store.sql("select count(*) from tricks").fetchone() == (24,)
    assert store.retry().hands_read == 0
    assert store.verify().problems == []
    assert store.vacuum() == []
    assert capfd.readouterr() == ("", "")


def test_status_is_that_of_the_command(small: cardlog.Store, capsys: pytest.CaptureFixture[str]) -> None:
    by_json = json.loads(by_command(capsys, "status", "--json", "--store", small.path))
    assert by_json == small.status()


def test_where_out_is_in_the_working_directory(
    small: cardlog.Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name with a dash is a file like any other: only commands have standard output."""
    monkeypatch.chdir(tmp_path)
    assert small.export("-", game="kaiser", format="playedhand-csv") == 324
    assert cardlog.simulate("kaiser", 2, "played.csv", seed=1) == Path("played.csv")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["-", "played.csv"]


def test_simulate_is_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mine = cardlog.simulate("kaiser", 5, tmp_path / "a.jsonl", seed=7, players=["random"] * 4)
    by_command(
        capsys, "simulate", str(tmp_path / "b.jsonl"), "--game", "kaiser", "--hands", "5", "--seed", "7",
        "--players", "random,random,random,random",
    )  # fmt: skip
    assert mine.read_bytes() == (tmp_path / "b.jsonl").read_bytes()


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


# ---------------------------------------------------------------- errors


def test_a_store_that_is_not_there(tmp_path: Path) -> None:
    store = cardlog.open(tmp_path / "none")
    for ask in (store.build, store.status, store.verify, store.vacuum, store.marts, store.retry):
        with pytest.raises(cardlog.StoreError, match=r"there is no store at .*none; \.ingest"):
            ask()
    assert not (tmp_path / "none").exists()


def test_every_mistake_is_an_error_of_its_kind(small: cardlog.Store, tmp_path: Path) -> None:
    none = cardlog.open(tmp_path / "none")
    with pytest.raises(cardlog.SourceError, match="there is no format 'csv'; there are: "):
        none.ingest("x.csv", format="csv")
    with pytest.raises(cardlog.SourceError, match=r"gone\.csv"):
        none.ingest(tmp_path / "gone.csv")
    with pytest.raises(cardlog.ExportError, match="there is no game 'whist'"):
        small.export(tmp_path / "out", game="whist")
    with pytest.raises(cardlog.ExportError, match="since is 'May'; it must be a day"):
        small.export(tmp_path / "out", game="kaiser", since="May")
    with pytest.raises(cardlog.SimulateError, match="'whist' is no game there is"):
        cardlog.simulate("whist", 1, tmp_path / "out.jsonl")
    with pytest.raises(cardlog.LimitError, match="'lots' is not a size"):
        small.sql("select 1", memory="lots")
    with pytest.raises(cardlog.CardlogError, match="there is no game 'whist'; there are: kaiser"):
        cardlog.features("whist")
    assert list(tmp_path.iterdir()) == []


def test_what_the_system_refuses_is_one_of_the_family(tmp_path: Path, three_rows: Path) -> None:
    with pytest.raises(cardlog.CardlogError, match=r"three\.csv"):
        cardlog.open(three_rows / "store").ingest(three_rows)


def test_a_bug_stays_what_it_is(small: cardlog.Store, monkeypatch: pytest.MonkeyPatch) -> None:
    from cardlog.pipelines.upkeep import status

    monkeypatch.setattr(status, "pinned", lambda store: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        small.status()


# ---------------------------------------------------------------- games and formats


def test_games_and_formats(capsys: pytest.CaptureFixture[str]) -> None:
    listed = json.loads(by_command(capsys, "formats", "--json"))
    assert cardlog.formats() == {row["format"]: row["reads"] for row in listed}
    assert "kaiser" in cardlog.games()
    assert cardlog.features("kaiser").DECISION_KINDS


@pytest.mark.long
def test_a_chart_is_that_of_the_page(small: cardlog.Store) -> None:
    made = small.chart("kaiser_bid_success")
    assert made.title.text == "How often each bid is made"
    said = made.title.subtitle[-1]
    assert said.startswith("made: the most is ")
    spec = made.to_dict()
    assert "--" not in json.dumps(spec["layer"])
    shares = {p["x"]: p["value"] for values in spec["datasets"].values() for p in values}
    rows = small.sql(
        "select contract, sum(hands_made) / sum(hands) from kaiser_bid_success group by 1"
    ).fetchall()
    assert shares == dict(rows)
