"""What is told of five-card draw twice: the example of the page on features, and the seeds of the marts."""

import csv
import json
import re
from collections.abc import Sequence
from math import prod
from pathlib import Path

import pytest

from cardlog.models.poker import ranks
from cardlog.pipelines.sql import warehouse
from cardlog.schemas import cards
from tests.support.decision_rows import decision_rows
from tests.support.five_card_draw_hands import FIXTURES, oracle_hands
from tests.support.logs import judged, text_of

REPO = Path(__file__).parents[3]
PAGE = (REPO / "docs" / "features" / "five_card_draw.md").read_text(encoding="utf-8")
HANDS = list(oracle_hands())
PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41)


def test_the_example_of_the_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    [program] = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    [read] = judged(text_of("five_card_draw/games_transcripts.txt.gz"), "five-card-draw-transcript")
    batch = read.batch
    row = next(row for row in decision_rows(batch) if row["kind"] == "play" and row["action"])
    exec(compile(program, "docs/features/five_card_draw.md", "exec"), {"row": row})
    holds, discards, pot = capsys.readouterr().out.splitlines()
    hand = HANDS[[hand_id.decode() for hand_id in batch.hand_ids].index(row["hand_id"])]
    [noted] = [swap for swap in hand.swaps if swap["player"] == hand.game["human"]]
    assert holds.split()[1:] == [text[0] + text[1].upper() for text in noted["before"]]
    assert discards.split()[1:] == [text[0] + text[1].upper() for text in noted["discards"]]
    assert int(pot.split()[1]) > 0


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
    assert codes == {card["ascii"].upper(): card["encoding"] for card in encodings}
    assert len(codes) == 52
    for row in rows:
        assert int(row["bits"], 2) == int(row["code"])
        assert row["card"] == row["rank"] + row["suit"]
        assert (cards.PACK_RANKS[int(row["rank_no"])], "SHDC"[int(row["suit_no"])]) == tuple(row["card"])
        assert int(row["prime"]) == PRIMES[int(row["rank_no"])]
