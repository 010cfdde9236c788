"""What to say of a table that a query names and the store does not have.

DuckDB also suggests its own catalog's tables, and knows nothing of marts that are not built.
"""

import re
from collections.abc import Collection
from difflib import get_close_matches
from typing import Final

from cardlog.pipelines.sql import warehouse
from cardlog.pipelines.storage.store import Store

MOST_SUGGESTIONS: Final = 3
LEAST_LIKENESS: Final = 0.6
"""Of names that are suggested, from 0 to 1."""
_UNKNOWN: Final = re.compile(r'(Table with name "?)(.+?)("? does not exist)')
_SUGGESTION: Final = re.compile(r'^Did you mean "[^"\n]*"\?$', re.MULTILINE)


def explained(error: str, store: Store, present: Collection[str]) -> str:
    """DuckDB's error, with the store's names in place of its suggestion if it is about an unknown table.

    present
        The tables and marts that the query could read.
    """
    found = _UNKNOWN.search(error)
    if found is None:
        return error
    first, _, rest = _SUGGESTION.sub("", error).strip().partition("\n")
    name = found[2].rpartition(".")[2].lower()
    return f"{first}\n{_advice(name, store, set(present))}\n\n{rest.strip()}".rstrip()


def _advice(name: str, store: Store, present: set[str]) -> str:
    models = _models()
    for whole in (name, f"{warehouse.STEPS}.{name}"):
        if whole in models - present:
            return _not_built(whole, store)
        if whole in present:
            return f'Did you mean "{whole}"?'
    known = sorted(present | models)
    similar = get_close_matches(name, known, MOST_SUGGESTIONS, LEAST_LIKENESS)
    similar = [other for other in similar if other in present] or similar[:1]
    if not similar:
        return "'show tables' lists the tables and marts."
    suggestion = ", ".join(f'"{other}"' for other in similar)
    more = "" if similar[0] in present else f" {_not_built(similar[0], store)}"
    return f"Did you mean {suggestion}?{more}"


def _models() -> set[str]:
    """The marts and their steps, as queries write their names."""
    folder = warehouse.DBT_PROJECT / "models"
    found = {path.stem for path in (folder / "marts").rglob("*.sql")}
    return found | {
        f"{warehouse.STEPS}.{path.stem}" for path in folder.rglob("*.sql") if path.stem not in found
    }


def _not_built(name: str, store: Store) -> str:
    missing = (
        "is not among the marts of this store"
        if warehouse.path_of(store).exists()
        else "is a mart, and the marts of this store are not built yet"
    )
    return f"\"{name}\" {missing}: run 'cardlog build'."
