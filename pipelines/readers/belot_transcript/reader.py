"""Belot's transcripts: what three programs of one engine print, hand after hand.

`belot_lines` says what each line is, `belot_segments` where hands begin and end, `belot_hands` makes
events of them; here the players get their names, and hands their openings. docs/formats/belot-transcript.md
describes the format.
"""

import re
from collections import Counter
from dataclasses import dataclass
from itertools import product
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cardlog.models.belote import rules as belote
from cardlog.models.belote.score import SEATS
from cardlog.pipelines.readers.base import Read, Reject, Source
from cardlog.pipelines.readers.belot_transcript import lines
from cardlog.pipelines.readers.belot_transcript.context import classify
from cardlog.pipelines.readers.belot_transcript.hands import HAND, JUNK, MATCH, NO_LINE, TOLD, segment
from cardlog.pipelines.readers.belot_transcript.parser import parse
from cardlog.pipelines.readers.belot_transcript.state import FIXED_EVENTS, NAMES, SENTENCES, SETS_OF_A_LINE
from cardlog.pipelines.readers.scan import BOM, line_bounds
from cardlog.pipelines.readers.transcript import FOUND, Section, context_of, hand_ids, read_of, sections
from cardlog.pipelines.readers.transcript import PARTED_AT as MARK
from cardlog.pipelines.storage.batch import Batch
from cardlog.schemas.reasons import Reason

FORMAT: Final = "belot-transcript"
GAMES: Final = (belote.GAME,)
LINE_PER_HAND: Final = False
PARTED_AT: Final = MARK
SUMMARY: Final = "Belot's hands as the programs of one engine print them, in three wordings"

_STARTS: Final = (
    b"PAR A: ", b"PAIR A: ", b"Karte dijeli ", b"Card dealer", b"[RL] ",
    b"================= DIJELJENJE", b"================= SHARING",
)  # fmt: skip
"""How lines begin that no other format has."""
_AND: Final = b" i "
"""What stands between the names of a pair."""
_ANDS: Final = re.compile(b"(?=" + _AND + b")")
_BLANK_AFTER: Final = b"PAIR B:: "
"""The beginning of a line that the program ends with a blank."""
MOST_SHOWN: Final = 60
"""Bytes of a line that a message repeats."""
_HANDS_FOR_NAMES: Final = 2
"""Hands of a match whose lines are looked at for the names of its players."""
_CUT_AT_ONCE: Final = "The text ends before this hand says who deals."


def sniff(head: bytes) -> bool:
    """Whether a file that begins so looks like this format."""
    return any(line.startswith(_STARTS) for line in head.removeprefix(BOM).split(b"\n"))


@dataclass(frozen=True)
class _Names:
    """The players of a match, in the order of their seats, and its pairs; empty if not known."""

    seats: tuple[bytes, ...] = ()
    pairs: tuple[bytes, ...] = ()


@dataclass
class _Text:
    """A text and what its lines are."""

    text: bytes
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    kinds: NDArray[np.uint8]
    begins: NDArray[np.int64]
    finishes: NDArray[np.int64]
    numbers: NDArray[np.int64]

    def about(self, line: int) -> bytes:
        """What a line is about: the name in it, blanks at its ends included."""
        return self.text[self.begins[line] : self.finishes[line]]

    def named(self, line: int) -> bytes:
        """The names in a line, empty if there is no such line."""
        if line == NO_LINE:
            return b""
        begun = self.text[self.starts[line] : self.begins[line]].endswith(_BLANK_AFTER)
        return self.about(line).removesuffix(b" ") if begun else self.about(line)

    def lines_of(self, hand: np.void, kinds: tuple[int, ...]) -> list[int]:
        """The lines of a hand that are of some kinds."""
        first, after = int(hand["first"]), int(hand["last"]) + 1
        return (first + np.flatnonzero(np.isin(self.kinds[first:after], kinds))).tolist()

    def span(self, hand: np.void) -> tuple[int, int]:
        """The bytes of a hand's lines, with the last one's end."""
        after = int(hand["last"]) + 1
        start = int(self.starts[hand["first"]])
        return start, int(self.starts[after]) if after < len(self.starts) else len(self.text)


