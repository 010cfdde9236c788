"""The line of ``--log-json``: what a run of the command line did."""

import resource
import sys
import time
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, Final

from cardlog.pipelines.text.visible import json_text
from cardlog.pipelines.version import VERSION
from cardlog.schemas.errors import CardlogError

_MEMORY_UNIT: Final = 1 if sys.platform == "darwin" else 1024
"""Bytes in a unit of `ru_maxrss`."""


class CommandRun:
    """A run of the command line. If it `is_logged`, only its line is written to standard error; `result` is
    what it did, such as the counts of an ingest, and `error` why it failed."""

    def __init__(self) -> None:
        self.begin("", False)

    def begin(self, command: str, is_logged: bool) -> None:
        """Record the start of a command."""
        self.command, self.is_logged = command, is_logged
        self.store: Any = None
        self.result: dict[str, Any] = {}
        self.error: str | None = None
        self._clock, self._began_at = time.monotonic(), datetime.now(UTC)

    def write_line(self, code: int) -> None:
        """Write the line if the run `is_logged`; `code` is the exit code."""
        if not self.is_logged:
            return
        usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        versions, size = self._tables()
        line = {
            "began_at": self._began_at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "command": self.command,
            "cardlog": VERSION,
            "seconds": round(time.monotonic() - self._clock, 3),
            "cpu_seconds": round(sum(usage.ru_utime + usage.ru_stime for usage in usages), 3),
            "memory_bytes": usages[0].ru_maxrss * _MEMORY_UNIT,
            "store": self.store and self.store.root,
            "versions": versions,
            "store_bytes": size,
            "exit": code,
            "error": self.error,
            "result": self.result,
        }
        with suppress(OSError):  # standard error is closed
            print(json_text(line), file=sys.stderr, flush=True)

    def _tables(self) -> tuple[dict[str, int], int]:
        """The versions of the store's tables, and the bytes of their data files."""
        versions: dict[str, int] = {}
        size = 0
        with suppress(CardlogError):  # the command itself reports it
            if self.store is not None and self.store.exists:
                from cardlog.pipelines.storage.store import SCHEMAS

                for name in SCHEMAS:
                    versions[name] = self.store.table(name).version()
                    size += sum(self.store.bytes_of(name, versions[name]).values())
        return versions, size


CURRENT: Final = CommandRun()
"""The run of this process."""
