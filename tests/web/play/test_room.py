"""Rooms: stale choices, people who leave and come back, patience, and going on after a restart."""

import asyncio
import json
import random

import pytest

from cardlog.models.engine.visible import NOBODY
from cardlog.web.play import room as rooms
from cardlog.web.play.audience import MERGE_SECONDS, MOST_BROWSERS, MOST_WATCHING, OTHERS_CAME, Viewpoint
from cardlog.web.play.dealing import games_offered
from cardlog.web.play.event_json import dumped
from cardlog.web.play.room import STALE, Room
from cardlog.web.play.table import Refused
from tests.support.tables import Paper, Viewer, form_of, on_loop, play_hand, reopened, room_of, until

RNG = random.Random(11)


def acts(room: Room, viewer: Viewer) -> None:
    assert viewer.act(RNG)


def choosing(viewers: list[Viewer]) -> Viewer:
    [found] = [viewer for viewer in viewers if viewer.newest["choice"] is not None]
    return found


@on_loop
def test_a_stale_choice_is_refused_and_changes_nothing() -> None:
    room = room_of(form_of("kaiser", people=4), Paper())
    viewers = [Viewer(room, seat) for seat in range(4)]
    who = choosing(viewers)
    old = who.newest
    acts(room, who)
    events = room.table.hand.lines()
    for hand_no, version in ((0, old["version"]), (1, room.table.hand.size), (-1, 0)):
        with pytest.raises(Refused, match=STALE):
            room.act(who.seat, (hand_no, version), old["choice"]["actions"][0]["action"], None)
    assert room.table.hand.lines() == events


@on_loop
def test_two_who_hold_one_seat_see_the_same_and_only_the_first_choice_counts() -> None:
    room = room_of(form_of("kaiser", people=4), Paper())
    viewers = [Viewer(room, seat) for seat in range(4)]
    who = choosing(viewers)
    twin = Viewer(room, who.seat)
    view = who.newest
    assert twin.newest | {"sheet": None} == view
    acts(room, twin)
    assert who.texts[-1] == twin.texts[-1]
    with pytest.raises(Refused):
        room.act(who.seat, (0, view["version"]), view["choice"]["actions"][0]["action"], None)


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
    acts(room, choosing(viewers[:2] + viewers[-2:]))
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
def test_there_is_a_view_for_every_event_and_only_the_newest_has_a_choice() -> None:
    room = room_of(form_of("belote"), Paper())
    viewer = Viewer(room, 0)
    first = viewer.newest["version"]
    play_hand([viewer], RNG)
    views = [json.loads(text) for text in viewer.texts]
    versions = sorted({view["version"] for view in views})
    assert versions == list(range(first, room.table.hand.size + 1))
    for view, after in zip(views, [*views[1:], None], strict=True):
        if view["choice"] is not None:
            assert view["newest"]
            assert view["step"]["turn"] == 0
            assert view["step"]["legal"] == "".join(a["card"] or "" for a in view["choice"]["actions"])
        else:
            assert "legal" not in view["step"]
            assert after is None or not view["newest"] or view["over"]
    told = [line for line in room.table.hand.lines() if (line["kind"], line["action"]) != ("score", "trick")]
    assert len(views[-1]["log"]) == len(told)


@pytest.mark.parametrize("game", ["kaiser", "belote", "pinochle"])
@on_loop
def test_the_score_of_the_match_is_that_before_the_hand_and_at_its_end_the_one_after_it(game: str) -> None:
    room = room_of(form_of(game, people=4), Paper())
    viewers = [Viewer(room, seat) for seat in range(4)]
    score = [0, 0]
    for number in range(3):
        if number:
            room.next()
        assert viewers[0].newest["step"]["match"] == score
        while viewers[0].newest["over"] is None:
            assert viewers[0].newest["step"]["match"] == score
            assert any(viewer.act(RNG) for viewer in viewers)
        told = viewers[0].newest["over"]
        after = [told["score"]["match"].get(str(team), score[team]) for team in range(2)]
        assert viewers[0].newest["step"]["match"] == after
        score = [0, 0] if told["match_over"] else after
    assert score != [0, 0] or told["match_over"]


@on_loop
def test_one_who_comes_back_gets_the_newest_view_and_goes_on() -> None:
    room = room_of(form_of("belote", people=2), Paper())
    viewers = [Viewer(room, 0), Viewer(room, 1)]
    for _ in range(3):
        acts(room, choosing(viewers))
    gone = viewers[1]
    room.leave(gone)
    assert viewers[0].newest["seats"][1]["connected"] is False
    viewers[1] = Viewer(room, 1)
    assert viewers[0].newest["seats"][1]["connected"] is True
    assert viewers[1].newest["version"] == viewers[0].newest["version"]
    play_hand(viewers, RNG)
    assert gone.newest["version"] < viewers[1].newest["version"]


