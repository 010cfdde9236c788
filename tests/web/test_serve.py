"""`cardlog serve` as a process: what it prints, when it refuses, how it ends."""

import json
import os
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from contextlib import suppress
from itertools import cycle
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed

from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.terminal.commands import serve
from cardlog.pipelines.terminal.options import OnStore
from cardlog.web.serve import ServeError, listen
from tests.support.pages import HOST, Server, seat_at, table_at
from tests.support.tables import form_of

pytestmark = pytest.mark.long

COMMAND = [sys.executable, "-m", "cardlog", "serve", "--store"]


def test_it_prints_its_address_answers_there_and_ends_with_ctrl_c(store: Store) -> None:
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        [*COMMAND, store.root, "--port", "0"], stdout=subprocess.PIPE, text=True, env=environment
    ) as server:
        assert server.stdout is not None
        address = server.stdout.readline().strip()
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        with opener.open(address, timeout=60) as answer:
            assert "the books balance" in answer.read().decode()
            assert "server" not in answer.headers
            assert "token" not in answer.url
        with opener.open(answer.url + "hands", timeout=60) as hands:
            assert hands.status == 200
        server.send_signal(signal.SIGINT)
        assert server.wait(20) == 130
        assert server.stdout.read() == ""


class Hurried(Server):
    """A server with few files, and with little time for requests that are incomplete."""

    before = (
        "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (300, 300))\n"
        "from cardlog.web import connections\n"
        "connections.SECONDS, connections.HURRY_SECONDS = 3.0, 0.5\n"
    )


PARTS = (
    "",
    "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n",
    "POST /tables HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Length: 9\r\n\r\na",
    "GET / HTTP/1.1\r\nHost: x\r\n\r\nGET",
    "no request",
)


def test_requests_that_never_end_are_timed_out(tmp_path: Path) -> None:
    store = Store(str(tmp_path / "store"))
    store.create()
    with (tmp_path / "stderr").open("w+") as stderr:
        server = Hurried(store.root, stderr=stderr)
        sockets = [socket.create_connection((HOST, server.port), 60) for _ in range(400)]
        for one, part in zip(sockets, cycle(PARTS), strict=False):
            with suppress(OSError):  # it may be closed already
                one.sendall(part.format(server.port).encode())
        with pytest.raises(urllib.error.HTTPError, match="401"):
            urllib.request.urlopen(server.base, timeout=60)
        for one in sockets:
            with suppress(ConnectionError), one:
                while one.recv(10_000):
                    pass
        server.end()
        assert len((tmp_path / "stderr").read_text()) < 1_000


def test_a_message_that_is_no_text_ends_its_connection_only(tmp_path: Path) -> None:
    store = Store(str(tmp_path / "store"))
    store.create()
    with (tmp_path / "stderr").open("w+") as stderr:
        server = Server(store.root, stderr=stderr)
        path, cookie = table_at(server, form_of("kaiser"))
        with seat_at(server, path, cookie) as socket:
            socket.send(b"\xff\xfe", text=True)
            with pytest.raises(ConnectionClosed) as closed:
                list(socket)
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1007
        with seat_at(server, path, cookie) as socket:
            assert json.loads(socket.recv())["type"] == "view"
        server.end()
        assert (tmp_path / "stderr").read_text() == "cardlog: interrupted; nothing half done is visible\n"


@pytest.mark.parametrize("host", [os.fsdecode(b"a\xff"), "a" * 64, ".."])
def test_a_host_that_can_not_be_is_named(host: str) -> None:
    with pytest.raises(ServeError, match=r"can't listen at .* --host and --port name another"):
        listen(host, 0)


def test_a_port_that_is_taken_is_named(store: Store) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = subprocess.run(
            [*COMMAND, store.root, "--port", str(port)], capture_output=True, text=True, check=False
        )
    assert done.returncode == 2
    assert f"can't listen at 127.0.0.1, port {port}" in done.stderr
    assert done.stdout == ""


def test_without_a_store_nothing_is_served(tmp_path: object) -> None:
    done = subprocess.run([*COMMAND, f"{tmp_path}/none"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "there is no store at" in done.stderr


def test_without_the_extra_it_says_so(
    store: Store, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def missing(name: str) -> None:
        raise ModuleNotFoundError(f"No module named {name!r}", name="uvicorn")

    monkeypatch.setattr(serve, "import_module", missing)
    with pytest.raises(SystemExit):
        serve.serve(address=serve.AddressOptions(), on=OnStore(store.root))
    assert "needs uvicorn; install the extra 'cardlog[web]'" in capsys.readouterr().err
