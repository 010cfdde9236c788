"""The readers: one module per log format, each a `base.Reader`."""

from importlib import import_module
from typing import Final, cast

from cardlog.pipelines.readers.base import Reader

FORMATS: Final = {
    "playedhand-csv": "cardlog.pipelines.readers.playedhand_csv.reader",
    "belot-transcript": "cardlog.pipelines.readers.belot_transcript.reader",
    "ruter-sju-transcript": "cardlog.pipelines.readers.ruter_sju_transcript.reader",
    "pinochle-protocol": "cardlog.pipelines.readers.pinochle_protocol.reader",
    "five-card-draw-transcript": "cardlog.pipelines.readers.five_card_draw_transcript.reader",
    "cardlog-jsonl": "cardlog.pipelines.readers.cardlog_jsonl.reader",
}
"""The module of each format."""


def get(name: str) -> Reader:
    """The reader of a format. Raises KeyError, whose message lists the formats, if there is none."""
    if name not in FORMATS:
        raise KeyError(f"there is no format {name!r}; there are: {', '.join(FORMATS)}")
    return cast(Reader, import_module(FORMATS[name]))


def detect(head: bytes) -> str | None:
    """The format of a file by its first bytes, None if no reader recognises it."""
    return next((name for name in FORMATS if get(name).sniff(head)), None)
