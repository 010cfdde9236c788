"""PHH: every decision and every stack of hands that PokerKit played, published hands, the fields of a hand,
and what comes back when hands are exported. Damage is in test_damage.py, by the format's row in `formats`."""

import gzip
import json
import re
import tarfile
import warnings
from pathlib import Path
from typing import Any

import pytest
from pokerkit import HandHistory

from cardlog import models
from cardlog.models.hold_em.openings import begin_many
from cardlog.models.hold_em.rules import evolve
from cardlog.models.poker.betting import owed_by, raise_limits
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.events.folding import fold_batch, initial_states
from cardlog.pipelines.export import phh
from cardlog.pipelines.export.export import ExportError, export
from cardlog.pipelines.export.selection import Output
from cardlog.pipelines.ingest import sources
from cardlog.pipelines.ingest.judge import Judged, judge
from cardlog.pipelines.readers.base import Read, Source
from cardlog.pipelines.readers.options import ReadOptions
from cardlog.pipelines.readers.phh import reader
from cardlog.pipelines.storage.store import Store
from cardlog.schemas.events import Action
from tests.support.files import beside_checkout
from tests.support.formats import PHH_HANDS, STARS_HANDS
from tests.support.pokerkit_replay import replayed
from tests.support.soak import long
from tests.support.steps import opening_of
from tests.support.stores import dicts, ingest

FIXTURES = Path(__file__).parents[2] / "fixtures" / "hold_em"
STARS = beside_checkout("fixtures/hold_em/pokerstars")
REAL = beside_checkout("fixtures/hold_em/phh_real.tar.gz")
"""Published hands, beside the repository."""
BETS = (Action.BID_FOLD, Action.BID_CHECK, Action.BID_CALL, Action.BID_RAISE)
HAND = b"""variant = 'NT'
antes = [0, 0, 0]
blinds_or_straddles = [5, 10, 0]
min_bet = 10
starting_stacks = [1000, 1000, 1000]
actions = ['d dh p1 AsKs', 'd dh p2 ????', 'd dh p3 2c2d', 'p3 f', 'p1 f']
"""


def text_of(name: str) -> bytes:
    return gzip.decompress((FIXTURES / f"{name}.phhs.gz").read_bytes())


def read(text: bytes, timezone: str = "", final: bool = True) -> Read:
    options = ReadOptions(timezone=timezone)
    [found] = reader.read(text, Source("0" * 64, "-", "phh", final=final, options=options))
    return found


def kept(text: bytes, **how: Any) -> Judged:
    found = judge(read(text, **how))
    assert not found.rejects, found.rejects[0].message
    return found


def check_comes_back(batch: Batch, text: bytes) -> None:
    """That a hand is written as PokerKit writes it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert phh.text_of(batch, 0, fold_batch(batch).states[0]) == HandHistory.loads(text.decode()).dumps()


# ---------------------------------------------------------------- oracles


@pytest.mark.parametrize(("name", "count"), [("odd", 54_608), *long(("random", 52_246))])
def test_every_decision_and_every_stack_is_as_the_oracle_says(name: str, count: int) -> None:
    batch = kept(text_of(name)).batch
    states, _ = initial_states(batch)
    lines = gzip.decompress((FIXTURES / f"{name}_oracle.jsonl.gz").read_bytes()).splitlines()
    seen = 0
    for hand, said in enumerate(map(json.loads, lines)):
        state, decisions = states[hand], iter(said["decisions"])
        for event in batch.events[batch.offsets[hand] : batch.offsets[hand + 1]]:
            if event["action"] in BETS:
                to_call, bet = int(owed_by(state, state["turn"])), int(state["bets"][state["turn"]])
                least, most = map(int, raise_limits(state, to_call))
                found = {"seat": int(state["turn"]), "fold": to_call > 0}
                found["call"] = min(to_call, int(state["stack"][state["turn"]]))
                found |= {"lo": least + bet if most else None, "hi": most + bet if most else None}
                decision = next(decisions)
                assert found == {key: decision[key] for key in found}, (hand, seen)
                seen += 1
            assert evolve(state, event) == 0
        assert state["stack"][: said["players"]].tolist() == said["finish"]
    assert seen == count


@pytest.mark.long
@pytest.mark.skipif(not REAL.exists(), reason="these hands are not ours to distribute")
def test_published_hands_end_with_the_stacks_that_they_say() -> None:
    """All of hold'em; the others are named as not supported. Written again, they are what PokerKit writes."""
    reads, texts, others = [], [], 0
    with tarfile.open(REAL) as files:
        for member in files:
            if member.isfile():
                content = files.extractfile(member)
                assert content is not None
                texts.append(content.read())
                reads.append(read(texts[-1], final=False))
                others += sum("not supported" in reject.message for reject in reads[-1].rejects)
    judged = judge(Read.joined([one for one in reads if len(one.batch)]))
    assert (len(judged.kept), others, judged.rejects) == (5330, 69, [])
    batch = judged.batch
    states = fold_batch(batch).states
    told = 0
    for hand, text in enumerate(text for text, one in zip(texts, reads, strict=True) if len(one.batch)):
        history = HandHistory.loads(text.decode())
        assert phh.text_of(batch, hand, states[hand]) == history.dumps()
        if history.finishing_stacks:
            unit = opening_of(batch, hand)["settings"]["unit"]
            stacks = [int(stack * unit) for stack in history.finishing_stacks]
            assert states["stack"][hand][: len(stacks)].tolist() == stacks
            told += 1
    assert told == 5329


