"""Fixtures built once per test run, by the first process that needs them."""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable
from contextlib import redirect_stdout
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

from cardlog.models.belote import state as belote_state
from cardlog.models.five_card_draw import FIVE_CARD_DRAW
from cardlog.models.pinochle import dialects as pinochle
from cardlog.pipelines import runs
from cardlog.pipelines.export.simulate import simulate
from cardlog.pipelines.sql.marts import build as build_marts
from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.terminal import app
from cardlog.pipelines.terminal.demo import run as run_demo
from tests.support.analysed import analyse_some
from tests.support.csv_rows import DUMP, EDGE, SAMPLE
from tests.support.pinochle_logs import sessions
from tests.support.ruter_sju_logs import hidden_game
from tests.support.stores import ingest

FIXTURES = Path(__file__).parents[1] / "fixtures"
FOLDER = "CARDLOG_TEST_SHARED"
"""Environment variable with the folder of the test run, shared by all its processes."""
GAME_LOGS = (
    "kaiser/playedhand_sample.csv",
    "belote/*_transcripts.txt.gz",
    "ruter_sju/*transcripts.txt.gz",
    "pinochle/*_transcripts.txt.gz",
    "five_card_draw/games_transcripts.txt.gz",
    "hold_em/*.phhs.gz",
    "hold_em/pokerstars_hands.txt",
)
"""All logs of all games, but only the sample of Kaiser, whose logs have no match names."""


def begin() -> Callable[[], None]:
    """Have a folder for this run; gives what removes it if it is this process that made it."""
    if FOLDER in os.environ:
        return lambda: None
    os.environ[FOLDER] = tempfile.mkdtemp(prefix="cardlog-tests-")
    return lambda: shutil.rmtree(os.environ.pop(FOLDER), ignore_errors=True)


def made_once(name: str, make: Callable[[Path], None]) -> Path:
    """A folder that is made by the first process to ask for it; the others wait."""
    folder = Path(os.environ[FOLDER]) / name
    done = folder.with_suffix(".done")
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            make(folder)
            done.touch()
    return folder


def _store(name: str, fill: Callable[[Store, Path], None], *, marts: bool) -> Store:
    def make(folder: Path) -> None:
        store = Store(str(folder / "store"))
        fill(store, folder)
        runs.build(store)
        if marts:
            build_marts(store)

    return Store(str(made_once(name, make) / "store"))


@cache
def whole_store() -> Store:
    """All 20,000 rows of Kaiser's dump, built, without marts."""
    return _store("whole", lambda store, _: _check(ingest(store, DUMP)), marts=False)


@cache
def edge_store() -> Store:
    """Kaiser's 80 damaged rows, built, without marts."""
    return _store("edge", lambda store, _: _check(ingest(store, EDGE)), marts=False)


@cache
def small_store() -> Store:
    """300 rows of Kaiser's and the 80 damaged ones, with marts."""
    return _store("small", lambda store, _: _check(ingest(store, SAMPLE, EDGE)), marts=True)


@cache
def logged_games() -> Store:
    """The logs of all games, some hands analysed, with marts; the build has run all data tests."""

    def fill(store: Store, _: Path) -> None:
        patterns = (*GAME_LOGS, "five_card_draw/pokerstars_sample.txt")
        ingest(store, *(path for pattern in patterns for path in sorted(FIXTURES.glob(pattern))))
        analyse_some(store, {"kaiser": 30, "belote": 4, "ruter_sju": 5})

    return _store("logged", fill, marts=True)


class Demo(NamedTuple):
    """The store that `cardlog demo` makes, with marts, and what it prints."""

    store: Store
    printed: str


@cache
def demo() -> Demo:
    def make(folder: Path) -> None:
        with (folder / "printed.txt").open("w", encoding="utf-8") as printed, redirect_stdout(printed):
            run_demo(folder / "store", partial(app.app, standalone_mode=False))

    folder = made_once("demo", make)
    return Demo(Store(str(folder / "store")), (folder / "printed.txt").read_text(encoding="utf-8"))


@cache
def played_games() -> Store:
    """Belote, Ruter Sju, Pinochle and five-card draw: all logs, some broken off, one of hidden hands, and
    hands that are simulated by the rules of every dialect; with marts."""
    return _store("played", _fill_played, marts=True)


def _odd(folder: Path) -> list[Path]:
    """A log with hidden cards of Ruter Sju, and one of Pinochle that breaks off in a trick."""
    (folder / "hidden.txt").write_bytes(hidden_game())
    text = sessions()[0].replace(b"SESSION J001", b"SESSION cut")
    (folder / "cut.txt").write_bytes(text[: text.index(b"trick #5")].rpartition(b"\n")[0])
    return [folder / "hidden.txt", folder / "cut.txt"]


def _fill_played(store: Store, folder: Path) -> None:
    belote = [*FIXTURES.glob("belote/*_transcripts.txt.gz"), *FIXTURES.glob("belote/edge/*_traceback.txt.gz")]
    ingest(
        store, *sorted(belote), *(FIXTURES / "ruter_sju" / f"{name}transcripts.txt.gz" for name in _RUTER_SJU)
    )
    hidden, cut = _odd(folder)
    ingest(store, hidden, FIXTURES / "five_card_draw" / "games_transcripts.txt.gz")
    ingest(store, *sorted(FIXTURES.glob("pinochle/*_transcripts.txt.gz")), cut, final=True)
    for game, hands, seed, rules in (
        ("belote", 400, 3, belote_state.RULES),
        ("pinochle", 60, 3, pinochle.RULES),
        ("five_card_draw", 150, 1, FIVE_CARD_DRAW.playing().rules),
    ):
        logs = [folder / f"{game}-{name}.jsonl" for name in rules]
        for name, log in zip(rules, logs, strict=True):
            simulate(game, hands, seed, str(log), rules=name)
        ingest(store, *logs, dataset="simulated")


_RUTER_SJU = ("", "variants_", "edge_human_")


def _check(result: runs.Ingested) -> None:
    assert result.sources
