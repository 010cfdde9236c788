"""Encoders: how what a seat knew becomes numbers. docs/features describes each, place by place.

``v1`` is what the table `decisions` holds; another encoder works its rows out from the events when
they are asked for.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Final, cast

import pyarrow as pa

from cardlog.pipelines.storage.batch import Batch
from cardlog.pipelines.storage.folding import Folded

DEFAULT: Final = "v1"
Rows = Callable[[Batch, Folded], pa.Table]
"""Rows as `decisions` has them, of the hands of a batch, from the events and their fold."""


@dataclass(frozen=True)
class Encoder:
    """An encoder of a game.

    version
        Rows made by another version are not the same.
    path
        Module that has `rows`, of the type `Rows`; none for `DEFAULT`, whose rows are stored.
    """

    game: str
    name: str
    version: int
    path: str = ""

    def rows(self, batch: Batch, folded: Folded) -> pa.Table:
        """The rows of some legal hands."""
        return cast(Rows, import_module(self.path).rows)(batch, folded)


def encoders(game: str) -> dict[str, Encoder]:
    """The encoders of a game by name, `DEFAULT` first."""
    found = [Encoder(game, DEFAULT, 1), *(encoder for encoder in _OTHERS if encoder.game == game)]
    return {encoder.name: encoder for encoder in found}


_OTHERS: Final = (Encoder("belote", "original", 1, "cardlog.pipelines.export.belote_original"),)
