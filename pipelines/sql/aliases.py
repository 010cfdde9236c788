"""Names that are one person: `aliases.csv`, which users write beside the warehouse, with the columns `name`
and `person`. Marts have the person in place of the name; the tables stay as they are."""

import csv
import io
from pathlib import Path
from typing import Final

from cardlog.pipelines.runtime.whole import write_whole
from cardlog.pipelines.sql.tables import quoted
from cardlog.schemas.errors import CardlogError

FILE: Final = "aliases.csv"
COLUMNS: Final = ("name", "person")


class AliasError(CardlogError):
    """The file can't be used; the text is for the user."""


def _rows(path: Path) -> list[tuple[str, str]]:
    """The names and persons beside a warehouse. Raises AliasError."""
    file = path.with_name(FILE)
    try:
        with file.open(encoding="utf-8-sig", newline="") as text:
            header, *rows = [tuple(row) for row in csv.reader(text) if row] or [()]
    except FileNotFoundError:
        return []
    except (UnicodeDecodeError, csv.Error) as error:
        raise AliasError(f"{file} is not CSV in UTF-8: {error}") from error
    if header != COLUMNS or any(len(row) != len(COLUMNS) or not all(row) for row in rows):
        raise AliasError(
            f"{file}: the first line must be name,person, and each other one a name and a person"
        )
    return [(name, person) for name, person in rows]


def persons(path: Path) -> dict[str, str]:
    """The person of each name in the file beside a warehouse. Raises AliasError."""
    found: dict[str, str] = {}
    for name, person in _rows(path):
        if found.setdefault(name, person) != person:
            raise AliasError(f"{path.with_name(FILE)}: {name} is both {found[name]} and {person}")
    return found


def function(found: dict[str, str]) -> str:
    """The statement that makes the function `person` of a warehouse."""
    texts = ", ".join(f"{quoted(name)}: {quoted(person)}" for name, person in found.items())
    person = f"coalesce(map {{{texts}}}[name], name)" if found else "name"
    return f"create or replace macro person(name) as {person}"


def names(path: Path) -> set[str]:
    """The names and persons in the file beside a warehouse. Raises AliasError."""
    return {name for row in _rows(path) for name in row}


def forget(path: Path, name: str, *, dry_run: bool = False) -> int:
    """Remove the lines that have a name, and return how many they are."""
    rows = _rows(path)
    left = [row for row in rows if name not in row]
    if left != rows and not dry_run:
        out = io.StringIO(newline="")
        csv.writer(out, lineterminator="\n").writerows([COLUMNS, *left])
        write_whole(path.with_name(FILE), out.getvalue().encode())
    return len(rows) - len(left)
