"""Folded hands, with what several of their tables need, and the columns of `playedhand`."""

from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cardlog import models
from cardlog.pipelines.derive.projections.game import GameTables, Tricks
from cardlog.pipelines.events.batch import NO_HAND_NO, Batch
from cardlog.pipelines.events.columns import (
    OpeningColumns,
    among,
    card_texts,
    dialect_of,
    hand_labels,
    labels,
    labels_of_rows,
    nullable,
    optional,
)
from cardlog.pipelines.events.folding import STATUSES, Folded
from cardlog.schemas.cards import SUIT_STRIDE, SUITS, UNKNOWN
from cardlog.schemas.events import ACTIONS, LABEL, NO_AMOUNT, NO_TIME, Action
from cardlog.schemas.tables import MOST_SEATS, PLAYEDHAND

_IS_SCORE: Final = np.array([action.kind == "score" for action in ACTIONS])

_SUITS: Final = 256 // SUIT_STRIDE
HIDDEN: Final = UNKNOWN // SUIT_STRIDE
"""The suit under which `Hands.suits_dealt` counts cards that are not shown."""


class Reported(NamedTuple):
    """The scores that the source of some hands reports, `NO_AMOUNT` where it does not.

    total
        The number of scores of any kind: shape (hands,).
    scores, places
        The score of the match after the hand, and the finishing place, by seat or team: shape (hands, seats).
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
    teams
        Each seat's team: shape (seats,), empty in games without teams.
    """

    def __init__(self, batch: Batch, folded: Folded, tables: GameTables) -> None:
        self.batch = batch
        self.states = folded.states
        self.done = folded.done
        self.own = tables
        self.teams = np.array(models.game(batch.game).teams, np.int8)
        self.ids = hand_labels(batch.hand_ids)

    def __len__(self) -> int:
        return len(self.batch)

    @cached_property
    def openings(self) -> dict[str, pa.Array]:
        """The columns `_OPENINGS` of the openings, one value a hand."""
        return _OPENINGS.of(self.batch)

    @cached_property
    def dealt(self) -> NDArray[Any]:
        """How many cards each seat was dealt: shape (hands, seats)."""
        return self.own.dealt(self.states)

    @cached_property
    def suits_dealt(self) -> NDArray[np.int8]:
        """How many cards of each suit each seat was dealt, with those not shown as the suit `HIDDEN`: shape
        (hands, seats, 16)."""
        codes, counts = self.states["dealt_cards"], self.dealt
        index = np.flatnonzero(among(codes.reshape(-1, codes.shape[-1]), counts.reshape(-1)))
        suit = codes.reshape(-1)[index] // SUIT_STRIDE
        found = np.bincount(index // codes.shape[-1] * _SUITS + suit, minlength=counts.size * _SUITS)
        return found.astype(np.int8).reshape(*counts.shape, _SUITS)

    @cached_property
    def hand_of_event(self) -> NDArray[np.int32]:
        """The hand that each event is of: shape (events,)."""
        return np.repeat(np.arange(len(self), dtype=np.int32), np.diff(self.batch.offsets))

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
        """The scores that the source reports."""
        events = self.batch.events
        hand = self.hand_of_event
        total = np.bincount(hand[_IS_SCORE[events["action"]]], minlength=len(self)).astype(np.int16)
        scores, places = np.full((2, len(self), MOST_SEATS), NO_AMOUNT, np.int32)
        for action, amounts in ((Action.SCORE_MATCH, scores), (Action.SCORE_PLACE, places)):
            chosen = (events["action"] == action) & (events["seat"] >= 0)
            np.maximum.at(amounts, (hand[chosen], events["seat"][chosen]), events["amount"][chosen])
        return Reported(total, scores, places)

    @cached_property
    def played(self) -> dict[str, pa.Array]:
        """The columns of `playedhand`."""
        batch = self.batch
        firsts = batch.events[batch.offsets[:-1]]
        own = self.own.hand_columns(batch, self.states)
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
            **own,
        }
        for seat in range(MOST_SEATS):
            columns[f"player_{seat}_ai"] = self.openings[f"player_{seat}_ai"]
            if seat < self.dealt.shape[1]:
                codes = self.states["dealt_cards"][:, seat]
                columns[f"player_{seat}_hand"] = card_texts(codes, self.dealt[:, seat])
        if len(self.teams) and "declarer" in own:
            columns["declarer_team"] = pa.array(self.teams).take(own["declarer"])
        return with_nulls(columns, PLAYEDHAND, len(self))

    def side(self, seat: NDArray[Any]) -> NDArray[Any]:
        """The teams of some seats; in games without teams each seat is a side of its own."""
        return self.teams[seat] if len(self.teams) else seat

    def numbers(self, name: str, null: int = -1) -> NDArray[Any]:
        """A column of numbers of `playedhand`, with a number for null."""
        return np.asarray(self.played[name].fill_null(null))

    @property
    def trumps(self) -> NDArray[np.int64]:
        """The number of each hand's trump suit; -1 without one."""
        column = self.played["trump"]
        suits = np.array([*map(SUITS.find, column.dictionary.to_pylist()), -1])
        return np.asarray(suits[np.asarray(column.indices.fill_null(len(suits) - 1))])

    def rows(self, schema: pa.Schema, hand: NDArray[Any], columns: dict[str, pa.Array]) -> pa.Table:
        """Rows of a table: its own columns, and those that say which hand each row belongs to."""
        batch = self.batch
        columns = {
            "game": labels_of_rows(np.zeros(len(self)), (batch.game,), hand),
            "hand_id": pa.DictionaryArray.from_arrays(pa.array(hand, pa.int32()), self.ids),
            "dataset": labels_of_rows(batch.dataset_of, batch.datasets, hand),
            "ingest_no": pa.array(batch.ingest_nos[hand]),
            "hand_status": labels_of_rows(self.done, STATUSES, hand),
            **columns,
        }
        columns = with_nulls(columns, schema, len(hand))
        return pa.table([columns[name] for name in schema.names], schema=schema)


