"""Computers that think do so in a process of their own, and no table waits for another's; hints, claims and
reviews, and choices taken back."""

import asyncio
import json
import random
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

from cardlog import models
from cardlog.models.contest.ladder import published
from cardlog.models.contest.simulation import policy_of
from cardlog.models.five_card_draw.state import DRAWING, SECOND_BETS
from cardlog.models.players.search import searcher
from cardlog.models.solve.claims import all_tricks
from cardlog.pipelines.hands import costs as analysis
from cardlog.web.hands import legal
from cardlog.web.play import background
from cardlog.web.play.background import Background
from cardlog.web.play.event_json import dumped
from cardlog.web.play.recording import batch_of
from cardlog.web.play.room import Room
from cardlog.web.play.seats import computers_of, levels_of, plan_of
from cardlog.web.play.table import Refused, Table
from cardlog.web.play.thinking import NICENESS, UNITS, advise, choose
from tests.support import tables
from tests.support.tables import (
    Inline,
    at_trick,
    experts_at,
    form_of,
    games,
    on_loop,
    play_hand,
    reopened,
    until,
)

RNG = random.Random(4)
SEARCHING = {"seat1": "computer:search", "seat2": "computer:search-5", "seat3": "computer:search-40"}


class Gate(Inline):
    """Thinks when it is told to; of choices it makes the first that is legal."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[Any] = []
        self.opened = asyncio.Event()

    async def run(self, function: Callable[..., Any], argument: Any) -> Any:
        self.asked.append(argument)
        await self.opened.wait()
        if function is not choose:
            return await super().run(function, argument)
        game = models.game(argument.game)
        mask = np.zeros(game.decisions.most_actions, np.bool_)
        legal(game, argument.states[0], mask)
        return int(mask.argmax())


@on_loop
async def test_other_tables_go_on_while_a_computer_thinks() -> None:
    """A table that was closed meanwhile thinks again."""
    gate = Gate()
    slow, viewer, paper = tables.seated("kaiser", gate, **SEARCHING)
    viewer.act(RNG)
    await until(lambda: gate.asked)
    size = slow.hand.size
    _, other, _ = tables.seated("kaiser", gate)
    play_hand([other], RNG)
    assert other.newest["over"]
    assert (slow.hand.size, len(gate.asked)) == (size, 1)
    assert viewer.newest["choice"] is None
    assert slow.audience.due is None, "whose turn it is can't be late"
    again = reopened(json.loads(json.dumps(paper.entries)))
    again._thinker = later = Gate()
    again.resume()
    await until(lambda: later.asked)
    assert str(later.asked[0].states) == str(gate.asked[0].states)
    gate.opened.set()
    await played(viewer)
    players = {asked.states[0]["turn"]: asked.player for asked in gate.asked}
    assert players == {1: "search", 2: "search-5", 3: "search-40"}


@on_loop
async def test_if_no_thought_can_be_had_the_expert_plays_and_the_server_says_so(
    capsys: pytest.CaptureFixture[str],
) -> None:
    class Broken(Background):
        async def run(self, function: Callable[..., Any], argument: Any) -> Any:
            raise RuntimeError("a worker has ended, with -9")

    await played(tables.seated("kaiser", Broken(NICENESS), **SEARCHING)[1])
    assert "search-40 could not think: RuntimeError('a worker has ended, with -9')" in capsys.readouterr().err


async def played(viewer: tables.Viewer) -> None:
    """Play a hand whose computers think."""
    for _ in range(100):
        await until(lambda: viewer.newest["choice"] or viewer.newest["over"])
        if not viewer.act(RNG):
            break
    assert viewer.newest["over"]


@pytest.mark.long
@on_loop
async def test_the_process_chooses_as_the_player_does_and_ends_with_the_server(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Also if it is killed, or ended when it was idle: the next question starts another one."""
    game, table = models.game("kaiser"), at_trick(6)
    table.computers = ["search-5"] * 4
    state, thinker = table.current.state, Background(NICENESS)
    try:
        found = await thinker.run(choose, table.question)
        seen = searcher(game, "search-5").sees(table.question.states, np.array([state["turn"]]))
        mask = np.zeros(game.decisions.most_actions, np.bool_)
        kind, _ = legal(game, state, mask)
        assert found == searcher(game, "search-5").action(seen[0], kind, mask)
        thinker._worker._process.kill()
        with pytest.raises(RuntimeError, match="ended"):
            await thinker.run(len, "cards")
        monkeypatch.setattr(background, "IDLE_SECONDS", 0.1)
        assert await thinker.run(len, "cards") == 5
        idle = thinker._worker._process
        await until(lambda: idle.poll() is not None)
        monkeypatch.undo()
        assert await thinker.run(len, "cards") == 5
        await asyncio.sleep(0.2)
        process = thinker._worker._process
        assert process.poll() is None
    finally:
        thinker.stop()
    assert process.poll() is not None


