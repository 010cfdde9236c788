"""What can be wrong with a line: its sentence, and the reason that goes with it."""

from typing import Final

from cardlog.schemas.reasons import Reason

(
    FINE, NOTHING, WRONG_NAME, BAD_CARD, MISPLACED, MISSING, WRONG_NUMBER, WRONG_MUST, CONTRADICTS, NO_DEALER,
    NO_BEGINNING, NO_NAMES,
) = range(12)  # fmt: skip
SENTENCES: Final = {
    NOTHING: "is nothing that a transcript of belot says",
    WRONG_NAME: "names a player or a pair that does not play",
    BAD_CARD: "has a card that is no card",
    MISPLACED: "can't come at this point of a hand",
    MISSING: "comes where another line is missing before it",
    WRONG_NUMBER: "has the wrong number of cards",
    WRONG_MUST: "says that a player must bid who need not, or the other way round",
    CONTRADICTS: "contradicts what was said before it",
    NO_DEALER: "begins a hand of which nothing tells who deals",
    NO_BEGINNING: "belongs to a hand whose beginning is missing",
    NO_NAMES: "is of a match whose players are not named",
}
"""What can be wrong with a line."""
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
"""The reason that goes with each fault."""
