r"""Escape untrusted text for display.

Names, raw lines, file names and error texts may contain control characters (ESC), bidi controls or invisible
characters (zero width). They are shown as escapes, ``\x1b`` or ``\u202e``.
"""

import codecs
import json
import re
from typing import Any, Final

_INVISIBLE: Final = (
    "\x00-\x1f\x7f-\x9f"  # C0 and C1 controls, DEL
    "\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u3164\uffa0"  # blanks of no width, fillers
    "\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2"  # Arabic and Syriac marks that enclose what follows
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f"  # zero width, line separators, bidi
    "\ud800-\udfff\ufeff\ufff0-\ufffb\ufffe\uffff"  # lone surrogates, byte order mark, specials
    "\U000110bd\U000110cd\U00013430-\U0001345f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff"  # tags, more variation selectors
)
_NOT_SHOWN: Final = re.compile(f"[{_INVISIBLE}]")
_NOT_SHOWN_IN_TEXT: Final = re.compile(f"(?![\n\t])[{_INVISIBLE}]")
_NAMED: Final = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}

_ASCII: Final = str.maketrans(
    dict(zip("♣♦♥♠▸·–", "CDHS>--", strict=True)) | {"→": "->", "…": "..."},
)
"""Replacements for cardlog's own symbols where the output can't encode them."""
MOST_NAME: Final = 40
PLAIN_ERRORS: Final = "cardlog-plain"
"""Name of the error handler for characters that an output can't encode: cardlog's symbols in ASCII, all
others as escapes."""


def visible(text: str) -> str:
    """Escape a text of several lines: line feeds and tabs stay, all other invisible characters are
    escaped."""
    return _NOT_SHOWN_IN_TEXT.sub(_escape, text)


def one_line(text: str) -> str:
    """Escape a text within a line, such as a name or a path: line breaks are escaped too."""
    return _NOT_SHOWN.sub(_escape, text)


def shown(text: object, most: int = MOST_NAME) -> str:
    """A text for a part of a line, cut if it is too long."""
    line = one_line(str(text)[: most + 1])
    return line if len(str(text)) <= most else line[:most] + "…"


def json_text(value: Any, indent: int | None = None) -> str:
    """A value as JSON that is safe to show: invisible characters become JSON escapes, so a program reads the
    same value."""
    # In JSON such characters occur only in strings; the line feeds of indentation don't.
    text = json.dumps(value, default=str, ensure_ascii=False, indent=indent)
    return visible_json(text)


def visible_json(text: str) -> str:
    """JSON that is safe to show: see `json_text`."""
    return text if text.isascii() and "\x7f" not in text else _NOT_SHOWN_IN_TEXT.sub(_escape_json, text)


def encodable(text: str, encoding: str | None) -> str:
    """A text as an output with this encoding shows it."""
    if text.isascii() or not encoding:
        return text
    return text.encode(encoding, PLAIN_ERRORS).decode(encoding)


def _escape(match: re.Match[str]) -> str:
    return _NAMED.get(match[0]) or _code(match[0])


def _code(char: str) -> str:
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _escape_json(match: re.Match[str]) -> str:
    return json.dumps(match[0])[1:-1].replace("\x7f", "\\u007f")


def _plain(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end]
    return "".join(char if char.isascii() else _code(char) for char in text.translate(_ASCII)), error.end


codecs.register_error(PLAIN_ERRORS, _plain)


def is_text(text: str) -> bool:
    """Whether a text is Unicode; arguments of a command may be other bytes."""
    return text == text.encode(errors="replace").decode()
