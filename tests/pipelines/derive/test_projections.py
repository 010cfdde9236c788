"""Rows of `tricks`, `plays`, `seats` and `bids` in odd cases: hands that break off, hidden cards, games
without tricks or teams. That all fixtures have the right rows is in test_tables_by_sql."""

import json
from dataclasses import replace
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest

from cardlog import models
from cardlog.models.contest.simulation import Simulation
from cardlog.pipelines.derive.projections import project
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.events.folding import fold_batch
from cardlog.pipelines.events.to_arrow import to_tables
from cardlog.pipelines.export import simulate
from cardlog.schemas import cards
from cardlog.schemas.events import Action
from cardlog.schemas.tables import PROJECTIONS
from tests.support.tables_by_sql import differences_from_sql


def hand_of(game: str) -> Batch:
    simulation = Simulation(game, simulate._key(f"{game}-{simulate.DEFAULT_PLAYERS}-1"))
    (batch,) = simulate.batches(game, "test", simulation, 1)
    return batch


def deals_of(batch: Batch) -> Any:
    """Where hands are dealt."""
    return np.flatnonzero(batch.events["action"] == Action.DEAL_HAND)


def cut(batch: Batch, end: int) -> Batch:
    """A hand that breaks off before an event."""
    return replace(batch, events=batch.events[:end].copy(), offsets=np.array([0, end]))


def opened(batch: Batch, **changes: Any) -> Batch:
    number = batch.events["detail"][0]
    detail = json.loads(batch.details[number]) | changes
    return replace(batch, details=[*batch.details[:number], json.dumps(detail), *batch.details[number + 1 :]])


def hidden(batch: Batch, seat: int, count: int) -> Batch:
    """A hand of which the log does not show the first cards that a seat was dealt."""
    events = batch.events.copy()
    events["cards"][deals_of(batch)[seat], :count] = cards.UNKNOWN
    return replace(batch, events=events)


def columns(batch: Batch, name: str) -> dict[str, list[Any]]:
    tables = dict(project(batch, tuple(PROJECTIONS)))
    return tables[name].to_pydict()


def odd(batch: Batch) -> Batch:
    """A hand cut before each of its events, and with cards that the log does not show, each by an id of its
    own."""
    opening = json.loads(batch.details[batch.events["detail"][0]])
    more = {"players": [*opening["players"], None], "match": {"score": [7] * (len(opening["players"]) + 1)}}
    hands = [cut(batch, end) for end in range(1, len(batch.events) + 1)]
    for count in (1, 2, int(batch.events["count"][deals_of(batch)[0]])):
        hands += [cut(hidden(batch, 0, count), end) for end in (deals_of(batch)[-1] + 1, len(batch.events))]
    if batch.game == "five_card_draw":
        hands.append(opened(batch, **more))
    hands = [replace(hand, hand_ids=np.array([b"%032x" % n], "S32")) for n, hand in enumerate(hands)]
    folds = [fold_batch(hand).reasons[0] == 0 for hand in hands]
    return Batch.joined([hand for hand, is_legal in zip(hands, folds, strict=True) if is_legal])


@pytest.mark.parametrize("game", models.GAMES)
def test_rows_of_odd_hands_are_those_that_sql_finds(game: str) -> None:
    """A hand that breaks off anywhere, hidden cards, and a seat that nobody holds."""
    batch = odd(hand_of(game))
    assert len(batch) >= len(hand_of(game).events)
    connection = duckdb.connect()
    connection.register("events", pa.concat_tables(to_tables(batch)))
    for name, rows in project(batch, tuple(PROJECTIONS)):
        connection.register(name, rows)
    assert differences_from_sql(connection) == {}


def test_a_seat_of_poker_that_nobody_holds_has_no_net() -> None:
    batch = hand_of("five_card_draw")
    seated = [player is not None for player in json.loads(batch.details[0])["players"]]
    rows = columns(batch, "playedhand")
    nets = [rows[f"player_{seat}_net"] != [None] for seat in range(10)]
    assert nets == [*seated, *[False] * (10 - len(seated))]
    assert not all(nets)


def test_openings_may_say_what_no_other_does() -> None:
    """A score of the match in a game that has none."""
    batch = hand_of("ruter_sju")
    players = [{"name": "7"}, {"name": "Ä", "kind": "human"}, {"name": None}, {}]
    seats = columns(opened(cut(batch, 1), players=players, match={"score": [1, "2", True, 10**20]}), "seats")
    assert seats["player_name"] == ["7", "Ä", None, None]
    assert seats["player_kind"] == [None, "human", None, None]
    assert seats["score_before"] == [1, None, None, None]


@pytest.mark.parametrize("game", models.GAMES)
def test_the_rows_of_a_hand_do_not_depend_on_the_hands_beside_it(game: str) -> None:
    """Such as on which suits are trump in them."""
    [batch] = simulate.batches(game, "test", Simulation(game, 1), 12)
    together = {name: rows.to_pylist() for name, rows in project(batch, tuple(PROJECTIONS))}
    for number, hand_id in enumerate(batch.hand_ids.tolist()):
        for name, rows in project(batch.take(np.array([number])), tuple(PROJECTIONS)):
            expected = [row for row in together[name] if row["hand_id"] == hand_id.decode()]
            assert rows.to_pylist() == expected, name
