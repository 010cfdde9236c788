"""What an ingest and a build came to, for Python programs."""

from dataclasses import dataclass, field
from typing import Any

from cardlog.pipelines.upkeep.left_out import LeftOut


@dataclass(frozen=True)
class Ingested:
    """Counts of an ingest: hands read = stored + duplicates + quarantined.

    hands_aborted, completed, replaced
        How many of the stored hands break off; complete a hand that was stored before; replace one.
    erased
        How many of the duplicates were erased by `Store.forget` with their ids, and must not come back.
    sources
        The new rows of the table `ingests`, one for each file.
    skipped
        Files that were skipped, each with the reason.
    rejects
        Of a dry run: the hands that would go to quarantine, with `where`, `reason` and `message`.
    """

    lines_read: int
    other_lines: int
    hands_read: int
    hands_stored: int
    hands_aborted: int
    duplicates: int
    quarantined: int
    events_stored: int
    completed: int
    replaced: int
    erased: int
    sources: list[dict[str, Any]] = field(repr=False)
    skipped: list[tuple[str, str]]
    rejects: list[dict[str, Any]] = field(default_factory=list, repr=False)


@dataclass(frozen=True)
class Built:
    """The result of a build.

    rows
        Number of rows of each derived table.
    models
        Number of dbt models built; None if the marts were up to date or not requested.
    left_out
        Stored hands that could not be projected, at most ten.
    """

    rows: dict[str, int]
    models: int | None
    left_out: list[LeftOut]
