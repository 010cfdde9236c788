"""cardlog-jsonl: our own format, one event per line; see docs/formats/cardlog-jsonl.md.

`parser` groups lines into hands, `reads` makes batches of them; `stream` does so block by block.
"""

from typing import Final

import numpy as np

from cardlog import models
from cardlog.pipelines.readers.base import Read, Source
from cardlog.pipelines.readers.cardlog_jsonl.lines import read_plain
from cardlog.pipelines.readers.cardlog_jsonl.parser import FirstPass, parse
from cardlog.pipelines.readers.cardlog_jsonl.reads import reads_of
from cardlog.pipelines.readers.cardlog_jsonl.state import FORMAT
from cardlog.pipelines.readers.cardlog_jsonl.stream import HandsInBlocks
from cardlog.pipelines.readers.scan import BOM

__all__ = ["FORMAT", "GAMES", "LINE_PER_HAND", "SUMMARY", "in_blocks", "read", "read_with", "sniff"]

GAMES: Final = tuple(models.GAMES)
LINE_PER_HAND: Final = False
SUMMARY: Final = "any game's events, one a line, as any game server can write them"


def sniff(head: bytes) -> bool:
    """Whether a file that begins so looks like this format."""
    first = (line.lstrip() for line in head.removeprefix(BOM).split(b"\n"))
    return any(line.startswith(b"{") and b'"hand_id"' in line and b'"kind"' in line for line in first)


def read(text: bytes, source: Source, first_line: int = 1) -> list[Read]:
    """The hands of a text, one `Read` per game; the first also has the rejects."""
    return read_with(read_plain, text, source, first_line)


def read_with(first_pass: FirstPass, text: bytes, source: Source, first_line: int = 1) -> list[Read]:
    """As `read`; `first_pass` parses the lines that it can and leaves the others to Python."""
    return reads_of(parse(text, source, np.zeros(0, np.int64), first_line, first_pass))


def in_blocks(source: Source) -> HandsInBlocks:
    """A reader of a text in blocks."""
    return HandsInBlocks(source)