def read(text: bytes, source: Source, first_line: int = 1) -> list[Read]:
    """The hands of a text, whose first line has the number `first_line`."""
    found = _classified(text, source)
    parts = sections(text, source, first_line)
    hands, matches = _segmented(found, parts, first_line)
    context = parts[0].context
    if context:
        hands = _restored(hands, matches, context)
    names = [_names_of(found, hands, match, context) for match in matches]
    events = _parsed(found, hands, matches, names, first_line)
    return [_read(found, source, parts, hands, matches, names, events, first_line)]


def _classified(text: bytes, source: Source) -> _Text:
    """The lines of a text. A last one that is not finished is left alone if the text may go on."""
    buffer = np.frombuffer(text, np.uint8)
    starts, ends = line_bounds(buffer)
    size = len(starts)
    begins, finishes, numbers = (np.zeros(size, np.int64) for _ in range(3))
    kinds = np.zeros(size, np.uint8)
    inside = starts.copy()
    if text.startswith(BOM):
        inside[0] = min(len(BOM), ends[0])
    classify(buffer, inside, ends, kinds, begins, finishes, numbers)
    if size and not text.endswith(b"\n") and (not source.final or kinds[-1] == lines.UNKNOWN):
        kinds[-1] = lines.PARTIAL
    return _Text(text, starts, ends, kinds, begins, finishes, numbers)


def _segmented(
    found: _Text, parts: list[Section], first_line: int
) -> tuple[NDArray[np.void], NDArray[np.void]]:
    size = len(found.starts)
    bounds = np.array([*(part.first_line - first_line for part in parts), size], np.int64)
    hands = np.zeros(size + 1, HAND)
    matches = np.zeros(len(parts) + size, MATCH)
    count, games = segment(found.kinds, bounds, hands, matches)
    hands = hands[:count]
    # Of the hands that a section's end cuts only the last one of the text may go on.
    hands["cut"][:-1] = 0
    if len(hands) and hands["match"][-1] != games - 1:
        hands["cut"][-1] = 0
    return hands, matches[:games]


def _restored(
    hands: NDArray[np.void], matches: NDArray[np.void], context: dict[str, Any]
) -> NDArray[np.void]:
    """The hands of a text that is a single hand out of a longer one, with what was known of it there."""
    before = context["before"]
    matches["fresh"] = TOLD
    hands["number"] = context["hand_no"] + np.arange(len(hands))
    for hand in hands[:1]:
        hand["befores"] = len(before)
        for place, score in enumerate(before):
            hand["before"][place] = score
    return hands


# ---------------------------------------------------------------- names


def _names_of(found: _Text, hands: NDArray[np.void], match: np.void, context: dict[str, Any]) -> _Names:
    """Who plays a match. The lines that name the pairs part names by a word that may be in a name, so
    what most headers of its first hands agree with is taken; if those lines are missing or spoilt, the
    totals name the pairs."""
    if context and context["names"]:
        seats, pairs = (tuple(name.encode("latin-1") for name in context[key]) for key in ("names", "pairs"))
        return _Names(seats, pairs)
    first = int(match["first_hand"])
    own = hands[first:]
    own = own[: int(np.count_nonzero(own["match"] == own["match"][0]))] if len(own) else own
    heard = Counter(
        found.about(line)
        for hand in own[:_HANDS_FOR_NAMES]
        for line in found.lines_of(hand, (lines.HEADER, lines.DEALER))
    )
    told = [(int(match["pair_a"]), int(match["pair_b"]))]
    told += [(int(hand["totals"][0]), int(hand["totals"][1])) for hand in own if hand["ended"]]
    best, most = _Names(), -1
    for pair_a, pair_b in dict.fromkeys((found.named(a), found.named(b)) for a, b in told):
        for (a1, a2), (b1, b2) in product(_partings(pair_a), _partings(pair_b)):
            names = _Names((a1, b1, a2, b2), (a1 + _AND + a2, b1 + _AND + b2))
            agree = sum(heard[name] for name in set(names.seats))
            if agree > most and len(set(names.seats)) == SEATS:
                best, most = names, agree
        if most == heard.total():
            break
    return best


