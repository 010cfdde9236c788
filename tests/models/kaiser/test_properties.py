"""What must hold of Kaiser whatever the deal, the bids, the play and the garbage."""

import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cardlog.models.kaiser import rules as kaiser
from cardlog.models.kaiser import state as kaiser_state
from cardlog.schemas.events import Action
from cardlog.schemas.reasons import Reason
from tests.support.kaiser_hands import (
    Event,
    bits,
    fold_digest,
    legal_event,
    random_deal,
    random_detail,
    random_step,
    record,
    trace,
)

REPO = Path(__file__).parents[3]


chances = st.integers(0, 2**64).map(random.Random)


def dealt(rng: random.Random) -> Any:
    """The states, shape (1,), of a hand that was dealt by chance and waits for its first bid."""
    states = kaiser.begin(random_detail(rng))
    for what in [
        Event(Action.DEAL_OPEN),
        *(Event(Action.DEAL_HAND, s, d) for s, d in enumerate(random_deal(rng))),
    ]:
        assert kaiser.evolve(states[0], record(what)) == 0
    return states


def moments(rng: random.Random) -> Any:
    """A hand of random legal actions: the states before each of them."""
    states = dealt(rng)
    while not states[0].done:
        yield states
        choice = rng.choice(bits(kaiser.legal_actions(states[0])))
        assert kaiser.evolve(states[0], record(legal_event(states[0], choice))) == 0
    yield states


@settings(max_examples=200, deadline=None, derandomize=True)
@given(chances)
def test_random_legal_play_ends_done_with_ten_points(rng: random.Random) -> None:
    steps = [state[0].copy() for state in moments(rng)]
    last = steps[-1]
    assert len(steps) in (4 + 32 + 1, 4 + 1 + 32 + 1)  # four bids, perhaps trump, all the cards
    assert last.done == 1
    assert sum(last.points) == sum(last.values) == kaiser.HAND_POINTS
    assert -2 <= min(last.points) <= max(last.points) <= kaiser_state.HIGHEST_BID
    assert sorted(last.played) == bits(kaiser_state.DECK)
    assert not last.hands.any()
    assert list(last.leaders) == [last.declarer, *last.winners[:-1]]


def check_sane(states: Any) -> None:
    """What holds of every state, however it came about."""
    state = states[0]
    hands = [int(held) for held in state.hands]
    together = 0
    for held in hands:
        assert held & ~int(kaiser_state.DECK) == 0
        assert held & together == 0
        assert held.bit_count() <= kaiser_state.HAND_CARDS
        together |= held
    played = [int(card) for card in state.played[: state.plays]]
    assert 0 <= state.plays <= 32
    assert len(set(played)) == len(played)
    assert not any(together >> card & 1 for card in played)
    assert together | cards_mask(played) == int(state.seen)
    assert state.tricks * 4 + state.trick_cards == state.plays
    assert sum(state.points) == sum(state.values[: state.tricks])
    assert state.done == (state.phase == kaiser_state.DONE) == (state.plays == 32)
    assert state.phase in range(7)
    assert 0 <= state.turn < 4
    assert -1 <= state.declarer < 4
    assert all(-1 <= rank <= 25 for rank in state.bids)


def cards_mask(codes: list[int]) -> int:
    return sum(1 << code for code in codes)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(chances, st.sampled_from((0.0, 0.5, 0.9)))
def test_garbage_between_legal_events_never_harms(rng: random.Random, sense: float) -> None:
    states = kaiser.begin(random_detail(rng))
    for _ in range(60):
        before = states.tobytes()
        reason = Reason(kaiser.evolve(states[0], random_step(states[0], rng, sense)))
        if reason:
            assert states.tobytes() == before
            assert kaiser.legal_text(states[0]) is not None
        check_sane(states)


# ---------------------------------------------------------------- without the compiler


HANDS = 30


@pytest.fixture(scope="module")
def as_plain_python() -> list[str]:
    """What the same hands come to where nothing is compiled and every warning is an error."""
    program = (
        "from tests.support import kaiser_hands as k; "
        f"print(k.trace(7, {HANDS})); print(k.fold_digest(100)); print(k.kaiser.evolve)"
    )
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    run = [sys.executable, "-W", "error", "-c", program]
    done = subprocess.run(run, env=environment, cwd=REPO, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_plain_python_gives_the_same_states_of_sense_and_garbage(as_plain_python: list[str]) -> None:
    traced, folded, function = as_plain_python
    assert function.startswith("<function evolve")
    assert traced == trace(7, HANDS)
    assert int(traced.split()[1]) > HANDS / 3
    assert folded == fold_digest(100)
