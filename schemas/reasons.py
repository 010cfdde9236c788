"""Why a hand is in quarantine: a closed list of codes, each with its meaning."""

from enum import IntEnum
from typing import Final


class Reason(IntEnum):
    """What is wrong with a hand. The number is for compiled code, the name is what is stored."""

    OK = 0
    UNPARSABLE = 1
    INCOMPLETE = 2
    UNKNOWN_CARD = 3
    DUPLICATE_CARD = 4
    WRONG_TURN = 5
    NOT_IN_HAND = 6
    MUST_FOLLOW = 7
    BAD_BID = 8
    OUT_OF_ORDER = 9
    SCORE_MISMATCH = 10
    CONFLICT = 11
    TOO_LONG = 12

    @property
    def code(self) -> str:
        """The name as stored in `quarantine.reason`, e.g. ``must_follow``."""
        return self.name.lower()


MEANING: Final[dict[Reason, str]] = {
    Reason.OK: "nothing is wrong",
    Reason.UNPARSABLE: "a field or a line can't be parsed",
    Reason.INCOMPLETE: "something the hand needs is missing: a card of a dealt hand, or its end",
    Reason.UNKNOWN_CARD: "not a card, or not in this game's deck",
    Reason.DUPLICATE_CARD: "a card is dealt or played twice",
    Reason.WRONG_TURN: "a seat acted when it was another seat's turn",
    Reason.NOT_IN_HAND: "a card was played by a seat that does not hold it",
    Reason.MUST_FOLLOW: "a card was played against the rules while a legal one was held",
    Reason.BAD_BID: "a bid that the auction does not allow, or one that is missing",
    Reason.OUT_OF_ORDER: "an event that can't come at this point of a hand",
    Reason.SCORE_MISMATCH: "the source reports another score than its own events give",
    Reason.CONFLICT: "a hand with this id is stored with other content, or another hand has its position in the match",
    Reason.TOO_LONG: "a line or a hand is too long to be read; only its beginning is kept",
}
