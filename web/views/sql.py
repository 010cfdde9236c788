"""A box for any query, with the guard, the limits and the errors of `cardlog query`."""

import io
import re
from functools import cache
from tempfile import SpooledTemporaryFile
from typing import IO, Any, Final

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from cardlog.pipelines.charts.plot import NoPlot, of_rows
from cardlog.pipelines.errors import for_user
from cardlog.pipelines.sql import results, warehouse
from cardlog.pipelines.sql.answer import QueryError
from cardlog.pipelines.sql.tables import ALL
from cardlog.web import asking
from cardlog.web.asking import MOST_ROWS
from cardlog.web.pages import DOCS, page
from cardlog.web.site import Site

EXAMPLE: Final = "select game, status, count(*) as hands\nfrom hands\ngroup by all\norder by all"
MOST_QUERY: Final = 20_000
"""Characters of a query."""
IN_MEMORY: Final = 2**22
"""Bytes of CSV in memory; more goes to a temporary file."""
CHUNK: Final = 2**16
_COLUMNS: Final = """
    select table_name as name, list(column_name order by column_index) as columns
    from duckdb_columns() where not internal and schema_name = 'main'
    group by all order by name
"""
_known: Final[dict[tuple[str, str], list[dict[str, Any]]]] = {}
_QUESTION: Final = re.compile(r"^([A-Z][^\n]*(?:\n[^\n]+)*?)\n\n```sql\n(.*?)```", re.MULTILINE | re.DOTALL)
"""A paragraph and the query after it."""
_HEX: Final = set("0123456789abcdef")


def show(site: Site, request: Request) -> Response:
    """``/sql?q=select…&as=chart``."""
    sql = _query(request)
    values: dict[str, Any] = {
        "sql": sql or EXAMPLE,
        "result": None,
        "rows": [],
        "plot": None,
        "problem": None,
        "limit": MOST_ROWS,
        "limits": site.asking.limits,
        "tables": _tables(site),
        "examples": _examples(),
    }
    if not sql.strip():
        return page(request, "sql.html", values)
    try:
        result = site.asking.run_user_query(site.store, sql)
        values |= {"result": result, "rows": [_cells(result.names, row) for row in result.rows]}
        if request.query_params.get("as") == "chart":
            values["plot"] = of_rows(result.names, result.rows)
    except NoPlot as error:
        values["problem"] = str(error)
    except Exception as error:
        if for_user(error) is None:
            raise
        return page(request, "sql.html", values | {"problem": str(error)}, 400)
    return page(request, "sql.html", values)


def _tables(site: Site) -> list[dict[str, Any]]:
    """The marts and tables that a query can read, each with its columns; asked once for each build."""
    store = site.now()
    built = store.root, str(warehouse.note_of(store))
    if built not in _known:
        _known.clear()
        _known[built] = site.asking.run(store, {*ALL, "hands"}, _COLUMNS).dicts()
    return _known[built]


@cache
def _examples() -> list[tuple[str, str]]:
    """The questions of docs/questions.md with their queries."""
    text = (DOCS / "questions.md").read_text(encoding="utf-8")
    return [(" ".join(question.split()), sql.strip()) for question, sql in _QUESTION.findall(text)]


def _query(request: Request) -> str:
    """The text in the box; forms send line ends as CR LF."""
    text = request.query_params.get("q", "")[:MOST_QUERY]
    return text.replace("\r\n", "\n").replace("\r", "\n")


class _Limited(io.TextIOWrapper):
    """Text that may not become larger than a page's CSV file."""

    written = 0

    def write(self, text: str) -> int:
        """Write text. Raises QueryError."""
        self.written += len(text)
        if self.written > asking.MOST_CSV:
            raise QueryError(
                f"the file would have more than {asking.MOST_CSV:,} characters; "
                "cardlog query --output csv writes it all"
            )
        return super().write(text)


def csv(site: Site, request: Request) -> Response:
    """``/sql.csv?q=select…``: all rows as a file, or an error if it would be too large."""
    out = SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115  # closed once it is sent
    text = _Limited(out, "utf-8", newline="")
    try:
        site.asking.write_csv(site.store, _query(request), text)
        text.flush()
        text.detach()
        out.seek(0)
    except BaseException:
        out.close()
        raise
    headers = {"Content-Disposition": 'attachment; filename="cardlog.csv"'}
    return StreamingResponse(_chunks(out), headers=headers, media_type="text/csv; charset=utf-8")


def _chunks(file: IO[bytes]) -> Any:
    with file:
        while chunk := file.read(CHUNK):
            yield chunk


def _cells(names: list[str], row: tuple[Any, ...]) -> list[dict[str, Any]]:
    """A row's cells: the text, whether it is a number, and the address it links to."""
    cells = []
    for name, value in zip(names, row, strict=True):
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        text = str(value) if is_number and isinstance(value, int) else results.cell_text(value)
        cells.append({"text": text, "is_number": is_number, "address": _address(name, value)})
    return cells


def _address(name: str, value: Any) -> str | None:
    """The page of the hand that a cell names."""
    if name.endswith("hand_id") and isinstance(value, str) and len(value) == 32 and set(value) <= _HEX:
        return f"/hand/{value}"
    return None
