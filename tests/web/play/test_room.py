"""Rooms: many browsers, patience, and the next hand; `test_model` has what always holds."""

import asyncio
import json
import random

import pytest

from cardlog.models.engine.visible import NOBODY
from cardlog.web.play import room as rooms
from cardlog.web.play.table import Refused
from cardlog.web.play.views import MERGE_SECONDS, MOST_BROWSERS, MOST_WATCHING, OTHERS_CAME, Viewpoint
from tests.support.tables import Paper, Viewer, form_of, on_loop, play_hand, room_of, seated, until

RNG = random.Random(11)


def choosing(viewers: list[Viewer]) -> Viewer:
    [found] = [viewer for viewer in viewers if viewer.newest["choice"] is not None]
    return found


@on_loop
async def test_many_browsers_and_changes_of_a_seat_make_few_views(monkeypatch: pytest.MonkeyPatch) -> None:
    """One view for all browsers of a seat; and for all changes that come together, one view and one line."""
    made: list[int] = []
    view = Viewpoint.view
    monkeypatch.setattr(Viewpoint, "view", lambda self, **more: made.append(self.seat) or view(self, **more))
    paper = Paper()
    room = room_of(form_of("kaiser", people=4), paper)
    viewers = [Viewer(room, seat) for seat in (0, *[1] * MOST_BROWSERS, 2, 3)]
    await until(lambda: json.loads(viewers[0].texts[-1])["seats"][3]["connected"])
    for change in (
        lambda number: room.rename(1, f"Ben {number}"),
        lambda number: room.set_away(1, not number % 2),
        lambda number: room.show_again(viewers[1]),
    ):
        made.clear()
        lines = len(paper.entries)
        for number in range(100):
            change(number)
            await asyncio.sleep(0)
        await asyncio.sleep(1.5 * MERGE_SECONDS)
        assert len(made) == len({*made})
    assert json.loads(viewers[0].texts[-1])["seats"][1]["name"] == "Ben 99"
    assert [entry["name"] for entry in paper.entries if "name" in entry] == ["Ben 99"]
    assert len(paper.entries) == lines
    made.clear()
    assert choosing(viewers[:2] + viewers[-2:]).act(RNG)
    assert sorted(made) == [0, 1, 2, 3]
    assert len({viewer.texts[-1] for viewer in viewers}) == 4


@on_loop
def test_another_browser_takes_the_place_of_the_oldest_at_its_seat() -> None:
    room = room_of(form_of("kaiser", people=2), Paper())
    for seat, most in ((1, MOST_BROWSERS), (NOBODY, MOST_WATCHING)):
        viewers = [Viewer(room, seat) for _ in range(most + 2)]
        assert [viewer.codes for viewer in viewers] == [[OTHERS_CAME]] * 2 + [[]] * most
        counts = [len(viewer.texts) for viewer in viewers]
        host = Viewer(room, 0)
        assert host.newest["seats"][0]["connected"]  # which all are shown
        more = [len(viewer.texts) > count for viewer, count in zip(viewers, counts, strict=True)]
        assert more == [False, False] + [True] * most
        room.leave(viewers[0])  # its connection ends later
        room.leave(host)
        assert len(room.audience.browsers) == (most if seat == 1 else MOST_BROWSERS + most)


@on_loop
async def test_a_seat_left_too_long_is_played_by_the_computer_until_it_is_taken_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """And to come back does not buy time."""
    monkeypatch.setattr(rooms, "AWAY_SECONDS", 0.01)
    paper = Paper()
    room = room_of(form_of("kaiser", people=4), paper)
    viewers = [Viewer(room, seat) for seat in range(4)]
    first, due = choosing(viewers), room._deadline
    assert first.newest["choice"]["seconds"] >= 59
    room.leave(first)
    first = Viewer(room, first.seat)
    assert room._deadline == due
    room.set_away(first.seat, True)
    with pytest.raises(Refused, match="take your seat back"):
        room.act(first.seat, room.table.moment, 0, None)
    room.set_away(first.seat, False)
    assert first.newest["choice"]["seconds"] >= 59
    room.plan.patience = 0.01
    assert first.act(RNG)
    second = viewers[room.table.turn]
    await until(lambda: second.seat in room.table.away)
    room.plan.patience = 60
    room.set_away(second.seat, False)
    assert not second.newest["seats"][second.seat]["played_by_computer"]
    for seat in range(4):
        room.set_away(seat, True)
    await until(lambda: second.newest["over"])
    lines = room.hand.lines()
    assert {line["seat"] for line in lines if line.get("detail") == {"by": "computer"}} == {0, 1, 2, 3}
    [finished] = paper.finished
    assert b'"detail":{"by":"computer"}' in finished.text
    assert finished.text.count(b'"kind":"human"') == 4


@on_loop
async def test_the_next_hand_comes_when_asked_or_by_itself_if_anybody_is_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(rooms, "NEXT_SECONDS", 0.02)
    room, viewer, _ = seated("kaiser")
    play_hand([viewer], RNG)
    room.next()
    assert viewer.newest["hand_no"] == 1
    play_hand([viewer], RNG)
    room.leave(viewer)
    await asyncio.sleep(0.1)
    assert room.table.hand.number == 1
    viewer = Viewer(room, 0)
    await until(lambda: room.table.hand.number == 2)
    assert viewer.newest["hand_no"] == 2
