"""The hands of a text, how they become columns, and a last line that may be torn."""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields, replace
from functools import wraps
from operator import attrgetter
from typing import Any, Final

import msgspec
import numpy as np

from cardlog import models
from cardlog.models.engine.game import Records
from cardlog.pipelines.events.batch import Batch, put_cards
from cardlog.pipelines.events.folding import fold_batch
from cardlog.pipelines.readers.arrays import blank_events, hand_ids
from cardlog.pipelines.readers.base import Read, Reject, Source
from cardlog.pipelines.readers.transcript.text import Fault, Text
from cardlog.schemas.cards import NO_SUIT
from cardlog.schemas.events import NO_AMOUNT, NO_DETAIL, NO_SEAT
from cardlog.schemas.reasons import Reason

NO_BEGINNING: Final = (
    "The text begins in the middle of a match that has no name, so this hand can't be told from others. "
    "Ingest the older text too, in one file or as a rotated log; if it is lost, put a line "
    "=== GAME <name> === before this one."
)

NO_NAME: Final = (
    "The text ends in the middle of this hand, after which its match would be named, since it has no name. "
    "Ingest the log again when it has grown; if it will not, put a line === GAME <name> === before this hand."
)


class Event(msgspec.Struct, gc=False):
    """An event that a line of the text reports; see `cardlog.schemas.events`."""

    action: int
    seat: int = NO_SEAT
    line: int = 0  # its index in `Text.lines`
    cards: bytes = b""  # their codes
    suit: int = NO_SUIT
    amount: int = NO_AMOUNT
    detail: str = ""  # empty for none


@dataclass(eq=False)
class Match:
    """A match, with the number of its hands so far, and the settings of its mark. Without a name it gets the
    digest of its first hand, so its hands can't be named unless the text has its beginning."""

    name: str = ""
    hands: int = 0
    settings: dict[str, str] = field(default_factory=dict)
    begins: bool = True


@dataclass(eq=False)
class Hand:
    """A hand of a text, or lines that look like one.

    Its context is what is needed to read it by itself, besides match and number: ``settings``, those of the
    mark, and whatever else the reader needs, such as the dealer and the score; empty if that is impossible.
    """

    match: Match | None  # None for none
    number: int  # its index in the match
    first: int  # index of its first line
    last: int  # index of its last line
    events: list[Event] = field(default_factory=list)  # the first one opens the hand
    context: dict[str, Any] = field(default_factory=dict)
    cut: bool = False  # whether the text ends in the middle of it
    fault: Fault | None = None  # why it goes to quarantine
    is_hand: bool = True  # whether it has a hand's id in quarantine
    index: int = 0  # the line that its parser handles

    def add(
        self, action: int, seat: int, cards: bytes = b"", suit: int = NO_SUIT, amount: int = NO_AMOUNT
    ) -> None:
        """Add an event of the line that is handled."""
        self.events.append(Event(action, seat, self.index, cards, suit, amount))

    def key(self) -> bytes:
        """What the hand's id is made of: the match, and the number in it."""
        return f"{self.match.name if self.match else ''}\0{self.number}".encode()

    def context_text(self) -> str:
        """What is needed to read the hand by itself: the JSON of `Section.context`."""
        if not self.context:
            return ""
        own = {"match": self.match.name if self.match else "", "hand_no": self.number}
        return json.dumps({**own, **self.context}, sort_keys=True)


def transcript(
    game: str, form: str
) -> Callable[[Callable[[Text], Iterable[Hand]]], Callable[..., list[Read]]]:
    """A decorator: makes a reader's `read` of a function that returns the hands of a text, in their order."""

    def decorate(hands_of: Callable[[Text], Iterable[Hand]]) -> Callable[..., list[Read]]:
        @wraps(hands_of)
        def read(content: bytes, source: Source, first_line: int = 1) -> list[Read]:
            def read_lines(piece: bytes, final: bool) -> Read:
                text = Text(piece, first_line, source.context, final)
                return read_of_hands(game, form, replace(source, final=final), text, hands_of(text))

            return [read_whole_lines(read_lines, content, source.final)]

        return read

    return decorate


# ---------------------------------------------------------------- columns


