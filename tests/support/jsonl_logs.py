"""Logs in cardlog-jsonl for tests: simulated ones, and one made by hand, with nothing of `models`."""

import json
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from cardlog.pipelines.export.simulate import simulate
from cardlog.pipelines.readers.base import hand_name

Events = list[dict[str, Any]]

DEALT = ("7C8CACKD5H9HAS8S", "9CTC7D8D8HTH3S9S", "JCQC9DTDJHQHTSJS", "KCJDQDADKHAHQSKS")
PLAYED = "7C9CJCKCJDKD7D9D8CTCQCQDTDADAC8DKH5H8HJHAH9HTHQHQSAS3STS8S9SJSKS"
SEATS = "01233012012323013012301230120123"
"""The cards in their order, spades being trump, and who plays each."""


@cache
def simulated(hands: int, seed: int = 1) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log.jsonl"
        simulate("kaiser", hands, seed, str(path))
        return path.read_bytes()


def events_of(text: bytes) -> dict[str, list[bytes]]:
    """The lines of each hand of a log, line ends and all."""
    hands: dict[str, list[bytes]] = {}
    for line in text.splitlines(keepends=True):
        hands.setdefault(json.loads(line)["hand_id"], []).append(line)
    return hands


def hashed(key: str) -> str:
    """The id of a hand with this key."""
    digest = hand_name("cardlog-jsonl", "cardlog-jsonl")
    digest.update(key.encode())
    return digest.hexdigest()


def text_of(events: Events) -> bytes:
    """Events as a log, without null values."""
    lines = ({name: value for name, value in event.items() if value is not None} for event in events)
    return b"".join(json.dumps(line, ensure_ascii=False).encode() + b"\n" for line in lines)


def hand(key: str = "a", *, numbered: bool = True, **same: Any) -> Events:
    """A whole hand: seat 0 bids eight, names spades, and every seat plays its first legal card. Its events
    have some values in common, such as `match_id`, and a `seq` if they are numbered."""
    settings = {"game_over_at_minus_52": True, "min_bid": 7, "no_trump_bid_out": 52, "pass_cards": False}
    detail = {"dealer": 3, "players": [{"kind": "human"}] * 4, "settings": settings}
    events: Events = [{"kind": "deal", "action": "open", "detail": detail}]
    events += [{"kind": "deal", "action": "hand", "seat": seat, "cards": DEALT[seat]} for seat in range(4)]
    events += [{"kind": "bid", "action": "bid", "seat": 0, "amount": 8}]
    events += [{"kind": "bid", "action": "pass", "seat": seat} for seat in (1, 2, 3)]
    events += [{"kind": "bid", "action": "trump", "seat": 0, "suit": "S"}]
    plays = [(int(seat), PLAYED[2 * at : 2 * at + 2]) for at, seat in enumerate(SEATS)]
    events += [{"kind": "play", "action": "card", "seat": seat, "cards": card} for seat, card in plays]
    same = {"game": "kaiser", "hand_id": key, "match_id": None, "hand_no": None} | same
    return [{**same, **({"seq": seq} if numbered else {}), **event} for seq, event in enumerate(events)]
