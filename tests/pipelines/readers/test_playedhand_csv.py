"""Kaiser's CSV from the file to the tables: every row, every spelling, every kind of damage."""

import gzip
import json
import random
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from cardlog.pipelines.ingest import sources
from cardlog.pipelines.ingest.judge import judge
from cardlog.pipelines.readers.base import Source
from cardlog.pipelines.readers.playedhand_csv import reader as playedhand_csv
from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.upkeep import quarantine
from cardlog.schemas.errors import CardlogError
from cardlog.schemas.reasons import Reason
from tests.support.csv_rows import COLUMNS, HEADER, changed, dump, dump_lines, edge_cases, field, moment
from tests.support.stores import FIXTURES, ask, dicts, ingest, ingest_text, one

DOCS = (FIXTURES.parents[2] / "docs" / "formats" / "playedhand-csv.md").read_text(encoding="utf-8")
ROWS = dump_lines()[:12]

# ---------------------------------------------------------------- every row


def test_every_row_is_stored(whole: Store) -> None:
    (row,) = dicts(whole, "from ingests")
    counted = ("lines_read", "other_lines", "hands_read", "hands_stored", "hands_aborted")
    assert [row[name] for name in counted] == [20_001, 1, 20_000, 20_000, 0]
    assert one(whole, "select count(*) from quarantine") == 0
    named = sum(field(line, f"player_{seat}_bid")[-1] in "CDHS" for line in dump_lines() for seat in range(4))
    assert row["events_stored"] == 20_000 * (1 + 4 + 4 + 32) + named
    expected = [(int(line.split(b",", 1)[0]), number) for number, line in enumerate(dump_lines(), start=2)]
    assert ask(whole, "select id, source_line from playedhand order by source_line") == expected
    assert one(whole, "select count(distinct (hand_id, source_line)) from events") == 20_000


def test_every_row_has_the_results_of_the_oracle(whole: Store) -> None:
    got = ask(
        whole,
        """
        select id, declarer, contract, trump, leads, trick_winners,
               [team_0_points, team_1_points], [team_0_score, team_1_score]
        from playedhand join (
            select hand_id, string_agg(leader, '' order by trick_no) as leads,
                   string_agg(winner, '' order by trick_no) as winners,
                   sum(points) filter (winner_team = 0) as points_0
            from tricks group by hand_id
        ) using (hand_id)
        where winners = trick_winners and coalesce(points_0, 0) = team_0_points and status = 'complete'
        order by id
        """,
    )
    with gzip.open(FIXTURES / "oracle.jsonl.gz") as lines:
        oracle = [json.loads(line) for line in lines]
    expected = [
        (
            hand["id"], hand["winner"], hand["bid"], "N" if hand["no_trump"] else hand["trump"],
            hand["leads"], hand["trick_winners"], hand["points"], hand["hand_score"],
        )
        for hand in oracle
    ]  # fmt: skip
    assert len(got) == len(expected) == 20_000
    assert [pair for pair in zip(got, expected, strict=True) if pair[0] != pair[1]] == []


# ---------------------------------------------------------------- damaged rows


def test_damaged_rows_that_are_stored_have_the_results_of_the_oracle(edge: Store) -> None:
    rows = dicts(edge, "from playedhand")
    assert len(rows) == 24
    for row in rows:
        theirs = edge_cases()[row["id"]]["snippet"]["fixed"]
        assert [row["declarer"], f"{row['contract']}", row["trump"]] == [
            theirs[name] for name in ("winner", "bid", "suit")
        ]
        assert (row["trick_winners"] or "") == theirs["trick_winners"]
        assert [row["team_0_points"], row["team_1_points"]] == theirs["points"]
        assert (row["team_0_score"] is None) == (row["status"] == "aborted")


def doc_table(title: str) -> list[list[str]]:
    """The cells of the table under a heading of the docs, without its head."""
    section = DOCS.split(f"\n## {title}\n", 1)[1].split("\n## ", 1)[0]
    rows = [line.strip("|").split("|") for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row] for row in rows[2:]]


def test_every_damaged_row_ends_where_the_docs_say(edge: Store) -> None:
    ended = ask(edge, "select id, status from playedhand")
    ended += ask(edge, "select cast(split_part(raw, ',', 1) as int), reason from quarantine")
    real = dict(ended)
    assert len(ended) == len(real) == len(edge_cases()) == 80
    kinds: dict[str, set[str]] = {}
    for number, case in edge_cases().items():
        kinds.setdefault(case["category"], set()).add(real[number])
    documented = {
        kind.strip("`"): {end.replace("stored, ", "").strip("`")}
        for kind, _, end, _ in doc_table("Damaged rows")
    }
    assert documented == kinds


