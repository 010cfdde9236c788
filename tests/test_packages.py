"""A game comes as a package: examples/hearts, from its wheel, goes the whole way, and a store with its hands
stays usable without it; so does what `cardlog new-game` writes. `make newest` runs the tests of hearts."""

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

from cardlog.pipelines.terminal import new_game
from cardlog.schemas.errors import CardlogError

REPO = Path(__file__).parents[1]
HEARTS = REPO / "examples" / "hearts"
SAMPLE = HEARTS / "tests" / "games_sample.txt"
KAISER = REPO / "tests" / "fixtures" / "kaiser" / "playedhand_sample.csv"
PLAYED, LOGGED = 30, 8
Cardlog = Callable[..., str]


def installed(package: Path, folder: Path) -> Path:
    """A folder with a package as pip would install it."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=package, check=True, capture_output=True)
    [wheel] = folder.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(folder / "site")
    return folder / "site"


def runner(site: Path, folder: Path) -> Cardlog:
    """Runs a command in a folder, with a package or without; gives what it prints, or says if it fails."""

    def run(*arguments: str, package: bool = True, module: str = "cardlog", fails: bool = False) -> str:
        path = os.pathsep.join([str(REPO), *([str(site)] if package else [])])
        environment = os.environ | {"PYTHONPATH": path, "NO_COLOR": "1", "CARDLOG_STORE": "store"}
        command, said = [sys.executable, "-m", module, *arguments], subprocess.PIPE
        done = subprocess.run(command, cwd=folder, env=environment, stdout=said, stderr=said, text=True)
        assert (done.returncode != 0) == fails, (arguments, done.stdout, done.stderr)
        return done.stderr if fails else done.stdout

    return run


def rows(cardlog: Cardlog, sql: str, **options: Any) -> Any:
    return json.loads(cardlog("query", sql, "--output", "json", **options))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return installed(HEARTS, tmp_path_factory.mktemp("hearts"))


@pytest.fixture
def hearts(site: Path, tmp_path: Path) -> Cardlog:
    return runner(site, tmp_path)


@pytest.mark.long
def test_hearts_goes_the_whole_way(hearts: Cardlog, tmp_path: Path) -> None:
    origin = {row["game"]: row["from"] for row in json.loads(hearts("games", "--json"))}
    assert origin["hearts"] == "cardlog-hearts 0.1.0"
    assert origin["kaiser"] == "cardlog"
    hearts("simulate", "--game", "hearts", "--hands", f"{PLAYED}", "--players", "expert", "played.jsonl")
    hearts("ingest", str(SAMPLE), "played.jsonl")
    hearts("build")
    sql = "select dataset, sum(hands)::int as hands from hearts_players group by all"
    found = {row["dataset"]: row["hands"] for row in rows(hearts, sql)}
    assert found == {"cardlog-jsonl": 4 * PLAYED, "hearts-log": 4 * LOGGED}
    matches = SAMPLE.read_text(encoding="utf-8").split("match ")[1:]
    totals = [text.split("total ")[1].split()[1::2] for text in sorted(matches)]
    sql = "select winner_seat from matches where dataset = 'hearts-log' and is_over order by match_id"
    fewest = [min(range(4), key=lambda seat: int(total[seat])) for total in totals]
    assert [row["winner_seat"] for row in rows(hearts, sql)] == fewest
    drawn = hearts("show", "m0010/0")
    assert all(name in drawn for name in re.findall(r"[NESW]='(.*?)'", sorted(matches)[0]))
    hearts("verify")
    hearts("export", "--game", "hearts", "training")
    manifest = json.loads((tmp_path / "training" / "manifest.json").read_text())
    assert (manifest["game"], manifest["actions"]["play"][-1]) == ("hearts", "AS")


@pytest.mark.long
def test_hearts_is_played_on_the_page_run_by_beam_and_erased(hearts: Cardlog) -> None:
    processes = ("--", "--direct_num_workers=2", "--direct_running_mode=multi_processing")
    hearts("hearts", "table.jsonl", module="tests.support.played_at_table")
    hearts("ingest", "table.jsonl", str(SAMPLE), *processes)
    hearts("build", "--no-marts", *processes)
    seats = "select player_name, count(*)::int as hands from seats where game = 'hearts' group by all"
    hands = {row["player_name"]: row["hands"] for row in rows(hearts, seats)}
    assert hands["Ann"] == 1
    assert hands["Cy"] > 1
    assert sum(hands.values()) == 4 * (LOGGED + 1)
    assert "hearts has no solver; these have: " in hearts("analyse", "--game", "hearts", fails=True)
    hearts("forget", "--player", "Cy", "--yes")
    left = {row["player_name"]: row["hands"] for row in rows(hearts, seats)}
    assert "Cy" not in left
    assert sum(left.values()) == sum(hands.values())


@pytest.mark.long
def test_a_store_without_the_package_stays_usable(hearts: Cardlog, tmp_path: Path) -> None:
    hearts("simulate", "--game", "hearts", "--hands", f"{PLAYED}", "played.jsonl")
    hearts("ingest", str(SAMPLE), str(KAISER))
    hearts("build")
    hands = "select game, count(*)::int as hands from hands group by all order by 1"
    built = rows(hearts, hands)
    hearts("ingest", "played.jsonl")  # not built before the package is gone

    status = json.loads(hearts("status", "--json", package=False))
    assert status["missing"] == {"hearts": "cardlog-hearts"}
    assert "cardlog-hearts" in hearts("games", package=False)
    for command in (["rebuild"], ["compact"], ["analyse"], ["verify"]):
        hearts(*command, package=False)
        assert rows(hearts, hands, package=False) == built, command
    sql = "select count(*)::int as n from events where seq = 0 and game = 'hearts'"
    assert rows(hearts, sql) == [{"n": LOGGED + PLAYED}]
    hearts("build")
    kaiser = [row for row in built if row["game"] == "kaiser"]
    assert rows(hearts, hands) == [{"game": "hearts", "hands": LOGGED + PLAYED}, *kaiser]


OURS = ("kaiser", "core", "cardlog")
NO_NAMES = ("Whist", "two words", "../whist", "7up", "class", "", "wh-ist", "écarté")


@pytest.mark.parametrize(
    ("name", "folder", "why"),
    [
        *((name, "new", "a name is a word of small letters, digits and underscores") for name in NO_NAMES),
        *((name, "new", f"{name} is taken by cardlog; choose another") for name in OURS),
        *(("whist", folder, "is there already and not an empty folder") for folder in (".", "file")),
    ],
)
def test_what_can_not_be_written_is_refused(name: str, folder: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(CardlogError, match=why):
        new_game.write(name, tmp_path / folder)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_the_name_is_filled_in_everywhere(tmp_path: Path) -> None:
    files = new_game.write("dutch_whist", tmp_path)
    assert len(files) > 10
    for file in files:
        assert not re.search("my.?game", f"{file} {file.read_text('utf-8')}", re.IGNORECASE), file
    assert 'title="Dutch whist"' in (tmp_path / "cardlog_dutch_whist" / "__init__.py").read_text()
    assert 'name = "cardlog-dutch-whist"' in (tmp_path / "pyproject.toml").read_text()


@pytest.mark.long
def test_the_package_that_it_writes_passes_its_tests_and_goes_the_whole_way(tmp_path: Path) -> None:
    run = runner(tmp_path / "site", tmp_path)
    run("new-game", "dutch_whist", "whist")
    installed(tmp_path / "whist", tmp_path)
    run("-q", "-p", "no:cacheprovider", "whist/tests", module="pytest")
    run("simulate", "--game", "dutch_whist", "--hands", "30", "played.jsonl")
    run("ingest", "played.jsonl")
    run("build")
    sql = "select sum(hands)::int as hands, sum(hands * mean_points)::int as points from dutch_whist_players"
    assert rows(run, sql) == [{"hands": 4 * 30, "points": 13 * 30}]
