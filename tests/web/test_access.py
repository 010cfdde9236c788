"""Whom the server answers, and what every answer says."""

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from cardlog.pipelines.storage.store import Store
from cardlog.web.access import HEADERS, MOST_BODY, Access
from tests.support.pages import BASE, HOST, PORT, client_of

LIVE = f"ws://{HOST}:{PORT}/live"
PAGES = ("/", "/hands", "/matches", "/players", "/charts", "/sql", "/quarantine", "/static/page.css", "/none")


@pytest.fixture
def stranger(store: Store):
    with client_of(store, enter=False) as found:
        yield found


def test_the_printed_address_gives_a_cookie_and_leads_to_one_without_the_token(stranger: TestClient) -> None:
    access = stranger.access
    answer = stranger.get(f"/hands?game=kaiser&token={access.token}")
    assert (answer.status_code, answer.headers["location"]) == (303, "/hands?game=kaiser")
    cookie = answer.headers["set-cookie"].lower()
    assert cookie.startswith(f"cardlog-{PORT}={access.token.lower()};")
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert "path=/" in cookie
    assert stranger.get("/").status_code == 200
    again = stranger.get(f"/?token={access.token}")
    assert (again.status_code, again.headers["location"]) == (303, "/")


@pytest.mark.parametrize("path", PAGES)
def test_nobody_is_answered_without_it(stranger: TestClient, path: str) -> None:
    for query in ("", "?token=", "?token=wrong"):
        answer = stranger.get(path + query)
        assert answer.status_code == 401
        assert "hands stored" not in answer.text
        assert "set-cookie" not in answer.headers
    stranger.cookies.set(f"cardlog-{PORT}", "wrong")
    assert stranger.get(path).status_code == 401
    assert stranger.post(path, headers={"origin": BASE}).status_code == 401


def test_the_page_for_strangers_can_be_left_by_the_same_link(stranger: TestClient) -> None:
    """A link from elsewhere comes without a SameSite=Strict cookie; from this page it has it."""
    answer = stranger.get('/hand/abc?step=1&x="><script>')
    assert 'href="/hand/abc?step=1&amp;x=%22%3E%3Cscript%3E"' in answer.text
    assert 'href="//' not in stranger.get("//evil.example/").text


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize(
    "host", ["evil.example", f"evil.example:{PORT}", HOST, f"{HOST}:{PORT + 1}", "localhost", ""]
)
def test_hosts_of_other_names_or_ports_are_refused(client: TestClient, path: str, host: str) -> None:
    assert client.get(path, headers={"host": host}).status_code == 421


def test_names_of_this_machine_are_known() -> None:
    local, open_to_all = Access(HOST, PORT), Access("0.0.0.0", PORT)
    for name in (HOST, "localhost", "LOCALHOST", "[::1]"):
        assert local.knows_host(f"{name}:{PORT}")
        assert open_to_all.knows_host(f"{name}:{PORT}")
    assert open_to_all.knows_host(f"192.168.1.7:{PORT}")
    assert not local.knows_host(f"192.168.1.7:{PORT}")
    assert not open_to_all.knows_host(f"evil.example:{PORT}")
    assert Access("::1", PORT).address.startswith(f"http://[::1]:{PORT}/?token=")


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", f"http://localhost:{PORT}", f"https://{HOST}:{PORT}"]
)
def test_other_origins_are_refused(client: TestClient, origin: str) -> None:
    for path in PAGES:
        assert client.get(path, headers={"origin": origin}).status_code == 403
    assert client.post("/quarantine/retry", headers={"origin": origin}).status_code == 403


def test_a_post_needs_an_origin(client: TestClient) -> None:
    assert client.post("/quarantine/retry").status_code == 403
    assert client.get("/quarantine/retry").status_code == 404  # as an entry of that id
    assert client.post("/", headers={"origin": BASE}).status_code == 405


def test_websockets_need_the_same(client: TestClient, store: Store) -> None:
    with client.websocket_connect(LIVE, headers={"origin": BASE}) as socket:
        assert socket.receive_json()["balanced"]
    for headers in ({}, {"origin": "http://evil.example"}, {"origin": BASE, "host": f"evil.example:{PORT}"}):
        with pytest.raises(WebSocketDisconnect), client.websocket_connect(LIVE, headers=headers):
            pass
    with (
        client_of(store, enter=False) as stranger,
        pytest.raises(WebSocketDisconnect),
        stranger.websocket_connect(LIVE, headers={"origin": BASE}),
    ):
        pass


@pytest.mark.long
def test_every_answer_has_the_headers(client: TestClient, stranger: TestClient) -> None:
    answers = [who.get(path) for who in (client, stranger) for path in PAGES]
    answers.append(client.get("/", headers={"host": "evil.example"}))
    for answer in answers:
        assert HEADERS.items() <= {
            name.title(): value for name, value in answer.headers.items()
        }.items() or all(answer.headers[name] == value for name, value in HEADERS.items())
    assert "default-src 'self'" in answers[0].headers["content-security-policy"]


@pytest.mark.long
def test_no_page_has_code_or_style_that_the_policy_forbids(client: TestClient) -> None:
    for path in PAGES:
        text = client.get(path).text
        assert " style=" not in text
        assert "<style" not in text
        assert " onclick" not in text
        assert "http://" not in text.replace("http://www.w3.org", "")
        assert "https://" not in text


def test_large_requests_are_refused(client: TestClient) -> None:
    headers = {"origin": BASE, "content-length": str(MOST_BODY + 1)}
    assert client.post("/quarantine/retry", headers=headers).status_code == 413
    assert client.post("/quarantine/retry", headers=headers | {"content-length": "x"}).status_code == 413


def test_nothing_beside_the_static_files_is_served(client: TestClient) -> None:
    for path in ("/static/../pages.py", "/static/%2e%2e/pages.py", "/static/"):
        assert client.get(path).status_code == 404