def test_many_openings_begin_as_each_does() -> None:
    game = models.game("hold_em")
    found = kept(text_of("odd")).batch.details[:300]
    bad = [
        "null", "{", found[0].replace("no_limit", "some_limit"), found[0].replace("[200,", "[0,"),
        found[0].replace('"dealer":5', '"dealer":10'), found[0].replace('"unit":1', '"unit":0'),
        found[0].replace('"score":[', '"score":[1,'), found[0].replace("[200,", "[2147483647,"),
    ]  # fmt: skip
    states, known = begin_many([*found, *bad])
    assert known.tolist() == [True] * len(found) + [False] * len(bad)
    for state, detail in zip(states, found, strict=False):
        assert state.tobytes() == game.begin(json.loads(detail)).tobytes()
    for detail in bad[2:]:
        with pytest.raises(ValueError, match=r"\w"):
            game.begin(json.loads(detail))


# ---------------------------------------------------------------- what a hand says


def test_a_hand_of_the_largest_set() -> None:
    """Cents, hidden cards, winnings after the rake, seats, a time in a zone, a number above 32 bits."""
    judged = kept(PHH_HANDS)
    batch, states = judged.batch, fold_batch(judged.batch).states
    assert states["rake"].tolist() == [600, 0]
    first = json.loads(batch.details[0])
    assert (first["dealer"], first["match"]["score"]) == (3, [0, 149250, 210740, 114600])
    names = ("XrM1XlN29Rxm", "X+u4T/E5ANky", "3wT3m+GDGtVW")
    assert first["players"] == [None, *({"name": name} for name in names)]
    assert first["settings"] == {
        "ante_trimming": False, "big_bet": 1000, "small_bet": 1000, "currency": "$", "dialect": "phh",
        "structure": "no_limit", "unit": 100,
    }  # fmt: skip
    assert first["about"]["hand"] == 3017254774
    assert first["about"]["phh"] == {"muck": "????"}
    assert batch.keys.to_pylist() == ["3017254774", "3017254775"]
    assert batch.matches == ["Some Poker Site, CLEO AVE, 2009-07-01", "Some Poker Site, HEADS UP, 2009-07-04"]
    times = batch.events["at"][batch.offsets[:-1]].astype("M8[us]").astype(str).tolist()
    assert times == ["2009-07-01T04:02:58.000000", "2009-07-05T03:59:59.000000"]
    posts = batch.events[batch.events["action"] == Action.BID_BLIND]
    assert list(zip(posts["seat"], posts["amount"], strict=True)) == [(1, 500), (2, 1000), (0, 50), (5, 100)]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("hand = 7", {}), ("hand = 'x7'", {"hand": "x7"}), ("level = 3", {"level": 3}),
        ("_mine = {b = 1, a = [2.50]}", {"_mine": {"table": [["b", 1], ["a", [{"number": "2.50"}]]]}}),
        ("time = 12:30:00", {"time": "12:30:00"}), ("time_banks = [1, 2, 3]", {"time_banks": [1, 2, 3]}),
        ("seats = [3, 1, 2]", {}), ("seats = [1, 2, 3]", {"phh": {"seats": [1, 2, 3]}}),
        ("seats = [9, 2, 1]", {"phh": {"seats": [9, 2, 1]}}),
        ("seats = [9, 10, 4]", {}), ("ante_trimming_status = true", {}), ("currency = 'EUR'", {}),
        ("currency_symbol = '€'", {"currency_symbol": "€"}), ("players = ['a', '', 'c']", {}),
        ("_z = 1\n_b = 2", {"_z": 1, "_b": 2, "phh": {"order": ["_z", "_b"]}}),
    ],
)  # fmt: skip
def test_every_field_is_kept_and_comes_back(line: str, told: dict[str, Any]) -> None:
    """Fields that the opening has a place for are there, and the others in `about`."""
    text = HAND + line.encode() + b"\n"
    batch = kept(text).batch
    assert opening_of(batch, 0).get("about", {}) == told
    check_comes_back(batch, text)


