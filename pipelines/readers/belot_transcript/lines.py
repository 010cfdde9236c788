"""The kinds of lines that the programs print, and of which kind each line of a transcript is.

Only ASCII is relied on, which is the same in every encoding: the symbols of suits and other letters may be
missing or garbled. What a line is may depend on the lines around it: names may look like the program's own
lines, people may type anything at a pause, and input from a file is not echoed, so that the next line
directly follows the prompt.
"""

import re
from functools import lru_cache
from typing import Final

from cardlog.models.belote.score import TRICKS
from cardlog.pipelines.readers.base import BOM
from cardlog.pipelines.readers.transcript import Fault, Line, LineTable, Text
from cardlog.schemas import cards
from cardlog.schemas.reasons import Reason

DIALECTS: Final = ("bornabesic", "cesmak", "readme")
"""The wordings; the line with the dealer differs."""
SUITS: Final = (b"KARO", b"HERC", b"PIK", b"TREF")
"""The suits in the order of their numbers in the transcripts."""
SUIT_CODES: Final = tuple(cards.SUITS.index(suit) for suit in "DHSC")
"""The codec's numbers of them."""
BAD_CARD: Final = (Reason.UNKNOWN_CARD, "has something that is not a card")
LINES: Final = LineTable()

# ---------------------------------------------------------------- cards

_RANKS: Final = {
    b"VII": "7", b"VIII": "8", b"IX": "9", b"X": "T", b"Bube": "J", b"DAMA": "Q", b"King": "K", b"KRALJ": "K",
    b"AS": "A",
}  # fmt: skip
_CARD: Final = re.compile(
    rb"(?P<suit>KARO|HERC|PIK|TREF)(?P<gap> (?:[ ?\x80-\xff]{0,15} )?)"
    rb"(?P<rank>VII|VIII|IX|X|Bube|DAMA|King|KRALJ|AS|DE(?:C|[?\x80-\xff]{0,6})KO)"
)
_SYMBOL: Final = re.compile(rb" \xe2\x99([\xa6\xa5\xa0\xa3]) ")
_SYMBOL_ENDS: Final = b"\xa6\xa5\xa0\xa3"
"""The last bytes of the suits' symbols in UTF-8."""


@lru_cache(maxsize=4096)
def parse_card(text: bytes) -> int | None:
    """The code of a card, ``HERC ♥ VII``; None for anything else. Between the words there may be the suit's
    symbol, garbled or not, or only a space, but not the symbol of another suit."""
    card = _CARD.fullmatch(text)
    if card is None:
        return None
    number = SUITS.index(card["suit"])
    symbol = _SYMBOL.fullmatch(card["gap"])
    if symbol and symbol[1][0] != _SYMBOL_ENDS[number]:
        return None
    return SUIT_CODES[number] * cards.SUIT_STRIDE + cards.RANKS.index(_RANKS.get(card["rank"], "J"))


def parse_cards(text: bytes) -> bytes | None:
    """The codes of at most eight cards, separated by ``, ``; None if one is not a card."""
    found = [parse_card(one) for one in text.removesuffix(b", ").split(b", ")] if text else []
    codes = [code for code in found if code is not None]
    return bytes(codes) if len(codes) == len(found) <= 8 else None


def known_cards(codes: bytes | None) -> bytes:
    """The codes of cards. Raises Fault if one was not a card."""
    if codes is None:
        raise Fault(*BAD_CARD)
    return codes


# ---------------------------------------------------------------- lines

END: Final = rb"[ \t\r]*"
_POINTS: Final = rb"(?:0|[1-9]\d{0,4})"
_AFTER_SPACES: Final = rb" +(?! |---------- .*[^ \t\r])"
BIDS: Final = frozenset(("bid_pass", "trump"))
RESULTS: Final = frozenset(("won", "failed", "all_tricks"))
"""Kinds of lines that begin with a name. Names may contain anything, so they may look like other lines."""
NOISE: Final = frozenset(("noise", "before_trick", "warning"))
"""Lines without a meaning; a trick may begin after some, and a line of code follow a warning."""


def _add_declarations(start: bytes, spaces: bytes) -> None:
    LINES.add("no_declaration", start + spaces + rb"(?:Nema zvanja|No vocation)" + END)
    LINES.add("declaration", start + rb"(?P<name>.*): \[(?P<sets>\{.*\]" + END + rb")")
    LINES.add("pair_points", start + rb"(?P<name>.+): (?P<points>" + _POINTS + rb")" + END, points=int)


