"""The page of a player, and puzzles."""

import json
import re

import pytest
from starlette.testclient import TestClient

from cardlog.pipelines.storage.store import Store
from tests.support.pages import asked

NAME = "O'Neil"
SEEN = re.compile(r'id="puzzle-data">(.*?)</script>', re.DOTALL)


def rows_of(text: str, label: str) -> list[list[str]]:
    """The cells of a page's table."""
    table = text.partition(f'aria-label="{label}"')[2].partition("</table>")[0].partition("<tbody>")[2]
    lines = re.findall(r"<tr>(.*?)</tr>", table, re.DOTALL)
    cells = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", line, re.DOTALL) for line in lines]
    return [[re.sub(r"<[^>]*>", "", cell).strip() for cell in row] for row in cells]


@pytest.mark.long
def test_a_player_has_results_a_trend_partners_and_costs(client: TestClient, store: Store) -> None:
    text = client.get("/player", params={"game": "belote", "name": NAME}).text
    mine = "from seats where game = 'belote' and player_name = ? and hand_status = 'complete'"
    [(hands, won)] = asked(store, ["seats"], f"select count(*), avg(won::int) {mine}", NAME)
    [[_, *results]] = rows_of(text, "Results")
    assert results[:2] == [str(hands), f"{100 * won:.1f} %"]
    assert sum(int(row[1]) for row in rows_of(text, "Partners")) == hands
    assert text.count('class="plot"') == 1
    [(decisions, cost)] = asked(
        store,
        ["analysis", "seats"],
        "select count(*), sum(cost_open) from analysis join seats using (game, hand_id, seat)"
        " where game = 'belote' and player_name = ? and hand_status = 'complete' and legal_actions > 1",
        NAME,
    )
    costs = rows_of(text, "Costs")
    assert sum(int(row[1]) for row in costs) == decisions > 0
    assert sum(int(row[1]) * float(row[2]) for row in costs) == pytest.approx(cost, rel=0.01)
    assert {row[0].partition(", ")[2] for row in costs} == {"leads", "follows"}


@pytest.mark.long
def test_nobody_and_nothing_are_pages_or_not_found(client: TestClient) -> None:
    assert "There are no hands of this player" in client.get("/player?game=kaiser&name=%3Cb%3E").text
    assert client.get("/player?game=x&name=Ann").status_code == 404
    assert "There are no puzzles" in client.get("/puzzles?game=ruter_sju").text
    assert "There are no puzzles" in client.get("/puzzles?game=belote&id=x&step=1").text
    assert client.get(f"/puzzles?game=belote&id=x&step={'9' * 5000}").status_code == 200


@pytest.mark.parametrize("game", ["kaiser", "belote"])
def test_a_puzzle_is_what_its_seat_saw(client: TestClient, game: str) -> None:
    """And has one card that is best; the others' cards are not in the page."""
    address = client.get(f"/puzzles?game={game}").headers["location"]
    puzzle = json.loads(SEEN.findall(client.get(address).text)[0])
    hands = puzzle["step"]["hands"]
    assert puzzle["best_card"] in puzzle["step"]["legal"]
    assert puzzle["best_value"] > puzzle["second_value"]
    for seat, held in enumerate(hands):
        assert (set(held) == {"?"}) == (seat != puzzle["seat"])
    assert puzzle["step"]["turn"] == puzzle["seat"]
    assert puzzle["hand"]["result"] == []
