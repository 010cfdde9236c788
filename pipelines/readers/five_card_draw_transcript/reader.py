"""The transcript of the five-card draw program: its output, and what a human typed.

Here are the lines outside of hands, and where hands begin and end: at ``[NEW ROUND]`` (the first one at the
match's first line), and with the empty line before the next one or with the match's last line.
docs/formats/five-card-draw-transcript.md describes the format."""

import re
from collections.abc import Iterator
from typing import Final

from cardlog.models.five_card_draw import rules as game
from cardlog.pipelines.readers import transcript
from cardlog.pipelines.readers.base import BOM
from cardlog.pipelines.readers.five_card_draw_transcript import lines as words
from cardlog.pipelines.readers.five_card_draw_transcript.hand import Hand
from cardlog.pipelines.readers.five_card_draw_transcript.lines import (
    AMOUNT,
    ASKS_GAME,
    ASKS_NAME,
    HAND_LINES,
    NOT_KNOWN,
)
from cardlog.pipelines.readers.five_card_draw_transcript.match import BROKEN_OFF, GOES_ON, OVER, Match
from cardlog.pipelines.readers.transcript import SPLIT_AT, Fault, LineTable, Section, Text, is_mark

__all__ = ["SPLIT_AT"]

FORMAT: Final = "five-card-draw-transcript"
GAMES: Final = (game.GAME,)
LINE_PER_HAND: Final = False
SUMMARY: Final = "what the five-card draw program prints, games separated by marks"
LINES: Final = LineTable()


def sniff(head: bytes) -> bool:
    """Whether the first bytes of a file look like this format."""
    for line in head.removeprefix(BOM).split(b"\n"):
        if line.strip() and not is_mark(line):
            return line.startswith((ASKS_GAME, ASKS_NAME, words.SETUP, words.NEW_ROUND))
    return False


@transcript.transcript(game.GAME, FORMAT)
def read(text: Text) -> Iterator[transcript.Hand]:
    """The hands of a text."""
    parser = _Parser(text)
    for part in text.sections:
        parser.parse(part)
        yield from parser.hands
        parser.hands = []
    yield from parser.junk


