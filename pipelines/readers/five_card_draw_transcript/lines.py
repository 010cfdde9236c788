"""The words of a five-card draw transcript, and which lines are those of a hand."""

from collections.abc import Callable
from typing import Any, Final, TypeVar

from cardlog.models.five_card_draw.ranks import CATEGORIES, HAND_CARDS, patterns
from cardlog.models.five_card_draw.state import SEATS
from cardlog.pipelines.readers.transcript import Fault, LineTable
from cardlog.schemas.cards import PACK_RANKS, code
from cardlog.schemas.reasons import Reason

Wrong = tuple[Reason, str]
"""What is wrong: a reason, and how a sentence on the line goes on."""
NOT_KNOWN: Final = -1
"""Stands for a number of chips."""

# ---------------------------------------------------------------- what lines begin with

NEW_ROUND: Final = b"[NEW ROUND]"
SETUP: Final = b"[SETUP] "
CHIPS_GIVEN: Final = SETUP + b"All players have been given "
BUTTON: Final = b"[BUTTON] The button was given to "
DEALT: Final = b"[CARDS] Hands have been dealt."
TRACEBACK: Final = b"Traceback (most recent call last):"
ASKS_GAME: Final = b"Press 1 to play, or 0 to spectate."
ASKS_NAME: Final = b"What's your name?"
ASKS_BET: Final = b"How much would you like to put in the pot?"
ASKS_SWAP: Final = b"Which cards would you like to swap? (00000 for none, 11111 for all)"
FOLLOWS: Final = {
    ASKS_GAME: (SETUP, ASKS_GAME, ASKS_NAME),
    ASKS_NAME: (SETUP,),
    ASKS_BET: (b"[INFO] ", b"[ACTION] ", ASKS_GAME, ASKS_NAME),
    ASKS_SWAP: (b"[INFO] ", b"[CARDS] ", ASKS_GAME, ASKS_NAME),
}
"""What the program prints after an answer, or when it is run again after it has ended at the question."""
NOT_ANTES: Final = (
    SETUP, BUTTON, b"[ACTION] ", b"[INFO] ", b"[SHOWDOWN] ", b"[REWARDS] ", b"[STANDINGS] ", b"[PLAYER] ",
    b"[END] ", b"[WARNING] ", *FOLLOWS,
)  # fmt: skip
"""Lines that don't come between the button and the deal."""
TAGS: Final = (b"[ANTE] ", b"[CARDS] ", *NOT_ANTES)
"""What distinguishes the program's lines from the output of a crash."""


def is_traceback(line: bytes) -> bool:
    """Whether a line is the first one of a traceback, perhaps after the ^C of a terminal."""
    return line == TRACEBACK or (line.startswith(b"^") and line.endswith(TRACEBACK))


# ---------------------------------------------------------------- numbers and cards

NUMBER: Final = rb"0|[1-9]\d{0,8}|1\d{9}"
"""The pattern of a number that fits a column; nobody may have more than 2**30 chips."""
AMOUNT: Final = rb"(?P<amount>%b)" % NUMBER
CATEGORY: Final = "|".join(CATEGORIES).encode()
_CATEGORY_OF: Final = {(tuple(sorted(ranks)), suited): name.encode() for name, ranks, suited in patterns()}
ANTE: Final = rb"\[ANTE\] (?P<name>.*) paid %b chips for the ante\." % AMOUNT
ANTE_ALL_IN: Final = (
    rb"\[ANTE\] (?P<all_in>The ante forced) (?P<name>.+) to go all-in with %b chips!" % AMOUNT
)

_CARDS: Final = {
    (rank.replace("T", "10") + sign).encode(): code(rank + suit)
    for rank in PACK_RANKS
    for suit, sign in zip("SHDC", "♠♡♢♣", strict=True)
}


def parse_cards(text: bytes) -> bytes | Wrong:
    """``[10♢, 2♡, …]`` → five codes, or what is wrong with it."""
    if len(text) < 2 or text[:1] + text[-1:] != b"[]":
        return UNREADABLE
    items = text[1:-1].split(b",")
    codes = []
    for number, item in enumerate(items[:HAND_CARDS]):
        if number and item[:1] != b" ":
            return UNREADABLE
        card = _CARDS.get(item[1:] if number else item)
        if card is None:
            return Reason.UNKNOWN_CARD, "has something that is not a card"
        codes.append(card)
    return bytes(codes) if len(items) == HAND_CARDS else UNREADABLE


def category_of(held: bytes) -> bytes:
    """The category of five different cards, one of `CATEGORIES`."""
    return _CATEGORY_OF[tuple(sorted(card & 15 for card in held)), len({card >> 4 for card in held}) == 1]


# ---------------------------------------------------------------- what is wrong

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

# Of the line that begins a hand.
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


# ---------------------------------------------------------------- lines of a hand

Method = TypeVar("Method", bound=Callable[..., Any])
HAND_LINES: Final = LineTable()
"""The lines of a hand. A name may contain anything, so a pattern is anchored by the program's own words at
the end of the line."""

PLAY, INFO, NEW_HAND, AFTER, END, ANYWHERE = range(6)
"""Where lines come: until the standings (`PLAY`); also only if the human has cards (`INFO`), or between the
human's draw and the new hand (`NEW_HAND`); later (`AFTER`), or only once all standings are there (`END`)."""


def of_hand(
    *like: bytes,
    stage: int = PLAY,
    begins: bool = False,
    anew: bool = False,
    **convert: Callable[[bytes], Any],
) -> Callable[[Method], Method]:
    """A decorator: the method of `hand.HandParser` handles lines like one of the patterns.

    begins
        Whether a match that has lost the beginning of its first hand may go on with such a line.
    anew
        Whether it begins another hand once standings have been reported.
    """

    def register(method: Method) -> Method:
        def handler(parser: Any, **fields: Any) -> Any:
            hand = parser.hand
            if hand is None or (anew and hand.standing and not hand.crashed):
                hand = parser.begin_anew(begins)
            if hand is None or hand.crashed:
                return None
            if parser.prompt:
                hand.is_asked(parser.prompt)
            if hand.fault and stage != ANYWHERE:
                return None
            hand.index = parser.index
            try:
                if hand.standing or hand.drawn or stage in (INFO, END):
                    hand.check(stage)
                return method(hand, **fields)
            except Fault as fault:
                hand.blame(fault)
                return None

        for pattern in like:
            HAND_LINES.add(handler, pattern, **convert)
        return method

    return register