def with_nulls(columns: dict[str, pa.Array], schema: pa.Schema, rows: int) -> dict[str, pa.Array]:
    """Columns, with nulls for those of a schema that are missing."""
    return columns | {field.name: pa.nulls(rows, field.type) for field in schema if field.name not in columns}


def of_seat(
    columns: dict[str, pa.Array], name: str, hand: NDArray[Any], seat: NDArray[Any], seats: int = MOST_SEATS
) -> pa.Array:
    """The value for each row, from columns with one value a hand, one column for each seat or team."""
    by_seat = pa.concat_arrays([columns[name.format(number)] for number in range(seats)])
    return by_seat.take(pa.array(seat.astype(np.int64) * (len(by_seat) // seats) + hand))


# ---------------------------------------------------------------- openings


def _opening_values(opening: dict[str, Any]) -> tuple[Any, ...]:
    """The values of `_OPENINGS`; None for what the source does not have."""
    players = (opening["players"] + [None] * MOST_SEATS)[:MOST_SEATS]
    known = [player or {} for player in players]
    kinds = [player.get("kind") for player in known]
    match = opening.get("match")
    score = match.get("score") if isinstance(match, dict) else None
    scores = (score if isinstance(score, list) else []) + [None] * MOST_SEATS
    return (
        dialect_of(opening),
        *(None if kind is None else kind == "computer" for kind in kinds),
        *(player.get("name") for player in known),
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
        **_each_seat("name", LABEL),
        **_each_seat("kind", LABEL),
        **_each_seat("sits", pa.bool_()),
        **_each_seat("score", pa.int32()),
    },
    _opening_values,
)
"""The rules that a hand is judged by, if the game has several; for each seat whether the player is a
computer, the player's name and kind, and whether there is a player; and the score of the match before the
hand, by seat or team."""
