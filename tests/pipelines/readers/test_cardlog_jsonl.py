"""cardlog-jsonl: what lines are read, hands from lines, and what is wrong with them."""

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cardlog import models
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.ingest.judge import judge
from cardlog.pipelines.readers import detect
from cardlog.pipelines.readers.base import Read, Source
from cardlog.pipelines.readers.cardlog_jsonl import reader as cardlog_jsonl
from cardlog.pipelines.readers.options import OptionError, ReadOptions
from cardlog.pipelines.storage.store import Store
from cardlog.schemas.events import SCHEMA
from cardlog.schemas.reasons import Reason
from tests.support.exports import export
from tests.support.jsonl_logs import hand, hashed, text_of
from tests.support.stores import FIXTURES, ask, ingest, ingest_text, one

DOCS = (FIXTURES.parents[2] / "docs" / "formats" / "cardlog-jsonl.md").read_text(encoding="utf-8")
SOURCE = Source("0" * 64, "log.jsonl", "cardlog-jsonl")
FINAL = Source("0" * 64, "log.jsonl", "cardlog-jsonl", final=True)


def read(text: bytes, source: Source = SOURCE) -> Read:
    (found,) = cardlog_jsonl.read(text, source)
    return found


def reject_of(text: bytes) -> tuple[str, str]:
    """Reason and sentence of the only hand that is not kept."""
    (reject,) = judge(read(text, FINAL)).rejects
    return reject.reason.code, reject.message


def kept(text: bytes, source: Source = FINAL) -> Batch:
    judged = judge(read(text, source))
    assert judged.rejects == []
    return judged.batch


# ---------------------------------------------------------------- how a line may be spelled

SPELLINGS = (
    '{"game":"kaiser","hand_id":"a","kind":"deal","action":"open"}',
    ' {\t"action" : "open" , "kind":"deal","hand_id": "a","game":"kaiser" }\t ',
    '{"game":"kaiser","hand_id":"a","kind":"deal","action":"open","seat":null,"cards":null,"detail":null}',
    '{"game":"kaiser","hand_id":"\\u0061","kind":"deal","action":"open"}',
    '{"game":"kaiser","hand_id":"ä","match_id":"Ödön/7","kind":"deal","action":"open"}',
    '{"game":"kaiser","hand_id":"\\u00e4","match_id":"\\u00d6dön/7","kind":"deal","action":"open"}',
    '{"game":"kaiser","hand_id":"a","kind":"deal","action":"open","detail":{"dealer":[1,"}",{"c":null}],"match":"\\"{"}}',
    '{"game":"kaiser","hand_id":"a","kind":"deal","action":"open","detail":"{\\"dealer\\": 1}"}',
    '{"game":"kaiser","hand_id":"a","kind":"deal","action":"open","detail":"{}"}',
    '{"game":"kaiser","hand_id":"a","kind":"deal","action":"hand","seat":127,"cards":"5H??3S"}',
    '{"game":"kaiser","hand_id":"a","kind":"bid","action":"bid","amount":-2147483647,"suit":"N"}',
    '{"game":"kaiser","hand_id":"a","kind":"bid","action":"bid","amount":-0,"hand_no":2147483647,"seq":0}',
    '{"game":"kaiser","hand_id":"a","kind":"bid","action":"bid","occurred_at":"2016-03-01 21:16:07.2+05:30"}',
    '{"game":"kaiser","hand_id":"a","kind":"bid","action":"bid","occurred_at":"0001-01-01T00:00:00Z"}',
    '{"game":"kaiser","hand_id":"a","kind":"bid","action":"bid","occurred_at":1795000000123456}',
    '{"game":"kaiser","hand_id":"a","kind":"bid","action":"bid","occurred_at":631152000}',
    '{"game":"kaiser","hand_id":"a","kind":"bid","action":"bid","source_id":"x","source_line":7,"ingest_no":3,"schema_version":1}',
    '{"game":"kaiser","hand_id":"a","kind":"bid","action":"bid","source_line":-99999999999999999999}',
    '{"game":"kaiser","hand_id":"a\\u0000b\\tc","kind":"bid","action":"bid"}',
)


