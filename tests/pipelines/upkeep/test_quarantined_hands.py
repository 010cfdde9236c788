"""One row per hand in quarantine, however often a log that grows brings it: replaced, confirmed or stored."""

import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from cardlog.pipelines.runs import Ingested
from cardlog.pipelines.sql import process
from cardlog.pipelines.storage.resolutions import RESOLVED, resolutions
from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.upkeep import quarantine
from cardlog.pipelines.upkeep.verify import verify
from tests.support.csv_rows import HEADER, changed, dump, dump_lines, edge_cases
from tests.support.logs import text_of
from tests.support.persons import forget
from tests.support.soak import soak
from tests.support.stores import check_books, ingest, ingest_text, one

pytestmark = pytest.mark.long

BAD = [line for line in text_of("kaiser/playedhand_edge.csv").splitlines()[1:] if line]
ROWS = dump_lines()[:20]
UNMARKED = (
    "five_card_draw/examples/won_0.txt.gz",
    "ruter_sju/examples/unmarked_humans.txt.gz",
    "belote/edge/bornabesic_truncated.txt.gz",
    *soak("belote/edge/bornabesic_two_games.txt.gz"),
)
"""Logs whose matches have no ids, so that those of cut hands change as the log grows."""


CUT_OFF = "status != 'stored' and reason = 'incomplete' and message like '%text ends%'"


def rows(store: Store, where: str = "true") -> list[dict[str, Any]]:
    found = process.ask(store, f"from quarantined_hands where {where} order by first_line, quarantine_id")
    names = [column[0] for column in found.description]
    return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


def waiting(store: Store) -> Counter[tuple[Any, ...]]:
    """What is not stored, by what it is and where."""
    found = rows(store, "status != 'stored'")
    return Counter((row["reason"], row["hand_id"], row["first_line"], row["raw"]) for row in found)


def grown(store: Store, folder: Path, text: bytes, parts: int, seed: int = 1) -> None:
    """Ingest a text in parts, each time as far as it has grown, cut anywhere; only its end is cut off."""
    cuts = sorted(random.Random(seed).sample(range(1, len(text)), parts - 1))
    for cut in [*cuts, len(text)]:
        ingest_text(store, folder, text[:cut], "log")
        assert len(rows(store, CUT_OFF)) <= 1
    check_books(store)


@pytest.fixture
def at_once(tmp_path: Path) -> Store:
    return Store(str(tmp_path / "at once"))


@pytest.mark.parametrize("seed", [1, *soak(2)])
def test_a_growing_log_counts_each_bad_hand_once(
    seed: int, store: Store, at_once: Store, tmp_path: Path
) -> None:
    """Rows without an id among them; of those that were cut, nothing waits."""
    text = dump(*BAD[:40], b"no row at all", *ROWS, *BAD[40:], b"no row at all")
    grown(store, tmp_path, text, 6, seed)
    ingest_text(at_once, tmp_path, text, "log")
    assert waiting(store) == waiting(at_once)
    assert sum(waiting(store).values()) == 58
    assert one(store, "select count(*) from quarantine") > 100
    counts = {row["reason"]: row["hands"] - row["stored_since"] for row in quarantine.counts(store)}
    assert {reason: hands for reason, hands in counts.items() if hands} == Counter(
        row["reason"] for row in rows(at_once)
    )
    assert quarantine.waiting(store) == 58


@pytest.mark.parametrize("log", UNMARKED)
@pytest.mark.parametrize("seed", [1, *soak(2)])
def test_what_was_incomplete_does_not_wait_once_it_is_stored(
    log: str, seed: int, store: Store, at_once: Store, tmp_path: Path
) -> None:
    text = text_of(log)
    grown(store, tmp_path, text, 8, seed)
    ingest_text(at_once, tmp_path, text, "log")
    assert one(store, "select count(*) from quarantine where reason = 'incomplete'") >= 3
    assert waiting(store) == waiting(at_once)


