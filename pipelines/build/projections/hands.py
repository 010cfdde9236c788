"""Folded hands, with all that several tables of them need, and the rows of `playedhand`."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cardlog import models
from cardlog.models.compiled import compiled
from cardlog.pipelines.build.projections.columns import (
    OpeningColumns,
    card_texts,
    dialect_of,
    hand_labels,
    labels,
    nullable,
    optional,
    text_of,
)
from cardlog.pipelines.build.projections.game import GameTables, Tricks
from cardlog.pipelines.events.batch import NO_HAND_NO, Batch
from cardlog.pipelines.events.folding import STATUSES, Folded
from cardlog.schemas.events import ACTIONS, LABEL, NO_AMOUNT, NO_TIME, Action
from cardlog.schemas.tables import MOST_SEATS, PLAYEDHAND

_IS_SCORE: Final = np.array([action.kind == "score" for action in ACTIONS])
_SCORE_MATCH: Final = Action.SCORE_MATCH
_SCORE_PLACE: Final = Action.SCORE_PLACE


class Reported(NamedTuple):
    """What a source reports of some hands, `NO_AMOUNT` where it does not.

    total
        How many scores of any kind: shape (hands,).
    scores, places
        By seat or team, the score of the match after the hand and the finishing place: shape (hands, seats).
    """

    total: NDArray[np.int16]
    scores: NDArray[np.int32]
    places: NDArray[np.int32]


class Hands:
    """Some legal hands of one game.

    states
        The last state of each.
    own
        The game's own part of the tables.
    has_teams
        Whether partners sit opposite.
    ids
        Their ids.
    """

    def __init__(self, batch: Batch, folded: Folded, tables: GameTables) -> None:
        self.batch = batch
        self.states = folded.states
        self.done = folded.done
        self.own = tables
        self.has_teams = models.game(batch.game).has_teams
        self.ids = hand_labels(batch.hand_ids)

    def __len__(self) -> int:
        return len(self.batch)

    @cached_property
    def openings(self) -> dict[str, pa.Array]:
        """What the openings say, one value a hand; see `_OPENINGS`."""
        return _OPENINGS.of(self.batch)

    @cached_property
    def dealt(self) -> NDArray[Any]:
        """How many cards each seat was dealt: shape (hands, seats)."""
        return self.own.dealt(self.states)

    @cached_property
    def tricks(self) -> Tricks:
        """The whole tricks."""
        return self.own.tricks(self.states)

    @property
    def has_tricks(self) -> bool:
        """Whether cards are played in tricks."""
        return bool(self.tricks.cards.shape[1])

    @cached_property
    def reported(self) -> Reported:
        """What the source reports of scores."""
        events = self.batch.events
        found = _reported(events["action"], events["seat"], events["amount"], self.batch.offsets)
        return Reported(*found)

    @cached_property
    def names(self) -> tuple[NDArray[np.int32], list[str]]:
        """Names of players as numbers, -1 for none, shape (hands, seats), and what these stand for."""
        return _numbered([self.openings[f"player_{seat}_name"] for seat in range(MOST_SEATS)])

    @cached_property
    def kinds(self) -> tuple[NDArray[np.int32], list[str]]:
        """Likewise whether players are humans or computers."""
        return _numbered([self.openings[f"player_{seat}_kind"] for seat in range(MOST_SEATS)])

    @cached_property
    def played(self) -> dict[str, pa.Array]:
        """The columns of `playedhand`."""
        batch = self.batch
        firsts = batch.events[batch.offsets[:-1]]
        columns = {
            "added_date": optional(firsts["at"], NO_TIME).cast(pa.timestamp("us", "UTC")),
            "game": labels(np.zeros(len(self)), (batch.game,)),
            "hand_id": self.ids,
            "match_id": labels(batch.match_of, batch.matches).cast(pa.string()),
            "hand_no": optional(batch.hand_nos, NO_HAND_NO),
            "status": labels(self.done, STATUSES),
            "dialect": self.openings["dialect"],
            "dataset": labels(batch.dataset_of, batch.datasets),
            "source_key": batch.keys,
            "source_id": labels(batch.source_of, batch.sources),
            "source_line": nullable(firsts["line"], None),
            "scores_reported": nullable(self.reported.total, None),
            "ingest_no": pa.array(batch.ingest_nos),
            **self.own.hand_columns(batch, self.states),
        }
        for seat in range(MOST_SEATS):
            columns[f"player_{seat}_ai"] = self.openings[f"player_{seat}_ai"]
            if seat < self.dealt.shape[1]:
                codes = self.states["dealt_cards"][:, seat]
                columns[f"player_{seat}_hand"] = card_texts(codes, self.dealt[:, seat])
        return with_nulls(columns, PLAYEDHAND, len(self))

    def numbers(self, name: str, null: int = -1) -> NDArray[Any]:
        """A column of numbers of `playedhand`, or one of labels as their indices, with a number for null."""
        column = self.played[name]
        column = column.indices if isinstance(column, pa.DictionaryArray) else column
        return np.asarray(column.fill_null(null))

    def rows(self, schema: pa.Schema, hand: NDArray[Any], columns: dict[str, pa.Array]) -> pa.Table:
        """Rows of a table: its own columns, and those that say which hand each row is of."""
        batch = self.batch
        columns = {
            "game": labels(np.zeros(len(hand)), (batch.game,)),
            "hand_id": pa.DictionaryArray.from_arrays(pa.array(hand, pa.int32()), self.ids),
            "dataset": labels(batch.dataset_of[hand], batch.datasets),
            "ingest_no": pa.array(batch.ingest_nos[hand]),
            "hand_status": labels(self.done[hand], STATUSES),
            **columns,
        }
        columns = with_nulls(columns, schema, len(hand))
        return pa.table([columns[name] for name in schema.names], schema=schema)


def with_nulls(columns: dict[str, pa.Array], schema: pa.Schema, rows: int) -> dict[str, pa.Array]:
    """The columns of a schema, those that are missing as nulls."""
    return columns | {field.name: _nulls(field.type, rows) for field in schema if field.name not in columns}


def _nulls(kind: pa.DataType, rows: int) -> pa.Array:
    if kind == LABEL:
        return pa.DictionaryArray.from_arrays(pa.nulls(rows, pa.int32()), pa.array([], pa.string()))
    return pa.nulls(rows, kind)


def _numbered(columns: Sequence[pa.Array]) -> tuple[NDArray[np.int32], list[str]]:
    found = pa.concat_arrays(columns).dictionary_encode()
    numbers = np.asarray(found.indices.fill_null(-1)).reshape(len(columns), -1)
    return np.ascontiguousarray(numbers.T), found.dictionary.to_pylist()


@compiled
def _reported(actions: Any, seats: Any, amounts: Any, offsets: Any) -> Any:
    hands = len(offsets) - 1
    counts = np.zeros(hands, np.int16)
    scores = np.full((hands, MOST_SEATS), NO_AMOUNT, np.int32)
    places = np.full((hands, MOST_SEATS), NO_AMOUNT, np.int32)
    for hand in range(hands):
        for index in range(offsets[hand], offsets[hand + 1]):
            action = actions[index]
            if not _IS_SCORE[action]:
                continue
            counts[hand] += 1
            seat = seats[index]
            if 0 <= seat < MOST_SEATS:
                if action == _SCORE_MATCH:
                    scores[hand, seat] = max(scores[hand, seat], amounts[index])
                elif action == _SCORE_PLACE:
                    places[hand, seat] = max(places[hand, seat], amounts[index])
    return counts, scores, places


# ---------------------------------------------------------------- what openings say


def _opening_values(opening: dict[str, Any]) -> tuple[Any, ...]:
    """The values of `_OPENINGS`; None for what the source does not say."""
    players = (opening["players"] + [None] * MOST_SEATS)[:MOST_SEATS]
    known = [player or {} for player in players]
    kinds = [player.get("kind") for player in known]
    match = opening.get("match")
    score = match.get("score") if isinstance(match, dict) else None
    scores = (score if isinstance(score, list) else []) + [None] * MOST_SEATS
    return (
        dialect_of(opening),
        *(None if kind is None else kind == "computer" for kind in kinds),
        *(text_of(player.get("name")) for player in known),
        *kinds,
        *(player is not None for player in players),
        *(points if type(points) is int and abs(points) < 2**31 else None for points in scores[:MOST_SEATS]),
    )


def _each_seat(name: str, kind: pa.DataType) -> dict[str, pa.DataType]:
    return {f"player_{seat}_{name}": kind for seat in range(MOST_SEATS)}


_OPENINGS: Final = OpeningColumns(
    {
        "dialect": LABEL,
        **_each_seat("ai", pa.bool_()),
        **_each_seat("name", pa.string()),
        **_each_seat("kind", pa.string()),
        **_each_seat("sits", pa.bool_()),
        **_each_seat("score", pa.int32()),
    },
    _opening_values,
)
"""The rules that a hand is judged by, if the game has several; for each seat whether it is a computer, the
player's name and kind, and whether there is one; and the match's score before the hand, by seat or team."""