@pytest.mark.parametrize("row", doc_table("Columns"), ids=lambda row: row[0].strip("`"))
def test_docs_tell_what_a_column_takes(row: list[str]) -> None:
    """Each example in the docs is tried on a row that was not played, or the other way round."""
    names, _, taken, refused = row
    for name in re.findall(r"`(\w+)`", names):
        assert name in COLUMNS
        for examples, fits in ((taken, True), (refused, False)):
            for text in re.findall(r"`([^`]*)`", examples):
                reason = parsed(changed(ROWS[0], **{name: text}))
                assert (reason is None) == fits, (name, text, reason)


def parsed(line: bytes) -> Reason | None:
    """Why a line can't be read, None if it can, whether the rules allow it or not."""
    (read,) = playedhand_csv.read(line, Source("0" * 64, "-", "test"))
    reasons = [reject.reason for reject in judge(read).rejects]
    return next((reason for reason in reasons if reason in (Reason.UNPARSABLE, Reason.UNKNOWN_CARD)), None)


def test_docs_name_all_columns() -> None:
    named = [name for names, *_ in doc_table("Columns") for name in re.findall(r"`(\w+)`", names)]
    assert sorted(named) == sorted(COLUMNS)


# ---------------------------------------------------------------- spellings of the file


def permuted(order: list[int], lines: Sequence[bytes], header: bytes = HEADER) -> bytes:
    """A file with its columns in another order."""
    rows = [header, *lines]
    return b"".join(b",".join(row.split(b",")[index] for index in order) + b"\n" for row in rows)


def quoted(line: bytes, some: bool = False) -> bytes:
    """A row with its fields in quotes, or only each third of them."""
    fields = line.split(b",")
    return b",".join(f if (some and n % 3) or not f else b'"' + f + b'"' for n, f in enumerate(fields))


PLAIN = dump(*ROWS)
ORDER = random.Random(20).sample(range(20), 20)
SPELLINGS = {
    "columns in another order": permuted(ORDER, ROWS),
    "quotes on every field": dump(*map(quoted, ROWS), header=quoted(HEADER)),
    "quotes on some fields": dump(*(quoted(row, some=True) for row in ROWS)),
    "quotes on some rows": dump(*(quoted(row) if n % 2 else row for n, row in enumerate(ROWS))),
    "quotes on every field in another order": permuted(ORDER, [*map(quoted, ROWS)], quoted(HEADER)),
    "blank lines first, another order": b"\n\n" + permuted(ORDER, ROWS),
    "end mark, CRLF": dump(*ROWS, b"\\.", end=b"\r\n"),
    "header again, quoted": dump(*ROWS[:6]) + dump(*ROWS[6:], header=quoted(HEADER)),
    "header again, byte order mark": dump(*ROWS[:6]) + b"\xef\xbb\xbf" + dump(*ROWS[6:]),
    "gzip in two members": gzip.compress(PLAIN[:3000]) + gzip.compress(PLAIN[3000:]),
}


def test_files_of_all_spellings_say_the_same(store: Store, tmp_path: Path) -> None:
    paths = []
    for number, text in enumerate((PLAIN, *SPELLINGS.values())):
        paths.append(tmp_path / f"{number:02d}.csv")
        paths[-1].write_bytes(text)
    result = ingest(store, *paths)
    ends = {row["source_path"]: (row["hands_stored"], row["duplicates"]) for row in result.sources}
    assert ends == {str(path): (0, 12) if number else (12, 0) for number, path in enumerate(paths)}


