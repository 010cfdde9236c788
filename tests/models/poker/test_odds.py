"""Ranges and equity in hold'em: against other programs' counts, and against deals counted one by one."""

from collections import Counter
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest

from cardlog.models.poker.odds import odds
from cardlog.models.poker.ranges import card_codes, combos_of
from cardlog.models.poker.ranks import PACK, rank_of
from cardlog.schemas.errors import CardlogError


def kinds(text: str) -> Counter[str]:
    """The hands of a range by kind: ``AKs`` → how many."""
    ranks = "23456789TJQKA"
    found: Counter[str] = Counter()
    for first, second in combos_of(text).tolist():
        low, high = sorted((first % 16, second % 16))
        suited = "" if low == high else "os"[first // 16 == second // 16]
        found[ranks[high] + ranks[low] + suited] += 1
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("AhKh", {"AKs": 1}),
        ("2c 2d", {"22": 1}),
        ("QQ+", {"QQ": 6, "KK": 6, "AA": 6}),
        ("ATs+", {"ATs": 4, "AJs": 4, "AQs": 4, "AKs": 4}),
        ("QK", {"KQo": 12, "KQs": 4}),
        ("j9+", {"J9o": 12, "J9s": 4, "JTo": 12, "JTs": 4}),
        ("99-77", {"99": 6, "88": 6, "77": 6}),
        ("A5s-A3s", {"A5s": 4, "A4s": 4, "A3s": 4}),
        ("JTs-98s", {"JTs": 4, "T9s": 4, "98s": 4}),
        ("AhKh, AKs", {"AKs": 4}),
        ("KK+, AQo+,76s", {"KK": 6, "AA": 6, "AQo": 12, "AKo": 12, "76s": 4}),
    ],
)
def test_a_range_is_the_hands_that_players_mean(text: str, expected: dict[str, int]) -> None:
    assert kinds(text) == expected


def test_all_hands_are_169_kinds() -> None:
    assert (len(combos_of("random")), len(kinds("random"))) == (1326, 169)
    assert kinds("22+, 32+, 42+, 52+, 62+, 72+, 82+, 92+, T2+, J2+, Q2+, K2+, A2+") == kinds("random")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        *((text, "no range") for text in ("", "Ah", "ATx")),
        *((text, "is not cards") for text in ("AhKx", "1hKh")),
        ("AhAh", "a card twice"),
        ("QQs", "neither suited nor offsuit"),
        *((text, "is no run") for text in ("AKs-QQ", "JTs-75s")),
    ],
)
def test_what_is_no_range_is_refused_with_what_is_wrong(text: str, message: str) -> None:
    with pytest.raises(CardlogError, match=message):
        combos_of(text)


HCMP = "poker-eval's hcmp2, at brainwagon.org, 'Texas Hold'em trivia', 2005"
PS_EVAL = "pokerstove's ps-eval, in the README of GregorDeCillia/pokerstoveR"
CANDY = "CandyPoker's driver, in reg_script.sh of sweeterthancandy/CandyPoker"


@pytest.mark.parametrize(
    ("hands", "board", "deals", "wins", "source"),
    [
        (["AdAc", "KhKs"], "", 1_712_304, [1_388_072, 317_694], HCMP),
        (["AdAc", "Td9d"], "", 1_712_304, [1_338_249, 367_143], HCMP),
        (["AdAc", "QcJh"], "", 1_712_304, [1_450_987, 254_763], HCMP),
        (["AcAs", "2h7d"], "", 1_712_304, [1_493_820, 212_248], PS_EVAL),
        (["AcAs", "2h7d", "KsKd", "7h8h"], "", 1_086_008, [635_560, 43_871, 183_882, 197_787], PS_EVAL),
        (["AcAs", "2h7d"], "2c2d2s", 990, [1, 989], PS_EVAL),
        (["A2o", "88", "QJs"], "", 394_777_152, [96_338_988, 145_235_448, 151_892_424], CANDY),
        (["AA", "QQ", "93o"], "", 592_165_728, [418_219_956, 107_718_120, 64_207_836], CANDY),
        (
            ["TT+,AQs+,AQo+", "QQ+,AKs,AKo", "TT"], "", 11_382_741_216,
            [3_213_892_992, 4_637_673_516, 2_923_177_728], CANDY,
        ),
    ],
)  # fmt: skip
def test_deals_won_are_those_that_other_programs_counted(
    hands: list[str], board: str, deals: int, wins: list[int], source: str
) -> None:
    found = odds(*hands, board=board)
    assert (found.exact, found.deals) == (True, deals)
    assert [round(player.win * deals) for player in found.players] == wins, source
    assert sum(player.equity for player in found.players) == pytest.approx(1)