VALUES = (
    "1", "-1", "2.5", "inf", "nan", "true", "'x'", "''", "[]", "[1]", "['a']", "[[1]]", "[1, 2, 3]",
    "{a = 1}", "{}", "00:01:02", "2009-01-01", "2009-01-01T00:00:00Z", "99999999999999999999", "1e400",
    "[1, 'a', 2.5]",
    "\"\\u0000\\n'\"", "[true, false, true]", "['p1 f', 3]", "-0.0",
)  # fmt: skip


@pytest.mark.parametrize(
    "field", sorted({*re.findall(r"(?m)^(\w+) =", PHH_HANDS.decode())} | {"event", "_x"})
)
def test_any_value_of_a_field_is_read_or_refused_in_a_sentence(field: str) -> None:
    """And a hand that is read is the same when it is written and read again."""
    for whole in PHH_HANDS.decode().split("\n\n"):
        for value in VALUES:
            text, found = re.subn(rf"(?m)^{field} = .*$", lambda _, to=f"{field} = {value}": to, whole)
            text += "" if found else f"\n{field} = {value}"
            judged = judge(read(text.encode()))
            batch, states = judged.batch, fold_batch(judged.batch).states
            assert all(reject.message[0].isupper() for reject in judged.rejects)
            if len(batch) and field != "currency_symbol":
                again = judge(read(phh.text_of(batch, 0, states[0]).encode())).batch
                assert again.content().tolist() == batch.content().tolist(), text