TIMES = (
    "2016-03-01 21:10:28.016001+00", "2016-03-01 21:10:28-06", "2016-03-01 02:10:28.5+05:30",
    "2016-03-01 02:10:28.000001-0330", "2016-02-29T23:59:59Z", "1969-12-31 23:59:59.999999+00",
    "0001-01-01 00:00:00+00", "9999-12-31 23:59:59.999999+00",
)  # fmt: skip
NO_TIMES = (
    "0001-01-01 00:00:00+01", "9999-12-31 23:59:59-01", "2015-02-29 00:00:00+00",
    "1900-02-29 00:00:00+00", "2016-03-01 21:10:28", "2016-03-01 24:00:00+00", "2016-03-01 21:60:00+00",
    "2016-03-01 21:10:60+00", "2016-03-01 21:10:28.+00", "2016-03-01 21:10:28.1234567+00",
    "2016-03-01 21:10:28+16", "2016-03-01 21:10:28+05:60", "2016-03-01 21:10:28+5",
    "2016-03-01 21:10:28+05:3", "2016-03-01 21:10:28+05:", "2016-03-01", "infinity",
    "2016-13-01 21:10:28+00", "2016-00-01 21:10:28+00", "2016-03-00 21:10:28+00",
    "44-03-15 12:00:00+00 BC",
)  # fmt: skip


def test_times_of_all_zones(store: Store, tmp_path: Path) -> None:
    """In UTC, as the second opinion has them."""
    lines = [changed(ROWS[0], id=str(n), added_date=text) for n, text in enumerate((*TIMES, *NO_TIMES))]
    result = ingest_text(store, tmp_path, dump(*lines))
    assert (result.counts.hands_stored, result.counts.quarantined) == (len(TIMES), len(NO_TIMES))
    stored = ask(
        store, "select occurred_at, detail ->> 'utc_offset' from events where seq = 0 order by amount"
    )
    assert [at for at, _ in stored] == list(map(moment, TIMES))
    assert [offset for _, offset in stored[:5]] == [None, "-360", "330", "-210", None]
    kept = ask(store, "select distinct reason, split_part(message, ' ', 1) from quarantine")
    assert kept == [("unparsable", "added_date")]


# ---------------------------------------------------------------- what is no row


def test_lines_that_are_no_rows(store: Store, tmp_path: Path) -> None:
    """Whatever their bytes; the first of them is the one known line: blank."""
    no_rows = [b"", b" ", b",".join(ROWS[0].split(b",")[:19]), ROWS[0] + b",", b'"' + ROWS[0], b"\x00" * 50]
    no_rows += [ROWS[0].replace(b"pass", "Weiß".encode(code), 1) for code in ("latin-1", "utf-8")]
    result = ingest_text(store, tmp_path, dump(*no_rows, ROWS[1]))
    assert (result.counts.hands_stored, result.counts.quarantined) == (1, len(no_rows) - 1)
    assert result.counts.other_lines == 2
    rows = dicts(store, "from quarantine order by first_line")
    for line, row in zip(no_rows[1:], rows, strict=True):
        assert row["raw"].encode(row["raw_encoding"]) == line
        assert row["raw_encoding"] == ("latin-1" if b"\xdf" in line else "utf-8")
        assert row["reason"] == "unparsable"
        assert len(row["message"]) < 300
    assert rows[1]["message"] == "The line has 19 columns instead of 20."
    assert rows[2]["message"] == "The line has 21 columns instead of 20."


REPORTS = {
    "renamed": (HEADER.replace(b"added_date", b"created_at"), "unknown: created_at; missing: added_date"),
    "upper case": (HEADER.replace(b"id,", b"ID,", 1), "unknown: ID; missing: id"),
    "twice": (HEADER + b",id", "there twice: id"),
    "without a name": (HEADER + b",", "unknown: one without a name"),
    "once more": (HEADER + b",updated_at", "unknown: updated_at; --ignore-columns updated_at lets them pass"),
    "blanks": (HEADER.replace(b",", b", ").replace(b"id", b" id", 1), "unknown: ' id', ' added_date', "),
    "missing": (HEADER.removesuffix(b",player_3_ai"), "missing: player_3_ai"),
}


@pytest.mark.parametrize("name", REPORTS)
def test_a_header_with_other_columns_is_refused_by_name(name: str, store: Store, tmp_path: Path) -> None:
    """A later one, with the rows under it."""
    header, message = REPORTS[name]
    for format_name in (None, "playedhand-csv"):
        with pytest.raises(sources.SourceError, match=message):
            ingest_text(store, tmp_path, dump(*ROWS, header=header), format=format_name)
    counts = ingest_text(store, tmp_path, dump(*ROWS[:6]) + dump(*ROWS[6:], header=header)).counts
    assert (counts.hands_stored, counts.quarantined) == (6, 7)
    assert all(message in text for (text,) in ask(store, "select message from quarantine"))
    assert quarantine.retry(store).sources == []