class _Parser:
    """The parser of a text."""

    def __init__(self, text: Text) -> None:
        self.text, self.index = text, 0  # the line that is handled
        self.part, self.games = text.sections[0], 0  # the section, and its matches so far
        self.match = Match()
        self.prompt = b""  # the question that the line directly follows, without an answer
        self.first: int | None = None  # the first line before a match's first hand
        self.wrong: int | None = None  # one of these lines that can't be read
        self.hand: Hand | None = None  # the hand that the line may belong to
        self.hands: list[Hand] = []
        self.junk: list[transcript.Hand] = []

    def parse(self, part: Section) -> None:
        """Parse a section of the text."""
        self.part, self.games, self.first, self.wrong = part, 0, None, None
        self.next_match()
        self.match.given, self.match.ante = _chips(part, "chips"), _chips(part, "ante")
        if part.context:
            self.match.resume(part.context)
        for self.index in range(part.first, part.stop):
            LINES.handle(self, self.text.lines[self.index])
        if self.hand:
            self.close(part.stop, part.stop == len(self.text))
        elif self.wrong is not None:
            self.add_junk(self.first, part.stop)

    # ------------------------------------------------------------ prompts

    @LINES.line(b"(?P<prompt>%b)(?P<typed>.*)" % b"|".join(map(re.escape, words.FOLLOWS)))
    def _asks(self, prompt: bytes, typed: bytes) -> bool:
        """What directly follows a question. Input from a pipe is not echoed: the next line follows, and what
        was typed is unknown. False for input that is in the log."""
        rest = self.text.lines[self.index + 1 : self.index + 2]
        after = rest[0] if rest else b""
        if typed.endswith(words.TRACEBACK) and (
            prompt != ASKS_NAME or not rest or after.startswith(b"  File ")
        ):
            self._crashes(prompt)
            return True
        if prompt != ASKS_NAME:
            typed = typed.lstrip(b"0123456789+-_ ")  # a number may be typed without the enter key
        elif after.startswith(words.CHIPS_GIVEN):
            return False  # a name that looks like the chips, which come next
        if not typed.startswith(words.FOLLOWS[prompt]):
            return False
        if not self.match.piped and words.is_traceback(after):
            return False  # the program has refused it, so it was typed
        self.prompt = prompt
        LINES.handle(self, typed)
        self.prompt = b""
        return True

    # ------------------------------------------------------------ before the first hand

    @LINES.line(
        rb"\[SETUP\] (?:(?P<what>All players have been given|The ante has been set to) %b chips\.|.*)"
        % AMOUNT,
        amount=lambda text: int(text or 0),
    )
    def _sets(self, what: bytes | None, amount: int) -> None:
        self._sets_up()
        if what is None:
            self.wrong = self.index
        elif what.startswith(b"All"):
            self.match.given = amount
        else:
            self.match.ante = amount

    @LINES.line(re.escape(ASKS_NAME) + b"(?P<name>.*)")
    def _asks_name(self, name: bytes) -> None:
        self._sets_up()
        self.match.human = name
        if not name:
            self.wrong = self.index

    @LINES.line(re.escape(ASKS_GAME) + b".*")
    def _sets_up(self) -> None:
        self.begin_match()
        if self.first is None:
            self.first = self.index
        if self.prompt == ASKS_NAME:
            self.match.piped = True

    def begin_match(self) -> None:
        """Begin another match, unless this one has just begun."""
        if self.hand:
            self.close(self.index)
        if self.match.progress != GOES_ON or self.match.hands:
            self.next_match()

    def next_match(self) -> None:
        """Begin another match."""
        self.games += 1
        name = self.part.match_id
        self.match = Match(
            f"{name}/{self.games}" if name and self.games > 1 else name, settings=self.part.settings
        )

    # ------------------------------------------------------------ where hands begin and end

    @LINES.line(re.escape(words.NEW_ROUND))
    def _begins_round(self) -> None:
        if self.hand:
            self.close(self.index)
        if self.match.progress != GOES_ON:
            self.next_match()
        self.open(None)

    def begin_anew(self, begins: bool, is_readable: bool = False) -> Hand | None:
        """What a line of a hand begins, without ``[NEW ROUND]``: a hand, or nothing.

        begins, is_readable
            Whether the first hand of a match may begin with it, or it may come before.
        """
        if self.hand:
            self.close(self.index)
        match, line = self.match, self.text.lines[self.index]
        if match.progress == OVER or (match.progress == BROKEN_OFF and line.startswith(words.TAGS)):
            self.add_junk(self.index, self.index + 1)
        elif match.progress == GOES_ON and (match.hands or begins):
            return self.open(Fault(*words.NO_BEGINNING))
        elif match.progress == GOES_ON:
            self.first = self.index if self.first is None else self.first
            self.wrong = self.wrong if is_readable else self.index
        return None

    def open(self, fault: Fault | None) -> Hand:
        """Begin a hand: find its players and their chips."""
        match, line = self.match, self.index
        match.hands += 1
        if self.wrong is not None:
            fault = Fault(*words.UNREADABLE, self.wrong)
        dealer, wrong = match.sit(self.text.lines, range(line, self.part.stop), fault is None)
        match.left = []
        hand = self.hand = Hand(match, dealer, line if self.first is None else self.first, line)
        self.first = self.wrong = None
        if fault is None and wrong:
            fault = Fault(*wrong)
        if fault:
            hand.blame(fault)
        return hand

    @LINES.line(b"")
    def _is_blank(self) -> None:
        if self.hand and self.hand.all_stand():
            self.close(self.index + 1)

    @LINES.line(rb"(?:\^.*)?" + re.escape(words.TRACEBACK))
    def _crashes(self, prompt: bytes = b"") -> None:
        """The program has ended, perhaps at a question."""
        if prompt in (ASKS_GAME, ASKS_NAME):
            self.begin_match()
        if self.hand is None and self.match.progress == BROKEN_OFF:
            return
        if self.hand is None and self.match.progress == GOES_ON and not self.match.hands:
            self.end_without_hands(BROKEN_OFF)
            return
        hand = self.hand or self.begin_anew(True)
        if hand and not hand.crashed:
            hand.is_asked(prompt)
            hand.crashed = True

    @LINES.line(rb"\[END\] (?P<what>.*)")
    def _ends(self, what: bytes) -> bool:
        """The end of a match, also of one in which no hand can be played: the human has no chips, or one
        player sits alone. False for what ends no match."""
        match, thanks = self.match, what == b"Thanks for playing!"
        if self.hand or (match.progress == GOES_ON and match.hands):
            hand = self.hand or self.begin_anew(False)
            is_over = thanks and hand is not None and not hand.crashed
            if is_over:
                self.close(self.index + 1, progress=OVER)
            return is_over
        if match.progress != GOES_ON or NOT_KNOWN in (match.given, match.ante):
            return False
        if thanks:
            self.end_without_hands(OVER)
        lost = match.given == 0 and what.endswith(b", better luck next time.")
        return thanks or lost or what.endswith(b" has won!")

    def end_without_hands(self, progress: int) -> None:
        """End a match before its first hand. Lines of it that can't be read are junk, but for an empty name,
        at which the program crashes."""
        if self.wrong is not None and not self.text.lines[self.wrong].startswith(ASKS_NAME):
            self.add_junk(self.first, self.index)
        self.first = self.wrong = None
        self.match.progress = progress

    @LINES.line(rb"\[WARNING\] .*")
    def _warns(self) -> None:
        if self.hand is None and self.match.progress != OVER:
            self.begin_anew(False, is_readable=True)

    def close(self, stop: int, at_end: bool = False, progress: int = GOES_ON) -> None:
        """End the open hand before line `stop`, and note the players' chips."""
        hand, match = self.hand, self.match
        assert hand is not None
        self.hand = None
        hand.end(stop - 1, at_end)
        self.hands.append(hand)
        match.progress = progress
        match.chips_after({seat: hand.chips(seat) for seat in hand.present}, hand.standing)
        if hand.fault is None:
            match.trusted |= bool(hand.dealt) and not at_end
            match.human = hand.human_name
        elif not match.name:
            hand.match = None

    def add_junk(self, first: int | None, stop: int) -> None:
        """Note lines as junk, joined with junk just before them."""
        start = stop - 1 if first is None else first
        if self.junk and self.junk[-1].last == start - 1:
            self.junk[-1].last = stop - 1
        else:
            fault = Fault(*words.OUTSIDE, start)
            self.junk.append(transcript.Hand(None, 0, start, stop - 1, fault=fault, is_hand=False))


LINES.kinds += HAND_LINES.kinds


def _chips(part: Section, name: str) -> int:
    """A number of chips in a mark."""
    text = part.settings.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else NOT_KNOWN
