"""The score sheet of a table: its hands, their matches, and who has won them."""

from typing import Any, Final

from cardlog.schemas.events import ACTIONS, NO_AMOUNT
from cardlog.web.play.dealing import Dealer
from cardlog.web.play.table import Hand

MOST_ROWS: Final = 60

Row = dict[str, Any]


class Sheet:
    """The last finished hands, oldest first.

    rows
        For each hand its `number` and `hand_id`, the number of its `match`, `score` as in `score_of`, and the
        `winner` of the match: a team or a seat, -1 for none, or None if the match goes on.
    recorded
        Number of the last hand that the store has; -1 if it has none.
    """

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.recorded = -1

    def add(self, hand: Hand, dealer: Dealer, *, is_single: bool = False) -> None:
        """Add a finished hand, unless the sheet has it; a hand that is `is_single` does not win a match."""
        if self.rows and self.rows[-1]["number"] >= hand.number:
            return
        row = {
            "number": hand.number,
            "hand_id": hand.hand_id,
            "match": hand.match,
            "score": score_of(hand, dealer.game.has_teams),
            "winner": None,
        }
        if dealer.match_is_over and not is_single:
            row["winner"] = int(dealer.game.playing().winner_of(dealer.record, hand.state))
        self.rows = [*self.rows, row][-MOST_ROWS:]


def score_of(hand: Hand, has_teams: bool) -> Row:
    """The scores reported at the end of a hand: of the hand, the match and the places, by team or seat."""
    score: Row = {"of": "teams" if has_teams else "seats", "hand": {}, "match": {}, "place": {}}
    for event in hand.events[: hand.size]:
        action = ACTIONS[int(event["action"])]
        if action.kind == "score" and action.name in score and event["amount"] != NO_AMOUNT:
            score[action.name][str(event["seat"])] = int(event["amount"])
    return score
