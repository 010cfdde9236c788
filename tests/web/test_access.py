"""Whom the server answers, and what every answer says."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from cardlog.pipelines.storage.store import Store
from cardlog.web.access import HEADERS, MOST_BODY, Access, BadOrigin, Origin
from tests.support.pages import HOST, ORIGIN, PORT, client_of
from tests.support.tables import form_of

LIVE, LAN = f"ws://{HOST}:{PORT}/live", f"http://cards.lan:{PORT}"
PAGES = ("/", "/hands", "/matches", "/players", "/charts", "/sql", "/quarantine", "/static/page.css", "/none")


@pytest.fixture
def stranger(store: Store) -> Iterator[TestClient]:
    with client_of(store, enter=False) as found:
        yield found


def refuses_live(client: TestClient, headers: dict[str, str], address: str = LIVE) -> None:
    with pytest.raises(WebSocketDisconnect), client.websocket_connect(address, headers=headers):
        pass


def test_the_printed_address_gives_a_cookie_and_leads_to_one_without_the_token(stranger: TestClient) -> None:
    access = stranger.access
    answer = stranger.get(f"/hands?game=kaiser&token={access.token}")
    assert (answer.status_code, answer.headers["location"]) == (303, "/hands?game=kaiser")
    name, *attributes = answer.headers["set-cookie"].split("; ")
    assert name == f"cardlog-{PORT}={access.token}"
    assert {each.lower() for each in attributes} == {"httponly", "samesite=strict", "path=/"}
    assert stranger.get("/").status_code == 200
    again = stranger.get(f"/?token={access.token}")
    assert (again.status_code, again.headers["location"]) == (303, "/")


def test_nobody_is_answered_without_it(stranger: TestClient) -> None:
    """The page that says so can be left by the same link: one from elsewhere comes without a SameSite=Strict
    cookie; from this page it has it."""
    for path in PAGES:
        for query in ("", "?token=", "?token=wrong"):
            answer = stranger.get(path + query)
            assert (answer.status_code, "hands stored" in answer.text) == (401, False)
            assert "set-cookie" not in answer.headers
    refuses_live(stranger, ORIGIN)
    answer = stranger.get('/hand/abc?step=1&x="><script>')
    assert 'href="/hand/abc?step=1&amp;x=%22%3E%3Cscript%3E"' in answer.text
    assert 'href="//' not in stranger.get("//evil.example/").text
    stranger.cookies.set(f"cardlog-{PORT}", "wrong")
    for path in PAGES:
        assert stranger.get(path).status_code == stranger.post(path, headers=ORIGIN).status_code == 401


HOSTS = ("evil.example", f"evil.example:{PORT}", HOST, f"{HOST}:{PORT + 1}", "localhost", "")
ORIGINS = ("http://evil.example", "null", f"http://localhost:{PORT}", f"https://{HOST}:{PORT}")
WRONG = [({"host": host}, 421) for host in HOSTS] + [({"origin": origin}, 403) for origin in ORIGINS]


@pytest.mark.parametrize(("headers", "status"), WRONG)
def test_other_hosts_and_other_origins_are_refused(
    client: TestClient, headers: dict[str, str], status: int
) -> None:
    for path in PAGES:
        assert client.get(path, headers=headers).status_code == status
    assert client.post("/quarantine/retry", headers=ORIGIN | headers).status_code == status
    refuses_live(client, ORIGIN | headers)


def test_a_post_and_a_websocket_need_an_origin(client: TestClient) -> None:
    assert client.post("/quarantine/retry").status_code == 403
    refuses_live(client, {})
    assert client.get("/quarantine/retry").status_code == 404  # as an entry of that id
    assert client.post("/", headers=ORIGIN).status_code == 405


def test_names_of_this_machine_are_known() -> None:
    local, open_to_all = Access(HOST, PORT), Access("0.0.0.0", PORT)
    odd = ("::1:{}", "x@127.0.0.1:{}", "127.0.0.1:{}/", "127.0.0.1:{0}:{0}", "127.0.0.1:{}0", "\xe9:{}")
    for names, here, anywhere in (
        (("127.0.0.1:{}", "localhost:{}", "LOCALHOST:{}", "[::1]:{}"), True, True),
        (("192.168.1.7:{}",), False, True),
        (("evil.example:{}", *odd), False, False),
    ):
        for name in names:
            found = [bool(access.origins_for(name.format(PORT))) for access in (local, open_to_all)]
            assert found == [here, anywhere], name
    assert Access("::1", PORT).address.startswith(f"http://[::1]:{PORT}/?token=")


def reached_by(*origins: str, host: str = HOST, port: int = PORT) -> Access:
    return Access(host, port, tuple(map(Origin.of, origins)))


SET_UPS = {
    "port 80": (reached_by(port=80), HOST, "http://127.0.0.1"),
    "an SSH tunnel": (reached_by("http://localhost:9000"), "localhost:9000", "http://localhost:9000"),
    "a mapped port": (reached_by("http://192.168.1.7", host="0.0.0.0"), "192.168.1.7", "http://192.168.1.7"),
    "a TLS proxy": (reached_by("https://cards.example"), "cards.example", "https://cards.example"),
    "as a person types it": (reached_by("HTTP://[0:0::1]:9000"), "[::1]:9000", "http://[::1]:9000"),
    "one at another port": (reached_by("https://a.example:444"), "a.example:444", "https://a.example:444"),
    "one with its own Host": (reached_by("https://cards.example"), f"{HOST}:{PORT}", "https://cards.example"),
    "a name in the LAN": (reached_by("https://a.example", LAN, host="0.0.0.0"), f"cards.lan:{PORT}", LAN),
}
"""What the server was told, and which Host and Origin then reach it."""


@pytest.mark.parametrize(("access", "host", "origin"), SET_UPS.values(), ids=SET_UPS)
def test_it_is_reached_by_the_named_origins_and_no_others(
    store: Store, tmp_path: Path, access: Access, host: str, origin: str
) -> None:
    with client_of(store, tmp_path, access=access, reached=(origin, host), enter=False) as client:
        entered = client.get(f"/?token={access.token}")
        assert (entered.status_code, entered.headers["location"]) == (303, "/")
        assert client.get("/").status_code == 200
        assert client.get("/hands/").headers["location"] == f"{origin}/hands"
        table = client.post("/tables", data=form_of("kaiser", people=2), headers={"origin": origin})
        for cookie in (entered.headers["set-cookie"], table.headers["set-cookie"]):
            assert ("Secure" in cookie) == origin.startswith("https")
        assert f'value="{origin}/join/' in client.get(table.headers["location"]).text
        live = f"ws{origin.removeprefix('http')}/live"
        with client.websocket_connect(live, headers={"origin": origin}) as socket:
            assert socket.receive_json()["balanced"]
        other_scheme = origin.replace("http", "https") if origin.startswith("http:") else f"http://{host}0"
        for wrong in ("http://evil.example", "null", other_scheme, f"{origin}.evil.example", f"{origin}:1"):
            assert client.post("/tables", headers={"origin": wrong}).status_code == 403
            refuses_live(client, {"origin": wrong}, live)
        for wrong in ("evil.example", f"evil.example:{access.port}", f"{host}.evil.example", ""):
            assert client.get("/", headers={"host": wrong}).status_code == 421


def test_servers_behind_mapped_ports_do_not_share_a_cookie() -> None:
    ports = [reached_by(f"http://localhost:{port}").cookie for port in (9000, 9001)]
    assert ports == ["cardlog-9000", "cardlog-9001"]
    assert reached_by("http://localhost:9000").address.startswith("http://localhost:9000/?token=")


@pytest.mark.parametrize(
    "text",
    ["", "cards.example", "ftp://a", "https://", "https://a/b", "http://a:0", "http://a:65536", "http://u@a",
     "http://a b", "http://[::1", "http://a?", "null", "http://a..b", "http://a\udcff", "https://*.a", "http://a/",
     "http://[::1::]"],
)  # fmt: skip
def test_what_is_no_origin_is_refused(text: str) -> None:
    with pytest.raises(BadOrigin, match=r"such as https://cards\.example"):
        Origin.of(text)


def test_every_answer_has_the_headers_and_no_page_code_or_style_that_they_forbid(
    client: TestClient, stranger: TestClient
) -> None:
    answers = [who.get(path) for who in (client, stranger) for path in PAGES]
    answers.append(client.get("/", headers={"host": "evil.example"}))
    for answer in answers:
        assert {name: answer.headers[name] for name in HEADERS} == HEADERS
        for forbidden in (" style=", "<style", " onclick", "http://", "https://"):
            assert forbidden not in answer.text.replace("http://www.w3.org", "")
    assert "default-src 'self'" in HEADERS["Content-Security-Policy"]


def test_large_requests_and_what_is_beside_the_static_files_are_refused(client: TestClient) -> None:
    for length in (str(MOST_BODY + 1), "x"):
        headers = ORIGIN | {"content-length": length}
        assert client.post("/quarantine/retry", headers=headers).status_code == 413
    for path in ("/static/../pages.py", "/static/%2e%2e/pages.py", "/static/"):
        assert client.get(path).status_code == 404


def test_health_needs_no_token_and_says_nothing_else(stranger: TestClient, store: Store) -> None:
    answer = stranger.get("/health", headers={"host": "10.0.0.7"})
    assert (answer.status_code, answer.text) == (200, "ok\n")
    assert HEADERS.items() <= dict(answer.headers).items() or "nosniff" in answer.headers.values()
    assert stranger.post("/health", headers={"host": "10.0.0.7"}).status_code == 421
    assert stranger.get("/health/").status_code == 401
