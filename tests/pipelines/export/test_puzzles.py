"""Puzzles: positions with one right card, compared with the table and the rules."""

import json
from collections import Counter
from typing import Any

import pytest

from cardlog.pipelines.export.puzzles import puzzles
from cardlog.pipelines.hands.costs import costs
from cardlog.pipelines.sql import hand_lookup
from tests.support.commands import exit_code
from tests.support.shared import edge_store, logged_games


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """Some puzzles of two games, as a file has them."""
    rows = []
    for game in ("kaiser", "belote"):
        file = tmp_path_factory.mktemp("puzzles") / "some.jsonl"
        arguments = ["--store", logged_games().root, "--game", game, "--limit", "8", "--out", str(file)]
        assert exit_code("puzzles", *arguments) == 0
        rows += [json.loads(line) for line in file.read_text().splitlines()]
    return rows


def pairs(text: str) -> list[str]:
    return [text[index : index + 2] for index in range(0, len(text), 2)]


def test_a_position_has_every_card_once(written: list[dict[str, Any]]) -> None:
    assert len(written) == 16
    for puzzle in written:
        held = list(map(pairs, puzzle["hands"]))
        everywhere = Counter(pairs("".join(puzzle["hands"]) + puzzle["before"] + puzzle["on_table"]))
        assert len(everywhere) == everywhere.total() == 32
        assert len(pairs(puzzle["before"])) == 4 * (puzzle["trick"] - 1)
        assert (puzzle["leader"] + len(pairs(puzzle["on_table"]))) % 4 == puzzle["seat"]
        own = held[puzzle["seat"]]
        assert len(own) == 9 - puzzle["trick"]
        legal = pairs(puzzle["legal_cards"])
        assert len(legal) == puzzle["legal"] > 1
        assert {puzzle["best"], puzzle["played"]} <= set(legal) <= set(own)


@pytest.mark.long
def test_the_answer_is_the_one_card_that_the_solver_finds_best(written: list[dict[str, Any]]) -> None:
    for puzzle in written[::3]:
        batch = hand_lookup.find(logged_games(), puzzle["hand_id"])
        number = len(puzzle["before"] + puzzle["on_table"]) // 2
        cost = costs(batch)[number]
        assert cost.best == [puzzle["best"]]
        assert set(cost.values) == set(pairs(puzzle["legal_cards"]))
        first, second = sorted(cost.values.values(), reverse=True)[:2]
        assert (first, second, first - second) == (
            puzzle["best_value"],
            puzzle["second_value"],
            puzzle["gap"],
        )


def test_puzzles_that_were_missed_come_first_and_none_are_below_the_gap() -> None:
    rows = puzzles(logged_games(), "kaiser", 3, 1000)
    missed = [puzzle["played"] != puzzle["best"] for puzzle in rows]
    assert missed == sorted(missed, reverse=True)
    assert any(missed)
    assert min(puzzle["gap"] for puzzle in rows) >= 3
    assert len(rows) < len(puzzles(logged_games(), "kaiser", 0, 1000))


@pytest.mark.parametrize(
    ("store", "arguments", "code", "message"),
    [
        (edge_store, [], 2, "cardlog build"),
        (logged_games, ["--game", "whist"], 2, "there is no game 'whist'"),
        (logged_games, ["--game", "pinochle"], 0, "no such puzzles"),  # of which nothing is analysed
    ],
)
def test_without_puzzles_there_is_one_sentence(
    store: Any, arguments: list[str], code: int, message: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert exit_code("puzzles", "--store", store().root, *arguments) == code
    assert message in capfd.readouterr().err
