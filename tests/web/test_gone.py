"""Browsers that go away at any moment, and bytes instead of text, are nothing that `serve` has to report."""

import base64
import os
import signal
import socket
import struct
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from cardlog.pipelines.storage.store import Store
from tests.support.pages import WAIT, Server, table_at
from tests.support.tables import form_of

pytestmark = pytest.mark.long

TEXT, BYTES, CLOSE = 1, 2, 8
CLOSE_1003 = bytes([0x80 | CLOSE, 2]) + struct.pack(">H", 1003)
NONSENSE = b'{"type":"nonsense"}'


class Site(NamedTuple):
    """A server, a table with the cookie of a seat, and the site's cookie."""

    server: Server
    table: str
    seat: str
    token: str

    def connect(self, request: str, *headers: str) -> socket.socket:
        found = socket.create_connection(("127.0.0.1", self.server.port), WAIT)
        lines = [f"{request} HTTP/1.1", f"Host: 127.0.0.1:{self.server.port}", f"Origin: {self.server.base}"]
        found.sendall("\r\n".join([*lines, *headers, "", ""]).encode())
        return found

    def websocket(self, path: str = "") -> socket.socket:
        """A websocket of the table, or of another page."""
        key = base64.b64encode(os.urandom(16)).decode()
        upgrade = ("Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13")
        cookies = f"Cookie: {self.seat}; {self.token}"
        return self.connect(
            f"GET {path or self.table + '/socket'}", *upgrade, f"Sec-WebSocket-Key: {key}", cookies
        )


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("gone") / "stderr"


@pytest.fixture(scope="module")
def served(said: Path) -> Iterator[Site]:
    store = Store(str(said.with_name("store")))
    store.create()
    with said.open("w") as stderr:
        server = Server(store.root, stderr=stderr)
        table, seat = table_at(server, form_of("kaiser"))
        jar = urllib.request.HTTPCookieProcessor()
        urllib.request.build_opener(jar).open(server.address, timeout=WAIT).close()
        yield Site(server, table, seat, "; ".join(f"{found.name}={found.value}" for found in jar.cookiejar))
        server.end(signal.SIGINT)


@pytest.fixture
def site(served: Site, said: Path) -> Iterator[Site]:
    """The site; afterwards it still answers, and has said nothing."""
    yield served
    time.sleep(0.1)  # what it says comes a moment later
    with served.websocket() as late:
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
def test_one_who_leaves_at_once(site: Site, path: str, end: object) -> None:
    for _ in range(20):
        end(site.websocket(path))  # type: ignore[operator]


@pytest.mark.parametrize("goodbye", [b"", frame(CLOSE, struct.pack(">H", 1000))], ids=["silent", "closing"])
def test_one_who_leaves_while_answers_are_under_way(site: Site, goodbye: bytes) -> None:
    for _ in range(10):
        connection = site.websocket()
        connection.sendall(frame(TEXT, NONSENSE) * 150 + goodbye)
        time.sleep(0.02)
        leave(connection)


def test_bytes_end_the_connection_with_the_code_for_them(site: Site) -> None:
    with site.websocket() as connection:
        assert connection.recv(12) == b"HTTP/1.1 101"
        connection.sendall(frame(BYTES, NONSENSE))
        received = b""
        while CLOSE_1003 not in received:
            more = connection.recv(2**16)
            assert more, "ended without a goodbye"
            received += more


def test_one_who_leaves_in_the_middle_of_a_request_or_of_its_answer(site: Site) -> None:
    sql = "select+repeat('x',1000)+from+range(20000)"
    for _ in range(3):
        form = site.connect("POST /tables", f"Cookie: {site.token}", "Content-Length: 100")
        form.sendall(b"game=")
        time.sleep(0.02)
        leave(form)
        rows = site.connect(f"GET /sql.csv?q={sql}", f"Cookie: {site.token}")
        assert rows.recv(12) == b"HTTP/1.1 200"
        leave(rows)
