"""High card's log: one hand per line. docs/formats/high-card-log.md describes it."""

import re
from typing import Final

import numpy as np

from cardlog.models.high_card import rules as high_card
from cardlog.models.trick import SEATS
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.readers.base import BOM, Read, Reject, Source, hand_name
from cardlog.schemas import cards
from cardlog.schemas.events import NO_AMOUNT, NO_DETAIL, NO_SEAT, NO_TIME, Action
from cardlog.schemas.reasons import Reason

FORMAT: Final = "high-card-log"
GAMES: Final = (high_card.GAME,)
LINE_PER_HAND: Final = True
SUMMARY: Final = "High card's hands, one per line"

_START: Final = b"high card "
_CARDS: Final = rb"(?:[2-9TJQKA][CDHS])"
_LINE: Final = re.compile(
    rb"high card (0|[1-9][0-9]{0,8}), dealer ([0-3]): (%b{3}) (%b{3}) (%b{3}) (%b{3}), play (%b{0,12})"
    rb"(?:, team ([01]) wins)?" % (_CARDS, _CARDS, _CARDS, _CARDS, _CARDS)
)
_MESSAGE: Final = (
    "The line is no hand; one is “high card NUMBER, dealer SEAT: four hands, play CARDS, team TEAM wins”."
)


def sniff(head: bytes) -> bool:
    """Whether a file that begins so looks like this format."""
    return any(line.startswith(_START) for line in head.removeprefix(BOM).split(b"\n"))


def read(text: bytes, source: Source, first_line: int = 1) -> list[Read]:
    """The hands of some whole lines: see `cardlog.pipelines.readers.base.Reader`."""
    lines = text.removeprefix(BOM).removesuffix(b"\n").split(b"\n") if text else []
    stem = hand_name(FORMAT, source.dataset)
    rows: list[tuple[int, int, int, int, bytes]] = []  # action, seat, amount, line, cards
    ids, starts, kept, details, rejects = bytearray(), [0], [], [], []
    other = 0
    for number, line in enumerate(lines, first_line):
        if not line.strip() or line.startswith(b"#"):
            other += 1
            continue
        match = _LINE.fullmatch(line.removesuffix(b"\r"))
        if not match:
            rejects.append(Reject(Reason.UNPARSABLE, _MESSAGE, line, number, number, game=high_card.GAME))
            continue
        name, dealer, *hands, played, winner = match.groups()
        rows.append((Action.DEAL_OPEN, NO_SEAT, int(name), number, b""))
        rows += [(Action.DEAL_HAND, seat, NO_AMOUNT, number, hands[seat]) for seat in range(SEATS)]
        for index in range(0, len(played), 2):
            rows.append((Action.PLAY_CARD, NO_SEAT, NO_AMOUNT, number, played[index : index + 2]))
        if winner:
            rows.append((Action.SCORE_HAND, int(winner), high_card.HAND_SCORE, number, b""))
        digest = stem.copy()
        digest.update(name)
        ids += digest.digest()
        starts.append(len(rows))
        kept.append(number)
        details.append(int(dealer))
    events = np.zeros(len(rows), high_card.EVENT)
    events["suit"], events["detail"], events["at"] = cards.NO_SUIT, NO_DETAIL, NO_TIME
    for event, (action, seat, amount, number, shown) in zip(events, rows, strict=True):
        event["action"], event["seat"], event["amount"], event["line"] = action, seat, amount, number
        codes = cards.codes(shown.decode())
        event["count"] = len(codes)
        event["cards"][: len(codes)] = codes
    offsets = np.array(starts, np.int64)
    events["detail"][offsets[:-1]] = details
    batch = Batch(
        high_card.GAME,
        np.frombuffer(bytes(ids).hex().encode(), "S32"),
        events,
        offsets,
        [high_card.opening(dealer) for dealer in range(SEATS)],
    )
    numbers = np.array(kept, np.int32)
    return [
        Read(
            batch,
            rejects,
            raw_of=lambda hand: lines[kept[hand] - first_line],
            first_lines=numbers,
            last_lines=numbers,
            lines_read=len(lines),
            other_lines=other,
        )
    ]
