"""What can be wrong with a line of a Ruter Sju transcript: codes, reasons and messages."""

import re
from typing import Final

from cardlog.models.ruter_sju.state import SEATS
from cardlog.pipelines.readers.ruter_sju_transcript.lines import NAMED_LINES, OTHER_LINES, PROMPTS, SUIT_WORDS
from cardlog.schemas.reasons import Reason

(
    FINE, NO_LINE, NO_CARD, WRONG_HAND, WRONG_BOARD, WRONG_OUT, NO_ACT, NO_TURN, NOT_HELD, WRONG_KIND,
    EARLY_END, AFTER_END, TOO_LONG, WRONG_COUNT, DEALT_TWICE,
) = range(15)  # fmt: skip

MOST_EVENTS: Final = 2**15
"""Most events of a hand: `seq` has 16 bits."""
MOST_SHOWN: Final = 60
"""Characters of a line that a message shows."""

_SENTENCES: Final = {
    NO_LINE: (Reason.UNPARSABLE, "is not what the program prints there"),
    NO_CARD: (Reason.UNKNOWN_CARD, "names a card that is not in this deck"),
    WRONG_HAND: (Reason.OUT_OF_ORDER, "shows a hand that contradicts the cards placed so far"),
    WRONG_BOARD: (Reason.OUT_OF_ORDER, "shows a table that contradicts the cards placed so far"),
    WRONG_OUT: (Reason.OUT_OF_ORDER, "contradicts the cards placed so far on whether a player is out"),
    NO_ACT: (Reason.INCOMPLETE, "comes before the act of the last turn"),
    NO_TURN: (Reason.OUT_OF_ORDER, "is an act of a player whose turn has not begun"),
    NOT_HELD: (Reason.NOT_IN_HAND, "places a card that the player does not hold"),
    WRONG_KIND: (Reason.UNPARSABLE, "does not fit the mark: only computers' cards are shown"),
    EARLY_END: (Reason.OUT_OF_ORDER, "ends the game before all players are out"),
    AFTER_END: (Reason.UNPARSABLE, "follows the end of the game, with no mark between"),
    WRONG_COUNT: (Reason.INCOMPLETE, "shows a wrong number of cards"),
    DEALT_TWICE: (Reason.DUPLICATE_CARD, "shows a card that was dealt before"),
    TOO_LONG: (Reason.UNPARSABLE, f"begins a game of more than {MOST_EVENTS:,} events"),
}


def sentence(fault: int, line: bytes, number: int) -> tuple[Reason, str]:
    """The reason and the message of a fault."""
    reason, what = _SENTENCES[fault]
    text = line.decode("utf-8", "backslashreplace")
    shown = repr(text) if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]!r} and more"
    return reason, f"Line {number}, {shown}, {what}."


# ---------------------------------------------------------------- a game's last line torn off

_MAY_BE_TORN: Final = (NO_LINE, NO_CARD, WRONG_HAND, WRONG_BOARD, WRONG_COUNT, DEALT_TWICE)
_TORN_ROW: Final = re.compile(rb"[dshc45](?::(?: \d{0,2}){0,3} ?)?")
_TORN_CARD: Final = re.compile(
    rb"(?:\d{1,2}(?: (?:o(?:f(?: (?:"
    + b"|".join(word[:size] for word in SUIT_WORDS for size in range(len(word) + 1))
    + rb"))?)?)?)?)?,?"
)


def is_torn(fault: int, line: bytes, names: tuple[bytes, ...]) -> bool:
    """Whether a game's last line may be at fault because it is torn off: it is the beginning of a line that
    the program prints."""
    if fault not in _MAY_BE_TORN:
        return False
    whole = [name + end for name in names for end in NAMED_LINES]
    whole += [b"%d. %s" % (number, name) for number in range(1, SEATS + 1) for name in names]
    placing = [name + b" places " for name in names]
    if any(text.startswith(line) for text in (*whole, *placing, *OTHER_LINES, *PROMPTS)):
        return True
    rest = next((line[len(text) :] for text in placing if line.startswith(text)), None)
    if rest is not None:
        return _TORN_CARD.fullmatch(rest.rstrip(b".")) is not None
    cards = line.split(b", ")
    return _TORN_ROW.fullmatch(line) is not None or all(_TORN_CARD.fullmatch(card) for card in cards)
