"""The lines of a game of Ruter Sju, and the events that they tell.

The hands and tables that turns show are checked against the cards placed so far, so a line that is lost,
repeated or damaged is noticed. Whether the rules allow what was done is judged later.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

from cardlog.models.ruter_sju.state import CARD_OF, RANKS, SUITS, middle
from cardlog.pipelines.readers.ruter_sju_transcript.seating import PROMPTS, SUIT, SUIT_WORDS, Seating
from cardlog.pipelines.readers.transcript import Event, Fault, Hand, LineTable, Match, require
from cardlog.schemas.cards import UNKNOWN
from cardlog.schemas.events import NO_SEAT, Action
from cardlog.schemas.reasons import Reason

NO_LINE: Final = (Reason.UNPARSABLE, "is not what the program prints there")
NO_CARD: Final = (Reason.UNKNOWN_CARD, "names a card that is not in this deck")
WRONG_HAND: Final = (Reason.OUT_OF_ORDER, "shows a hand that contradicts the cards placed so far")
WRONG_TABLE: Final = (Reason.OUT_OF_ORDER, "shows a table that contradicts the cards placed so far")
WRONG_OUT: Final = (Reason.OUT_OF_ORDER, "contradicts the cards placed so far on whether a player is out")
WRONG_COUNT: Final = (Reason.INCOMPLETE, "shows a wrong number of cards")
DEALT_TWICE: Final = (Reason.DUPLICATE_CARD, "shows a card that was dealt before")
MAY_BE_TORN: Final = (NO_LINE, NO_CARD, WRONG_HAND, WRONG_TABLE, WRONG_COUNT, DEALT_TWICE)
"""What may be wrong with a line whose end is torn off."""

LINES: Final = LineTable()
_WHICH: Final = PROMPTS[1]
_PLACES: Final = b" places "
_CARD: Final = re.compile(rb"\d{1,4} of (?:" + SUIT + rb"|[a-z0-9]+)")
_ROW: Final = re.compile(rb".:[ 0-9]*")


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


class Game(Hand):
    """A game, and the parser of its lines. Its events begin with the opening and the deals; these are hidden
    until they are shown."""

    def __init__(
        self, seating: Seating, match: Match, number: int, first: int, last: int, context: dict[str, Any]
    ) -> None:
        super().__init__(match, number, first, last, context=context, index=first)
        self.seating, self.humans = seating, seating.humans
        self.seats = {name: seat for seat, name in enumerate(seating.names)}
        self.centre = middle(seating.ranks)
        each, more = divmod(seating.suits * seating.ranks, len(self.seats))
        self.left = [each + (seat < more) for seat in range(len(self.seats))]
        self.events = [Event(Action.DEAL_OPEN, line=first, detail=seating.detail)]
        for seat, size in enumerate(self.left):
            self.add(Action.DEAL_HAND, seat, bytes([UNKNOWN] * size))
        self.hands: list[list[bytes] | None] = [None] * len(self.seats)  # computers' cards, once shown
        self.table = [[b"", b"", b""] for _ in range(seating.suits)]  # low, middle and high card, as shown
        self.rows = [word[:1] + b":" for word in SUIT_WORDS[: seating.suits]]  # of the table
        self.out = 0
        self.seat = NO_SEAT  # whose turn began last
        self.turn_index = first  # in which line
        self.in_turn = self.acted = False  # whether it may act, and has
        self.is_leaving = False  # whether the next line must say that it is out
        self.is_unanswered = False  # whether it was asked whether to go on, without an answer shown
        self.is_loose = False  # whether taking the block has no effect
        self.is_over = False
        self.shown = 0  # rows of the table shown, or seats in the final order
        self.expect: Callable[[Game, bytes], None] = Game.turn
        self.line = b""

    def parse(self, lines: list[bytes], indices: list[int]) -> None:
        """Parse the lines with these indices; raises the `Fault` of the line `index`."""
        try:
            for self.index in indices:
                rest = lines[self.index]
                while rest:
                    self.line = rest
                    if self.expect is Game.turn and rest.startswith(PROMPTS):
                        self.line = self._without_next(rest)
                    rest = rest[len(self.line) :]
                    if self.is_unanswered:
                        self._answer_nothing()
                    self.expect(self, self.line)
        finally:
            for deal in self.events[1 : 1 + len(self.seats)]:
                if deal.line == self.index:  # the hand may be torn off, and nobody has acted on it
                    deal.cards = bytes([UNKNOWN] * len(deal.cards))

    def _without_next(self, line: bytes) -> bytes:
        """A prompt without the line that directly follows it, since input from a file is not echoed."""
        prompt = next(prompt for prompt in PROMPTS if line.startswith(prompt))
        is_followed = len(line) > len(prompt) and self._may_follow(prompt, line[len(prompt) :])
        return prompt if is_followed else line

    def _may_follow(self, prompt: bytes, line: bytes) -> bool:
        if prompt == _WHICH:
            name = self.seating.names[max(self.seat, 0)]
            places = line.startswith(name + _PLACES) and line[len(name + _PLACES) :].endswith(b"...")
            return places or line in (name + b" takes the block...", b"Going back to last player input...")
        names = (line.removesuffix(end) for end in (b":", b" is blocked...") if line.endswith(end))
        return line.startswith(_WHICH) or any(name in self.seats for name in names)

    def _answer_nothing(self) -> None:
        """If the game goes on after the question whether to, the answer was empty, which means no."""
        self.is_unanswered = False
        if not self.line.startswith(_WHICH) and self.line != _WHICH[:-1]:
            self._act(Action.PLAY_PASS, self.seat)

    def turn(self, line: bytes) -> None:
        """A line that begins a turn, or an act."""
        require(LINES.handle(self, line), *NO_LINE)

    # ---------------------------------------------------------------- lines in and between turns

    @LINES.line(rb"(?P<name>.*):")
    def _begins(self, name: bytes) -> bool:
        if name not in self.seats:
            return False
        self._check_last_turn()
        self.seat, self.turn_index = self.seats[name], self.index
        self.in_turn, self.acted = True, False
        self.expect = Game.section
        return True

    def _check_last_turn(self) -> None:
        """The turn before must be over. [R10] A computer may have passed, of which the program prints
        nothing: it does not hold the first card, which is not placed yet."""
        hand = self.hands[self.seat] if self.in_turn and not self.acted else None
        first = b"%d of %s" % (self.centre, SUIT_WORDS[0])
        if hand is not None and not self.table[0][1] and first not in hand:
            self._act(Action.PLAY_PASS, self.seat, self.turn_index)
        require(not self.is_leaving, *WRONG_OUT)
        is_idle = self.in_turn and not self.acted
        require(not is_idle, Reason.INCOMPLETE, "comes before the act of the last turn")

    @LINES.line(rb"(?P<name>.*) places (?P<text>\d{1,4} of (?!" + SUIT + rb"[a-z0-9])[a-z0-9]+)\.\.\.")
    def _places(self, name: bytes, text: bytes) -> bool:
        if name not in self.seats:
            return False
        card, seat = self._card(text), self.seats[name]
        self._check_turn(seat)
        if not self.humans[seat]:
            hand = self.hands[seat] or []
            require(text in hand, Reason.NOT_IN_HAND, "places a card that the player does not hold")
            hand.remove(text)
        self.add(Action.PLAY_CARD, seat, bytes([card.code]))
        shown = self.table[card.suit]
        shown[(card.number >= self.centre) + (card.number > self.centre)] = b" %d" % card.number
        self.rows[card.suit] = self.rows[card.suit][:2] + b"".join(shown)
        self.left[seat] -= 1
        # [R10] A computer whose only card is the first one placed is not out.
        is_first = card.suit == 0 and card.number == self.centre and not self.humans[seat]
        self.out += self.left[seat] == 0 and not is_first
        self.acted, self.is_loose = True, False
        self.in_turn = card.number in (1, self.seating.ranks)  # it may go on after an end card
        self.is_leaving = self.left[seat] == 0
        return True

    @LINES.line(rb"(?P<name>.*) takes the block\.\.\.")
    def _takes(self, name: bytes) -> bool:
        if name in self.seats:
            self._act(Action.PLAY_PASS if self.is_loose else Action.PLAY_BLOCK, self.seats[name])
        return name in self.seats

    @LINES.line(rb"(?P<name>.*) is blocked\.\.\.")
    def _blocked(self, name: bytes) -> bool:
        if name in self.seats:
            self._check_last_turn()
            self.in_turn = False
            self.add(Action.PLAY_BLOCKED, self.seats[name])
        return name in self.seats

    @LINES.line(rb"(?P<name>.*) is out!")
    def _leaves(self, name: bytes) -> bool:
        if name in self.seats:
            require(self.is_leaving and self.seats[name] == self.seat, *WRONG_OUT)
            self.is_leaving = self.in_turn = False
        return name in self.seats

    @LINES.line(rb"GAME OVER")
    def _ends(self) -> None:
        require(not self.is_leaving, *WRONG_OUT)
        require(self.out >= len(self.seats), Reason.OUT_OF_ORDER, "ends the game before all players are out")
        self.is_over = True
        self._expect_table()

    @LINES.line(rb"Which player starts\?:(?: (?P<answer>.*))?")
    def _asks_starter(self, answer: bytes | None) -> bool:
        # With a negative number the program loses track of a block that is taken at once.
        self.is_loose = (answer or b"").startswith(b"-")
        return self.seat == NO_SEAT and not self._is_garbled()

    @LINES.line(
        rb"Which card will you place \(number, suit separated by space\):(?: .*)?|Enter a valid card!"
    )
    def _asks_card(self) -> bool:
        return self._is_asked()

    @LINES.line(rb"Going back to last player input\.\.\.")
    def _goes_back(self) -> bool:
        if is_asked := self._is_asked():
            self._act(Action.PLAY_PASS, self.seat)
        return is_asked

    @LINES.line(rb"Place another\? \(y/n\):(?: (?P<answer>.*))?")
    def _asks_another(self, answer: bytes | None) -> bool:
        if not self._is_asked() or not self.acted:
            return False
        self.is_unanswered = not answer
        if answer and answer not in (b"y", b"Y"):
            self._act(Action.PLAY_PASS, self.seat)
        return True

    def _is_asked(self) -> bool:
        """Whether it is a person's turn, who may be asked."""
        is_turn = self.seat != NO_SEAT and self.in_turn and not self.is_leaving
        return is_turn and self.humans[self.seat] and not self._is_garbled()

    def _is_garbled(self) -> bool:
        """Whether a line that looks like a prompt begins like a card placed by a player of an odd name."""
        return any(self.line.startswith(name + _PLACES) for name in self.seats)

    def _act(self, action: int, seat: int, line: int | None = None) -> None:
        """Add an act other than a card; it ends the turn."""
        self._check_turn(seat)
        self.acted, self.in_turn, self.is_loose = True, False, False
        self.events.append(Event(action, seat, self.index if line is None else line))

    def _check_turn(self, seat: int) -> None:
        require(not self.is_leaving, *WRONG_OUT)
        is_turn = self.in_turn and seat == self.seat
        require(is_turn, Reason.OUT_OF_ORDER, "is an act of a player whose turn has not begun")

    # ---------------------------------------------------------------- what a turn shows

    def section(self, line: bytes) -> None:
        """What follows the name: CARDS for a computer, GAME for a person."""
        require(line in (b"CARDS", b"GAME"), *NO_LINE)
        fits = (line == b"GAME") == self.humans[self.seat]
        require(fits, Reason.UNPARSABLE, "does not fit the mark: only computers' cards are shown")
        self.expect = Game.hand
        if line == b"GAME":
            self._expect_table()

    def hand(self, line: bytes) -> None:
        """A computer's hand, the first time as it was dealt. [R10] It may be empty: then there is no line."""
        hand = self.hands[self.seat]
        self.expect = Game.heading
        if hand is None:
            self._deal(line)
        elif not hand:
            self.heading(line)
        elif line != b", ".join(hand):
            held = iter(hand)
            for text in self._texts(line):
                require(text == next(held, None), *WRONG_HAND)
            raise Fault(*WRONG_HAND)

    def _deal(self, line: bytes) -> None:
        deal = self.events[1 + self.seat]
        dealt = {code for event in self.events[1 : 1 + len(self.seats)] for code in event.cards}
        texts: list[bytes] = []
        for text in self._texts(line):
            require(len(texts) < len(deal.cards), *WRONG_COUNT)
            require(_CARDS[text].code not in dealt and text not in texts, *DEALT_TWICE)
            texts.append(text)
        require(len(texts) == len(deal.cards), *WRONG_COUNT)
        self.hands[self.seat] = texts
        deal.line, deal.cards = self.index, bytes(_CARDS[text].code for text in texts)

    def _texts(self, line: bytes) -> Iterator[bytes]:
        """The cards of a hand, all of them in the deck."""
        for text in line.split(b", "):
            card = _CARD.match(text)
            if card is None:
                raise Fault(*NO_LINE)
            self._card(card[0])
            yield card[0]
            require(card[0] == text, *NO_LINE)

    def _card(self, text: bytes) -> Card:
        """A card that must be in the deck."""
        card = _CARDS.get(text)
        if card is None or card.suit >= self.seating.suits or card.number > self.seating.ranks:
            raise Fault(*NO_CARD)
        return card

    def heading(self, line: bytes) -> None:
        """The line before the table."""
        require(line == b"GAME", *NO_LINE)
        self._expect_table()

    def _expect_table(self) -> None:
        self.shown = 0
        self.expect = Game.row

    def row(self, line: bytes) -> None:
        """A row of the table, one a suit."""
        suit = self.shown
        if line.rstrip(b" ") != self.rows[suit]:
            is_row = line.startswith(self.rows[suit][:1]) and _ROW.fullmatch(line) is not None
            raise Fault(*(WRONG_TABLE if is_row else NO_LINE))
        self.shown += 1
        if self.shown == self.seating.suits:
            self.shown = 0
            self.expect = Game.order if self.is_over else Game.turn

    # ---------------------------------------------------------------- the end

    def order(self, line: bytes) -> None:
        """``Final Order:``."""
        require(line == b"Final Order:", *NO_LINE)
        self.expect = Game.place

    def place(self, line: bytes) -> None:
        """``1. NAME``."""
        self.shown += 1
        require(line.startswith(b"%d. " % self.shown) and line[3:] in self.seats, *NO_LINE)
        self.add(Action.SCORE_PLACE, self.seats[line[3:]], amount=self.shown)
        if self.shown == len(self.seats):
            self.expect = Game.nothing

    def nothing(self, line: bytes) -> None:
        """A line after the end."""
        raise Fault(Reason.UNPARSABLE, "follows the end of the game, with no mark between")
