"""Classifies the lines of a transcript, also by the lines around them.

Names may look like the program's own lines, people may type anything at a pause, and input from a file is
not echoed, so the next line follows directly behind the prompt.
"""

from typing import Final

from cardlog.models.belote.score import TRICKS
from cardlog.pipelines.readers.base import BOM
from cardlog.pipelines.readers.belot_transcript.phrases import BIDS, LINES, NOISE, RESULTS
from cardlog.pipelines.readers.transcript import Line

_GARBLED_BOM: Final = b"\xc3\xaf\xc2\xbb\xc2\xbf"
"""The byte order mark, decoded as cp1252 and encoded again."""
_NO_PAUSE, _TRICK_PAUSE, _HAND_PAUSE = range(3)
_SAME_PROMPT: Final = 8
"""The first bytes of a prompt, which identify it."""
_NEVER_TYPED: Final = NOISE | {
    "blank", "mark", "pair_a", "pair_b", "sharing", "dealer", "header", "bela", "declaration",
    "no_declaration", "trick", "pair_points", "won", "crash", "trace",
}  # fmt: skip
_BEGINS: Final = frozenset(("sharing", "dealer", "mark", "pair_a", "pair_b", "crash"))
_BEFORE_TRICK: Final = frozenset(("declaration", "no_declaration", "trick", "before_trick"))
_NOISE: Final = Line("noise", {})
_TRACE: Final = Line("trace", {})
_UNKNOWN: Final = Line("unknown", {})


def _classify(line: bytes, acts: bool, sums: bool) -> Line:
    """A line by itself. In ``Karte dijeli Ana kaže dalje`` either Ana kaže dalje deals, or Karte dijeli Ana
    passes: that depends on the lines before it.

    acts
        Whether a bid is expected.
    sums
        Whether the results of a hand or a match are expected.
    """
    found = LINES[line]
    if len(found) < 2:
        return found[0] if found else _UNKNOWN
    kind = found[0].kind
    if acts and kind in BIDS:
        return next((other for other in found if other.kind == "prompt"), found[0])
    if kind not in BIDS | RESULTS or (sums and kind in RESULTS):
        return found[0]
    return next((other for other in found if other.kind not in BIDS | RESULTS), found[0])


class Classifier:
    """Classifies lines in their order; keeps what they let expect of the next one, before hands are known."""

    def __init__(self, lines: list[bytes]) -> None:
        self._lines = lines
        self._after_crash = self._after_warning = False
        self._acting = False  # whether a header was read, but no act of the player
        self._named = False  # whether trump is named
        self._cards = 0  # lines of cards since the last trick
        self._tricks = 0  # lines of tricks in the hand
        self._totals = 0  # pairs expected below the line of totals
        self._pause = _NO_PAUSE  # whether and where the program may wait for input

    def classify(self, index: int) -> Line:
        """The next line."""
        line = self._lines[index]
        if line.startswith((BOM, _GARBLED_BOM)):
            line = line.removeprefix(BOM).removeprefix(_GARBLED_BOM)
        acts = self._acting and not self._named
        found = _classify(line, acts, self._tricks == TRICKS and not self._acting)
        if found.kind == "prompt":
            found = self._behind_prompt(found, line, index, acts)
        if found.kind == "blank":
            return found
        is_indented = line.startswith(b" ")
        if self._after_crash and (is_indented or found.kind == "unknown" or found.kind in NOISE):
            self._after_crash = is_indented
            return _TRACE
        is_code = self._after_warning and is_indented and found.kind == "unknown"
        if is_code or (self._pause and self._is_typed(index, found.kind)):
            found = _NOISE
        self._expect(found.kind)
        return found

    def _next_line(self, index: int) -> bytes | None:
        """The next line that is not blank."""
        lines = self._lines
        for after in range(index + 1, len(lines)):
            if lines[after].strip(b" \t\r"):
                return lines[after]
        return None

    def _behind_prompt(self, prompt: Line, line: bytes, index: int, acts: bool) -> Line:
        """What follows a prompt: the answer, or the next line if input is not echoed. It is the answer if the
        program then asks again."""
        found = prompt
        while found.kind == "prompt":
            found = _classify(found.fields["behind"], acts, False)
        is_printed = found.kind in BIDS or found.kind == "bela" or found.fields.get("card") is not None
        after = self._next_line(index) if is_printed else None
        asks_again = after is not None and after.startswith((b"[1] ", line[:_SAME_PROMPT]))
        return found if (is_printed and not asks_again) or found.kind == "crash" else prompt

    def _is_typed(self, index: int, kind: str) -> bool:
        """Whether a line was typed by a person: it is the only one where the program waits, and then the
        program goes on. A line that may belong to the game is never taken for it."""
        if kind in _NEVER_TYPED:
            return False
        after = self._next_line(index)
        if after is None:
            return kind == "unknown"
        if self._pause == _HAND_PAUSE:
            return after.startswith(b"=" * 17)
        return after.lstrip(b" ").startswith(b"---------- ")

    def _expect(self, kind: str) -> None:
        """Update what is expected after a line that is not blank."""
        self._after_crash, self._after_warning = kind == "crash", kind == "warning"
        self._pause = _NO_PAUSE
        if kind == "header":
            self._acting = True
        elif kind == "card" or kind in BIDS:
            self._acting = False
            self._named |= kind == "trump"
            self._cards += kind == "card"
        elif kind == "trick":
            self._cards = 0
            self._tricks += 1
        elif kind in _BEGINS:
            self._acting = self._named = False
            self._cards = self._tricks = self._totals = 0
            if kind == "pair_b":
                self._pause = _HAND_PAUSE
        elif kind == "totals":
            self._totals = 2
        elif kind == "pair_points" and self._totals:
            self._totals -= 1
            if not self._totals:
                self._pause = _HAND_PAUSE
        elif kind == "won":
            self._tricks = 0
        is_between = not self._acting and not self._cards and self._tricks < TRICKS
        if is_between and self._named and kind in _BEFORE_TRICK:
            self._pause = _TRICK_PAUSE
