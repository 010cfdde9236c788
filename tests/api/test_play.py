"""Play-offs and the step loop from `import cardlog`."""

import numpy as np
import pytest
from numpy.typing import NDArray

import cardlog
from tests.support.soak import long


def lowest(observations: NDArray[np.int8], masks: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The first legal action."""
    return masks.argmax(axis=1)


def nothing_legal(observations: NDArray[np.int8], masks: NDArray[np.bool_]) -> NDArray[np.int64]:
    return (~masks).argmax(axis=1)


@pytest.mark.parametrize("game", ["kaiser", *long("belote", "ruter_sju", "pinochle", "five_card_draw")])
def test_a_policy_plays_every_game(game: str) -> None:
    found = cardlog.play(lowest, "random", game=game, deals=20, seed=3)
    assert found.deals == 20
    assert found.won + found.lost + found.drawn == found.hands
    assert found == cardlog.play(lowest, game=game, deals=20, seed=3)
    itself = cardlog.play(lowest, lowest, game=game, deals=20)
    assert (itself.share.mean, itself.points.low) == (0.5, itself.points.mean)


def test_what_can_t_be_played_is_said() -> None:
    with pytest.raises(cardlog.SimulateError, match="'whist' is no game there is; there are: kaiser"):
        cardlog.play(lowest, game="whist")
    with pytest.raises(cardlog.SimulateError, match="which is not legal"):
        cardlog.play(nothing_legal, game="kaiser", deals=2)
