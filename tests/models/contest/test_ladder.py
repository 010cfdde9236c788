"""Ladders: ratings, pairs, and when a pair stops. test_docs.py compares their tables with docs/players.md."""

import numpy as np
import pytest

from cardlog.models.contest.ladder import (
    BATCH_DEALS,
    LEAST_DEALS,
    Pair,
    ladder,
    players_of,
    rated,
)
from cardlog.models.contest.play_off import Estimate, PlayOff, play_off

FIRST = "tests.models.engine.test_arena:first_legal"


def pair(a: str, b: str, share: float, hands: int) -> Pair:
    estimate = Estimate(share, None, None)
    return Pair(a, b, PlayOff(hands // 2, hands, 0, 0, 0, estimate, estimate))


def test_ratings_are_recovered_from_the_shares() -> None:
    """Bradley and Terry's model: 400 apart, ten of eleven hands are won."""
    truth = {"a": 0.0, "b": 120.0, "c": -310.0}
    hands = 10**7
    pairs = [pair(a, b, 1 / (1 + 10 ** ((truth[b] - truth[a]) / 400)), hands) for a, b in ("ab", "ac", "bc")]
    assert rated(list(truth), pairs) == pytest.approx(truth, abs=0.1)
    assert rated(["a", "b"], [pair("a", "b", 0.0, 200)])["b"] == pytest.approx(400 * np.log10(201), abs=0.1)


def test_a_pair_is_a_play_off_on_the_same_deals() -> None:
    result = ladder("five_card_draw", ["random", FIRST], 60, 3)
    assert [pair.result for pair in result.pairs] == [play_off("five_card_draw", ("random", FIRST), 60, 3)]
    best, worst = result.standings
    assert {best.player, worst.player} == {"random", FIRST}
    assert best.rating >= worst.rating
    assert min(best.milliseconds, worst.milliseconds) > 0


def test_a_pair_stops_when_it_is_clear_who_is_better_even_if_one_side_wins_all() -> None:
    clear = ladder("ruter_sju", ["smart", "random"], 1000, 1, stops=True).pairs[0].result
    assert LEAST_DEALS <= clear.deals < 1000
    assert clear.deals % BATCH_DEALS == 0
    even = ladder("ruter_sju", ["smart", "random"], 150, 1).pairs[0].result
    assert even.deals == 150


def test_invalid_ladders_are_errors() -> None:
    for names in (["random"], ["random", "random"]):
        with pytest.raises(ValueError, match="two players or more, each named once"):
            ladder("kaiser", names)
    everybody = "random, expert, search, network, ismcts, clairvoyant"
    with pytest.raises(ValueError, match=f"kaiser has no players 'smart'; there are: {everybody}$"):
        ladder("kaiser", ["random", "smart"], 2)
    with pytest.raises(ValueError, match="1 deals can't be played"):
        ladder("kaiser", ["random", "expert"], 1)
    with pytest.raises(ValueError, match="kaiser has no players 'ismcts-0'"):
        ladder("kaiser", ["random", "ismcts-0"], 2)
    assert players_of("kaiser")[-3:] == ["network", "ismcts", "clairvoyant"]
    assert players_of("five_card_draw") == ["random", "expert", "search", "cfr", "network"]
