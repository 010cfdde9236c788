"""A policy at belote's tables: asked for what it may decide and shown what it may know, obeyed, checked."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cardlog.models.belote import decisions as belote_decisions
from cardlog.models.belote import rules as belote
from cardlog.models.belote.players import POLICY_TABLES, Simulation
from cardlog.models.playing import POLICY, Asked
from cardlog.pipelines.build.projections import project
from cardlog.pipelines.export.simulate import SimulateError, batches, simulate
from cardlog.pipelines.storage.batch import Batch
from cardlog.pipelines.storage.folding import fold_batch

HANDS = 300
MIXED = (POLICY, "random", "random", POLICY)


class Watched:
    """A policy that plays any legal action and keeps what it was asked."""

    def __init__(self, seed: int = 1) -> None:
        self.chance = np.random.default_rng(seed)
        self.asked: list[Asked] = []
        self.actions: list[NDArray[np.int64]] = []

    def __call__(self, asked: Asked) -> NDArray[np.int64]:
        actions = np.where(asked.masks, self.chance.random(asked.masks.shape), -1).argmax(axis=1)
        self.asked.append(Asked(*(np.copy(field) for field in vars(asked).values())))
        self.actions.append(actions)
        return actions


def batch_of(simulation: Simulation, count: int) -> Batch:
    [batch] = batches(belote.GAME, "test", simulation, count)
    return batch


@pytest.mark.parametrize("players", [(POLICY,), MIXED])
@pytest.mark.parametrize("rules", ["book", "readme"])
def test_a_policy_is_asked_what_the_rows_of_the_hands_hold(players: tuple[str, ...], rules: str) -> None:
    policy = Watched()
    batch = batch_of(Simulation(3, True, players, rules, policy), HANDS)
    folded = fold_batch(batch)
    assert (folded.reasons == 0).all()
    assert folded.states["done"].all()
    ((_, rows),) = project(batch, ("decisions",))
    seats = [seat for seat in range(4) if players[seat % len(players)] == POLICY]
    expected = sorted(
        (row["kind"], row["observation"], row["action_mask"], row["action"], row["seat"])
        for row in rows.to_pylist()
        if row["seat"] in seats
    )
    found = []
    for asked, actions in zip(policy.asked, policy.actions, strict=True):
        for seat, kind, observation, mask, action in zip(
            asked.seats, asked.kinds, asked.observations, asked.masks, actions, strict=True
        ):
            name = belote_decisions.DECISION_KINDS[kind]
            width = {"bid": belote_decisions.BID_ACTIONS, "play": belote_decisions.PLAY_ACTIONS}[name]
            assert not mask[width:].any()
            found.append((name, observation.tolist(), mask[:width].tolist(), int(action), int(seat)))
    assert sorted(found) == expected
    assert len(found) > 30 * HANDS * len(seats) / 4


def test_a_policy_claims_bela_whenever_it_may() -> None:
    def claims(*arguments: Any) -> int:
        return int((Simulation(3, True, *arguments).play(2000).events["action"] == belote.CLAIM_BELA).sum())

    always, half = claims((POLICY,), "book", Watched()), claims()
    assert 1.6 < always / half < 2.5


def test_hands_do_not_depend_on_how_many_are_asked_for() -> None:
    def first_legal(asked: Asked) -> NDArray[np.int64]:
        return asked.masks.argmax(axis=1)

    count = POLICY_TABLES + 70
    whole = Simulation(5, True, MIXED, "book", first_legal).play(count)
    parts = Simulation(5, True, MIXED, "book", first_legal)
    played = [parts.play(size) for size in (40, 500, count - 540)]
    events = np.concatenate([part.events for part in played])
    fields = [name for name in events.dtype.names if name != "detail"]
    assert all((events[name] == whole.events[name]).all() for name in fields)
    details = [text for part in played for text in part.details]
    assert details == whole.details
    openings = [json.loads(detail) for detail in details]
    assert any(sum(opening["match"]["score"]) > 0 for opening in openings)


def test_a_policy_that_answers_wrongly_is_told_so() -> None:
    def answer(made: Any) -> str:
        with pytest.raises(ValueError, match="policy") as caught:
            Simulation(5, True, (POLICY,), "book", made).play(1)
        return str(caught.value)

    assert answer(lambda asked: (~asked.masks).argmax(axis=1)).endswith("which is not legal for it")
    assert "action 99, which is not legal" in answer(lambda asked: np.full(len(asked.seats), 99))
    assert "action -1, which is not legal" in answer(lambda asked: np.full(len(asked.seats), -1))
    assert "float64 and shape (1,)" in answer(lambda asked: np.zeros(1))
    assert "shape (2,), not whole numbers of shape (1,)" in answer(lambda asked: np.zeros(2, np.int64))


def test_a_policy_must_be_given_and_the_game_must_take_one(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no policy is given"):
        Simulation(5, True, (POLICY,))
    out = str(tmp_path / "log.jsonl")
    with pytest.raises(SimulateError, match="belote has no players 'policy'"):
        simulate("belote", 1, 1, out, players=POLICY)
    with pytest.raises(SimulateError, match="kaiser can't be played by a policy"):
        simulate("kaiser", 1, 1, out, players=POLICY, policy=Watched())
    with pytest.raises(ValueError, match="the policy chose action 99"):
        simulate("belote", 1, 1, out, players=POLICY, policy=lambda asked: np.full(len(asked.seats), 99))
    assert not list(tmp_path.iterdir())