def test_a_later_header_in_another_order_is_followed_in_every_block(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ingest_text(store, tmp_path, PLAIN)
    monkeypatch.setattr(sources, "BLOCK_BYTES", 600)
    two = dump(*ROWS[:2]) + permuted(ORDER, ROWS)
    assert ingest_text(store, tmp_path, two, "two.csv").counts.duplicates == 14


def test_ignored_columns_may_have_any_text(store: Store, tmp_path: Path) -> None:
    ingest_text(store, tmp_path, PLAIN)
    lines = [row + b',"a, ""b""",\xc3\xa4' for row in ROWS]
    result = ingest_text(
        store, tmp_path, dump(*lines, header=HEADER + b",note,who"), "more.csv", ignore_columns=["note, who"]
    )
    assert (result.counts.duplicates, result.counts.quarantined) == (12, 0)
    with pytest.raises(sources.SourceError, match="a hand needs dealer"):
        ingest_text(store, tmp_path, PLAIN + b"\n", "own.csv", ignore_columns=["dealer"])


def copied(
    rows: Sequence[bytes], order: Sequence[int] = range(20), table: bytes = b"public.playedhand"
) -> bytes:
    """Rows as pg_dump writes them, among other statements and another table."""
    names = b", ".join(HEADER.split(b",")[index] for index in order)
    lines = [b"\t".join(row.split(b",")[index] or b"\\N" for index in order) for row in rows]
    return (
        b"--\n-- PostgreSQL database dump\n--\n\n\\restrict x\n\nSET client_encoding = 'UTF8';\n\n"
        b"COPY public.players (id, name) FROM stdin;\n1\tAnn\n2\tplay, play\n\\.\n\n"
        b"COPY " + table + b" (" + names + b") FROM stdin;\n" + b"\n".join(lines) + b"\n\\.\n\n\nSELECT 1;\n"
    )


@pytest.mark.parametrize("size", [2**24, 500])
@pytest.mark.parametrize("table", [b"public.playedhand", b'"playedhand"', b"old.hands"])
def test_a_dump_of_postgres_names_its_columns(
    table: bytes, size: int, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ingest_text(store, tmp_path, PLAIN)
    monkeypatch.setattr(sources, "BLOCK_BYTES", size)
    counts = ingest_text(store, tmp_path, copied(ROWS, ORDER, table), "dump.sql").counts
    assert (counts.duplicates, counts.hands_read) == (12, 12)
    rows_alone = copied(ROWS, ORDER, table).split(b"\\.\n\n", 1)[1]
    assert ingest_text(store, tmp_path, rows_alone, "rows.sql").counts.duplicates == 12
    text = copied([*ROWS[:3], changed(ROWS[3], player_0_hand="xx")], ORDER)
    text = text.replace(b"SELECT 1;", b"INSERT INTO playedhand VALUES (1);")
    counts = ingest_text(store, tmp_path, text, "other.sql").counts
    assert (counts.duplicates, counts.quarantined) == (3, 2)
    assert quarantine.retry(store).sources == []


def test_times_without_a_zone_are_read_in_one_that_is_named(store: Store, tmp_path: Path) -> None:
    text = dump(
        changed(ROWS[0], id="1", added_date="2016-07-01 21:10:28"),
        changed(ROWS[0], id="2", added_date="2016-03-27 02:30:00"),
        changed(ROWS[0], id="3", added_date="2016-03-01 21:10:28-06"),
    )
    assert ingest_text(store, tmp_path, text).counts.quarantined == 2
    assert "--timezone" in one(store, "select min(message) from quarantine")
    counts = ingest_text(store, tmp_path, text, timezone="Europe/Oslo").counts
    assert (counts.hands_stored, counts.duplicates, counts.quarantined) == (1, 1, 1)  # Oslo skips 02:30
    at = ask(store, "select occurred_at, detail ->> 'utc_offset' from events where seq = 0 and amount = 1")
    assert at == [(datetime(2016, 7, 1, 19, 10, 28, tzinfo=UTC), "120")]
    counts = ingest_text(store, tmp_path, text, timezone="+01:00").counts
    assert (counts.hands_stored, counts.duplicates, counts.quarantined) == (1, 1, 1)
    assert ask(store, "select count(*) from quarantine where reason = 'conflict'") == [(1,)]
    with pytest.raises(CardlogError, match="there is no time zone 'Oslo'"):
        ingest_text(store, tmp_path, text, timezone="Oslo")
