"""Forget: what was asked for is in no file of the store afterwards, and everything else is as it was."""

import errno
import fcntl
import json
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from cardlog.pipelines import operations, runs
from cardlog.pipelines.sql import known_names, marts, warehouse
from cardlog.pipelines.storage import erasures
from cardlog.pipelines.storage.errors import Damaged
from cardlog.pipelines.storage.lock import locked
from cardlog.pipelines.storage.player_names import word
from cardlog.pipelines.storage.remote import Folder
from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.upkeep import quarantine
from cardlog.pipelines.upkeep.compact import compact
from cardlog.pipelines.upkeep.forget import ForgetError
from cardlog.pipelines.upkeep.status import status
from cardlog.pipelines.upkeep.vacuum import AgeError, seconds_of
from cardlog.pipelines.upkeep.verify import verify
from cardlog.pipelines.upkeep.wanted import Wanted
from tests.support.csv_rows import EDGE
from tests.support.disturbed import Killed, killed
from tests.support.persons import FORMS, NAME, forget, log, persons, saying
from tests.support.soak import soak
from tests.support.stores import PROJECTIONS, ask, copied, ingest, numbers, one


@pytest.fixture
def full() -> Store:
    """Hands of a person. Not to be changed."""
    return persons()


@pytest.fixture
def store(full: Store, tmp_path: Path) -> Store:
    """A copy of it, to erase from."""
    return copied(full, tmp_path / "erasable")


def ids(store: Store, where: str = "true") -> set[str]:
    return {hand for (hand,) in ask(store, f"select hand_id from events where seq = 0 and {where}")}


def check(store: Store) -> None:
    """Nothing is wrong with it, and what it was built from is what a rebuild is built from."""
    assert verify(store).problems == []
    assert verify(store).orphans == 0
    assert {table["state"] for table in status(store)["tables"].values()} == {"record", "up to date"}
    assert {hand for (hand,) in ask(store, "select hand_id from playedhand")} == ids(store)
    before = {name: sorted(map(str, ask(store, f"from {name}"))) for name in PROJECTIONS}
    runs.build(store, afresh=True)
    assert before == {name: sorted(map(str, ask(store, f"from {name}"))) for name in before}


def test_a_hand_is_removed(store: Store, full: Store) -> None:
    hand = min(ids(store, "dataset = 'one'"))
    key = one(store, f"select source_key from events where seq = 0 and hand_id = '{hand}'")
    said = forget(store, hand=hand, dry_run=True)
    assert ids(store) == ids(full)
    done = forget(store, hand=hand)
    assert (done.hands, done.events, done.files) == (said.hands, said.events, said.files)
    assert done.hands == 1
    assert ids(store) == ids(full) - {hand}
    assert numbers(store) == {name: number for name, number in numbers(full).items() if name != hand}
    assert saying(store.root, (hand, key)) == set()
    assert saying(full.root, (hand,))
    check(store)
    assert forget(store, hand=hand).hands == 0


def test_a_name_is_replaced(store: Store, full: Store) -> None:
    """By one pseudonym in all games, so that what is counted by player stays as it was. A name in another
    name is another name, and erased texts are not read again."""
    assert len(saying(full.root, FORMS)) > 4
    assert forget(store, player="Quill").files == forget(store, player="nobody").files == 0
    sql = (
        "select hand_id, min(detail ->> '$.players[0].name'), min(detail ->> '$.note') from events group by 1"
    )
    before = ask(store, sql)
    mine = {hand for hand, name, _ in before if name == NAME}
    done = forget(store, player=NAME)
    assert done.hands >= len(mine) > 3
    assert done.quarantined == 3
    assert saying(store.root, FORMS) == set()
    new = {name for hand, name, _ in ask(store, sql) if hand in mine}
    [pseudonym] = new
    assert pseudonym.startswith("player-")
    assert saying(store.root, (pseudonym,)) != set()
    expected = [(hand, pseudonym if hand in mine else name) for hand, name, _ in before]
    assert sorted(map(str, expected)) == sorted(str(row[:2]) for row in ask(store, sql))
    assert {row[2] for row in ask(store, sql) if row[0] in mine} == {f"{pseudonym} was late"}
    kept = "select quarantine_id, reason, first_line, last_line, hand_id from quarantine order by all"
    assert ask(store, kept) == ask(full, kept)
    assert set(ask(store, "select raw, context from quarantine")) == {("", None)}
    check(store)
    assert numbers(store) == numbers(full)
    assert set(numbers(full).values()) == {1, 2}
    assert status(store)["erased"]["erasures"] == 1
    assert status(store)["hands"] == status(full)["hands"]
    assert forget(store, player=NAME).files == 0
    assert quarantine.retry(store).ingest_id is None


