"""What becomes of five-card draw hands: `playedhand`, training rows, marts, and the drawing."""

import csv
import gzip
import io
import json
import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from cardlog.models.five_card_draw import decisions as view
from cardlog.models.five_card_draw.state import DECK_TEXT, SEATS
from cardlog.models.poker import ranks
from cardlog.pipelines.derive.projections import project
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.hands import drawing as draw
from cardlog.pipelines.ingest.judge import judge
from cardlog.pipelines.readers.base import Source
from cardlog.pipelines.readers.five_card_draw_transcript import reader
from cardlog.pipelines.sql import warehouse
from cardlog.schemas import cards
from tests.support.decision_rows import decision_rows
from tests.support.five_card_draw_hands import FIXTURES, card_text, hand_text, oracle_hands

REPO = Path(__file__).parents[3]
LOGS = FIXTURES / "games_transcripts.txt.gz"
PAGE = (REPO / "docs" / "features" / "five_card_draw.md").read_text(encoding="utf-8")
HANDS = list(oracle_hands())
PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41)


@cache
def logged() -> Batch:
    text = gzip.decompress(LOGS.read_bytes())
    [read] = reader.read(text, Source("0" * 64, "-", reader.FORMAT))
    return judge(read).batch


@cache
def tables() -> dict[str, Any]:
    found = {name: rows.to_pylist() for name, rows in project(logged(), ("playedhand", "tricks"))}
    return found | {"decisions": decision_rows(logged())}


# ---------------------------------------------------------------- playedhand


def test_playedhand_has_a_row_a_hand_as_the_oracle_says() -> None:
    rows = tables()["playedhand"]
    assert tables()["tricks"] == []
    for row, hand in zip(rows, HANDS, strict=True):
        assert (row["match_id"], row["hand_no"]) == (hand.game["gid"], hand.number)
        assert row["status"] == ("aborted" if hand.crashed else "complete")
        assert row["dealer"] == hand.seat(hand.of("hand")[0]["button"])
        rewards = {} if hand.crashed else hand.of("rewards")[0]["rewards"]
        after = {} if hand.crashed else hand.of("standings")[0]["stacks"]
        for seat in range(SEATS):
            name = hand.seats[seat] if seat < len(hand.seats) else None
            here = name is not None and hand.chips[seat] > 0
            human = name == hand.game["human"]
            assert row[f"player_{seat}_ai"] == (not human if here else None)
            dealt = row[f"player_{seat}_hand"]
            known = hand_text(hand.of("deal")[0]["hands"][name]) if here else None
            assert dealt in (known, "??" * 5) if here else dealt is None
            net = row[f"player_{seat}_net"]
            assert net == (after[name] - hand.chips[seat] if here and after else None)
        if rewards:
            assert sum(row[f"player_{seat}_net"] or 0 for seat in range(SEATS)) == 0
    shown = Counter(row[f"player_{seat}_hand"] != "??" * 5 for row in rows for seat in range(2))
    assert shown[True] > 20


# ---------------------------------------------------------------- decisions


def test_only_decisions_of_known_hands_make_rows() -> None:
    """In the logs those of the human, once its cards have been shown."""
    batch, rows = logged(), tables()["decisions"]
    number = {hand_id.decode(): hand for hand, hand_id in enumerate(batch.hand_ids)}
    found = Counter((number[row["hand_id"]], row["kind"]) for row in rows)
    for at, hand in enumerate(HANDS):
        human = hand.game["human"]
        bets = sum(bet["player"] == human for bet in hand.bets)
        draws = sum(swap["player"] == human for swap in hand.swaps)
        assert (found[at, "bid"], found[at, "play"]) == (bets, draws)
    assert {row["seat"] for row in rows} > {0, 1}


def test_rows_say_what_the_oracle_says() -> None:
    batch, rows = logged(), tables()["decisions"]
    number = {hand_id.decode(): hand for hand, hand_id in enumerate(batch.hand_ids)}
    by_hand: dict[int, list[Any]] = {}
    for row in rows:
        by_hand.setdefault(number[row["hand_id"]], []).append(row)
    for at, found in by_hand.items():
        hand = HANDS[at]
        human = hand.game["human"]
        noted = [one for one in hand.events if one["t"] in ("bet", "swap") and one["ok"]]
        noted = [one for one in noted if one["player"] == human]
        for row, one in zip(found, noted, strict=True):
            check_row(hand, row, one)


def chips_at(seen: list[int], place: int) -> int:
    return sum(seen[place + digit] * view.DIGIT_BASE**digit for digit in range(view.DIGITS))


