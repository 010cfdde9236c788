"""What all tests share: long runs are left out unless asked for, and processes find the packages."""

import gc
import os
import signal
import sys
import typing
from multiprocessing.util import get_temp_dir
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))
# Beam's worker processes, and those the tests start, import the packages by name.
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))

# What a shell starts in the background ignores Ctrl-C, and so would all that the tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Each process of a parallel run has a core to itself.
os.environ.setdefault("CARDLOG_DBT_THREADS", "1")

# The rules are compiled before the tests are run, so loading them is quicker than small runs without.
os.environ.setdefault("NUMBA_DISABLE_JIT", "0")

# Where multiprocessing has its sockets, chosen once and for all: before a test names another folder for
# temporary files, whose path may be too long for a socket, or which is gone afterwards.
get_temp_dir()


def pytest_configure(config: pytest.Config) -> None:
    """Have a folder for what the processes of this run share, and let go of everything last of all."""
    from tests.support import shared

    config.add_cleanup(let_go)
    config.add_cleanup(shared.begin())


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out the folders of tests marked cluster or browser, which load what no other test needs."""
    wanted = config.option.markexpr or ""
    return (
        collection_path.parent == ROOT / "tests"
        and collection_path.name in {"cluster", "browser"} - {*wanted.split()}
    ) or None


def marks_of(item: pytest.Item) -> set[str]:
    """The names of a test's marks."""
    marks = {mark.name for mark in item.iter_markers()}
    return marks - {"long"} if "soak" in marks else marks


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests marked long, soak, cluster or browser, unless ``-m`` speaks of them. One that is
    marked long and soak is of the soak."""
    wanted = config.option.markexpr or ""
    left_out = [mark for mark in ("long", "soak", "cluster", "browser") if mark not in wanted]
    others = {item for item in items if any(mark in left_out for mark in marks_of(item))}
    if others:
        config.hook.pytest_deselected(items=[item for item in items if item in others])
        items[:] = [item for item in items if item not in others]


def pytest_collection_finish() -> None:
    """What is loaded by now stays: searches for garbage need not go through it each time."""
    gc.freeze()


def let_go() -> None:
    """Let go of what stays, or DuckDB's package says at the end what has leaked. Torch keeps `typing`, which
    keeps the overloads of pytest, and its caches keep types: in a worker of xdist they have all tests and
    fixtures. Hypothesis has the garbage collector call it, and so keeps what its module sees. This comes
    after all else that pytest does, which searches all that is there for garbage five times; and as a
    clean-up it comes also in a worker that took more than five seconds to end, and that execnet has
    interrupted for it."""
    gc.unfreeze()
    gc.callbacks.clear()
    typing.clear_overloads()
    for clear in vars(typing)["_cleanups"]:
        clear()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """The figures of long runs, one line each."""
    from tests.support.figures import reported

    if lines := reported():
        terminalreporter.section("figures")
        for line in lines:
            terminalreporter.write_line(line)
