"""Kaiser's rules R12 to R17: the score of the hand and of the match, and what a source reports of them."""

import pytest

from cardlog.models.kaiser import rules as kaiser
from cardlog.schemas.events import NO_AMOUNT, NO_SEAT
from cardlog.schemas.reasons import Reason
from tests.support.kaiser_hands import ONE_SUIT_EACH, Event, auction, event


def rank(text: str) -> int:
    return 2 * int(text.rstrip("N")) + text.endswith("N")


@pytest.mark.parametrize(
    ("contract", "points", "score"),
    [
        ("7", 7, 7),
        ("7", 10, 10),  # all points count, not the bid
        ("7", 6, -7),
        ("7", -2, -7),
        ("12", 12, 12),
        ("12", 11, -12),
        ("5", 5, 5),
    ],
)
def test_r12_bidders_score_their_points_or_lose_their_bid(contract: str, points: int, score: int) -> None:
    assert kaiser.contract_score(points, rank(contract), True) == score


@pytest.mark.parametrize(
    ("contract", "points", "score"),
    [("7N", 7, 14), ("7N", 10, 20), ("7N", 6, -14), ("12N", 12, 24), ("12N", 11, -24), ("9N", -2, -18)],
)
def test_r13_no_trump_doubles_the_bidders_score(contract: str, points: int, score: int) -> None:
    assert kaiser.contract_score(points, rank(contract), True) == score


# ---------------------------------------------------------------- the match


@pytest.mark.parametrize(
    ("before", "least", "score", "after"),
    [
        (44, 7, 8, 52),  # not yet near enough: may even reach the target
        (45, 7, 8, 45),
        (51, 7, 1, 51),
        (45, 7, 0, 45),
        (45, 7, -2, 43),  # negative points count
        (46, 5, 3, 49),
        (47, 5, 3, 47),
        (43, 8, 3, 46),
        (44, 8, 3, 44),
    ],
)
def test_r14_defenders_who_need_no_more_than_the_lowest_bid_score_no_points(
    before: int, least: int, score: int, after: int
) -> None:
    assert kaiser.settle(before, score, False, least) == after


def test_r15_the_target_is_52_or_as_agreed_once_there_was_a_contract_without_trump() -> None:
    assert kaiser.match_target(62, False) == 52
    assert kaiser.match_target(62, True) == 62
    assert kaiser.match_target(52, True) == 52


@pytest.mark.parametrize(
    ("after", "declarer_team", "target", "winner"),
    [
        ((51, 0), 0, 52, -1),
        ((52, 0), 0, 52, 0),
        ((0, 52), 0, 52, 1),  # defenders win too, if they get there
        ((52, 55), 0, 52, 0),  # bidders are looked at first
        ((55, 52), 1, 52, 1),
        ((61, 0), 0, 62, -1),
        ((62, 0), 1, 62, 0),
    ],
)
def test_r15_at_the_target_a_team_has_won_the_bidders_first(
    after: tuple[int, int], declarer_team: int, target: int, winner: int
) -> None:
    assert kaiser.match_winner(after, declarer_team, target, True, 0) == winner


@pytest.mark.parametrize(
    ("after", "agreed", "winner"),
    [
        ((-51, 0), True, -1),
        ((-52, 0), True, 1),
        ((0, -60), True, 0),
        ((-52, 0), False, -1),
        ((-52, 52), True, 1),
        ((52, -60), True, 0),
    ],
)
def test_r16_a_team_at_minus_52_has_lost_where_that_was_agreed(
    after: tuple[int, int], agreed: bool, winner: int
) -> None:
    assert kaiser.match_winner(after, 0, 52, agreed, 0) == winner
    assert kaiser.match_winner(after, 1, 52, agreed, 0) == winner


def test_r16_if_both_are_there_the_bidders_have_lost() -> None:
    assert kaiser.match_winner((-52, -52), 0, 52, True, 0) == 1
    assert kaiser.match_winner((-52, -52), 1, 52, True, 0) == 0


@pytest.mark.parametrize("declarer_team", [0, 1])
@pytest.mark.parametrize("after", [(0, 0), (52, 0), (0, 52), (-52, -52)])
def test_r17_a_kaiser_ends_the_match_whatever_the_score(after: tuple[int, int], declarer_team: int) -> None:
    made, lost = 1, -1
    assert kaiser.match_winner(after, declarer_team, 52, True, made) == declarer_team
    assert kaiser.match_winner(after, declarer_team, 52, True, lost) == 1 - declarer_team


# ---------------------------------------------------------------- what the source reports


def score(name: str, seat: int, amount: int = NO_AMOUNT) -> Event:
    return event("score", name, seat, amount=amount)


