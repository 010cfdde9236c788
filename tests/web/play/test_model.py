"""People at a table do anything that they can, in any order; whatever they do, the same holds of all that
they are sent, and of a room that is reopened from the journal."""

import json
import random
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from cardlog.models.engine.visible import NOBODY
from cardlog.web.hands import legal
from cardlog.web.play.dealing import games_offered
from cardlog.web.play.event_json import dumped
from cardlog.web.play.room import STALE
from cardlog.web.play.table import Refused
from tests.support.soak import long
from tests.support.tables import Paper, Viewer, form_of, on_loop, reopened, room_of

TABLE = "0123456789abcdef"
STEPS = 260


class Model:
    """A room and the browsers at it.

    before
        What each person was shown at each choice that they made in this hand, to be taken back to.
    match
        The score of the match before this hand.
    """

    def __init__(self, game: str, people: int) -> None:
        self.rng, self.paper = random.Random(game), Paper()
        self.room = room_of(form_of(game, people=people), self.paper, TABLE)
        self.people, self.names = range(people), {0: "Ann"}
        self.mask = np.zeros(self.room.table.game.decisions.most_actions, np.bool_)
        self.before: list[dict[str, Any]] = []
        self.match: list[int] = [0, 0]
        self.viewers = [Viewer(self.room, seat) for seat in (*self.people, NOBODY)]
        self.logs: dict[Any, list[Any]] = {}

    # ------------------------------------------------------------ what people do

    def act(self) -> None:
        """The seat in turn chooses; first they and others ask for what is refused, which changes nothing."""
        room, table = self.room, self.room.table
        if table.turn is None or table.turn in table.away:
            return
        _kind, count = legal(table.game, room.hand.state, self.mask)
        said = table.game.legal_text(room.hand.state)
        state, lines, moment = str(room.hand.state), room.hand.lines(), table.moment
        wrong = [-1, count, 10**9, *self.rng.sample(range(count), min(3, count))]
        for seat, version, action, why in (
            (table.turn, (moment[0], moment[1] - 1), 0, STALE),
            (table.turn, (moment[0] + 1, moment[1]), 0, STALE),
            ((table.turn + 1) % len(room.plan.seats), moment, 0, "another seat's turn"),
            *((table.turn, moment, action, f"Legal: {said}.") for action in wrong),
        ):
            if why != f"Legal: {said}." or not (0 <= action < count and self.mask[action]):
                with pytest.raises(Refused) as refused:
                    room.act(seat, version, action, None)
                assert why in str(refused.value) or seat in table.away
        assert (str(room.hand.state), room.hand.lines()) == (state, lines)
        viewer = Viewer(room, table.turn)
        view = viewer.newest
        room.leave(viewer)
        marks = room.help.marks()
        if len(view["choice"]["actions"]) > 1:
            self.before.append(view)
        room.act(table.turn, moment, self.rng.choice(np.flatnonzero(self.mask[:count]).tolist()), None)
        assert room.hand.marks(moment[1]) == marks

    def come_or_go(self) -> None:
        if self.viewers and self.rng.random() < 0.5:
            self.room.leave(self.viewers.pop(self.rng.randrange(len(self.viewers))))
        else:
            self.viewers.append(Viewer(self.room, self.rng.choice([*self.people, NOBODY])))
            assert json.loads(self.viewers[-1].texts[0])["sheet"] is not None

    def leave_or_take_back(self) -> None:
        seat = self.rng.choice(self.people)
        self.room.set_away(seat, seat not in self.room.table.away)

    def wait(self) -> None:
        """So long that the computer plays, for one who is away or too slow."""
        turn, size = self.room.table.turn, self.room.hand.size
        if turn is not None:
            self.room._time_is_up()
            assert turn in self.room.table.away
            assert self.room.hand.marks(size) == {"by": "computer"}

    def rename(self) -> None:
        seat = self.rng.choice(self.people)
        self.names[seat] = f"Ben {self.rng.random():.3f}"
        self.room.rename(seat, self.names[seat])

    def undo(self) -> None:
        room, turn = self.room, self.room.table.turn
        if turn is None or turn in room.table.away:
            return
        if len(self.people) == 1 and self.before:
            room.help.undo(turn, room.table.moment)
            viewer, wanted = Viewer(room, turn), self.before.pop()
            now = viewer.newest
            room.leave(viewer)
            others = {"sheet": 0, "choice": 0, "seats": 0}
            assert now | others == wanted | others
            assert room.help.marks()["undo"] is True
            self.logs = {}
            return
        why = "chosen anything yet" if len(self.people) == 1 else "only where all others are computers"
        with pytest.raises(Refused, match=why):
            room.help.undo(turn, room.table.moment)
        with pytest.raises(Refused, match="moved on"):
            room.help.undo((turn + 1) % len(room.plan.seats), room.table.moment)
        if len(self.people) > 1:
            with pytest.raises(Refused, match=why):
                room.help.claim(turn, room.table.moment).send(None)

    def next(self) -> None:
        if not self.room.hand.is_over:
            with pytest.raises(Refused, match="not over"):
                self.room.next()
            return
        row = self.room.sheet.rows[-1]
        after = [row["score"]["match"].get(str(team), self.match[team]) for team in range(2)]
        self.match = [0, 0] if row["winner"] is not None else after
        self.before = []
        self.room.next()

    def record(self) -> None:
        if self.paper.finished:
            self.paper.finished.pop(0).recorded()

    def reopen(self) -> None:
        """From the journal, or from the snapshot that replaces it."""
        old = self.room
        old._show_now()  # with which names are noted
        entries = json.loads(dumped(self.rng.choice([self.paper.entries, old.snapshot()])))
        self.paper = Paper()
        self.room = room = reopened(entries, self.paper, TABLE)
        self.paper.entries = entries
        assert room.hand.lines() == old.hand.lines()
        assert str(room.hand.state) == str(old.hand.state)
        assert room.table.dealer.dump() | {"options": 0} == old.table.dealer.dump() | {"options": 0}
        assert (room.table.away, dumped(room.plan)) == (old.table.away, dumped(old.plan))
        assert room.sheet.rows == json.loads(dumped(old.sheet.rows))
        assert room.sheet.recorded == old.sheet.recorded
        room.resume()
        self.viewers = [Viewer(room, viewer.seat) for viewer in self.viewers]

    # ------------------------------------------------------------ what holds then

    def check(self) -> None:
        room, table, hand = self.room, self.room.table, self.room.hand
        secret = [TABLE, str(int(table.dealer.record["rng"][0])), room.plan.host, room.plan.watch]
        secret += [seat.key for seat in room.plan.seats if seat.key]
        is_stored = room.sheet.recorded >= hand.number
        self.viewers = [viewer for viewer in self.viewers if not viewer.codes]  # too many at a seat
        connected = {viewer.seat for viewer in self.viewers}
        for viewer in self.viewers:
            view, seat = viewer.newest, viewer.seat
            text = viewer.texts[-1]
            assert not any(word in text for word in secret + ([] if is_stored else [hand.hand_id]))
            assert ((view["hand_no"], view["version"]), view["newest"]) == (table.moment, True)
            for number in self.people:
                shown = view["seats"][number]
                if shown:  # else they have left the match
                    assert shown["connected"] == (number in connected)
                    assert shown["played_by_computer"] == (number in table.away)
                    assert number not in self.names or shown["name"] == self.names[number]
            self.check_choice(view, seat)
            assert (view["over"] is not None) == hand.is_over
            if hand.is_over:
                assert view["over"]["hand_id"] == (hand.hand_id if is_stored else None)
                assert [row["number"] for row in view["sheet"]] == [row["number"] for row in room.sheet.rows]
            elif table.game.has_teams and "match" in view["step"]:
                assert view["step"]["match"] == self.match
            key = seat, hand.number
            told = [line for line in hand.lines() if (line["kind"], line["action"]) != ("score", "trick")]
            assert len(view["log"]) == len(told)
            old = self.logs.get(key, [])
            assert view["log"][: len(old)] == old
            self.logs[key] = view["log"]
        self.check_texts()

    def check_choice(self, view: dict[str, Any], seat: int) -> None:
        """It is worked out from the seat's own view, and is the same as by the whole state."""
        table, hand = self.room.table, self.room.hand
        is_turn = seat != NOBODY and seat == table.turn and seat not in table.away
        assert (view["choice"] is not None) == is_turn
        if is_turn:
            _kind, count = legal(table.game, hand.state, self.mask)
            actions = view["choice"]["actions"]
            assert [action["action"] for action in actions] == np.flatnonzero(self.mask[:count]).tolist()
            assert f"seat {seat}: {view['choice']['text']}" == table.game.legal_text(hand.state)
            assert view["step"]["legal"] == "".join(action["card"] or "" for action in actions)
            assert view["choice"]["undo"] == (len(self.people) == 1 and bool(self.before))

    def check_texts(self) -> None:
        """Those at one seat are sent the same; there is a view for each event, and only the newest has a
        choice; the sheet comes with the first and at the end of a hand."""
        for viewer in self.viewers:
            views = [json.loads(text) for text in viewer.texts]
            moments = [(view["hand_no"], view["version"]) for view in views]
            for (hand, version), (next_hand, next_version) in pairwise(moments):
                assert next_version <= version + 1 or next_hand != hand
            for view in views[1:]:
                assert view["newest"] or view["choice"] is None
                assert (view["sheet"] is not None) == (view["over"] is not None)
            twins = [json.loads(twin.texts[-1]) for twin in self.viewers if twin.seat == viewer.seat]
            assert [twin | {"sheet": 0} for twin in twins] == [views[-1] | {"sheet": 0}] * len(twins)
            viewer.texts[:-1] = []


TABLES = [(game, 1 + (number + more) % 2) for more in (0, 1) for number, game in enumerate(games_offered())]


@pytest.mark.parametrize(
    ("game", "people"), [*TABLES[: len(TABLES) // 2], *long(*TABLES[len(TABLES) // 2 :])]
)
@on_loop
def test_whatever_people_do(game: str, people: int) -> None:
    model = Model(game, people)
    others = (
        model.come_or_go, model.leave_or_take_back, model.wait, model.rename, model.undo, model.next,
        model.record, model.reopen,
    )  # fmt: skip
    for _ in range(STEPS):
        step = model.act if model.rng.random() < 0.6 else model.rng.choice(others)
        step()
        if model.room.hand.is_over and model.rng.random() < 0.5:
            model.check()
            model.next()
        model.check()
    assert model.room.hand.number >= 1
