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
OTHER_ACTIONS = 2
"""Of Ruter Sju, after the cards: the block, and to pass."""
TRICK_GAMES = ("kaiser", "belote", "pinochle")


def data_of(text: str) -> dict[str, Any]:
    [found] = re.findall(r'<script type="application/json" id="hand-data">(.*?)</script>', text, re.DOTALL)
    return json.loads(found)


def some(store: Store, game: str, count: int = 3) -> list[Any]:
    """Hands of a game, whole ones and broken-off ones, as batches of one."""
    sql = (
        "from (select hand_id, status, row_number() over (partition by status order by hand_id) as n "
        "from playedhand where game = ?) select hand_id where n <= ?"
    )
    return [hand_lookup.find(store, hand_id) for (hand_id,) in asked(store, ["playedhand"], sql, game, count)]


@pytest.mark.long
@pytest.mark.parametrize("game", GAMES)
def test_there_is_a_step_for_each_event_and_the_last_is_the_folded_state(store: Store, game: str) -> None:
    for batch in some(store, game):
        view, state = hands.view(batch), fold_batch(batch).states[0]
        assert len(view["steps"]) == len(batch.events)
        assert [step["line"] for step in view["steps"]] == batch.events["line"].tolist()
        assert view["complete"] == bool(state["done"])
        last = view["steps"][-1]
        if game in TRICK_GAMES:
            assert last["tricks"] == state["tricks"]
            if state["done"]:
                assert last["score"] == state["score"].tolist()
        if game == "five_card_draw":
            seats = len(last["stacks"])
            assert last["stacks"] == state["stack"][:seats].tolist()
            assert sum(last["pots"]) in (0, last["pot"])


