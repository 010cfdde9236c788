"""The transcript of the five-card draw program: what it prints, with what a human typed between.

The lines are read by compiled code, `five_card_draw_lines`; here its hands get names, openings and, where
something is wrong with them, a sentence. docs/formats/five-card-draw-transcript.md describes the format.
"""

import json
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cardlog.models.five_card_draw import rules as game
from cardlog.pipelines.readers.base import Read, Reject, Source
from cardlog.pipelines.readers.five_card_draw_transcript import state
from cardlog.pipelines.readers.five_card_draw_transcript.hands import read_game
from cardlog.pipelines.readers.five_card_draw_transcript.phrases import NONE
from cardlog.pipelines.readers.scan import BOM, line_bounds
from cardlog.pipelines.readers.transcript import (
    FOUND,
    PARTED_AT,
    OnDemand,
    Section,
    context_of,
    hand_ids,
    is_mark,
    read_of,
    sections,
)
from cardlog.schemas.reasons import Reason

__all__ = ["PARTED_AT"]

FORMAT: Final = "five-card-draw-transcript"
GAMES: Final = (game.GAME,)
LINE_PER_HAND: Final = False
SUMMARY: Final = "what the five-card draw program prints, games parted by marks"

MOST_SHOWN: Final = 100
"""Characters of a line that a message repeats."""
_NOT_TOLD: Final = -2
"""Stands for the seat of a human who plays, but has not been asked anything yet."""
_FIRST_WORDS: Final = (
    b"Press 1 to play, or 0 to spectate.",
    b"What's your name?",
    b"[SETUP] ",
    b"[NEW ROUND]",
)


def sniff(head: bytes) -> bool:
    """Whether a file that begins so looks like this format."""
    for line in head.removeprefix(BOM).split(b"\n"):
        if line.strip() and not is_mark(line):
            return line.startswith(_FIRST_WORDS)
    return False


def read(text: bytes, source: Source, first_line: int = 1) -> list[Read]:
    """The hands of a text; its first line has the number `first_line`."""
    return [_Reading(text, source, first_line).result()]


_WRONG: Final = {
    state.UNREADABLE: (Reason.UNPARSABLE, "can't be read"),
    state.NO_SUCH_PLAYER: (Reason.UNPARSABLE, "names nobody who is at the table"),
    state.NO_CARD: (Reason.UNKNOWN_CARD, "holds something that is no card"),
    state.SAYS_OTHER: (Reason.SCORE_MISMATCH, "says something else than the lines before it give"),
    state.WRONG_BET: (Reason.BAD_BID, "is a bet that can't be made here"),
    state.WRONG_PLACE: (Reason.OUT_OF_ORDER, "can't stand at this point of a hand"),
}
"""Reasons and words for a line with which something is wrong."""
_WRONG_HANDS: Final = {
    state.NO_ANTES: (
        Reason.INCOMPLETE,
        "The hand breaks off before everyone has paid the ante, or lines on it are missing, so it is not "
        "known who plays.",
    ),
    state.NO_CHIPS: (
        Reason.INCOMPLETE,
        "It is not known what chips the players had before this hand: lines before it are missing or "
        "damaged.",
    ),
    state.LINES_MISSING: (
        Reason.INCOMPLETE,
        "Lines of this hand are missing: what the human drew, what the players have after it, or who leaves.",
    ),
    state.CHIPS_MISSING: (
        Reason.SCORE_MISMATCH,
        "The players get fewer chips than they have put in: an amount is wrong, or a line is missing.",
    ),
    state.NO_HUMAN: (
        Reason.INCOMPLETE,
        "The hand tells what a human sees, but who that is is not known: the line on it is missing or "
        "damaged.",
    ),
    state.NO_BEGINNING: (Reason.INCOMPLETE, "The hand does not begin with [NEW ROUND]: lines are missing."),
    state.TOO_MANY_PLAYERS: (Reason.UNPARSABLE, f"More than {game.SEATS} players are at the table."),
    state.SAME_NAMES: (Reason.UNPARSABLE, "Two players have the same name."),
    state.WRONG_BUTTON: (
        Reason.OUT_OF_ORDER,
        "The button is not given to the player who is the last to pay the ante.",
    ),
}
"""Reasons and sentences for a hand with which something is wrong as a whole."""


@dataclass(frozen=True)
class _Known:
    """What is known of a hand besides its text, from the context of one that is read again."""

    names: list[str]
    human: str | None
    chips: list[int]
    number: int
    piped: bool