def _partings(pair: bytes) -> list[tuple[bytes, bytes]]:
    """The ways to part the names of a pair: as it stands, and without blanks at its ends. In ``Ana i i
    Eva`` the word between the names may stand at two places that share a blank."""
    return [
        (text[: word.start()], text[word.start() + len(_AND) :])
        for text in dict.fromkeys((pair, pair.strip(b" ")))
        for word in _ANDS.finditer(text)
    ]


def _text_of(name: bytes) -> str:
    """A name as text: in UTF-8, else in the code page that Croatian was written in before."""
    try:
        return name.decode()
    except UnicodeDecodeError:
        return name.decode("cp1250", "replace")


# ---------------------------------------------------------------- hands


def _parsed(
    found: _Text,
    hands: NDArray[np.void],
    matches: NDArray[np.void],
    names: list[_Names],
    first_line: int,
) -> NDArray[np.void]:
    """The events of all hands; the rest of what is known of them is put into `hands`."""
    each = [[*name.seats, *name.pairs] if name.seats else [b""] * NAMES for name in names]
    lengths = np.array([[len(name) for name in row] for row in each], np.int64).reshape(-1, NAMES)
    stops = np.cumsum(lengths.ravel()).reshape(-1, NAMES)
    name_at = np.stack([stops - lengths, stops], axis=-1)
    name_at[[not name.seats for name in names]] = -1
    spelled = np.frombuffer(b"".join(name for row in each for name in row) or b"\0", np.uint8)
    single = np.isin(
        found.kinds,
        (lines.PASS, lines.TRUMP, lines.CARD, lines.BELA, lines.TRICK, lines.PAIR_POINTS),
    )
    several = np.isin(found.kinds, (lines.DECLARATION, lines.FINAL_POINTS))
    most = int(single.sum()) + SETS_OF_A_LINE * int(several.sum()) + (FIXED_EVENTS + 1) * (len(hands) + 1)
    events = np.empty(most, belote.EVENT)
    count = parse(
        np.frombuffer(found.text, np.uint8), found.kinds, found.begins, found.finishes, found.numbers,
        spelled, name_at, first_line, hands, matches, events,
    )  # fmt: skip
    return events[:count]


def _read(
    found: _Text,
    source: Source,
    parts: list[Section],
    hands: NDArray[np.void],
    matches: NDArray[np.void],
    names: list[_Names],
    events: NDArray[np.void],
    first_line: int,
) -> Read:
    good = hands["reason"] == 0
    kept, bad = hands[good], hands[~good]
    offsets = np.append(kept["offset"], len(events)).astype(np.int64)
    details, detail_of = _openings(kept, names)
    events["detail"][offsets[:-1]] = detail_of
    ids = _ids(parts, matches)
    _name_the_others(ids, kept, events, offsets, details)
    contexts = [_context(parts, matches, names, hand) for hand in hands]
    rejects: list[Reject] = []
    in_hands = int((hands["last"] - hands["first"] + 1).sum())
    result = read_of(
        belote.GAME, FORMAT, source, found.text, _found(found, kept, first_line), ids,
        events, offsets, details,
        [context for context, fine in zip(contexts, good.tolist(), strict=True) if fine],
        rejects=rejects,
        lines_read=len(found.starts),
        other_lines=len(found.starts) - in_hands,
    )  # fmt: skip
    named = result.batch.matches
    for hand, context in zip(
        bad, [c for c, fine in zip(contexts, good.tolist(), strict=True) if not fine], strict=True
    ):
        rejects.append(_reject(found, source, named, hand, context, first_line))
    return result


def _ids(parts: list[Section], matches: NDArray[np.void]) -> list[str]:
    """The names of the matches: of the first one of a section that of its mark, the others have none."""
    seen: set[int] = set()
    ids = []
    for match in matches:
        section = int(match["section"])
        # A section begins with a match of no hands if what names the pairs comes only after some lines.
        if section in seen:
            ids.append("")
        else:
            ids.append(parts[section].match_id)
            if match["hands"]:
                seen.add(section)
    return ids


