"""Play-offs: the same deals from every side, fair, exact for equals, and sure of who is better."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cardlog import models
from cardlog.models.contest.play_off import estimate, play_off, seatings
from cardlog.models.players import network
from tests.models.engine.test_arena import GAMES, first_legal
from tests.support.commands import exit_code


def test_each_side_has_each_seat_equally_often() -> None:
    assert seatings(3) == [(0, 1, 0), (1, 0, 0), (0, 0, 1), (1, 0, 1), (0, 1, 1), (1, 1, 0)]
    for seats in range(2, 7):
        ways = seatings(seats)
        assert len(ways) == len(set(ways)) == (2 if seats % 2 == 0 else 2 * seats)
        assert {sum(sides[seat] for sides in ways) * 2 for seat in range(seats)} == {len(ways)}


EVEN = [(name, None, 40) for name in GAMES]
EVEN += [(name, seats, 20) for name in ("ruter_sju", "five_card_draw") for seats in (3, 5)]


@pytest.mark.parametrize(("name", "seats", "deals"), EVEN)
@pytest.mark.parametrize("player", ["random", first_legal])
def test_a_player_against_itself_is_exactly_even(
    name: str, seats: int | None, deals: int, player: Any
) -> None:
    """Since every seating has the same deals; at tables of odd numbers, too."""
    result = play_off(name, (player, player), deals, 3, seats=seats)
    assert result.won == result.lost
    played = result.won + result.lost + result.drawn
    assert played == result.hands == deals * len(seatings(seats or models.game(name).playing().usual_seats))
    for estimated, even in ((result.share, 0.5), (result.points, 0.0)):
        assert (estimated.mean, estimated.low, estimated.high) == pytest.approx((even, even, even), abs=1e-9)


def test_a_clearly_better_player_is_found_to_be_better() -> None:
    """Belote's expert; and always folding against random bets is worse."""
    result = play_off("belote", ("expert", "random"), 300, 1)
    assert result.hands == 600
    assert (result.points.low or 0) > 0
    assert (result.share.low or 0) > 0.5
    folds = play_off("five_card_draw", (first_legal, "random"), 300, 1, seats=2)
    assert (folds.points.high or 0) < 0


def test_the_interval_covers_the_truth_in_95_of_100_samples() -> None:
    rng = np.random.default_rng(1)
    estimates = [estimate(rng.exponential(3.0, 200)) for _ in range(2000)]
    ends = np.array([(interval.low, interval.high) for interval in estimates], float)
    assert 0.92 < ((ends[:, 0] <= 3.0) & (ends[:, 1] >= 3.0)).mean() < 0.97
    values = np.array([1.0, 2.0, 6.0])
    interval = estimate(values)
    assert (interval.mean, interval.low) == (3.0, pytest.approx(3.0 - 1.96 * np.sqrt(7.0 / 3.0)))
    assert estimate(values[:1]).low is None


def test_the_command_prints_who_won(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(*arguments: str) -> tuple[Any, str, str]:
        return exit_code("play-off", *arguments), *capsys.readouterr()

    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text("def lowest(observations, masks):\n    return masks.argmax(axis=1)\n")
    arguments = ("kaiser", "mine:lowest", "random", "--hands", "50", "--seed", "2")
    code, text, _ = run(*arguments)
    assert code == 0
    assert "mine:lowest" in text
    assert "50 deals, 100 hands" in text
    expected = play_off("kaiser", (first_legal, "random"), 50, 2).as_dict()
    assert json.loads(run(*arguments, "--json")[1]) == {"a": "mine:lowest", "b": "random", **expected}
    code, _, error = run("kaiser", "mine:highest", "random")
    assert code == 2
    assert "no policy 'mine:highest'" in error
    assert run("whist", "random", "random")[0] == 2


def test_weights_play_by_their_path(tmp_path: Path) -> None:
    path = tmp_path / "network.npz"
    shutil.copy(Path(network.__file__).parents[1] / "five_card_draw" / "network.npz", path)
    (own, other) = (
        play_off("five_card_draw", (player, "random"), 20, seed=3) for player in ("network", str(path))
    )
    assert own == other
    with pytest.raises(ValueError, match="has no weights of a player of kaiser"):
        play_off("kaiser", (str(path), "random"), 2, seed=3)
    with pytest.raises(ValueError, match=r"none\.npz has no weights"):
        play_off("kaiser", (str(tmp_path / "none.npz"), "random"), 2, seed=3)
