"""What all tests share: long runs are left out unless asked for, and processes find the packages."""

import os
import sys
from multiprocessing.util import get_temp_dir
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))
# Beam's worker processes, and those the tests start, import the packages by name.
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))

SLOWEST = (
    "test_sixth_game", "test_increments", "test_docs", "test_shell", "test_held_back",
    "test_compact", "test_dbt", "test_runners", "test_datasets", "test_pinochle_tables",
    "test_kill", "test_forget", "test_crash", "test_crash_matrix", "test_hostile_text",
    "test_pages", "test_compiled", "test_all_games", "test_warehouse", "test_query_writes",
    "test_training", "test_ruter_sju_marts", "test_plays_and_seats", "test_examples",
)  # fmt: skip
"""Modules of tests that take longest, of several hundred."""

# Each process of a parallel run has a core to itself.
os.environ.setdefault("CARDLOG_DBT_THREADS", "1")

# Where multiprocessing has its sockets, chosen once and for all: before a test names another folder for
# temporary files, whose path may be too long for a socket, or which is gone afterwards.
get_temp_dir()


def pytest_configure(config: pytest.Config) -> None:
    """Have a folder for what the processes of this run share."""
    from tests.support import shared

    config.add_cleanup(shared.begin())


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests marked soak, cluster or browser, unless ``-m`` speaks of them.

    Modules that take long come first, so that a parallel run does not end with one of them alone.
    """
    left_out = [mark for mark in ("soak", "cluster", "browser") if mark not in (config.option.markexpr or "")]
    others = {item for item in items if any(map(item.get_closest_marker, left_out))}
    if others:
        config.hook.pytest_deselected(items=[item for item in items if item in others])
        items[:] = [item for item in items if item not in others]
    items.sort(key=lambda item: SLOWEST.index(item.path.stem) if item.path.stem in SLOWEST else len(SLOWEST))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """The figures of long runs, one line each."""
    from tests.support.figures import reported

    if lines := reported():
        terminalreporter.section("figures")
        for line in lines:
            terminalreporter.write_line(line)