@pytest.mark.parametrize("line", SPELLINGS)
def test_a_line_may_be_spelled_so(line: str) -> None:
    assert read(line.encode()).rejects == []


_OPEN = '{"game":"kaiser","hand_id":"a","kind":"deal","action":"open"'
BROKEN_LINES = (
    _OPEN + ',"seat":1,"seat":1}', _OPEN + ',"seat":null,"seat":1}', _OPEN + ',"seat":1,"seat":null}',
    "x", "{", "{}", "[]", "7", '"a"', "null", "NaN", '{"hand_id":"a"', '{"hand_id":7}', '{"hand_id":""}',
    '{"hand_id":null}', '{"hand_id":"a",}', '{"hand_id":"a"} {"hand_id":"b"}',
    '{"hand_id":"a","hand_id":"a"}', '{"hand_id":"\\ud800"}', '{"hand_id":"a","seat":01}',
    '{"hand_id":"a","detail":{"a":1,"a":2}}', '{"hand_id":"a","detail":{"a":NaN}}',
    '{"hand_id":"a","detail":{"a":}}', '{"hand_id":"a","detail":{"a":[}]}}',
    '{"hand_id":"a","cards":"5\tH"}', "[" * 9999, "\\", '{"hand_id":"a\\', '{"hand_id":"a","detail":{"b":"',
    '{"hand_id":"a","seat":-}', '{"hand_id":"a","seat":nul}', "\x0c",
)  # fmt: skip


@pytest.mark.parametrize("line", BROKEN_LINES)
def test_a_line_that_is_no_event_is_a_reject_of_its_own(line: str) -> None:
    text = line.encode() + b"\n" + text_of(hand())
    found = read(text, FINAL)
    (reject,) = found.rejects
    assert (reject.reason, reject.hand_id, reject.game) == (Reason.UNPARSABLE, None, None)
    assert (reject.first_line, reject.last_line, reject.raw) == (1, 1, line.encode())
    assert reject.message.startswith("Line 1 belongs to no hand: ")
    assert len(found.batch) == 1


# ---------------------------------------------------------------- what a line says


def test_a_detail_is_the_same_however_its_keys_stand_and_a_text_stays_as_it_is() -> None:
    events = hand()
    plain = kept(text_of(events))
    detail = events[0]["detail"]
    turned = [{**events[0], "detail": dict(reversed(detail.items()))}, *events[1:]]
    assert list(kept(text_of(turned)).content()) == list(plain.content())
    sorted_text = json.dumps(detail, separators=(",", ":"), sort_keys=True)
    as_text = [{**events[0], "detail": sorted_text}, *events[1:]]
    assert list(kept(text_of(as_text)).content()) == list(plain.content())
    spaced = json.dumps(detail, indent=1)
    assert spaced in kept(text_of([{**events[0], "detail": spaced}, *events[1:]])).details


def test_an_id_is_taken_and_a_key_is_hashed_with_the_data_set() -> None:
    ids = ["0123456789abcdef" * 2, "0123456789ABCDEF" * 2, "0123456789abcdef" * 2 + "0", "ä"]
    batch = kept(b"".join(text_of(hand(key)) for key in ids))
    assert [name.decode() for name in batch.hand_ids] == [ids[0], *map(hashed, ids[1:])]
    other = kept(text_of(hand("ä")), Source("", "", "other", final=True))
    assert other.hand_ids[0] != batch.hand_ids[3]


@pytest.mark.parametrize("game", models.GAMES)
def test_of_what_is_no_card_the_games_cards_are_named(game: str) -> None:
    line = {"game": game, "hand_id": "a", "kind": "deal", "action": "hand", "cards": "5X"}
    assert reject_of(json.dumps(line).encode())[1].endswith(models.game(game).cards())
    assert re.search(r"'s cards are \S+ of ", models.game(game).cards())


# ---------------------------------------------------------------- hands from lines


