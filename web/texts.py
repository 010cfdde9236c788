"""The texts of the page in the language of who reads them.

A message is the English text, with ``%(name)s`` where a value goes; ``locale/sv/LC_MESSAGES/messages.mo`` has
what it is in Swedish.
"""

import gettext as library
import json
import re
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import Any, Final

HERE: Final = Path(__file__).resolve().parent
LOCALE: Final = HERE / "locale"
ENGLISH: Final = "en"
language: Final[ContextVar[str]] = ContextVar("language", default=ENGLISH)
"""Of who is answered."""
N_ = str
"""Marks a message that is translated where it is shown."""
_PLACE: Final = re.compile(r"%\((\w+)\)s")


def chosen(accepted: str) -> str:
    """The first language there is of those that a browser accepts: ``sv-FI,sv;q=0.9,en;q=0.8``."""
    wanted = [tag.replace(" ", "").partition(";q=") for tag in accepted.split(",")]
    wanted.sort(key=lambda tag: tag[2] or "1", reverse=True)
    names = [tag.partition("-")[0].lower() for tag, _, weight in wanted if not weight or weight.strip("0.")]
    return next((name for name in names if name == ENGLISH or name in _translations()), ENGLISH)


@cache
def _translations() -> dict[str, library.GNUTranslations]:
    found = LOCALE.glob("*/LC_MESSAGES/messages.mo")
    return {path.parts[-3]: library.translation("messages", LOCALE, [path.parts[-3]]) for path in found}


def now() -> library.NullTranslations:
    """The messages of the language that is spoken."""
    return _translations().get(language.get()) or library.NullTranslations()


def _(message: str, /, **values: Any) -> str:
    """A message in the language of who reads it, with values in their places if there are any."""
    text = now().gettext(message)
    return text % values if values else text


def ngettext(one: str, many: str, n: int, /, **values: Any) -> str:
    """The same of one thing or of another number of them."""
    text = now().ngettext(one, many, n)
    return text % values if values else text


def filled(text: str, /, **values: Any) -> list[Any]:
    """The parts of a sentence: its text, and values, or the parts of lists of them, in their places."""
    found: list[Any] = []
    for index, part in enumerate(_PLACE.split(text)):
        value = values[part] if index % 2 else part
        found += value if isinstance(value, list) else [value] if value != "" else []
    return found


@cache
def of_scripts(name: str) -> dict[str, Any]:
    """What the page's scripts say in a language, empty for English: the forms of each message, `texts`, and
    which of them the numbers from 0 to 199 have, as larger ones do, `plurals`."""
    scripts = "".join(path.read_text("utf-8") for path in HERE.glob("static/*.js"))
    found: Any = _translations().get(name)
    texts: dict[str, list[str]] = {}
    for key, text in sorted(found._catalog.items(), key=str) if found else ():
        message = key if isinstance(key, str) else key[0]
        if message and json.dumps(message, ensure_ascii=False) in scripts:
            texts.setdefault(message, []).append(text)
    return {"texts": texts, "plurals": [found.plural(n) for n in range(200)]} if found else {}
