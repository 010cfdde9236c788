"""The rules of each dialect of Pinochle, and how a hand and a match are scored. [R3] is rule 3 of
docs/rules/pinochle.md."""

from dataclasses import dataclass
from typing import Any, Final

from cardlog.models.engine.compiled import compiled

GAME_POINTS: Final = 120  # [R15] Points that end the match


@dataclass(frozen=True)
class Rules:
    """The points on which the programs and the rule book differ; docs/rules/pinochle.md describes each."""

    # [R6] A hand that is thrown in is over, and the bid is lost; otherwise it is played on with the trump of
    # the hand before, and scored like any other
    throw_in_ends_hand: bool = True
    # [R4] If the three others have passed, the dealer gets the bid without speaking; otherwise he is asked,
    # and gets it whatever he says
    stuck_dealer_is_not_asked: bool = True
    low_bids_are_passes: bool = False  # [R5] A number that is not higher than the last may be bid, as a pass
    double_run_shows_both_nines: bool = False  # [R8] A double run shows both nines of trump, held or not
    # [R13] A team that takes no trick gets no points for its meld
    bidders_need_a_trick: bool = True
    opponents_need_a_trick: bool = True


RULES: Final = {
    "book": Rules(),
    "jan2013": Rules(
        throw_in_ends_hand=False,
        stuck_dealer_is_not_asked=False,
        low_bids_are_passes=True,
        double_run_shows_both_nines=True,
        bidders_need_a_trick=False,
        opponents_need_a_trick=False,
    ),
    "head2014": Rules(low_bids_are_passes=True, double_run_shows_both_nines=True, bidders_need_a_trick=False),
}
"""The rules of each dialect: the rule book's, and those of the two programs whose protocols are read."""
FLAGS: Final = tuple(Rules.__annotations__)


@compiled
def hand_score(total: int, bid: int, bidders: bool) -> int:
    """[R14] What a team scores with a total of meld and counters; bidders who fall short lose their bid."""
    return -bid if bidders and total < bid else total


@compiled
def match_winner(after: Any, bidders: int) -> int:
    """[R15] The team that has won the match with these scores, -1 while neither has: the first to reach 120,
    and the bidders if both do so in the same hand."""
    if after[bidders] >= GAME_POINTS:
        return bidders
    if after[1 - bidders] >= GAME_POINTS:
        return 1 - bidders
    return -1
