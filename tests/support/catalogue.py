"""The catalogue of the page's texts: `python -m tests.support.catalogue` writes it anew, brings translations
up to date with it, and compiles them."""

import ast
import io
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import DEFAULT_KEYWORDS, extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from cardlog import models
from cardlog.pipelines.text import texts

REPO: Final = Path(__file__).parents[2]
TEMPLATE: Final = texts.LOCALE / "messages.pot"
KEYWORDS: Final = DEFAULT_KEYWORDS | {"_counts": (1, 2)}
HEADER: Final = "# The texts of cardlog's page; CONTRIBUTING.md says how a language is added."
JINJA: Final = {"newstyle_gettext": "true", "trim_blocks": "true", "lstrip_blocks": "true", "silent": "false"}
CONSTANTS: Final = (("schemas/reasons.py", "MEANING"), ("models/poker/ranks.py", "CATEGORIES"))
"""Texts of lower layers that the page translates."""


def extracted() -> Catalog:
    """The messages of the code, without translations."""
    when = datetime(2026, 1, 1, tzinfo=UTC)  # any, so that the same messages are the same file
    catalog = Catalog(project="cardlog", header_comment=HEADER, creation_date=when)
    methods = [("**.py", "python"), ("templates/**.html", "jinja2"), ("static/**.js", "javascript")]
    options = {"templates/**.html": JINJA}
    for folder in ("web", "pipelines/hands"):
        found = extract_from_dir(REPO / folder, methods, options, KEYWORDS, ("For translators:",))
        for name, line, message, comments, context in found:
            catalog.add(message, None, [(f"{folder}/{name}", line)], auto_comments=comments, context=context)
    for path, constant in CONSTANTS:
        for text in texts_of(REPO / path, constant):
            catalog.add(text, None, [(path, 0)])
    for status in (HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED):
        catalog.add(status.phrase, None, [("web/app.py", 0)])
    for name, game in models.GAMES.items():
        for text in [*game.playing().names.values(), *game.playing().rules.values()]:
            catalog.add(text, None, [(f"models/{name}/players.py", 0)])
    return catalog


def texts_of(path: Path, constant: str) -> Iterator[str]:
    """The texts in a constant of a module, which is a tuple of them or a dict."""
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == constant:
            assert node.value is not None
            yield from (each.value for each in ast.walk(node.value) if isinstance(each, ast.Constant))


def written(catalog: Catalog) -> bytes:
    """A catalogue as a file, without the numbers of lines, which change with any edit."""
    out = io.BytesIO()
    write_po(out, catalog, width=110, sort_by_file=True, include_lineno=False)
    return out.getvalue()


def translation_of(language: str, of: Any) -> Catalog:
    """A catalogue in a language; `of` gives the translation of each form of a message, the English text."""
    made = Catalog(locale=language)
    for message in extracted():
        if message.id:
            forms = message.id if isinstance(message.id, tuple) else (message.id,)
            found = [of(form) for form in forms]
            found += found[-1:] * (made.num_plurals - len(found)) if len(forms) > 1 else []
            text = tuple(found[: made.num_plurals]) if len(forms) > 1 else found[0]
            made.add(message.id, text, context=message.context, flags=message.flags)
    return made


def compiled(catalog: Catalog, folder: Path) -> None:
    """Write a translation as the page reads it, below a folder like `texts.LOCALE`."""
    path = folder / str(catalog.locale) / "LC_MESSAGES" / "messages.mo"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as out:
        write_mo(out, catalog)


def gains_quote(message: Message) -> bool:
    """Whether a translation could end an attribute that it stands in."""
    return bool(message.id) and '"' not in "".join(message.id) and '"' in "".join(message.string or "")


def main() -> None:
    """Write everything anew."""
    catalog = extracted()
    TEMPLATE.parent.mkdir(exist_ok=True)
    TEMPLATE.write_bytes(written(catalog))
    for path in texts.LOCALE.glob("*/LC_MESSAGES/messages.po"):
        with path.open("rb") as file:
            translation = read_po(file, locale=path.parts[-3])
        translation.update(catalog)
        wrong = [f"{message.id!r}: {error}" for message, errors in translation.check() for error in errors]
        wrong += [f"{each.id!r} gains a quotation mark" for each in translation if gains_quote(each)]
        if wrong:
            sys.exit(f"{path}:\n" + "\n".join(wrong))
        path.write_bytes(written(translation))
        compiled(translation, texts.LOCALE)


if __name__ == "__main__":
    main()
