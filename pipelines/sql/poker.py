"""Functions of poker hands in queries: `hand_rank`, `hand_name`, `odds`, `equities`.

They import the ranks and the odds when they are first called, since that loads the compiler."""

from functools import lru_cache
from typing import Any, Final

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from cardlog.schemas import cards
from cardlog.schemas.errors import CardlogError

_MACROS: Final = (
    "equities(hands, board := '', dead := '') as equities_of(hands, board, dead)",
    "odds(hand, other, board := '', dead := '') as equities_of([hand, other], board, dead)[1]",
)
_KEPT: Final = 100_000  # so many equities are kept for rows with the same hands
_FEWEST, _MOST = 5, 7  # cards that make a hand


def add_functions(connection: duckdb.DuckDBPyConnection) -> None:
    """Define the functions in a connection."""
    for name, function, parameters, kind in (
        ("hand_rank", hand_ranks, ["VARCHAR"], "SMALLINT"),
        ("hand_name", _hand_names, ["VARCHAR"], "VARCHAR"),
        ("equities_of", _equities, ["VARCHAR[]", "VARCHAR", "VARCHAR"], "DOUBLE[]"),
    ):
        connection.create_function(name, function, parameters, kind, type="arrow", null_handling="special")
    for macro in _MACROS:
        connection.execute(f"create macro {macro}")


def hand_ranks(texts: pa.ChunkedArray) -> pa.Array:
    """The rank of the best five of five to seven cards, such as ``AhKhQhJhTh``, from 1, the royal flush; null
    for fewer cards, or if one is hidden. Raises CardlogError for a text that is no such cards."""
    from cardlog.models.poker.ranks import ranks_of

    joined = pc.cast(pc.utf8_upper(pc.replace_substring(texts, " ", "")), pa.binary()).combine_chunks()
    sizes = pc.fill_null(pc.binary_length(joined), 0).to_numpy()
    for is_wrong, what in (
        (sizes % 2 > 0, "ends in half a card"),
        (sizes > 2 * _MOST, "is more than 7 cards"),
    ):
        if is_wrong.any():
            raise CardlogError(f"{_first(texts, is_wrong)!r} {what}")
    ranks = np.zeros(len(texts), np.int16)
    for count in range(_FEWEST, _MOST + 1):
        rows = np.flatnonzero(sizes == 2 * count)
        if len(rows) == 0:
            continue
        pairs = np.array(joined.take(pa.array(rows)).to_pylist(), f"S{2 * count}").view(np.uint16)
        codes = cards.CARD_OF_PAIR[pairs.reshape(-1, count)]
        ranks[rows] = ranks_of(codes)
        masks = np.bitwise_or.reduce(np.int64(1) << codes.astype(np.int64) % 64, axis=1)
        is_hidden = (codes == cards.UNKNOWN).any(axis=1)
        is_wrong = ((ranks[rows] == 0) | (np.bitwise_count(masks) < count)) & ~is_hidden
        if is_wrong.any():
            raise CardlogError(
                f"{_first(texts, rows[is_wrong])!r} is not {count} different cards, such as AhTc…"
            )
    return pa.array(ranks, mask=ranks == 0)


def _first(texts: pa.ChunkedArray, rows: NDArray[Any]) -> str:
    return str(texts.take(pa.array(np.arange(len(texts))[rows][:1]))[0])


def _hand_names(texts: pa.ChunkedArray) -> pa.Array:
    """The category of the best five cards, ``full house``; null as for `hand_ranks`."""
    from cardlog.models.poker.ranks import CATEGORIES, CATEGORY_OF

    ranks = hand_ranks(texts)
    return pc.take(pa.array(CATEGORIES), pc.take(pa.array(CATEGORY_OF), ranks))


def _equities(hands: pa.ChunkedArray, boards: pa.ChunkedArray, dead: pa.ChunkedArray) -> pa.Array:
    """The equity of each hand or range, as `cardlog odds` has it; null if one of them is null."""
    rows = zip(hands.to_pylist(), boards.to_pylist(), dead.to_pylist(), strict=True)
    found = [
        None if texts is None or None in texts else _equity(tuple(texts), board or "", gone or "")
        for texts, board, gone in rows
    ]
    return pa.array(found, pa.list_(pa.float64()))


@lru_cache(_KEPT)
def _equity(hands: tuple[str, ...], board: str, dead: str) -> list[float]:
    from cardlog.models.poker.odds import odds

    return [player.equity for player in odds(*hands, board=board, dead=dead).players]
