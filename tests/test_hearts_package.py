"""A game comes as a package: examples/hearts, from its wheel, goes the whole way, and a store with its hands
stays usable without it."""

import json
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

REPO = Path(__file__).parents[1]
HEARTS = REPO / "examples" / "hearts"
SAMPLE = HEARTS / "tests" / "games_sample.txt"
KAISER = REPO / "tests" / "fixtures" / "kaiser" / "playedhand_sample.csv"
PLAYED, LOGGED = 30, 8

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package as pip would install it."""
    folder = tmp_path_factory.mktemp("hearts")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=HEARTS, check=True, capture_output=True)
    [wheel] = folder.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(folder / "site")
    return folder / "site"


@pytest.fixture
def cardlog(installed: Path, tmp_path: Path) -> Callable[..., str]:
    """Runs a command in a folder, with the package or without; gives what it prints, or says if it fails."""

    def run(*arguments: str, package: bool = True, module: str = "cardlog", fails: bool = False) -> str:
        path = os.pathsep.join([str(REPO), *([str(installed)] if package else [])])
        environment = os.environ | {"PYTHONPATH": path, "NO_COLOR": "1", "CARDLOG_STORE": "store"}
        command = [sys.executable, "-m", module, *arguments]
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert (done.returncode != 0) == fails, (arguments, done.stdout, done.stderr)
        return done.stderr if fails else done.stdout

    return run


def rows(cardlog: Callable[..., str], sql: str, **options: Any) -> Any:
    return json.loads(cardlog("query", sql, "--output", "json", **options))


def test_its_own_tests_pass(cardlog: Callable[..., str]) -> None:
    cardlog("-q", "-p", "no:cacheprovider", str(HEARTS / "tests"), module="pytest")


def test_the_whole_way(cardlog: Callable[..., str], tmp_path: Path) -> None:
    origin = {row["game"]: row["from"] for row in json.loads(cardlog("games", "--json"))}
    assert origin["hearts"] == "cardlog-hearts 0.1.0"
    assert origin["kaiser"] == "cardlog"
    cardlog("demo", "--store", "demo")  # of the games that come with cardlog
    cardlog("simulate", "--game", "hearts", "--hands", f"{PLAYED}", "--players", "expert", "played.jsonl")
    cardlog("ingest", str(SAMPLE), "played.jsonl")
    cardlog("build")
    found = rows(
        cardlog, "select dataset, sum(hands)::int as hands from hearts_players group by all order by 1"
    )
    assert found == [
        {"dataset": "cardlog-jsonl", "hands": 4 * PLAYED},
        {"dataset": "hearts-log", "hands": 4 * LOGGED},
    ]
    matches = SAMPLE.read_text(encoding="utf-8").split("match ")[1:]
    totals = [text.split("total ")[1].split()[1::2] for text in sorted(matches)]
    sql = "select winner_seat from matches where dataset = 'hearts-log' and is_over order by match_id"
    fewest = [min(range(4), key=lambda seat: int(total[seat])) for total in totals]
    assert [row["winner_seat"] for row in rows(cardlog, sql)] == fewest
    drawn = cardlog("show", "m0010/0")
    assert all(name in drawn for name in re.findall(r"[NESW]='(.*?)'", sorted(matches)[0]))
    cardlog("verify")
    cardlog("export", "--game", "hearts", "training")
    assert json.loads((tmp_path / "training" / "manifest.json").read_text())["game"] == "hearts"


def test_it_is_played_on_the_page_run_by_beam_and_erased(cardlog: Callable[..., str]) -> None:
    processes = ("--", "--direct_num_workers=2", "--direct_running_mode=multi_processing")
    cardlog("hearts", "table.jsonl", module="tests.support.played_at_table")
    cardlog("ingest", "table.jsonl", str(SAMPLE), *processes)
    cardlog("build", *processes)
    seats = "select player_name, count(*)::int as hands from seats where game = 'hearts' group by all"
    hands = {row["player_name"]: row["hands"] for row in rows(cardlog, seats)}
    assert hands["Ann"] == 1
    assert hands["Cy"] > 1
    assert sum(hands.values()) == 4 * (LOGGED + 1)
    assert "hearts has no solver; these have: " in cardlog("analyse", "--game", "hearts", fails=True)
    cardlog("forget", "--player", "Cy", "--yes")
    left = {row["player_name"]: row["hands"] for row in rows(cardlog, seats)}
    assert "Cy" not in left
    assert sum(left.values()) == sum(hands.values())
    cardlog("verify")


def test_a_store_without_the_package_stays_usable(cardlog: Callable[..., str], tmp_path: Path) -> None:
    cardlog("simulate", "--game", "hearts", "--hands", f"{PLAYED}", "played.jsonl")
    cardlog("ingest", str(SAMPLE), str(KAISER))
    cardlog("build")
    hands = "select game, count(*)::int as hands from hands group by all order by 1"
    built = rows(cardlog, hands)
    cardlog("ingest", "played.jsonl")  # not built before the package is gone

    status = json.loads(cardlog("status", "--json", package=False))
    assert status["missing"] == {"hearts": "cardlog-hearts"}
    assert "cardlog-hearts" in cardlog("games", package=False)
    for command in (["build"], ["rebuild"], ["verify"], ["compact"], ["analyse"], ["build"], ["verify"]):
        cardlog(*command, package=False)
        assert rows(cardlog, hands, package=False) == built, command
    assert rows(cardlog, "select count(*)::int as n from events where seq = 0 and game = 'hearts'") == [
        {"n": LOGGED + PLAYED}
    ]
    cardlog("build")
    kaiser = [row for row in built if row["game"] == "kaiser"]
    assert rows(cardlog, hands) == [{"game": "hearts", "hands": LOGGED + PLAYED}, *kaiser]
    cardlog("verify")
