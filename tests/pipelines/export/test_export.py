"""Exports: what came in comes out again, and training data that `datasets` opens."""

import gzip
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from cardlog import models
from cardlog.pipelines.export.export import ExportError
from cardlog.pipelines.export.selection import Selection
from cardlog.pipelines.export.simulate import simulate
from cardlog.pipelines.runtime.progress import total
from cardlog.pipelines.storage.store import Store
from cardlog.schemas.events import SCHEMA
from tests.support.csv_rows import DUMP, HEADER, changed, dump, dump_lines, edge_lines, field
from tests.support.exports import export
from tests.support.jsonl_logs import events_of, hand, text_of
from tests.support.logs import BEGINNINGS, beginnings
from tests.support.shared import small_store
from tests.support.stores import assert_same, built, ingest, ingest_text, one, stored

LINEAGE = ("source_id", "source_line", "ingest_no")


def exported(store: Store, folder: Path, form: str, **options: Any) -> bytes:
    path = folder / "export.out"
    export(store, options.pop("game", "kaiser"), form, path, **options)
    content = path.read_bytes()
    path.unlink()
    return content


# ---------------------------------------------------------------- playedhand-csv


def test_twenty_thousand_rows_come_back_byte_for_byte(whole: Store, tmp_path: Path) -> None:
    assert exported(whole, tmp_path, "playedhand-csv") == gzip.decompress(DUMP.read_bytes())


def test_rows_come_in_the_order_they_were_ingested(store: Store, tmp_path: Path) -> None:
    """Those of sources ingested together in their order, then what is no duplicate of a later one."""
    lines = dump_lines()[:9]
    for number in range(3):
        (tmp_path / f"{2 - number}.csv").write_bytes(dump(*lines[3 * number : 3 * number + 3]))
    ingest(store, *(tmp_path / f"{number}.csv" for number in (2, 1, 0)))
    later = lines[0].replace(b"100001,2016", b"7,2015", 1)
    ingest_text(store, tmp_path, dump(lines[8], later, lines[1]), "later.csv")
    assert exported(store, tmp_path, "playedhand-csv") == dump(*lines, later)


TIMES = (
    "2016-03-01 21:16:07.226159+00", "2016-03-01 21:16:07.2261+00", "2016-03-01 21:16:07+00",
    "2016-03-01 21:16:07.000001+00", "2016-03-01 21:16:07.1-06", "2016-03-01 21:16:07+05:30",
    "2016-03-01 21:16:07-03:30", "2016-01-01 01:00:00+14", "2016-12-31 23:00:00-12",
    "1969-12-31 23:59:59.999999+00", "1970-01-01 00:00:00+00", "2000-02-29 12:00:00+00",
    "1900-03-01 00:00:00-00:30", "9999-12-31 23:59:59.999999+00", "0001-01-01 00:00:00+00", "",
)  # fmt: skip


def test_times_nulls_and_rows_that_stop_short_come_back(store: Store, tmp_path: Path) -> None:
    odd, *whole = dump_lines()[: len(TIMES) + 9]
    bids = {f"player_{seat}_bid": "" for seat in range(4)}
    hands = {f"player_{seat}_hand": "" for seat in range(4)}
    first = f"player_{(int(field(odd, 'dealer')) + 1) % 4}_bid"
    changes: list[dict[str, str]] = [
        {"played_cards": "", **bids, first: "9N"},
        {"played_cards": ""},
        {"played_cards": field(whole[1], "played_cards")[:34]},
        {"player_0_ai": "", "player_3_ai": ""},
        {"played_cards": "", **bids},
        {"played_cards": "", **bids, **hands},
        {"id": "-2147483647"},
        {"id": "0", "added_date": ""},
        *({"added_date": time} for time in TIMES),
    ]
    text = dump(*(changed(line, **change) for line, change in zip((odd, *whole), changes, strict=False)))
    into = built(store, tmp_path / "in", text)
    assert one(into, "select count(*) from playedhand where status = 'aborted'") == 5
    assert exported(into, tmp_path, "playedhand-csv") == text


def test_damaged_rows_that_are_stored_come_back_in_postgres_form(edge: Store, tmp_path: Path) -> None:
    spelled = {"true": "t", "false": "f", "\\N": ""}
    expected = {}
    for line in edge_lines():
        values = [spelled.get(value, value) for value in line.decode().split(",")]
        expected[values[0]] = ",".join(values)
    header, *lines = exported(edge, tmp_path, "playedhand-csv").decode().splitlines()
    assert header.encode() == HEADER
    assert len(lines) == one(edge, "select count(*) from playedhand") > 20
    assert lines == [expected[line.split(",")[0]] for line in lines]
    assert [line for line in expected.values() if line in set(lines)] == lines


# ---------------------------------------------------------------- cardlog-jsonl


