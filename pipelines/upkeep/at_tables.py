"""Erasing at the tables that a server keeps: in their journal, and in the files of finished hands."""

import json
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Any

from cardlog.pipelines.runtime.whole import write_whole
from cardlog.pipelines.storage import journal
from cardlog.pipelines.storage.journal import ASIDE, InUse, JournalFile, TableChange
from cardlog.pipelines.storage.store import StoreError
from cardlog.pipelines.upkeep.erasing import Erasure, TouchedHands


class AtTables:
    """The folder of tables, which no server can use until this is closed; if one does already, the tables can
    be looked at, but not changed. Raises JournalError.

    touched
        How many tables and files have, or had, something to erase.
    """

    def __init__(self, folder: Path) -> None:
        self.touched = 0
        self._folder = folder
        self._file: JournalFile | None = None
        self._entries: dict[str, list[str]] = {}
        self._changes: list[TableChange] = []
        self._texts: dict[Path, list[str]] = {}
        if journal.exists(folder):
            try:
                self._file = JournalFile(folder)
                self._entries = self._file.entries()
            except InUse:
                self._entries = journal.entries_in(folder)

    def look(self, erasure: Erasure, hands: TouchedHands, dry_run: bool) -> None:
        """Look for what is to be erased. Raises StoreError if a server has it."""
        for table_id, texts in self._entries.items():
            if (left := _left(texts, erasure, hands)) != texts:
                self._changes.append(TableChange(table_id, left, is_all=True))
        for path, texts in self._files():
            if (left := _left(texts, erasure, hands)) != texts:
                self._texts[path] = left
        if self._changes and self._file is None and not dry_run:
            what = f"a running server has tables with what is to be erased, {len(self._changes):,}"
            raise StoreError(f"{what}: {self._folder}", "end it, and repeat the command")
        self.touched += len(self._changes) + len(self._texts)

    def names(self) -> set[str]:
        """The names of players at the tables and in the files."""
        found: set[str] = set()
        for text in chain(*self._entries.values(), *(texts for _, texts in self._files())):
            with suppress(ValueError, RecursionError):
                found.update(_names(json.loads(text)))
        return found

    def _files(self) -> Iterator[tuple[Path, list[str]]]:
        """The lines of the files."""
        for path in chain.from_iterable(map(self._folder.glob, ("hands/*/*", f"{ASIDE}*", "*.new"))):
            lines = path.read_bytes().splitlines(keepends=True)
            yield path, [line.decode("utf-8", "replace") for line in lines]

    def erase(self) -> None:
        """Erase what was found."""
        while self._texts:
            path, left = self._texts.popitem()
            if left:
                write_whole(path, "".join(left).encode())
            else:
                path.unlink()
        if self._file is not None:
            self._file.write(self._changes)
            self._file.clean()
            self._entries, self._changes = self._file.entries(), []

    def close(self) -> None:
        """Leave the tables to servers."""
        if self._file is not None:
            self._file.close()


def _names(value: Any) -> Iterator[str]:
    """The names in a value of JSON."""
    if isinstance(value, dict):
        if isinstance(name := value.get("name"), str) and name:
            yield name
        value = list(value.values())
    if isinstance(value, list):
        yield from chain.from_iterable(map(_names, value))


def _left(texts: list[str], erasure: Erasure, hands: TouchedHands) -> list[str]:
    """What is left of objects in JSON, the entries of a table or the lines of a file. If they are damaged and
    have something to erase, nothing is."""
    try:
        old = [json.loads(text) for text in texts]
        new = erasure.at_table(old, hands)
    except (ValueError, TypeError, AttributeError, LookupError, RecursionError):
        return [] if any(erasure.is_in(text, hands) for text in texts) else texts
    if new == old:
        return texts
    end = "\n" if texts[0].endswith("\n") else ""
    return [json.dumps(value, separators=(",", ":"), ensure_ascii=False) + end for value in new]