@pytest.mark.parametrize(("day", "zone", "option", "expected"), [
    ("1 7 2009", "time_zone = 'Asia/Tokyo'", "", "2009-07-01T03:30:00.000000"),
    ("1 7 2009", "time_zone_abbreviation = 'ET'", "", "2009-07-01T16:30:00.000000"),
    ("1 7 2009", "time_zone_abbreviation = 'MSK'", "", "2009-07-01T08:30:00.000000"),
    ("1 7 2009", "", "+01:00", "2009-07-01T11:30:00.000000"),
    ("31 12 1969", "time_zone_abbreviation = 'PST'", "", "1969-12-31T20:30:00.000000"),
    ("1 7 2009", "", "", "NaT"), ("1 7 2009", "time_zone_abbreviation = 'IST'", "Europe/Oslo", "NaT"),
    ("30 2 2009", "", "UTC", "There is no day 2009-2-30."), ("1 7 0", "", "UTC", "There is no day 0-7-1."),
    ("'1' 7 2009", "", "UTC", "There is no day 2009-7-1."),
    ("30 12 2011", "time_zone = 'Pacific/Apia'", "", "no time of the years 1 to 9999 on the clock of Pac"),
    ("1 1 1", "", "+13:00", "The time 0001-01-01 12:30:00 is no time of the years 1 to 9999"),
    ("31 12 9999", "", "-15:00", "The time 9999-12-31 12:30:00 is no time of the years 1 to 9999"),
    ("1 7 2009", "time_zone = 'ET'", "", "there is no time zone 'ET'; it must be a name such as"),
])  # fmt: skip
def test_a_time_needs_a_zone_whose_clock_shows_it(day: str, zone: str, option: str, expected: str) -> None:
    fields = "day = {}\nmonth = {}\nyear = {}\n".format(*day.split())
    judged = judge(read(HAND + f"time = 12:30:00\n{fields}{zone}\n".encode(), option))
    at = judged.batch.events["at"][:1].astype("M8[us]").astype(str)
    assert expected in [*at, *(reject.message for reject in judged.rejects)][0]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("'p3 f'", "'p3 cbr 20.5'"), ("[1000, 1000, 1000]", "[1000.001, 1000, 1000]"),
        ("[0, 0, 0]", "[0, 10, 0]"), ("[5, 10, 0]", "[5, 10, -10]"),
        ("'d dh p2 ????', ", ""), ("[1000, 1000, 1000]", "[1000, 3, 1000]"), ("d dh p1 AsKs", "d dh p1 As??"),
        ("'p3 f', 'p1 f'", "'p3 f', 'p1 f', '# a comment'"),
    ],
)  # fmt: skip
def test_amounts_and_actions_come_back_as_they_are_written(old: str, new: str) -> None:
    text = HAND.replace(old.encode(), new.encode())
    assert text != HAND
    check_comes_back(kept(text).batch, text)


# ---------------------------------------------------------------- through a store


def exported(store: Store, folder: Path, name: str) -> bytes:
    (folder / name).unlink(missing_ok=True)
    export(store, str(folder / name), Output("hold_em", "phh"))
    return (folder / name).read_bytes()


def stacks_by_pokerkit(text: str) -> list[int]:
    """The stacks of a hand in PHH at its end, in hundredths, to which PokerKit replays it."""
    state = replayed(text)
    assert not state.status
    return [round(stack * 100) for stack in state.stacks]


def test_what_pokerkit_wrote_comes_back_byte_for_byte(store: Store, tmp_path: Path) -> None:
    histories = [*HandHistory.loads_all(text_of("odd").decode())][:60]
    (tmp_path / "many.phhs").write_text(HandHistory.dumps_all(histories))
    ingest(store, tmp_path / "many.phhs")
    assert exported(store, tmp_path, "out.phhs") == (tmp_path / "many.phhs").read_bytes()
    with pytest.raises(ExportError, match="several hands"):
        exported(store, tmp_path, "out.phh")
    with (tmp_path / "one.phh").open("wb") as file:
        histories[3].dump(file)
    alone = Store(str(tmp_path / "alone"))
    ingest(alone, tmp_path / "one.phh")
    assert exported(alone, tmp_path, "two.phh") == (tmp_path / "one.phh").read_bytes()


def test_a_hand_that_has_fewer_fields_than_the_one_before_may_end_a_block(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "BLOCK_BYTES", 1_000)
    hands = text_of("odd").split(b"\n\n")[:40]
    hands[::2] = [hand.rpartition(b"\n")[0] for hand in hands[::2]]
    (tmp_path / "log.phhs").write_bytes(b"\n\n".join(hands))
    assert ingest(store, tmp_path / "log.phhs").counts.hands_stored == len(hands)