def test_score_of_a_trick_agrees_or_is_a_mismatch() -> None:
    hand = auction("7", "pass", "pass", "pass", trump="H")
    assert hand.do(score("trick", 0, 1)) == Reason.OUT_OF_ORDER  # no trick yet
    hand.plays("5H8HJH")
    assert hand.do(score("trick", 3, 6)) == Reason.OUT_OF_ORDER  # not whole yet
    hand.plays("KH")
    assert hand.do(score("trick", 3, 6)) == Reason.OK
    assert hand.do(score("trick", 3)) == Reason.OK  # the source need not say the points
    for seat, amount in [(0, 6), (3, 5), (3, 1), (NO_SEAT, 6), (1, 6)]:
        assert hand.do(score("trick", seat, amount)) == Reason.SCORE_MISMATCH
    hand.plays("KC")
    assert hand.do(score("trick", 3, 6)) == Reason.OUT_OF_ORDER  # the next has begun


def test_score_of_the_hand_agrees_or_is_a_mismatch() -> None:
    hand = auction("11N", "pass", "pass", "pass", deal=ONE_SUIT_EACH).plays("7C7D5H3S")
    assert hand.do(score("hand", 0, -22)) == Reason.OUT_OF_ORDER  # still in play
    hand.play_on()
    assert hand.do(score("hand", 0, -22)) == Reason.OK
    assert hand.do(score("hand", 1, 0)) == Reason.OK
    assert hand.do(score("hand", 0)) == Reason.OK
    for team, amount in [(0, 22), (0, -11), (0, 10), (1, 1)]:
        assert hand.do(score("hand", team, amount)) == Reason.SCORE_MISMATCH
    for nobody in (NO_SEAT, 2, 3, 127, -128):
        assert hand.do(score("hand", nobody, 0)) == Reason.OUT_OF_ORDER
    assert hand.do(score("trick", 0, 1)) == Reason.OK  # the last trick


@pytest.mark.parametrize(
    ("before", "after"),
    [([0, 0], [-8, 10]), ([10, 44], [2, 54]), ([10, 45], [2, 45]), ([-50, 51], [-58, 51])],
)
def test_score_of_the_match_agrees_or_is_a_mismatch(before: list[int], after: list[int]) -> None:
    match = {"score": before, "no_trump": False}
    hand = auction("8", "pass", "pass", "pass", trump="S", deal=ONE_SUIT_EACH, match=match)
    assert hand.do(score("match", 0, after[0])) == Reason.OUT_OF_ORDER
    hand.play_on()
    for team in range(2):
        assert hand.do(score("match", team, after[team])) == Reason.OK
        assert hand.do(score("match", team, after[team] + 1)) == Reason.SCORE_MISMATCH
        assert hand.do(score("match", team, after[team] - 10)) == Reason.SCORE_MISMATCH


def test_score_of_the_match_means_nothing_without_the_score_before() -> None:
    hand = auction("8", "pass", "pass", "pass", trump="S").play_on()
    assert hand.do(score("match", 0, 0)) == Reason.OUT_OF_ORDER


@pytest.mark.parametrize(
    ("before", "reported"),
    [([0, 44], [-8, 10]), ([0, 45], [-8, 0]), ([51, 60], [-8, 0])],
)
def test_r14_a_source_may_report_capped_scores_of_hands(before: list[int], reported: list[int]) -> None:
    """Seat 0 bids 8 and takes nothing, so team 1 has ten points, which it may or may not score."""
    match = {"score": before, "no_trump": False}
    for capped in (True, False):
        hand = auction(
            "8", "pass", "pass", "pass", trump="S", deal=ONE_SUIT_EACH, match=match, hand_scores_capped=capped
        ).play_on()
        for team, amount in enumerate(reported if capped else [-8, 10]):
            assert hand.do(score("hand", team, amount)) == Reason.OK
            assert hand.do(score("hand", team, amount + 1)) == Reason.SCORE_MISMATCH
            assert hand.do(score("match", team, before[team] + reported[team])) == Reason.OK
        wrong = Reason.SCORE_MISMATCH if reported[1] == 0 else Reason.OK
        assert hand.do(score("hand", 1, 10 if capped else reported[1])) == wrong


def test_r14_the_cap_needs_the_match_score_before_the_hand() -> None:
    with pytest.raises(ValueError, match="hand_scores_capped needs the match score before the hand"):
        auction("8", "pass", "pass", "pass", hand_scores_capped=True)
    with pytest.raises(ValueError, match="hand_scores_capped is 1; it must be true or false"):
        auction("8", "pass", "pass", "pass", match={"score": [0, 0], "no_trump": False}, hand_scores_capped=1)
