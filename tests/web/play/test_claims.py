"""Claims and choices taken back, at a table with one person."""

import random
from functools import cache
from typing import Any

import numpy as np
import pytest

from cardlog import models
from cardlog.models.solve.claims import all_tricks
from cardlog.web.hands import legal
from cardlog.web.play.room import Room
from cardlog.web.play.table import Refused
from tests.support import tables
from tests.support.tables import Inline, Paper, Viewer, at_trick, form_of, games, on_loop, room_of

RNG = random.Random(26)


def takes_all(state: Any) -> bool:
    """By plain enumeration: whether the side that leads takes all tricks."""
    game = models.game("kaiser")
    side = int(state["turn"]) & 1

    @cache
    def holds(plays: tuple[int, ...]) -> bool:
        now = state.copy()
        for action in plays:
            event = np.zeros(1, game.event)[0]
            event["seat"] = now["turn"]
            game.decisions.to_event(now, action, event)
            assert game.evolve(now, event) == 0
        if any(int(who) & 1 != side for who in now["winners"][state["tricks"] : now["tricks"]]):
            return False
        if now["done"]:
            return True
        mask = np.zeros(game.decisions.most_actions, np.bool_)
        legal(game, now, mask)
        each = (holds((*plays, int(action))) for action in np.flatnonzero(mask))
        return any(each) if int(now["turn"]) & 1 == side else all(each)

    return holds(())


def test_a_claim_is_right_if_and_only_if_nothing_can_be_lost() -> None:
    found = set()
    while len(found) < 4:
        state = at_trick(5).current.state
        played = all_tricks(models.game("kaiser"), state)
        assert bool(played) == takes_all(state)
        assert len(played) in (0, 12)
        found.add((bool(played), int(state["turn"]) & 1))


async def claimed(room: Room, viewer: Viewer) -> bool:
    """Claim; whether it is right."""
    view = viewer.newest
    try:
        await room.help.claim(0, (view["hand_no"], view["version"]))
    except Refused:
        return False
    return True


@pytest.mark.parametrize("game", games("kaiser", "belote", "pinochle"))
@on_loop
async def test_a_right_claim_plays_the_hand_out_and_the_record_says_so(game: str) -> None:
    room, viewer, paper = tables.seated(game, Inline())
    while True:
        view = viewer.newest
        if view["over"]:
            room.next()
        elif all(action["card"] is None for action in view["choice"]["actions"]):
            with pytest.raises(Refused, match="once cards are played"):
                await room.help.claim(0, (view["hand_no"], view["version"]))
            viewer.act(RNG)
        elif len(view["step"]["hands"][0]) > 2 and await claimed(room, viewer):
            break
        else:
            size = room.hand.size
            viewer.act(RNG)
            if len(view["step"]["hands"][0]) > 2:
                assert room.hand.marks(size) == {"claim": False}
    hand = room.hand
    assert hand.is_over
    plays = [line["detail"] for line in hand.lines(view["version"]) if line["kind"] == "play"]
    assert len(plays) >= 5
    assert plays == [{"claim": True}] * len(plays)
    assert not any(seat % 2 for seat in hand.state["winners"][view["step"]["tricks"] :])
    assert tables.reopened(paper.entries).hand.lines() == hand.lines()
    assert paper.finished[-1].text.count(b'{"claim":true}') >= len(plays)


@on_loop
async def test_others_at_the_table_do_not_have_their_cards_claimed_or_taken_back() -> None:
    room = room_of(form_of("kaiser", people=2), Paper(), thinker=Inline())
    viewers = [Viewer(room, 0), Viewer(room, 1)]
    for _ in range(6):
        [who] = [viewer for viewer in viewers if viewer.newest["choice"]]
        version = (0, who.newest["version"])
        assert who.newest["choice"]["undo"] is False
        with pytest.raises(Refused, match="only where all others are computers"):
            room.help.undo(who.seat, version)
        with pytest.raises(Refused, match="only where all others are computers"):
            await room.help.claim(who.seat, version)
        with pytest.raises(Refused, match="moved on"):
            room.help.undo(1 - who.seat, version)
        who.act(RNG)
