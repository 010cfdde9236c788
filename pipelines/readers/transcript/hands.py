"""The hands of a text, and how they become columns."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from cardlog import models
from cardlog.models.game import Records
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.readers.arrays import blank_events, hand_ids, put_cards
from cardlog.pipelines.readers.base import Read, Reject, Source
from cardlog.pipelines.readers.transcript.lines import Fault, Text
from cardlog.schemas.cards import NO_SUIT
from cardlog.schemas.events import NO_AMOUNT, NO_DETAIL, NO_SEAT


class Event(msgspec.Struct, gc=False):
    """What happened, by a line of the text; see `cardlog.schemas.events`.

    line
        Its index in `Text.lines`.
    cards
        Their codes.
    detail
        Empty for none; the opening's is that of the `Hand`.
    """

    action: int
    seat: int = NO_SEAT
    line: int = 0
    cards: bytes = b""
    suit: int = NO_SUIT
    amount: int = NO_AMOUNT
    detail: str = ""


@dataclass
class Hand:
    """A hand of a text, or lines that look like one.

    match
        Index of its match, -1 for none.
    number
        Its index in the match.
    first, last
        Indices of its first and last line.
    events
        The first one opens the hand.
    detail
        The opening's.
    context
        What is needed to read the hand by itself, besides match and number: ``settings``, those of the mark,
        and whatever else the reader needs, such as the dealer and the score. Empty if it can't be.
    cut
        Whether the text ends in the middle of it.
    fault
        Why it goes to quarantine.
    is_hand
        Whether it is a hand, so that what goes to quarantine has a hand's id.
    """

    match: int
    number: int
    first: int
    last: int
    events: list[Event] = field(default_factory=list)
    detail: str = ""
    context: dict[str, Any] = field(default_factory=dict)
    cut: bool = False
    fault: Fault | None = None
    is_hand: bool = True


def read_of_hands(
    game: str, form: str, source: Source, text: Text, hands: Iterable[Hand], matches: list[str]
) -> Read:
    """What a reader made of a text.

    hands
        In the order of the text.
    matches
        The names of the matches. One without, an empty text, is named by the content of its first whole hand.
        May grow with the hands.
    """
    kept: list[Hand] = []
    rejected: list[Hand] = []
    events: list[Event] = []
    sizes = [0]
    for hand in hands:
        (kept if hand.fault is None else rejected).append(hand)
        if hand.fault is None:
            hand.events[0].detail = hand.detail
            sizes.append(len(hand.events))
            events += hand.events
        hand.events = []
    records, details = _records(events, models.game(game).event)
    records["line"] += text.first_line
    numbers = np.array([hand.number for hand in kept], np.int32)
    match_of = np.array([hand.match for hand in kept], np.int32)
    batch = Batch(game, np.zeros(len(kept), "S32"), records, np.cumsum(sizes), details, hand_nos=numbers)
    names = _match_names(matches, match_of, batch)
    batch.match_of, batch.matches = match_of, names
    batch.hand_ids = hand_ids(form, source, [_key(hand, names) for hand in kept])
    cut = np.array([hand.cut and not source.final for hand in kept], np.bool_)
    names = [*names, ""]
    return Read(
        batch,
        [_reject(game, form, source, text, hand, names) for hand in rejected],
        raw_of=lambda hand: text.raw(kept[hand].first, kept[hand].last),
        first_lines=np.array([text.first_line + hand.first for hand in kept], np.int32),
        last_lines=np.array([text.first_line + hand.last for hand in kept], np.int32),
        lines_read=len(text),
        other_lines=len(text) - sum(hand.last - hand.first + 1 for hand in (*kept, *rejected)),
        cut=cut,
        ends_with_play=False,
        context_of=lambda hand: _context(kept[hand], names),
    )


def _records(events: list[Event], dtype: np.dtype[np.void]) -> tuple[Records, list[str]]:
    """Events as records, and the details that they name."""
    records = blank_events(len(events), dtype)
    details: dict[str, int] = {"": NO_DETAIL}
    for name in ("action", "seat", "line", "suit", "amount"):
        records[name] = [*map(attrgetter(name), events)]
    records["detail"] = [details.setdefault(event.detail, len(details) - 1) for event in events]
    cards = [event.cards for event in events]
    records["count"] = [*map(len, cards)]
    put_cards(records, np.frombuffer(b"".join(cards), np.uint8))
    return records, [*details][1:]


def _match_names(matches: list[str], match_of: NDArray[np.int32], batch: Batch) -> list[str]:
    """The names of matches; one without has the digest of its first hand. All are digested together, since
    every call of `Batch.content` digests all openings of the batch."""
    names = list(matches)
    seen, first = np.unique(match_of, return_index=True)
    unnamed = np.array([not names[match] for match in seen.tolist()], np.bool_)
    if unnamed.any():
        digests = batch.take(first[unnamed]).content()
        for match, digest in zip(seen[unnamed].tolist(), digests.tolist(), strict=True):
            names[match] = f"{digest:016x}"
    return names


def _key(hand: Hand, matches: list[str]) -> bytes:
    """What a hand's id is made of: the match, and the number in it."""
    return f"{matches[hand.match]}\0{hand.number}".encode()


def _context(hand: Hand, matches: list[str]) -> str:
    """What is needed to read a hand by itself: the JSON of `Section.context`."""
    if not hand.context:
        return ""
    return json.dumps({"match": matches[hand.match], "hand_no": hand.number, **hand.context}, sort_keys=True)


def _reject(game: str, form: str, source: Source, text: Text, hand: Hand, matches: list[str]) -> Reject:
    fault = hand.fault
    assert fault is not None
    hand_id = None
    if matches[hand.match] and hand.is_hand:
        hand_id = hand_ids(form, source, [_key(hand, matches)])[0].decode()
    return Reject(
        fault.reason,
        fault.what if fault.line is None else text.message(fault.line, fault.what),
        text.raw(hand.first, hand.last),
        text.first_line + hand.first,
        text.first_line + hand.last,
        hand_id,
        game,
        _context(hand, matches),
    )
