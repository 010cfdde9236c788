"""What the parser may find wrong with a five-card draw hand: codes, and for each a reason and words."""

from typing import Final

from cardlog.models.five_card_draw.state import SEATS
from cardlog.schemas.reasons import Reason

(
    FINE, UNREADABLE, NO_SUCH_PLAYER, NO_CARD, CONTRADICTS, NO_ANTES, NO_CHIPS, LINES_MISSING, NO_BEGINNING,
    TOO_MANY_PLAYERS, SAME_NAMES, WRONG_POINT, WRONG_BUTTON, WRONG_BET, NO_HUMAN, CHIPS_MISSING,
) = range(16)  # fmt: skip

OF_LINES: Final = {
    UNREADABLE: (Reason.UNPARSABLE, "can't be read"),
    NO_SUCH_PLAYER: (Reason.UNPARSABLE, "names nobody who is at the table"),
    NO_CARD: (Reason.UNKNOWN_CARD, "holds something that is no card"),
    CONTRADICTS: (Reason.SCORE_MISMATCH, "says something else than the lines before it give"),
    WRONG_BET: (Reason.BAD_BID, "is a bet that can't be made here"),
    WRONG_POINT: (Reason.OUT_OF_ORDER, "can't stand at this point of a hand"),
}
"""Reason, and how the sentence about it goes on after "Line 7", of what is wrong with one line."""

OF_HANDS: Final = {
    NO_ANTES: (
        Reason.INCOMPLETE,
        "The hand breaks off before everyone has paid the ante, or lines on it are missing, so it is not "
        "known who plays.",
    ),
    NO_CHIPS: (
        Reason.INCOMPLETE,
        "It is not known what chips the players had before this hand: lines before it are missing or "
        "damaged.",
    ),
    LINES_MISSING: (
        Reason.INCOMPLETE,
        "Lines of this hand are missing: what the human drew, what the players have after it, or who leaves.",
    ),
    CHIPS_MISSING: (
        Reason.SCORE_MISMATCH,
        "The players get fewer chips than they have put in: an amount is wrong, or a line is missing.",
    ),
    NO_HUMAN: (
        Reason.INCOMPLETE,
        "The hand tells what a human sees, but who that is is not known: the line on it is missing or "
        "damaged.",
    ),
    NO_BEGINNING: (Reason.INCOMPLETE, "The hand does not begin with [NEW ROUND]: lines are missing."),
    TOO_MANY_PLAYERS: (Reason.UNPARSABLE, f"More than {SEATS} players are at the table."),
    SAME_NAMES: (Reason.UNPARSABLE, "Two players have the same name."),
    WRONG_BUTTON: (
        Reason.OUT_OF_ORDER,
        "The button is not given to the player who is the last to pay the ante.",
    ),
}
"""Reason and sentence of what is wrong with a hand as a whole."""