def test_aborted_hands_come_back_where_they_are_final(edge: Store, store: Store, tmp_path: Path) -> None:
    text = exported(edge, tmp_path, "cardlog-jsonl")
    aborted = one(edge, "select count(*) from playedhand where status = 'aborted'")
    waiting = ingest_text(store, tmp_path, text, "events.jsonl").counts
    assert waiting.quarantined == aborted > 0
    counts = ingest_text(store, tmp_path, text, "events.jsonl", final=True).counts
    assert (counts.hands_aborted, counts.quarantined) == (aborted, 0)
    assert_same(edge, store, ["events"], without=LINEAGE)


@pytest.mark.long
def test_an_export_depends_on_the_hands_alone(store: Store, tmp_path: Path) -> None:
    """However the hands came in: as the original programs' logs, or as exports, whole or in pieces, of a game
    or of all, from few files or from many, into other data sets than the first, which they say and keep."""
    logs = beginnings(tmp_path)
    for game in BEGINNINGS:
        simulate(game, 12, 7, str(tmp_path / f"{game}.jsonl"))
    ingest(store, *logs, *(log.with_suffix(".jsonl") for log in logs), dataset="league", final=True)
    texts = {game: exported(store, tmp_path, "cardlog-jsonl", game=game) for game in BEGINNINGS}
    pieces: list[list[bytes]] = [[], [], []]
    for number, lines in enumerate(lines for text in texts.values() for lines in events_of(text).values()):
        pieces[number % 3][:0] = lines
    for number, piece in enumerate(pieces):
        (tmp_path / f"{number}.jsonl").write_bytes(b"".join(piece))
    again = Store(str(tmp_path / "again"))
    for number in (1, 0, 2):
        ingest(again, tmp_path / f"{number}.jsonl", dataset=f"piece-{number}", final=True)
    assert one(again, "select count(*) from quarantine") == 0
    assert len(again.paths("events")) > len(store.paths("events"))
    assert {game: exported(again, tmp_path, "cardlog-jsonl", game=game) for game in BEGINNINGS} == texts


def test_a_line_has_the_columns_in_order_and_no_nulls(store: Store, tmp_path: Path) -> None:
    players = [{"kind": "human", "name": 'Zoë "Z" \\ 牌'}] * 4
    detail = {**hand()[0]["detail"], "players": players}
    opening = {**hand()[0], "detail": detail, "occurred_at": "1969-12-31T23:59:59.999999Z", "amount": -7}
    text = text_of([opening, *hand()[1:]])
    ingest_text(store, tmp_path, text, "log.jsonl", final=True)
    lines = exported(store, tmp_path, "cardlog-jsonl").splitlines()
    assert len(lines) == len(hand())
    assert all(line.isascii() for line in lines)
    for line in lines:
        event = json.loads(line)
        assert list(event) == [name for name in SCHEMA.names if name in event]
        assert None not in event.values()
        assert not set(event) & set(LINEAGE)
    first = json.loads(lines[0])
    assert (first["detail"], first["occurred_at"]) == (detail, "1969-12-31T23:59:59.999999Z")
    assert (first["amount"], first["schema_version"]) == (-7, 1)


def test_a_detail_kept_as_it_is_comes_back_as_it_is(tmp_path: Path) -> None:
    detail = hand()[0]["detail"]
    unsorted = json.dumps(dict(reversed(detail.items())), separators=(",", ":"))
    for number, kept in enumerate((unsorted, json.dumps(detail, indent=1))):
        text = text_of([{**hand()[0], "detail": kept}, *hand()[1:]])
        first, again = (Store(str(tmp_path / f"{number}{name}")) for name in "ab")
        ingest_text(first, tmp_path, text, "log.jsonl", final=True)
        text = exported(first, tmp_path, "cardlog-jsonl")
        assert json.loads(text.splitlines()[0])["detail"] == kept
        ingest_text(again, tmp_path, text, "events.jsonl", final=True)
        assert_same(first, again, ["events"], without=LINEAGE)


# ---------------------------------------------------------------- files and errors


@pytest.mark.parametrize("form", ["playedhand-csv", "cardlog-jsonl", "parquet"])
@pytest.mark.parametrize("kind", ["file", "folder"])
def test_an_existing_file_is_not_overwritten(form: str, kind: str, tmp_path: Path) -> None:
    path = tmp_path / "out"
    mine = path if kind == "file" else path / "mine"
    mine.parent.mkdir(exist_ok=True)
    mine.write_text("mine")
    with pytest.raises(ExportError, match=r"exists already.*nothing was overwritten"):
        export(small_store(), "kaiser", form, path)
    assert mine.read_text() == "mine"
    assert [item for item in tmp_path.rglob("*") if item.is_file()] == [mine]