def test_data_set_and_key_are_kept_with_the_hand(store: Store, tmp_path: Path) -> None:
    """A key is what the source says it is, or its name of the hand, or else match and number."""
    made = "ab" * 16
    said = [{**event, "dataset": "den", "source_key": "n° 7"} for event in hand("c")]
    text = text_of([*hand("table-7/1042"), *hand(made, match_id="m", hand_no=3), *said])
    ingest_text(store, tmp_path, text, "a.jsonl", final=True)
    found = "select source_key, dataset from events where source_key is not null order by source_line"
    assert ask(store, found) == [
        ("table-7/1042", cardlog_jsonl.FORMAT),
        ("m/3", cardlog_jsonl.FORMAT),
        ("n° 7", "den"),
    ]
    export(store, "kaiser", cardlog_jsonl.FORMAT, str(tmp_path / "out.jsonl"))
    again = Store(str(tmp_path / "again"))
    ingest(again, tmp_path / "out.jsonl", final=True)
    assert sorted(ask(again, found)) == sorted(ask(store, found))
    export(again, "kaiser", cardlog_jsonl.FORMAT, str(tmp_path / "again.jsonl"))
    assert (tmp_path / "again.jsonl").read_bytes() == (tmp_path / "out.jsonl").read_bytes()


def test_a_game_that_there_is_not_is_named_with_those_that_there_are() -> None:
    reason, message = reject_of(text_of(hand(game="whist")))
    assert (reason, message[:48]) == ("unparsable", 'There is no game "whist"; there are: kaiser, bel')


def test_a_hand_longer_than_seq_can_count_is_refused() -> None:
    line = b'{"game":"kaiser","hand_id":"a","kind":"bid","action":"pass"}\n'
    assert reject_of(line * 32769) == ("unparsable", "The hand has more than 32768 events.")
    assert "opening" in reject_of(line * 32768)[1]


def test_an_unnumbered_hand_with_a_broken_line_between_may_miss_an_event() -> None:
    lines = text_of(hand(numbered=False)).splitlines(keepends=True)
    found = judge(read(b"".join([*lines[:-2], lines[-2][:40] + b"\n", lines[-1]]), FINAL))
    assert [reject.reason for reject in found.rejects] == [Reason.INCOMPLETE, Reason.UNPARSABLE]
    assert "an event may be missing" in found.rejects[0].message
    numbered = text_of(hand()).splitlines(keepends=True)
    around = judge(read(b"".join([*numbered[:5], b"x\n", *numbered[5:]]), FINAL))
    assert len(around.kept) == 1


# ---------------------------------------------------------------- hands that the end may cut


def cut_hands(text: bytes, source: Source = SOURCE) -> list[bool]:
    """Which hands of a text may go on."""
    found = read(text, source)
    return list(map(bool, found.cut & ~np.isin(np.arange(len(found.batch)), judge(found).kept)))


def test_a_hand_followed_by_one_of_its_match_will_not_go_on() -> None:
    """A whole one at the very end waits for its scores."""
    broken_off, whole = hand("a", match_id="m", hand_no=0)[:20], hand("b", match_id="m", hand_no=1)
    assert cut_hands(text_of(broken_off) + text_of(whole)) == [False, True]
    assert cut_hands(text_of(broken_off) + text_of(whole), FINAL) == [False, False]
    assert cut_hands(text_of(whole) + text_of(broken_off)) == [False, True]
    assert cut_hands(text_of(broken_off) + text_of(hand("b", match_id="other"))) == [True, True]
    assert cut_hands(text_of(hand("a")[:20]) + text_of(hand("b"))) == [True, True]
    # The other hand of the match began before this one's last line, so it does not follow it.
    between = text_of(broken_off[:10]) + text_of(whole) + text_of(broken_off[10:])
    assert cut_hands(between) == [True, False]
    assert cut_hands(between, FINAL) == [False, False]
    assert cut_hands(text_of(whole) + text_of(broken_off[:1])) == [False, True]


# ---------------------------------------------------------------- the page


def test_the_page_has_every_column() -> None:
    table = DOCS.split("## Columns", 1)[1].split("## Names", 1)[0]
    names = re.findall(r"(?m)^\| (`.*?) \|", table)
    assert re.findall(r"`(\w+)`", " ".join(names)) == SCHEMA.names