def test_the_status_says_what_a_later_ingest_has_found(store: Store, tmp_path: Path) -> None:
    bad = BAD[next(n for n, line in enumerate(BAD) if b"Z" not in line and is_bad(line))]
    other = next(line for line in BAD if is_bad(line) and line != bad)
    statuses = []
    for number, lines in enumerate(([bad], [bad, ROWS[0]], [changed(bad, player_0_bid="Z")])):
        ingest_text(store, tmp_path, dump(*lines, other), f"{number}.csv")
        key = bad.split(b",")[0].decode()
        statuses.append([row["status"] for row in rows(store) if row["raw"].startswith(f"{key},")])
    assert statuses == [["waiting"], ["confirmed"], ["replaced"]]
    assert len(rows(store)) == 2
    ingest_text(store, tmp_path, dump(changed(ROWS[1], id=key)), "right.csv")
    assert [row["status"] for row in rows(store) if row["raw"].startswith(f"{key},")] == ["stored"]
    assert quarantine.waiting(store) == 1


def is_bad(line: bytes) -> bool:
    """Whether a row is illegal for what was bid or played, so that its id is known."""
    return edge_cases()[int(line.split(b",")[0])]["category"] in ("revoke", "all_pass", "bid_13")


def test_a_new_log_of_the_same_path_resolves_nothing(store: Store, tmp_path: Path) -> None:
    """After a rotation: its lines are others, though it is longer."""
    ingest_text(store, tmp_path, dump(*ROWS[:3], b"no row"), "log")
    ingest_text(store, tmp_path, dump(*ROWS[5:15]), "log")
    assert [(row["raw"], row["status"]) for row in rows(store)] == [("no row", "waiting")]


def test_two_files_of_one_ingest_bring_a_hand_once(store: Store, tmp_path: Path) -> None:
    for name, lines in (("a.csv", BAD[:10]), ("b.csv", BAD[:20])):
        (tmp_path / name).write_bytes(HEADER + b"\n" + b"\n".join(lines) + b"\n")
    ingest(store, tmp_path / "a.csv", tmp_path / "b.csv")
    ids = [row["hand_id"] for row in rows(store, "hand_id is not null and reason != 'conflict'")]
    assert len(ids) == len(set(ids)) > 5


def entries_of(store: Store, found: Ingested) -> list[dict[str, Any]]:
    return quarantine.entries_of(store, found.ingest_id or "")


def test_a_resolved_hand_alarms_nobody_until_it_changes(store: Store, tmp_path: Path) -> None:
    """A growing log brings it again; another text, or its erasure, ends that."""
    bad, other = [line for line in BAD if is_bad(line)][:2]
    ingest_text(store, tmp_path, dump(bad, other), "log")
    one_of = next(row for row in rows(store) if row["raw"].startswith(bad.split(b",")[0].decode()))
    assert quarantine.resolve(store, [one_of["quarantine_id"]], note="seen") == 1
    assert quarantine.resolve(store, [one_of["quarantine_id"]]) == 0
    found = ingest_text(store, tmp_path, dump(bad, other, ROWS[0]), "log")
    assert quarantine.newly_bad(entries_of(store, found)) == 0
    assert quarantine.is_open(entries_of(store, found))
    assert sorted(row["status"] for row in rows(store)) == ["confirmed", "resolved"]
    assert (quarantine.waiting(store), quarantine.totals(store)["resolved"]) == (1, 1)
    [listed] = quarantine.entries(store, None, 9, resolved=True)
    assert len(quarantine.entries(store, None, 9)) == 1
    said = quarantine.resolution(store, listed["quarantine_id"])
    assert said is not None
    assert said.note == "seen"
    assert quarantine.resolve(store, everything=True, note="all") == 1
    assert not quarantine.is_open(entries_of(store, found))
    assert quarantine.retry(store).sources == []
    assert verify(store).problems == []

    found = ingest_text(store, tmp_path, dump(changed(bad, player_0_bid="Z")), "log")
    assert quarantine.newly_bad(entries_of(store, found)) == quarantine.waiting(store) == 1
    forget(store, hand=listed["hand_id"])
    assert quarantine.totals(store)["resolved"] == 1
    assert [said.note for said in resolutions(store).values()] == ["all"]
    assert [forget(store, player="ALL").lines for _ in "12"] == [1, 0]
    [said] = resolutions(store).values()
    assert said.note.startswith("player-")
    part = {"names": [one_of["quarantine_id"][:31]]}
    for wrong in (part, {}, {"everything": True, "reason": "conflict"}, {"reason": "nonsense"}):
        with pytest.raises(quarantine.NoSuchEntry):
            quarantine.resolve(store, **wrong)
    book = Path(store.root, RESOLVED)
    book.write_bytes(b"[]\n")
    assert [problem.place for problem in verify(store).problems] == [RESOLVED]