def check_row(hand: Any, row: dict[str, Any], noted: dict[str, Any]) -> None:
    seen, seat = row["observation"], row["seat"]
    assert row["action_mask"][row["action"]]
    places = {seen[place] - view.IN_HAND: place for place in range(52) if view.IN_HAND <= seen[place] < 6}
    held = "".join(DECK_TEXT[2 * places[at] : 2 * places[at] + 2] for at in range(5))
    if noted["t"] == "swap":
        assert held == hand_text(noted["before"])
        gone = [held[2 * at : 2 * at + 2] for at in range(5) if row["action"] >> at & 1]
        assert "".join(gone) == hand_text(noted["discards"])
        legal = sum(row["action_mask"])
        # Sets of up to three of five cards, and of four if one keeps an ace.
        assert legal == 1 + 5 + 10 + 10 + sum(card == "A" for card in held[::2])
    else:
        assert chips_at(seen, view.OWED_AT) == noted["call"]
        assert chips_at(seen, view.POT_AT) == noted["pot"] - noted["amount"]
        assert chips_at(seen, view.STACKS_AT) == noted["stack_before"]
        assert chips_at(seen, view.STAKED_AT) == noted["contribution"] - noted["amount"]
        kinds = {"fold": (0,), "check": (1,), "call": (2,), "call_allin": (2,), "short_allin": (2,)}
        expected = kinds.get(noted["kind"], (6,) if noted["kind"] == "raise_allin" else (3, 4, 5))
        assert row["action"] in expected
    assert chips_at(seen, view.ANTE_AT) == hand.game["ante"]
    sitting = [seen[view.PLAYERS_AT + player] != view.NOBODY for player in range(6)]
    chips = hand.chips + [0] * (6 - len(hand.chips))
    assert sitting == [chips[(seat + player) % 6] > 0 for player in range(6)]
    button = (seat + seen[view.BUTTON_AT]) % 6
    assert button == hand.seat(hand.of("hand")[0]["button"])
    assert row["reward"] == 0
    if not hand.crashed:
        after = hand.of("standings")[0]["stacks"]
        assert row["return"] == after[hand.seats[seat]] - hand.chips[seat]
    else:
        assert row["return"] is None


# ---------------------------------------------------------------- docs/features/five_card_draw.md


def test_the_example_of_the_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    [program] = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    row = next(row for row in tables()["decisions"] if row["kind"] == "play" and row["action"])
    exec(compile(program, "docs/features/five_card_draw.md", "exec"), {"row": row})
    holds, discards, pot = capsys.readouterr().out.splitlines()
    hand = HANDS[[hand_id.decode() for hand_id in logged().hand_ids].index(row["hand_id"])]
    [noted] = [swap for swap in hand.swaps if swap["player"] == hand.game["human"]]
    assert holds.split()[1:] == [text[0] + text[1].upper() for text in noted["before"]]
    assert discards.split()[1:] == [text[0] + text[1].upper() for text in noted["discards"]]
    assert int(pot.split()[1]) > 0


# ---------------------------------------------------------------- the seed of the classes, and the marts


def leading(numbers: Sequence[int]) -> int:
    """The rank that decides first: of what there is most of the highest; in the lowest straight the five."""
    wheel = {12, 0, 1, 2, 3}
    return 3 if set(numbers) == wheel else max(numbers, key=lambda n: (list(numbers).count(n), n))


def test_the_classes_in_sql_are_those_of_the_evaluator() -> None:
    lines = (warehouse.DBT_PROJECT / "seeds" / "five_card_draw_classes.csv").read_text().splitlines()
    assert lines[0] == "rank,category_no,category,ranks,is_suited,leading_rank,primes"
    expected = [
        f"{rank},{ranks.CATEGORIES.index(category) + 1},{category},"
        f"{''.join(cards.PACK_RANKS[n] for n in sorted(numbers, reverse=True))},{str(suited).lower()},"
        f"{cards.PACK_RANKS[leading(numbers)]},{prod(PRIMES[n] for n in numbers)}"
        for rank, (category, numbers, suited) in enumerate(ranks.patterns(), 1)
    ]
    assert lines[1:] == expected


def test_the_cards_in_sql_are_those_of_the_notebook() -> None:
    """Its three examples, and all cards as the original program encodes them."""
    with (warehouse.DBT_PROJECT / "seeds" / "five_card_draw_cards.csv").open() as file:
        rows = list(csv.DictReader(file))
    codes = {row["card"]: int(row["code"]) for row in rows}
    assert (codes["AS"], codes["JS"], codes["9S"]) == (268442665, 33560861, 8394515)
    encodings = json.loads((FIXTURES / "cards.json").read_text(encoding="utf-8"))
    assert codes == {card_text(card["ascii"]): card["encoding"] for card in encodings}
    assert len(codes) == 52
    for row in rows:
        assert int(row["bits"], 2) == int(row["code"])
        assert row["card"] == row["rank"] + row["suit"]
        assert (cards.PACK_RANKS[int(row["rank_no"])], "SHDC"[int(row["suit_no"])]) == tuple(row["card"])
        assert int(row["prime"]) == PRIMES[int(row["rank_no"])]


# ---------------------------------------------------------------- drawing


def drawn(batch: Batch, hand: int) -> str:
    console = Console(width=160, record=True, file=io.StringIO())
    console.print(draw.hand(batch.take(np.array([hand]))))
    return console.export_text()


def test_a_hand_is_drawn_with_cards_bets_and_chips() -> None:
    batch = logged()
    number = [hand.game["gid"] for hand in HANDS].index("F047")
    text = drawn(batch, number)
    for part in (
        "Five-card draw hand", "no. 1", "ante 25, rules: original", "complete", "Çelik Ö. (button)",
        "4♦ K♣ 6♣ 10♣ K♦", "4♦ K♣ 6♣ K♦ 2♠", "?? ?? ?? ?? ??", "pair", "mucked", "folded",
        "Before the draw: Åsa checks · Çelik Ö. raises 75 · Ann folds · Bo calls 75 · Åsa calls 75",
        "325 chips were in the pot.",
    ):  # fmt: skip
        assert part in text, part