def test_the_page_shows_a_hand_that_is_read() -> None:
    (example,) = re.findall(r"```jsonl\n(.*?)```", DOCS, re.S)
    assert len(kept(example.encode())) == 1
    assert detect(example.encode()) == "cardlog-jsonl"


def test_the_page_names_reasons_that_there_are() -> None:
    table = DOCS.split("## What goes to quarantine", 1)[1].split("## Scores", 1)[0]
    named = set(re.findall(r"(?m)^\|.*`(\w+)` \|$", table))
    assert named <= {reason.code for reason in Reason}
    assert len(named) == 6


@pytest.mark.parametrize("unit", [1, 10**3, 10**6, 10**9])
@pytest.mark.parametrize("seconds", [631_152_000, 1_795_000_000, 4_102_444_799])
def test_the_size_of_a_number_tells_its_unit(seconds: int, unit: int) -> None:
    lines = [{**hand()[0], "occurred_at": seconds * unit}, *hand()[1:]]
    assert kept(text_of(lines)).events["at"][0] == seconds * 10**6


def test_options_read_bare_times_and_let_keys_pass_by_name() -> None:
    lines = [{**line, "server": "a", "note": 1} for line in hand()]
    lines[0]["occurred_at"] = "2024-07-01T12:00:00"
    # A key of the format is read nevertheless.
    options = ReadOptions.of(["server", "note,seat"], (), "Europe/Oslo")
    batch = kept(text_of(lines), replace(FINAL, options=options))
    assert batch.events["at"][0] == 1719828000_000000
    [reject] = read(text_of(lines), replace(FINAL, options=ReadOptions.of(["server"], (), "UTC"))).rejects
    assert "unknown field `note`; there are: hand_id, game" in reject.message


@pytest.mark.parametrize("as_text", [False, True])
def test_unknown_keys_of_an_opening_are_refused_and_pass_by_name(as_text: bool) -> None:
    """A misspelt ``match`` would leave its scores unchecked, and a misspelt name a player without one."""
    opening, *events = hand()
    players = [{"kind": "human", "nmae": "Ann"}, *opening["detail"]["players"][1:]]
    for key, unknown in (
        ("mach", {"mach": {"score": [0, 0]}}),
        ("match.winner", {"match": {"score": [0, 0], "no_trump": False, "winner": None}}),
        ("players.nmae", {"players": players}),
    ):
        detail = opening["detail"] | unknown
        lines = text_of([opening | {"detail": json.dumps(detail) if as_text else detail}, *events])
        reason, message = reject_of(lines)
        assert reason == "unparsable"
        assert f'detail has the unknown key "{key}"; there are: dealer, match.score, ' in message
        passing = replace(FINAL, options=ReadOptions.of([key, "dealer"], (), None))
        [stored] = [text for text in kept(lines, passing).details if "dealer" in text]
        assert key.rpartition(".")[2] not in stored


def test_lines_of_other_kinds_pass_by_name_alone(store: Store, tmp_path: Path) -> None:
    """With or without ``seq``, and also in the text of a hand that is tried again."""
    for number, (place, numbered) in enumerate(((6, True), (6, False), (0, True))):
        events = hand(f"chat-{number}", numbered=numbered)
        chat = {"game": "kaiser", "hand_id": f"chat-{number}", "kind": "chat", "action": "say"}
        lines = [*events[:place], chat, *events[place:]]
        text = text_of([line | {"seq": seq} for seq, line in enumerate(lines)] if numbered else lines)
        reason, message = reject_of(text)
        assert reason == "unparsable"
        assert "--ignore-kinds" in message
        refused = ingest_text(store, tmp_path, text, f"{number}.jsonl", final=True)
        assert refused.counts.quarantined == 1
        named = ["chat, emote"]
        result = ingest_text(store, tmp_path, text, f"{number}.jsonl", final=True, ignore_kinds=named)
        assert (result.counts.hands_stored, result.counts.quarantined) == (1, 0)
        of_hand = f"having bool_or(source_key = 'chat-{number}')"
        assert one(store, f"select max(seq) from events group by hand_id {of_hand}") == len(events) - 1
    with pytest.raises(OptionError, match="a hand needs its lines of kind play; others can be ignored"):
        ReadOptions.of((), ["play,chat"], None)
