"""The transcript of the five-card draw program: its output, and what a human typed.

Compiled code finds the hands and parses them; here they get ids and openings, or a message on what is wrong.
docs/formats/five-card-draw-transcript.md describes the format."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from cardlog.models.five_card_draw import rules as game
from cardlog.models.five_card_draw.state import SEATS
from cardlog.pipelines.readers.base import Read, Reject, Source
from cardlog.pipelines.readers.five_card_draw_transcript import faults, state
from cardlog.pipelines.readers.five_card_draw_transcript.hands import SECTION, find_hands
from cardlog.pipelines.readers.five_card_draw_transcript.lines import NONE, Text
from cardlog.pipelines.readers.five_card_draw_transcript.openings import Openings, new_parser, resume
from cardlog.pipelines.readers.five_card_draw_transcript.state import Output
from cardlog.pipelines.readers.scan import BOM, line_bounds
from cardlog.pipelines.readers.transcript import (
    FOUND,
    SPLIT_AT,
    Findings,
    OnDemand,
    Section,
    context_of,
    hand_ids,
    is_mark,
    read_of,
    read_whole_lines,
    sections,
)
from cardlog.schemas.reasons import Reason

__all__ = ["SPLIT_AT"]

FORMAT: Final = "five-card-draw-transcript"
GAMES: Final = (game.GAME,)
LINE_PER_HAND: Final = False
SUMMARY: Final = "what the five-card draw program prints, games separated by marks"

MOST_SHOWN: Final = 100
"""Characters of a line that a message shows."""
_FIRST_WORDS: Final = (
    b"Press 1 to play, or 0 to spectate.",
    b"What's your name?",
    b"[SETUP] ",
    b"[NEW ROUND]",
)


def sniff(head: bytes) -> bool:
    """Whether the first bytes of a file look like this format."""
    for line in head.removeprefix(BOM).split(b"\n"):
        if line.strip() and not is_mark(line):
            return line.startswith(_FIRST_WORDS)
    return False


def read(text: bytes, source: Source, first_line: int = 1) -> list[Read]:
    """The hands of a text; its first line has the number `first_line`."""
    return read_whole_lines(_read_lines, text, source, first_line)


def _read_lines(text: bytes, source: Source, first_line: int) -> Read:
    """The hands of a text of whole lines."""
    return _Transcript(text, source, first_line).read()


class _Transcript:
    """One text, parsed."""

    def __init__(self, text: bytes, source: Source, first_line: int) -> None:
        self.text = text
        self.source = source
        self.first_line = first_line
        parts = sections(text, source, first_line)
        context = parts[0].context
        parser, names = resume(context, len(text)) if context else (new_parser(), b"")
        self.starts, self.ends = line_bounds(np.frombuffer(text, np.uint8))
        if len(self.starts):
            self.starts[0] = parts[0].start if context else len(BOM) if text.startswith(BOM) else 0
        rows = self._rows(parts)
        output = self._output()
        buffer = text + names
        lines = Text(np.frombuffer(buffer, np.uint8), self.starts, self.ends)
        find_hands(lines, rows, parser[0], state.blank_states(), output)
        self.matches: list[str] = []
        self.settings: list[dict[str, str]] = []
        for part, last in zip(parts, rows["match"].tolist(), strict=True):
            games = last + 1 - len(self.matches)
            self.matches += [_name(part.match_id, number) for number in range(games)]
            self.settings += [part.settings] * games
        self.hands = output.hands[: parser[0]["hands"]]
        self.events = output.events[: parser[0]["events"]]
        self.junk = output.junk[: parser[0]["junk"]]
        self.openings = Openings(buffer, self.hands, self.settings)

    def _rows(self, parts: list[Section]) -> NDArray[np.void]:
        """The sections of the text, by their lines."""
        rows = np.zeros(len(parts), SECTION)
        rows["first"] = [part.first_line - self.first_line for part in parts]
        rows["stop"] = self.starts.searchsorted([part.end for part in parts])
        for name, key in (("given", "chips"), ("ante", "ante")):
            rows[name] = [_chips(part.settings.get(key, "")) for part in parts]
        return rows

    def _output(self) -> Output:
        """Buffers for the results: a line can begin a hand, and add two events, or at the deal one for each
        seat."""
        count = len(self.starts)
        deals = self.text.count(b"Hands have been dealt.")
        return Output(
            np.zeros(count + 1, state.HAND),
            np.empty(3 * count + SEATS * deals + 1, game.EVENT),
            np.zeros((count + 1, 2), np.int32),
        )

    def read(self) -> Read:
        """The result of parsing the text."""
        wrong = self.hands["wrong"] != faults.FINE
        good, bad = np.flatnonzero(~wrong), np.flatnonzero(wrong)
        events = self.events
        offsets = np.append(self.hands["first_event"][good], len(events)).astype(np.int64)
        events["detail"][offsets[:-1]] = np.arange(len(good))
        events["line"] += self.first_line
        rejects = [self._reject(hand) for hand in bad.tolist()]
        rejects += [self._junk_reject(first, last) for first, last in self.junk.tolist()]
        in_hands = int((self.hands["last"] - self.hands["first"]).sum())
        in_junk = int((self.junk[:, 1] - self.junk[:, 0]).sum())
        findings = Findings(
            self._found(self.hands[good]),
            self.matches,
            events,
            offsets,
            [self.openings.detail(hand) for hand in good.tolist()],
            OnDemand(len(good), lambda hand: self.openings.context(int(good[hand]))),
            lines_read=len(self.starts),
            other_lines=len(self.starts) - in_hands - in_junk,
            rejects=rejects,
        )
        return read_of(game.GAME, FORMAT, self.source, self.text, findings)

    def _found(self, hands: NDArray[np.void]) -> NDArray[np.void]:
        found = np.zeros(len(hands), FOUND)
        offsets = np.append(self.starts, len(self.text))
        for name in ("match", "number", "cut"):
            found[name] = hands[name]
        found["start"] = offsets[hands["first"]]
        found["end"] = offsets[hands["last"]]
        found["first_line"] = hands["first"] + self.first_line
        found["last_line"] = hands["last"] + self.first_line - 1
        return found

    def _raw(self, first: int, last: int) -> bytes:
        """The text from line `first` to before line `last`."""
        start, end = (
            int(self.starts[line]) if line < len(self.starts) else len(self.text) for line in (first, last)
        )
        return self.text[start:end]

    def _reject(self, number: int) -> Reject:
        hand = self.hands[number]
        fault, line = int(hand["wrong"]), int(hand["wrong_line"])
        if fault in faults.OF_HANDS:
            reason, sentence = faults.OF_HANDS[fault]
        else:
            reason, words = faults.OF_LINES[fault]
            shown = self.text[self.starts[line] : self.ends[line]].decode("utf-8", "backslashreplace")
            shown = repr(shown) if len(shown) <= MOST_SHOWN else f"{shown[:MOST_SHOWN]!r} and more"
            sentence = f"Line {line + self.first_line} {words}: {shown}."
        match, hand_no = self.matches[hand["match"]], int(hand["number"])
        hand_id = None
        if match:
            hand_id = hand_ids(FORMAT, self.source, [match], np.array([hand_no], np.int32))[0].decode()
        first, last = int(hand["first"]), int(hand["last"])
        return Reject(
            reason,
            sentence,
            self._raw(first, last),
            first + self.first_line,
            last + self.first_line - 1,
            hand_id,
            game.GAME,
            context_of(match, hand_no, self.openings.context(number)),
        )

    def _junk_reject(self, first: int, last: int) -> Reject:
        sentence = "These lines are outside of any hand, and the program does not print them there."
        lines = first + self.first_line, last + self.first_line - 1
        return Reject(Reason.UNPARSABLE, sentence, self._raw(first, last), *lines, None, game.GAME)


def _name(match_id: str, number: int) -> str:
    """The name of a match by its number in the section; only the first one has a mark of its own."""
    return f"{match_id}/{number + 1}" if match_id and number else match_id


def _chips(text: str) -> int:
    """A number of chips in a mark."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else NONE
