"""Logs in disguise: packed, in another encoding, or with something around each line. They are not read, but
named with the command that makes logs of them."""

import re
import shlex
from contextlib import suppress
from typing import Final

import msgspec

from cardlog.pipelines import readers

_MOST_WORDS: Final = 8
"""Words before each line that are looked behind."""
_FEW_CHARACTERS: Final = 20
_SEPARATORS: Final = {b";": "semicolons", b"\t": "tabs"}


def not_text(head: bytes, path: str) -> tuple[str, str] | None:
    """What is wrong with a file that is no text, by its beginning, and what to do."""
    name = shlex.quote(path)
    if head.startswith(b"PK\x03\x04"):
        return "it is a zip file", f"read what is in it: unzip -p {name} | cardlog ingest -"
    if b"\n" not in head and head.count(b"\r") > 1:
        return "its lines end in CR alone", f"tr '\\r' '\\n' < {name} | cardlog ingest -"
    empty = {"BE": head[::2].count(0), "LE": head[1::2].count(0)}
    order = max(empty, key=empty.__getitem__)
    if empty[order] > max(_FEW_CHARACTERS, len(head) // 3) and not min(empty.values()):
        advice = f"convert it: iconv -f UTF-16{order} -t UTF-8 {name} | cardlog ingest -"
        return "it is not UTF-8, but looks like UTF-16 without its mark", advice
    return None


def disguised(head: bytes, path: str) -> tuple[str, str] | None:
    """What hides the known format of a text, by its beginning, and what to do."""
    name = shlex.quote(path)
    with suppress(msgspec.DecodeError):
        message = msgspec.json.decode(head.split(b"\n", 1)[0])
        text = message.get("log") if isinstance(message, dict) else None
        if isinstance(text, str) and readers.detect(text.encode()):
            return "each line is a message of Docker's json-file", f"jq -j .log {name} | cardlog ingest -"
    for separator, plural in _SEPARATORS.items():
        if separator in head and readers.detect(head.replace(separator, b",")):
            shown = separator.decode().replace("\t", "\\t")
            advice = f"tr '{shown}' , < {name} | cardlog ingest -"
            return f"its columns are separated by {plural} instead of commas", advice
    for words in range(1, _MOST_WORDS + 1):
        if readers.detect(re.sub(rb"(?m)^(?:[^ \n]+ +){%d}" % words, b"", head)):
            advice = f"sed -E 's/^([^ ]+ +){{{words}}}//' {name} | cardlog ingest -"
            return f"each line has {words} words before it that its format does not have", advice
    return None
