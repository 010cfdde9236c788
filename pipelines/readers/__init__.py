"""The readers: one module per log format, each a `base.Reader`."""

from typing import Final

from cardlog.pipelines.readers.base import Reader
from cardlog.schemas.registry import Registry

_OURS: Final = {
    "playedhand-csv": "cardlog.pipelines.readers.playedhand_csv.reader",
    "belot-transcript": "cardlog.pipelines.readers.belot_transcript.reader",
    "ruter-sju-transcript": "cardlog.pipelines.readers.ruter_sju_transcript.reader",
    "pinochle-protocol": "cardlog.pipelines.readers.pinochle_protocol.reader",
    "five-card-draw-transcript": "cardlog.pipelines.readers.five_card_draw_transcript.reader",
    "pokerstars": "cardlog.pipelines.readers.pokerstars.reader",
    "phh": "cardlog.pipelines.readers.phh.reader",
    "cardlog-jsonl": "cardlog.pipelines.readers.cardlog_jsonl.reader",
}
FORMATS: Final[Registry[Reader]] = Registry("cardlog.formats", Reader, _OURS, "format", named="FORMAT")
"""The module of each format, which is imported when it is used."""


def get(name: str) -> Reader:
    """The reader of a format. Raises `registry.Missing`, naming the formats, if there is none."""
    return FORMATS.find(name)


def detect(head: bytes) -> str | None:
    """The format of a file by its first bytes, None if no reader recognises it."""
    return next((name for name in FORMATS if get(name).sniff(head)), None)
