"""Which games are held back when a model or a data test fails.

The marts then show these games as of the last build, and all others as they are now: a view reads the data
files of the earlier build, and incremental models do not get the new rows.
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Final

import duckdb

from cardlog.models import GAMES
from cardlog.pipelines.sql.dbt_run import DbtError, failed
from cardlog.pipelines.sql.warehouse import Stale
from cardlog.pipelines.text import visible

MAX_QUOTED: Final = 10
"""Maximum number of rows of a failed test in its message."""
MAX_WIDTH: Final = 80
"""Maximum length of a value in the message."""
MAX_ROWS: Final = 1000
"""Maximum number of rows of a failed test that are searched for the games concerned."""


@dataclass(frozen=True)
class Failure:
    """A model that could not be built or a data test that found rows.

    games
        The games held back because of it.
    rows
        The number of rows that the test found.
    """

    name: str
    message: str
    games: tuple[str, ...]
    rows: int = 0


class HeldBack(DbtError):
    """Models or data tests failed; the games concerned were held back, the others published.

    models
        The number of models built.
    """

    def __init__(self, models: int, failures: list[Failure], stale: dict[str, Stale]) -> None:
        lines = [
            "dbt found problems:",
            *(f"{failure.name}: {failure.message}" for failure in failures),
            *(f"Of {game} the marts show {state.shown}." for game, state in stale.items()),
            "All tables, and the marts of all other games, are up to date.",
        ]
        if stale.keys() & GAMES.keys():
            lines += [
                "Every stored hand is legal, so this is probably an error in cardlog: please report it; "
                "'cardlog show HAND_ID' shows a hand."
            ]
        lines += ["The next 'cardlog build' tries again."]
        if stale.keys() - GAMES.keys():
            lines += ["'cardlog build --no-project' builds without your project, and removes its tables."]
        super().__init__("\n".join(lines))
        self.models, self.failures, self.stale = models, failures, stale

    def as_json(self) -> dict[str, Any]:
        """What failed and which games were held back."""
        failed = [{"name": f.name, "message": f.message, "rows": f.rows} for f in self.failures]
        return {"failed": failed, "stale": {game: asdict(stale) for game, stale in self.stale.items()}}


def failures_in(
    results: Iterable[Any], draft: duckdb.DuckDBPyConnection, games: tuple[str, ...]
) -> list[Failure]:
    """The failures among dbt's results, with the first rows that tests found.

    games
        The games with new hands: a failure that does not concern particular games holds them all back.
    """
    return [_failure(result, draft, games) for result in results if failed(result)]


def _failure(result: Any, draft: duckdb.DuckDBPyConnection, games: tuple[str, ...]) -> Failure:
    node, count, folder = result.node, result.failures or 0, result.node.fqn[-2]
    concerned = (folder,) if folder in GAMES else games
    if not count or node.resource_type != "test":
        return Failure(node.name, " ".join(str(result.message).split()), concerned)
    rows = draft.sql(node.compiled_code).limit(MAX_ROWS).to_arrow_table()
    if concerned is games and "game" in rows.column_names:
        concerned = tuple(sorted(set(rows.column("game").to_pylist())))
    quoted = [
        ", ".join(f"{name}={visible.shown(value, MAX_WIDTH)}" for name, value in row.items())
        for row in rows.slice(0, MAX_QUOTED).to_pylist()
    ]
    if count > MAX_QUOTED:
        quoted.append("…")
    message = f"{count:,} {'row' if count == 1 else 'rows'}: {'; '.join(quoted)}"
    return Failure(node.name, message, concerned, count)
