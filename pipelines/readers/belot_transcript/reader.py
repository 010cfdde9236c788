"""Belot's transcripts, as three programs of one engine print them.

`lines` classifies the lines, `hands` finds where hands begin and end, `parser` turns them into events; here
players get their names, and hands their openings. docs/formats/belot-transcript.md describes the format.
"""

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cardlog.models.belote import rules as belote
from cardlog.models.belote.score import SEATS
from cardlog.pipelines.readers.base import Read, Reject, Source
from cardlog.pipelines.readers.belot_transcript import faults, phrases
from cardlog.pipelines.readers.belot_transcript.hands import JUNK, NO_LINE, RESUMED, find_hands
from cardlog.pipelines.readers.belot_transcript.lines import classify
from cardlog.pipelines.readers.belot_transcript.names import Names, as_text, find_names, name_table
from cardlog.pipelines.readers.belot_transcript.parser import parse
from cardlog.pipelines.readers.scan import BOM
from cardlog.pipelines.readers.transcript import (
    FOUND,
    SPLIT_AT,
    Findings,
    OnDemand,
    Section,
    context_of,
    hand_ids,
    read_of,
    read_whole_lines,
    sections,
)
from cardlog.pipelines.storage.batch import Batch
from cardlog.schemas.reasons import Reason

__all__ = ["FORMAT", "GAMES", "LINE_PER_HAND", "SPLIT_AT", "SUMMARY", "read", "sniff"]

FORMAT: Final = "belot-transcript"
GAMES: Final = (belote.GAME,)
LINE_PER_HAND: Final = False
SUMMARY: Final = "Belot's hands as the programs of one engine print them, in three wordings"

_STARTS: Final = (
    b"PAR A: ", b"PAIR A: ", b"Karte dijeli ", b"Card dealer", b"[RL] ",
    b"================= DIJELJENJE", b"================= SHARING",
)  # fmt: skip
"""Beginnings of lines that no other format has."""
_BLANK_AFTER: Final = b"PAIR B:: "
"""The beginning of a line to which the program appends a blank."""
MOST_SHOWN: Final = 60
"""Bytes of a line that a message shows."""
_HANDS_FOR_NAMES: Final = 2
"""Number of hands in which the names of a match's players are looked up."""
_CUT_AT_ONCE: Final = "The text ends before the line that names the dealer of this hand."


def sniff(head: bytes) -> bool:
    """Whether the first bytes of a file look like this format."""
    return any(line.startswith(_STARTS) for line in head.removeprefix(BOM).split(b"\n"))


def read(text: bytes, source: Source, first_line: int = 1) -> list[Read]:
    """The hands of a text, whose first line has the number `first_line`."""
    return read_whole_lines(_read_lines, text, source, first_line)


def _read_lines(text: bytes, source: Source, first_line: int) -> Read:
    """The hands of a text of whole lines."""
    lines = classify(text)
    parts = sections(text, source, first_line)
    starts = np.array([*(part.first_line - first_line for part in parts), len(lines)], np.int64)
    hands, matches = find_hands(lines, starts)
    found = _Transcript(text, source, first_line, lines, parts, hands, matches)
    context = parts[0].context
    if context:
        _resume(found, context)
    names = _names(found, context)
    events = parse(np.frombuffer(text, np.uint8), lines, name_table(names), hands, matches)
    events["line"] += first_line
    return _read(found, names, events)


