"""Belote's marts over all logs and hands of every dialect, against the programs' own figures."""

from collections import Counter
from typing import Any

import pytest

from tests.support.belote_logs import FIXTURES, LOGS, games
from tests.support.summaries import Marts, rows_of

pytestmark = pytest.mark.long


GAMES = [game for name in LOGS for game in games(name)]
"""The games of the oracles."""
HANDS = [(game, number, hand) for game in GAMES for number, hand in enumerate(game["hands"])]
"""Their hands, each with its game and number."""


def freed(hand: dict[str, Any]) -> Counter[str]:
    """Cards played on a diamond lead though the player could have followed or trumped."""
    held = [set(cards) for cards in hand["hands"]]
    deeds: Counter[str] = Counter()
    led = -1
    for index, one in enumerate(hand["plays"]):
        own, card = held[one["seat"]], one["card"]
        if index % 4 == 0:
            led = card // 8
        elif led == 0 and card // 8 != 0:
            if any(other // 8 == 0 for other in own):
                deeds["did not follow"] += 1
            elif card // 8 != hand["trump"] and any(other // 8 == hand["trump"] for other in own):
                deeds["did not trump"] += 1
        own.remove(card)
    return deeds


def ace_runs(hand: dict[str, Any]) -> list[int]:
    found = []
    for held in hand["hands"]:
        for suit in range(4):
            size = 0
            while size < 8 and 8 * suit + 7 - size in held:
                size += 1
            found += [size] if size >= 3 else []
    return found


@pytest.mark.parametrize("dialect", ["cesmak", "bornabesic", "readme"])
def test_rule_differences_are_those_of_the_logs(played: Marts, dialect: str) -> None:
    """For matches that have marks, without simulated ones and those of the edge files."""
    marked = f"""
        join steps.stg_playedhand as hands using (hand_id)
        where hands.dialect = '{dialect}' and match_id not like 'belote-%'
        and length(split_part(match_id, '~', 1)) < 16
    """
    deeds = rows_of(
        played, f"select deed, count(*) as n from steps.int_belote_freed_plays {marked} group by deed"
    )
    runs = rows_of(
        played, f"select cards, count(*) as n from steps.int_belote_ace_runs {marked} group by cards"
    )
    hands = [hand for game, _, hand in HANDS if game["dialect"] == dialect]
    assert {row["deed"]: row["n"] for row in deeds} == sum((freed(hand) for hand in hands), Counter())
    assert {row["cards"]: row["n"] for row in runs} == Counter(
        size for hand in hands for size in ace_runs(hand)
    )


def test_the_page_counts_what_the_logs_hold() -> None:
    page = (FIXTURES.parents[2] / "docs" / "rules" / "belote.md").read_text(encoding="utf-8")
    hands = [hand for _, _, hand in HANDS]
    plays = sum(freed(hand).total() for hand in hands)
    best = [
        [
            max((worth for seat in (team, team + 2) for _, worth in hand["declared"][str(seat)]), default=0)
            for team in (0, 1)
        ]
        for hand in hands
    ]
    tied = sum(ours == theirs > 0 for ours, theirs in best)
    assert f"Of the {32 * len(hands):,} plays in the logs, {plays:,} were" in page
    assert f"{tied} of the {len(hands)} hands in the logs" in page