def _add_beginnings(kind: str, *phrases: bytes) -> None:
    LINES.add(kind, rb"(?:" + b"|".join(map(re.escape, phrases)) + rb").*")


def _add_headings(kind: str, *phrases: bytes) -> None:
    LINES.add(kind, rb"(?:" + b"|".join(map(re.escape, phrases)) + rb")" + END)


_TRUMPS: Final = b"|".join(rb"%d(?: %d| Suit\.%s)?" % (n, n, suit) for n, suit in enumerate(SUITS))

LINES.add("blank", END)
LINES.add("crash", rb".*Traceback \(most recent call last\):" + END)
_add_declarations(rb"\t", rb" *")
LINES.add("bid_pass", rb"(?P<name>.*)(?: says further| ka.{0,10}e dalje)" + END)
LINES.add(
    "trump",
    rb"(?P<name>.*) (?:zove|calling) (?P<suit>" + _TRUMPS + rb")" + END,
    suit=lambda text: text[0] - 48,
)
LINES.add("won", rb"(?P<name>.*)(?: su pobjedili!| have won!)" + END)
LINES.add("failed", rb"(?P<name>.*) they did not pass!" + END)
LINES.add("all_tricks", rb"(?P<name>.*) they made all stiche \(sword\)!?" + END)
LINES.add("failed", rb"(?P<name>.+) nisu pro.{0,11}li!" + END)
LINES.add("all_tricks", rb"(?P<name>.+) su napravili .{0,24}!" + END)
LINES.add("header", rb" *---------- (?P<name>.*) ----------" + END)
_add_declarations(_AFTER_SPACES, b"")
LINES.add("noise", _AFTER_SPACES + rb"(?:[-\d]|grad_fn=<|device=|dtype=|nan|inf).*")
LINES.add(
    "trick", rb"> [^(]{0,22}\((?P<points>" + _POINTS + rb")\) (?:kupi|made by) (?P<name>.*)", points=int
)
LINES.add("card", rb"(?P<card>(?:KARO|HERC|PIK|TREF).*?)" + END, card=parse_card)
LINES.add("choice", rb"\[[-\d]\].*")
LINES.add("noise", rb"\[[-\d].*[^ \t\r]" + END)
LINES.add("sharing", rb"={17} (?:SHARING|DIJELJENJE) ={17}.*")
LINES.add(
    "hand_cards", rb"Player  *(?P<seat>[1-4]) Cards: \[(?P<cards>.*)\]" + END,
    seat=lambda text: int(text) - 1, cards=parse_cards,
)  # fmt: skip
LINES.add(
    "final_points",
    rb"One Game finished, Update the Policy for newPointsA (?P<a>" + _POINTS + rb") newPointsB (?P<b>"
    + _POINTS + rb")" + END, a=int, b=int,
)  # fmt: skip
LINES.add("noise", rb"(?:\d.* day.*, )?(?=[\d.:]{7,24}[ \t\r]*\Z)[\d.]*:[\d.]*:[\d.]*" + END)
LINES.add(
    "dealer",
    rb"(?P<dialect>Karte dijeli |Card dealer: |Card dealer )(?P<name>.*)",
    dialect=(b"Karte dijeli ", b"Card dealer: ", b"Card dealer ").index,
)
LINES.add("pair_a", rb"PAI?R A: (?P<name>.*)")
LINES.add("pair_b", rb"PAIR B:: (?P<name>.*?) ?")  # the program appends a blank
LINES.add("pair_b", rb"PAI?R B: (?P<name>.*)")
LINES.add("must", rb"must (?P<must>True|False)" + END, must=b"True".__eq__)
_add_headings(
    "declarations", b"Zvanja:", b"Vocations:", b"Depending on maxDeclaredA, maxDeclared B - vocations:"
)
LINES.add("own_cards", rb"(?:KARTE|Cards): (?P<cards>.*?)" + END)
LINES.add(
    "prompt",  # only the beginning is compared
    rb"(?:Broj karte:.?|Ticket number:.{,2}|Broj boje \(ENTER.{,12}|Color number \(ENTER.{,14}|"
    rb"Zvati belu \(.{,10}|Call it white \(.{,8})(?P<behind>.*)",
)
_add_headings("bela", b"BELA!", b"BEAUTIFUL!")
_add_headings("points", b"Bodovi u dijeljenju:", b"Sharing Points:")
_add_headings("totals", b"Ukupni bodovi:", b"Total points:")
_add_beginnings("mark", b"=== ")
_add_beginnings(
    "crash", b"Traceback (most recent call last)", b"Killed", b"Terminated", b"Segmentation fault"
)
_add_beginnings(
    "trace", b"During handling of the above exception", b"The above exception was the direct cause"
)
_add_beginnings("before_trick", b">>>>>>>>Playing Phase", b">>>>>>>>End of one Round", b"trickValue ")
_add_beginnings(
    "noise", b"[RL] ", b"Bidding Pair: ", b"Handing now all ", b">>>>>>>>", b"Test if a player has belot",
    b"maxDeclared", b"belot.handValue ", b"declareA ", b"Local Declarations", b"localTable {", b"TRICK: [",
    b"knowledge:", b"RL-player.py ", b"trumpIndex ", b"leagalCards [", b"tensor(", b"grad_fn=<",
    b"I CANNOT USE CUDA", b"I USE CUDA NOW", b"I save your model ", b"inside train player", b"Categorical(",
    b"action_idx ", b"log_action_probabilities", b"self.rewards", b"Check passing, ", b"{<PlayerRole.",
    b"{<CardState.", b"{}",
)  # fmt: skip
LINES.add("warning", rb"\[W.*\.cpp:.*")
LINES.add(
    "warning",
    rb"(?! |-|> |KARO|HERC|PIK|TREF|={17}|Player |\[W|One Game finished, Update the Policy for newPointsA )"
    rb"(?=.*Warning: .*[^ \t\r])(?:(?!:\d).)*:\d+: .*[^ \t\r]" + END,
)


