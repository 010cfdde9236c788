"""`cardlog serve` as a process: what it prints, when it refuses, how it ends."""

import os
import signal
import socket
import subprocess
import sys
import urllib.request

import pytest

from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.terminal.commands import serve
from cardlog.pipelines.terminal.options import OnStore

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
