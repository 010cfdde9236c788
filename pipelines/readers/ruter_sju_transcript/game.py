"""The lines of a game of Ruter Sju, and the events that they tell.

The hands and tables that turns show are checked against the cards placed so far, so a line that is lost,
repeated or damaged is noticed. Whether the rules allow what was done is judged later.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from cardlog.models.ruter_sju import rules
from cardlog.models.ruter_sju.state import CARD_OF, RANKS, SUITS, middle
from cardlog.pipelines.readers.ruter_sju_transcript.seating import PROMPTS, SUIT, SUIT_WORDS, Seating
from cardlog.pipelines.readers.transcript import Event, Fault, LineTable
from cardlog.schemas.cards import UNKNOWN
from cardlog.schemas.events import NO_SEAT
from cardlog.schemas.reasons import Reason

_WHICH: Final = PROMPTS[1]
_CARD: Final = re.compile(rb"\d{1,4} of (?:" + SUIT + rb"|[a-z0-9]+)")
_ROW: Final = re.compile(rb".:[ 0-9]*")
LINES: Final = LineTable()


class Card(NamedTuple):
    """A card as the program names it; number 1 is the ace."""

    suit: int
    number: int
    code: int


_CARDS: Final = {
    b"%d of %s" % (number, SUIT_WORDS[suit]): Card(suit, number, int(CARD_OF[suit, number]))
    for suit in range(SUITS)
    for number in range(1, RANKS + 1)
}


class Misread(Fault):
    """A fault that a line has if its end is torn off, among other causes."""


def _no_line() -> Misread:
    return Misread(Reason.UNPARSABLE, "is not what the program prints there")


def _wrong_out() -> Fault:
    what = "contradicts the cards placed so far on whether a player is out"
    return Fault(Reason.OUT_OF_ORDER, what)


class Game:
    """The parser of a game.

    events
        First the opening and the deals; these are hidden until they are shown.
    """

    def __init__(self, seating: Seating, first: int) -> None:
        self.seating = seating
        self.seats = {name: seat for seat, name in enumerate(seating.names)}
        each, more = divmod(seating.suits * seating.ranks, len(self.seats))
        self.left = [each + (seat < more) for seat in range(len(self.seats))]
        self.events = [Event(rules.OPEN, line=first)]
        self.events += [
            Event(rules.DEAL_HAND, seat, first, bytes([UNKNOWN] * size))
            for seat, size in enumerate(self.left)
        ]
        self.hands: list[list[bytes] | None] = [None] * len(self.seats)  # computers' cards, once shown
        self.table = [[b"", b"", b""] for _ in range(seating.suits)]  # low, middle and high card, as shown
        self.rows = [word[:1] + b":" for word in SUIT_WORDS[: seating.suits]]  # of the table
        self.out = 0
        self.seat = NO_SEAT  # whose turn began last
        self.in_turn = self.acted = False  # whether it may act, and has
        self.is_leaving = False  # whether the next line must say that it is out
        self.is_unanswered = False  # whether it was asked whether to go on, without an answer shown
        self.is_loose = False  # whether taking the block has no effect
        self.is_over = False
        self.shown: list[int] = []  # rows of the table shown, or seats in the final order
        self.expect = Game.turn
        self.index = first
        self.line = b""

    def parse(self, lines: list[bytes], first: int, last: int) -> None:
        """Parse the lines from one index to another; raises the `Fault` of the line `index`."""
        just_dealt = NO_SEAT
        try:
            for index in range(first, last + 1):
                rest = lines[index]
                if not rest:
                    continue
                self.index = index
                is_hand = self.expect is Game.hand and self.hands[self.seat] is None
                just_dealt = self.seat if is_hand else NO_SEAT
                while rest:
                    self.line = self._without_next(rest) if self.expect is Game.turn else rest
                    rest = rest[len(self.line) :]
                    self._answer_nothing()
                    self.expect(self, self.line)
        finally:
            if just_dealt != NO_SEAT:  # it may be torn off, and nobody has acted on it
                deal = self.events[1 + just_dealt]
                self.events[1 + just_dealt] = deal._replace(cards=bytes([UNKNOWN] * len(deal.cards)))

    def _without_next(self, line: bytes) -> bytes:
        """A prompt without the line that directly follows it, since input from a file is not echoed; any
        other line as it is."""
        if line.startswith(PROMPTS):
            prompt = next(prompt for prompt in PROMPTS if line.startswith(prompt))
            if len(line) > len(prompt) and self._may_follow(prompt, line[len(prompt) :]):
                return prompt
        return line

    def _may_follow(self, prompt: bytes, line: bytes) -> bool:
        if prompt == _WHICH:
            name = self.seating.names[max(self.seat, 0)]
            places = line.startswith(name + b" places ") and line[len(name) + 8 :].endswith(b"...")
            return places or line in (name + b" takes the block...", b"Going back to last player input...")
        names = (line.removesuffix(end) for end in (b":", b" is blocked...") if line.endswith(end))
        return line.startswith(_WHICH) or any(name in self.seats for name in names)

    def _answer_nothing(self) -> None:
        """If the game goes on after the question whether to, the answer was empty, which means no."""
        if self.is_unanswered:
            self.is_unanswered = False
            if not self.line.startswith(_WHICH) and self.line != _WHICH[:-1]:
                self._act(rules.PASS, self.seat)

    def turn(self, line: bytes) -> None:
        """A line that begins a turn, or an act."""
        if not LINES.handle(self, line):
            raise _no_line()

    # ---------------------------------------------------------------- lines in and between turns

    @LINES.line(rb"(?P<name>.*):")
    def begins(self, name: bytes) -> bool:
        """``NAME:``."""
        if name not in self.seats:
            return False
        self._wait()
        if self.is_leaving:
            raise _wrong_out()
        if self.in_turn and not self.acted:
            raise Fault(Reason.INCOMPLETE, "comes before the act of the last turn")
        self.seat, self.turn_index = self.seats[name], self.index
        self.in_turn, self.acted = True, False
        self.expect = Game.section
        return True

    @LINES.line(
        rb"(?P<name>.*) places (?P<text>\d{1,4} of (?!" + SUIT + rb"[a-z0-9])[a-z0-9]+)\.\.\.",
    )
    def places(self, name: bytes, text: bytes) -> bool:
        """``NAME places 7 of diamonds...``; after an end card the turn may go on."""
        if name not in self.seats:
            return False
        card = self._card(text)
        if self.is_leaving:
            raise _wrong_out()
        seat = self._in_turn(self.seats[name])
        hand = self.hands[seat]
        if not self.seating.humans[seat]:
            if hand is None or text not in hand:
                raise Fault(Reason.NOT_IN_HAND, "places a card that the player does not hold")
            hand.remove(text)
        self.events.append(Event(rules.PLAY_CARD, seat, self.index, bytes([card.code])))
        centre = middle(self.seating.ranks)
        shown = self.table[card.suit]
        shown[(card.number >= centre) + (card.number > centre)] = b" %d" % card.number
        self.rows[card.suit] = SUIT_WORDS[card.suit][:1] + b":" + b"".join(shown)
        self.left[seat] -= 1
        # [R10] A computer whose only card is the first one placed is not out.
        is_first = card.suit == 0 and card.number == centre and not self.seating.humans[seat]
        self.out += self.left[seat] == 0 and not is_first
        self.acted, self.is_loose = True, False
        self.in_turn = card.number in (1, self.seating.ranks)
        self.is_leaving = self.left[seat] == 0
        return True

    @LINES.line(rb"(?P<name>.*) takes the block\.\.\.")
    def takes(self, name: bytes) -> bool:
        """``NAME takes the block...``."""
        if name in self.seats:
            self._act(rules.PASS if self.is_loose else rules.TAKE_BLOCK, self.seats[name])
        return name in self.seats

    @LINES.line(rb"(?P<name>.*) is blocked\.\.\.")
    def blocked(self, name: bytes) -> bool:
        """``NAME is blocked...``, a turn of its own."""
        if name not in self.seats:
            return False
        self._wait()
        if self.is_leaving:
            raise _wrong_out()
        if self.in_turn and not self.acted:
            raise Fault(Reason.INCOMPLETE, "comes before the act of the last turn")
        self.in_turn = False
        self.events.append(Event(rules.BLOCKED, self.seats[name], self.index))
        return True

    @LINES.line(rb"(?P<name>.*) is out!")
    def leaves(self, name: bytes) -> bool:
        """``NAME is out!``, right after its last card."""
        if name not in self.seats:
            return False
        if not self.is_leaving or self.seats[name] != self.seat:
            raise _wrong_out()
        self.is_leaving = self.in_turn = False
        return True

    @LINES.line(rb"GAME OVER")
    def ends(self) -> None:
        """All are out; the table and the final order follow."""
        if self.is_leaving:
            raise _wrong_out()
        if self.out < len(self.seats):
            raise Fault(Reason.OUT_OF_ORDER, "ends the game before all players are out")
        self.is_over = True
        self._expect_table()

    @LINES.line(rb"Which player starts\?:(?: (?P<answer>.*))?")
    def asks_starter(self, answer: bytes | None) -> bool:
        """Asked first. With a negative number the program loses track of a block that is taken at once."""
        self.is_loose = (answer or b"").startswith(b"-")
        return self.seat == NO_SEAT and not self._is_garbled()

    @LINES.line(
        rb"Which card will you place \(number, suit separated by space\):(?: .*)?|Enter a valid card!"
    )
    def asks_card(self) -> bool:
        """What a person is asked at the keyboard; the next line shows the result."""
        return self._is_asked()

    @LINES.line(rb"Going back to last player input\.\.\.")
    def goes_back(self) -> bool:
        """The person's turn is over."""
        if self._is_asked():
            self._act(rules.PASS, self.seat)
            return True
        return False

    @LINES.line(rb"Place another\? \(y/n\):(?: (?P<answer>.*))?")
    def asks_another(self, answer: bytes | None) -> bool:
        """Asked after an end card; anything but yes ends the turn."""
        if not self._is_asked() or not self.acted:
            return False
        if not answer:
            self.is_unanswered = True
        elif answer not in (b"y", b"Y"):
            self._act(rules.PASS, self.seat)
        return True

    def _is_asked(self) -> bool:
        """Whether it is a person's turn, who may be asked."""
        is_turn = self.seat != NO_SEAT and self.in_turn and not self.is_leaving
        return is_turn and self.seating.humans[self.seat] and not self._is_garbled()

    def _is_garbled(self) -> bool:
        """Whether a line that looks like a prompt begins like a card placed by a player of an odd name."""
        return any(self.line.startswith(name + b" places ") for name in self.seats)

    def _wait(self) -> None:
        """[R10] Add the pass of a computer of which the program prints nothing: before the first card is
        placed, which it does not hold."""
        hand = self.hands[self.seat] if self.in_turn and not self.acted else None
        first = b"%d of %s" % (middle(self.seating.ranks), SUIT_WORDS[0])
        if hand is not None and not self.table[0][1] and first not in hand:
            self._act(rules.PASS, self.seat, self.turn_index)

    def _act(self, action: int, seat: int, line: int | None = None) -> None:
        """Add an act other than a card; it ends the turn."""
        if self.is_leaving:
            raise _wrong_out()
        self._in_turn(seat)
        self.acted, self.in_turn, self.is_loose = True, False, False
        self.events.append(Event(action, seat, self.index if line is None else line))

    def _in_turn(self, seat: int) -> int:
        """A seat, which must be in turn."""
        if not self.in_turn or seat != self.seat:
            raise Fault(Reason.OUT_OF_ORDER, "is an act of a player whose turn has not begun")
        return seat

    # ---------------------------------------------------------------- what a turn shows

    def section(self, line: bytes) -> None:
        """What follows the name: CARDS for a computer, GAME for a person."""
        if line not in (b"CARDS", b"GAME"):
            raise _no_line()
        if (line == b"CARDS") == self.seating.humans[self.seat]:
            raise Fault(Reason.UNPARSABLE, "does not fit the mark: only computers' cards are shown")
        self.expect = Game.hand
        if line == b"GAME":
            self._expect_table()

    def hand(self, line: bytes) -> None:
        """A computer's hand, the first time as it was dealt. [R10] It may be empty: then there is no line."""
        hand = self.hands[self.seat]
        if hand is None:
            self._deal(line)
        elif not hand:
            self.heading(line)
            return
        elif line != b", ".join(hand):
            held = iter(hand)
            for text in self._texts(line):
                if text != next(held, None):
                    break
            what = "shows a hand that contradicts the cards placed so far"
            raise Misread(Reason.OUT_OF_ORDER, what)
        self.expect = Game.heading

    def _deal(self, line: bytes) -> None:
        deal = self.events[1 + self.seat]
        texts: list[bytes] = []
        dealt = {code for event in self.events[1 : 1 + len(self.seats)] for code in event.cards}
        for text in self._texts(line):
            if len(texts) == len(deal.cards):
                raise Misread(Reason.INCOMPLETE, "shows a wrong number of cards")
            if _CARDS[text].code in dealt or text in texts:
                raise Misread(Reason.DUPLICATE_CARD, "shows a card that was dealt before")
            texts.append(text)
        if len(texts) < len(deal.cards):
            raise Misread(Reason.INCOMPLETE, "shows a wrong number of cards")
        self.hands[self.seat] = texts
        cards = bytes(_CARDS[text].code for text in texts)
        self.events[1 + self.seat] = deal._replace(line=self.index, cards=cards)

    def _texts(self, line: bytes) -> Iterator[bytes]:
        """The cards of a hand, all of them in the deck."""
        at = 0
        while at < len(line):
            found = _CARD.match(line, at and at + 2)
            if found is None or (not line.startswith(b", ", at) and at):
                raise _no_line()
            self._card(found[0])
            yield found[0]
            at = found.end()

    def _card(self, text: bytes) -> Card:
        """A card that must be in the deck."""
        card = _CARDS.get(text)
        if card is None or card.suit >= self.seating.suits or card.number > self.seating.ranks:
            raise Misread(Reason.UNKNOWN_CARD, "names a card that is not in this deck")
        return card

    def heading(self, line: bytes) -> None:
        """The line before the table."""
        if line != b"GAME":
            raise _no_line()
        self._expect_table()

    def _expect_table(self) -> None:
        self.shown = []
        self.expect = Game.row

    def row(self, line: bytes) -> None:
        """A row of the table, one a suit."""
        suit = len(self.shown)
        if line.rstrip(b" ") != self.rows[suit]:
            if line.startswith(self.rows[suit][:1]) and _ROW.fullmatch(line):
                what = "shows a table that contradicts the cards placed so far"
                raise Misread(Reason.OUT_OF_ORDER, what)
            raise _no_line()
        self.shown.append(suit)
        if len(self.shown) == self.seating.suits:
            self.shown = []
            self.expect = Game.order if self.is_over else Game.turn

    # ---------------------------------------------------------------- the end

    def order(self, line: bytes) -> None:
        """``Final Order:``."""
        if line != b"Final Order:":
            raise _no_line()
        self.expect = Game.place

    def place(self, line: bytes) -> None:
        """``1. NAME``."""
        number = len(self.shown) + 1
        seat = self.seats.get(line[3:])
        if seat is None or not line.startswith(b"%d. " % number):
            raise _no_line()
        self.events.append(Event(rules.SCORE_PLACE, seat, self.index, amount=number))
        self.shown.append(seat)
        if number == len(self.seats):
            self.expect = Game.nothing

    def nothing(self, line: bytes) -> None:
        """A line after the end."""
        raise Fault(Reason.UNPARSABLE, "follows the end of the game, with no mark between")
