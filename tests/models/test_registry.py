"""The registry of games; `tests/test_games.py` checks the games in it."""

import pytest

from cardlog import models


def test_an_unknown_game_names_the_known_ones() -> None:
    with pytest.raises(KeyError, match="there is no game 'whist'; there are: kaiser"):
        models.game("whist")


def test_a_game_is_shown_by_what_it_is_called() -> None:
    for game in models.GAMES.values():
        shown = f"{game!r} {game.decisions!r} {game.players!r}"
        assert game.title in shown
        assert not any(word in shown for word in ("<function", "Dispatcher", "dtype", "<module"))
