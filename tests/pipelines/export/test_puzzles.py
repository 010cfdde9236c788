"""Puzzles: positions with one right card, by the table and by the rules."""

import json
from collections import Counter
from typing import Any

import pytest

from cardlog.pipelines.export.puzzles import puzzles
from cardlog.pipelines.sql import hand_lookup
from cardlog.pipelines.terminal import cli
from cardlog.pipelines.terminal.drawings.analysis import costs
from tests.support.shared import edge_store, logged_games


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """Some puzzles of two games, as a file has them."""
    found = []
    for game in ("kaiser", "belote"):
        file = tmp_path_factory.mktemp("puzzles") / "some.jsonl"
        with pytest.raises(SystemExit) as end:
            cli.main(
                [
                    "puzzles",
                    "--store",
                    logged_games().root,
                    "--game",
                    game,
                    "--limit",
                    "8",
                    "--out",
                    str(file),
                ]
            )
        assert end.value.code == 0
        found += [json.loads(line) for line in file.read_text().splitlines()]
    return found


def pairs(text: str) -> list[str]:
    return [text[at : at + 2] for at in range(0, len(text), 2)]


def test_a_position_has_every_card_once(written: list[dict[str, Any]]) -> None:
    assert len(written) == 16
    for each in written:
        held = list(map(pairs, each["hands"]))
        everywhere = Counter(pairs("".join(each["hands"]) + each["before"] + each["on_table"]))
        assert len(everywhere) == everywhere.total() == 32
        assert len(pairs(each["before"])) == 4 * (each["trick"] - 1)
        assert (each["leader"] + len(pairs(each["on_table"]))) % 4 == each["seat"]
        mine = held[each["seat"]]
        assert len(mine) == 9 - each["trick"]
        legal = pairs(each["legal_cards"])
        assert len(legal) == each["legal"] > 1
        assert {each["best"], each["played"]} <= set(legal) <= set(mine)


@pytest.mark.long
def test_the_answer_is_the_one_card_that_the_solver_finds_best(written: list[dict[str, Any]]) -> None:
    for each in written[::3]:
        batch = hand_lookup.find(logged_games(), each["hand_id"])
        number = len(each["before"] + each["on_table"]) // 2
        cost = costs(batch)[number]
        assert cost.best == [each["best"]]
        assert set(cost.values) == set(pairs(each["legal_cards"]))
        first, second = sorted(cost.values.values(), reverse=True)[:2]
        assert (first, second, first - second) == (each["best_value"], each["second_value"], each["gap"])


def test_puzzles_that_were_missed_come_first_and_none_are_below_the_gap() -> None:
    found = puzzles(logged_games(), "kaiser", 3, 1000)
    missed = [each["played"] != each["best"] for each in found]
    assert missed == sorted(missed, reverse=True)
    assert any(missed)
    assert min(each["gap"] for each in found) >= 3
    assert len(found) < len(puzzles(logged_games(), "kaiser", 0, 1000))


@pytest.mark.parametrize(
    ("store", "arguments", "said"),
    [(edge_store, [], "cardlog build"), (logged_games, ["--game", "whist"], "there is no game 'whist'")],
)
def test_what_can_not_be_listed_is_said_in_a_sentence(
    store: Any, arguments: list[str], said: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        cli.main(["puzzles", "--store", store().root, *arguments])
    assert end.value.code == 2
    assert said in capfd.readouterr().err


def test_without_an_analysis_there_are_none(
    capfd: pytest.CaptureFixture[str],
) -> None:
    assert puzzles(logged_games(), "pinochle", 1, 20) == []
    with pytest.raises(SystemExit) as end:
        cli.main(["puzzles", "--store", logged_games().root, "--game", "pinochle"])
    assert end.value.code == 0
    assert "no such puzzles" in capfd.readouterr().err