@dataclass(frozen=True)
class _Transcript:
    """A text, its lines, and the hands and matches in it: `LINE`, `HAND`, `MATCH`."""

    text: bytes
    source: Source
    first_line: int
    lines: NDArray[np.void]
    sections: list[Section]
    hands: NDArray[np.void]
    matches: NDArray[np.void]

    def names_in(self, indices: list[int] | NDArray[np.int64]) -> list[bytes]:
        """The names in some lines, including blanks at their ends."""
        starts, ends = (self.lines[name][indices].tolist() for name in ("name_start", "name_end"))
        return [self.text[start:end] for start, end in zip(starts, ends, strict=True)]

    def pairs_in(self, indices: tuple[int, int]) -> tuple[bytes, ...]:
        """The pairs that two lines name, empty where there is no such line."""
        return tuple(b"" if index == NO_LINE else self._pair_in(index) for index in indices)

    def _pair_in(self, index: int) -> bytes:
        [pair] = self.names_in([index])
        beginning = self.text[self.lines["start"][index] : self.lines["name_start"][index]]
        return pair.removesuffix(b" ") if beginning.endswith(_BLANK_AFTER) else pair

    def spans(self, hands: NDArray[np.void]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The offsets at which some hands begin and end, the last line's end included."""
        starts = np.append(self.lines["start"], len(self.text))
        return starts[hands["first"]], starts[hands["last"] + 1]


def _resume(found: _Transcript, context: dict[str, Any]) -> None:
    """Restore the number and the score before a hand that is read again by itself."""
    hands, before = found.hands, context["before"]
    found.matches["fresh"] = RESUMED
    hands["number"] = context["hand_no"] + np.arange(len(hands))
    if len(hands):
        hands["befores"][0] = len(before)
        hands["before"][0, : len(before)] = np.reshape(before, (-1, 2))


def _names(found: _Transcript, context: dict[str, Any]) -> list[Names]:
    """The players of each match. The headers of its first hands show where a pair's names are to be split; if
    the lines that name the pairs are missing or damaged, the totals name them."""
    if context and context["names"]:
        seats, pairs = (tuple(name.encode("latin-1") for name in context[key]) for key in ("names", "pairs"))
        return [Names(seats, pairs)] * len(found.matches)
    bounds = np.searchsorted(found.hands["match"], np.arange(len(found.matches) + 1)).tolist()
    named = zip(found.matches["pair_a"].tolist(), found.matches["pair_b"].tolist(), strict=True)
    names = []
    for lines, start, end in zip(named, bounds[:-1], bounds[1:], strict=True):
        hands = found.hands[start:end]
        totals = hands["totals"][hands["ended"] != 0].tolist()
        counts = _count_names(found, hands[:_HANDS_FOR_NAMES])
        names.append(find_names(map(found.pairs_in, [lines, *totals]), counts))
    return names


def _count_names(found: _Transcript, hands: NDArray[np.void]) -> Counter[bytes]:
    """How often each name occurs in lines with the name of one player."""
    counts: Counter[bytes] = Counter()
    for first, last in zip(hands["first"].tolist(), hands["last"].tolist(), strict=True):
        kinds = found.lines["kind"][first : last + 1]
        counts.update(
            found.names_in(first + np.flatnonzero((kinds == phrases.HEADER) | (kinds == phrases.DEALER)))
        )
    return counts


# ---------------------------------------------------------------- the result


def _read(found: _Transcript, names: list[Names], events: NDArray[np.void]) -> Read:
    hands = found.hands
    good = hands["fault"] == faults.FINE
    kept, bad = hands[good], hands[~good]
    offsets = np.append(kept["offset"], len(events)).astype(np.int64)
    details, detail_of = _openings(kept, names)
    events["detail"][offsets[:-1]] = detail_of
    ids = _ids(found)
    numbers = np.ascontiguousarray(kept["number"])
    nameless = Batch(belote.GAME, np.zeros(len(kept), "S32"), events, offsets, details, hand_nos=numbers)
    _name_by_content(ids, nameless, kept["match"])
    findings = Findings(
        _rows(found, kept),
        ids,
        events,
        offsets,
        details,
        OnDemand(len(kept), lambda hand: _context(found, names, kept[hand])),
        lines_read=len(found.lines),
        other_lines=len(found.lines) - int((hands["last"] - hands["first"] + 1).sum()),
    )
    read = read_of(belote.GAME, FORMAT, found.source, found.text, findings)
    starts, ends = found.spans(bad)
    for hand, start, end in zip(bad, starts.tolist(), ends.tolist(), strict=True):
        context = _context(found, names, hand)
        read.rejects.append(_reject(found, hand, found.text[start:end], read.batch.matches, context))
    return read


def _ids(found: _Transcript) -> list[str]:
    """The names of the matches: the mark's for the first one of a section, none for the others."""
    seen: set[int] = set()
    ids = []
    for section, hands in zip(
        found.matches["section"].tolist(), found.matches["hands"].tolist(), strict=True
    ):
        ids.append("" if section in seen else found.sections[section].match_id)
        # A section begins with a match without hands if the pairs are named only after some lines.
        if hands:
            seen.add(section)
    return ids


def _name_by_content(ids: list[str], batch: Batch, matches: NDArray[np.int32]) -> None:
    """Name the matches that have no name by the content of their first hands: all at once, since there may be
    thousands.

    matches
        The match of each hand of the batch.
    """
    named, firsts = np.unique(matches, return_index=True)
    nameless = [
        (match, hand) for match, hand in zip(named.tolist(), firsts.tolist(), strict=True) if not ids[match]
    ]
    if not nameless:
        return
    some = batch.take(np.array([hand for _, hand in nameless]))
    openings = some.offsets[:-1]
    some.details = [batch.details[index] for index in some.events["detail"][openings]]
    some.events["detail"][openings] = np.arange(len(some))
    for (match, _), digest in zip(nameless, some.content().tolist(), strict=True):
        ids[match] = f"{digest:016x}"


def _rows(found: _Transcript, hands: NDArray[np.void]) -> NDArray[np.void]:
    rows = np.zeros(len(hands), FOUND)
    rows["start"], rows["end"] = found.spans(hands)
    for name in ("match", "number", "cut"):
        rows[name] = hands[name]
    rows["first_line"], rows["last_line"] = (
        hands["first"] + found.first_line,
        hands["last"] + found.first_line,
    )
    return rows


def _openings(hands: NDArray[np.void], names: list[Names]) -> tuple[list[str], NDArray[np.int32]]:
    """The distinct details of openings, and the index of each hand's."""
    details: dict[str, int] = {}
    which = []
    fields = ("match", "dialect", "dealer", "prompted", "acted", "ordered", "in_match", "score")
    columns = [hands[name].tolist() for name in fields]
    for match, dialect, dealer, prompted, acted, ordered, in_match, score in zip(*columns, strict=True):
        detail = belote.opening(
            phrases.DIALECTS[dialect],
            dealer,
            players=_players(names[match], prompted, acted),
            score=score if in_match else None,
            dealt_order=[bool(ordered >> seat & 1) for seat in range(SEATS)],
        )
        which.append(details.setdefault(detail, len(details)))
    return list(details), np.array(which, np.int32)


@lru_cache(maxsize=256)
def _players(names: Names, prompted: int, acted: int) -> list[dict[str, str]]:
    """A seat that was asked at the keyboard is a person; one that acted without being asked is a program."""
    players = []
    for seat, name in enumerate(names.seats):
        player = {"name": as_text(name)}
        if prompted >> seat & 1:
            player["kind"] = "human"
        elif acted >> seat & 1:
            player["kind"] = "computer"
        players.append(player)
    return players


def _context(found: _Transcript, names: list[Names], hand: np.void) -> dict[str, Any]:
    """What is needed to read a hand by itself."""
    match = int(hand["match"])
    return {
        "settings": found.sections[int(found.matches["section"][match])].settings,
        "names": [name.decode("latin-1") for name in names[match].seats],
        "pairs": [name.decode("latin-1") for name in names[match].pairs],
        "before": hand["before"][: int(hand["befores"])].tolist(),
    }


def _reject(found: _Transcript, hand: np.void, raw: bytes, ids: list[str], context: dict[str, Any]) -> Reject:
    fault, number, match = int(hand["fault"]), int(hand["number"]), ids[int(hand["match"])]
    reason = faults.REASONS[fault]
    hand_id = None
    if match and hand["stray"] != JUNK:
        hand_id = hand_ids(FORMAT, found.source, [match], np.array([number], np.int32))[0].decode()
    message = _sentence(found, int(hand["line"]), fault)
    if hand["cut"] and not found.source.final and hand["dealer"] < 0 and reason is Reason.INCOMPLETE:
        message = _CUT_AT_ONCE
    return Reject(
        reason, message, raw, found.first_line + int(hand["first"]), found.first_line + int(hand["last"]),
        hand_id, belote.GAME, context_of(match, number, context),
    )  # fmt: skip


def _sentence(found: _Transcript, index: int, fault: int) -> str:
    """The message on a line at fault."""
    start, end = found.lines["start"][index], found.lines["end"][index]
    shown = found.text[start:end][:MOST_SHOWN].decode("utf-8", "replace").strip()
    return f"Line {found.first_line + index}, {shown!r}, {faults.SENTENCES[fault]}."
