"""`cardlog.env`: the interfaces' own tests pass, and what an agent gets is what training rows have."""

import sys
from typing import Any

import numpy as np
import pytest

import cardlog
from cardlog import models
from cardlog.models.contest.simulation import Simulation
from tests.support.soak import long

GAMES = [name for name, game in models.GAMES.items() if game.players is not None]
ONE_GAME = ["kaiser", *long(*(name for name in GAMES if name != "kaiser"))]


def lowest(observations: Any, masks: Any) -> Any:
    """A policy: the first legal action."""
    return masks.argmax(axis=1)


@pytest.mark.filterwarnings("ignore:Observation.*:UserWarning:pettingzoo")  # is a dict, as in its card games
@pytest.mark.parametrize("game", ONE_GAME)
def test_pettingzoo_accepts_the_table(game: str, capsys: pytest.CaptureFixture[str]) -> None:
    tests = pytest.importorskip("pettingzoo.test", reason="make extras installs it")
    tests.api_test(cardlog.env(game, render_mode="ansi"), num_cycles=200)
    tests.seed_test(lambda: cardlog.env(game), num_cycles=20)
    assert "Passed API test" in capsys.readouterr().out


@pytest.mark.parametrize("game", ONE_GAME)
def test_gymnasium_accepts_a_seat(game: str) -> None:
    from gymnasium.utils.env_checker import check_env

    check_env(cardlog.env(game, against="random"), skip_render_check=True)


@pytest.mark.parametrize("game", GAMES)
def test_a_seat_gets_what_a_simulation_of_the_same_hands_brings(game: str) -> None:
    """Hand after hand, one at a time or many at once, with players that think among the others."""
    seats = models.game(game).playing().usual_seats
    others = ["random", "expert", lowest, *["random"] * seats][: seats - 1]
    players = (*others[:1], lowest, *others[1:])
    expected = Simulation(game, 5, players, single=True).play(6).returns[:, 1].tolist()
    one, found = cardlog.env(game, against=others, seat=1), []
    observed, info = one.reset(seed=5)
    kinds = [info["kind"]]
    while len(found) < 6:
        observed, reward, over, _, info = one.step(int(observed["action_mask"].argmax()))
        kinds += [info["kind"]] if not (found or over) else []
        if over:
            found.append(reward)
            observed, _ = one.reset()
    assert all(value in expected for value in found)
    many = cardlog.env(game, against=others, seat=1, hands=6)
    observed, info = many.reset(seed=5)
    rewards = np.full(6, np.nan)
    seen = []
    while np.isnan(rewards).any():
        seen.append(info["kind"][0])
        observed, reward, over, _, info = many.step(observed["action_mask"].argmax(axis=1))
        rewards[over & np.isnan(rewards)] = reward[over & np.isnan(rewards)]
        assert many.observation_space.contains(observed)
        assert not over.any() or many.observation_space.contains(info["final_obs"])
    assert seen[: len(kinds)] == kinds, "of the first hand"
    decided = [value for value in rewards.tolist() if value in expected]
    assert len(decided) >= 5, "a hand in which the seat has no choice is skipped"


def test_agents_see_what_training_rows_have() -> None:
    pytest.importorskip("pettingzoo", reason="make extras installs it")
    env, steps = cardlog.env("kaiser"), cardlog.Steps("kaiser")
    env.reset(seed=3)
    steps.reset(seed=3)
    for agent in env.agent_iter():
        observed, _, over, _, info = env.last()
        if over:
            env.step(None)
            continue
        np.testing.assert_array_equal(observed["observation"], steps.observe())
        np.testing.assert_array_equal(observed["action_mask"], steps.mask())
        assert (agent, info["kind"]) == (f"seat_{steps.current_seat}", steps.kind)
        others = [other for other in env.agents if other != agent]
        assert not any(env.observe(other)["action_mask"].any() for other in others)
        action = steps.legal_actions()[-1]
        steps.step(action)
        env.step(action)
        if steps.is_over:
            assert list(env.rewards.values()) == steps.returns()


def test_the_hand_is_drawn_and_what_is_wrong_is_said() -> None:
    env = cardlog.env("kaiser", against="random", render_mode="ansi")
    env.reset(seed=1)
    assert "Kaiser hand" in env.render()
    seat = cardlog.env("kaiser", against="expert")
    seat.reset(seed=1)
    before = seat.action_masks()
    assert seat.step(63)[1:] == (0.0, False, False, {"kind": "bid", "illegal": True})
    assert (seat.action_masks() == before).all()
    with pytest.raises(ValueError, match="action 63 is not legal; seat 0 may choose"):
        cardlog.env("kaiser", against="random", hands=1).step([63])
    mistakes: dict[str, dict[str, Any]] = {
        "seat is 7, and 3 others are named, of 4 seats": {"against": "expert", "seat": 7},
        "there can't be 0 seats; it must be 4": {"against": "expert", "seats": 0},
        "there can't be -1 seats": {"against": "expert", "seats": -1},
        "PettingZoo has no environments of many hands": {"hands": 2},
        "kaiser has no players 'nobody'; there are: random": {"against": "nobody"},
    }
    for said, options in mistakes.items():
        with pytest.raises(ValueError, match=said):
            cardlog.env("kaiser", **options)


def test_without_the_packages_it_says_which_extra_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "cardlog.pettingzoo_env", raising=False)
    monkeypatch.setitem(sys.modules, "pettingzoo", None)
    with pytest.raises(cardlog.MissingPackage, match=r"needs pettingzoo; install the extra 'cardlog\[env\]'"):
        cardlog.env("kaiser")


def test_a_policy_plays_and_what_can_t_be_played_is_said() -> None:
    found = cardlog.play(lowest, game="kaiser", deals=20, seed=3)
    assert (found.deals, found) == (20, cardlog.play(lowest, "random", game="kaiser", deals=20, seed=3))
    with pytest.raises(cardlog.SimulateError, match="'whist' is no game there is; there are: kaiser"):
        cardlog.play(lowest, game="whist")
    with pytest.raises(cardlog.SimulateError, match="which is not legal"):
        cardlog.play(lambda _, masks: (~masks).argmax(axis=1), game="kaiser", deals=2)
