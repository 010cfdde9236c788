"""Logs in disguise: packed, in another encoding, or with something around each line. They are not read, but
named with the command that makes logs of them."""

import re
import shlex
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Final

import msgspec

from cardlog.pipelines import readers
from cardlog.pipelines.ingest.locations import STANDARD_INPUT

_PREFIXES: Final = {"a level and a name": "[A-Z]+:[^:]*:"} | {
    f"{words} words": f"([^ ]+ +){{{words - 1}}}[^ ]+ ?" for words in range(1, 9)
}
"""What may be before each line, as sed takes it; a blank line may have lost the last blank."""
_TAG: Final = re.compile(rb"(?:[^ \n]+ +){0,7}?[^ \n]+:(?= )")
"""A message of syslog up to the program's name."""
_ESCAPES: Final = {"#011": r"\t", "#012": r"\n", "#015": r"\r", "#033": r"\x1b"}
"""Control characters as rsyslog writes them, and as sed takes them."""
_CRI: Final = re.compile(rb"[^ ]+ (stdout|stderr) ([PF])[^ ]* ?(.*)")
"""A line, or with P a part of a long one, as Kubernetes' container runtimes log it."""
_OF_CRI: Final = (
    """awk '$2 == "%s" {text = $0; sub(/^[^ ]+ [^ ]+ [^ ]+ ?/, "", text); """
    """printf "%%s%%s", text, $3 ~ /^P/ ? "" : "\\n"}'"""
)
_OF_JOURNAL: Final = (
    "python3 -c 'import json, sys; sys.stdout.buffer.writelines((m.encode() if isinstance(m, str) else "
    'bytes(m)) + b"\\n" for m in (json.loads(line)["MESSAGE"] for line in sys.stdin))\''
)
"""A message that has control characters, or is no UTF-8, is a list of bytes, which jq can't write."""
_OF_DOCKER: Final = """jq -j 'select(.stream == "%s").log'"""
_OF_SHIPPERS: Final = (
    *(("log", stream, "Docker's json-file", _OF_DOCKER % stream) for stream in ("stdout", "stderr")),
    ("log", "", "a container", "jq -j .log"),
    ("MESSAGE", "", "journalctl -o json, of which -o cat writes only the text", _OF_JOURNAL),
    ("message", "", "a log shipper", "jq -r .message"),
)
"""The key under which an object of JSON has a line of a log, the stream that the log is in, if objects name
theirs, who writes such objects, and how to get the lines out."""
_FEW_CHARACTERS: Final = 20
_PLACES: Final = {"UTF-16BE": (1, 3), "UTF-16LE": (0, 2), "UTF-32BE": (3,), "UTF-32LE": (0,)}
"""Where an encoding has the byte of an ASCII character, of four bytes; the first that fits is right."""
_EMPTY: Final = bytes(4)
"""No text in any encoding begins so."""
_SEPARATORS: Final = {";": "semicolons", r"\t": "tabs"}


def not_text(head: bytes, path: str) -> tuple[str, str] | None:
    """What is wrong with a file that is no text, by its beginning, and what to do."""
    if head.startswith(b"PK\x03\x04"):
        return "it is a zip file", f"read what is in it: unzip -p {shlex.quote(path)} | cardlog ingest -"
    if head.startswith(_EMPTY):
        what = "it begins with NUL bytes, as copytruncate leaves them if the log's writer does not append"
        return what, "remove them: " + _through(r"tr -d '\0'", path)
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


def disguised(
    head: bytes, path: str, is_log: Callable[[bytes], object] = readers.detect
) -> tuple[str, str] | None:
    """What hides the known format of a text, by its beginning, and what to do."""
    for what, text, command in _undisguised(head):
        if text != head and is_log(text):
            return what, _through(command, path)
    return None


def _undisguised(head: bytes) -> Iterator[tuple[str, bytes, str]]:
    """What may hide a text, the text without it, and the command that does the same."""
    for key, stream, writer, command in _OF_SHIPPERS:
        yield f"each line is a message of {writer}", _messages(head, key, stream), command
    for stream in ("stdout", "stderr"):
        what = "each line is one of a container in Kubernetes, or a part of one"
        yield what, _of_cri(head, stream.encode()), _OF_CRI % stream
    for separator, plural in _SEPARATORS.items():
        what = f"its columns are separated by {plural} instead of commas"
        yield what, re.sub(separator.encode(), b",", head), f"tr '{separator}' ,"
    for what, prefix in _PREFIXES.items():
        yield f"each line has {what} before it that its format does not have", *_without(prefix, head)
    if tag := _TAG.match(head):
        text, command = _without(_PREFIXES[f"{len(tag[0].split())} words"], head)
        text = re.sub(rb"#0([0-3][0-7])", lambda code: bytes([int(code[1], 8)]), text)
        yield "each line is a message of syslog, with escapes", text, command


def _without(prefix: str, head: bytes) -> tuple[bytes, str]:
    """A text without what is before each line, and the command that removes it, and rsyslog's escapes."""
    text = re.sub(rf"(?m)^{prefix}".encode(), b"", head)
    found = (
        f"; s/{escape}/{character}/g" for escape, character in _ESCAPES.items() if escape.encode() in text
    )
    return text, f"sed -E 's/^{prefix}//{''.join(found)}'"


def _messages(head: bytes, key: str, stream: str) -> bytes:
    """The text in the objects of JSON by the beginning of the file, all or those of a stream; empty if there
    is none."""
    texts = []
    with suppress(msgspec.DecodeError, TypeError, KeyError, ValueError):
        for line in head.splitlines():
            found = msgspec.json.decode(line)
            if not stream or found["stream"] == stream:
                text = found[key]
                texts.append(text.encode() if isinstance(text, str) else bytes([*text]))
    return (b"" if key == "log" else b"\n").join(texts)


def _of_cri(head: bytes, stream: bytes) -> bytes:
    """The lines that a container wrote to a stream."""
    found = (match.groups() for match in map(_CRI.match, head.splitlines()) if match)
    return b"".join(text + (b"" if part == b"P" else b"\n") for name, part, text in found if name == stream)
