"""What the page shows of a hand is what its events and the rules say."""

import json
import re
from typing import Any

import pytest
from starlette.testclient import TestClient

from cardlog import models
from cardlog.pipelines.events.folding import fold_batch, replay_batch
from cardlog.pipelines.hands import DESCRIBERS, drawing
from cardlog.pipelines.sql import hand_lookup
from cardlog.pipelines.storage.store import Store
from cardlog.schemas import cards
from cardlog.web import hands
from tests.support.pages import asked, hand_of

GAMES = list(models.GAMES)
OTHER_ACTIONS = {"ruter_sju": 2}
"""After the cards: the block, and to pass."""
CARDS_OF = {"kaiser": 32, "belote": 32, "pinochle": 48}
"""The cards of the games with tricks."""


def data_of(text: str) -> dict[str, Any]:
    [found] = re.findall(r'<script type="application/json" id="hand-data">(.*?)</script>', text, re.DOTALL)
    return json.loads(found)


def some(store: Store, game: str, count: int = 3) -> list[Any]:
    """Hands of a game, whole ones and broken-off ones, as batches of one."""
    number = "row_number() over (partition by status order by hand_id)"
    sql = f"select hand_id from playedhand where game = ? qualify {number} <= ?"
    return [hand_lookup.find(store, hand_id) for (hand_id,) in asked(store, ["playedhand"], sql, game, count)]


@pytest.mark.parametrize("game", GAMES)
def test_there_is_a_step_for_each_event_with_the_cards_there_are_and_the_last_is_the_folded_state(
    store: Store, game: str
) -> None:
    """No card is in two places, and none is lost: those held, those played before and those dealt. Before
    each card that was played, as many are marked as legal as the mask of training rows allows."""
    for batch in some(store, game):
        view, state, replayed = hands.view(batch), fold_batch(batch).states[0], replay_batch(batch)
        steps, last = view["steps"], view["steps"][-1]
        assert [step["line"] for step in steps] == batch.events["line"].tolist()
        assert view["complete"] == bool(state["done"])
        for step in steps:
            held = [card for hand in step["hands"] for card in re.findall("..", hand) if card != "??"]
            most = 2 if game == "pinochle" else 1
            assert all(held.count(card) <= most for card in held)
            if game in CARDS_OF and step["kind"] != "deal":
                played = 4 * step["tricks"] + (0 if step["taker"] is not None else len(step["table"]))
                assert sum(len(hand) // 2 for hand in step["hands"]) + played == CARDS_OF[game]
        if game in CARDS_OF:
            assert last["tricks"] == state["tricks"]
            assert not state["done"] or last["score"] == state["score"].tolist()
        if game == "five_card_draw":
            assert last["stacks"] == state["stack"][: len(last["stacks"])].tolist()
            assert sum(last["pots"]) in (0, last["pot"])
            continue
        kinds = models.game(game).decisions.kinds
        for row, mask in zip(replayed.rows, replayed.masks, strict=True):
            event, before = batch.events[int(row["event"])], steps[int(row["event"]) - 1]
            if kinds[row["kind"]] == "play" and before["turn"] is not None and event["count"]:
                legal = re.findall("..", before["legal"])
                assert cards.text(int(event["cards"][0])) in legal
                assert len(legal) == sum(mask[: row["width"] - OTHER_ACTIONS.get(game, 0)])
                assert before["turn"] == row["seat"]


@pytest.mark.parametrize("game", GAMES)
def test_the_page_of_a_hand_and_the_lines_of_its_log(client: TestClient, store: Store, game: str) -> None:
    hand_id = hand_of(store, game, "status = 'complete'")
    data = data_of(client.get(f"/hand/{hand_id}").text)
    assert (data["id"], data["game"]) == (hand_id, game)
    assert client.get(f"/hand/{hand_id[:10]}?step=3").headers["location"] == f"/hand/{hand_id}?step=3"
    assert data["result"] == hands.view(hand_lookup.find(store, hand_id))["result"] != []
    line = data["steps"][-2]["line"]
    text = client.get(f"/hand/{hand_id}/log?line={line}").text
    assert re.findall(r'<div class="line marked" id="line-(\d+)"', text) == [str(line)]
    for line in ("x", "9" * 5000):
        assert client.get(f"/hand/{hand_id}/log?line={line}").status_code == 200
    for name in ("0" * 32, "zzzz", "12"):
        assert client.get(f"/hand/{name}").status_code == 404
    assert client.get("/hands?hand=%20ab/c").headers["location"] == "/hand/ab%2Fc"


def test_a_game_without_a_view_is_a_list_of_events(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Adding a game needs no page of its own."""
    monkeypatch.setattr(DESCRIBERS, "ours", {})
    batch = some(store, "kaiser", 1)[0]
    view = hands.view(batch)
    assert (view["shape"], len(view["steps"])) == ("events", len(batch.events))
    assert len(drawing.text(batch).splitlines()) == len(batch.events) + 2
    assert "seat 0 gets 8 cards\n" in drawing.text(batch)


@pytest.mark.long
@pytest.mark.parametrize("game", ["kaiser", "belote"])
def test_a_hand_that_was_analysed_shows_what_its_cards_cost(
    client: TestClient, store: Store, game: str
) -> None:
    """Each card its cost, with what was better; the curve from par to the return; the costliest three."""
    sql = "select hand_id from analysis where game = ? group by all order by sum(cost_open) desc, 1 limit 1"
    [(hand_id,)] = asked(store, ["analysis"], sql, game)
    columns = "select seat, card, cost_open, cost_known from analysis where hand_id = ? order by step"
    rows = asked(store, ["analysis"], columns, hand_id)
    sql = "select par, team_0_score - team_1_score from pars join playedhand using (hand_id)"
    [(par, result)] = asked(store, ["pars", "playedhand"], f"{sql} where hand_id = ?", hand_id)
    text = client.get(f"/hand/{hand_id}").text
    data = data_of(text)
    events = {int(index): cost for index, cost in data["costs"]["events"].items()}
    for (index, cost), (seat, card, open_cost, known) in zip(events.items(), rows, strict=True):
        assert data["steps"][index]["seat"] == seat
        assert {"cards": card} in data["steps"][index]["text"]
        assert (cost["cost"], cost["known"]) == (open_cost, known)
        said = "".join(part for part in cost["text"] if isinstance(part, str))
        assert (f"it cost {open_cost:g}" in said or "it cost about" in said) == (open_cost > 0)
        assert ("By what was known" in said) == (open_cost > 0 and known is not None)
    worst = [events[index]["cost"] for index in data["costs"]["worst"]]
    assert worst == sorted((row[2] for row in rows), reverse=True)[:3]
    [curve] = re.findall(r"<tbody>(.*?)</tbody>", text[text.index("What the cards cost") :], re.DOTALL)
    shown = [float(value) for value in re.findall(r'class="number">([-0-9.]+)<', curve)]
    assert len(shown) == len(rows) + 1
    assert (shown[0], shown[-1]) == pytest.approx((par, result), rel=1e-3)
    assert text.count("<svg") == 1


def test_a_hand_that_was_not_analysed_says_what_does(client: TestClient, store: Store) -> None:
    sql = "select min(hand_id) from playedhand anti join analysis using (hand_id) where game = ?"
    for game, said in (("kaiser", True), ("five_card_draw", False)):
        [(hand_id,)] = asked(store, ["playedhand", "analysis"], sql, game)
        text = client.get(f"/hand/{hand_id}").text
        assert data_of(text)["costs"] is None
        assert ("cardlog analyse" in text, "<svg" in text) == (said, False)