def test_the_computers_that_are_offered_can_sit_down_and_have_what_the_ladder_says_of_them() -> None:
    for game in models.GAMES:
        playing, ladder, offered = models.game(game).playing(), published(game), computers_of(game)
        assert {*offered} == {*playing.names} | ({*levels_of(game)} if "search" in playing.names else set())
        assert playing.substitute in playing.names
        assert ladder is not None
        said = {name: about for name, (_, about) in offered.items() if "in the ladder" in about}
        assert {*said} == {*offered} - {"random", "cfr"}
        for name, about in said.items():
            won = ladder.points(name, "random")
            assert won is not None
            assert about.endswith(f"; {won.mean:+.3g} points per hand against random in the ladder")
        assert "search" not in playing.names or policy_of(game, "search").unit in UNITS
        for name in offered:  # and a hand can begin with it
            plan = plan_of(form_of(game, seat1=f"computer:{name}"))
            table = Table(game, plan.rules, [seat.player or None for seat in plan.seats])
            opening = table.deal([seat.in_opening() for seat in plan.seats]).opening
            assert opening["players"][1] == {"kind": "computer", "bot": name}


@pytest.mark.long
@on_loop
async def test_that_a_hint_was_asked_for_is_in_the_journal_and_in_the_record_of_the_choice() -> None:
    """Also after a restart between the two; and the adviser knows what the seat knows."""
    room, viewer, paper = tables.seated("ruter_sju", Inline())
    view = viewer.newest
    version = (view["hand_no"], view["version"])
    with pytest.raises(Refused, match="moved on"):
        await room.help.hint(0, (0, 1))
    advice = await room.help.hint(0, version)
    assert advice.action in [action["action"] for action in view["choice"]["actions"]]
    assert paper.entries[-1] == {"marked": [[*version], {"hint": True}]}
    for entries in (paper.entries, room.snapshot()):
        again = reopened(json.loads(dumped(entries)), later := tables.Paper())
        size = again.hand.size
        again.resume()
        again.act(0, version, advice.action, None)
        assert again.hand.lines()[size]["detail"] == {"hint": True}
        assert sum("detail" in line for line in again.hand.lines()[1:]) == 1
        third = reopened(json.loads(dumped([*entries, *later.entries])))
        assert third.hand.lines() == again.hand.lines()


@on_loop
async def test_where_nobody_can_advise_a_hint_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("room", "helping"):
        monkeypatch.setattr(f"cardlog.web.play.{module}.adviser_of", lambda game: None)
    room, _, _ = tables.seated("five_card_draw")
    assert room.about()["adviser"] is None
    with pytest.raises(Refused, match="Nobody gives hints"):
        await room.help.hint(0, (0, room.hand.size))


def test_search_advises_by_what_it_expects_of_each_card_exchange_and_bet() -> None:
    """The card that it names is one of those it expects most of, for its own side."""
    phases = [
        experts_at(lambda state, at=phase: state["phase"] == at, "five_card_draw", 2)
        for phase in (DRAWING, SECOND_BETS)
    ]
    advice, exchange, bet = (advise(table.question_for("search")) for table in (at_trick(5), *phases))
    assert advice.values[advice.card] == max(advice.values.values())
    assert len(advice.values) == 3
    assert (exchange.values, len(exchange.card)) == ({}, 2 * exchange.action.bit_count())
    assert (bet.card, bet.unit) == ("", "chips won less those put in")
    assert {"check", "all in"} <= set(bet.values)


def test_why_not_says_what_the_judge_would() -> None:
    table = experts_at(lambda state: state["trick_cards"])
    hand, mask = table.current, np.zeros(table.game.decisions.most_actions, np.bool_)
    seat, size = int(hand.state["turn"]), hand.size
    holds = [line["cards"] for line in hand.lines() if line["action"] == "hand"]
    [theirs] = [cards for line, cards in enumerate(holds) if line == (seat + 1) % 4]
    text = table.why_not(seat, theirs[-2:])
    assert "a card was played by a seat that does not hold it. Legal: " in text
    assert "another seat's turn" in table.why_not((seat + 2) % 4, theirs[:2])
    legal(table.game, hand.state, mask)
    view = hand.size, str(hand.state)
    own = [holds[seat][at : at + 2] for at in range(0, 16, 2)]
    said = [table.why_not(seat, card) for card in own]
    assert sum(text.endswith("may be played.") for text in said) == mask.sum()
    assert (hand.size, str(hand.state)) == view == (size, view[1])


@on_loop
async def test_a_review_names_the_costliest_cards_of_the_hand_that_is_over() -> None:
    """As `cardlog show --analyse` finds them; nobody is told of cards before the end."""
    room, viewer, _ = tables.seated("kaiser", Inline())
    with pytest.raises(Refused, match="no hand to review"):
        await room.help.review()
    play_hand([viewer], RNG)
    room.help._thinker = gate = Gate()
    gate.opened.set()
    found, *others = await asyncio.gather(*(room.help.review() for _ in range(20)))
    assert others == [found] * 19
    assert len(gate.asked) == 1  # other tables wait for no more
    assert found["curve"].startswith("<svg")
    assert "the first side" in found["curve"]
    assert found["says"]
    costs = [each for each in analysis.costs(batch_of("kaiser", "t", room.hand)) if each.cost]
    assert [one["cost"] for one in found["cards"]] == sorted((each.cost for each in costs), reverse=True)[:5]
    for one in found["cards"]:
        event = room.hand.lines()[one["event"]]
        assert (event["seat"], event["cards"]) == (one["seat"], one["card"])
        assert max(one["values"].values()) - one["values"][one["card"]] == one["cost"]


# ---------------------------------------------------------------- claims


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


async def claimed(room: Room, viewer: tables.Viewer) -> bool:
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
