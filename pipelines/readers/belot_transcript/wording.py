"""The wordings of the programs: the kinds of lines that they print, cards, and whose name a line contains.

Only ASCII is relied on, which is the same in every encoding: the symbols of suits and other letters may be
missing or garbled. The kind of a line may depend on the lines around it; see `outline`.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product
from typing import Any, Final

from cardlog.models.belote.state import HAND_CARDS
from cardlog.models.engine.trick import SEATS
from cardlog.pipelines.readers import transcript
from cardlog.pipelines.readers.transcript import LineTable, require
from cardlog.schemas import cards
from cardlog.schemas.reasons import Reason

DIALECTS: Final = {
    b"Karte dijeli ": "bornabesic",
    b"Card dealer: ": "cesmak",
    b"Card dealer ": "readme",
}
"""The dialects, by the line with the dealer."""
SUITS: Final = (b"KARO", b"HERC", b"PIK", b"TREF")
"""The suits in the order of their numbers in the transcripts."""
SUIT_CODES: Final = tuple(cards.SUITS.index(suit) for suit in "DHSC")
"""Their numbers in `cards.SUITS`."""
SYMBOLS: Final = tuple("♦♥♠♣")
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


_NO_CARD: Final = (
    "has something that is not a card: cards are KARO ♦, HERC ♥, PIK ♠ or TREF ♣, then VII, VIII, IX, X, "
    "Bube or DEČKO, DAMA, King or KRALJ, or AS, such as HERC ♥ VII"
)


@lru_cache(maxsize=4096)
def parse_card(text: bytes) -> int | None:
    """The code of a card, ``HERC ♥ VII``; None for anything else. Between the words may be the suit's symbol,
    garbled or not, or only a space, but not the symbol of another suit."""
    card = _CARD.fullmatch(text)
    if card is None:
        return None
    number, symbol = SUITS.index(card["suit"]), card["gap"].strip().decode(errors="replace")
    if symbol in SYMBOLS and symbol != SYMBOLS[number]:
        return None
    return SUIT_CODES[number] * cards.SUIT_STRIDE + cards.RANKS.index(_RANKS.get(card["rank"], "J"))


@lru_cache(maxsize=4096)
def parse_cards(text: bytes) -> bytes:
    """The codes of at most eight cards, separated by ``, ``. Raises Fault if one is not a card."""
    words = text.removesuffix(b", ").split(b", ") if text else []
    codes = [code for code in map(parse_card, words) if code is not None]
    require(len(codes) == len(words) <= HAND_CARDS, Reason.UNKNOWN_CARD, _NO_CARD)
    return bytes(codes)


# ---------------------------------------------------------------- lines

BIDS: Final = frozenset(("bid_pass", "trump"))
CLAIMS: Final = frozenset(("won", "failed", "all_tricks"))
"""Kinds of lines that begin with a name. A name may be anything, so these may look like other lines."""
RESULTS: Final = CLAIMS | {"points", "pair_points", "final_points", "totals"}
"""Kinds of lines after the last trick."""
NOISE: Final = frozenset(("noise", "before_trick", "warning", "blank"))
"""Kinds of lines without a meaning, in a hand. After some a trick may begin, and after a warning comes
code."""

_POINTS: Final = rb"(?P<points>0|[1-9]\d{0,4})"
_AFTER_SPACES: Final = rb" +(?! |---------- .*[^ \t\r])"
_INDENT: Final = rb"(?:\t|" + _AFTER_SPACES + rb")"
_TRUMPS: Final = b"|".join(rb"%d(?: %d| Suit\.%s)?" % (n, n, suit) for n, suit in enumerate(SUITS))
_NOISE: Final = (
    b"[RL] ", b"Bidding Pair: ", b"Handing now all ", b">>>>>>>>", b"Test if a player has belot",
    b"maxDeclared", b"belot.handValue ", b"declareA ", b"Local Declarations", b"localTable {", b"TRICK: [",
    b"knowledge:", b"RL-player.py ", b"trumpIndex ", b"leagalCards [", b"tensor(", b"grad_fn=<",
    b"I CANNOT USE CUDA", b"I USE CUDA NOW", b"I save your model ", b"inside train player", b"Categorical(",
    b"action_idx ", b"log_action_probabilities", b"self.rewards", b"Check passing, ", b"{<PlayerRole.",
    b"{<CardState.", b"{}",
)  # fmt: skip
"""Beginnings of the debug output."""


def _add(kind: str, *patterns: bytes, **convert: Callable[[bytes], Any]) -> None:
    """Add a kind: lines that match one of the patterns, perhaps followed by blanks."""
    LINES.add(kind, rb"(?:" + b"|".join(patterns) + rb")[ \t\r]*", **convert)


_add("blank", b"")
_add("crash", rb".*Traceback \(most recent call last\):")
_add("bid_pass", rb"(?P<name>.*)(?: says further| ka.{0,10}e dalje)")
_add(
    "trump",
    rb"(?P<name>.*) (?:zove|calling) (?P<suit>" + _TRUMPS + rb")",
    suit=lambda text: SUIT_CODES[int(text[:1])],
)
_add("won", rb"(?P<name>.*)(?: su pobjedili!| have won!)")
_add("failed", rb"(?P<name>.*)(?: nisu pro.{0,11}li!| they did not pass!)")
_add("all_tricks", rb"(?P<name>.*) (?:su napravili .{0,24}!|they made all stiche \(sword\)!?)")
_add("header", rb" *---------- (?P<name>.*) ----------")
_add("no_declaration", _INDENT + rb" *(?:Nema zvanja|No vocation)")
_add("declaration", _INDENT + rb"(?P<name>.*): \[(?P<sets>\{[^}]*\}(?:,.\{[^}]*\})*)\]")
_add("pair_points", _INDENT + rb"(?P<name>.+): " + _POINTS, points=int)
_add("trick", rb"> [^(]{0,22}\(" + _POINTS + rb"\) (?:kupi|made by) (?P<name>.*)", points=int)
_add("card", rb"(?P<card>(?:KARO|HERC|PIK|TREF).*?)")
_add("choice", rb"\[[-\d]\].*")
_add("sharing", rb"={17} (?:DIJELJENJE|SHARING) ={17}.*")
_add("hand_cards", rb"Player  *(?P<seat>[1-4]) Cards: \[(?P<cards>.*)\]", seat=lambda text: int(text) - 1)
_add(
    "final_points",
    rb"One Game finished, Update the Policy for newPointsA %b newPointsB %b"
    % (_POINTS.replace(b"points", b"a"), _POINTS.replace(b"points", b"b")),
    a=int,
    b=int,
)
_add("dealer", rb"(?P<dialect>%b)(?P<name>.*)" % b"|".join(DIALECTS), dialect=DIALECTS.__getitem__)
LINES.add("pair_a", rb"PAI?R A: (?P<name>.*)")
LINES.add("pair_b", rb"PAIR B:: (?P<name>.*?) ?")  # the program appends a blank
LINES.add("pair_b", rb"PAI?R B: (?P<name>.*)")
_add("must", rb"must (?P<must>True|False)", must=b"True".__eq__)
_add("declarations", rb"Zvanja:|Vocations:|Depending on maxDeclaredA, maxDeclared B - vocations:")
_add("own_cards", rb"(?:KARTE|Cards): +\[(?P<cards>.*)\]")
LINES.add(
    "prompt",  # only the beginning is compared
    rb"(?:Broj karte:.?|Ticket number:.{,2}|Broj boje \(ENTER.{,12}|Color number \(ENTER.{,14}|"
    rb"Zvati belu \(.{,10}|Call it white \(.{,8})(?P<behind>.*)",
)
_add("bela", rb"BELA!|BEAUTIFUL!")
_add("points", rb"Bodovi u dijeljenju:|Sharing Points:")
_add("totals", rb"Ukupni bodovi:|Total points:")
_add("mark", rb"=== .*")
_add("crash", rb"(?:Traceback \(most recent call last\)|Killed|Terminated|Segmentation fault).*")
_add("trace", rb"(?:During handling of the above exception|The above exception was the direct cause).*")
_add("before_trick", rb"(?:>>>>>>>>Playing Phase|>>>>>>>>End of one Round|trickValue ).*")
_add(
    "noise",
    _AFTER_SPACES + rb"(?:[-\d]|grad_fn=<|device=|dtype=|nan|inf).*",
    rb"\[[-\d].*[^ \t\r]",
    rb"(?:\d.* day.*, )?(?=[\d.:]{7,24}[ \t\r]*\Z)[\d.]*:[\d.]*:[\d.]*",
    rb"(?:%b).*" % b"|".join(map(re.escape, _NOISE)),
)
_add("warning", rb"\[W.*\.cpp:.*")
_add(
    "warning",
    rb"(?! |-|> |KARO|HERC|PIK|TREF|={17}|Player |\[W|One Game finished, Update the Policy for newPointsA )"
    rb"(?=.*Warning: .*[^ \t\r])(?:(?!:\d).)*:\d+: .*[^ \t\r]",
)

# ---------------------------------------------------------------- names

_AND: Final = b" i "
"""The word between the names of a pair."""
_ANDS: Final = re.compile(b"(?=" + _AND + b")")


@dataclass(eq=False)
class Match(transcript.Match):
    """A match. `pairs` has the names of the pairs, by the kinds of the lines that name them, ``pair_a`` and
    ``pair_b``; it is empty unless the match begins in this text, at 0 : 0."""

    pairs: dict[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True)
class Names:
    """The players of a match by seat, and its pairs; empty if unknown."""

    seats: tuple[bytes, ...] = ()
    pairs: tuple[bytes, ...] = ()


@lru_cache(maxsize=1024)
def find_name(names: tuple[bytes, ...], name: bytes, *words: bytes) -> tuple[int, ...]:
    """The indices of the names that may be meant, the likeliest first: this name, or this name without one of
    some words before it. One player may be called ``Player Two`` and another ``Two``.

    A name may begin or end with blanks. If those in the text differ, as when tabs were replaced, a name that
    is equal without them is meant if it is the only one."""
    indices: list[int] = []
    for text in (name, *(name.removeprefix(word) for word in words)):
        equal = [index for index, player in enumerate(names) if player == text]
        stripped = [index for index, player in enumerate(names) if player.strip(b" ") == text.strip(b" ")]
        indices += equal or (stripped if len(stripped) == 1 else [])
    return tuple(indices)


def find_names(pairs: Iterable[tuple[bytes, ...]], counts: Counter[bytes]) -> Names:
    """The players of a match. The word between the names of a pair may also be part of a name, so the split
    that agrees with most lines is chosen.

    pairs
        The names of the two pairs from some lines, the best source first.
    counts
        How often each name occurs in lines that name one player.
    """
    best, most = Names(), -1
    for pair in pairs:
        for (a1, a2), (b1, b2) in product(*map(_splits, pair)):
            names = Names((a1, b1, a2, b2), (a1 + _AND + a2, b1 + _AND + b2))
            count = sum(counts[name] for name in set(names.seats))
            if count > most and len(set(names.seats)) == SEATS:
                best, most = names, count
        if most == counts.total():
            break
    return best


def _splits(pair: bytes) -> list[tuple[bytes, bytes]]:
    """The ways to split a pair into names, with and without the blanks at its ends. In ``Ana i i Eva`` the
    word between the names occurs twice, sharing a blank."""
    return [
        (text[: word.start()], text[word.start() + len(_AND) :])
        for text in dict.fromkeys((pair, pair.strip(b" ")))
        for word in _ANDS.finditer(text)
    ]