def test_an_erasure_while_its_keys_are_read_has_not_lost_them(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    ingest(store, EDGE)
    [[hand], *_] = ask(store, "select hand_id from events where seq = 0")
    read = Folder.read

    def late(folder: Folder, name: str) -> bytes | None:
        found = read(folder, name)
        if name == erasures.TOMBSTONES:
            monkeypatch.undo()
            forget(store, hand=hand)
        return found

    monkeypatch.setattr(Folder, "read", late)
    assert len(erasures.tombstones(store)) == 0
    assert len(erasures.tombstones(store)) == 1


def test_other_spellings_of_a_name_are_pointed_out(full: Store) -> None:
    """They are other names, which stay, but in text they are the name; one without its accent is not."""
    for other in (unicodedata.normalize("NFD", NAME), f" {NAME}", NAME.replace(" ", "\xa0 "), NAME.upper()):
        assert forget(full, player=other, dry_run=True).other_forms == (NAME,)
    assert forget(full, player=NAME, dry_run=True).other_forms == ()
    assert not word("Zoe").search(unicodedata.normalize("NFD", "Zoë"))
    assert all(word("Viẹ\u0302t").search(form) for form in ("Việt", "Viê\u0323t", "Vie\u0302\u0323t"))
    assert known_names.typed("O'N\\\n ë") == r"$'O\'N\\\U0000000a \U000000eb'"


def test_a_name_that_is_nobody_s_is_answered_with_those_there_are(full: Store) -> None:
    nobody = forget(full, dataset="NOBODY")
    assert (nobody.files, nobody.why_nothing) == (0, "there is no data set 'NOBODY'; there are: one, two")
    names = forget(full, player="Zoe Quil").why_nothing
    assert names.startswith(f"there is no player 'Zoe Quil'; there are: {NAME}, ")
    assert forget(full, player=NAME.replace(" ", "  ")).why_nothing.endswith(
        "name is $'Zo\\U000000eb Quillfeather'"
    )
    assert forget(full, dataset="one", dry_run=True).why_nothing == ""


def test_one_thing_is_erased_at_a_time(full: Store) -> None:
    for wanted in ({}, {"player": "a", "dataset": "b"}, {"player": " "}, {"dataset": "a\udcff"}):
        with pytest.raises(ForgetError):
            forget(full, **wanted)


@pytest.mark.parametrize("age", [-1.0, 1e300, float("inf"), float("nan"), 3_650_001])
def test_an_age_is_a_number_of_days_that_a_calendar_has(full: Store, age: float) -> None:
    with pytest.raises(AgeError, match=r"give a number from 0 to 3650000"):
        forget(full, older_than=age)
    with pytest.raises(AgeError, match=r"give a number from 0 to 87600000"):
        seconds_of(age * 24, 3600)


@pytest.mark.long
def test_old_hands_are_removed(store: Store, full: Store) -> None:
    """Those of 2020 by what they say; the others, which say no time, by when they were ingested."""
    dated = ids(store, "occurred_at < '2021-01-01'")
    assert forget(store, older_than=1).hands == len(dated) == 4
    assert ids(store) == ids(full) - dated
    assert saying(store.root, tuple(dated)) == set()
    assert verify(store).problems == []
    assert forget(store, older_than=0).hands == len(ids(full) - dated)
    assert one(store, "select count(*) from quarantine") == 0
    assert verify(store).problems == []


def test_the_book_says_how_much_but_not_whom_and_a_change_is_found(store: Store) -> None:
    book, hand = Path(store.root) / erasures.BOOK, min(ids(store))
    forget(store, player=NAME)
    done = forget(store, hand=hand)
    lines = [json.loads(line) for line in book.read_text().splitlines()]
    assert [line["kind"] for line in lines] == ["player", "hand"]
    assert (lines[1]["hands"], lines[1]["events"]) == (1, done.events)
    (keys := book.with_name(erasures.TOMBSTONES)).rename(kept := book.with_name("kept"))
    [problem] = verify(store).problems
    assert (problem.place, problem.what[-16:]) == (erasures.TOMBSTONES, " would come back")
    with pytest.raises(Damaged, match=r"is missing, .* would come back; restore it .* or put an empty file"):
        runs.ingest(store, [str(EDGE)])
    keys.touch()
    assert (verify(store).problems, len(erasures.tombstones(store))) == ([], 0)
    kept.rename(keys)
    assert not [value for line in lines for value in line.values() if value in (NAME, hand)]
    assert verify(store).problems == []
    written = book.read_bytes()
    first, second = written.splitlines(keepends=True)
    number = lines[0]["events"]
    changed = written.replace(b'"events": %d' % number, b'"events": %d' % (number + 1), 1)
    for content in (changed, second + first, written + second, first, written[:-1], b""):
        book.write_bytes(content)
        assert [problem.place for problem in verify(store).problems] == [erasures.BOOK]
    book.unlink()
    [problem] = verify(store).problems
    assert problem.what == "it is missing, but 2 erasures were committed"
    book.write_bytes(changed)
    forget(store, hand=min(ids(store)))
    assert [problem.place for problem in verify(store).problems] == [erasures.BOOK]


LOCKED: dict[str, tuple[str, Callable[[Store, Path], object], tuple[bool, bool]]] = {
    "an ingest": ("runs._run_ingest", lambda store, log: runs.ingest(store, [str(log)]), (True, False)),
    "a build": ("runs._run_build", lambda store, _: runs.build(store, afresh=True), (True, False)),
    "marts": ("sql.marts._Build.run", lambda store, _: marts.build(store), (True, False)),
    "a compact": ("upkeep.compact._compact_table", lambda store, _: compact(store), (True, False)),
    "a verify": ("upkeep.verify._verified", lambda store, _: verify(store), (True, False)),
    "a forget": ("upkeep.forget._rewrite", lambda store, _: forget(store, player=NAME), (False, False)),
}
"""A function that is called while the lock is held, and whether others may work beside it and be alone."""


@pytest.mark.parametrize("name", LOCKED)
def test_a_forget_has_the_store_to_itself(
    name: str, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It removes no file that a run has written but not committed, none that a verify has yet to read, and
    no build replaces the warehouse that it removed by one with the hand."""
    place, deed, expected = LOCKED[name]
    found = []

    def free(how: int) -> bool:
        with locked(store, how | fcntl.LOCK_NB) as is_free:
            return is_free

    def note(*_: Any, **_named: Any) -> None:
        found.append((free(fcntl.LOCK_SH), free(fcntl.LOCK_EX)))
        raise Killed

    monkeypatch.setattr(f"cardlog.pipelines.{place}", note)
    with pytest.raises(Killed):
        deed(store, log(tmp_path, "kaiser", 3))
    assert found == [expected]
    assert free(fcntl.LOCK_EX)


@pytest.mark.long
@pytest.mark.parametrize("share", [0.3, 0.6, *soak(0.4, 0.8, 0.9)])
def test_a_forget_that_was_cut_goes_on(store: Store, tmp_path: Path, share: float) -> None:
    """With the same pseudonym, wherever among its operations on files it was cut."""
    with (whole := killed(10_000)).here():
        forget(copied(store, tmp_path / "whole"), player=NAME)
    with pytest.raises(Killed), killed(int(share * (10_000 - whole._left))).here():
        forget(store, player=NAME)
    assert [problem.what for problem in verify(store).problems] == ["an erasure is unfinished"]
    forget(store, player=NAME)
    assert saying(store.root, FORMS) == set()
    assert len(ask(store, "select distinct player_name from plays where player_name like 'player-%'")) == 1
    runs.build(store)
    check(store)


def test_a_forget_cut_between_its_commits_erases_from_messages_too(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`events`, by whose hands messages are changed, is committed last."""
    log(tmp_path, "kaiser", 2, match=NAME)
    [path] = tmp_path.glob("*.jsonl")
    text = path.read_text()
    path.write_text(text.replace(f"{NAME}/kaiser/2/2", "another hand in its place"))
    assert ingest(store, path, dataset="two").quarantined
    [message] = [row for (row,) in ask(store, "select message from quarantine where reason = 'conflict'")]
    hand = message.split()[-1].rstrip(".")
    commits: list[Callable[..., Any]] = [Store.commit, Mock(side_effect=InterruptedError)]
    with monkeypatch.context() as patch:
        patch.setattr(Store, "commit", lambda *given, **options: commits.pop(0)(*given, **options))
        with pytest.raises(InterruptedError):
            forget(store, hand=hand)
    forget(store, hand=hand)
    assert saying(store.root, (hand,)) == set()
    assert verify(store).problems == []


@pytest.mark.long
@pytest.mark.parametrize("what", ["player", "dataset"])
def test_what_no_table_names_is_removed_too(store: Store, full: Store, what: str) -> None:
    """Whatever its time: what can be made again, and what a run that was killed has written."""
    gone = FORMS if what == "player" else tuple(ids(store, "dataset = 'one'"))
    Path(store.root, ".dbt").mkdir()
    stray = Path(store.uri("events"), "game=kaiser", "part-0.parquet")
    stray.write_bytes(Path(full.uri("events"), full.paths("events")[0]).read_bytes())
    for name in (warehouse.FILE, "warehouse.json", "draft.tmp", ".dbt/dbt.log"):
        (Path(store.root) / name).write_text(" ".join(gone))
    assert not forget(store, player="nobody").marts_removed
    assert stray.exists()
    wanted = {what: NAME if what == "player" else "one"}
    assert forget(store, **wanted, dry_run=True).marts_removed
    assert forget(store, **wanted).marts_removed
    assert saying(store.root, gone) == set()
    check(store)


def test_what_was_erased_is_said_even_if_a_full_disk_stops_the_marts(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = "No space left on device"
    monkeypatch.setattr(operations, "build", Mock(side_effect=OSError(errno.ENOSPC, full)))
    warehouse.path_of(store).write_bytes(b"")
    erased = operations.forget(store, Wanted(hand=min(ids(store))))
    assert erased.hands == 1
    assert full in str(erased.failed)
