"""Data tests and constraints hold for all legal data: hands that break off anywhere, without scores, matches,
players or times, in matches with gaps. A game that is held back lacks its marts, so a test must be a law."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from cardlog import models
from cardlog.models.contest.simulation import Simulation
from cardlog.pipelines import readers, runs
from cardlog.pipelines.export import cardlog_jsonl
from cardlog.pipelines.export.simulate import batches
from cardlog.pipelines.readers.base import Source
from cardlog.pipelines.sql.marts import build as build_marts
from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.upkeep.verify import verify
from tests.support.jsonl_logs import Events, text_of
from tests.support.logs import BEGINNINGS, FIXTURES
from tests.support.stores import ask, ingest_text

HANDS = 20

Change = Callable[[Events, np.random.Generator], Events]


def some_scores(hand: Events, rng: np.random.Generator) -> Events:
    left_out = {name for name in ("trick", "hand", "place", "match", "show", "points") if rng.random() < 0.5}
    return [event for event in hand if event["kind"] != "score" or event["action"] not in left_out]


def scores_of(hand: Events, share: float, rng: np.random.Generator) -> Events:
    return [event for event in hand if event["kind"] != "score" or rng.random() < share]


def no_match(hand: Events, rng: np.random.Generator) -> Events:
    names = [("match_id", "hand_no"), ("hand_no",)][rng.integers(2)]
    return [{name: value for name, value in event.items() if name not in names} for event in hand]


def bare_opening(hand: Events, rng: np.random.Generator) -> Events:
    """Without the match before the hand, or without what is known of the players."""
    detail = dict(hand[0]["detail"])
    if rng.random() < 0.5:
        detail.pop("match", None)
    if rng.random() < 0.5:
        detail["players"] = [player and {} for player in detail["players"]]
    return [{**hand[0], "detail": detail}, *hand[1:]]


CHANGES: dict[str, Change] = {
    "whole": lambda hand, rng: hand,
    "cut": lambda hand, rng: hand[: rng.integers(1, len(hand) + 1)],
    "cut at the end": lambda hand, rng: hand[: max(1, len(hand) - rng.integers(8))],
    "some scores": some_scores,
    "scores of some": lambda hand, rng: scores_of(hand, 0.7, rng),
    "no scores": lambda hand, rng: scores_of(hand, rng.integers(2), rng),
    "no match": no_match,
    "gaps": lambda hand, rng: hand if rng.random() < 0.6 else [],
    "bare opening": bare_opening,
}


def hands_of(game: str) -> list[Events]:
    """Hands of the game's logs and of its players, by each of the rules, as events of cardlog-jsonl."""
    path, size = BEGINNINGS[game]
    text = (FIXTURES / path).read_bytes()[:size]
    text = text[: text.rindex(b"\n") + 1]
    form = readers.detect(text)
    assert form is not None
    read = [read.batch for read in readers.get(form).read(text, Source("0" * 64, "-", form))]
    for rules in models.game(game).playing().rules:
        read += batches(game, rules, Simulation(game, 1, rules=rules), HANDS)
    found: list[Events] = []
    for batch in read:
        for line in bytes(cardlog_jsonl.lines(batch)).splitlines():
            event = json.loads(line)
            if isinstance(event.get("detail"), str):
                event["detail"] = json.loads(event["detail"])
            if event["seq"] == 0:
                found.append([])
            found[-1].append(event)
    return found


def renamed(hand: Events, name: str) -> Events:
    """A hand of its own in each data set, as another log would have it."""
    name = f"{name} {hand[0]['game']}"
    key = f"{name} {hand[0]['hand_id']}"
    match = {"match_id": f"{name} {hand[0]['match_id']}"} if hand[0].get("match_id") else {}
    return [{**event, **match, "hand_id": key, "seq": seq} for seq, event in enumerate(hand)]


@pytest.mark.long
def test_no_legal_hand_holds_back_its_game(tmp_path: Path) -> None:
    store, rng = Store(str(tmp_path / "store")), np.random.default_rng(5)
    hands = [hand for game in models.GAMES for hand in hands_of(game)]
    for what, change in CHANGES.items():
        for again in ("whole", "some scores"):
            name = f"{what} {again}".replace(" ", "_")
            changed = [CHANGES[again](one_hand, rng) for hand in hands if (one_hand := change(hand, rng))]
            events = [event for hand in changed for event in renamed(hand, name)]
            ingest_text(store, tmp_path, text_of(events), "log.jsonl", dataset=name, final=True)
    runs.build(store)
    counts = ask(store, "select status, count(*) from playedhand group by game, status order by 1, 2")
    few = [count for status, count in counts if count <= (HANDS if status == "aborted" else 10 * HANDS)]
    assert (len(counts), few) == (2 * len(models.GAMES), [])
    build_marts(store)
    assert verify(store).problems == []