def counted(hands: list[str], board: str, dead: str) -> tuple[int, list[list[Fraction]]]:
    """The number of deals, and of each player: share of the pot, how often alone, how often with others."""
    known = [*card_codes(board), *card_codes(dead)]
    deals, sums = 0, [[Fraction(0)] * 3 for _ in hands]
    for held in product(*(combos_of(hand).tolist() for hand in hands)):
        used = [*known, *(card for hand in held for card in hand)]
        if len(set(used)) < len(used):
            continue
        left = [card for card in PACK.tolist() if card not in used]
        for more in combinations(left, 5 - len(card_codes(board))):
            shared = [*card_codes(board), *more]
            ranks = [int(rank_of(np.array([*hand, *shared]), 7)) for hand in held]
            winners = [seat for seat, rank in enumerate(ranks) if rank == min(ranks)]
            deals += 1
            for seat in winners:
                sums[seat][0] += Fraction(1, len(winners))
                sums[seat][1 if len(winners) == 1 else 2] += 1
    return deals, sums


CASES = [
    (["AhKh", "QQ+"], "2c7hTdJh", ""),
    (["AhKh", "QQ+"], "2c7hTdJh", "AcAd 9h"),
    (["random", "76s"], "2c7hTdJh3s", "Kd"),
    (["AsKs", "22+", "K2+"], "QsJsTs9s8s", ""),
    (["AK", "AKs, 22", "AhKd, QQ"], "3c4h5d6h", "2c"),
    (["A2s+", "KTo+", "77", "AsKs"], "AdKd7hTs", ""),
    (["99", "AJs", "KQs"], "Th8h2c", "9c9d"),
    (["2c3c", "AhAd", "7h8h", "9s9d", "KcQc"], "Tc5d4h", ""),
    (["AhKh", "AdKd", "AsKs", "AcKc", "2c2d", "3c3d", "4c4d", "5c5d", "6c6d", "7c7d"], "8h9hTdJs", ""),
]


@pytest.mark.parametrize(("hands", "board", "dead"), CASES)
def test_odds_are_those_of_deals_counted_one_by_one(hands: list[str], board: str, dead: str) -> None:
    """Random deals are won as often within their error."""
    deals, sums = counted(hands, board, dead)
    found = odds(*hands, board=board, dead=dead)
    drawn = odds(*hands, board=board, dead=dead, samples=200_000)
    assert (found.exact, found.deals, drawn.exact, drawn.deals) == (True, deals, False, 200_000)
    for player, random, expected in zip(found.players, drawn.players, sums, strict=True):
        equity, win, tie = (float(part / deals) for part in expected)
        assert (player.equity, player.win, player.tie) == pytest.approx((equity, win, tie))
        assert player.error == 0
        assert abs(random.equity - equity) <= 4 * random.error + 1e-9
        assert abs(random.win - win) <= 4 * np.sqrt(win * (1 - win) / 200_000) + 1e-9


@pytest.mark.parametrize(
    ("hands", "board", "dead", "message"),
    [
        (["AA"], "", "", "2 to 10 hands"),
        (["AA", "AA", "AA"], "", "", "can't all be dealt"),
        (["AA", "KK,AA", "KK,AA", "KK,AA", "AA,KK"], "", "", "can't all be dealt"),
        (["AhKh", "QQ"], "Ah7c2d", "", "AhKh can't be dealt"),
        (["AhKh", "QQ"], "", "Qs Qd Qc", "QQ can't be dealt"),
        (["AhKh", "QQ"], "2c3c4c5c6c7c", "", "at most 5 cards"),
        (["AhKh", "QQ"], "2c3c4c", "4c", "both on the board and dead"),
        (["AhKh", "QQ"], "2c??4c", "", "is not cards"),
    ],
)
def test_what_can_not_be_dealt_is_refused(hands: list[str], board: str, dead: str, message: str) -> None:
    with pytest.raises(CardlogError, match=message):
        odds(*hands, board=board, dead=dead)


def test_many_deals_are_drawn_and_the_seed_says_which() -> None:
    first = odds("random", "22+, A2s+", "random", samples=5_000)
    assert not first.exact
    assert first == odds("random", "22+, A2s+", "random", samples=5_000)
    assert first != odds("random", "22+, A2s+", "random", samples=5_000, seed=1)
    assert not odds("random", "22+, A2s+", "random").exact
