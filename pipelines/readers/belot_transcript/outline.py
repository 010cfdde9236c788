"""The kind of each line of a transcript, and where hands and matches begin and end.

A line's kind may depend on the lines around it: names may look like the program's own lines, people may type
anything at a pause, and input from a file is not echoed, so that the next line directly follows the prompt.
"""

from typing import Final

from cardlog.models.belote.score import TRICKS
from cardlog.pipelines.readers.base import BOM
from cardlog.pipelines.readers.belot_transcript.hand import NO_BEGINNING, NOTHING, TEAMS, Hand
from cardlog.pipelines.readers.belot_transcript.wording import BIDS, CLAIMS, LINES, NOISE, Match, parse_card
from cardlog.pipelines.readers.transcript import Fault, Line, Text

_GARBLED_BOM: Final = b"\xc3\xaf\xc2\xbb\xc2\xbf"
"""The byte order mark, decoded as cp1252 and encoded again."""
_SAME_PROMPT: Final = 8
"""The first bytes of a prompt, which identify it."""
_NOISE: Final = Line("noise", {})
_UNKNOWN: Final = Line("unknown", {})
_UNIMPORTANT: Final = NOISE | {"trace"}
_PAIRS: Final = frozenset(("pair_a", "pair_b"))
_BETWEEN_TRICKS: Final = frozenset(("declaration", "no_declaration", "trick"))
_NEVER_TYPED: Final = _UNIMPORTANT | _PAIRS | _BETWEEN_TRICKS | {
    "mark", "sharing", "dealer", "header", "bela", "pair_points", "won", "crash",
}  # fmt: skip
_NO_STEPS: Final = _UNIMPORTANT | {"unknown", "must", "choice", "prompt", "own_cards"}
"""Kinds of lines that do not change what is expected next."""
_BEGINNINGS: Final = _PAIRS | {"mark", "sharing", "dealer", "crash"}
"""Kinds of lines before which a hand is over."""


