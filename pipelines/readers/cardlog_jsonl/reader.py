"""cardlog-jsonl: our own format, one event a line, as docs/formats/cardlog-jsonl.md describes it.

`jsonl_lines` reads the lines. Here they are gathered to hands, because hands of several tables may
be interleaved, and what is no hand is told why. `jsonl_stream` does so for a text that comes in blocks.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from cardlog import models
from cardlog.models.compiled import compiled
from cardlog.pipelines.readers.base import Read, Reject, Source, hand_name
from cardlog.pipelines.readers.cardlog_jsonl.fallback import Details, LeftLines, NotSo, shown
from cardlog.pipelines.readers.cardlog_jsonl.lines import (
    BLANK,
    BROKEN,
    CARDS_TEXT,
    GAME_TEXT,
    HAND_TEXT,
    LEFT,
    MATCH_TEXT,
    MOST_EVENTS,
    NO_SEQ,
    WRONG,
    Bytes,
    Lines,
    Places,
    distinct,
    no_lines,
    read_plain,
)
from cardlog.pipelines.readers.scan import BOM, line_bounds
from cardlog.pipelines.storage.batch import NO_MATCH, Batch
from cardlog.schemas.cards import RANK_OF_BYTE, SUIT_OF_BYTE, SUIT_STRIDE, UNKNOWN
from cardlog.schemas.reasons import Reason

if TYPE_CHECKING:
    from cardlog.pipelines.readers.cardlog_jsonl.stream import HandsInBlocks

FORMAT: Final = "cardlog-jsonl"
GAMES: Final = tuple(models.GAMES)
LINE_PER_HAND: Final = False
SUMMARY: Final = "any game's events, one a line, as any game server can write them"

_ZERO, _NINE, _A, _F, _HIDDEN = b"09af?"

FirstPass = Callable[[Bytes, Places, Places, bool, Lines], None]


def sniff(head: bytes) -> bool:
    """Whether a file that begins so looks like this format."""
    first = (line.lstrip() for line in head.removeprefix(BOM).split(b"\n"))
    return any(line.startswith(b"{") and b'"hand_id"' in line and b'"kind"' in line for line in first)


def read(text: bytes, source: Source, first_line: int = 1) -> list[Read]:
    """The hands of a text, one `Read` a game; the first also has what is wrong."""
    return read_with(read_plain, text, source, first_line)


def in_blocks(source: Source) -> "HandsInBlocks":
    """What reads a text that comes in blocks."""
    from cardlog.pipelines.readers.cardlog_jsonl.stream import HandsInBlocks

    return HandsInBlocks(source)


def read_with(first_pass: FirstPass, text: bytes, source: Source, first_line: int = 1) -> list[Read]:
    """See `read`; `first_pass` reads what lines it likes and leaves the others to Python."""
    return gathered(text, source, np.zeros(0, np.int64), first_line, first_pass).reads()


def gathered(
    text: bytes, source: Source, numbers: Places, first_line: int, first_pass: FirstPass = read_plain
) -> "Gathered":
    """The lines of a text, gathered to hands.

    numbers
        Numbers in the file of the lines that it begins with; the others are numbered from `first_line`.
    """
    buffer = np.frombuffer(text, np.uint8)
    starts, ends = line_bounds(buffer)
    if text.startswith(BOM):
        starts[0] += len(BOM)
    lines = no_lines(len(starts))
    first_pass(buffer, starts, ends, is_utf8(text), lines)
    details = Details()
    details.read(text, lines)
    left = LeftLines(len(text), details)
    for number in np.flatnonzero(lines["state"] == LEFT).tolist():
        left.read(lines[number : number + 1], number, text[starts[number] : ends[number]])
    if left.pieces:
        buffer = np.frombuffer(b"".join([text, *left.pieces]), np.uint8)
    hands = _gather(buffer, lines)
    all_numbers = np.append(numbers, first_line + np.arange(len(starts) - len(numbers)))
    return Gathered(
        text, starts, ends, buffer, lines, details.texts, left.problems, hands, source, all_numbers
    )


def is_utf8(text: bytes) -> bool:
    """Whether a text is UTF-8."""
    if text.isascii():
        return True
    try:
        text.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


# ---------------------------------------------------------------- hands


@dataclass
class Hands:
    """The lines gathered to hands, which are numbered in the order they begin.

    order, bounds
        The lines of a hand are ``order[bounds[hand] : bounds[hand + 1]]``, in the file's order.
    verdicts, at
        What is wrong with a hand, and the line that shows it: shape (hands,).
    most_cards
        Cards of the line that has most: shape (hands,).
    games, game_lines
        The number of each hand's game as its first line has it, -1 if it has none: shape (hands,);
        and for each number a line that has it. Likewise matches.
    """

    order: Places
    bounds: Places
    verdicts: NDArray[np.int8]
    at: Places
    most_cards: NDArray[np.int32]
    games: NDArray[np.int32]
    game_lines: Places
    matches: NDArray[np.int32]
    match_lines: Places

    def __len__(self) -> int:
        return len(self.verdicts)

    def lines(self, hand: int) -> Places:
        """The lines of a hand."""
        return self.order[self.bounds[hand] : self.bounds[hand + 1]]

    @property
    def firsts(self) -> Places:
        """The first line of each hand."""
        return self.order[self.bounds[:-1]]

    @property
    def lasts(self) -> Places:
        """The last line of each hand."""
        return self.order[self.bounds[1:] - 1]


_FINE, _HAS_WRONG, _MIXED_GAME, _MIXED_MATCH, _MIXED_HAND_NO, _MIXED_SEQ, _BAD_SEQ, _TOO_LONG = range(8)
"""Verdicts on a hand."""


def _gather(buffer: Bytes, lines: Lines) -> Hands:
    """Find the lines of each hand, and whether they are one hand."""
    of_line, firsts = distinct(buffer, lines, HAND_TEXT)
    games, game_lines = distinct(buffer, lines, GAME_TEXT)
    matches, match_lines = distinct(buffer, lines, MATCH_TEXT)
    hands = len(firsts)
    bounds = np.append(0, np.cumsum(np.bincount(of_line[of_line >= 0], minlength=hands)))
    order = np.empty(bounds[-1], np.int64)
    _sort(of_line, bounds[:-1].copy(), order)
    verdicts = np.zeros(hands, np.int8)
    at = np.zeros(hands, np.int64)
    most_cards = np.zeros(hands, np.int32)
    _check(lines, games, matches, order, bounds, verdicts, at, most_cards)
    begin = order[bounds[:-1]]
    return Hands(
        order, bounds, verdicts, at, most_cards, games[begin], game_lines, matches[begin], match_lines
    )


@compiled
def _sort(of_line: NDArray[np.int32], places: Places, order: Places) -> None:
    """Put the lines of each hand together, in the order of the file."""
    for number in range(len(of_line)):
        hand = of_line[number]
        if hand >= 0:
            order[places[hand]] = number
            places[hand] += 1


@compiled
def _check(
    lines: Any, games: Any, matches: Any, order: Any, bounds: Any, verdicts: Any, at: Any, most_cards: Any
) -> None:
    """Whether the lines of each hand agree on what the hand is, and are numbered without gaps."""
    for hand in range(len(verdicts)):
        first = order[bounds[hand]]
        head = lines[first]
        for place in range(bounds[hand], bounds[hand + 1]):
            number = order[place]
            line = lines[number]
            most_cards[hand] = max(most_cards[hand], line.size[CARDS_TEXT] // 2)
            verdict = _FINE
            if line.state == WRONG:
                verdict = _HAS_WRONG
            elif games[number] != games[first]:
                verdict = _MIXED_GAME
            elif matches[number] != matches[first]:
                verdict = _MIXED_MATCH
            elif line.hand_no != head.hand_no:
                verdict = _MIXED_HAND_NO
            elif (line.seq == NO_SEQ) != (head.seq == NO_SEQ):
                verdict = _MIXED_SEQ
            elif line.seq != NO_SEQ and line.seq != place - bounds[hand]:
                verdict = _BAD_SEQ
            elif place - bounds[hand] >= MOST_EVENTS:
                verdict = _TOO_LONG
            if verdict == _HAS_WRONG or (verdict != _FINE and verdicts[hand] == _FINE):
                verdicts[hand] = verdict
                at[hand] = number
                if verdict == _HAS_WRONG:
                    break


# ---------------------------------------------------------------- reads


@dataclass
class Gathered:
    """The lines of a text gathered to hands, of which reads are made, game by game, and rejects.

    numbers
        The number of each line in the file.
    """

    text: bytes
    starts: Places
    ends: Places
    buffer: Bytes
    lines: Lines
    details: list[str]
    problems: dict[int, NotSo]
    hands: Hands
    source: Source
    numbers: Places

    def reads(
        self,
        left_out: NDArray[np.bool_] | None = None,
        broken_before: Places | None = None,
        lines_before: int = 0,
    ) -> list[Read]:
        """One `Read` a game; the first also has what is wrong and the lines of all.

        left_out
            Hands that are not to be read: shape (hands,).
        broken_before
            Numbers of lines between these that belong to no hand and were read before.
        lines_before
            How many of the lines were counted before.
        """
        games = self._texts(self.hands.game_lines, GAME_TEXT)
        verdict = self._verdicts(games, broken_before)
        fine = np.ones(len(self.hands), np.bool_) if left_out is None else ~left_out
        rejects = [*self._broken()]
        rejects += [
            self.reject(hand, *found, self.raw(hand)) for hand, found in verdict.items() if fine[hand]
        ]
        fine[list(verdict)] = False
        reads = []
        for name in GAMES:
            if name in games:
                chosen = np.flatnonzero(fine & (self.hands.games == games.index(name)))
                reads += [self._read(name, chosen)] if len(chosen) else []
        reads = reads or [self._read(GAMES[0], np.zeros(0, np.int64))]
        reads[0].rejects = sorted(rejects, key=lambda reject: reject.first_line)
        reads[0].lines_read = len(self.lines) - lines_before
        reads[0].other_lines = int((self.lines["state"] == BLANK).sum())
        return reads

    def _texts(self, firsts: Places, place: int) -> list[str]:
        """The texts at a place of some lines."""
        starts, sizes = self.lines["start"][firsts, place], self.lines["size"][firsts, place]
        return [self.buffer[s : s + n].tobytes().decode() for s, n in zip(starts, sizes, strict=True)]

    def _number(self, line: int) -> int:
        """The number of a line in the file."""
        return int(self.numbers[line])

    def raw(self, hand: int) -> bytes:
        """The lines of a hand."""
        lines = self.hands.lines(hand)
        return b"\n".join(self.text[self.starts[line] : self.ends[line]] for line in lines)

    # ------------------------------------------------------------ what is wrong

    def _broken(self) -> Iterator[Reject]:
        """The lines that belong to no hand."""
        for line in np.flatnonzero(self.lines["state"] == BROKEN).tolist():
            number = self._number(line)
            problem = self.problems[line]
            raw = self.text[self.starts[line] : self.ends[line]]
            yield Reject(problem.reason, f"Line {number} belongs to no hand: {problem}.", raw, number, number)

    def reject(self, hand: int, reason: Reason, message: str, raw: bytes) -> Reject:
        """A hand that is not read, with what is to be kept of it."""
        lines = self.hands.lines(hand)
        game = self.hands.games[hand]
        return Reject(
            reason,
            message,
            raw,
            self._number(lines[0]),
            self._number(lines[-1]),
            self._hand_ids(np.array([hand]))[0].decode(),
            self._texts(self.hands.game_lines[[game]], GAME_TEXT)[0] if game >= 0 else None,
        )

    def _verdicts(self, games: list[str], broken_before: Places | None) -> dict[int, tuple[Reason, str]]:
        """The hands that can't be read, with reason and sentence."""
        hands = self.hands
        found = {hand: self._verdict(hand) for hand in np.flatnonzero(hands.verdicts).tolist()}
        for number, name in enumerate(games):
            of_game = hands.games == number
            if name not in GAMES:
                problem = NotSo(f"There is no game {shown(name)}; there are: {', '.join(GAMES)}.")
                for hand in np.flatnonzero(of_game).tolist():
                    found.setdefault(hand, (problem.reason, str(problem)))
                continue
            most = models.game(name).EVENT["cards"].shape[0]
            for hand in np.flatnonzero(of_game & (hands.most_cards > most)).tolist():
                message = (
                    f"An event has {hands.most_cards[hand]} cards; none of {name} shows more than {most}."
                )
                found.setdefault(hand, (Reason.UNPARSABLE, message))
        for hand in self._with_gaps(broken_before):
            message = "A line between can't be read, and as the events have no seq, one may be missing."
            found.setdefault(hand, (Reason.INCOMPLETE, message))
        return found

    def _with_gaps(self, broken_before: Places | None) -> list[int]:
        """Hands without numbers on their events that have a line of no hand between their own."""
        broken = self.numbers[self.lines["state"] == BROKEN]
        if broken_before is not None:
            broken = np.append(broken_before, broken)
        if not len(broken):
            return []
        firsts, lasts = self.numbers[self.hands.firsts], self.numbers[self.hands.lasts]
        between = np.searchsorted(broken, firsts) != np.searchsorted(broken, lasts)
        return np.flatnonzero(between & (self.lines["seq"][self.hands.firsts] == NO_SEQ)).tolist()

    def _verdict(self, hand: int) -> tuple[Reason, str]:
        verdict, line = int(self.hands.verdicts[hand]), int(self.hands.at[hand])
        first = int(self.hands.lines(hand)[0])
        if verdict == _HAS_WRONG:
            return self.problems[line].reason, f"Line {self._number(line)}: {self.problems[line]}."
        if verdict == _BAD_SEQ:
            return self._bad_seq(hand, line)
        if verdict == _MIXED_SEQ:
            return Reason.UNPARSABLE, "Some lines of the hand have seq and some have not."
        if verdict == _TOO_LONG:
            return Reason.UNPARSABLE, f"The hand has more than {MOST_EVENTS} events."
        name = {_MIXED_GAME: "game", _MIXED_MATCH: "match_id", _MIXED_HAND_NO: "hand_no"}[verdict]
        where = f"line {self._number(line)} says another than line {self._number(first)}"
        return Reason.UNPARSABLE, f"The lines of a hand must have the same {name}; {where}."

    def _bad_seq(self, hand: int, line: int) -> tuple[Reason, str]:
        """A number that is not the next: that one comes nowhere, or not here."""
        lines = self.hands.lines(hand)
        numbers = self.lines["seq"][lines]
        wanted, given = int(np.searchsorted(lines, line)), int(self.lines["seq"][line])
        says = f"line {self._number(line)} has seq {given}"
        if given < wanted or wanted in numbers:
            return Reason.OUT_OF_ORDER, f"The events are not in order: {says} where {wanted} should be."
        return Reason.INCOMPLETE, f"Event {wanted} is missing: {says} where it should be."

    # ------------------------------------------------------------ what is right

    def _read(self, game: str, chosen: Places) -> Read:
        """The hands of a game that can be read."""
        hands, bounds = self.hands, self.hands.bounds
        offsets = np.append(0, np.cumsum(bounds[chosen + 1] - bounds[chosen]))
        events = np.zeros(offsets[-1], models.game(game).EVENT)
        _fill(self.buffer, self.lines, hands.order, bounds, chosen, self.numbers, events)
        batch = Batch(
            game,
            self._hand_ids(chosen),
            events,
            offsets,
            self.details,
            np.where(hands.matches[chosen] < 0, np.int32(NO_MATCH), hands.matches[chosen]),
            self._texts(hands.match_lines, MATCH_TEXT),
            self.lines["hand_no"][hands.firsts[chosen]],
        )
        return Read(
            batch,
            [],
            raw_of=lambda hand: self.raw(int(chosen[hand])),
            first_lines=self.numbers[hands.firsts[chosen]].astype(np.int32),
            last_lines=self.numbers[hands.lasts[chosen]].astype(np.int32),
            lines_read=0,
            other_lines=0,
            cut=np.zeros(len(chosen), np.bool_) if self.source.final else self._may_go_on(chosen),
        )

    def _may_go_on(self, chosen: Places) -> NDArray[np.bool_]:
        """Which hands no later hand of their match follows."""
        hands = self.hands
        games = len(hands.game_lines)
        match = np.where(hands.matches < 0, -1, hands.matches.astype(np.int64) * games + hands.games)
        last_begin = np.full(len(hands.match_lines) * games + 1, -1, np.int64)
        np.maximum.at(last_begin, match, hands.firsts)
        last_begin[-1] = -1
        return np.asarray(last_begin[match[chosen]] <= hands.lasts[chosen])

    def _hand_ids(self, chosen: Places) -> NDArray[np.bytes_]:
        """The ids of hands: the source's own if it is one, else made from it."""
        firsts = self.hands.firsts[chosen]
        starts, sizes = self.lines["start"][firsts, HAND_TEXT], self.lines["size"][firsts, HAND_TEXT]
        stem = hand_name(FORMAT, self.source.dataset)
        names = []
        for start, size, is_id in zip(starts, sizes, _are_ids(self.buffer, starts, sizes), strict=True):
            name = self.buffer[start : start + size].tobytes()
            if not is_id:
                digest = stem.copy()
                digest.update(name)
                name = digest.hexdigest().encode()
            names.append(name)
        return np.array(names, "S32")


