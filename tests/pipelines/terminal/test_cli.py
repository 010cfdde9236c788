"""The command line: output, exit codes and error messages."""

import gc
import gzip
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from unittest.mock import Mock

import pytest
import typer
from deltalake import DeltaTable
from deltalake.exceptions import DeltaError

from cardlog.pipelines import readers
from cardlog.pipelines.hands import costs as analysis
from cardlog.pipelines.runtime import beam_runs
from cardlog.pipelines.sql import hand_lookup
from cardlog.pipelines.storage.journal import JournalFile, TableChange
from tests.support.commands import Cardlog, on_a_terminal
from tests.support.csv_rows import EDGE, SAMPLE
from tests.support.files import files_of
from tests.support.shared import demo, small_store

REPO = Path(__file__).parents[3]
HAND = "02ad14058eac6936cff7852dc5e73e6f"
LINES = SAMPLE.read_bytes().splitlines(keepends=True)


def log(folder: Path, *rows: int, name: str = "log.csv") -> Path:
    """A dump of some rows of the sample."""
    path = folder / name
    path.write_bytes(b"".join([LINES[0], *(LINES[row] for row in rows)]))
    return path


# ---------------------------------------------------------------- the way through


def test_the_whole_way_in_the_default_store(cardlog: Cardlog, tmp_path: Path) -> None:
    ran = cardlog("ingest", log(tmp_path, *range(1, 31)), EDGE)
    assert (ran.code, ran.out) == (0, "")
    assert "Read 110 hands from 2 files: 54 stored (16 of them broken off), 0 duplicates" in ran.err
    assert "Next: cardlog build" in ran.err
    assert (tmp_path / "store" / "events").is_dir()
    built = cardlog("build", "--no-marts", "--json")
    assert (built.code, built.err) == (0, "")
    found, again = (json.loads(text) for text in (built.out, cardlog("rebuild", "--no-marts", "--json").out))
    assert (found["rows"]["playedhand"], found["dbt_models"], again["rows"]) == (54, None, found["rows"])
    ran = cardlog("ingest", tmp_path / "log.csv")
    assert "log.csv: this content was ingested before" in ran.err
    assert "Nothing new to read." in ran.err
    status = json.loads(cardlog("status", "--json").out)
    assert (status["store"], status["marts"]) == (str(tmp_path / "store"), "not built")
    assert status["tables"]["playedhand"]["state"] == "up to date"
    hands = status["hands"]
    assert hands["hands_read"] == hands["hands_stored"] + hands["duplicates"] + hands["quarantined"] == 110
    *lines, end = cardlog("status", "--format", "openmetrics").out.splitlines()
    assert end == "# EOF"
    form = r'# (TYPE|HELP) cardlog_\w+ \S.*|cardlog_\w+(\{\w+="\w+"\})? \d+'
    assert [line for line in lines if not re.fullmatch(form, line)] == []
    samples = dict(line.removeprefix("cardlog_").split() for line in lines if line[0] != "#")
    assert samples.items() >= {
        'table_rows{table="playedhand"}': "54", 'table_up_to_date{table="playedhand"}': "1",
        'hands{what="quarantined"}': "56", 'quarantine_hands{state="waiting"}': "56", "marts_up_to_date": "0",
    }.items()  # fmt: skip