class _Reading:
    """One text while it is read."""

    def __init__(self, text: bytes, source: Source, first_line: int) -> None:
        self.text = text
        self.source = source
        self.first_line = first_line
        self.sections = sections(text, source, first_line)
        self.known = _known(self.sections[0]) if source.context else None
        self.buffer = text + self._known_names()
        start = self.sections[0].start if source.context else len(BOM) if text.startswith(BOM) else 0
        self.starts, self.ends = line_bounds(np.frombuffer(text, np.uint8))
        if start and len(self.starts):
            self.starts[0] = start
        self.matches: list[str] = []
        self.settings: list[dict[str, str]] = []
        self._named: dict[Any, tuple[list[str], str | None]] = {}
        self._seated: dict[Any, str] = {}
        self._quoted: dict[str, str] = {}
        self._scan()

    # ------------------------------------------------------------ the compiled part

    def _scan(self) -> None:
        # A line can begin a hand, and tell of two events, or of one for each seat if it is the deal.
        deals = self.text.count(b"Hands have been dealt.")
        events = np.empty(3 * len(self.starts) + game.SEATS * deals + 1, game.EVENT)
        hands = np.zeros(len(self.starts) + 1, state.HAND)
        junk = np.zeros((len(self.starts) + 1, 2), np.int32)
        now = np.zeros(1, state.NOW)
        unfinished = bool(self.text) and not self.text.endswith(b"\n")
        match = 0
        buffer = np.frombuffer(self.buffer, np.uint8)
        tables = self._tables()
        reading = now[0]
        for section, table in zip(self.sections, tables, strict=True):
            table["match"] = match
            first = section.first_line - self.first_line
            stop = self._line_at(section.end, first)
            read_game(
                buffer, self.starts, self.ends, first, stop, unfinished, self.source.final, table, reading,
                hands, events, junk,
            )  # fmt: skip
            games = int(table["match"]) - match + 1
            self.matches += [_name(section.match_id, number) for number in range(games)]
            self.settings += [section.settings] * games
            match += games
        self.hands = hands[: now[0]["hands"]]
        self.column = {name: self.hands[name].tolist() for name in state.HAND.names or ()}
        self.events = events[: now[0]["filled"]]
        self.junk = junk[: now[0]["junk"]]

    def _known_names(self) -> bytes:
        """The names that are known, one after the other; the compiled part looks for them after the text."""
        names = [*self.known.names, self.known.human or ""] if self.known else []
        return "".join(names).encode("utf-8", "surrogateescape")

    def _tables(self) -> NDArray[np.void]:
        """What is known at the table of each section before its first hand."""
        tables = np.zeros(len(self.sections), state.TABLE)
        tables["total"] = NONE
        for name, key in (("given", "chips"), ("ante", "ante")):
            tables[name] = [_chips(section.settings.get(key, "")) for section in self.sections]
        if self.known is not None:
            self._put_known(tables[0], self.known)
        return tables

    def _put_known(self, row: Any, known: _Known) -> None:
        place = len(self.text)
        row["number"] = known.number
        row["seats"] = len(known.names)
        row["trusted"] = 1
        for seat, name in enumerate(known.names):
            row["name_from"][seat] = place
            place += len(name.encode("utf-8", "surrogateescape"))
            row["name_to"][seat] = place
            row["before"][seat] = known.chips[seat]
        row["piped"] = known.piped
        row["human_from"] = place
        row["human_to"] = place + len((known.human or "").encode("utf-8", "surrogateescape"))
        if known.names and NONE not in known.chips:
            row["total"] = sum(known.chips)

    def _line_at(self, place: int, first: int) -> int:
        """The first line, from `first` on, that begins at a place of the text or after it."""
        return first + int(self.starts[first:].searchsorted(place))

    # ------------------------------------------------------------ what comes of it

    def result(self) -> Read:
        """What was made of the text."""
        wrong = self.hands["wrong"] != state.FINE
        good, bad = np.flatnonzero(~wrong), np.flatnonzero(wrong)
        events = self.events
        offsets = np.append(self.hands["first_event"][good], len(events)).astype(np.int64)
        events["detail"][offsets[:-1]] = np.arange(len(good))
        events["line"] += self.first_line
        rejects = [self._reject(hand) for hand in bad.tolist()]
        rejects += [self._junk(first, last) for first, last in self.junk.tolist()]
        in_hands = int((self.hands["last"] - self.hands["first"]).sum())
        in_junk = int((self.junk[:, 1] - self.junk[:, 0]).sum())
        return read_of(
            game.GAME,
            FORMAT,
            self.source,
            self.text,
            self._found(self.hands[good]),
            self.matches,
            events,
            offsets,
            [self._opening(hand) for hand in good.tolist()],
            OnDemand(len(good), lambda hand: self._context(int(good[hand]))),
            rejects=rejects,
            lines_read=len(self.starts),
            other_lines=len(self.starts) - in_hands - in_junk,
        )

    def _place(self, line: int) -> int:
        """Where a line begins in the text, its end for the line after the last."""
        return int(self.starts[line]) if line < len(self.starts) else len(self.text)

    def _found(self, hands: NDArray[np.void]) -> NDArray[np.void]:
        found = np.zeros(len(hands), FOUND)
        places = np.append(self.starts, len(self.text))
        for name in ("match", "number", "cut"):
            found[name] = hands[name]
        found["start"] = places[hands["first"]]
        found["end"] = places[hands["last"]]
        found["first_line"] = hands["first"] + self.first_line
        found["last_line"] = hands["last"] + self.first_line - 1
        return found

    def _name_at(self, start: int, end: int) -> str:
        """A name as it stands in the text, or in what is known; bytes that are no UTF-8 as surrogates."""
        return self.buffer[start:end].decode("utf-8", "surrogateescape")

    def _names(self, hand: int) -> tuple[list[str], str | None]:
        """The names of the players by seat, and that of the human."""
        column = self.column
        first, human_first = column["name_from"][hand], column["human_from"][hand]
        places = (*first, human_first)  # where the names begin tells where they end
        found = self._named.get(places)
        if found is None:
            seats = column["seats"][hand]
            names = [*map(self._name_at, first[:seats], column["name_to"][hand][:seats])]
            human = self._name_at(human_first, column["human_to"][hand])
            found = self._named[places] = (names, human or None)
        return found

    def _opening(self, hand: int) -> str:
        """The detail of a hand's first event, as `game.opening` makes it."""
        column = self.column
        names, _ = self._names(hand)
        chips = column["chips"][hand][: len(names)]
        human = column["human"][hand]
        if human == NONE and column["piped"][hand]:
            human = _NOT_TOLD
        dialect = "original" if column["shuffled"][hand] else "original_unshuffled"
        return (
            f'{{"dealer":{column["dealer"][hand]},"match":{{"score":[{",".join(map(str, chips))}]}},'
            f'"players":{self._players(names, human, tuple(map(bool, chips)))},'
            f'"settings":{{"ante":{column["ante"][hand]},"dialect":"{dialect}"}}}}'
        )

    def _players(self, names: list[str], human: int, present: tuple[bool, ...]) -> str:
        """The players of an opening as JSON."""
        key = id(names), human, present
        found = self._seated.get(key)
        if found is None:
            players = [
                self._player(name, None if human == _NOT_TOLD else seat == human) if here else "null"
                for seat, (name, here) in enumerate(zip(names, present, strict=True))
            ]
            found = self._seated[key] = f"[{','.join(players)}]"
        return found

    def _player(self, name: str, is_human: bool | None) -> str:
        """A player as JSON."""
        found = self._quoted.get(name)
        if found is None:
            found = self._quoted[name] = json.dumps(_shown(name), ensure_ascii=False)
        if is_human is None:
            return f'{{"name":{found}}}'
        return f'{{"kind":"{"human" if is_human else "computer"}","name":{found}}}'

    def _context(self, hand: int) -> dict[str, Any]:
        """What it takes to read a hand by itself."""
        names, human = self._names(hand)
        settings = dict(self.settings[self.column["match"][hand]])
        for name, value in (("chips", self.column["given"][hand]), ("ante", self.column["ante"][hand])):
            if value != NONE:
                settings[name] = str(value)
        chips = self.column["chips"][hand][: len(names)]
        known = {"settings": settings, "names": names, "human": human, "chips": chips}
        return known | {"piped": True} if self.column["piped"][hand] else known

    def _reject(self, hand: int) -> Reject:
        column = self.column
        what, line = column["wrong"][hand], column["wrong_line"][hand]
        if what in _WRONG_HANDS:
            reason, sentence = _WRONG_HANDS[what]
        else:
            reason, words = _WRONG[what]
            shown = self.text[self.starts[line] : self.ends[line]].decode("utf-8", "backslashreplace")
            shown = repr(shown) if len(shown) <= MOST_SHOWN else f"{shown[:MOST_SHOWN]!r} and more"
            sentence = f"Line {line + self.first_line} {words}: {shown}."
        match, number = self.matches[column["match"][hand]], column["number"][hand]
        hand_id = None
        if match:
            hand_id = hand_ids(FORMAT, self.source, [match], np.array([number], np.int32))[0].decode()
        first, last = column["first"][hand], column["last"][hand]
        raw = self.text[self._place(first) : self._place(last)]
        context = context_of(match, number, self._context(hand))
        places = first + self.first_line, last + self.first_line - 1
        return Reject(reason, sentence, raw, *places, hand_id, game.GAME, context)

    def _junk(self, first: int, last: int) -> Reject:
        raw = self.text[self._place(first) : self._place(last)]
        sentence = "These lines stand outside of every hand and are none that the program prints there."
        places = first + self.first_line, last + self.first_line - 1
        return Reject(Reason.UNPARSABLE, sentence, raw, *places, None, game.GAME)


def _shown(name: str) -> str:
    """A name without surrogates, which tables can't hold."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _name(match_id: str, number: int) -> str:
    """The name of the games in one section; those after the first had no mark of their own."""
    return f"{match_id}/{number + 1}" if match_id and number else match_id


def _chips(text: str) -> int:
    """A number of chips in a mark."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else NONE


def _known(section: Section) -> _Known | None:
    """What the context of a hand says, if that is one of this format."""
    context = section.context
    names, human, chips = context["names"], context["human"], context["chips"]
    return _Known(names, human, chips, context["hand_no"], context.get("piped", False))