REFUSED: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({"game": "whist"}, {}, "there is no game 'whist'; there are: kaiser"),
    ({"game": "twin", "format_name": "playedhand-csv"}, {},
     "playedhand-csv can't hold twin; there are: cardlog-jsonl, parquet, npy"),
    ({"game": "twin"}, {}, r"there is no hand of twin in .*, so there is nothing to write"),
    ({"format_name": "xml"}, {},
     "there is no format 'xml' to export; there are: cardlog-jsonl, playedhand-csv, parquet, npy, npz"),
    *(({"splits": splits}, {}, "it must be three percentages that sum to 100, as 80,10,10")
      for splits in ("80,20", "80,10,x", "80,10,11", "110,-10,0")),
    ({"out": "nowhere/data"}, {}, "there is no folder"),
    ({"out": "-"}, {}, "can't go to standard output"),
    ({"order": "random"}, {}, "order is 'random'; it must be mixed or hand"),
    ({"order": "mixed", "format_name": "minari"}, {},
     "minari holds episodes, which keep the order of a hand"),
    ({"columns": "rating"}, {}, "there is no column 'rating' to add; there are: player, player_kind"),
    *(({"format_name": form}, {"max_cost_known": 1},
       "has all hands of the store; max_cost_known: that is for training data")
      for form in ("playedhand-csv", "cardlog-jsonl")),
    ({}, {"include_costs": True}, "no hand of kaiser is analysed.*'cardlog analyse --game kaiser' does that"),
    ({}, {"where": "1 = 0"}, "no decision of kaiser is what was asked for, so there is nothing to write"),
    ({}, {"player": "Nobody"}, "there is no kaiser player 'Nobody'; no hand has any"),
    ({}, {"dialect": "none"}, "no decision of kaiser is what was asked for"),
    ({}, {"where": "team_9_score > 0"}, r"'team_9_score > 0' can't be asked of hands: (?s:.*)team_0_score"),
    ({}, {"where": "true", "mart": "whist"}, "can't be asked of whist: .*does not exist"),
    *(({}, {"where": where}, "can't be asked of hands")
      for where in ("(select 1", "false) or (true", "true, false")),
    ({}, {"where": "seq = 0"}, '"seq" not found'),
    ({}, {"where": "true", "mart": "kaiser_bid_success"}, '"hand_id" not found'),
    ({}, {"seats": "robots"}, "seats is 'robots'; it must be human or computer"),
    ({}, {"since": "yesterday"}, "since is 'yesterday'; it must be a day, as 2016-03-01"),
    *(({}, {"until": day}, f"until is '{day}'; it must be a day") for day in ("2016-02-30", "")),
    ({"license": "\udcff"}, {}, r"license is '\\udcff', which is not UTF-8"),
    ({}, {"player": "\udcff"}, r"player is '\\udcff', which is not UTF-8"),
]  # fmt: skip
"""What is asked for, of which hands, and what is said of it."""


@pytest.mark.parametrize(("options", "criteria", "message"), REFUSED)
def test_what_can_not_be_exported_is_said_with_what_can(
    options: dict[str, Any], criteria: dict[str, Any], message: str, tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.setitem(models.GAMES.ours, "twin", models.game("kaiser"))
    out = options.get("out", "data")
    what = {"game": "kaiser", "format_name": "parquet", **options, "selection": Selection(**criteria)}
    with pytest.raises(ExportError, match=message):
        export(small_store(), **what | {"out": out if out == "-" else tmp_path / out})
    assert list(tmp_path.iterdir()) == []


def test_a_store_may_have_nothing_to_export(store: Store, tmp_path: Path) -> None:
    """No hand, none that was played to its end, or none in the marts yet."""
    store.create()
    out, where = tmp_path / "out", Selection(where="made")
    for form in ("playedhand-csv", "cardlog-jsonl", "parquet"):
        with pytest.raises(ExportError, match="there is no hand of kaiser"):
            export(store, "kaiser", form, out)
    stored(store, tmp_path / "in", text_of(hand()[:20]), "log.jsonl", final=True)
    with pytest.raises(ExportError, match="no hand of kaiser was played to its end"):
        export(store, "kaiser", "parquet", out)
    with pytest.raises(ExportError, match="the marts are older than the events; run 'cardlog build' first"):
        export(store, "kaiser", "parquet", out, selection=where)
    assert not out.exists()


@pytest.mark.parametrize("form", ["playedhand-csv", "cardlog-jsonl", "parquet"])
def test_progress_is_counted(form: str, tmp_path: Path) -> None:
    """In an empty folder, too, which is filled."""
    seen = []

    @contextmanager
    def watch(title: str, folder: str, units: int) -> Iterator[None]:
        yield
        seen.append((title, units, total(folder)))

    out = tmp_path / "out"
    if form == "parquet":
        out.mkdir()
    export(small_store(), "kaiser", form, out, watch=watch)
    ((title, units, (hands, done)),) = seen
    assert (title, done) == ("export", units)
    assert hands == small_store().rows("playedhand")
    assert list(tmp_path.iterdir()) == [out]