def test_a_store_in_the_environment_is_used_and_an_option_goes_first(
    cardlog: Cardlog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CARDLOG_STORE", str(tmp_path / "from here"))
    ran = cardlog("ingest", log(tmp_path, 1))
    assert (tmp_path / "from here" / "events").is_dir()
    assert not (tmp_path / "store").exists()
    assert f"cardlog build --store '{tmp_path}/from here'" in ran.err
    cardlog("ingest", "--store", tmp_path / "other", log(tmp_path, 1))
    assert json.loads(cardlog("status", "--json", "--store", tmp_path / "other").out)["sources"] == 1


@pytest.mark.long
def test_standard_input_is_read_and_standard_output_written(cardlog: Cardlog, tmp_path: Path) -> None:
    assert "2 stored" in cardlog("ingest", "-", stdin=log(tmp_path, 1, 2).read_bytes()).err
    cardlog("build", "--no-marts")
    ran = cardlog("export", "--game", "kaiser", "--format", "playedhand-csv", "-")
    assert ran == (0, (tmp_path / "log.csv").read_text(), "")
    ran = cardlog("simulate", "--game", "kaiser", "--hands", "3", "--format", "playedhand-csv", "-")
    assert (len(ran.out.splitlines()), ran.err) == (4, "")


# ---------------------------------------------------------------- looking


def test_show_draws_a_hand_or_prints_its_lines(cardlog: Cardlog) -> None:
    at = "--store", small_store().root
    ran = cardlog("show", HAND[:6], *at)
    assert (ran.err, f"Kaiser hand {HAND}" in ran.out) == ("", True)
    assert cardlog("show", HAND.upper(), *at).out == ran.out
    [line] = [line for line in LINES if line.startswith(b"100063,")]
    assert cardlog("show", HAND, "--raw", *at) == (0, line.decode(), "")


@pytest.mark.long
def test_forget_erases_what_is_named(cardlog: Cardlog, tmp_path: Path) -> None:
    cardlog("ingest", log(tmp_path, 1, 2, 3))
    cardlog("build", "--no-marts")
    refused = cardlog("forget")
    assert (refused.code, "one of --player, --hand, --dataset and --older-than" in refused.err) == (2, True)
    assert cardlog("forget", "--hand", "no such key").code == 2
    key = LINES[2].split(b",")[0].decode()
    dry = json.loads(cardlog("forget", "--hand", key, "--dry-run", "--json").out)
    assert (dry["erased"], dry["kind"], dry["hands"], dry["quarantined"]) == (False, "hand", 1, 0)
    refused = cardlog("forget", "--hand", key)
    assert refused.code == 2
    assert re.search(r"Kaiser hand [0-9a-f]{32} · no\. \d+ · .* UTC · human, ", refused.err)
    assert "there is no terminal to ask at: say --yes" in refused.err
    assert cardlog("show", key).code == 0
    assert "Removed 1 hands" in cardlog("forget", "--hand", key, "--yes").err
    assert cardlog("show", key).code == 2
    nothing = "There is nothing to erase: there is no player 'Anna'; no hand has any."
    assert nothing in cardlog("forget", "--player", "Anna").err
    journal = JournalFile(tmp_path / "tables")
    journal.write([TableChange("t", ['{"name":"Anna","seat":0}'])])
    journal.close()
    erase = ("forget", "--player", "Anna", "--play", str(tmp_path / "tables"))
    for options, said in (
        ((), "there is no terminal to ask at: say --yes"),
        (("--dry-run",), "Would change 1 tables, and files of hands, of 'cardlog serve'."),
        (("--yes",), "Changed 1 tables"),
        (("--yes", "--play", "nowhere"), "nowhere has no journal of tables."),
    ):
        assert said in cardlog(*erase, *options).err
    assert "erased since, in 1 erasures: 1 hands, 0 in quarantine" in cardlog("status").out
    assert cardlog("verify").code == 0


# ---------------------------------------------------------------- wrong use


@pytest.mark.long
@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("nonsense", "No such command 'nonsense'"),
        ("ingest", "Missing argument 'PATH…'"),
        ("ingest nowhere.csv", "nowhere.csv: there is no such file"),
        ("ingest odd.txt --stroe x", "cardlog ingest --help' for help. Error No such option: --stroe"),
        ("ingest empty", "empty: there is no log in the folder"),
        ("ingest odd.txt", f"odd.txt: no known format; name one with --format: {', '.join(readers.FORMATS)}"),
        ("ingest cut.csv.gz", "cut.csv.gz: can't be read"),
        ("ingest log.csv --store /dev/null/x", "no store can be made at /dev/null/x"),
        ("ingest log.csv --store gopher://x", "gopher"),
        ("build", "there is no store at"),
        ("status --store nowhere", "nowhere; 'cardlog ingest' makes one, --store names another"),
        ("query --store SMALL 'select 1' --output xml", "'xml' is not one of 'table', 'line', 'csv'"),
        ("query --store SMALL 'select 1' --output parquet", "--output parquet needs --file OUT"),
        ("query --store SMALL 'select 1' --file odd.txt", "odd.txt exists already; nothing was overwritten"),
        ("simulate --game kaiser --hands 0 x", "Invalid value for '--hands'"),
        (f"simulate --game kaiser --hands {2**31} x", "Invalid value for '--hands'"),
        (f"play-off kaiser random random --hands {10**7 + 1}", "Invalid value for '--hands'"),
        (f"ladder --game kaiser --deals {10**7 + 1}", "Invalid value for '--deals'"),
        ("simulate --game kaiser --hands 1 --players \udcff x", "'--players': it is not valid UTF-8"),
        ("simulate --game kaiser --hands 1 --rules '' x", "Invalid value for '--rules': it is empty"),
        ("ingest log.csv --pseudonymise ''", "Invalid value for '--pseudonymise': it is empty"),
        ("report \udcff --store SMALL", "Invalid value for 'PLAYER': it is not valid UTF-8"),
        ("ingest \udcff", r"cardlog: \xff: there is no such file"),
        ("play-off kaiser search-1000001 random", "N of search-N is from 1 to 1,000,000"),
        ("play-off kaiser ..x:y random", "no policy '..x:y'"),
        ("serve --store SMALL --play log.csv", "--play log.csv: tables can't be kept there"),
        ("rebuild --store SMALL -- --direct_num_workers=-1", "--direct_num_workers -1: give a number from 1"),
        (f"quarantine list --limit {2**63} --store SMALL", "Invalid value for '--limit'"),
        ("quarantine show db7 --store SMALL", "an id that begins with 'db7', of which 4 digits are needed"),
        ("quarantine retry --runner flink --flink-master 'a\nb' --store SMALL", "no Flink cluster at a b: "),
        (f"analyse --known {10**7 + 1} --store SMALL", "Invalid value for '--known'"),
        (f"odds AA KK --samples {2**31}", "Invalid value for '--samples'"),
        (f"odds AA KK --seed {2**63}", "Invalid value for '--seed'"),
        ("demo --store full", "full is not empty and was not made by the demo; name another with --store"),
    ],
)  # fmt: skip
def test_wrong_use_exits_with_2_and_says_what_helps(
    line: str, says: str, cardlog: Cardlog, tmp_path: Path
) -> None:
    (tmp_path / "odd.txt").write_text("nothing anybody knows\n")
    (tmp_path / "cut.csv.gz").write_bytes(gzip.compress(SAMPLE.read_bytes())[:-9])
    (tmp_path / "empty").mkdir()
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.txt").touch()
    log(tmp_path, 1)
    before = files_of(tmp_path)
    ran = cardlog(*shlex.split(line.replace("SMALL", small_store().root)))
    assert (ran.code, ran.out, "Traceback" in ran.err) == (2, "", False)
    assert says in ran.err
    assert files_of(tmp_path) == before


