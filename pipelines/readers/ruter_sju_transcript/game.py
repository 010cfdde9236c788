"""The lines of a game of Ruter Sju, and the events that they report.

The hands and tables that turns show are checked against the cards placed so far, so a line that is lost,
repeated or damaged is noticed. Whether the rules allow what was done is judged later.
"""

import re
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from cardlog.models.ruter_sju.state import CARD_OF, RANKS, SUITS, middle
from cardlog.pipelines.readers.ruter_sju_transcript.seating import (
    PROMPTS,
    SUIT,
    SUIT_WORDS,
    Seating,
    hand_sizes,
)
from cardlog.pipelines.readers.transcript import Event, Fault, Hand, LineTable, Match, require
from cardlog.schemas.cards import UNKNOWN
from cardlog.schemas.events import NO_SEAT, Action
from cardlog.schemas.reasons import Reason

NO_LINE: Final = (Reason.UNPARSABLE, "is not what the program prints there")
WRONG_HAND: Final = (Reason.OUT_OF_ORDER, "shows a hand that contradicts the cards placed so far")
WRONG_TABLE: Final = (Reason.OUT_OF_ORDER, "shows a table that contradicts the cards placed so far")
WRONG_OUT: Final = (Reason.OUT_OF_ORDER, "contradicts the cards placed so far on whether a player is out")
WRONG_COUNT: Final = (Reason.INCOMPLETE, "shows a wrong number of cards")
DEALT_TWICE: Final = (Reason.DUPLICATE_CARD, "shows a card that was dealt before")
MAY_BE_TORN: Final = (NO_LINE, WRONG_HAND, WRONG_TABLE, WRONG_COUNT, DEALT_TWICE)
"""What may be wrong with a line whose end is torn off, besides a card that is not in the deck."""

LINES: Final = LineTable()
_ASKS_CARD: Final = PROMPTS[1]
_PLACES: Final = b" places "
_CARD: Final = re.compile(rb"\d{1,4} of (?!" + SUIT + rb"[a-z0-9])[a-z0-9]+")
_ROW: Final = re.compile(rb".:[ 0-9]*")


