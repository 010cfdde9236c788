"""A store's status as OpenMetrics text, which Prometheus and its textfile collector read.

All are gauges: `forget` lowers counts, and the textfile collector takes the older text format, in which a
counter's name is another.
"""

import json
from collections.abc import Iterable
from typing import Any

UP_TO_DATE = ("up to date", "record")
Sample = tuple[dict[str, str], int]


def openmetrics(report: dict[str, Any]) -> str:
    """The text of a report by `status.status`, with `# EOF` at its end."""
    tables = report["tables"].items()
    states = ("waiting", "incomplete", "resolved", "stored_since")
    metrics: dict[str, tuple[str, Iterable[Sample]]] = {
        "table_rows": ("Rows of a table.", (({"table": name}, table["rows"]) for name, table in tables)),
        "table_files": (
            "Data files of a table.", (({"table": name}, table["files"]) for name, table in tables)
        ),
        "table_up_to_date": (
            "Whether a table has all events of the store.",
            (({"table": name}, table["state"] in UP_TO_DATE) for name, table in tables),
        ),
        "hands": (
            "Hands ever read, and what became of them.",
            (({"what": name.removeprefix("hands_")}, count) for name, count in report["hands"].items()
             if name in HANDS),
        ),
        "quarantine_hands": (
            "Hands in quarantine by their state.",
            (({"state": state}, report["quarantine"][state]) for state in states),
        ),
        "sources": ("Files ever ingested.", [({}, report["sources"])]),
        "marts_up_to_date": (
            "Whether the marts show the tables of the last build.", [({}, report["marts"] == "up to date")]
        ),
        "held_back_games": ("Games whose marts are held back.", [({}, len(report["stale"]))]),
    }  # fmt: skip
    lines = [line for name, (help_, samples) in metrics.items() for line in _family(name, help_, samples)]
    return "\n".join([*lines, "# EOF", ""])


HANDS = ("hands_read", "hands_stored", "hands_aborted", "duplicates", "quarantined")


def _family(name: str, help_: str, samples: Iterable[Sample]) -> Iterable[str]:
    yield f"# TYPE cardlog_{name} gauge"
    yield f"# HELP cardlog_{name} {help_}"
    for labels, value in samples:
        texts = ",".join(f"{label}={json.dumps(text)}" for label, text in labels.items())
        yield f"cardlog_{name}{{{texts}}} {int(value)}" if texts else f"cardlog_{name} {int(value)}"
