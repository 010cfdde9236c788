"""The reader of five-card draw transcripts against all games of the original program."""

import csv
import gzip
import re
from functools import cache
from typing import Any

import pytest

from cardlog.models.poker import ranks
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.events.folding import fold_batch
from cardlog.pipelines.ingest.judge import Judged, judge
from cardlog.pipelines.readers.base import Read, Source
from cardlog.pipelines.readers.five_card_draw_transcript import reader
from cardlog.pipelines.readers.five_card_draw_transcript.wording import NUMBER, category_of, parse_cards
from cardlog.pipelines.readers.transcript import Fault
from cardlog.schemas import cards
from cardlog.schemas.events import ACTIONS, NO_AMOUNT, Action
from cardlog.schemas.reasons import Reason
from tests.support.five_card_draw_hands import FIXTURES, LOGS, OracleHand, hand_text, oracle, oracle_hands
from tests.support.opinions import events_of, opening_of

SOURCE = Source("0" * 64, "-", reader.FORMAT)
HANDS = oracle_hands()
TEXTS = {log: gzip.decompress((FIXTURES / f"{log}_transcripts.txt.gz").read_bytes()) for log in LOGS}
TEXT = TEXTS["games"]
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


def names_of(events: list[Any], *names: str) -> list[Any]:
    return [one for one in events if ACTIONS[one["action"]].name in names]


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
    for hand, index in zip(oracle_hands(log), indices(log), strict=True):
        check_hand(hand, judged(log).batch, index, states(log)[index])


def check_hand(hand: OracleHand, batch: Batch, number: int, state: Any) -> None:
    found, events = opening_of(batch, number), events_of(batch, number)
    seats, human = hand.seats, hand.game["human"]
    present = {name for name in seats if hand.chips[hand.seat(name)]}
    # The table, the button, the chips.
    assert found["dealer"] == hand.seat(hand.of("hand")[0]["button"])
    assert found["match"] == {"score": hand.chips}
    assert [name if name in present else "" for name in seats] == hand.of("hand")[0]["seats"]
    assert found["players"] == [
        {"kind": "human" if name == human else "computer", "name": name} if name in present else None
        for name in seats
    ]
    unshuffled = hand.game["kind"] == "spectate_original"
    dialect = "original_unshuffled" if unshuffled else "original"
    assert found["settings"] == {"ante": hand.game["ante"], "dialect": dialect}
    # Antes: who, in which order, how much.
    [ante] = hand.of("ante")
    antes = [(int(one["seat"]), int(one["amount"])) for one in names_of(events, "ante")]
    assert antes == [(hand.seat(name), ante["chips"][name][1]) for name in ante["order"]]
    # The deal: only the human's cards are known.
    dealt = {seats[int(one["seat"])]: shown(one) for one in names_of(events, "hand")[: len(present)]}
    assert dealt.keys() == present
    for name, held in dealt.items():
        assert held == (human_hand(hand) if name == human else HIDDEN)
    check_bets(hand, events)
    check_swaps(hand, events)
    check_end(hand, events, state)


def check_bets(hand: OracleHand, events: list[Any]) -> None:
    kinds = {"check": "check", "fold": "fold", "call": "call", "call_allin": "call", "short_allin": "call",
             "raise": "raise", "raise_allin": "raise"}  # fmt: skip
    bets = names_of(events, "check", "call", "raise", "fold")
    assert len(bets) == len(hand.bets)
    stacks = {name: pair[0] for name, pair in hand.of("ante")[0]["chips"].items()}
    for one, noted in zip(bets, hand.bets, strict=True):
        name = noted["player"]
        assert int(one["seat"]) == hand.seat(name)
        assert ACTIONS[one["action"]].name == kinds[noted["kind"]]
        amount = None if one["amount"] == NO_AMOUNT else int(one["amount"])
        assert amount == (None if noted["kind"] in ("check", "fold") else noted["amount"])
        assert stacks[name] == noted["stack_before"]
        stacks[name] -= amount or 0
        assert stacks[name] == noted["stack"]
        assert (amount == noted["stack_before"]) == ("allin" in noted["kind"])


def check_swaps(hand: OracleHand, events: list[Any]) -> None:
    """How many cards, and which where the log shows them: the human's."""
    swaps, draws = names_of(events, "discard"), names_of(events, "draw")
    assert len(swaps) == len(hand.swaps)
    left = list(draws)
    for one, noted in zip(swaps, hand.swaps, strict=True):
        gone = noted["discards"]
        assert int(one["seat"]) == hand.seat(noted["player"])
        open_ = noted["player"] == hand.game["human"]
        assert shown(one) == (hand_text(gone) if open_ else "??" * len(gone))
        if gone:
            draw = left.pop(0)
            assert draw["seat"] == one["seat"]
            after = hand_text(noted["after"][5 - len(gone) :])
            assert shown(draw) == (after if open_ else "??" * len(gone))
    assert not left


