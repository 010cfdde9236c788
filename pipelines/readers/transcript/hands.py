"""The hands of a transcript, and how they become columns."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from cardlog import models
from cardlog.models.fold import Records
from cardlog.pipelines.readers.base import Read, Reject, Source
from cardlog.pipelines.readers.transcript.findings import FOUND, Findings, context_of, hand_ids, read_of
from cardlog.pipelines.readers.transcript.lines import Fault, Text
from cardlog.schemas.cards import NO_SUIT
from cardlog.schemas.events import NO_AMOUNT, NO_DETAIL, NO_SEAT, NO_TIME


class Event(NamedTuple):
    """What happened, by a line of the text; see `cardlog.schemas.events`.

    line
        Its index in `Text.lines`.
    cards
        Their codes.
    """

    action: int
    seat: int = NO_SEAT
    line: int = 0
    cards: bytes = b""
    suit: int = NO_SUIT
    amount: int = NO_AMOUNT


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
        What is needed to read the hand by itself; see `context_of`.
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
        In the order of the text, best made one by one: the garbage collector would spend a third of the time
        on `Event`s that are kept.
    matches
        The names of the matches, empty for those without; see `Findings`. May grow with the hands.
    """
    kept: list[Hand] = []
    rejected: list[Hand] = []
    sizes = [0]
    rows: list[tuple[Any, ...]] = []
    for hand in hands:
        (kept if hand.fault is None else rejected).append(hand)
        if hand.fault is None:
            sizes.append(len(hand.events))
            rows.extend(map(tuple, hand.events))
        hand.events = []
    details: dict[str, int] = {}
    offsets = np.cumsum(sizes, dtype=np.int64)
    events = _columns(rows, models.game(game).EVENT)
    events["line"] += text.first_line
    events["detail"][offsets[:-1]] = [details.setdefault(hand.detail, len(details)) for hand in kept]
    findings = Findings(
        _found(text, kept),
        matches,
        events,
        offsets,
        list(details),
        [hand.context for hand in kept],
        lines_read=len(text),
        other_lines=len(text) - sum(hand.last - hand.first + 1 for hand in (*kept, *rejected)),
    )
    read = read_of(game, form, source, text.text, findings)
    names = [*read.batch.matches, ""]
    read.rejects += [_reject(game, form, source, text, hand, names[hand.match]) for hand in rejected]
    return read


def _columns(events: list[tuple[Any, ...]], dtype: np.dtype[np.void]) -> Records:
    """Events as records, without detail."""
    records = np.zeros(len(events), dtype)
    records["detail"], records["at"] = NO_DETAIL, NO_TIME
    if events:
        actions, seats, lines, cards, suits, amounts = zip(*events, strict=True)
        records["action"], records["seat"], records["line"] = actions, seats, lines
        records["suit"], records["amount"] = suits, amounts
        records["count"] = [*map(len, cards)]
        most = records["cards"].shape[1]
        codes = b"".join([shown.ljust(most, b"\0") for shown in cards])
        records["cards"] = np.frombuffer(codes, np.uint8).reshape(-1, most)
    return records


def _found(text: Text, hands: list[Hand]) -> Records:
    """Hands as `FOUND`."""
    found = np.zeros(len(hands), FOUND)
    for name in ("match", "number", "cut"):
        found[name] = [getattr(hand, name) for hand in hands]
    found["start"] = [text.starts[hand.first] for hand in hands]
    found["end"] = [text.starts[hand.last + 1] for hand in hands]
    found["first_line"] = [text.first_line + hand.first for hand in hands]
    found["last_line"] = [text.first_line + hand.last for hand in hands]
    return found


def _reject(game: str, form: str, source: Source, text: Text, hand: Hand, match: str) -> Reject:
    fault = hand.fault
    assert fault is not None
    hand_id = None
    if match and hand.is_hand:
        hand_id = hand_ids(form, source, [match], np.array([hand.number], np.int32))[0].decode()
    message = fault.what if fault.line is None else text.message(fault.line, fault.what)
    return Reject(
        fault.reason,
        message,
        text.raw(hand.first, hand.last),
        text.first_line + hand.first,
        text.first_line + hand.last,
        hand_id,
        game,
        context_of(match, hand.number, hand.context),
    )
