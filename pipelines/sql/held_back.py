"""Which games are held back when a model or a data test fails.

The marts then show these games as the last build did, and all others as they are now: a view reads the data
files of the earlier build, and incremental models do not get the new rows.
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Final

import duckdb

from cardlog.models import GAMES
from cardlog.pipelines import visible
from cardlog.pipelines.sql.dbt_run import DbtError, failed
from cardlog.pipelines.sql.warehouse import Stale

SHOWN_ROWS: Final = 10
"""Most rows of a failed test that are quoted."""
LONGEST_VALUE: Final = 80
MOST_ROWS: Final = 1000
"""Most rows of a failed test that are asked which games they are of."""


@dataclass(frozen=True)
class Failure:
    """A model that could not be built or a data test that found rows.

    games
        The games that it holds back.
    rows
        How many rows the test found.
    """

    name: str
    message: str
    games: tuple[str, ...]
    rows: int = 0


class HeldBack(DbtError):
    """Models or data tests failed; the games concerned were held back, the others published.

    models
        How many were built.
    """

    def __init__(self, models: int, failures: list[Failure], stale: dict[str, Stale]) -> None:
        lines = [
            "dbt found problems:",
            *(f"{failure.name}: {failure.message}" for failure in failures),
            *(f"Of {game} the marts show {each.shown}." for game, each in stale.items()),
            "All tables, and the marts of all other games, are up to date.",
            "'cardlog show HAND_ID' shows a hand, 'cardlog forget --hand HAND_ID' erases one; "
            "then 'cardlog build' tries again.",
        ]
        super().__init__("\n".join(lines))
        self.models, self.failures, self.stale = models, failures, stale

    def as_json(self) -> dict[str, Any]:
        """What failed and which games were held back."""
        failures = [{"name": one.name, "message": one.message, "rows": one.rows} for one in self.failures]
        return {"failed": failures, "stale": {game: asdict(stale) for game, stale in self.stale.items()}}


def failures_in(
    results: Iterable[Any], draft: duckdb.DuckDBPyConnection, games: tuple[str, ...]
) -> list[Failure]:
    """The failures among dbt's results, with the first rows that tests found.

    games
        The games with new hands, which a failure holds back if it is not of one game.
    """
    return [_failure(result, draft, games) for result in results if failed(result)]


def _failure(result: Any, draft: duckdb.DuckDBPyConnection, games: tuple[str, ...]) -> Failure:
    node, count, folder = result.node, result.failures or 0, result.node.fqn[-2]
    own = (folder,) if folder in GAMES else games
    if not count or node.resource_type != "test":
        return Failure(node.name, " ".join(str(result.message).split()), own)
    rows = draft.sql(node.compiled_code).limit(MOST_ROWS).to_arrow_table()
    if own is games and "game" in rows.column_names:
        own = tuple(sorted(set(rows.column("game").to_pylist())))
    quoted = [
        ", ".join(f"{name}={visible.shown(value, LONGEST_VALUE)}" for name, value in row.items())
        for row in rows.slice(0, SHOWN_ROWS).to_pylist()
    ]
    if count > SHOWN_ROWS:
        quoted.append("…")
    return Failure(node.name, f"{count:,} {'row' if count == 1 else 'rows'}: {'; '.join(quoted)}", own, count)