def check_end(hand: OracleHand, events: list[Any], state: Any) -> None:
    assert bool(state["done"]) == (not hand.crashed)
    if hand.crashed:
        assert not names_of(events, "show", "match")
        return
    [rewards], [standings] = hand.of("rewards"), hand.of("standings")
    count = len(hand.seats)
    assert state["won"].tolist()[:count] == hand.by_seat(rewards["rewards"])
    assert state["stack"].tolist()[:count] == hand.by_seat(standings["stacks"])
    assert state["staked"].sum() == state["won"].sum()
    folded = {hand.seat(name) for name in rewards["folded"]}
    live = {seat for seat in range(count) if state["live"] >> seat & 1}
    assert live == {seat for seat in range(count) if hand.chips[seat]} - folded
    reported = [one for one in events if one["action"] == Action.SCORE_MATCH]
    assert {hand.seats[int(one["seat"])]: int(one["amount"]) for one in reported} == standings["stacks"]
    reported = [one for one in events if one["action"] == Action.SCORE_HAND]
    # A reward of 0 is reported, too.
    assert {hand.seats[int(one["seat"])]: int(one["amount"]) for one in reported} == rewards["rewards"]
    check_showdown(hand, events, state, live)


def check_showdown(hand: OracleHand, events: list[Any], state: Any, live: set[int]) -> None:
    """Who shows follows from the ranks that the oracle knows; a hand that is not shown is hidden."""
    [deal] = hand.of("deal")
    held = dict(deal["hands"]) | {swap["player"]: swap["after"] for swap in hand.swaps}
    rank = dict(deal["rank_n"]) | {swap["player"]: swap["rank_n"] for swap in hand.swaps}
    best, expected = ranks.CLASSES + 1, []
    for name in hand.of("ante")[0]["order"] if len(live) > 1 else ():
        if hand.seat(name) in live:
            shows = rank[name] <= best
            best = min(best, rank[name])
            expected.append((hand.seat(name), hand_text(held[name]) if shows else HIDDEN))
    assert [(int(one["seat"]), shown(one)) for one in names_of(events, "show")] == expected
    for seat, cards_ in expected:
        open_ = cards_ != HIDDEN or hand.seats[seat] == hand.game["human"]
        assert int(state["rank"][seat]) == (rank[hand.seats[seat]] if open_ else 0)
    stood = {hand.seat(swap["player"]) for swap in hand.swaps if not swap["discards"]}
    for seat in range(len(hand.seats)):
        known = hand.seats[seat] == hand.game["human"] and human_hand(hand) != HIDDEN
        known |= seat in stood and (seat, HIDDEN) not in expected and seat in live and len(live) > 1
        dealt = deal["rank_n"].get(hand.seats[seat], 0)
        assert int(state["dealt_rank"][seat]) == (dealt if known else 0)


def test_who_leaves_is_who_has_no_chips_left() -> None:
    for hand, state in zip(HANDS, states(), strict=True):
        broke = {
            name for name in hand.seats if hand.chips[hand.seat(name)] and not state["stack"][hand.seat(name)]
        }
        if not hand.crashed:
            assert set(hand.kicked) <= broke
            # The human's end is the game's, and nobody leaves any more.
            assert set(hand.kicked) == broke or hand.game["human"] in broke


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
    ("text", "reason"),
    [
        ("[10♢, A♠, 2♣, K♡, 1♠]", Reason.UNKNOWN_CARD),
        ("[T♢, A♠, 2♣, K♡, 9♠]", Reason.UNKNOWN_CARD),
        ("[10♢, A♠, 2♣, K♥, 9♠]", Reason.UNKNOWN_CARD),
        ("[]", Reason.UNKNOWN_CARD),
        ("[10♢, A♠, 2♣, K♡]", Reason.UNPARSABLE),
        ("[10♢, A♠, 2♣, K♡, 9♠, 8♠]", Reason.UNPARSABLE),
        ("[10♢,A♠, 2♣, K♡, 9♠]", Reason.UNPARSABLE),
        ("10♢, A♠, 2♣, K♡, 9♠", Reason.UNPARSABLE),
        ("[", Reason.UNPARSABLE),
        ("", Reason.UNPARSABLE),
    ],
)
def test_what_is_no_hand_of_cards(text: str, reason: Reason) -> None:
    with pytest.raises(Fault) as found:
        parse_cards(text.encode())
    assert found.value.reason == reason


@pytest.mark.parametrize(
    ("text", "is_number"),
    [
        ("0", True), ("7", True), ("1073741824", True), ("1999999999", True), ("2000000000", False),
        ("10000000000", False), ("007", False), ("", False), ("-1", False),
    ],
)  # fmt: skip
def test_numbers_fit_the_tables(text: str, is_number: bool) -> None:
    assert bool(re.fullmatch(NUMBER, text.encode())) == is_number
