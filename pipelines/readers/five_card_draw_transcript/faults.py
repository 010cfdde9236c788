"""What can be wrong with a five-card draw hand: codes, each with a reason and a sentence."""

from typing import Final

from cardlog.models.five_card_draw.state import SEATS
from cardlog.schemas.reasons import Reason

(
    FINE, UNREADABLE, NO_SUCH_PLAYER, NO_CARD, CONTRADICTS, NO_ANTES, NO_CHIPS, LINES_MISSING, NO_BEGINNING,
    TOO_MANY_PLAYERS, SAME_NAMES, WRONG_POINT, WRONG_BUTTON, WRONG_BET, NO_HUMAN, CHIPS_MISSING,
) = range(16)  # fmt: skip

OF_LINES: Final = {
    UNREADABLE: (Reason.UNPARSABLE, "can't be read"),
    NO_SUCH_PLAYER: (Reason.UNPARSABLE, "names nobody at the table"),
    NO_CARD: (Reason.UNKNOWN_CARD, "has something that is not a card"),
    CONTRADICTS: (Reason.SCORE_MISMATCH, "contradicts the lines before it"),
    WRONG_BET: (Reason.BAD_BID, "is a bet that can't be made here"),
    WRONG_POINT: (Reason.OUT_OF_ORDER, "can't come at this point of a hand"),
}
"""Faults of one line: the reason, and how the sentence goes on after "Line 7"."""

OF_HANDS: Final = {
    NO_ANTES: (
        Reason.INCOMPLETE,
        "The hand breaks off before everyone has paid the ante, or lines are missing, so its players "
        "are not known.",
    ),
    NO_CHIPS: (
        Reason.INCOMPLETE,
        "The players' chips before this hand are not known: earlier lines are missing or damaged.",
    ),
    LINES_MISSING: (
        Reason.INCOMPLETE,
        "Lines of this hand are missing: the human's draw, the standings after it, or who leaves.",
    ),
    CHIPS_MISSING: (
        Reason.SCORE_MISMATCH,
        "The players win fewer chips than were put in: an amount is wrong, or a line is missing.",
    ),
    NO_HUMAN: (
        Reason.INCOMPLETE,
        "The hand shows what a human sees, but not who that is: the line with the name is missing or "
        "damaged.",
    ),
    NO_BEGINNING: (Reason.INCOMPLETE, "The hand does not begin with [NEW ROUND]: lines are missing."),
    TOO_MANY_PLAYERS: (Reason.UNPARSABLE, f"More than {SEATS} players are at the table."),
    SAME_NAMES: (Reason.UNPARSABLE, "Two players have the same name."),
    WRONG_BUTTON: (
        Reason.OUT_OF_ORDER,
        "The button is not given to the last player to pay the ante.",
    ),
}
"""Faults of a whole hand: the reason and the sentence."""
