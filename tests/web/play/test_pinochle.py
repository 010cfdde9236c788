"""The messages of the original servers: the log that our reader reads back, and a client that plays."""

import random
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from cardlog.pipelines import runs
from cardlog.pipelines.storage.store import Store
from cardlog.web.play.pinochle import written
from cardlog.web.play.recording import append_once
from tests.support.pages import asked, client_of
from tests.support.tables import (
    Paper,
    Viewer,
    form_of,
    in_loop,
    new_table,
    play_hand,
    room_of,
    socket_of,
    stranger_to,
)

DIALECTS = ("jan2013", "head2014")
ALIKE = """
    select kind, action, seat, suit, amount, case when action = 'hand' then null else cards end as cards
    from events where dataset = ? and match_id like ? and hand_no = ? and action <> 'open'
      and action <> 'trick' and kind || action <> 'scoreplace' order by seq
"""


def recorded(form: dict[str, str], hands: int, table_id: str) -> tuple[Paper, str]:
    """What some hands of a table give: their records, and the log of all of them."""
    paper = Paper()

    def play() -> None:
        room = room_of(form, paper, table_id)
        viewers = [Viewer(room, seat) for seat, found in enumerate(room.plan.seats) if found.is_person]
        for number in range(hands):
            if number:
                room.next()
            play_hand(viewers, random.Random(number))

    in_loop(play)
    return paper, "".join(finished.log[1] for finished in paper.finished)


@pytest.mark.long
@pytest.mark.parametrize("rules", DIALECTS)
def test_the_log_read_back_gives_the_hands_that_were_recorded(rules: str, tmp_path: Path) -> None:
    store, hands = Store(str(tmp_path / "store")), 8
    paper, log = recorded(form_of("pinochle", rules, people=2), hands, "t7")
    (tmp_path / "log.txt").write_text(log)
    (tmp_path / "hands.jsonl").write_bytes(b"".join(finished.text for finished in paper.finished))
    for name, form in (("log.txt", "pinochle-protocol"), ("hands.jsonl", "cardlog-jsonl")):
        found = runs.ingest(store, [str(tmp_path / name)], format_name=form, dataset=form).counts
        assert (found.hands_read, found.hands_stored, found.quarantined) == (hands, hands, 0), name
    rows = asked(store, ["events"], "select distinct dataset, match_id, hand_no from events order by all")
    ours = [row for row in rows if row[0] == "cardlog-jsonl"]
    read = [row for row in rows if row[0] == "pinochle-protocol"]
    assert len(ours) == len(read) == hands
    for (_, match, number), (_, other, same) in zip(ours, read, strict=True):
        assert match.split("~")[0].split("-")[1] == other.split("~")[0].split("/")[1]
        assert number == same
        mine = asked(store, ["events"], ALIKE, "cardlog-jsonl", match, number)
        theirs = asked(store, ["events"], ALIKE, "pinochle-protocol", other, number)
        assert sorted(map(str, mine)) == sorted(map(str, theirs))
        plays = [row for row in mine if row[0] == "play"]
        assert plays == [row for row in theirs if row[0] == "play"]


class Original:
    """A client as of then: it keeps its hand, and plays any card until one is accepted."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.said: list[dict[str, Any]] = []
        self.held: list[str] = []
        self.played = ""
        self.refused = 0

    def answer(self, message: dict[str, Any]) -> dict[str, Any] | None:
        """The answer to a message, if it asks for one."""
        again = bool(self.said) and self.said[-1] == message
        self.said.append(message)
        kind = message["Type"]
        if kind == "Deal":
            self.held = list(message["Hand"])
        if kind == "Hello":
            return {"Type": "Hello", "Message": "create"}
        if kind == "Game":
            return {"Type": "Game", "Option": 1}
        if message.get("Playerid") != 0:
            return None
        if kind == "Bid":
            return {"Type": "Bid", "Playerid": 0, "Bid": self.rng.choice([0, 15, 21, 30])}
        if kind == "Trump":
            return {"Type": "Trump", "Playerid": 0, "Trump": self.rng.choice("CDHS")}
        if kind not in ("Play", "PlayRequest"):
            return None
        if again:
            self.refused += 1
            self.held.append(self.played)
        self.played = self.held.pop(self.rng.randrange(len(self.held)))
        return {"Type": "Play", "Playerid": 0, "PlayedCard": self.played}


@pytest.mark.long
@pytest.mark.parametrize("rules", DIALECTS)
def test_an_original_client_plays(rules: str, tmp_path: Path) -> None:
    """Three hands at seat 0 beside computers: menus, bids, cards that are refused and asked for again."""
    store, client = Store(str(tmp_path / "store")), Original(random.Random(7))
    store.create()
    with client_of(store, tmp_path / "play") as host:
        address = new_table(host, form_of("pinochle", rules))
        key = host.cookies[f"cardlog-seat-{address.rpartition('/')[2]}"]
        with socket_of(stranger_to(host), address, f"/pinochle/{key}") as socket:
            for nonsense in ("[", "{}", '{"Type":1}', '{"Type":"Disconnect"}', '{"Type":"Bid","Playerid":3}'):
                socket.send_text(nonsense)
            while sum(message["Type"] == "Score" for message in client.said) < 3:
                answer = client.answer(socket.receive_json())
                if answer is not None:
                    socket.send_json(answer)
        kinds = {message["Type"] for message in client.said}
        assert {"Deal", "Bid", "Trump", "Meld", "Play", "Score", "Message"} <= kinds
        assert ("PlayRequest" in kinds) == ("MyTable" in kinds) == (rules == "head2014")
        assert ("Hello" in kinds) == (rules == "jan2013")
        assert client.refused
        with pytest.raises(WebSocketDisconnect), socket_of(host, address, "/pinochle/wrong") as socket:
            socket.receive_json()
    [folder] = (tmp_path / "play" / "hands").iterdir()
    log = (folder / "pinochle.txt").read_text()
    assert log.count('"Type":"Score"') == 3
    told = [line[4:] for line in log.splitlines() if line.startswith("--> ") and 'Type":"Play"' in line]
    assert [line for line in told if '"PlayedCard"' in line] == [
        written(message) for message in client.said if message["Type"] == "Play" and "PlayedCard" in message
    ][: len(told)]
    assert asked(store, ["events"], "select count(distinct hand_id) from events") == [(3,)]


def test_tables_by_the_rule_book_have_no_server_to_speak_of(host: TestClient) -> None:
    address = new_table(host, form_of("pinochle"))
    key = host.cookies[f"cardlog-seat-{address.rpartition('/')[2]}"]
    with socket_of(host, address, f"/pinochle/{key}") as socket, pytest.raises(WebSocketDisconnect) as end:
        socket.receive_json()
    assert "jan2013 or head2014" in end.value.reason


def test_a_log_is_appended_to_once_wherever_it_was_cut(tmp_path: Path) -> None:
    path = tmp_path / "log"
    first, second = b"--> deal 1\n--> score 1\n", b"--> deal 2\n--> score 2\n"
    for length in range(len(second) + 1):
        path.write_bytes(first + second[:length])
        append_once(path, second)
        assert path.read_bytes() == first + second
