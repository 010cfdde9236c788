"""What was played is in the lists without anybody running a build, and until then they say what they lack."""

import asyncio
import html
import random
import re
import signal
import time
from pathlib import Path
from threading import Event

import pytest
from starlette.testclient import TestClient

from cardlog.pipelines import runs
from cardlog.pipelines.export.simulate import simulate
from cardlog.pipelines.sql.dbt_run import DbtError
from cardlog.pipelines.sql.warehouse import unbuilt_hands
from cardlog.pipelines.storage.store import Store
from cardlog.web.play import recording
from cardlog.web.play.background import Background
from cardlog.web.play.recording import Builder
from tests.support.pages import ORIGIN, client_of
from tests.support.tables import act, form_of, new_table, newest, on_loop, socket_of, until

WAIT = 300
LISTS = ("/hands", "/matches", "/players", "/charts")


def shown(host: TestClient, path: str, text: str) -> str:
    """A page, once it has a text."""
    end = time.monotonic() + WAIT
    while text not in (page := host.get(path).text):
        assert time.monotonic() < end
        time.sleep(0.5)
    return page


def add(store: Store, hands: int, seed: int) -> None:
    """Ingest so many hands."""
    log = f"{store.root}.{seed}.jsonl"
    simulate("kaiser", hands, seed, log)
    runs.ingest(store, [log])


class Builds:
    """Takes the place of the process that builds."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count, self.fails = 0, False
        monkeypatch.setattr(Builder, "_build", lambda builder: self())
        monkeypatch.setattr(recording, "QUIET_SECONDS", 0.01)

    async def __call__(self) -> None:
        self.count += 1
        await asyncio.sleep(0.05)
        if self.fails:
            raise DbtError("no space left")


@pytest.mark.long
def test_a_hand_that_was_played_is_listed_without_a_build_by_anybody(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng, looked = random.Random(3), Event()
    build = Builder._build

    async def build_later(builder: Builder) -> None:
        await asyncio.to_thread(looked.wait, WAIT)
        await build(builder)

    monkeypatch.setattr(Builder, "_build", build_later)
    with client_of(store, tmp_path / "play") as host:
        table = new_table(host, form_of("kaiser"))
        with socket_of(host, table) as socket:
            while not ((view := newest(socket))["over"] and view["over"]["hand_id"]):
                if view["choice"]:
                    act(socket, view, rng.choice(view["choice"]["actions"])["action"])
            hand_id = view["over"]["hand_id"]
        text = host.get("/hands").text
        assert "1 hand was stored since the last build and is not here yet." in text
        assert "A build is under way" in text
        looked.set()
        shown(host, "/hands", f"/hand/{hand_id}")
        assert "Ann" in host.get("/players").text
        for path in LISTS:
            assert "since the last build" not in host.get(path).text


def test_the_lists_say_how_many_hands_they_lack_and_a_button_builds(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    builds = Builds(monkeypatch)
    add(store, 3, 1)
    with client_of(store, tmp_path / "play") as host:
        texts = {path: host.get(f"{path}?game=kaiser").text for path in LISTS}
        for path, text in texts.items():
            assert "3 hands were stored since the last build and are not here yet." in text
            assert "Build now" in text
            [address] = re.findall(r'action="(/build\?back[^"]*)"', text)
            answer = host.post(address, headers=ORIGIN)
            assert (answer.status_code, answer.headers["location"]) == (303, f"{path}?game=kaiser")
        for elsewhere in ("http://example.org/", "//example.org/hands", "/hands/../sql"):
            answer = host.post("/build", params={"back": elsewhere}, headers=ORIGIN)
            assert answer.headers["location"] == "/"
        assert host.post("/build").status_code == 403
        time.sleep(0.3)
    assert builds.count >= 1


@pytest.mark.long
def test_a_button_has_hands_analysed(store: Store, tmp_path: Path) -> None:
    add(store, 2, 4)
    hand_id = next(store.read("events"))["hand_id"][0].as_py()
    with client_of(store, tmp_path / "play") as host:
        [address] = re.findall(r'action="(/build\?analyse[^"]*)"', host.get(f"/hand/{hand_id}").text)
        answer = host.post(html.unescape(address), headers=ORIGIN)
        assert (answer.status_code, answer.headers["location"]) == (303, f"/hand/{hand_id}")
        assert "are being analysed" in host.get("/charts?game=kaiser").text
        assert "Analyse now" not in shown(host, f"/hand/{hand_id}", "What the cards cost")
        assert host.post("/build?analyse=whist&back=/hand/..", headers=ORIGIN).headers["location"] == "/"


@pytest.mark.parametrize(
    ("hands", "asked", "builds"), [(0, False, 0), (2, False, 1), (3, False, 0), (3, True, 1)]
)
@on_loop
async def test_it_builds_by_itself_unless_there_is_much_to_do(
    store: Store, monkeypatch: pytest.MonkeyPatch, hands: int, asked: bool, builds: int
) -> None:
    done = Builds(monkeypatch)
    monkeypatch.setattr(recording, "MOST_HANDS", 2)
    if hands:
        add(store, hands, 2)
    builder = Builder(store)
    builder.start()
    (builder.ask if asked else builder.stored)()
    assert builder.is_coming
    await until(lambda: not builder.is_coming)
    await builder.stop()
    assert done.count == builds


@on_loop
async def test_hands_that_come_during_a_build_are_built_next_and_a_failure_is_told(
    store: Store, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    done = Builds(monkeypatch)
    done.fails = True
    monkeypatch.setattr(recording, "REST", 0.1)
    add(store, 1, 3)
    builder = Builder(store)
    builder.start()
    builder.stored()
    await until(lambda: done.count)
    builder.stored()
    await until(lambda: not builder.is_coming)
    await builder.stop()
    assert done.count == 2
    assert "the lists of the page are not up to date: no space left" in capsys.readouterr().err


@on_loop
async def test_the_end_of_the_server_ends_a_build(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """And removes what it leaves."""
    background = Background(recording.NICENESS)
    monkeypatch.setattr(recording, "Background", lambda niceness: background)
    monkeypatch.setattr(recording, "QUIET_SECONDS", 0.01)
    add(store, 1, 4)
    unfinished = Path(store.root, ".warehouse-999999999")
    builder = Builder(store)
    builder.start()
    builder.stored()
    await until(lambda: background._worker)
    worker = background._worker
    unfinished.mkdir()
    await builder.stop()
    assert worker._process.returncode == -signal.SIGKILL
    assert unbuilt_hands(store) == 1
    assert not unfinished.exists()