class Outline:
    """The lines of a text and its hands, found line by line.

    lines
        The meaning of each line; `steps` has the kind of the last step of the game before it. A header is a
        step ``header`` while bidding, ``turn`` once trump is named.
    hands
        The hands, not yet parsed.
    """

    def __init__(self, text: Text) -> None:
        self.lines = [_NOISE] * len(text)
        self.steps = [""] * len(text)
        self.hands: list[Hand] = []
        self._text = text.lines
        self._open: Hand | None = None  # the last hand, unless it has ended
        for section in text.sections:
            number = section.context.get("hand_no", 0)
            self._match = Match(section.match_id, number, section.settings, section.begins)
            self._step = "mark"
            self._before = "mark"  # the kind of the last line not blank; "crash" until a traceback is over
            self._has_trump, self._tricks = False, 0  # whether trump is named, and lines of tricks
            for index in range(section.first, section.stop):
                self._add(index)
            # Of the hands cut off by the end of a section, only the last one of the text may go on.
            if self._open:
                self._open.cut = self._open.fault is None and section is text.sections[-1]
            self._close()

    # ---------------------------------------------------------------- the kind of a line

    def _classify(self, index: int) -> Line:
        """The meaning of the next line."""
        text = self._text[index].removeprefix(BOM).removeprefix(_GARBLED_BOM)
        line = self._decide(LINES[text])
        if line.kind == "prompt":
            line = self._after_prompt(line, text, index)
        kind = line.kind
        if kind == "blank":
            return line
        is_indented = text.startswith(b" ")
        if self._before == "crash" and (is_indented or kind == "unknown" or kind in NOISE):
            self._before = "crash" if is_indented else ""
            return _NOISE
        is_code = self._before == "warning" and kind == "unknown" and is_indented
        if is_code or self._is_typed(index, kind):
            line = _NOISE
        self._before = line.kind
        return line

    def _decide(self, meanings: tuple[Line, ...]) -> Line:
        """The meaning of a line, out of those that it may have by itself. In ``Karte dijeli Ana kaže dalje``
        either Ana kaže dalje deals, or Karte dijeli Ana passes, depending on whether a bid is expected, or
        the result of a pair. A prompt is a prompt whatever follows it."""
        if len(meanings) == 1:
            return meanings[0]
        is_over = self._tricks == TRICKS and self._step != "turn"
        expected = BIDS if self._step == "header" else CLAIMS if is_over else frozenset()
        return min(
            meanings,
            key=lambda line: (line.kind != "prompt", line.kind not in expected, line.kind in BIDS | CLAIMS),
            default=_UNKNOWN,
        )

    def _next_line(self, index: int) -> bytes | None:
        """The next line that is not blank."""
        later = range(index + 1, len(self._text))
        return next((self._text[other] for other in later if self._text[other].strip(b" \t\r")), None)

    def _after_prompt(self, prompt: Line, text: bytes, index: int) -> Line:
        """The line that directly follows a prompt on the same line, since input is not echoed; or the prompt,
        if the answer follows it: after that the program may ask again."""
        line = prompt
        while line.kind == "prompt":
            line = self._decide(LINES[line.fields["behind"]])
        is_card = parse_card(line.fields.get("card", b"")) is not None
        is_printed = is_card or line.kind in BIDS or line.kind == "bela"
        after = self._next_line(index) if is_printed else None
        asks_again = after is not None and after.startswith((b"[1] ", text[:_SAME_PROMPT]))
        return line if (is_printed and not asks_again) or line.kind == "crash" else prompt

    def _is_typed(self, index: int, kind: str) -> bool:
        """Whether a line was typed by a person: it is the only line where the program waits, before a trick
        or a hand, and then the program goes on. A line that may belong to the game is never taken for
        typed."""
        is_between = self._has_trump and self._tricks < TRICKS and self._step in _BETWEEN_TRICKS
        if is_between and self._before in (self._step, "before_trick"):
            goes_on = b"---------- "
        elif self._open is None and self._before in ("pair_b", "pair_points"):
            goes_on = b"=" * 17
        else:
            return False
        if kind in _NEVER_TYPED:
            return False
        after = self._next_line(index)
        return kind == "unknown" if after is None else after.lstrip(b" ").startswith(goes_on)

    # ---------------------------------------------------------------- where hands begin and end

    def _add(self, index: int) -> None:
        """Assign the next line to the open hand, to a new one, or to none."""
        line = self.lines[index] = self._classify(index)
        kind, step = line.kind, self._step
        self.steps[index] = step
        if kind not in _NO_STEPS:
            self._step = "turn" if kind == "header" and self._has_trump else kind
        if kind in _BEGINNINGS:
            self._has_trump, self._tricks = False, 0
        self._has_trump |= kind == "trump"
        self._tricks = 0 if kind == "won" else self._tricks + (kind == "trick")
        if kind in _PAIRS or kind == "crash":
            self._close()
            if kind in _PAIRS:
                self._name_pair(line)
            return
        # A line with the dealer begins a hand, unless the open one has just begun or has only damaged lines.
        is_next = self._open and self._open.is_hand and step != "sharing"
        if kind == "sharing" or (kind == "dealer" and is_next):
            self._close()
        if self._open:
            self._extend(self._open, index, line)
        elif kind == "won" and self.hands and self.hands[-1].match is self._match and self.hands[-1].is_ended:
            self.hands[-1].last = index
        elif kind != "mark" and kind not in _UNIMPORTANT:
            fault = Fault(*(NOTHING if kind == "unknown" else NO_BEGINNING), index)
            self._open = Hand(self._match, index, None if kind == "sharing" else fault)
            self.hands.append(self._open)
            self._extend(self._open, index, line)

    def _name_pair(self, line: Line) -> None:
        """Note the name of a pair; the first one begins a new match. The id of the mark is only for the first
        match that has hands."""
        match = self._match
        goes_on = line.kind == "pair_b" and "pair_b" not in match.pairs and match.hands == 0
        if (match.pairs or match.hands) and not goes_on:
            self._match = Match("" if match.hands else match.name, settings=match.settings)
        self._match.pairs[line.kind] = line.fields["name"]
        self._match.begins = True

    def _extend(self, hand: Hand, index: int, line: Line) -> None:
        """Add a line to the open hand, which ends with the second line of totals. Lines of some kinds show
        that it is a hand."""
        hand.last = index
        if line.kind in ("sharing", "dealer", "header", "card") and not hand.is_hand:
            hand.is_hand, hand.number = True, self._match.hands
            self._match.hands += 1
        elif line.kind == "totals":
            hand.totals = []
        elif line.kind == "pair_points" and hand.totals is not None:
            hand.totals.append((line.fields["name"], line.fields["points"]))
            if len(hand.totals) == TEAMS:
                hand.is_ended, self._open = True, None

    def _close(self) -> None:
        """Break off the open hand, if any, without the blank lines and noise at its end."""
        hand, self._open = self._open, None
        while hand and hand.last > hand.first and self.lines[hand.last].kind in _UNIMPORTANT:
            hand.last -= 1
