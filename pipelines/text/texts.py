"""Texts in the reader's language: those of the page, and those in which hands are described.

A message is the English text, with ``%(name)s`` where a value goes; ``locale/sv/LC_MESSAGES/messages.mo`` has
the Swedish translations.
"""

import gettext as library
import json
import re
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import Any, Final

LOCALE: Final = Path(__file__).resolve().parent / "locale"
ENGLISH: Final = "en"
language: Final[ContextVar[str]] = ContextVar("language", default=ENGLISH)
"""The reader's language, during a request."""
N_ = str
"""Marks a message that is translated where it is shown."""
_PLACE: Final = re.compile(r"%\((\w+)\)s")


def chosen(accepted: str) -> str:
    """The first language there is of those that a browser accepts: ``sv-FI,sv;q=0.9,en;q=0.8``."""
    tags = [tag.replace(" ", "").partition(";q=") for tag in accepted.split(",")]
    tags.sort(key=lambda tag: tag[2] or "1", reverse=True)
    names = [tag.partition("-")[0].lower() for tag, _, weight in tags if not weight or weight.strip("0.")]
    return next((name for name in names if name == ENGLISH or name in _translations()), ENGLISH)


@cache
def _translations() -> dict[str, library.GNUTranslations]:
    names = [path.parts[-3] for path in LOCALE.glob("*/LC_MESSAGES/messages.mo")]
    return {name: library.translation("messages", LOCALE, [name]) for name in names}


def now() -> library.NullTranslations:
    """The translations into the reader's language."""
    return _translations().get(language.get()) or library.NullTranslations()


def _(message: str, /, **values: Any) -> str:
    """A message in the reader's language, with values in their places if there are any."""
    text = now().gettext(message)
    return text % values if values else text


def ngettext(one: str, many: str, n: int, /, **values: Any) -> str:
    """The same for a message that depends on a number."""
    text = now().ngettext(one, many, n)
    return text % values if values else text


def grouped(number: int) -> str:
    """A number with its thousands apart, as the language writes it: "12,345", "12.345"."""
    return f"{number:,}".replace(",", "." if language.get() == "de" else ",")


def filled(text: str, /, **values: Any) -> list[Any]:
    """The parts of a sentence: its text, and the values in their places; a value may be a list of parts."""
    parts: list[Any] = []
    for index, part in enumerate(_PLACE.split(text)):
        value = values[part] if index % 2 else part
        parts += value if isinstance(value, list) else [value] if value != "" else []
    return parts


@cache
def of_scripts(name: str, folder: Path) -> dict[str, Any]:
    """The messages of the scripts in a folder in a language, empty for English: `texts`, the forms of each
    message, and `plurals`, which of these forms the numbers from 0 to 199 take; larger ones repeat the second
    hundred."""
    scripts = "".join(path.read_text("utf-8") for path in folder.glob("*.js"))
    translation: Any = _translations().get(name)
    if translation is None:
        return {}
    texts: dict[str, list[str]] = {}
    for key, text in sorted(translation._catalog.items(), key=str):
        message = key if isinstance(key, str) else key[0]
        if message and json.dumps(message, ensure_ascii=False) in scripts:
            texts.setdefault(message, []).append(text)
    return {"texts": texts, "plurals": [translation.plural(n) for n in range(200)]}
