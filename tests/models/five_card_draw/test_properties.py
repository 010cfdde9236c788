"""What must hold in five-card draw whatever the cards and the bets."""

import json
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cardlog.models.contest.simulation import Simulation
from cardlog.models.engine.fold import fold
from cardlog.models.five_card_draw import FIVE_CARD_DRAW
from cardlog.models.five_card_draw import decisions as view
from cardlog.models.five_card_draw import rules as game
from cardlog.models.five_card_draw import state as game_state
from cardlog.models.five_card_draw.legal import owed
from cardlog.models.five_card_draw.pots import Hands, could_be, is_known, share_out
from cardlog.models.poker.ranks import HAND_CARDS
from cardlog.schemas.events import NO_AMOUNT, NO_SEAT, Action
from tests.support.five_card_draw_hands import Table, event

SEATS = game_state.SEATS
seeds = st.integers(0, 2**32)


def played(seed: int, count: int, rules: str, scores: bool = True) -> Any:
    return Simulation(game.GAME, seed, rules=rules, scored=scores).play(count)


def initial_states(hands: Any) -> Any:
    return np.concatenate([game.begin(json.loads(detail)) for detail in hands.details])


# ---------------------------------------------------------------- whole hands


@pytest.mark.parametrize("rules", game_state.RULES)
def test_chips_in_are_chips_out_in_every_hand(rules: str) -> None:
    hands = played(1, 3000, rules)
    states = initial_states(hands)
    reasons, at = np.zeros(3000, np.int8), np.zeros(3000, np.int64)
    fold(FIVE_CARD_DRAW, hands.events, hands.offsets, states, reasons, at)
    assert not reasons.any()
    assert (states["done"] == 1).all()
    assert (states["won"].sum(axis=1) == states["staked"].sum(axis=1)).all()
    assert (states["stack"].sum(axis=1) == states["start"].sum(axis=1)).all()
    assert (states["stack"] >= 0).all()
    # All kinds of hands are among them: side pots, ties, folds, all in, four cards exchanged.
    winners = (states["won"] > 0).sum(axis=1)
    assert (winners > 1).any()
    assert (states["swapped"] == 4).any() == (rules != "original_unshuffled")  # aces lie too deep there
    assert (states["all_in"] != 0).any()
    assert ((states["live"] & (states["live"] - 1)) == 0).any()


def test_openings_are_written_as_the_game_writes_them() -> None:
    for rules in game_state.RULES:
        for detail in played(3, 50, rules).details:
            values = json.loads(detail)
            dialect, ante = values["settings"]["dialect"], values["settings"]["ante"]
            chips = values["match"]["score"]
            assert detail == game.opening(dialect, ante, values["dealer"], values["players"], chips)


def test_a_pack_that_is_not_shuffled_is_dealt_as_it_was_made() -> None:
    hands = played(5, 40, "original_unshuffled")
    for start, end in zip(hands.offsets, hands.offsets[1:], strict=False):
        events = hands.events[start:end]
        deals = events[np.isin(events["action"], [Action.DEAL_HAND, Action.DEAL_DRAW])]
        codes = [int(card) for deal in deals for card in deal["cards"][: deal["count"]]]
        assert codes == view._DECK_CODES[: len(codes)].tolist()


# ---------------------------------------------------------------- pots, by a second opinion


def plain_shares(staked: list[int], ranks: list[int], live: set[int]) -> list[list[int]]:
    """Pots layer by layer: what is in each, and who wins it. The rules go hand by hand instead."""
    pots: list[list[int]] = []
    floor = 0
    for level in sorted({chips for chips in staked if chips}):
        chips = sum(min(count, level) - min(count, floor) for count in staked)
        eligible = [seat for seat in live if staked[seat] >= level]
        best = min(ranks[seat] for seat in eligible)
        winners = [seat for seat in eligible if ranks[seat] == best]
        pots.append([chips, *winners])
        floor = level
    return pots


@st.composite
def tables(draw: Any) -> tuple[list[int], list[int], set[int]]:
    """Chips put in, ranks, and who has not folded, the player who has put in most among them."""
    count = draw(st.integers(2, SEATS))
    staked = draw(st.lists(st.integers(1, 40), min_size=count, max_size=count))
    ranks = draw(st.lists(st.integers(1, 5), min_size=count, max_size=count))
    live = {seat for seat in range(count) if draw(st.booleans())} | {staked.index(max(staked))}
    return staked + [0] * (SEATS - count), ranks + [0] * (SEATS - count), live


