"""Hands that are played again from some point, the deal of a day, and how several did on one deal."""

import json
import random
import re

import pytest

from cardlog import models
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.sql import hand_lookup
from cardlog.pipelines.storage.moment import pinned
from cardlog.web.hands import choices
from cardlog.web.play import starts
from cardlog.web.play.event_json import dumped, lines_of
from cardlog.web.play.recording import batch_of
from cardlog.web.play.seats import BadTable, Plan
from cardlog.web.play.table import Refused
from cardlog.web.views import deals
from tests.support.pages import asked, client_of, hand_of
from tests.support.shared import logged_games
from tests.support.tables import Paper, Viewer, games, on_loop, planned_room, play_hand, reopened, seated

RULES = {"kaiser": "true", "belote": "dialect = 'cesmak'", "pinochle": "dialect = 'jan2013'"}


def stored(game: str, sql: str) -> Batch:
    moment = pinned(logged_games(), ["events", "ingests"])
    return hand_lookup.find(moment, hand_of(logged_games(), game, f"{sql} and status = 'complete'"))


def firsts_of(batch: Batch) -> list[int]:
    """Where somebody chooses."""
    opening = json.loads(batch.details[int(batch.events["detail"][0])])
    return [index for index, *_ in choices(models.game(batch.game), opening, batch.events)]


def plays_on(plan: Plan, batch: Batch, first: int) -> None:
    """The table has the hand as it was before a choice, and goes on to the end, twice; nothing is stored."""
    paper, rng = Paper(), random.Random(first)
    room = planned_room(plan, paper)
    seat = plan.seat_of(plan.host_key)
    viewer = Viewer(room, seat)
    for number in range(2):
        was, now = lines_of(batch.events, batch.details), room.hand.lines()
        for line, original in zip(now[1:first], was[1:first], strict=False):
            assert line | {"detail": None, "occurred_at": 0} == original | {"detail": None, "occurred_at": 0}
        assert room.hand.number == number
        assert room.hand.opening["players"][seat] == {"kind": "human", "name": "Ann"}
        assert reopened(json.loads(dumped(paper.entries))).hand.lines() == room.hand.lines()
        play_hand([viewer], rng)
        assert viewer.newest["over"]["winner"] is None
        room.next()
    assert paper.finished == []


@pytest.mark.long
@pytest.mark.parametrize("game", games(*RULES))
@on_loop
def test_a_hand_of_a_log_is_played_again_from_any_point(game: str) -> None:
    batch = stored(game, RULES[game])
    firsts = firsts_of(batch)
    for step, seat in ((0, 0), (firsts[3], 1), (firsts[9] + 1, 2), (firsts[-5], 3)):
        form = {"step": str(step), "seat": str(seat), "name": "Ann"}
        first = min(index for index in firsts if index >= step)
        plays_on(starts.planned(form, batch), batch, first)
    with pytest.raises(BadTable, match="Nobody has a choice"):
        starts.planned(form | {"step": str(firsts[-1] + 1)}, batch)
    for bad in ({"seat": "4"}, {"seat": "-1"}, {"step": "x"}, {"step": "99999"}):
        with pytest.raises(BadTable):
            starts.planned(form | bad, batch)


@pytest.mark.parametrize("game", ["ruter_sju", "kaiser"])
@on_loop
def test_a_hand_of_a_table_is_played_again_against_the_same_computers(game: str) -> None:
    room, viewer, _ = seated(game)
    play_hand([viewer], random.Random(3))
    batch = batch_of(game, "t", room.hand)
    plan = starts.planned({"step": "30", "seat": "0", "name": "Ann"}, batch)
    assert [seat.player for seat in plan.seats[1:]] == ["random"] * 3
    plays_on(plan, batch, min(index for index in firsts_of(batch) if index >= 30))


def test_hands_that_can_not_be_played_again_are_refused_in_a_sentence() -> None:
    for game, sql, why in (
        ("ruter_sju", "dialect = 'original'", "no tables with the rules of this hand, original"),
        ("five_card_draw", "true", "does not show the whole pack"),
    ):
        with pytest.raises(BadTable, match=why):
            starts.planned({"step": "0", "seat": "0"}, stored(game, sql))


@pytest.mark.parametrize("game", list(models.GAMES))
@on_loop
def test_the_deal_of_a_day_is_the_same_for_all_and_another_the_next_day(game: str) -> None:
    papers = [Paper(), Paper()]
    both = [planned_room(starts.daily(game, "2026-11-25", "Ann"), paper) for paper in papers]
    other = starts.daily(game, "2026-11-26", "Ann")
    one, two = (room.hand.lines()[: len(room.plan.start.events)] for room in both)
    for line in (*one, *two):
        line.pop("occurred_at", None)
    assert one == two
    assert starts.deal_of(both[0].plan.start.events) != starts.deal_of(other.start.events)
    assert [seat.player for seat in other.seats[1:]] == ["expert"] * (len(other.seats) - 1)
    play_hand([Viewer(both[0], 0)], random.Random(1))
    [finished] = papers[0].finished
    assert finished.text.count(b'"Ann"') == 1
    with pytest.raises(Refused, match="once"):
        both[0].next()
    assert both[0].audience.due is None


@pytest.mark.long
def test_all_who_played_a_deal_are_listed_with_what_they_got(monkeypatch: pytest.MonkeyPatch) -> None:
    """The deal of a hand, and that of a day; what helped them is said; the cards of today are not."""
    store = logged_games()
    hand_id = hand_of(store, "kaiser", "status = 'complete'")
    sql = "select cards, team_score - other_score, player_kind from seats where hand_id = ? order by seat"
    seats = asked(store, ["seats"], sql, hand_id)
    dealt = [seat[0] for seat in seats]
    rows = sorted((seat[1] for seat in seats if seat[2] == "human"), reverse=True)
    monkeypatch.setattr(deals, "_dealt", lambda game, day: dealt)
    with client_of(store) as client:
        for path in (f"/hand/{hand_id}/deal", "/daily?game=kaiser&day=2020-02-03"):
            text = client.get(path).text
            results = [int(number) for number in re.findall(r'<td class="number">([+-]\d+)</td>', text)]
            assert results == rows
            assert text.count(f'href="/hand/{hand_id}">{hand_id[:8]}') == len(rows)
        assert 'day=2020-02-02">' in text
        today = client.get("/daily?game=kaiser&day=9999-12-31").text
        assert "Play the deal of today" in today
        assert hand_id not in today
        assert "Play the deal of today" in client.get("/daily?game=x&day=yesterday").text
        monkeypatch.setattr(deals, "HELPS", {'"hint":': "hints", '"refused":': "refusals"})
        sql = "select min(hand_id) from events join hands using (hand_id, game) where detail like '%refused%'"
        [(hand_id,)] = asked(store, ["events", "hands"], f"{sql} and status = 'complete'")
        text = client.get(f"/hand/{hand_id}/deal").text
        assert "<td>refusals</td>" in text
        assert "hints" not in text