def test_of_a_wrong_value_no_error_is_left(cardlog: Cardlog, tmp_path: Path) -> None:
    """With it all tests would be left, and DuckDB's package would print what has leaked."""
    assert "not one of" in cardlog("query", "--store", tmp_path, "select 1", "--output", "xml").err
    gc.collect()
    assert typer.BadParameter not in map(type, gc.get_objects())


def test_a_full_disk_is_named_with_what_to_do(cardlog: Cardlog, monkeypatch: pytest.MonkeyPatch) -> None:
    """The library that makes tables says it in the last line of its error."""
    why = "No space left on device (os error 28)"
    full = Mock(side_effect=DeltaError(f"Generic LocalFileSystem error\n  ↳ Unable to copy\n  ↳ {why}\n"))
    monkeypatch.setattr(DeltaTable, "create", full)
    log(Path(), 1)
    ran = cardlog("ingest", "log.csv", "--store", "s")
    assert ran.code == 2
    assert re.search(
        rf"{re.escape(why)}; there are [\d,]+ MB at \S*/s \(the store\), .* run it again", ran.err
    )


def test_no_arguments_show_the_help(cardlog: Cardlog) -> None:
    for line, code in (([], 2), (["--help"], 0)):
        ran = cardlog(*line)
        assert ran.code == code
        for name in ("Usage", "ingest", "rebuild", "quarantine", "Apache Beam go after --"):
            assert name in ran.out + ran.err


