"""`check_game` notices tables that do not fit the game, and what shows a seat too much or too little.
Its other checks pass in `tests/test_games.py`."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from cardlog import models, testing
from cardlog.models.contest.simulation import Simulation
from cardlog.models.kaiser.players import winner_of
from cardlog.pipelines.derive import projections
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.export.simulate import batches
from cardlog.table_checks import check_matches, check_tables

KAISER = projections.TABLES["kaiser"]
VISIBLE = models.game("kaiser").visible


def played() -> Batch:
    return Batch.joined([*batches("kaiser", "test", Simulation("kaiser", 3), 20)])


def test_a_game_without_teams_has_no_columns_of_teams(monkeypatch: pytest.MonkeyPatch) -> None:
    alone = replace(models.game("kaiser"), teams=())
    monkeypatch.setitem(models.GAMES.ours, "kaiser", alone)
    batch = played()
    found = dict(projections.project(batch, ("playedhand", "tricks", "seats")))
    tricks = found["tricks"].to_pylist()
    declarers = {row["hand_id"]: row["declarer"] for row in found["playedhand"].to_pylist()}
    assert any(row["taken_by_bidders"] for row in tricks)
    for row in tricks:
        assert row["winner_team"] is None
        assert row["taken_by_bidders"] == (row["winner"] == declarers[row["hand_id"]])
    for table, name in (("playedhand", "declarer_team"), ("seats", "team"), ("seats", "partner_seat")):
        assert found[table].column(name).null_count == len(found[table])
    with pytest.raises(AssertionError, match="seats does not say whether hand"):
        check_tables(alone, batch)
    monkeypatch.setitem(projections.TABLES.ours, "kaiser", replace(KAISER, hand_columns=with_teams))
    with pytest.raises(AssertionError, match="it has no teams, but playedhand has team_0_score"):
        check_tables(alone, batch)


@pytest.mark.long
def test_matches_that_others_win_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    kaiser = models.game("kaiser")
    players = replace(kaiser.playing(), winner_of=lambda table, state: 1 - winner_of(table, state))
    monkeypatch.setitem(models.GAMES.ours, "kaiser", replace(kaiser, players=players))
    with pytest.raises(AssertionError, match=r"matches says that . has won"):
        check_matches(models.game("kaiser"))


def with_teams(batch: Batch, states: Any) -> dict[str, pa.Array]:
    return KAISER.hand_columns(batch, states) | {"team_0_score": pa.array(np.ones(len(batch), np.int32))}


def other_tricks(**changes: Callable[[Any], Any]) -> dict[str, Any]:
    """Tables in which some columns of tricks are other ones."""
    ours = KAISER.tricks
    return {
        "tricks": lambda states: ours(states)._replace(
            **{name: change(getattr(ours(states), name)) for name, change in changes.items()}
        )
    }


def other_scores(batch: Batch, states: Any) -> dict[str, pa.Array]:
    found = KAISER.hand_columns(batch, states)
    return found | {"team_0_score": found["team_1_score"], "team_1_score": found["team_0_score"]}


def next_seat(seats: Any) -> Any:
    return (seats + 1) % 4


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        (other_tricks(winner=next_seat), "does not lead to the next"),
        (other_tricks(cards=lambda cards: cards[:, ::-1]), "tricks has other cards"),
        (other_tricks(leader=next_seat, winner=next_seat), "tricks has another leader"),
        ({"hand_columns": other_scores}, "has no better return than who did not"),
        ({"hand_columns": lambda batch, states: {}}, "it has teams, but playedhand has no team_0_score"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_wrong_tables_are_noticed(
    changed: dict[str, Any], problem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(projections.TABLES.ours, "kaiser", replace(KAISER, **changed))
    with pytest.raises(AssertionError, match=problem):
        check_tables(models.game("kaiser"), played())


def seen_by_all(field: str) -> dict[str, Any]:
    """A table of what a seat may see in Kaiser, in which everyone sees a field."""
    own = {name: blank for name, blank in VISIBLE.own.items() if name != field}
    return {"public": (*VISIBLE.public, field), "own": own}


def checked(game: Any, batch: Batch) -> None:
    testing._check_form(game)
    testing._check_secrets(game, batch)


OTHERS_HOLD = "shows a seat what others hold, at event .*"


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"secret": {}}, "Game.visible lacks fields of its state: {'seen'}"),
        ({"secret": {"seen": 0, "suit": 0}}, "its state lacks fields of Game.visible: {'suit'}"),
        ({"secret": {"seen": 0, "turn": 0}}, "Game.visible lists fields twice: .*'turn'"),
        ({"own": {}, "secret": {"seen": 0, **VISIBLE.own}}, "more than Game.visible shows, at event"),
        (seen_by_all("hands"), f"{OTHERS_HOLD}'hands'"),
        (seen_by_all("passed_cards"), f"{OTHERS_HOLD}'passed_cards'"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_wrong_table_of_what_a_seat_may_see_is_noticed(changed: dict[str, Any], problem: str) -> None:
    wrong, batch = replace(models.game("kaiser"), visible=replace(VISIBLE, **changed)), played()
    with pytest.raises(AssertionError, match=problem):
        checked(wrong, batch)
