"""Belote's logs and oracles for tests, and hand-made hands."""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.readers.base import Read, Source
from cardlog.pipelines.readers.belot_transcript import reader as belot_transcript
from cardlog.schemas import cards
from tests.support import logs

FIXTURES = Path(__file__).parents[1] / "fixtures" / "belote"
LOGS = ("cesmak", "bornabesic", "readme", "rl_cesmak", "rl_bornabesic", "torch_cesmak")
SUITS = "DHSC"
RANKS = "789TJQKA"


def source(final: bool = False, context: str = "") -> Source:
    return Source("0" * 64, "-", belot_transcript.FORMAT, b"", final, context)


def text_of(name: str) -> bytes:
    return logs.text_of(f"belote/{name}")


@cache
def read_log(name: str) -> Read:
    [read] = belot_transcript.read(text_of(f"{name}_transcripts.txt.gz"), source())
    return read


@cache
def games(name: str) -> list[dict[str, Any]]:
    return [*map(completed, logs.json_lines(f"belote/{name}_oracle.jsonl.gz"))]


def completed(game: dict[str, Any]) -> dict[str, Any]:
    """A game with the values that some oracles omit, derived from the others."""
    if "winner" not in game:
        most = [team for team, points in enumerate(game["result"]) if points == max(game["result"])]
        game["winner"] = most[0] if len(most) == 1 and game["status"] == "complete" else None
    for hand in game["hands"]:
        if "totals" in hand:
            continue
        hand["declarations_counted"] = hand["counted"]
        hand["bidder"], hand["trump"], _ = hand["bids"][-1]
        hand["totals"] = [
            before + points for before, points in zip(hand["before"], hand["points"], strict=True)
        ]
        hand["tricks_won"], hand["trick_points"] = [0, 0], [0, 0]
        hand["declaration_points"], hand["bela_points"] = [0, 0], [0, 0]
        for trick in hand["tricks"]:
            hand["tricks_won"][trick["winner"] % 2] += 1
            hand["trick_points"][trick["winner"] % 2] += trick["value"]
        for seat in hand["counted"]:
            hand["declaration_points"][int(seat) % 2] += sum(value for _, value in hand["declared"][seat])
        for seat, _, claimed in hand["bela"]:
            hand["bela_points"][seat % 2] += 20 * claimed
        parts = (hand["trick_points"], hand["declaration_points"], hand["bela_points"])
        hand["points_before_pass"] = [sum(points) for points in zip(*parts, strict=True)]
        hand["hand_value"] = sum(hand["points_before_pass"])
        hand["needed"] = hand["hand_value"] // 2 + 1
        hand["all_tricks"] = 8 in hand["tricks_won"]
        side = hand["bidder"] % 2
        hand["failed"] = not hand["all_tricks"] and hand["points_before_pass"][side] < hand["needed"]
    return game


def card(number: int) -> int:
    """The code of an oracle's card."""
    return cards.code(RANKS[number % 8] + SUITS[number // 8])


def codes(numbers: list[int]) -> list[int]:
    return [card(number) for number in numbers]


def suit(number: int) -> int:
    return cards.SUITS.index(SUITS[number])


def in_mask(bits: int) -> set[int]:
    return {code for code in range(61) if int(bits) >> code & 1}


def hands_of(batch: Batch) -> Iterator[tuple[str, int, dict[str, Any], Any]]:
    """Match, number, opening and events of every hand."""
    for hand in range(len(batch)):
        events = batch.events[batch.offsets[hand] : batch.offsets[hand + 1]]
        opening = json.loads(batch.details[int(events["detail"][0])])
        yield batch.matches[batch.match_of[hand]], int(batch.hand_nos[hand]), opening, events
