"""Who may come to a table, and what the server makes of what they send."""

import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from cardlog.pipelines.storage.store import Store
from cardlog.web.play import rooms
from cardlog.web.play import socket as play_socket
from cardlog.web.play.seats import Plan
from tests.support.pages import BASE, ORIGIN, PORT, client_of
from tests.support.tables import act, form_of, new_table, newest, socket_of, stranger_to

CLOSED = (
    "/", "/hands", "/sql", "/sql.csv?q=select+1", "/quarantine", "/tables", "/hand/abc", "/live", "/play/x",
)  # fmt: skip


def link_of(host: TestClient, address: str, name: object) -> str:
    """The link of a seat, or to watch."""
    [link] = re.findall(rf'id="link-{name}" readonly value="{BASE}(/join/[^"]+)"', host.get(address).text)
    return str(link)


def friend_at(host: TestClient, address: str) -> TestClient:
    found = stranger_to(host)
    answer = found.get(link_of(host, address, 1))
    assert (answer.status_code, answer.headers["location"]) == (303, address)
    assert {"httponly", "samesite=lax"} <= {*answer.headers["set-cookie"].lower().split("; ")}
    return found


def answer(socket: Any, kind: str, number: int = 1) -> dict[str, Any]:
    """The next message of a kind, or a later one; views that come before it have changes of others."""
    for _ in range(number):
        while (message := socket.receive_json())["type"] != kind:
            pass
    return message


def ends(socket: Any, code: int, refusals: int = 1) -> None:
    """The server ends a connection, before it has refused so many messages."""
    with pytest.raises(WebSocketDisconnect) as closed:
        answer(socket, "refused", refusals)
    assert closed.value.code == code


def test_a_friend_may_open_one_table_and_nothing_else(host: TestClient) -> None:
    address, other = (new_table(host, form_of("kaiser", people=2)) for _ in range(2))
    friend, join = friend_at(host, address), link_of(host, address, 1)
    for path in CLOSED:
        assert friend.get(path).status_code == 401, path
    beside = [address + end for end in ("/", "/x", "/../../sql", "%2f..%2f..%2fsql")]
    for path in (other, *beside, "/static/../pages.py"):
        assert friend.get(path).status_code in (401, 404), path
    for who, path in ((friend, "/tables"), (friend, address), (stranger_to(host), join)):
        assert who.post(path, data=form_of("kaiser"), headers=ORIGIN).status_code == 401
    assert friend.get("/static/page.css").status_code == 200
    with socket_of(friend, address) as socket:
        assert newest(socket)["seat"] == 1
    for path in (other, "/play/0"):
        with socket_of(friend, path) as socket:
            ends(socket, 4401)
    evil = {"host": f"evil.example:{PORT}"}
    for headers in ({"origin": "http://evil.example"}, evil):
        with pytest.raises(WebSocketDisconnect), socket_of(friend, address, **headers):
            pass
    with pytest.raises(WebSocketDisconnect), socket_of(friend, "/live", ""):
        pass
    for path in (address, join):
        assert friend.get(path, headers=evil).status_code == 421
    wrong = stranger_to(host).get("/join/" + "x" * 32)
    assert (wrong.status_code, "<nav" in wrong.text) == (404, False)
    assert "This link leads to no table" in wrong.text


def test_strangers_are_refused_and_the_host_is_told_of_tables_that_are_not_there(host: TestClient) -> None:
    address = new_table(host, form_of("kaiser"))
    stranger = stranger_to(host)
    assert stranger.get(address).status_code == 401
    stranger.cookies.set("cardlog-seat-" + address.rpartition("/")[2], "wrong")
    assert stranger.get(address).status_code == 401
    for who, path, code in ((stranger, address, 4401), (host, "/play/none", 4404)):
        with socket_of(who, path) as socket:
            ends(socket, code)
    assert host.get("/play/none").status_code == 404


def with_the_token(host: TestClient) -> TestClient:
    """Another browser that opened the printed address, and made no table."""
    found = stranger_to(host)
    assert found.get(f"/?token={host.access.token}").status_code == 303
    return found


