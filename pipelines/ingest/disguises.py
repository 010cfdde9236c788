"""Logs in disguise: packed, in another encoding, or with something around each line. They are not read, but
named with the command that makes logs of them."""

import re
import shlex
from contextlib import suppress
from typing import Final

import msgspec

from cardlog.pipelines import readers
from cardlog.pipelines.ingest.locations import STANDARD_INPUT
from cardlog.pipelines.readers.options import NO_OPTIONS

_PREFIXES: Final = {"a level and a name": "[A-Z]+:[^:]*:"} | {
    f"{words} words": f"([^ ]+ +){{{words - 1}}}[^ ]+ ?" for words in range(1, 9)
}
"""What may be before each line, as sed takes it; a blank line may have lost the last blank."""
_FEW_CHARACTERS: Final = 20
_PLACES: Final = {"UTF-16BE": (1, 3), "UTF-16LE": (0, 2), "UTF-32BE": (3,), "UTF-32LE": (0,)}
"""Where an encoding has the byte of an ASCII character, of four bytes; the first that fits is right."""
_SEPARATORS: Final = {";": "semicolons", r"\t": "tabs"}


def not_text(head: bytes, path: str) -> tuple[str, str] | None:
    """What is wrong with a file that is no text, by its beginning, and what to do."""
    if head.startswith(b"PK\x03\x04"):
        return "it is a zip file", f"read what is in it: unzip -p {shlex.quote(path)} | cardlog ingest -"
    if b"\n" not in head and head.count(b"\r") > 1:
        return "its lines end in CR alone", _through(r"tr '\r' '\n'", path)
    empty = [head[at::4].count(0) for at in range(4)]
    for encoding, places in _PLACES.items():
        used = sum(empty[at] for at in places)
        if not used and sum(empty) > max(_FEW_CHARACTERS, len(head) // 3):
            advice = f"convert it: {_through(f'iconv -f {encoding} -t UTF-8', path)}"
            return f"it is not UTF-8, but looks like {encoding[:6]} without its mark", advice
    return None


def _through(command: str, path: str) -> str:
    """How to ingest a file, or standard input, through a command."""
    if path.endswith(".gz"):
        return f"zcat {shlex.quote(path)} | {command} | cardlog ingest -"
    return f"{command}{'' if path == STANDARD_INPUT else f' < {shlex.quote(path)}'} | cardlog ingest -"


def disguised(head: bytes, path: str) -> tuple[str, str] | None:
    """What hides the known format of a text, by its beginning, and what to do."""
    if readers.detect(_of_docker(head)):
        return "each line is a message of Docker's json-file", _through("jq -j .log", path)
    for separator, plural in _SEPARATORS.items():
        if readers.detect(re.sub(separator.encode(), b",", head)):
            advice = _through(f"tr '{separator}' ,", path)
            return f"its columns are separated by {plural} instead of commas", advice
    return prefixed(head, path)


def prefixed(head: bytes, path: str) -> tuple[str, str] | None:
    """What is before each line of a text that can be read without it, by its beginning, and what to do."""
    if _is_read(head):
        return None
    for what, prefix in _PREFIXES.items():
        if _is_read(re.sub(rf"(?m)^{prefix}".encode(), b"", head)):
            advice = _through(f"sed -E 's/^{prefix}//'", path)
            return f"each line has {what} before it that its format does not have", advice
    return None


def _is_read(head: bytes) -> bool:
    """Whether a text is of a known format, by its beginning, and its reader does not refuse it."""
    name = readers.detect(head)
    refusal = getattr(readers.get(name), "refusal", None) if name else None
    return name is not None and not (refusal and refusal(head.lstrip(b"\r\n"), NO_OPTIONS))


def _of_docker(head: bytes) -> bytes:
    """The text in the messages of Docker's json-file, by the beginning of the file; empty if it is none."""
    texts = []
    with suppress(msgspec.DecodeError, TypeError, KeyError):
        for line in head.splitlines():
            texts.append(msgspec.json.decode(line)["log"])
    return "".join(text for text in texts if isinstance(text, str)).encode()