def _name_the_others(
    ids: list[str],
    hands: NDArray[np.void],
    events: NDArray[np.void],
    offsets: NDArray[np.int64],
    details: list[str],
) -> None:
    """Name the matches that have no name by what their first hands say: all at once, since a text may
    hold thousands."""
    matches, firsts = np.unique(hands["match"], return_index=True)
    wanted = [(int(match), int(hand)) for match, hand in zip(matches, firsts, strict=True) if not ids[match]]
    if not wanted:
        return
    numbers = np.ascontiguousarray(hands["number"])
    batch = Batch(belote.GAME, np.zeros(len(hands), "S32"), events, offsets, details, hand_nos=numbers)
    some = batch.take(np.array([hand for _, hand in wanted]))
    openings = some.offsets[:-1]
    some.details = [details[place] for place in some.events["detail"][openings]]
    some.events["detail"][openings] = np.arange(len(some))
    for (match, _), digest in zip(wanted, some.content().tolist(), strict=True):
        ids[match] = f"{digest:016x}"


def _found(found: _Text, hands: NDArray[np.void], first_line: int) -> NDArray[np.void]:
    rows = np.zeros(len(hands), FOUND)
    spans = np.array([found.span(hand) for hand in hands], np.int64).reshape(-1, 2)
    rows["match"], rows["number"] = hands["match"], hands["number"]
    rows["start"], rows["end"] = spans[:, 0], spans[:, 1]
    rows["first_line"], rows["last_line"] = hands["first"] + first_line, hands["last"] + first_line
    rows["cut"] = hands["cut"]
    return rows


def _openings(hands: NDArray[np.void], names: list[_Names]) -> tuple[list[str], NDArray[np.int32]]:
    """The openings' details without repetition, and which one each hand has."""
    details: dict[str, int] = {}
    which = [details.setdefault(_opening(hand, names), len(details)) for hand in hands]
    return list(details), np.array(which, np.int32)


def _opening(hand: np.void, names: list[_Names]) -> str:
    """A seat that was asked at the keyboard is a person's; one that acted without being asked is not."""
    prompted, acted, ordered = int(hand["prompted"]), int(hand["acted"]), int(hand["ordered"])
    players = []
    for seat, name in enumerate(names[int(hand["match"])].seats):
        player = {"name": _text_of(name)}
        if prompted >> seat & 1:
            player["kind"] = "human"
        elif acted >> seat & 1:
            player["kind"] = "computer"
        players.append(player)
    return belote.opening(
        lines.DIALECTS[int(hand["dialect"])],
        int(hand["dealer"]),
        players=players,
        score=hand["score"].tolist() if hand["in_match"] else None,
        dealt_order=[bool(ordered >> seat & 1) for seat in range(SEATS)],
    )


def _context(
    parts: list[Section], matches: NDArray[np.void], names: list[_Names], hand: np.void
) -> dict[str, Any]:
    """What it takes to read a hand by itself."""
    match = int(hand["match"])
    return {
        "settings": parts[int(matches[match]["section"])].settings,
        "names": [name.decode("latin-1") for name in names[match].seats],
        "pairs": [name.decode("latin-1") for name in names[match].pairs],
        "before": hand["before"][: int(hand["befores"])].tolist(),
    }


def _reject(
    found: _Text, source: Source, named: list[str], hand: np.void, context: dict[str, Any], first_line: int
) -> Reject:
    start, end = found.span(hand)
    match, number = named[int(hand["match"])], np.array([hand["number"]], np.int32)
    line = int(hand["line"])
    said = found.text[found.starts[line] : found.ends[line]][:MOST_SHOWN].decode("utf-8", "replace")
    message = f"Line {first_line + line}, {said.strip()!r}, {SENTENCES[int(hand['what'])]}."
    if hand["cut"] and not source.final and hand["dealer"] < 0 and hand["reason"] == Reason.INCOMPLETE:
        message = _CUT_AT_ONCE
    is_hand = match and hand["stray"] != JUNK
    return Reject(
        Reason(int(hand["reason"])),
        message,
        found.text[start:end],
        first_line + int(hand["first"]),
        first_line + int(hand["last"]),
        hand_ids(FORMAT, source, [match], number)[0].decode() if is_hand else None,
        belote.GAME,
        context_of(match, int(hand["number"]), context),
    )
