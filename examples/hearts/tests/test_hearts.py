"""Hearts against OpenSpiel, whose legal actions and returns are beside its games in cardlog's fixtures."""

import gzip
import json
from pathlib import Path

import cardlog_hearts
import numpy as np
import pytest
from cardlog_hearts.reader import read
from cardlog_hearts.rules import begin, evolve, legal_cards

import cardlog
from cardlog.plugin import Action, Source, cards
from cardlog.testing import check_game

HERE = Path(__file__).parent
LOGS = [HERE / "games_sample.txt", *HERE.parents[3].glob("shared/fixtures/hearts/games.txt")]


def hands_of(log: Path):
    [found] = read(log.read_bytes(), Source("0" * 64, log.name, "test", final=True))
    assert not found.rejects
    return found.batch


def test_it_fits_together() -> None:
    check_game(cardlog_hearts.HEARTS, hands_of(LOGS[0]).take(np.arange(6)))


def test_who_searches_takes_fewer_penalties() -> None:
    assert cardlog.play("search", "expert", game="hearts", deals=40, seed=3).points.low > 0


@pytest.mark.parametrize("log", LOGS, ids=lambda path: path.stem)
def test_every_decision_and_score_is_openspiels(log: Path) -> None:
    """R1 to R10, with all eight parameters on and off."""
    oracle = log.with_name(log.stem + "_oracle.jsonl.gz")
    expected = [json.loads(line) for line in gzip.decompress(oracle.read_bytes()).splitlines()]
    batch = hands_of(log)
    assert len(batch) == len(expected) > 5
    for number, (hand, told) in enumerate(zip(batch.offsets[:-1], expected, strict=True)):
        events = batch.events[hand : batch.offsets[number + 1]]
        [state] = begin(json.loads(batch.details[events[0]["detail"]]))
        legal = iter(told["legal"])
        for event in events:
            if event["action"] == Action.PLAY_CARD:
                mask = int(legal_cards(state))
                assert mask == cards.mask("".join(next(legal))), told["match"]
            assert evolve(state, event) == 0, (told["match"], told["hand"], event)
        assert state["score"].tolist() == told["points"]
