"""The transcript of the five-card draw program: its output, and what a human typed.

Here are the lines outside of hands, and the bounds of hands: a hand begins at ``[NEW ROUND]`` (the first one
at the match's first line), and ends with the empty line before the next one or with the match's last line.
docs/formats/five-card-draw-transcript.md describes the format."""

import re
from collections.abc import Iterator
from typing import Final

from cardlog.models.five_card_draw import rules as game
from cardlog.pipelines.readers import transcript
from cardlog.pipelines.readers.base import BOM
from cardlog.pipelines.readers.five_card_draw_transcript import wording as words
from cardlog.pipelines.readers.five_card_draw_transcript.hand import Hand
from cardlog.pipelines.readers.five_card_draw_transcript.match import BROKEN_OFF, GOES_ON, OVER, Match
from cardlog.pipelines.readers.five_card_draw_transcript.wording import ASKS_GAME, ASKS_NAME, NOT_KNOWN
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
            return line.startswith(words.SIGNS)
    return False


@transcript.transcript(game.GAME, FORMAT)
def read(text: Text) -> Iterator[transcript.Hand]:
    """The hands of a text."""
    for part in text.sections:
        yield from _Parser(text, part).parse()


class _Parser:
    """The parser of a section of a text."""

    def __init__(self, text: Text, part: Section) -> None:
        self.text, self.part = text, part
        self.index = part.first  # the line that is handled
        self.prompt = b""  # the question that the line directly follows, without an answer
        self.first: int | None = None  # the first of the lines before a match's first hand
        self.wrong: int | None = None  # one of these lines that can't be read
        self.hand: Hand | None = None  # the hand that the line may belong to
        self.hands: list[transcript.Hand] = []  # including junk
        self.games = 0  # matches so far
        self.next_match()
        self.match.begins = part.begins

    def parse(self) -> list[transcript.Hand]:
        """The hands of the section, and lines that belong to nothing."""
        part = self.part
        self.match.given, self.match.ante = _chips(part, "chips"), _chips(part, "ante")
        if part.context:
            self.match.resume(part.context)
        for self.index in range(part.first, part.stop):
            LINES.handle(self, self.text.lines[self.index])
        self.close(part.stop, at_end=True)
        if self.wrong is not None:
            self.add_junk(self.first, part.stop)
        return self.hands

    # ------------------------------------------------------------ prompts

    @LINES.line(b"(?P<prompt>%b)(?P<typed>.*)" % b"|".join(map(re.escape, words.FOLLOWS)))
    def _asks(self, prompt: bytes, typed: bytes) -> bool:
        """A line that directly follows a question, since input from a pipe is not echoed; what was typed is
        then unknown. False for input that is in the log."""
        after = b"".join(self.text.lines[self.index + 1 : self.index + 2])
        if prompt == ASKS_NAME and after.startswith(words.CHIPS_GIVEN):
            return False  # a name, whatever it looks like
        if typed.endswith(words.TRACEBACK):
            typed = words.TRACEBACK
        elif prompt != ASKS_NAME:
            typed = typed.lstrip(b"0123456789+-_ ")  # a number may be typed without the enter key
        if not typed.startswith(words.FOLLOWS[prompt]):
            return False
        if not self.match.piped and words.CRASH.fullmatch(after):
            return False  # the program has refused it, so it was typed
        self.prompt = prompt
        LINES.handle(self, typed)
        self.prompt = b""
        return True

    # ------------------------------------------------------------ before the first hand

    @LINES.line(
        rb"\[SETUP\] (?:(?P<setting>All players have been given|The ante has been set to) %b chips\.|.*)"
        % words.AMOUNT,
        amount=lambda text: int(text or 0),
    )
    def _sets(self, setting: bytes | None, amount: int) -> None:
        self._sets_up()
        self.match.begins = True
        if setting is None:
            self.wrong = self.index
        elif setting.startswith(b"All"):
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

    def is_before(self) -> bool:
        """Whether the line comes before a match's first hand."""
        return self.match.progress == GOES_ON and not self.match.hands

    def begin_match(self) -> None:
        """Begin another match, unless this one has just begun."""
        self.close(self.index)
        if not self.is_before():
            self.next_match()

    def next_match(self) -> None:
        """Begin another match."""
        self.games += 1
        name = self.part.match_id
        name += f"/{self.games}" if name and self.games > 1 else ""
        self.match = Match(name, settings=self.part.settings)

    # ------------------------------------------------------------ where hands begin and end

    @LINES.line(re.escape(words.NEW_ROUND))
    def _begins_round(self) -> None:
        self.close(self.index)
        if self.match.progress != GOES_ON:
            self.next_match()
        self.open(None)

    def begin_without_mark(self, may_be_first: bool) -> Hand | None:
        """Begin a hand with a line other than ``[NEW ROUND]``, if possible.

        may_be_first
            Whether the first hand of a match may begin with this line.
        """
        self.close(self.index)
        if self.match.progress == GOES_ON and (self.match.hands or may_be_first):
            return self.open(Fault(*words.NO_BEGINNING))
        if self.match.progress == GOES_ON:
            self._sets_up()
            self.wrong = self.index
        elif self.match.progress == OVER or self.text.lines[self.index].startswith(words.TAGS):
            self.add_junk(self.index, self.index + 1)
        return None

    def open(self, fault: Fault | None) -> Hand:
        """Begin a hand: find its players and their chips."""
        match, line = self.match, self.index
        match.hands += 1
        fault = fault if self.wrong is None else Fault(*words.UNREADABLE, self.wrong)
        ahead = range(line + (self.text.lines[line] == words.NEW_ROUND), self.part.stop)
        try:
            match.sit(map(self.text.lines.__getitem__, ahead), fault is None)
        except Fault as error:
            fault = fault or error
        match.left = {}
        hand = self.hand = Hand(match, line if self.first is None else self.first, line)
        self.first = self.wrong = None
        if fault:
            hand.blame(fault)
        return hand

    @LINES.line(b"")
    def _is_blank(self) -> None:
        if self.hand and self.hand.all_stand():
            self.close(self.index + 1)

    @LINES.line(words.CRASH.pattern)
    def _crashes(self) -> None:
        """The program has ended, perhaps at a question."""
        if self.prompt in (ASKS_GAME, ASKS_NAME):
            self.begin_match()
        if self.is_before():
            self.end_match(BROKEN_OFF)
        elif hand := self.hand or self.begin_without_mark(True):
            hand.crashed = True

    @LINES.line(rb"\[END\] (?P<message>.*)")
    def _ends(self, message: bytes) -> bool:
        """The end of a match, also of one in which no hand can be played: the human has no chips, or one
        player sits alone. False for lines that end no match."""
        match, thanks = self.match, message == b"Thanks for playing!"
        if self.is_before():
            lost = match.given == 0 and message.endswith(b", better luck next time.")
            is_set_up = NOT_KNOWN not in (match.given, match.ante)
            is_end = is_set_up and (thanks or lost or message.endswith(b" has won!"))
        else:
            hand = self.hand
            if thanks and hand is None and match.progress == GOES_ON:
                hand = self.begin_without_mark(False)
            is_end = thanks and hand is not None and not hand.crashed
        if is_end and thanks:
            self.end_match(OVER)
        return is_end

    def end_match(self, progress: int) -> None:
        """End a match. Lines that can't be read before its first hand are junk, except for an empty name, at
        which the program crashes."""
        self.close(self.index + 1)
        if self.wrong is not None and not self.text.lines[self.wrong].startswith(ASKS_NAME):
            self.add_junk(self.first, self.index)
        self.first = self.wrong = None
        self.match.progress = progress

    @LINES.line(rb"\[WARNING\] .*")
    def _warns(self) -> None:
        if self.is_before():
            self._sets_up()
        elif self.hand is None and self.match.progress != OVER:
            self.begin_without_mark(False)

    @LINES.line(rb"(?P<line>(?P<stage>.*))", stage=words.stage_of)
    def _is_of_hand(self, line: bytes, stage: int) -> None:
        """Any other line belongs to a hand. It may begin another one without `[NEW ROUND]`, as the deck and
        the button do after standings."""
        hand = self.hand
        begins = line == words.SHUFFLED or line.startswith(words.BUTTON)
        if hand is None or (begins and hand.standing and not hand.crashed):
            hand = self.begin_without_mark(line.startswith(words.BEGINNINGS))
        if hand and not hand.crashed:
            hand.index = self.index
            hand.take(line, stage, self.prompt)

    def close(self, stop: int, at_end: bool = False) -> None:
        """End the open hand, if any, before line `stop`, and note the players' chips; `at_end`: see `end`."""
        hand, match = self.hand, self.match
        if hand is None:
            return
        self.hand = None
        hand.end(stop - 1, at_end)
        hand.cut &= stop == len(self.text)
        self.hands.append(hand)
        match.chips_after({seat: hand.stack[seat] for seat in hand.present}, hand.standing)
        if hand.fault is None:
            match.trusted |= bool(hand.dealt) and not at_end
            match.human = hand.human_name
        elif not match.name:
            hand.match = None

    def add_junk(self, first: int | None, stop: int) -> None:
        """Note lines as junk, together with any junk just before them."""
        start = stop - 1 if first is None else first
        if self.hands and not self.hands[-1].is_hand and self.hands[-1].last == start - 1:
            self.hands[-1].last = stop - 1
        else:
            fault = Fault(*words.OUTSIDE, start)
            self.hands.append(transcript.Hand(None, 0, start, stop - 1, fault=fault, is_hand=False))


def _chips(part: Section, name: str) -> int:
    """A number of chips in a mark, or `NOT_KNOWN`."""
    text = part.settings.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else NOT_KNOWN