Check = tuple[Callable[..., None], Any]
"""A method that checks the next line, and what that line must show."""


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
    """A game, and the parser of its lines. Its events begin with the opening and the deals; cards are unknown
    until they are shown."""

    def __init__(
        self, seating: Seating, match: Match, number: int, first: int, last: int, context: dict[str, Any]
    ) -> None:
        super().__init__(match, number, first, last, context=context, index=first)
        self.seating, self.humans = seating, seating.humans
        self.seats = {name: seat for seat, name in enumerate(seating.names)}
        self.centre = middle(seating.ranks)
        self.deck = {
            text: card
            for text, card in _CARDS.items()
            if card.suit < seating.suits and card.number <= seating.ranks
        }
        self.left = hand_sizes(seating.suits * seating.ranks, len(self.seats))
        self.events = [Event(Action.DEAL_OPEN, line=first, detail=seating.detail)]
        for seat, size in enumerate(self.left):
            self.add(Action.DEAL_HAND, seat, bytes([UNKNOWN] * size))
        self.hands: list[list[bytes] | None] = [None] * len(self.seats)  # computers' cards, once shown
        self.table = [[b"", b"", b""] for _ in range(seating.suits)]  # low, middle and high card, as shown
        self.out = 0
        self.seat = NO_SEAT  # the seat whose turn began last
        self.turn_index = first  # the line in which it began
        self.in_turn = self.acted = False  # whether this seat may act, and has
        self.is_leaving = False  # whether the next line must say that it is out
        self.is_unanswered = False  # whether it was asked to go on, and no answer is shown
        self.is_loose = False  # whether taking the block has no effect
        self.is_over = False
        self.coming: list[Check] = []  # those of the next lines
        self.line = b""

    def _card(self, text: bytes) -> Card:
        """A card of this deck. Raises Fault for any other."""
        suits = ", ".join(word.decode() for word in SUIT_WORDS[: self.seating.suits])
        what = f"names a card that is not in this deck, which has 1 to {self.seating.ranks} of {suits}"
        require(text in self.deck, Reason.UNKNOWN_CARD, what)
        return self.deck[text]

    def parse(self, lines: list[bytes], indices: list[int]) -> None:
        """Parse the lines with these indices. Raises the `Fault` of the line `index`."""
        try:
            for self.index in indices:
                rest = lines[self.index]
                while rest:
                    is_asked = not self.coming and rest.startswith(PROMPTS)
                    self.line = self._without_next(rest) if is_asked else rest
                    rest = rest[len(self.line) :]
                    if self.is_unanswered and not self.line.startswith(_ASKS_CARD[:-1]):
                        self._act(Action.PLAY_PASS, self.seat)  # the answer was empty, which means no
                    self.is_unanswered = False
                    self._take(self.line)
        finally:
            for deal in self.events[1 : 1 + len(self.seats)]:
                if deal.line == self.index:  # the line may be torn, and nobody has acted on the hand
                    deal.cards = bytes([UNKNOWN] * len(deal.cards))

    def _without_next(self, line: bytes) -> bytes:
        """A prompt without the line that directly follows it, since input from a file is not echoed."""
        for prompt in PROMPTS:
            if line.startswith(prompt) and self._may_follow(prompt, line[len(prompt) :]):
                return prompt
        return line

    def _may_follow(self, prompt: bytes, line: bytes) -> bool:
        if prompt == _ASKS_CARD:
            name = self.seating.names[max(self.seat, 0)]
            places = line.startswith(name + _PLACES) and line[len(name + _PLACES) :].endswith(b"...")
            return places or line in (name + b" takes the block...", b"Going back to last player input...")
        names = (line.removesuffix(end) for end in (b":", b" is blocked...") if line.endswith(end))
        return line.startswith(_ASKS_CARD) or any(name in self.seats for name in names)

    def _take(self, line: bytes) -> None:
        """Handle the next line of what a turn shows, or else a line that begins a turn, or an act."""
        if self.coming:
            check, expected = self.coming[0]
            check(self, line, expected)
            self.coming.pop(0)
        else:
            require(not self.is_over, Reason.UNPARSABLE, "follows the end of the game, with no mark between")
            require(LINES.handle(self, line), *NO_LINE)

    # ---------------------------------------------------------------- lines in and between turns

    @LINES.line(rb"(?P<name>.*):")
    def _begins(self, name: bytes) -> bool:
        if name not in self.seats:
            return False
        self._check_last_turn()
        self.seat, self.turn_index = self.seats[name], self.index
        self.in_turn, self.acted = True, False
        is_human, hand = self.humans[self.seat], self.hands[self.seat]
        self.coming = [(Game._begins_to_show, b"GAME" if is_human else b"CARDS")]
        if hand != [] and not is_human:  # [R10] there is no line for an empty hand
            self.coming += [(Game._shows_hand, hand)]
        self.coming += [*([] if is_human else [(Game._is_line, b"GAME")]), *self._rows()]
        return True

    def _check_last_turn(self) -> None:
        """Check that the last turn is over. [R10] A computer may have passed, for which the program prints
        nothing: it does not hold the first card, which is not placed yet."""
        hand = self.hands[self.seat] if self.in_turn and not self.acted else None
        first = b"%d of %s" % (self.centre, SUIT_WORDS[0])
        if hand is not None and not self.table[0][1] and first not in hand:
            self._act(Action.PLAY_PASS, self.seat, self.turn_index)
        require(not self.is_leaving, *WRONG_OUT)
        is_idle = self.in_turn and not self.acted
        require(not is_idle, Reason.INCOMPLETE, "comes before the act of the last turn")

    @LINES.line(rb"(?P<name>.*) places (?P<text>" + _CARD.pattern + rb")\.\.\.")
    def _places_card(self, name: bytes, text: bytes) -> bool:
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
        self.left[seat] -= 1
        # [R10] A computer whose only card is the first one placed is not out.
        is_first = card.suit == 0 and card.number == self.centre and not self.humans[seat]
        self.out += self.left[seat] == 0 and not is_first
        self.acted, self.is_loose = True, False
        self.in_turn = card.number in (1, self.seating.ranks)  # it may go on after an end card
        self.is_leaving = self.left[seat] == 0
        return True

    @LINES.line(rb"(?P<name>.*) (?P<act>takes the block\.\.\.|is blocked\.\.\.|is out!)")
    def _acts(self, name: bytes, act: bytes) -> bool:
        if name not in self.seats:
            return False
        seat = self.seats[name]
        if act == b"takes the block...":
            self._act(Action.PLAY_PASS if self.is_loose else Action.PLAY_BLOCK, seat)
        elif act == b"is blocked...":
            self._check_last_turn()
            self.in_turn = False
            self.add(Action.PLAY_BLOCKED, seat)
        else:
            require(self.is_leaving and seat == self.seat, *WRONG_OUT)
            self.is_leaving = self.in_turn = False
        return True

    @LINES.line(rb"GAME OVER")
    def _ends(self) -> None:
        require(not self.is_leaving, *WRONG_OUT)
        require(self.out >= len(self.seats), Reason.OUT_OF_ORDER, "ends the game before all players are out")
        self.is_over = True
        places = [(Game._takes_place, place) for place in range(1, len(self.seats) + 1)]
        self.coming = [*self._rows(), (Game._is_line, b"Final Order:"), *places]

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
        """Whether the program may ask, as it is a person's turn."""
        is_turn = self.seat != NO_SEAT and self.in_turn and not self.is_leaving
        return is_turn and self.humans[self.seat] and not self._is_garbled()

    def _is_garbled(self) -> bool:
        """Whether a line that looks like a prompt begins like a card placed by a player with an odd name."""
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

    # ---------------------------------------------------------------- what a turn shows, and the end

    def _rows(self) -> list[Check]:
        return [(Game._shows_row, suit) for suit in range(self.seating.suits)]

    def _is_line(self, line: bytes, expected: bytes) -> None:
        require(line == expected, *NO_LINE)

    def _begins_to_show(self, line: bytes, expected: bytes) -> None:
        """The line after the name: CARDS for a computer, GAME for a person."""
        require(line in (b"CARDS", b"GAME"), *NO_LINE)
        require(line == expected, Reason.UNPARSABLE, "does not fit the mark: only computers' cards are shown")

    def _shows_hand(self, line: bytes, hand: list[bytes] | None) -> None:
        """A computer's hand; the first one that is shown is the one it was dealt."""
        if hand is not None and line == b", ".join(hand):
            return
        texts = line.split(b", ")
        for index, text in enumerate(texts):
            card = _CARD.match(text)
            if card is None:
                raise Fault(*NO_LINE)
            self._card(card[0])
            require(hand is None or hand[index : index + 1] == [card[0]], *WRONG_HAND)
            require(card[0] == text, *NO_LINE)
        require(hand is None, *WRONG_HAND)
        deal = self.events[1 + self.seat]
        codes = bytes(self.deck[text].code for text in texts)
        dealt = b"".join(event.cards for event in self.events[1 : 1 + len(self.seats)])
        require(len({*codes}) == len(codes) and {*codes}.isdisjoint(dealt), *DEALT_TWICE)
        require(len(codes) == len(deal.cards), *WRONG_COUNT)
        self.hands[self.seat] = texts
        deal.line, deal.cards = self.index, codes

    def _shows_row(self, line: bytes, suit: int) -> None:
        """A row of the table, the one of a suit."""
        letter = SUIT_WORDS[suit][:1]
        if line.rstrip(b" ") != letter + b":" + b"".join(self.table[suit]):
            is_row = line.startswith(letter) and _ROW.fullmatch(line) is not None
            raise Fault(*(WRONG_TABLE if is_row else NO_LINE))

    def _takes_place(self, line: bytes, place: int) -> None:
        """``1. NAME``."""
        require(line.startswith(b"%d. " % place) and line[3:] in self.seats, *NO_LINE)
        self.add(Action.SCORE_PLACE, self.seats[line[3:]], amount=place)
