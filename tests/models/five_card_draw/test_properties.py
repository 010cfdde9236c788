"""What must hold in five-card draw whatever the cards and the bets."""

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from cardlog.models.contest.simulation import Simulation
from cardlog.models.five_card_draw import decisions as view
from cardlog.models.five_card_draw import rules as game
from cardlog.models.five_card_draw import state as game_state
from cardlog.models.five_card_draw.pots import Hands, could_be, is_known, share_out
from cardlog.schemas.events import Action

SEATS = game_state.SEATS


def test_a_pack_that_is_not_shuffled_is_dealt_as_it_was_made() -> None:
    hands = Simulation(game.GAME, 5, rules="original_unshuffled").play(40)
    for start, end in zip(hands.offsets, hands.offsets[1:], strict=False):
        events = hands.events[start:end]
        deals = events[np.isin(events["action"], [Action.DEAL_HAND, Action.DEAL_DRAW])]
        codes = [int(card) for deal in deals for card in deal["cards"][: deal["count"]]]
        assert codes == view._DECK_CODES[: len(codes)].tolist()


PREFER = np.array([(seat - 1) % SEATS for seat in range(SEATS)])


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
    won = share_out(mask, np.array(staked, np.int32), np.array(ranks, np.int16), PREFER, carried)
    return list(won.tolist())


def test_r13_a_hidden_hand_is_worse_than_those_that_won_before_it_or_made_it_muck() -> None:
    """Of three hands the first has rank 3 and is all in, and the second is hidden."""
    for limit, third, rest, possible in (
        (0, 5, (10, 0), True), (0, 4, (10, 0), False), (0, 4, (5, 5), True), (4, 4, (5, 5), False),
    ):  # fmt: skip
        staked, ranks, limits, won = (
            np.array([*first, 0, 0, 0]) for first in ((5, 10, 10), (3, 0, third), (0, limit, 0), (15, *rest))
        )
        assert could_be(0b111, staked, Hands(ranks, limits), PREFER, False, won) is possible


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
    mask, chips, known = (
        sum(1 << seat for seat in live),
        np.array(staked, np.int32),
        np.array(hidden, np.int16),
    )
    hands = Hands(known, np.array(limits, np.int16))
    assert could_be(mask, chips, hands, PREFER, carried, np.array(won))
    if is_known(mask, chips, known, PREFER):
        assert shared(staked, hidden, live, carried) == won
    # Chips moved from one player to another can only be right if both hands are hidden, or tie.
    payer, payee = data.draw(st.sampled_from(sorted(live))), data.draw(st.sampled_from(sorted(live)))
    best_hands = {seat for seat in live if ranks[seat] == min(ranks[seat] for seat in live)}
    if payer != payee and best_hands == {payer} and won[payer] > 0:
        moved = list(won)
        moved[payer] -= 1
        moved[payee] += 1
        assert not could_be(mask, chips, hands, PREFER, carried, np.array(moved))