def by_the_watch_link(host: TestClient, address: str) -> TestClient:
    found = stranger_to(host)
    assert found.get(link_of(host, address, "watch")).headers["location"] == address
    for path in (*CLOSED, new_table(host, form_of("kaiser"))):
        assert found.get(path).status_code == 401, path
    return found


@pytest.mark.parametrize("way", ["the site's token", "the watch link", "a table without the host"])
def test_who_has_no_seat_watches_what_is_public_and_changes_nothing(host: TestClient, way: str) -> None:
    is_host = way == "a table without the host"
    address = new_table(host, form_of("kaiser", people=2) | ({"seat0": "friend"} if is_host else {}))
    who = host if is_host else with_the_token(host)
    if way == "the watch link":
        who = by_the_watch_link(host, address)
    text = who.get(address).text
    assert text.count("/join/") == (3 if is_host else 0)  # two friends' links, and the one to watch
    assert 'id="rename"' not in text
    with socket_of(who, address) as socket:
        view = newest(socket)
        assert (view["seat"], view["choice"]) == (None, None)
        assert set("".join(view["step"]["hands"])) == {"?"}
        moment = {"version": view["version"], "hand_no": view["hand_no"]}
        said = moment | {"action": 0, "name": "Eve", "card": "8S"}
        for kind in ("act", "next", "leave", "back", "hint", "undo", "claim", "name", "why"):
            socket.send_json({"type": kind, **said})
            found = answer(socket, "refused")
            assert (found["text"], found["version"]) == ("You have no seat at this table.", view["version"])
            assert newest(socket) | {"sheet": []} == view


def test_tables_of_older_journals_have_keys_of_their_own() -> None:
    seats = [{"kind": "friend", "key": "k"}, {"kind": "computer", "player": "random"}]
    plan = msgspec.convert({"game": "kaiser", "rules": "book", "seats": seats, "patience": 60}, Plan)
    assert [plan.seat_of(key) for key in ("k", plan.host_key, plan.watch, "", "x")] == [0, -1, -1, None, None]
    assert len({plan.host_key, plan.watch, "", "k"}) == 4


NONSENSE = (
    "", "[", "null", "[]", "7", '"act"', "{}", '{"type":"none"}', '{"type":["act"]}', '{"type":"act"}',
    '{"type":"act","version":1.5,"hand_no":0,"action":0}',
    '{"type":"act","version":true,"hand_no":0,"action":0}',
    '{"type":"act","version":"5","hand_no":0,"action":0}', '{"type":"name","name":7}', "[" * 900,
    '{"type":"act","version":5,"hand_no":0,"action":0,"amount":"all"}', '{"type":"next"}',
    '{"type":"act","version":1e400,"hand_no":0,"action":0}',
    '{"type":"why","card":"1X"}', '{"type":"why"}', '{"type":"review"}',
    '{"type":"hint","version":1,"hand_no":0}',
)  # fmt: skip


def test_what_makes_no_sense_is_refused_and_the_table_stays_as_it_is(host: TestClient) -> None:
    """And an illegal choice gets the rules' own sentence, as does the question why not."""
    with socket_of(host, new_table(host, form_of("kaiser"))) as socket:
        view = newest(socket, lambda view: view["choice"])
        for text in NONSENSE:
            socket.send_text(text)
            assert answer(socket, "refused")["version"] == view["version"], text
            again = newest(socket)
            assert again | {"choice": None, "sheet": []} == view | {"choice": None, "sheet": []}
        act(socket, view, 1)
        said = r"Seat 0 bid 0 N: a bid that the auction does not allow.* Legal: seat 0: "
        assert re.match(said, answer(socket, "refused")["text"])
        assert newest(socket)["choice"]["actions"] == view["choice"]["actions"]
        socket.send_json({"type": "why", "card": view["step"]["hands"][0][:2]})
        assert ": an event that can't come at this point of a hand." in socket.receive_json()["text"]


