"""The reader of five-card draw transcripts against all games of the original program."""

import csv
import gzip
import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from cardlog.models.five_card_draw.state import opening
from cardlog.models.poker import ranks
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.events.folding import fold_batch
from cardlog.pipelines.ingest.judge import Judged, judge
from cardlog.pipelines.readers.base import Read, Source
from cardlog.pipelines.readers.five_card_draw_transcript import reader
from cardlog.pipelines.readers.five_card_draw_transcript.wording import NUMBER, category_of, parse_cards
from cardlog.schemas import cards
from cardlog.schemas.events import ACTIONS, NO_AMOUNT
from tests.support.five_card_draw_hands import (
    FIXTURES,
    LOGS,
    OracleHand,
    full_events,
    hand_text,
    oracle,
    oracle_hands,
)
from tests.support.opinions import events_of, opening_of

SOURCE = Source("0" * 64, "-", reader.FORMAT)
TEXTS = {log: gzip.decompress((FIXTURES / f"{log}_transcripts.txt.gz").read_bytes()) for log in LOGS}
HIDDEN = "??" * 5


def read(text: bytes, **changes: Any) -> Read:
    [found] = reader.read(text, Source(**{**vars(SOURCE), **changes}))
    return found


@cache
def judged(log: str = "games") -> Judged:
    return judge(read(TEXTS[log]))


@cache
def states(log: str = "games") -> Any:
    return fold_batch(judged(log).batch).states


def shown(event: Any) -> str:
    return cards.texts(event["cards"][: int(event["count"])])


# ---------------------------------------------------------------- all logs against the oracle


CRASHED_AT_ONCE = {
    log: [one["gid"] for one in oracle(log) if "KeyError" in one["status"]] for log in ("more", "odd")
}
"""Games in which all chips are the ante: the program crashes when the first player pays."""


def ids_of(batch: Batch) -> list[tuple[str, int]]:
    return [
        (batch.matches[match], int(number))
        for match, number in zip(batch.match_of, batch.hand_nos, strict=True)
    ]


@pytest.mark.parametrize(("log", "done", "lines", "marks"), [
    ("games", 282, 7574, 74), ("more", 1472, 41610, 400), ("odd", 229, 6625, 80),
])  # fmt: skip
def test_every_hand_of_the_logs_is_stored(log: str, done: int, lines: int, marks: int) -> None:
    found, hands = judged(log), oracle_hands(log)
    assert found.rejects == []
    assert found.done.sum() == done
    crashed = [(match, 0) for match in CRASHED_AT_ONCE.get(log, ())]
    wanted = {*crashed, *((hand.game["gid"], hand.number) for hand in hands)}
    assert len(found.batch) == len(hands) + len(crashed)
    assert set(ids_of(found.batch)) == wanted
    # All lines are those of hands, but the marks.
    assert (found.read.lines_read, found.read.other_lines) == (lines, marks)
    assert not found.read.cut.any()


def indices(log: str) -> list[int]:
    """Where the hands of an oracle are among those that were read."""
    index = {hand: number for number, hand in enumerate(ids_of(judged(log).batch))}
    return [index[hand.game["gid"], hand.number] for hand in oracle_hands(log)]


def human_hand(hand: OracleHand) -> str:
    """The human's cards as dealt, hidden if the program never asked it anything in this hand."""
    human = hand.game["human"]
    acted = any(one["player"] == human for one in hand.of("bet") + hand.of("swap"))
    # A crash comes after the program has shown the cards and asked.
    asked = acted or (hand.crashed and hand.game["kind"] == "play_crash")
    return hand_text(hand.of("deal")[0]["hands"][human]) if asked else HIDDEN


