"""The score sheet: each hand once, also after a restart; who has won a match; and what seats are called."""

import json
import random

import pytest

from cardlog.models.engine.visible import NOBODY
from cardlog.web.play.dealing import games_offered
from cardlog.web.play.event_json import dumped
from cardlog.web.play.seats import place_of
from cardlog.web.play.views import MOST_ROWS, Sheet
from tests.support.tables import SEATS, Paper, Viewer, form_of, on_loop, play_hand, reopened, room_of

MOST_HANDS = 150


@pytest.mark.parametrize("game", games_offered())
@on_loop
def test_a_match_is_added_up_and_its_winner_named(game: str) -> None:
    """From the sheet alone: the scores of the hands make those of the match, and the winner has most."""
    paper = Paper()
    computers = {f"seat{seat}": "computer:random" for seat in range(SEATS.get(game, 4))}
    room = room_of(form_of(game) | computers, paper)
    number = 0
    while number < MOST_HANDS:
        if room.sheet.rows[-1]["winner"] is not None:
            break
        room.next()
        number += 1
    viewer = Viewer(room, NOBODY)
    over, rows = viewer.newest["over"], viewer.newest["sheet"]
    assert [row["number"] for row in rows] == [*range(number + 1)][-len(rows) :]
    assert (over["winner"], over["match_over"]) == (rows[-1]["winner"], True)
    last = rows[-1]["score"]
    if game == "ruter_sju":
        assert last["place"][str(over["winner"])] == 1
    elif game == "five_card_draw":
        chips = {seat: amount for seat, amount in last["match"].items() if amount}
        assert chips == {str(over["winner"]): 5000}
    elif game == "belote":
        totals = [sum(row["score"]["hand"][side] for row in rows) for side in "01"]
        assert totals == [last["match"]["0"], last["match"]["1"]]
        assert max(totals) == totals[over["winner"]] >= 1001
    elif game == "hold_em":
        chips = {seat: amount for seat, amount in last["match"].items() if amount}
        assert chips == {str(over["winner"]): 4000}
    elif game == "pinochle" or 25 not in room.hand.state["bids"]:  # 12 without trump decides by itself
        won, lost = (last["match"][str(side)] for side in (over["winner"], 1 - over["winner"]))
        assert won >= (120 if game == "pinochle" else 52) or lost <= -52
    room.next()
    assert {row["match"] for row in room.sheet.rows if row["number"] <= number} == {0}
    again = reopened(json.loads(dumped(room.snapshot())), Paper())
    assert again.sheet.rows == json.loads(json.dumps(room.sheet.rows))
    again = reopened(paper.entries, Paper())
    assert again.sheet.rows == json.loads(json.dumps(room.sheet.rows))


@on_loop
def test_the_sheet_has_the_last_hands() -> None:
    room = room_of(form_of("ruter_sju"), Paper())
    play_hand([Viewer(room, 0)], random.Random(1))
    sheet = Sheet()
    for number in range(MOST_ROWS + 5):
        room.hand.number = number
        sheet.add(room.hand, room.table.dealer)
        sheet.add(room.hand, room.table.dealer)
    assert [row["number"] for row in sheet.rows] == [*range(5, MOST_ROWS + 5)]


@on_loop
def test_seats_are_called_by_where_they_are_seen() -> None:
    room = room_of(form_of("kaiser", people=2), Paper())
    names = {seat: [s["name"] for s in room.audience.seats(seat) if s] for seat in (0, 1, NOBODY)}
    assert names == {
        0: ["Ann", "Left", "Partner", "Right"],
        1: ["Ann", "You", "Left", "Partner"],
        NOBODY: ["Ann", "West", "North", "East"],
    }
    assert [place_of(seat, 2, 5, has_teams=False) for seat in range(5)] == [
        "Far right", "Right", "You", "Left", "Far left",
    ]  # fmt: skip
    viewer = Viewer(room, 0)
    room.set_away(1, True)
    room.set_away(0, True)
    room.table.away |= {0, 1}
    while room.table.computer_acts():
        pass
    room.move()
    assert viewer.newest["over"]["result"][0][:3] in ([0, " and ", 2], [1, " and ", 3])
