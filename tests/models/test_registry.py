"""The registry of games, and what every game's module must have."""

import numpy as np
import pytest

from cardlog import models
from cardlog.schemas.events import record_dtype


def test_an_unknown_game_names_the_known_ones() -> None:
    with pytest.raises(KeyError, match="there is no game 'whist'; there are: kaiser"):
        models.game("whist")


@pytest.mark.parametrize("name", models.GAMES)
def test_every_game_has_what_the_fold_needs(name: str) -> None:
    game = models.game(name)
    assert name == game.GAME
    assert record_dtype(game.MOST_CARDS) == game.EVENT
    assert game.STATE.names[0] == "done"
    for function in ("evolve", "begin", "legal_actions", "legal_text"):
        assert callable(getattr(game, function))
        assert getattr(game, function).__doc__


@pytest.mark.parametrize("name", models.GAMES)
def test_every_game_is_summed_up_in_a_sentence(name: str) -> None:
    summary = models.summary(name)
    assert summary.endswith(".")
    assert "\n" not in summary


@pytest.mark.parametrize("name", models.GAMES)
def test_every_game_runs_as_plain_python_too(name: str) -> None:
    """Which needs records whose fields are attributes, and that no method of theirs hides one."""
    for dtype in (models.game(name).EVENT, models.game(name).STATE):
        assert dtype.type is np.record
        assert set(dtype.names) & set(dir(np.record)) == set()
