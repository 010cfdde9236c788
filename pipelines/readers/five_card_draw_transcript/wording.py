"""The wordings of a five-card draw transcript, and the faults of its lines."""

import re
from typing import Final

from cardlog.models.five_card_draw.state import SEATS
from cardlog.models.poker.ranks import CATEGORIES, HAND_CARDS, patterns
from cardlog.pipelines.readers.transcript import require
from cardlog.schemas.cards import PACK_RANKS, code
from cardlog.schemas.reasons import Reason

NOT_KNOWN: Final = -1
"""Stands for an unknown number of chips."""

# ---------------------------------------------------------------- beginnings of lines

NEW_ROUND: Final = b"[NEW ROUND]"
SETUP: Final = b"[SETUP] "
CHIPS_GIVEN: Final = SETUP + b"All players have been given "
SHUFFLED: Final = b"[CARDS] The deck has been shuffled."
BUTTON: Final = b"[BUTTON] The button was given to "
DEALT: Final = b"[CARDS] Hands have been dealt."
ASKS_GAME: Final = b"Press 1 to play, or 0 to spectate."
ASKS_NAME: Final = b"What's your name?"
ASKS_BET: Final = b"How much would you like to put in the pot?"
ASKS_SWAP: Final = b"Which cards would you like to swap? (00000 for none, 11111 for all)"
TRACEBACK: Final = b"Traceback (most recent call last):"
CRASH: Final = re.compile(rb"(?:\^.*)?" + re.escape(TRACEBACK))
"""The first line of a traceback, perhaps after the ^C of a terminal."""
FOLLOWS: Final = {
    ASKS_GAME: (TRACEBACK, SETUP, ASKS_GAME, ASKS_NAME),
    ASKS_NAME: (TRACEBACK, SETUP),
    ASKS_BET: (TRACEBACK, b"[INFO] ", b"[ACTION] ", ASKS_GAME, ASKS_NAME),
    ASKS_SWAP: (TRACEBACK, b"[INFO] ", b"[CARDS] ", ASKS_GAME, ASKS_NAME),
}
"""By a question, what the program prints after the answer, or if it ended there and is run again."""

PLAY, INFO, NEW_HAND, AFTER, END, ANYWHERE = range(6)
"""Stages of a hand: lines come until the standings (`PLAY`), and then only if the human has cards (`INFO`),
or between the human's draw and new hand (`NEW_HAND`); later (`AFTER`), or after all standings (`END`)."""
STAGES: Final = {
    b"[CARDS] Your new hand is ": NEW_HAND, b"[INFO] Your cards are ": PLAY, b"[INFO] ": INFO,
    b"[STANDINGS] ": ANYWHERE, b"[PLAYER] ": AFTER, b"[END] ": END,
    **dict.fromkeys((SETUP, BUTTON, b"[ANTE] ", b"[CARDS] ", b"[ACTION] ", b"[SHOWDOWN] "), PLAY),
    **dict.fromkeys((b"[REWARDS] ", b"[WARNING] ", *FOLLOWS), PLAY),
}  # fmt: skip
"""The stages of lines, by the tags that distinguish the program's lines from the output of a crash."""
TAGS: Final = tuple(STAGES)
_OF_OTHERS: Final = (b"[INFO] ", b"[WARNING] ", b"[END] ")
SIGNS: Final = (NEW_ROUND, *(tag for tag in TAGS if not tag.startswith(_OF_OTHERS)))
"""The format is known by these at the beginning of any line, as a log may be rotated between any two; other
programs' logs have the other tags, too."""
BEGINNINGS: Final = (BUTTON, b"[ANTE] ", b"[CARDS] ")
"""Beginnings of the first line of a match that has lost the beginning of its first hand."""
NOT_ANTES: Final = tuple(tag for tag in STAGES if not tag.startswith(BEGINNINGS[1:]))
"""Lines that don't come between the button and the deal."""


