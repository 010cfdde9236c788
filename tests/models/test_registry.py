"""The registry of games; `tests/test_games.py` checks the games in it."""

import pytest

from cardlog import models


def test_an_unknown_game_names_the_known_ones() -> None:
    with pytest.raises(KeyError, match="there is no game 'whist'; there are: kaiser"):
        models.game("whist")


def test_the_repr_of_a_game_has_its_title_and_no_functions() -> None:
    for game in models.GAMES.values():
        text = f"{game!r} {game.decisions!r} {game.players!r}"
        assert game.title in text
        assert not any(word in text for word in ("<function", "Dispatcher", "dtype", "<module"))
