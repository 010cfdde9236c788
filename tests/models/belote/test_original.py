"""The tensors of the original learning player, against all that it was shown in the logs."""

import numpy as np
import pytest

from cardlog.models.belote import original as belote_original
from cardlog.models.belote import rules as belote
from cardlog.models.belote.legal import choice
from cardlog.models.belote.original import (
    AVAILABLE,
    CARDS,
    LEFT,
    ME,
    TABLE,
    TEAMMATE,
    UNAVAILABLE,
    playing_states,
)
from cardlog.schemas import cards
from cardlog.schemas.events import Action
from tests.support.belote_logs import FIXTURES, card, games, hands_of, in_mask, read_log


@pytest.mark.parametrize("name", ["rl_cesmak", "rl_bornabesic"])
def test_every_tensor_is_what_the_network_was_given(name: str) -> None:
    expected = np.load(FIXTURES / f"{name}_tensors.npz")
    order = [game["gid"] for game in games(name)]
    row = 0
    for match, number, opening, events in hands_of(read_log(name).batch):
        events = events.copy()
        state = belote.begin(opening)[0]
        legal = []
        for one in events:
            if one["action"] == Action.PLAY_CARD:
                legal.append(in_mask(choice(state)))
            assert belote.evolve(state, one) == 0
        tensors, seats, trump, bidder = playing_states(events)
        rows = slice(row, row + len(tensors))
        assert (expected["game"][rows] == order.index(match)).all()
        assert (expected["hand"][rows] == number).all()
        assert (expected["play"][rows] == np.arange(32)).all()
        assert np.array_equal(expected["state"][rows], tensors)
        assert np.array_equal(expected["seat"][rows], seats)
        assert (expected["trump"][rows] == trump).all()
        assert np.array_equal(expected["bidder"][rows], bidder)
        played = events["cards"][events["action"] == Action.PLAY_CARD][:, 0].tolist()
        assert [card(int(action)) for action in expected["action"][rows]] == played
        for index, mask in enumerate(legal):
            given = {int(number) for number in np.flatnonzero(expected["legal"][row + index])}
            assert {card(number) for number in given} == mask
        row += len(tensors)
    assert row == len(expected["state"]) > 500


def test_what_is_forgotten_stays_forgotten() -> None:
    """Cards that fall after one's own are not seen, even when all is over."""
    *_, (_, _, _, events) = hands_of(read_log("rl_cesmak").batch)
    tensors, seats, _, _ = playing_states(events)
    unknown = tensors[-1, TEAMMATE, AVAILABLE] == belote_original.UNKNOWN
    assert unknown.any()
    assert (tensors[:, LEFT, AVAILABLE][tensors[:, TEAMMATE, AVAILABLE] == belote_original.UNKNOWN] > 0).all()
    assert not tensors[:, ME, TABLE].any()
    for index, seat in enumerate(seats):
        own = int((seats[:index] == seat).sum())
        assert tensors[index, ME, UNAVAILABLE].sum() == own
        assert tensors[index, ME, AVAILABLE].sum() == 8 - own


def test_cards_are_numbered_as_in_the_program() -> None:
    assert [cards.code(text) for text in CARDS] == [card(number) for number in range(32)]


def test_a_hand_that_is_not_known_has_no_tensors() -> None:
    *_, (_, _, _, events) = hands_of(read_log("rl_cesmak").batch)
    hidden = events.copy()
    hidden["cards"][1] = cards.UNKNOWN
    with pytest.raises(ValueError, match="not all cards"):
        playing_states(hidden)