def test_hands_that_the_format_cannot_tell_are_counted(store: Store, tmp_path: Path) -> None:
    """A second board, pot limit, a fold out of turn; a raise that nobody could call is told as a call."""
    first, second, twice = STARS_HANDS.decode().split("\n\n\n")[:3]
    early = second.replace("Bob: folds\n", "").replace("Cy Dee: folds", "Cy Dee: folds\nBob: folds")
    hands = [first, twice, first.replace("No Limit", "Pot Limit"), second, early]
    text = "\n\n".join(re.sub(r"Hand #\d+", f"Hand #{no}", hand) for no, hand in enumerate(hands, 1))
    (tmp_path / "log.txt").write_text(text)
    assert ingest(store, tmp_path / "log.txt").counts.hands_stored == 5
    done = export(store, str(tmp_path / "out.phhs"), Output("hold_em", "phh"))
    assert (done.rows, done.untold) == (2, {"a second board": 1, "pot limit": 1, phh.AGAINST_THE_RULES: 1})
    told = [part.split("\n", 1)[1] for part in (tmp_path / "out.phhs").read_text().split("\n\n")]
    assert [stacks_by_pokerkit(hand) for hand in told] == [[800, 1070, 1175], [1065, 1163, 800]]


@pytest.mark.skipif(not STARS.exists(), reason="these hands are not ours to distribute")
def test_pokerkit_replays_what_pokerstars_wrote(store: Store, tmp_path: Path) -> None:
    """All hands of hold'em, to the stacks that we have, but for the rake, which it gives to the winners."""
    ingest(store, STARS, final=True)
    done = export(store, str(tmp_path / "out.phhs"), Output("hold_em", "phh"))
    assert (done.rows, done.untold) == (675, {"a second board": 1, "pot limit": 1, phh.AGAINST_THE_RULES: 1})
    differ = []
    for part in (tmp_path / "out.phhs").read_text().split("\n\n"):
        theirs = stacks_by_pokerkit(part.split("\n", 1)[1])
        told = [round(stack * 100) for stack in HandHistory.loads(part.split("\n", 1)[1]).finishing_stacks]
        raked = sum(theirs) - sum(told)
        if any(mine > stack for mine, stack in zip(told, theirs, strict=True)) or raked > max(theirs) / 10:
            differ.append([mine - stack for mine, stack in zip(told, theirs, strict=True) if mine != stack])
    assert differ == [[1, -1]]  # the odd chip, which PokerStars gives to the first after the button


def test_many_small_files_are_read_together(store: Store, tmp_path: Path) -> None:
    """Into one data file; each has its own counts, and what is wrong with its hand says where it was."""
    folder = tmp_path / "hands"
    folder.mkdir()
    texts = [part.split(b"\n", 1)[1] for part in text_of("random").split(b"\n\n")[: sources.MANY_FILES + 20]]
    for number, text in enumerate(texts):
        refused = text.replace(b"'NT'", b"'PO'")
        (folder / f"{number:03}.phh").write_bytes(refused if number in (5, 70) else text)
    (folder / "x.phh").write_bytes(b"# again\n" + texts[7])
    (folder / "y.phh").write_bytes(texts[8].replace(b"finishing_stacks = [", b"finishing_stacks = [1"))
    (folder / "z.phh").write_bytes(texts[9].replace(b"event =", b"author = 'another'\nevent ="))
    result = ingest(store, folder)
    assert (result.hands_stored, result.duplicates, result.quarantined) == (len(texts) - 2, 1, 4)
    assert len(store.paths("events")) == 1
    rows = {Path(row["source_path"]).stem: row for row in dicts(store, "from ingests")}
    assert len(rows) == len(texts) + 3
    assert all(row["hands_read"] == 1 for row in rows.values())
    ends = {name: (row["hands_stored"], row["duplicates"], row["quarantined"]) for name, row in rows.items()}
    assert {name: end for name, end in ends.items() if end != (1, 0, 0)} == {
        "005": (0, 0, 1), "070": (0, 0, 1), "x": (0, 1, 0), "y": (0, 0, 1), "z": (0, 0, 1),
    }  # fmt: skip
    held = {Path(row["source_path"]).stem: row["reason"] for row in dicts(store, "from quarantine")}
    assert held == {"005": "unparsable", "070": "unparsable", "y": "score_mismatch", "z": "conflict"}
    events = dicts(store, "from events")
    assert sum(row["events_stored"] for row in rows.values()) == len(events)
    for name in ("000", "069"):
        of_file = [row for row in events if row["source_id"] == rows[name]["source_id"]]
        assert len(of_file) == rows[name]["events_stored"] > 5