@on_loop
async def test_a_seat_left_too_long_is_played_by_the_computer_until_it_is_taken_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(rooms, "AWAY_SECONDS", 0.01)

    paper = Paper()
    room = room_of(form_of("kaiser", people=4), paper)
    viewers = [Viewer(room, seat) for seat in range(4)]
    first = choosing(viewers)
    assert first.newest["choice"]["seconds"] >= 59
    room.set_away(first.seat, True)
    assert first.newest["seats"][first.seat]["played_by_computer"]
    assert first.newest["choice"] is None
    with pytest.raises(Refused, match="take your seat back"):
        room.act(first.seat, (0, room.table.hand.size), 0, None)
    room.set_away(first.seat, False)
    assert first.newest["choice"]["seconds"] >= 59
    room.plan.patience = 0.01  # type: ignore[assignment]
    acts(room, first)
    second = viewers[room.table.turn]
    await until(lambda: second.seat in room.table.away)
    room.plan.patience = 60
    room.set_away(second.seat, False)
    assert not second.newest["seats"][second.seat]["played_by_computer"]
    for seat in range(4):
        room.set_away(seat, True)
    await until(lambda: viewers[0].newest["over"])
    marked = [line for line in room.table.hand.lines() if line.get("detail") == {"by": "computer"}]
    assert {line["seat"] for line in marked} == {0, 1, 2, 3}
    assert '"detail":{"by":"computer"}' in paper.finished[0].text.decode()
    assert paper.finished[0].text.count(b'"kind":"human"') == 4


@on_loop
def test_to_come_back_does_not_buy_time() -> None:
    room = room_of(form_of("kaiser", people=4), Paper())
    viewers = [Viewer(room, seat) for seat in range(4)]
    who = choosing(viewers)
    due = room._deadline
    room.leave(who)
    Viewer(room, who.seat)
    assert room._deadline == due
    room.set_away((who.seat + 1) % 4, True)
    room.set_away((who.seat + 1) % 4, False)


@on_loop
async def test_the_next_hand_comes_when_asked_or_by_itself_if_anybody_is_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(rooms, "NEXT_SECONDS", 0.02)
    room = room_of(form_of("kaiser"), Paper())
    viewer = Viewer(room, 0)
    with pytest.raises(Refused, match="not over"):
        room.next()
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


@on_loop
def test_the_id_of_a_hand_is_sent_once_it_is_stored() -> None:
    paper = Paper()
    room = room_of(form_of("kaiser"), paper)
    viewer = Viewer(room, 0)
    play_hand([viewer], RNG)
    assert viewer.newest["over"]["hand_id"] is None
    paper.finished[0].recorded()
    assert viewer.newest["over"]["hand_id"] == room.table.hand.hand_id
    others = [text for text in viewer.texts if not json.loads(text)["over"]]
    assert not any(room.table.hand.hand_id in text for text in others)


@on_loop
def test_no_view_has_an_id_a_key_or_a_random_number() -> None:
    for game in games_offered():
        room = room_of(form_of(game, people=2), Paper(), "0123456789abcdef")
        viewers = [Viewer(room, seat) for seat in (0, 1, NOBODY)]
        play_hand(viewers, RNG)
        secret = [room.table.hand.hand_id, room.table_id, str(int(room.table.dealer.record["rng"][0]))]
        secret += [seat.key for seat in room.plan.seats if seat.key] + [room.plan.host, room.plan.watch]
        for viewer in viewers:
            for text in viewer.texts:
                assert not any(word in text for word in secret)


@pytest.mark.parametrize("game", games_offered())
@on_loop
def test_a_room_reopened_from_its_journal_is_the_same_and_goes_on(game: str) -> None:
    """At every point of two hands; and from the snapshot that replaces the journal."""
    rng, paper = random.Random(2), Paper()
    room = room_of(form_of(game, people=2), paper)
    viewers = [Viewer(room, 0), Viewer(room, 1)]
    for number in range(2):
        if number:
            room.next()
        while viewers[0].newest["over"] is None:
            assert any(viewer.act(rng) for viewer in viewers)
            if rng.random() < 0.25:
                for entries in (paper.entries, room.snapshot()):
                    again = reopened(json.loads(dumped(entries)), Paper())
                    assert again.table.hand.lines() == room.table.hand.lines()
                    assert str(again.table.hand.state) == str(room.table.hand.state)
                    scratch = {"options": None}
                    assert again.table.dealer.dump() | scratch == room.table.dealer.dump() | scratch
    later = Paper()
    again = reopened(paper.entries, later)
    again.resume()
    assert [finished.text for finished in later.finished] == [f.text for f in paper.finished]
    assert Viewer(again, 0).newest["over"] is not None
    again.next()
    play_hand([Viewer(again, 0), Viewer(again, 1)], rng)


@on_loop
def test_a_reopened_room_knows_who_is_away_and_what_they_are_called() -> None:
    paper = Paper()
    room = room_of(form_of("kaiser", people=2), paper)
    viewer = Viewer(room, 0)
    room.set_away(1, True)
    room.rename(1, "Ben")
    assert viewer.newest["seats"][1]["name"] == "Ben"
    for entries in (paper.entries, json.loads(dumped(room.snapshot()))):
        again = reopened(entries, Paper())
        assert again.table.away == {1}
        assert again.plan.seats[1].name == "Ben"
        assert [seat.key for seat in again.plan.seats] == [seat.key for seat in room.plan.seats]