@pytest.mark.parametrize("game", GAMES)
def test_the_cards_shown_are_the_cards_there_are(store: Store, game: str) -> None:
    """No card is in two places, and none is lost: those held, those played before and those dealt."""
    for batch in some(store, game):
        view = hands.view(batch)
        for step in view["steps"]:
            held = [card for hand in step["hands"] for card in re.findall("..", hand) if card != "??"]
            most = 2 if game == "pinochle" else 1
            assert all(held.count(card) <= most for card in held)
            if game in TRICK_GAMES and view["steps"][-1]["kind"] != "deal":
                played = 4 * step["tricks"] + (0 if step["taker"] is not None else len(step["table"]))
                dealt = 48 if game == "pinochle" else 32
                total = sum(len(hand) // 2 for hand in step["hands"])
                if step["kind"] != "deal":
                    assert total + played == dealt


@pytest.mark.long
@pytest.mark.parametrize("game", GAMES)
def test_legal_cards_are_those_of_the_training_rows(store: Store, game: str) -> None:
    """Before each card that was played the page marks as many cards as the mask allows, and that one is
    among them."""
    for batch in some(store, game):
        view, replayed = hands.view(batch), replay_batch(batch)
        kinds = models.game(game).decisions.kinds
        for row, mask in zip(replayed.rows, replayed.masks, strict=True):
            event = batch.events[int(row["event"])]
            before = view["steps"][int(row["event"]) - 1]
            if kinds[row["kind"]] != "play" or game == "five_card_draw" or before["turn"] is None:
                continue
            legal = re.findall("..", before["legal"])
            if not event["count"]:
                continue  # the block or a pass
            assert cards.text(int(event["cards"][0])) in legal
            others = OTHER_ACTIONS if game == "ruter_sju" else 0
            assert len(legal) == sum(mask[: row["width"] - others])
            assert before["turn"] == row["seat"]


@pytest.mark.parametrize("game", GAMES)
def test_the_page_of_a_hand(client: TestClient, store: Store, game: str) -> None:
    hand_id = hand_of(store, game, "status = 'complete'")
    answer = client.get(f"/hand/{hand_id}")
    assert answer.status_code == 200
    data = data_of(answer.text)
    assert data["id"] == hand_id
    assert data["game"] == game
    assert client.get(f"/hand/{hand_id[:10]}?step=3").headers["location"] == f"/hand/{hand_id}?step=3"
    batch = hand_lookup.find(store, hand_id)
    assert data["result"]
    assert data["result"] == hands.view(batch)["result"]


@pytest.mark.long
def test_steps_tell_what_each_game_is_known_by(store: Store) -> None:
    def views(game: str) -> list[dict[str, Any]]:
        return [hands.view(batch) for batch in some(store, game)]

    kaiser, belote, ruter_sju, pinochle, poker = map(views, GAMES)
    assert all(view["special"] == {"5H": "+5", "3S": "−3"} for view in kaiser)
    assert any(step["melds"] and any(step["melds"]) for view in belote for step in view["steps"])
    assert any(step["melds"] and any(step["melds"]) for view in pinochle for step in view["steps"])
    layouts = [view for view in ruter_sju if view["complete"]]
    assert all(
        view["steps"][-1]["layout"] == [2 ** len(view["ranks"]) - 1] * len(view["suits"]) for view in layouts
    )
    assert any(any(step["bets"]) for view in poker for step in view["steps"])
    assert any(
        len(step["pots"]) > 1
        for batch in some(store, "five_card_draw", 300)
        for step in hands.view(batch)["steps"]
    )


def test_an_unknown_hand_is_not_found(client: TestClient) -> None:
    for name in ("0" * 32, "zzzz", "12"):
        assert client.get(f"/hand/{name}").status_code == 404
    assert client.get("/hands?hand=%20ab/c").headers["location"] == "/hand/ab%2Fc"


@pytest.mark.long
@pytest.mark.parametrize("game", GAMES)
def test_each_event_leads_to_its_line_of_the_log(client: TestClient, store: Store, game: str) -> None:
    hand_id = hand_of(store, game, "status = 'complete'")
    step = data_of(client.get(f"/hand/{hand_id}").text)["steps"][-2]
    text = client.get(f"/hand/{hand_id}/log?line={step['line']}").text
    [marked] = re.findall(r'<div class="line marked" id="line-(\d+)"', text)
    assert int(marked) == step["line"]
    for line in ("x", "9" * 5000):
        assert client.get(f"/hand/{hand_id}/log?line={line}").status_code == 200


def test_a_game_without_a_view_is_a_list_of_events(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Adding a game needs no page of its own."""
    monkeypatch.setattr(DESCRIBERS, "ours", {})
    [batch] = some(store, "kaiser", 1)[:1]
    view = hands.view(batch)
    assert view["shape"] == "events"
    assert len(view["steps"]) == len(batch.events)
    assert len(drawing.text(batch).splitlines()) == len(batch.events) + 2
    assert "seat 0 gets 8 cards\n" in drawing.text(batch)


# ---------------------------------------------------------------- what the cards cost


@pytest.mark.long
@pytest.mark.parametrize("game", ["kaiser", "belote"])
def test_a_hand_that_was_analysed_shows_what_its_cards_cost(
    client: TestClient, store: Store, game: str
) -> None:
    """Each card its cost, with what was better; the curve from par to the return; the costliest three."""
    sql = (
        "select hand_id, sum(cost_open) from analysis where game = ? group by all order by 2 desc, 1 limit 1"
    )
    [(hand_id, _)] = asked(store, ["analysis"], sql, game)
    columns = "select seat, card, value, cost_open, cost_known from analysis where hand_id = ? order by step"
    rows = asked(store, ["analysis"], columns, hand_id)
    [(par, result)] = asked(
        store,
        ["pars", "playedhand"],
        "select par, team_0_score - team_1_score from pars join playedhand using (hand_id) where hand_id = ?",
        hand_id,
    )
    text = client.get(f"/hand/{hand_id}").text
    data = data_of(text)
    events = {int(index): cost for index, cost in data["costs"]["events"].items()}
    assert len(events) == len(rows)
    for (index, cost), (seat, card, _, open_cost, known) in zip(events.items(), rows, strict=True):
        assert data["steps"][index]["seat"] == seat
        assert {"cards": card} in data["steps"][index]["text"]
        assert (cost["cost"], cost["known"]) == (open_cost, known)
        said = "".join(part for part in cost["text"] if isinstance(part, str))
        assert (f"it cost {open_cost:g}" in said or "it cost about" in said) == (open_cost > 0)
        assert ("By what was known" in said) == (open_cost > 0 and known is not None)
    worst = [events[index]["cost"] for index in data["costs"]["worst"]]
    assert worst == sorted((row[3] for row in rows), reverse=True)[:3]
    [curve] = re.findall(r"<tbody>(.*?)</tbody>", text[text.index("What the cards cost") :], re.DOTALL)
    shown = [float(value) for value in re.findall(r'class="number">([-0-9.]+)<', curve)]
    assert len(shown) == len(rows) + 1
    assert (shown[0], shown[-1]) == pytest.approx((par, result), rel=1e-3)
    assert text.count("<svg") == 1


def test_a_hand_that_was_not_analysed_says_what_does(client: TestClient, store: Store) -> None:
    unpriced = (
        "select min(hand_id) from playedhand where game = ? and hand_id not in (select hand_id from analysis)"
    )
    for game, said in (("kaiser", True), ("five_card_draw", False)):
        [(hand_id,)] = asked(store, ["playedhand", "analysis"], unpriced, game)
        text = client.get(f"/hand/{hand_id}").text
        assert data_of(text)["costs"] is None
        assert ("cardlog analyse" in text) == said
        assert "<svg" not in text