@pytest.mark.parametrize("log", LOGS)
def test_hands_say_what_the_oracle_says(log: str) -> None:
    """All but what the cards that are not shown come to, which is compared in tests/models."""
    for hand, index in zip(oracle_hands(log), indices(log), strict=True):
        found, names = opening_of(judged(log).batch, index), hand.seats
        unshuffled = hand.game["kind"] == "spectate_original"
        assert found == json.loads(game_opening(hand, "original_unshuffled" if unshuffled else "original"))
        table = [name if player else "" for name, player in zip(names, found["players"], strict=True)]
        assert table == hand.of("hand")[0]["seats"]
        events = [said(event) for event in events_of(judged(log).batch, index)]
        reported = [event for event in events if event[0] in UNORDERED]
        assert [event for event in events if event not in reported] == [
            event for event in [*acts_of(hand), *shows_of(hand)] if event[0] not in UNORDERED
        ]
        state, count = states(log)[index], len(names)
        assert bool(state["done"]) == (not hand.crashed)
        deals = [event for event in acts_of(hand) if event[0] == "hand"]
        if hand.crashed:
            assert sorted(reported, key=str) == sorted(deals, key=str)
            continue
        [rewards], [standings] = hand.of("rewards"), hand.of("standings")
        won = [("result", hand.seat(name), chips, "") for name, chips in rewards["rewards"].items()]
        left = [("match", hand.seat(name), chips, "") for name, chips in standings["stacks"].items()]
        assert sorted(reported, key=str) == sorted([*deals, *won, *left], key=str)
        assert state["won"].tolist()[:count] == hand.by_seat(rewards["rewards"])
        assert state["stack"].tolist()[:count] == hand.by_seat(standings["stacks"])


UNORDERED = ("hand", "result", "match")
"""Events whose order among themselves says nothing."""
Said = tuple[str, int, int | None, str]


def said(event: Any) -> Said:
    """An event's action, seat, amount and cards."""
    action = ACTIONS[event["action"]]
    name = "result" if (action.kind, action.name) == ("score", "hand") else action.name
    amount = None if event["amount"] == NO_AMOUNT else int(event["amount"])
    return name, int(event["seat"]), amount, shown(event)


def game_opening(hand: OracleHand, dialect: str) -> str:
    human = hand.game["human"]
    players: list[dict[str, Any] | None] = [
        {"kind": "human" if name == human else "computer", "name": name} if chips else None
        for name, chips in zip(hand.seats, hand.chips, strict=True)
    ]
    return opening(dialect, hand.game["ante"], hand.seat(hand.of("hand")[0]["button"]), players, hand.chips)


def acts_of(hand: OracleHand) -> Iterator[Said]:
    """All up to the showdown, of whose cards the log shows only the human's."""
    for _, event in full_events(hand):
        name, seat, amount, text = said(event)
        is_open = seat >= 0 and hand.seats[seat] == hand.game["human"]
        is_open &= name != "hand" or human_hand(hand) != HIDDEN
        yield name, seat, amount, text if is_open else "?" * len(text)


def shows_of(hand: OracleHand) -> Iterator[Said]:
    """Who shows follows from the ranks that the oracle knows; a hand that is not shown is hidden."""
    [deal] = hand.of("deal")
    held = dict(deal["hands"]) | {swap["player"]: swap["after"] for swap in hand.swaps}
    rank = dict(deal["rank_n"]) | {swap["player"]: swap["rank_n"] for swap in hand.swaps}
    folded = hand.of("rewards")[0]["folded"] if not hand.crashed else []
    live = [name for name in hand.of("ante")[0]["order"] if name not in folded]
    best = ranks.CLASSES + 1
    for name in live if len(live) > 1 and not hand.crashed else ():
        yield "show", hand.seat(name), None, hand_text(held[name]) if rank[name] <= best else HIDDEN
        best = min(best, rank[name])


# ---------------------------------------------------------------- lines


def test_every_class_of_hands_has_the_category_of_its_rank() -> None:
    """[R12] All 7462, by the original's own table."""
    with gzip.open(FIXTURES / "classes_7462.csv.gz", "rt", encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    assert len(rows) == ranks.CLASSES
    for row in rows:
        held = parse_cards(f"[{', '.join(row['representative'].split())}]".encode())
        assert category_of(held).decode() == row["rank_c"] == ranks.category(int(row["rank_n"]))


@pytest.mark.parametrize(
    ("text", "is_number"),
    [
        ("0", True), ("7", True), ("1073741824", True), ("1999999999", True), ("2000000000", False),
        ("10000000000", False), ("007", False), ("", False), ("-1", False),
    ],
)  # fmt: skip
def test_numbers_fit_the_tables(text: str, is_number: bool) -> None:
    assert bool(re.fullmatch(NUMBER, text.encode())) == is_number
