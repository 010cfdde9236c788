"""The rows of a statement, wherever it runs. Only the standard library is imported here."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final, Self

from cardlog.schemas.errors import CardlogError

if TYPE_CHECKING:
    import pyarrow as pa

BATCH_ROWS: Final = 10_000
LINES_ROWS: Final = 50_000


class QueryError(CardlogError):
    """A query was refused or failed; the text is for the user."""


class Answer:
    """The rows of a statement, in this process or another.

    fetchmany
        The next rows, at most `size`; empty after the last.
    open_batches, next_batch
        Run a bound query in Arrow batches of at most `size` rows: its schema, then each batch, then None.
        With a format of `lines.LINES`, a row is a text in it.
    """

    fetchmany: Callable[[int], list[tuple[Any, ...]]]
    open_batches: Callable[..., "pa.Schema"]
    next_batch: Callable[[], "pa.RecordBatch | None"]
    close: Callable[[], None]
    description: list[tuple[str, str]]
    """The name and the type of each column."""

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return [name for name, _ in self.description]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def fetchone(self) -> tuple[Any, ...] | None:
        """The next row; None after the last."""
        return next(iter(self.fetchmany(1)), None)

    def fetchall(self) -> list[tuple[Any, ...]]:
        """All remaining rows."""
        return list(self.rows())

    def dicts(self) -> list[dict[str, Any]]:
        """All remaining rows, as dictionaries."""
        names = self.names
        return [dict(zip(names, row, strict=True)) for row in self.rows()]

    def rows(self, batch_size: int = BATCH_ROWS) -> Iterator[tuple[Any, ...]]:
        """The remaining rows one by one, fetched in batches."""
        for batch in iter(lambda: self.fetchmany(batch_size), []):
            yield from batch

    def batches(self, size: int) -> tuple["pa.Schema", Iterator["pa.RecordBatch"]]:
        """The Arrow schema and batches of a bound query."""
        return self.open_batches(size), iter(self.next_batch, None)

    def lines(self, form: str) -> Iterator[str]:
        """The rows of a bound query as lines of a format of `lines.LINES`, many at a time."""
        import numpy as np

        self.open_batches(LINES_ROWS, form)
        for batch in iter(self.next_batch, None):
            [column] = batch.columns
            bounds = np.frombuffer(column.buffers()[1], np.int32)[column.offset :]
            yield str(memoryview(column.buffers()[2])[bounds[0] : bounds[len(column)]], "utf-8")
