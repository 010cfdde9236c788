"""Finding a hand by the beginning of its id, or by the key of its source."""

import re
from pathlib import Path

import pytest

from cardlog.pipelines.sql import hand_lookup
from cardlog.pipelines.sql.hand_lookup import HandNotFound
from cardlog.pipelines.storage.moment import pinned
from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.storage.stored_hands import ID_DIGITS
from cardlog.pipelines.upkeep import hand_to_erase, quarantine
from cardlog.pipelines.upkeep.forget import forget
from cardlog.pipelines.upkeep.quarantine import NoSuchEntry
from cardlog.pipelines.upkeep.wanted import Wanted
from tests.support import jsonl_logs
from tests.support.csv_rows import SAMPLE
from tests.support.shared import small_store
from tests.support.stores import dicts, ingest_text


def test_the_first_digits_of_an_id_are_enough() -> None:
    ids = [hand["hand_id"] for hand in dicts(small_store(), "select hand_id from playedhand")]
    for hand_id in ids[:5]:
        for name in (hand_id[:8], hand_id.upper()):
            assert hand_lookup.find(small_store(), name).hand_ids == [hand_id.encode()]


@pytest.fixture(scope="module")
def keyed(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """Hands with keys of their source: one of two data sets, one alone, and a number of Kaiser's."""
    folder = tmp_path_factory.mktemp("keyed")
    store = Store(str(folder / "store"))
    twice = jsonl_logs.text_of(jsonl_logs.hand("table-7/1042"))
    for dataset in ("club", "den"):
        ingest_text(store, folder, twice, "a.jsonl", dataset=dataset, final=True)
    once = [jsonl_logs.text_of(jsonl_logs.hand(key, match_id=key, hand_no=3)) for key in ("beef", "BEEF" * 8)]
    ingest_text(store, folder, b"".join(once), "b.jsonl", final=True)
    ingest_text(store, folder, b"".join(SAMPLE.read_bytes().splitlines(keepends=True)[:3]))
    return store


TWICE = r"2 hands have the key table-7/1042: \w{32} of \w+, \w{32} of"
NOWHERE = "no hand has an id that begins with"


@pytest.mark.parametrize(("name", "shown", "erased"), [
    ("02a", "no hand has the key '02a'; an id needs at least 4 hex digits", "no hand has the key '02a'"),
    ("", "no hand has the key ''", "no hand has the key '', stored or in quarantine"),
    ("\udcff", r"no hand has the key '\\udcff'", "the key is not valid UTF-8"),
    (f"{0:031}", f"{NOWHERE} {0:031}", f"no hand has the key '{0:031}'"),
    (f"{0:033}", NOWHERE, f"no hand has the key '{0:033}'"),
    ("table-7/1043", "no hand has the key 'table-7/1043'", "no hand has the key 'table-7/1043'"),
    ("table-7/1042", TWICE, TWICE),
])  # fmt: skip
def test_what_is_no_hand_or_several_is_reported(name: str, shown: str, erased: str, keyed: Store) -> None:
    """To who wants to see one, and to who wants it erased."""
    with pytest.raises(HandNotFound, match=shown):
        hand_lookup.find(keyed, name)
    with pytest.raises(HandNotFound, match=erased):
        hand_to_erase.id_of(keyed, name)


def test_the_key_of_the_source_finds_a_hand_and_what_is_erased_is_named_exactly(keyed: Store) -> None:
    for key in ("beef", "100002", "BEEF" * 8):
        [row] = dicts(keyed, f"select distinct hand_id from events where source_key = '{key}'")
        assert hand_lookup.find(keyed, key).hand_ids == [row["hand_id"].encode()]
        assert hand_to_erase.id_of(keyed, key) == hand_to_erase.id_of(keyed, row["hand_id"].upper())
    for size in (4, 31):
        with pytest.raises(HandNotFound, match=f"no hand has the key '{row['hand_id'][:size]}', stored"):
            hand_to_erase.id_of(keyed, row["hand_id"][:size])


def test_an_exact_key_comes_before_the_beginning_of_an_id(tmp_path: Path) -> None:
    store = Store(str(tmp_path / "store"))
    text = b"".join(jsonl_logs.text_of(jsonl_logs.hand(name)) for name in ("00e1" * 8, "00e1"))
    ingest_text(store, tmp_path, text, "a.jsonl", final=True)
    [by_key] = dicts(store, "select hand_id from events where source_key = '00e1' and seq = 0")
    assert hand_lookup.find(store, "00e1").hand_ids == [by_key["hand_id"].encode()]
    assert hand_to_erase.id_of(store, "00e1") == by_key["hand_id"]
    assert hand_lookup.find(store, "00e100e1").hand_ids == [b"00e1" * 8]


def test_a_key_in_quarantine_names_that_hand_and_no_other(tmp_path: Path) -> None:
    store = Store(str(tmp_path / "store"))
    header, *lines = SAMPLE.read_bytes().splitlines(keepends=True)[:4]
    cut = lines[0].replace(b"S", b"?", 1)
    ingest_text(store, tmp_path, header + cut + b"".join(lines[1:]))
    [entry] = dicts(store, "select hand_id, quarantine_id from quarantine")
    hand_id = hand_to_erase.id_of(store, lines[0].split(b",")[0].decode())
    assert hand_id == entry["hand_id"] == hand_to_erase.id_of(store, entry["quarantine_id"])
    shows = rf"hand {hand_id} is in quarantine \(\w+\), .*, line 2; 'cardlog quarantine show (\w+)' shows it"
    assert re.fullmatch(shows, hand_to_erase.described(store, hand_id))
    erased = forget(store, Wanted(hand=hand_id))
    assert (erased.hands, erased.quarantined) == (0, 1)


def test_what_is_only_in_quarantine_is_no_beginning_of_another_id(tmp_path: Path) -> None:
    """By the key, as a hand of a CSV or exported as events, and by the id."""
    store = Store(str(tmp_path / "store"))
    header, line = SAMPLE.read_bytes().splitlines(keepends=True)[:2]
    key = line.split(b",")[0].decode()
    other = jsonl_logs.text_of(jsonl_logs.hand(key + "e" * (ID_DIGITS - len(key))))
    ingest_text(store, tmp_path, other, "other.jsonl", final=True)
    assert hand_lookup.find(store, key).hand_ids[0].startswith(key.encode())
    ingest_text(store, tmp_path, header + line.replace(b"S", b"?", 1))
    [entry] = dicts(store, "select quarantine_id, hand_id from quarantine")
    pinned_store = pinned(store, ["events", "ingests"])
    for name in (key, entry["hand_id"]):
        where = rf"hand {name} is in quarantine .*{entry['quarantine_id']}"
        with pytest.raises(HandNotFound, match=where) as no:
            hand_lookup.find(pinned_store, name)
        assert no.value.entry == entry["quarantine_id"]
        assert quarantine.entry(store, name)["hand_id"] == entry["hand_id"]
    for digits, whole in ((3, False), (31, True)):
        with pytest.raises(NoSuchEntry, match="no entry has"):
            quarantine.entry(store, entry["quarantine_id"][:digits], whole=whole)
    ingest_text(store, tmp_path, header + line.replace(b"S", b"?", 1), "den.csv", dataset="den")
    with pytest.raises(HandNotFound, match=f"2 hands have the key {key}"):
        hand_lookup.find(store, key)
    several = rf"2 entries are of hands .* '{key}': \w+ of den, \w+ of playedhand"
    with pytest.raises(NoSuchEntry, match=several):
        quarantine.entry(store, key)


def test_several_hands_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hand_lookup, "SHORTEST_PREFIX", 1)
    ids = sorted(hand["hand_id"] for hand in dicts(small_store(), "select hand_id from playedhand"))
    like = [hand_id for hand_id in ids if hand_id.startswith("0")]
    with pytest.raises(HandNotFound) as refusal:
        hand_lookup.find(small_store(), "0")
    assert str(refusal.value).startswith(f"{len(like)} hands have an id that begins with 0: ")
    named = re.findall(r"(\w+)…", str(refusal.value))
    assert len(named) == 5
    assert all(any(hand_id.startswith(start) for hand_id in like) for start in named)
