"""Ruter Sju's logs and oracles."""

import re
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.readers.base import Read, Source
from cardlog.pipelines.readers.ruter_sju_transcript import reader as ruter_sju_transcript
from tests.support import logs

FIXTURES = Path(__file__).parents[1] / "fixtures" / "ruter_sju"
TRANSCRIPTS = ("transcripts", "variants_transcripts", "edge_human_transcripts")
SOURCE = Source("0" * 64, "log.txt", "data")


@lru_cache
def text_of(name: str) -> bytes:
    """A transcript, decompressed."""
    return logs.text_of(f"ruter_sju/{name}.txt.gz")


@cache
def games_of(name: str) -> dict[str, dict[str, Any]]:
    """The games of an oracle by their ids."""
    return {game["gid"]: game for game in logs.json_lines(f"ruter_sju/{name}.jsonl.gz")}


def read_text(text: bytes, source: Source = SOURCE, first_line: int = 1) -> Read:
    [read] = ruter_sju_transcript.read(text, source, first_line)
    return read


def whole_batch() -> Batch:
    """All games of all logs."""
    return Batch.joined([read_text(text_of(name)).batch for name in TRANSCRIPTS])


def hidden_game() -> bytes:
    """The first game of the logs as if seats 0 and 1 were humans, whose cards are not shown."""
    game = text_of("transcripts").decode()
    game = game[: game.index("=== GAME R0001")].replace("GAME R0000", "GAME hidden")
    game = game.replace("0:smart,1:smart", "0:human,1:human")
    lines = re.sub(r"(?m)^([01]):\nCARDS\n.*\n", r"\1:\n", game).split("\n")
    for number in range(len(lines) - 1, 0, -1):
        end_card = re.match(r"([01]) places (?:1|13) of", lines[number])
        if end_card and not lines[number + 2].startswith(f"{end_card[1]} is out"):
            answer = "y" if lines[number + 2].startswith(f"{end_card[1]} places") else "n"
            lines.insert(number + 2, f"Place another? (y/n): {answer}")
    return "\n".join(lines).encode()
