"""My game keeps to what cardlog asks of any game, and its players play it."""

import cardlog_my_game

import cardlog
from cardlog.testing import check_game


def test_it_fits_together() -> None:
    check_game(cardlog_my_game.GAME)


def test_the_expert_is_better_than_chance() -> None:
    assert cardlog.play("expert", "random", game="my_game", deals=200, seed=1).points.low > 0
