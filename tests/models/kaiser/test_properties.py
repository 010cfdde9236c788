"""What must hold in Kaiser whatever the deal, the bids, the play and the garbage."""

import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cardlog.models.kaiser import rules as kaiser
from cardlog.models.kaiser import state as kaiser_state
from cardlog.models.kaiser.legal import bid_text
from cardlog.schemas.events import ACTIONS, Action
from cardlog.schemas.reasons import Reason
from tests.support.kaiser_hands import (
    Event,
    bid,
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


def examples(few: int, many: int) -> pytest.MarkDecorator:
    """How many examples a test tries: few as a rule, and many under ``make soak``."""
    return pytest.mark.parametrize("count", [few, pytest.param(many, marks=pytest.mark.soak)])


chances = st.integers(0, 2**64).map(random.Random)


def dealt(rng: random.Random) -> Any:
    """The states, shape (1,), of a hand that was dealt at random and waits for its first bid."""
    states = kaiser.begin(random_detail(rng))
    deal = [Event(Action.DEAL_HAND, seat, held) for seat, held in enumerate(random_deal(rng))]
    for event in [Event(Action.DEAL_OPEN), *deal]:
        assert kaiser.evolve(states[0], record(event)) == 0
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


def every_action(state: Any) -> dict[int, Event]:
    """Each action that a mask of this moment could name, and the event that carries it out."""
    seat = int(state.turn)
    if state.phase == kaiser_state.NAMING:
        return {suit: Event(Action.BID_TRUMP, seat, suit=suit) for suit in range(64)}
    if state.phase in (kaiser_state.PASSING, kaiser_state.BIDDING):
        return {0: Event(Action.BID_PASS, seat)} | {n: bid(seat, bid_text(n)) for n in range(2, 64)}
    return {}


def attempt(states: Any, event: Any, legal: bool) -> None:
    """`evolve` must accept a legal event; it must refuse any other and leave the state alone."""
    trial = states.copy()
    before = trial.tobytes()  # of the copy: NumPy does not copy the bytes between fields
    reason = kaiser.evolve(trial[0], event)
    assert (reason == 0) == legal, (Reason(reason), event)
    if not legal:
        assert trial.tobytes() == before
    else:
        assert trial.tobytes() != before


@examples(12, 50)
def test_mask_and_evolve_agree_on_every_action_at_random_moments(count: int) -> None:
    moments_of = given(chances, st.sets(st.integers(0, 40), min_size=4, max_size=8))
    settings(max_examples=count, deadline=None, derandomize=True)(moments_of(check_masks))()


def check_masks(rng: random.Random, chosen: set[int]) -> None:
    for number, states in enumerate(moments(rng)):
        state = states[0]
        if number in chosen or number < 6:
            legal = bits(kaiser.legal_actions(state))
            assert bool(legal) == (not state.done)
            for action, event in every_action(state).items():
                attempt(states, record(event), action in legal)
            card = record(Event(Action.PLAY_CARD, int(state.turn), "AC"))
            in_play = state.phase == kaiser_state.PLAYING
            for code in range(256):
                card.cards[0] = code
                attempt(states, card, in_play and code in legal)


@settings(max_examples=30, deadline=None, derandomize=True)
@given(chances)
def test_no_other_seat_may_act(rng: random.Random) -> None:
    for states in moments(rng):
        state = states[0]
        if state.done:
            break
        legal = legal_event(state, rng.choice(bits(kaiser.legal_actions(state))))
        for seat in {-2, 0, 1, 2, 3, 4, 127} - {int(state.turn)}:
            attempt(states, record(legal._replace(seat=seat)), legal=False)


def check_sane(states: Any) -> None:
    """What holds in every state, however it came about."""
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


@examples(40, 150)
def test_garbage_between_legal_events_never_harms(count: int) -> None:
    garbage = given(chances, st.sampled_from((0.0, 0.5, 0.9)))
    settings(max_examples=count, deadline=None, derandomize=True)(garbage(check_garbage))()


def check_garbage(rng: random.Random, sense: float) -> None:
    states = kaiser.begin(random_detail(rng))
    for _ in range(60):
        before = states.tobytes()
        reason = Reason(kaiser.evolve(states[0], random_step(states[0], rng, sense)))
        if reason:
            assert states.tobytes() == before
            assert kaiser.legal_text(states[0]) is not None
        check_sane(states)


@examples(60, 300)
def test_any_bytes_are_judged_at_any_moment(count: int) -> None:
    size = kaiser.EVENT.itemsize
    any_bytes = given(st.binary(min_size=size, max_size=size), chances)
    settings(max_examples=count, deadline=None, derandomize=True)(any_bytes(check_bytes))()


def check_bytes(raw: bytes, rng: random.Random) -> None:
    events = np.frombuffer(raw, kaiser.EVENT).copy()
    events["action"] %= len(ACTIONS) + 1
    events["count"] %= kaiser.MOST_CARDS + 1
    for number, states in enumerate(moments(rng)):
        if number % 5 == 0:
            trial = states.copy()
            before = trial.tobytes()
            reason = Reason(kaiser.evolve(trial[0], events[0].copy()))
            assert not reason or trial.tobytes() == before
            check_sane(trial)


# ---------------------------------------------------------------- without the compiler


@pytest.fixture(scope="module", params=[30, pytest.param(300, marks=pytest.mark.soak)])
def hands(request: pytest.FixtureRequest) -> int:
    """How many hands are traced."""
    return int(request.param)


@pytest.fixture(scope="module")
def as_plain_python(hands: int) -> list[str]:
    """The same hands' digests where nothing is compiled and every warning is an error."""
    program = (
        "from tests.support import kaiser_hands as k; "
        f"print(k.trace(7, {hands})); print(k.fold_digest(100)); print(k.kaiser.evolve)"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        cwd=REPO,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.long
def test_plain_python_is_what_ran(as_plain_python: list[str]) -> None:
    assert as_plain_python[2].startswith("<function evolve")


@pytest.mark.long
def test_plain_python_gives_the_same_states_of_sense_and_garbage(
    as_plain_python: list[str], hands: int
) -> None:
    digest, finished = as_plain_python[0].split()
    assert as_plain_python[0] == trace(7, hands)
    assert len(digest) == 64
    assert int(finished) > hands / 3


def test_plain_python_folds_rows_to_the_same_states(as_plain_python: list[str]) -> None:
    assert as_plain_python[1] == fold_digest(100)