def shared(staked: list[int], ranks: list[int], live: set[int], carried: bool) -> list[int]:
    mask = sum(1 << seat for seat in live)
    prefer = np.array([(seat - 1) % SEATS for seat in range(SEATS)])
    won = share_out(mask, np.array(staked, np.int32), np.array(ranks, np.int16), prefer, carried)
    return list(won.tolist())


@settings(max_examples=500, deadline=None)
@given(tables(), st.booleans())
def test_r13_shares_are_those_of_pots_by_layers(
    table: tuple[list[int], list[int], set[int]], carried: bool
) -> None:
    staked, ranks, live = table
    won = shared(staked, ranks, live, carried)
    pots = plain_shares(staked, ranks, live)
    assert sum(won) == sum(staked)
    for seat in range(SEATS):
        least = sum(pot[0] // (len(pot) - 1) for pot in pots if seat in pot[1:])
        odd = sum(pot[0] % (len(pot) - 1) for pot in pots if seat in pot[1:])
        assert least <= won[seat] <= least + odd


@settings(max_examples=400, deadline=None)
@given(tables(), st.data(), st.booleans())
def test_payments_are_possible_when_mucked_hands_are_hidden(
    table: tuple[list[int], list[int], set[int]], data: Any, carried: bool
) -> None:
    """What was paid could be, and if the other hands settle it, they settle it so."""
    staked, ranks, live = table
    hidden, limits, best = list(ranks), [0] * SEATS, 0
    for step in range(1, SEATS + 1):
        seat = step % SEATS
        if seat not in live:
            continue
        if best == 0 or ranks[seat] <= best:
            best = ranks[seat]
        else:
            hidden[seat], limits[seat] = 0, best
    won = shared(staked, ranks, live, carried)
    mask = sum(1 << seat for seat in live)
    prefer = np.array([(seat - 1) % SEATS for seat in range(SEATS)])
    arrays = np.array(staked, np.int32), np.array(hidden, np.int16)
    hands = Hands(arrays[1], np.array(limits, np.int16))
    assert could_be(mask, arrays[0], hands, prefer, carried, np.array(won))
    if is_known(mask, arrays[0], arrays[1], prefer):
        assert shared(staked, hidden, live, carried) == won
    # Chips moved from one player to another can only be right if both hands are hidden, or tie.
    payer, payee = data.draw(st.sampled_from(sorted(live))), data.draw(st.sampled_from(sorted(live)))
    best_hands = {seat for seat in live if ranks[seat] == min(ranks[seat] for seat in live)}
    if payer != payee and best_hands == {payer} and won[payer] > 0:
        moved = list(won)
        moved[payer] -= 1
        moved[payee] += 1
        assert not could_be(mask, arrays[0], hands, prefer, carried, np.array(moved))


# ---------------------------------------------------------------- what is legal, at any moment


def moments(seed: int, rules: str) -> Any:
    """The states of a hand in which a seat decides, and its acts."""
    hands = played(seed, 1, rules)
    states = initial_states(hands)
    for act in hands.events:
        if game.legal_actions(states[0]):
            yield states, act
        assert game.evolve(states[0], act) == 0


def small_moments(seed: int, rules: str) -> Any:
    """The same of a hand with antes and bets that a simulation never makes: of no chips, or of few."""
    rng = random.Random(seed)
    chips = [rng.randrange(1, 7) for _ in range(rng.randrange(2, SEATS + 1))]
    table = Table(chips, rng.choice((0, 0, 1, 2)), dialect=rules)
    pack = [f"{rank}{suit}" for rank in "23456789TJQKA" for suit in "CDHS"]
    rng.shuffle(pack)
    table.deal(*("".join(pack[5 * seat : 5 * seat + 5]) for seat in range(len(chips))))
    state = table.state
    while game.legal_actions(state):
        mask = np.zeros(view.MOST_ACTIONS, np.bool_)
        view.legal_actions(state, mask)
        act = event(Action.BID_FOLD, int(state["turn"]))
        view.to_event(state, rng.choice(np.flatnonzero(mask).tolist()), act)
        if act["action"] == Action.BID_RAISE:
            act["amount"] = rng.randint(int(owed(state)) + 1, int(state["stack"][state["turn"]]))
        yield table.states, act
        assert game.evolve(state, act) == 0
        if state["phase"] == game_state.DRAWING and state["replaced"]:
            drawn = [pack.pop() for _ in range(int(state["replaced"]))]
            table.do(Action.DEAL_DRAW, int(state["turn"]), shown="".join(drawn))


@settings(max_examples=40, deadline=None)
@given(seeds, st.sampled_from(sorted(game_state.RULES)), st.sampled_from((moments, small_moments)))
def test_masks_agree_with_evolve(seed: int, rules: str, of_a_hand: Any) -> None:
    """`evolve` accepts what the masks allow, each amount, each set of cards, and nothing else."""
    for states, act in of_a_hand(seed, rules):
        state = states[0]
        mask = np.zeros(view.MOST_ACTIONS, np.bool_)
        kind, width, action = view.decide(state, act, mask)
        assert mask[action]
        for number in range(width):
            trial, copy = event(Action.BID_FOLD, int(state["turn"])), states.copy()
            view.to_event(state, number, trial)
            assert (game.evolve(copy[0], trial) == 0) == mask[number]
            if mask[number]:
                again = np.zeros(view.MOST_ACTIONS, np.bool_)
                assert view.decide(state, trial, again)[2] == number
        if kind == 0:
            check_amounts(states, mask)


def check_amounts(states: Any, mask: Any) -> None:
    """Every amount of a raise is legal if its kind is."""
    state = states[0]
    seat, stack = int(state["turn"]), int(state["stack"][states[0]["turn"]])
    step = max(stack // 50, 1)
    to_call = int(owed(state))
    for amount in [*range(0, stack + 2, step), stack, stack + 1, to_call, to_call + 1]:
        trial, copy = event(Action.BID_RAISE, seat, amount), states.copy()
        accepted = game.evolve(copy[0], trial) == 0
        assert accepted == (to_call < amount <= stack)
        if accepted:
            assert mask[view.decide(state, trial, np.zeros(32, np.bool_))[2]]


CARDS = ("??", "AS", "KH", "2C", "TD", "E4", "F5")


@settings(max_examples=25, deadline=None)
@given(seeds)
def test_no_other_seat_may_act_and_refusals_change_nothing(seed: int) -> None:
    rng = random.Random(seed)
    for states, act in moments(seed, "book"):
        for seat in range(-1, SEATS + 1):
            trial, copy = act.copy(), states.copy()
            before = copy.tobytes()  # of the copy: NumPy does not copy the bytes between fields
            trial["seat"] = seat
            reason = game.evolve(copy[0], trial)
            may = seat == states[0]["turn"] or (seat == NO_SEAT and act["action"] == Action.PLAY_DISCARD)
            assert (reason == 0) == may
            assert may or copy.tobytes() == before
        for _ in range(20):
            shown = "".join(rng.choice(CARDS) for _ in range(rng.randrange(6)))
            amount = rng.choice((NO_AMOUNT, -1, 0, 5, 50))
            trial = event(rng.randrange(24), rng.randrange(-1, 7), amount, shown)
            copy = states.copy()
            before = copy.tobytes()
            if game.evolve(copy[0], trial) != 0:
                assert copy.tobytes() == before


# ---------------------------------------------------------------- what a seat knows


@settings(max_examples=25, deadline=None)
@given(seeds)
def test_an_observation_has_the_hand_the_pot_and_the_round(seed: int) -> None:
    for states, act in moments(seed, "book"):
        seen = np.zeros(view.OBSERVATION_WIDTH, np.int8)
        view.observe(states[0], states[0].turn, seen)
        me = int(states[0]["turn"])
        held = {int(card) for card in states[0]["held_cards"][me]}
        in_hand = {
            int(view._DECK_CODES[index])
            for index in range(52)
            if view.IN_HAND <= seen[index] < view.IN_HAND + HAND_CARDS
        }
        assert in_hand == held
        pot = sum(int(seen[view.POT_AT + digit]) * view.DIGIT_BASE**digit for digit in range(view.DIGITS))
        assert pot == states[0]["staked"].sum()
        assert seen[view.ROUND_AT] in (0, 1, 2)
        assert act["seat"] == me