def test_what_is_passed_over_is_said_and_strict_minds_it(cardlog: Cardlog, tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    log(tmp_path, 1, 2).rename(folder / "a.csv")
    (folder / "README").write_text("These are logs.\n")
    (folder / "a.csv.1").touch()
    skipped = {"README": "it is of no known format", "a.csv.1": "there is nothing in it"}
    ran = cardlog("ingest", folder)
    assert (ran.code, "2 stored" in ran.err) == (0, True)
    assert all(f"skipped {folder}/{name}: {why}" in ran.err for name, why in skipped.items())
    ran = cardlog("ingest", "--strict", "--json", folder)
    assert ran.code == 1
    found = {Path(one["path"]).name: one["reason"] for one in json.loads(ran.out)["skipped"]}
    assert found == skipped | {"a.csv": "this content was ingested before"}


# ---------------------------------------------------------------- a machine that fails, and runs by Beam


HOLDER = """
import sys, time, duckdb
connection = duckdb.connect(sys.argv[1])
print("open", flush=True)
time.sleep(600)
"""


@pytest.mark.long
def test_marts_that_another_program_writes_and_damage_are_reported(cardlog: Cardlog, tmp_path: Path) -> None:
    """Without marts the tables can be asked; as long as another program writes, nothing is damaged."""
    cardlog("ingest", log(tmp_path, 1))
    store = tmp_path / "store"
    marts = store / "warehouse.duckdb"
    with subprocess.Popen([sys.executable, "-c", HOLDER, str(marts)], stdout=subprocess.PIPE) as holder:
        assert holder.stdout.readline() == b"open\n"
        ran = cardlog("query", "from hands")
        holder.kill()
    assert (ran.code, "rebuild" in ran.err) == (2, False)
    assert "warehouse.duckdb is open for writing in another program" in ran.err
    marts.write_bytes(b"no database")
    ran = cardlog("query", "from hands")
    assert ran.code == 2
    assert "warehouse.duckdb can't be read; 'cardlog rebuild' recreates it" in ran.err
    assert cardlog("query", "select count(*) as n from events", "--output", "csv").code == 0
    for path in (store / "events").rglob("*.parquet"):
        path.write_bytes(b"PAR1 this is none PAR1")
    for line in (["query", "from events"], ["show", "0000"], ["rebuild", "--no-marts"]):
        ran = cardlog(*line)
        assert (ran.code, "arquet" in ran.err) == (2, True)
    (store / "events" / "_delta_log" / "00000000000000000001.json").write_text("{")
    assert cardlog("status").code == 2


@pytest.mark.long
def test_what_follows_two_dashes_goes_to_beam(
    cardlog: Cardlog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[list[str]] = []
    options = beam_runs.options
    monkeypatch.setattr(beam_runs, "options", lambda words: given.append([*words]) or options(words))
    beam = ["--direct_num_workers=2", "--direct_running_mode=multi_threading"]
    for line in (["ingest", log(tmp_path, 1, 2)], ["build", "--no-marts"], ["rebuild", "--no-marts"]):
        assert cardlog(*line, "--", *beam).code == 0
    assert given == [beam] * 3


# ---------------------------------------------------------------- the terminal, the demo, odds

COLOUR = re.compile(r"\x1b\[(?:\d+;)*3\d(?:;\d+)*m")
ESCAPE = "\x1b["


def test_colours_are_for_terminals(cardlog: Cardlog, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [["show", HAND, "--store", small_store().root], ["status", "--store", "nowhere"]]
    for line in lines:
        ran = cardlog(*line)
        assert ESCAPE not in ran.out + ran.err
    assert COLOUR.search(on_a_terminal(monkeypatch, *lines[0])[0])
    assert COLOUR.search(on_a_terminal(monkeypatch, *lines[1])[1])
    for line in lines:
        assert not COLOUR.search("".join(on_a_terminal(monkeypatch, *line, NO_COLOR="1")))


@pytest.mark.long
def test_a_terminal_is_shown_a_hundred_rows_and_a_note(
    cardlog: Cardlog, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = ["query", "select seq from events", "--store", small_store().root]
    assert len(cardlog(*line).out.splitlines()) == 13_189
    out, err = on_a_terminal(monkeypatch, *line)
    assert len(out.splitlines()) == 101
    assert "… and more; these are the first 100." in err


def test_a_reader_that_stops_reading_is_no_error() -> None:
    python, store = shlex.quote(sys.executable), shlex.quote(small_store().root)
    pipe = f"{python} -m cardlog query 'from events' --output csv --store {store} | head -c 1"
    command = ["bash", "-o", "pipefail", "-c", pipe]
    found = subprocess.run(command, capture_output=True, text=True, cwd=REPO, check=False)
    assert (found.returncode, found.stderr, len(found.stdout)) == (0, "", 1)


@pytest.mark.long
def test_the_demo_goes_the_whole_way(cardlog: Cardlog) -> None:
    store, printed = demo()
    titles = re.findall(r"^(\w+) · ", printed, re.MULTILINE)
    assert titles == ["Ingest", "Build", "Query", "Query", "Query", *["Show"] * 5, "Analyse"]
    assert re.search(r"playedhand\.csv\.gz +20000 +20000 +0 +0 +0", printed)
    assert re.search(r"playedhand_edge\.csv +80 +24 +16 +0 +56", printed)
    assert "12 no trump" in printed
    [analysed] = re.findall(r"cardlog show (\w+) --analyse --store", printed)
    worst = max(each.cost for each in analysis.costs(hand_lookup.find(store, analysed)))
    sentence = r"cost (\d+) points: it leads to ([-+]\d+) .* to ([-+]\d+)\. By"
    [said] = re.findall(sentence, " ".join(printed.split()))
    assert worst == int(said[0]) == int(said[2]) - int(said[1]) > 0
    [shown] = re.findall(r"cardlog show (\w+) --store", printed)
    assert "Five-card draw hand" in cardlog("show", shown, "--store", store.root).out
    games = re.findall(r"^(\w.*) hand [0-9a-f]{32}", printed, re.MULTILINE)
    assert sorted(games) == ["Belote", "Five-card draw", "Kaiser", "Pinochle", "Ruter Sju"]
    assert (Path(store.root) / ".made-by-cardlog-demo").exists()


def test_odds_as_json_say_how_they_were_found(cardlog: Cardlog) -> None:
    """The tables are in docs/cli.md."""
    line = ("odds", "AA", "random", "KK", "--samples", "2000", "--seed", "3", "--json")
    found = json.loads(cardlog(*line).out)
    assert (found["exact"], found["deals"], found["board"]) == (False, 2000, "")
    assert all(0 < player["error"] < 0.02 for player in found["players"])
