"""`cardlog serve` as a process: what it prints, when it refuses, how it ends; and browsers that go away at
any moment, are slow or send bytes, of which it has nothing to report."""

import base64
import os
import signal
import socket
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import cycle
from pathlib import Path
from typing import NamedTuple
from unittest.mock import MagicMock

import httpx2
import pytest

from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.terminal.commands import serve
from tests.support.commands import runner
from tests.support.pages import HOST, WAIT, Server, table_at
from tests.support.tables import form_of

pytestmark = pytest.mark.long

TEXT, BYTES, CLOSE = 1, 2, 8
NONSENSE = b'{"type":"nonsense"}'


class Site(NamedTuple):
    """A server, a table, and the cookies of a seat and of the site."""

    server: Server
    table: str
    cookies: str

    def connect(self, request: str, *headers: str) -> socket.socket:
        found = socket.create_connection((HOST, self.server.port), WAIT)
        lines = [f"{request} HTTP/1.1", f"Host: {HOST}:{self.server.port}", f"Origin: {self.server.base}"]
        found.sendall("\r\n".join([*lines, f"Cookie: {self.cookies}", *headers, "", ""]).encode())
        return found

    def websocket(self, path: str = "") -> socket.socket:
        """A websocket of the table, or of another page."""
        key = base64.b64encode(os.urandom(16)).decode()
        upgrade = ("Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13")
        return self.connect(f"GET {path or self.table + '/socket'}", *upgrade, f"Sec-WebSocket-Key: {key}")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Site, Path]]:
    """The site, and the file of what it says. It prints its address, answers there and nothing else, and ends
    with Ctrl-C."""
    folder = tmp_path_factory.mktemp("served")
    store, said = Store(str(folder / "store")), folder / "stderr"
    store.create()
    with said.open("w") as stderr:
        server = Server(store.root, stderr=stderr)
        with httpx2.Client(follow_redirects=True, timeout=WAIT) as client:
            answer = client.get(server.address)
            assert "the books balance" in answer.text
            assert "server" not in answer.headers
            assert "token" not in str(answer.url)
            token = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
        table, seat = table_at(server, form_of("kaiser"))
        yield Site(server, table, f"{seat}; {token}"), said
        server.process.send_signal(signal.SIGINT)
        out, _ = server.process.communicate(timeout=WAIT)
    assert (server.process.returncode, out) == (130, "")
    assert said.read_text() == "cardlog: interrupted; nothing half done is visible\n"


@pytest.fixture
def site(served: tuple[Site, Path]) -> Iterator[Site]:
    """The site; afterwards it still answers, and has said nothing."""
    found, said = served
    yield found
    time.sleep(0.1)  # what it says comes a moment later
    with found.websocket() as late:
        assert late.recv(12) == b"HTTP/1.1 101"
    assert said.read_text() == ""


def frame(kind: int, data: bytes) -> bytes:
    """A frame of a websocket, as a client sends it; its mask is zeros."""
    size = bytes([0x80 | len(data)]) if len(data) < 126 else b"\xfe" + struct.pack(">H", len(data))
    return bytes([0x80 | kind]) + size + bytes(4) + data


def leave(connection: socket.socket) -> None:
    """Be gone, without a word."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


@pytest.mark.parametrize("path", ["", "/live"])
@pytest.mark.parametrize("end", [leave, socket.socket.close])
def test_one_who_leaves_at_once(site: Site, path: str, end: Callable[[socket.socket], None]) -> None:
    for _ in range(20):
        end(site.websocket(path))


@pytest.mark.parametrize("goodbye", [b"", frame(CLOSE, struct.pack(">H", 1000))], ids=["silent", "closing"])
def test_one_who_leaves_while_answers_are_under_way(site: Site, goodbye: bytes) -> None:
    for _ in range(10):
        connection = site.websocket()
        connection.sendall(frame(TEXT, NONSENSE) * 150 + goodbye)
        time.sleep(0.02)
        leave(connection)


@pytest.mark.parametrize(("kind", "code"), [(BYTES, 1003), (TEXT, 1007)])
def test_what_is_no_text_ends_its_connection_with_the_code_for_it(site: Site, kind: int, code: int) -> None:
    end = bytes([0x80 | CLOSE, 2]) + struct.pack(">H", code)
    with site.websocket() as connection:
        assert connection.recv(12) == b"HTTP/1.1 101"
        connection.sendall(frame(kind, b"\xff\xfe"))
        received = b""
        while end[2:] not in received:
            more = connection.recv(2**16)
            assert more, "ended without a goodbye"
            received += more


def test_one_who_leaves_in_the_middle_of_a_request_or_of_its_answer(site: Site) -> None:
    sql = "select+repeat('x',1000)+from+range(20000)"
    for _ in range(3):
        form = site.connect("POST /tables", "Content-Length: 100")
        form.sendall(b"game=")
        time.sleep(0.02)
        leave(form)
        rows = site.connect(f"GET /sql.csv?q={sql}")
        assert rows.recv(12) == b"HTTP/1.1 200"
        leave(rows)


class Hurried(Server):
    """A server with few files, and with little time for requests that are incomplete."""

    before = (
        "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (300, 300))\n"
        "from cardlog.web import connections\n"
        "connections.SECONDS, connections.HURRY_SECONDS = 3.0, 0.5\n"
    )


PARTS = (
    "", "no request", "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n", "GET / HTTP/1.1\r\nHost: x\r\n\r\nGET",
    "POST /tables HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Length: 9\r\n\r\na",
)  # fmt: skip


def test_requests_that_never_end_are_timed_out(tmp_path: Path) -> None:
    store = Store(str(tmp_path / "store"))
    store.create()
    with (tmp_path / "stderr").open("w+") as stderr:
        server = Hurried(store.root, stderr=stderr)
        sockets = [socket.create_connection((HOST, server.port), WAIT) for _ in range(400)]
        for one, part in zip(sockets, cycle(PARTS), strict=False):
            with suppress(OSError):  # it may be closed already
                one.sendall(part.format(server.port).encode())
        assert httpx2.get(server.base, timeout=WAIT).status_code == 401
        for one in sockets:
            with suppress(ConnectionError), one:
                while one.recv(10_000):
                    pass
        server.end()
        assert len((tmp_path / "stderr").read_text()) < 1_000


NO_HOSTS = ("a" * 64, "..")  # the terminal refuses what is not UTF-8


def test_why_nothing_is_served_is_said(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    cardlog = runner(capsys, monkeypatch)
    missing = MagicMock(side_effect=ModuleNotFoundError("No module named 'uvicorn'", name="uvicorn"))
    with socket.create_server((HOST, 0)) as taken:
        port = taken.getsockname()[1]
        for options, said in (
            (["--store", tmp_path / "none", "--play", tmp_path / "play"], "there is no store at"),
            (["--store", store.root, "--port", str(port)], f"can't listen at {HOST}, port {port}"),
            *(
                (["--store", store.root, "--host", host], "--host and --port name another")
                for host in NO_HOSTS
            ),
            (["--store", store.root], "needs uvicorn; install the extra 'cardlog[web]'"),
        ):
            if "uvicorn" in said:
                monkeypatch.setattr(serve, "import_module", missing)
            found = cardlog("serve", *options)
            assert (found.code, found.out, said in found.err) == (2, "", True)
            assert not (tmp_path / "play").exists()
