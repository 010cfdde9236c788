"""`cardlog new-game`: the package that it writes passes its tests and goes the whole way."""

import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from cardlog.pipelines.terminal import new_game
from cardlog.schemas.errors import CardlogError

REPO = Path(__file__).parents[1]


@pytest.mark.parametrize("name", ["Whist", "two words", "../whist", "7up", "class", "", "wh-ist", "écarté"])
def test_a_name_is_a_word_of_small_letters(name: str, tmp_path: Path) -> None:
    with pytest.raises(CardlogError, match="a name is a word of small letters, digits and underscores"):
        new_game.write(name, tmp_path / "new")
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("name", ["kaiser", "core", "cardlog"])
def test_a_name_that_is_taken_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(CardlogError, match=f"the name {name} is taken by cardlog; choose another one"):
        new_game.write(name, tmp_path / "new")


def test_nothing_is_written_into_a_folder_with_files_or_over_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    for taken in (tmp_path, tmp_path / "file"):
        with pytest.raises(CardlogError, match="is there already and not an empty folder"):
            new_game.write("whist", taken)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_the_name_is_filled_in_everywhere(tmp_path: Path) -> None:
    files = new_game.write("dutch_whist", tmp_path)
    assert len(files) > 10
    for file in files:
        assert not re.search("my.?game", f"{file} {file.read_text('utf-8')}", re.IGNORECASE), file
    assert 'title="Dutch whist"' in (tmp_path / "cardlog_dutch_whist" / "__init__.py").read_text()
    assert 'name = "cardlog-dutch-whist"' in (tmp_path / "pyproject.toml").read_text()


@pytest.mark.long
def test_the_package_passes_its_tests_and_goes_the_whole_way(tmp_path: Path) -> None:
    path = os.pathsep.join([str(REPO), str(tmp_path / "site")])
    environment = os.environ | {"PYTHONPATH": path, "NO_COLOR": "1", "CARDLOG_STORE": "store"}

    def run(*arguments: str, cwd: Path = tmp_path) -> str:
        command = [sys.executable, "-m", *arguments]
        done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, (command, done.stdout, done.stderr)
        return done.stdout

    def ask(sql: str) -> list[dict[str, object]]:
        return list(json.loads(run("cardlog", "query", sql, "--output", "json")))

    run("cardlog", "new-game", "dutch_whist", "whist")
    run("hatchling", "build", "-t", "wheel", "-d", str(tmp_path), cwd=tmp_path / "whist")
    [wheel] = tmp_path.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(tmp_path / "site")
    run("pytest", "-q", "-p", "no:cacheprovider", "whist/tests")
    run("cardlog", "simulate", "--game", "dutch_whist", "--hands", "30", "played.jsonl")
    run("cardlog", "ingest", "played.jsonl")
    run("cardlog", "build")
    sql = "select sum(hands)::int as hands, sum(hands * mean_points)::int as points from dutch_whist_players"
    assert ask(sql) == [{"hands": 4 * 30, "points": 13 * 30}]
    [hand] = ask("select hand_id from hands limit 1")
    assert "Dutch whist" in run("cardlog", "show", str(hand["hand_id"]))
    run("cardlog", "verify")