# ---------------------------------------------------------------- lines among others

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


class Classifier:
    """Classifies lines in their order; keeps what they let expect of the next one, before hands are known."""

    def __init__(self, text: Text) -> None:
        self._lines = text.lines
        self._before = ""  # the kind of the last line that was not blank; "crash" until a traceback is over
        self._acting = False  # whether a header was read, but no act of the player
        self._named = False  # whether trump is named
        self._cards = 0  # lines of cards since the last trick
        self._tricks = 0  # lines of tricks in the hand
        self._totals = 0  # pairs expected below the line of totals
        self._pause = _NO_PAUSE  # whether and where the program may wait for input

    def classify(self, index: int) -> Line:
        """The next line."""
        line = self._lines[index].removeprefix(BOM).removeprefix(_GARBLED_BOM)
        found = self._decide(LINES[line])
        if found.kind == "prompt":
            found = self._behind_prompt(found, line, index)
        kind = found.kind
        if kind == "blank":
            return found
        if self._before == "crash":
            is_indented = line.startswith(b" ")
            if is_indented or kind == "unknown" or kind in NOISE:
                self._before = "crash" if is_indented else ""
                return _TRACE
        is_code = kind == "unknown" and self._before == "warning" and line.startswith(b" ")
        if is_code or (self._pause and self._is_typed(index, kind)):
            found = _NOISE
        self._expect(found.kind)
        return found

    def _decide(self, found: tuple[Line, ...], behind_prompt: bool = False) -> Line:
        """What a line is, of what it may be by itself. In ``Karte dijeli Ana kaže dalje`` either Ana kaže
        dalje deals, or Karte dijeli Ana passes: that depends on whether a bid is expected, or the results of
        a hand or a match."""
        if len(found) < 2:
            return found[0] if found else _UNKNOWN
        kind = found[0].kind
        if kind in BIDS and self._acting and not self._named:
            return next((other for other in found if other.kind == "prompt"), found[0])
        sums = self._tricks == TRICKS and not self._acting and not behind_prompt
        if kind not in BIDS | RESULTS or (sums and kind in RESULTS):
            return found[0]
        return next((other for other in found if other.kind not in BIDS | RESULTS), found[0])

    def _next_line(self, index: int) -> bytes | None:
        """The next line that is not blank."""
        lines = self._lines
        for after in range(index + 1, len(lines)):
            if lines[after].strip(b" \t\r"):
                return lines[after]
        return None

    def _behind_prompt(self, prompt: Line, line: bytes, index: int) -> Line:
        """What follows a prompt: the answer, or the next line if input is not echoed. It is the answer if the
        program then asks again."""
        found = prompt
        while found.kind == "prompt":
            found = self._decide(LINES[found.fields["behind"]], behind_prompt=True)
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
        self._before, self._pause = kind, _NO_PAUSE
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
