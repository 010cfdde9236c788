"""The reader of five-card draw transcripts against all games of the original program."""

import csv
import gzip
import json
import re
from typing import Any

import pytest

from cardlog.models.five_card_draw.state import opening
from cardlog.models.poker import ranks
from cardlog.pipelines.ingest.judge import judge
from cardlog.pipelines.readers.base import Source
from cardlog.pipelines.readers.five_card_draw_transcript import reader
from cardlog.pipelines.readers.five_card_draw_transcript.wording import NUMBER, category_of, parse_cards
from cardlog.schemas import cards
from cardlog.schemas.events import ACTIONS, Action
from tests.support.five_card_draw_hands import FIXTURES, LOGS, OracleHand, full_events, oracle, oracle_hands
from tests.support.steps import events_of, opening_of

SOURCE = Source("0" * 64, "-", reader.FORMAT)
TEXTS = {log: gzip.decompress((FIXTURES / f"{log}_transcripts.txt.gz").read_bytes()) for log in LOGS}


CRASHED_AT_ONCE = {
    log: [one["gid"] for one in oracle(log) if "KeyError" in one["status"]] for log in ("more", "odd")
}
"""Games in which all chips are the ante: the program crashes when the first player pays."""


@pytest.mark.parametrize(("log", "done", "lines", "marks"), [
    ("games", 282, 7574, 74), ("more", 1472, 41610, 400), ("odd", 229, 6625, 80),
])  # fmt: skip
def test_every_hand_of_the_logs_is_stored_as_the_oracle_has_it(
    log: str, done: int, lines: int, marks: int
) -> None:
    """What comes of it is compared in tests/models. All lines are those of hands, but the marks."""
    found = judge(*reader.read(TEXTS[log], SOURCE))
    hands = {(one.game["gid"], one.number): one for one in oracle_hands(log)}
    assert (found.rejects, found.done.sum()) == ([], done)
    assert (found.read.lines_read, found.read.other_lines) == (lines, marks)
    assert not found.read.cut.any()
    batch = found.batch
    matches = [batch.matches[match] for match in batch.match_of]
    ids = [(match, int(number)) for match, number in zip(matches, batch.hand_nos, strict=True)]
    assert sorted(ids) == sorted([*hands, *((match, 0) for match in CRASHED_AT_ONCE.get(log, ()))])
    for index, name in enumerate(ids):
        if name in hands:
            check(hands[name], opening_of(batch, index), events_of(batch, index))


def check(hand: OracleHand, opened: dict[str, Any], events: Any) -> None:
    """Compare a hand with the oracle's; of cards, those that the log shows, which are the human's."""
    kind = "original_unshuffled" if hand.game["kind"] == "spectate_original" else "original"
    players: list[dict[str, Any] | None] = [
        {"kind": "human" if name == hand.game["human"] else "computer", "name": name} if chips else None
        for name, chips in zip(hand.seats, hand.chips, strict=True)
    ]
    dealer = hand.seat(hand.of("hand")[0]["button"])
    assert opened == json.loads(opening(kind, hand.game["ante"], dealer, players, hand.chips))
    read_acts = [one for one in events if ACTIONS[one["action"]].kind != "score"]
    # Deals come first, by seat, since their order says nothing.
    acts = [
        sorted(found, key=lambda one: int(one["seat"]) if one["action"] == Action.DEAL_HAND else 9)
        for found in (read_acts, [act for _, act in full_events(hand)])
    ]
    for one, act in zip(*acts, strict=True):
        assert all(one[name] == act[name] for name in ("action", "seat", "amount", "count")), (one, act)
        held = one["cards"][: one["count"]].tolist()
        is_open = hand.seats[one["seat"]] == hand.game["human"] and cards.UNKNOWN not in held
        assert held == (act["cards"][: len(held)].tolist() if is_open else [cards.UNKNOWN] * len(held))


def test_every_class_of_hands_has_the_category_of_its_rank() -> None:
    """[R12] All 7462, by the original's own table."""
    with gzip.open(FIXTURES / "classes_7462.csv.gz", "rt", encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    assert len(rows) == ranks.CLASSES
    for row in rows:
        held = parse_cards(f"[{', '.join(row['representative'].split())}]".encode())
        assert category_of(held).decode() == row["rank_c"] == ranks.category(int(row["rank_n"]))


def test_numbers_fit_the_tables() -> None:
    tried = "0", "7", "1999999999", "2000000000", "10000000000", "007", "", "-1"
    assert [text for text in tried if re.fullmatch(NUMBER, text.encode())] == [*tried[:3]]
