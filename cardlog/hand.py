"""One stored hand: its events, its row, its drawing."""

import io
from typing import Any

import pyarrow as pa

from cardlog.pipelines.derive.projections import project
from cardlog.pipelines.errors import as_our_own
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.events.to_arrow import to_tables
from cardlog.pipelines.hands import drawing
from cardlog.pipelines.ingest.lineage import raw_lines
from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.text.screen import console_for
from cardlog.schemas.tables import ANALYSIS

_HTML = '<pre style="line-height: normal; white-space: pre; overflow-x: auto">{code}</pre>'


class Hand:
    """A stored hand. Printed or shown in a notebook, it is drawn trick by trick, as by `cardlog show`."""

    def __init__(self, store: Store, batch: Batch) -> None:
        self._store = store
        self._batch = batch

    @property
    def id(self) -> str:
        """Its id: 32 hex digits."""
        return str(self._batch.hand_ids[0].decode())

    @property
    def game(self) -> str:
        """The game's name."""
        return self._batch.game

    @property
    def events(self) -> pa.Table:
        """Its events in order, with the columns of the table `events`."""
        return pa.concat_tables(to_tables(self._batch))

    @property
    def row(self) -> dict[str, Any]:
        """Its row of `playedhand`, computed from the events, so the tables need not be built."""
        with as_our_own():
            ((_, rows),) = project(self._batch, ("playedhand",))
        [row] = rows.to_pylist()
        return dict(row)

    @property
    def analysis(self) -> pa.Table:
        """What each of its cards was worth, with the columns of the table `analysis`; no rows if the game has
        no solver, or the log does not show all cards."""
        with as_our_own():
            found = dict(project(self._batch, ("analysis",)))
        return found.get("analysis", ANALYSIS.empty_table())

    def source(self) -> str:
        """The lines of the log it was read from. Raises SourceGone if the log moved or changed."""
        with as_our_own():
            return raw_lines(self._store, self._batch)

    def __repr__(self) -> str:
        with as_our_own():
            return drawing.text(self._batch).removesuffix("\n")

    def _repr_html_(self) -> str:
        console = console_for(io.StringIO(), record=True)
        with as_our_own():
            console.print(drawing.hand(self._batch))
        html: str = console.export_html(inline_styles=True, code_format=_HTML)
        return html
