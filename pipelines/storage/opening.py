"""Open a Delta table in a folder that Delta's library can open, without its panics."""

import re
from contextlib import suppress
from pathlib import Path

from deltalake import DeltaTable
from deltalake.exceptions import DeltaError

from cardlog.pipelines.storage.errors import StoreError


def open_table(uri: str, version: int | None) -> DeltaTable:
    """A table as it is now or was at a version.

    Raises DeltaError also where the library panics, which no ``except Exception`` catches: at a damaged
    checkpoint.
    """
    try:
        return DeltaTable(uri, version=version)
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise DeltaError(f"its checkpoint is damaged; remove all checkpoints of its log: {error}") from error


def local_folder(root: str) -> str:
    """A store's folder as an absolute path, links resolved.

    Raises StoreError if Delta's own library would take it for another one: it takes percent signs before
    two hex digits for characters, and backslashes for slashes, and knows only names in UTF-8.
    """
    path = Path(root)
    with suppress(RuntimeError):  # no user of that name: a folder that begins with a tilde
        path = path.expanduser()
    found = str(path.resolve())
    bad = re.search(r"%[0-9A-Fa-f]{2}|[\\\x00-\x1f\x7f\ud800-\udfff]", found)
    if bad:
        raise StoreError(
            f"no store can be made at {found!r}: the library that writes the tables can't open a folder with "
            f"{bad[0]!r} in its path; choose another one"
        )
    return found
