"""All logs among the fixtures, and what the readers and the judge make of a text."""

import gzip
from functools import cache
from pathlib import Path

from cardlog.pipelines import readers
from cardlog.pipelines.ingest.judge import Judged, judge
from cardlog.pipelines.readers.base import Source

FIXTURES = Path(__file__).parents[1] / "fixtures"


@cache
def logs() -> dict[str, str]:
    """The format of each log, by its path below the fixtures."""
    found = {}
    for path in sorted(FIXTURES.glob("*/**/*")):
        if path.suffix in (".txt", ".csv", ".gz", ".jsonl") and not path.name.endswith(".tar.gz"):
            form = readers.detect(text_of(str(path.relative_to(FIXTURES)))[: 2**16].lstrip(b"\r\n"))
            if form is not None:
                found[str(path.relative_to(FIXTURES))] = form
    return found


def text_of(log: str) -> bytes:
    """The text of a log, unpacked."""
    content = (FIXTURES / log).read_bytes()
    return gzip.decompress(content) if log.endswith(".gz") else content


def judged(text: bytes, form: str, final: bool = False) -> list[Judged]:
    """What comes of a text, by game."""
    head = text.lstrip(b"\r\n").split(b"\n", 1)[0].rstrip(b"\r")
    return [judge(read) for read in readers.get(form).read(text, Source("0" * 64, "-", form, head, final))]