def read_of_hands(game: str, form: str, source: Source, text: Text, hands: Iterable[Hand]) -> Read:
    """The `Read` of the hands of a text."""
    kept: list[Hand] = []
    rejected: list[Hand] = []
    events: list[Event] = []
    sizes = [0]
    for parser in hands:
        # The many objects of parsers, kept to the end, would keep the garbage collector busy.
        hand = Hand(*(getattr(parser, attribute.name) for attribute in fields(Hand)))
        if hand.fault is None and hand.match and not (hand.match.begins or hand.match.name):
            hand.fault, hand.context = Fault(Reason.INCOMPLETE, NO_BEGINNING), {}
        is_first = hand.match and not hand.match.name and (not kept or kept[-1].match is not hand.match)
        if hand.fault is None and hand.cut and source.final and is_first:
            hand.fault, hand.context = Fault(Reason.INCOMPLETE, NO_NAME), {}
        (kept if hand.fault is None else rejected).append(hand)
        if hand.fault is None:
            sizes.append(len(hand.events))
            events += hand.events
        hand.events = []
    records, details = _records(events, models.game(game).event)
    records["line"] += text.first_line
    numbers = np.array([hand.number for hand in kept], np.int32)
    batch = Batch(game, np.zeros(len(kept), "S32"), records, np.cumsum(sizes), details, hand_nos=numbers)
    matches = _name_matches(kept, batch)
    batch.match_of = np.array([matches[hand.match] for hand in kept], np.int32)
    batch.matches = [match.name for match in matches if match]
    batch.hand_ids = hand_ids(form, source, [hand.key() for hand in kept])
    cut = np.array([hand.cut and not source.final for hand in kept], np.bool_)
    return Read(
        batch,
        [_reject(game, form, source, text, hand) for hand in rejected],
        raw_of=lambda hand: text.raw(kept[hand].first, kept[hand].last),
        first_lines=np.array([text.first_line + hand.first for hand in kept], np.int32),
        last_lines=np.array([text.first_line + hand.last for hand in kept], np.int32),
        lines_read=len(text),
        other_lines=len(text) - sum(hand.last - hand.first + 1 for hand in (*kept, *rejected)),
        cut=cut,
        cut_after_play=cut,
        context_of=lambda hand: kept[hand].context_text(),
    )


def _records(events: list[Event], dtype: np.dtype[np.void]) -> tuple[Records, list[str]]:
    """Events as records, and the texts of their details."""
    records = blank_events(len(events), dtype)
    details: dict[str, int] = {"": NO_DETAIL}
    for name in ("action", "seat", "line", "suit", "amount"):
        records[name] = [*map(attrgetter(name), events)]
    records["detail"] = [details.setdefault(event.detail, len(details) - 1) for event in events]
    cards = [event.cards for event in events]
    records["count"] = [*map(len, cards)]
    put_cards(records, np.frombuffer(b"".join(cards), np.uint8))
    return records, [*details][1:]


def _name_matches(hands: list[Hand], batch: Batch) -> dict[Match | None, int]:
    """The matches of the hands of a batch, numbered. A match without a name gets the digest of its first
    hand. All are digested in one go, since each call of `Batch.content` digests all openings of the batch."""
    first: dict[Match | None, int] = {}
    for index, hand in enumerate(hands):
        first.setdefault(hand.match, index)
    unnamed = {match: index for match, index in first.items() if match and not match.name}
    digests = batch.take(np.array([*unnamed.values()], np.int64)).content().tolist() if unnamed else []
    for match, digest in zip(unnamed, digests, strict=True):
        match.name = f"{digest:016x}"
    return {match: number for number, match in enumerate(first)}


def _reject(game: str, form: str, source: Source, text: Text, hand: Hand) -> Reject:
    fault = hand.fault
    assert fault is not None
    is_named = hand.is_hand and hand.match is not None and hand.match.name
    return Reject(
        fault.reason,
        fault.what if fault.line is None else text.message(fault.line, fault.what),
        text.raw(hand.first, hand.last),
        text.first_line + hand.first,
        text.first_line + hand.last,
        hand_ids(form, source, [hand.key()])[0].decode() if is_named else None,
        game,
        hand.context_text(),
    )


# ---------------------------------------------------------------- a last line without its end


def read_whole_lines(read: Callable[[bytes, bool], Read], text: bytes, final: bool) -> Read:
    """The `Read` of a text without its last line if that is torn; it then counts among the other lines.

    A last line without a line end may be the beginning of another one, as VII is of VIII. So it is taken for
    torn unless it completes a legal hand, and would not without its last character; or unless no hand is open
    that it could belong to, and it means nothing.
    """
    start = text.rfind(b"\n") + 1
    if start == len(text):
        return read(text, final)
    before, whole = read(text[:start], False), read(text, False)
    shorter = text.removesuffix(b"\r")[:-1]
    if _is_over(before, whole) and not (_has_cut(before) and _is_over(before, read(shorter, False))):
        return read(text, final)
    result = read(text[:start], final)
    result.lines_read += 1
    result.other_lines += 1
    return result


def _has_cut(read: Read) -> bool:
    return bool(read.cut.any())


def _is_over(before: Read, whole: Read) -> bool:
    """Whether a text ends between hands, the last one complete and legal; `before` is the text without its
    last line."""
    reasons, reasons_before = ([reject.reason for reject in read.rejects] for read in (whole, before))
    if _has_cut(whole) or reasons != reasons_before:
        return False
    if not len(whole.batch):
        return True
    last = fold_batch(whole.batch.take(np.array([len(whole.batch) - 1])))
    return bool(last.done[0]) and not last.reasons[0]