def test_too_much_ends_the_connection(host: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(play_socket, "RATE", 1.0)  # else a busy machine is too slow to be too fast
    address = new_table(host, form_of("kaiser"))
    for texts in (["x" * 2_000], ["{}"] * 400):
        with socket_of(host, address) as socket:
            for text in texts:
                socket.send_text(text)
            ends(socket, 1008, len(texts))
    with socket_of(host, address) as socket:
        assert newest(socket)["version"] > 0


NAMES = ("<script>alert(1)</script>", "\u202eevil", "x" * 10_000, "\0\x1b[2J", "'\"&")


@pytest.mark.parametrize("name", NAMES)
def test_names_are_harmless_text(host: TestClient, name: str) -> None:
    address = new_table(host, form_of("kaiser", people=2) | {"name": name})
    friend = friend_at(host, address)
    with socket_of(host, address) as socket, socket_of(friend, address) as other:
        newest(other)
        other.send_json({"type": "name", "name": name[:500]})
        view = newest(socket, lambda view: view["seats"][1]["name"] != "Left")
        for shown in (view["seats"][0]["name"], view["seats"][1]["name"], view["hand"]["seats"][0]["name"]):
            assert len(shown) <= 25 * 8
            assert not {"\u202e", "\0", "\x1b"} & {*shown}
    for path in ("/tables", address):
        text = host.get(path).text
        assert "<script>alert" not in text
        assert "\u202e" not in text


def test_tables_are_limited(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rooms, "MOST_TABLES", 2)
    with client_of(store, tmp_path / "play") as host:
        first, _ = (new_table(host, form_of("kaiser")) for _ in range(2))
        answer = host.post("/tables", data=form_of("kaiser"), headers=ORIGIN)
        assert (answer.status_code, "2 tables already" in answer.text) == (400, True)
        monkeypatch.setattr(rooms, "IDLE_SECONDS", -1.0)
        new_table(host, form_of("kaiser"))
        with socket_of(host, first) as socket:
            ends(socket, 4404)


def test_a_table_that_is_closed_is_nowhere_any_more(host: TestClient) -> None:
    address = new_table(host, form_of("kaiser", people=2))
    friend = friend_at(host, address)
    with socket_of(friend, address) as socket:
        newest(socket)
        assert friend.post(f"/tables{address[5:]}/close", headers=ORIGIN).status_code == 401
        assert host.post(f"/tables{address[5:]}/close", headers=ORIGIN).status_code == 303
        ends(socket, 4404)
    assert address not in host.get("/tables").text
    assert friend.get(address).status_code == 401
    assert host.get(address).status_code == 404


def test_the_pages_of_tables(host: TestClient) -> None:
    address = new_table(host, form_of("belote", people=2))
    assert "Belote" in host.get("/tables").text
    text = host.get(address).text
    assert link_of(host, address, 1) in text
    assert "/join/" not in friend_at(host, address).get(address).text
    answer = host.post("/tables", data={"game": "whist"}, headers=ORIGIN)
    assert (answer.status_code, "There is no game" in answer.text) == (400, True)
    assert host.post("/tables", content=b"\xff&" * 100, headers=ORIGIN).status_code == 400


def test_the_deal_of_the_day_knows_what_its_reader_played(host: TestClient) -> None:
    """And does not tell others."""
    address = new_table(host, {"game": "kaiser", "daily": "1"})
    for who, is_mine in ((host, True), (with_the_token(host), False)):
        text = who.get("/daily?game=kaiser").text
        assert (f'href="{address}">Go on' in text, "Play the deal of today" in text) == (is_mine, not is_mine)
    with socket_of(host, address) as socket:
        while not (view := newest(socket, lambda view: view["choice"] or view["over"]))["over"]:
            act(socket, view, view["choice"]["actions"][0]["action"])
    own, others = (view["over"]["score"]["hand"][team] for team in "01")
    text = host.get("/daily?game=kaiser").text
    assert f"You have played it: {own - others:+d}." in text
    assert "once it is built" in text or "That is number 1 of 1." in text
    assert "You have played it" not in with_the_token(host).get("/daily?game=kaiser").text