def stage_of(line: bytes) -> int:
    """The stage of a line of a hand."""
    return next((stage for tag, stage in STAGES.items() if line.startswith(tag)), AFTER)


# ---------------------------------------------------------------- numbers and cards

NUMBER: Final = rb"0|[1-9]\d{0,8}|1\d{9}"
"""The pattern of a number that fits a column; nobody may have more than 2**30 chips."""
AMOUNT: Final = rb"(?P<amount>%b)" % NUMBER
ANTE: Final = (
    rb"\[ANTE\] (?P<forced>The ante forced )?(?P<name>.*) (?(forced)to go all-in with|paid) "
    rb"%b chips(?(forced)!| for the ante\.)" % AMOUNT
)
CATEGORY: Final = "|".join(CATEGORIES).encode()
_CATEGORY_OF: Final = {(tuple(sorted(ranks)), suited): name.encode() for name, ranks, suited in patterns()}
_CARDS: Final = {
    (rank.replace("T", "10") + sign).encode(): code(rank + suit)
    for rank in PACK_RANKS
    for suit, sign in zip("SHDC", "♠♡♢♣", strict=True)
}
NO_CARD: Final = (
    Reason.UNKNOWN_CARD,
    "has something that is not a card: cards are 2 to 10, J, Q, K or A and one of ♠ ♡ ♢ ♣, such as 10♢",
)
_LIST: Final = re.compile(rb"\[[^,]*(?:, [^,]*)*\]")


def parse_cards(text: bytes) -> bytes:
    """``[10♢, 2♡, …]`` → five codes. Raises Fault."""
    items = text[1:-1].split(b", ")
    require(_LIST.fullmatch(text) is not None, *UNREADABLE)
    require({*items[:HAND_CARDS]} <= _CARDS.keys(), *NO_CARD)
    require(len(items) == HAND_CARDS, *UNREADABLE)
    return bytes(_CARDS[item] for item in items)


def category_of(held: bytes) -> bytes:
    """The category of five different cards, one of `CATEGORIES`."""
    return _CATEGORY_OF[tuple(sorted(card & 15 for card in held)), len({card >> 4 for card in held}) == 1]


# ---------------------------------------------------------------- faults of lines

UNREADABLE: Final = Reason.UNPARSABLE, "can't be read"
NO_SUCH_PLAYER: Final = Reason.UNPARSABLE, "names nobody at the table"
CONTRADICTS: Final = Reason.SCORE_MISMATCH, "contradicts the lines before it"
WRONG_BET: Final = Reason.BAD_BID, "is a bet that can't be made here"
WRONG_POINT: Final = Reason.OUT_OF_ORDER, "can't come at this point of a hand"
LINES_MISSING: Final = Reason.INCOMPLETE, "comes where lines are missing: a draw, standings, or who leaves"
CHIPS_MISSING: Final = Reason.SCORE_MISMATCH, "ends a hand in which fewer chips are won than were put in"
NO_HUMAN: Final = Reason.INCOMPLETE, "shows what a human sees, but not who that is: the name is missing"
NO_BEGINNING: Final = Reason.INCOMPLETE, "does not begin a hand: [NEW ROUND] is missing before it"
OUTSIDE: Final = Reason.UNPARSABLE, "is outside of any hand, and the program does not print it there"

# Faults of the line that begins a hand.
NO_ANTES: Final = (
    Reason.INCOMPLETE,
    "begins a hand that breaks off, or lacks lines, before all have paid the ante",
)
NO_CHIPS: Final = Reason.INCOMPLETE, "begins a hand, but the chips before this hand are not known"
TOO_MANY_PLAYERS: Final = Reason.UNPARSABLE, f"begins a hand with more than {SEATS} players at the table"
SAME_NAMES: Final = Reason.UNPARSABLE, "begins a hand in which two players have the same name"
WRONG_BUTTON: Final = (
    Reason.OUT_OF_ORDER,
    "begins a hand whose last ante is not paid by the one with the button",
)