@compiled
def _are_ids(buffer: Bytes, starts: Any, sizes: Any) -> NDArray[np.bool_]:
    """Which texts are 32 hex digits in lower case."""
    are = np.empty(len(starts), np.bool_)
    for number in range(len(starts)):
        are[number] = sizes[number] == 32
        for place in range(starts[number], starts[number] + sizes[number]):
            character = buffer[place]
            are[number] &= _ZERO <= character <= _NINE or _A <= character <= _F
    return are


@compiled
def _fill(
    buffer: Bytes, lines: Any, order: Any, bounds: Any, chosen: Places, numbers: Any, events: Any
) -> None:
    """The events of some hands."""
    size = 0
    for hand in chosen:
        for place in range(bounds[hand], bounds[hand + 1]):
            line = lines[order[place]]
            event = events[size]
            size += 1
            event.action = line.action
            event.seat = line.seat
            event.suit = line.suit
            event.amount = line.amount
            event.line = numbers[order[place]]
            event.detail = line.detail
            event.at = line.at
            event.count = line.size[CARDS_TEXT] // 2
            start = line.start[CARDS_TEXT]
            for card in range(event.count):
                first, second = buffer[start + 2 * card], buffer[start + 2 * card + 1]
                event.cards[card] = UNKNOWN
                if first != _HIDDEN:
                    event.cards[card] = SUIT_OF_BYTE[second] * SUIT_STRIDE + RANK_OF_BYTE[first]
