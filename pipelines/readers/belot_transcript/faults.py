"""What can be wrong with a line: a code, and its sentence and reason."""

from typing import Final

from cardlog.schemas.reasons import Reason

(
    FINE, NOTHING, WRONG_NAME, BAD_CARD, MISPLACED, MISSING, WRONG_NUMBER, WRONG_MUST, CONTRADICTS, NO_DEALER,
    NO_BEGINNING, NO_NAMES,
) = range(12)  # fmt: skip
SENTENCES: Final = {
    NOTHING: "is not a line of a belot transcript",
    WRONG_NAME: "names a player or a pair that is not in this match",
    BAD_CARD: "has something that is not a card",
    MISPLACED: "can't come at this point of a hand",
    MISSING: "comes after a line that is missing",
    WRONG_NUMBER: "has the wrong number of cards",
    WRONG_MUST: "is wrong on whether the player must bid",
    CONTRADICTS: "contradicts an earlier line",
    NO_DEALER: "begins a hand that does not name its dealer",
    NO_BEGINNING: "belongs to a hand whose beginning is missing",
    NO_NAMES: "is in a match whose players are not named",
}
"""How the sentence about a line goes on."""
REASONS: Final = {
    NOTHING: Reason.UNPARSABLE,
    WRONG_NAME: Reason.UNPARSABLE,
    BAD_CARD: Reason.UNKNOWN_CARD,
    MISPLACED: Reason.OUT_OF_ORDER,
    MISSING: Reason.INCOMPLETE,
    WRONG_NUMBER: Reason.INCOMPLETE,
    WRONG_MUST: Reason.BAD_BID,
    CONTRADICTS: Reason.SCORE_MISMATCH,
    NO_DEALER: Reason.INCOMPLETE,
    NO_BEGINNING: Reason.INCOMPLETE,
    NO_NAMES: Reason.INCOMPLETE,
}
