"""Untrusted text in every command: terminal output has no control characters, and data is unchanged."""

import csv
import io
import json
import os
import pty
import re
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import duckdb
import pytest

from cardlog.pipelines import runs
from cardlog.pipelines.export import simulate
from cardlog.pipelines.hands import drawing as draw
from cardlog.pipelines.ingest.reading import Reading
from cardlog.pipelines.sql import hand_lookup, process
from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.terminal.console import fail
from cardlog.pipelines.text.screen import SafeConsole
from cardlog.pipelines.text.visible import json_text, one_line, visible
from tests.support.forked import Streams, python

GAMES = ("kaiser", "belote", "ruter_sju", "pinochle", "five_card_draw")

HOSTILE = (
    "a\x1b[31mred\x1b[0m\x1b]0;title\x07",  # colours, a window's title
    "b\x9b2J\x9d52;c;aGk=\x9c\x85",  # C1
    "c\u202egnp.exe\u202c\u2066x\u2069\u200e\u200f\u061c",  # bidi
    "d\u200b\u200d\ufeff\u2060\xad\u2028e\u2029f\U000e0041",  # of no width, separators
    "e\rovertyped\b\x7f\x00\x0b",
    "f\ncardlog: all is well\n\t[bold]x[/] [/] \\",
)
RAW = HOSTILE[0] + HOSTILE[1] + HOSTILE[2] + "\r\x7f"
FILE = "log\x1b[8m\u202e\nname\x9b.jsonl"

OURS = re.compile(r"\x1b\[[0-9;]*m|\x1b\[\?25[lh]|\x1b\[\d?[AK]|\r(?=\n|\x1b\[)")
"""What rich writes: colours, the cursor shown and hidden, a bar drawn again."""


def unsafe_in(text: str) -> list[str]:
    """The characters of Unicode's categories of controls, formats, surrogates and separators."""
    kinds = ("Cc", "Cf", "Cs", "Zl", "Zp")
    return sorted({char for char in text if unicodedata.category(char) in kinds} - {*"\n\t"})


# ---------------------------------------------------------------- the escape itself


@pytest.mark.parametrize("show", [visible, one_line])
def test_all_that_can_not_be_seen_is_escaped(show: type[str]) -> None:
    everything = "".join(map(chr, range(0x110000)))
    assert unsafe_in(show(everything)) == []
    seen = "".join(char for char in everything if unicodedata.category(char)[0] in "LNPS" and char.isalnum())
    hangul_fillers = {"\u115f", "\u1160", "\u3164", "\uffa0"}
    assert show(seen) == "".join(one_line(c) if c in hangul_fillers else c for c in seen)


def test_escapes_are_those_of_programmers() -> None:
    assert (
        one_line("\x1b\x85\u202e\U000e0041\ud800\r\n\tü漢")
        == r"\x1b\x85\u202e\U000e0041\ud800\r\n" + r"\tü漢"
    )
    assert visible("a\r\n\tb\x00") == "a\\r\n\tb\\x00"


def test_json_says_the_same_without_them() -> None:
    unsafe = unsafe_in("".join(map(chr, range(0x110000))))
    value = {"".join(HOSTILE): [" ".join(unsafe)], "\ud800": "\ufffd \U000e0041 \n"}
    for indent in (None, 2):
        text = json_text(value, indent)
        assert unsafe_in(text) == []
        assert json.loads(text) == value


def test_what_an_error_quotes_is_no_message_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        fail("no file x\x1b[31m\ncardlog: all is well")
    assert capsys.readouterr().err == "cardlog: no file x\\x1b[31m\n  cardlog: all is well\n"


# ---------------------------------------------------------------- a store full of it


def hostile_log(folder: Path, game: str) -> Path:
    """Two hands of a game whose players have hostile names, and other lines."""
    plain = folder / f"{game}.jsonl"
    simulate.simulate(game, 2, 0, str(plain))
    lines = []
    for line in plain.read_text().splitlines():
        event = json.loads(line)
        event["match_id"] = RAW + event["match_id"]
        number = 0
        if event["action"] == "open":
            for number, player in enumerate(event["detail"]["players"]):
                player["name"] = HOSTILE[number % len(HOSTILE)]
        lines.append(json.dumps(event, ensure_ascii=number % 2 == 0))
    broken = {**json.loads(lines[0]), "hand_id": "f" * 32, "detail": {"players": [RAW], "dealer": RAW}}
    lines += [json.dumps(broken, ensure_ascii=False), f'{{"game": "{RAW}"}}', RAW]
    path = folder / f"{game}-{FILE}"
    path.write_bytes("\n".join(lines).encode() + b"\n")
    return path


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Store:
    folder = tmp_path_factory.mktemp("hostile")
    store = Store(str(folder / "store"))
    logs = [str(hostile_log(folder, game)) for game in GAMES]
    result = runs.ingest(store, logs, Reading(format="cardlog-jsonl"))
    assert result.counts.hands_stored == 2 * len(GAMES)
    assert result.counts.quarantined >= 3 * len(GAMES)
    runs.build(store)
    return store


def ids(store: Store) -> list[str]:
    found = process.ask(store, "select hand_id from events where seq = 0 order by game").fetchall()
    return [hand_id for (hand_id,) in found]


def lines_for(store: Store) -> list[list[str]]:
    """Every command, with the options that show most."""
    (entry,) = process.ask(
        store, "select quarantine_id from quarantine where raw like '%window%' or raw like '%title%' limit 1"
    ).fetchall()
    [log, *_] = [str(path) for path in Path(store.root).parent.glob(f"{GAMES[0]}-*")]
    sql = "select * from quarantine order by all"
    nowhere = str(Path(store.root).parent / FILE)
    found = [
        ["ingest", log, "--format", "cardlog-jsonl"],  # which is known: skipped
        ["ingest", log, "--format", "cardlog-jsonl", "--json"],
        ["ingest", nowhere],
        ["ingest", "--format", RAW, nowhere],
        ["ingest", "--dataset", RAW, log, "--format", "xml"],
        ["ingest", log, "--", f"--direct_num_workers={RAW}"],
        ["build", "--no-marts"],
        ["build", "--no-marts", "--json"],
        ["status"],
        ["query", sql],
        ["query", "select detail, 1 as n from events where seq = 0"],
        ["query", f"select '{RAW}' as \"{RAW}\""],
        ["query", f"explain select '{RAW}'"],
        ["query", f"select from \"{RAW}\""],
        ["query", f"select error('{RAW}')"],
        ["query", "select 1", "--file", nowhere + "/x"],
        ["query", "select 1", "--output", RAW],
        ["query", sql, "--output", "line"],
        ["query", sql + " limit 1"],
        ["query", f"select '{RAW}' as \"{RAW}\"", "--output", "line"],
        ["query", f"pivot (select '{RAW}' as a) on a using count(*)"],
        ["query", f"pivot (select 1 as a) on error('{RAW}') using count(*)"],
        ["show", RAW],
        ["quarantine", "list", "--limit", "100"],
        ["quarantine", "list", "--json"],
        ["quarantine", "list", "--reason", RAW],
        ["quarantine", "show", entry[0]],
        ["quarantine", "show", entry[0], "--json"],
        ["quarantine", "show", RAW],
        ["quarantine", "retry"],
        ["export", "--game", RAW, "--format", "parquet", nowhere],
        ["export", "--game", "kaiser", "--format", "playedhand-csv", nowhere + "/x"],
        ["export", "--game", "kaiser", "--format", "parquet", "--player", RAW, nowhere],
        ["export", "--game", "kaiser", "--format", "parquet", "--where", RAW, nowhere],
        ["simulate", "--game", "kaiser", "--hands", "1", nowhere + "/x"],
        ["simulate", "--game", RAW, "--hands", "1", "x"],
        ["simulate", "--game", "kaiser", "--hands", RAW, "x"],
        ["vacuum", "--dry-run", "--older-than", RAW],
        [RAW],
        ["query", f"--{RAW}"],
        ["demo", RAW],
    ]  # fmt: skip
    found += [["show", hand_id, *raw] for hand_id in ids(store) for raw in ([], ["--raw"])]
    return [[*line, "--store", store.root] if line[0] not in ("simulate", RAW) else line for line in found]


PROGRAM = """
import json, sys
from cardlog.pipelines.terminal import cli
for line in json.loads(sys.argv[1]):
    try:
        cli.main(line)
    except SystemExit as end:
        sys.stdout.flush()
        print("--- exit", end.code, file=sys.stderr, flush=True)
"""
"""Runs many command lines in one process."""


ENVIRONMENT = {"TERM": "xterm-256color", "COLUMNS": "100"}


def on_a_pipe(lines: list[list[str]], folder: Path, **more: str) -> tuple[str, str]:
    done = python(PROGRAM, json.dumps(lines), cwd=folder, **ENVIRONMENT, **more)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode("utf-8"), done.stderr.decode("utf-8")


def on_a_terminal(lines: list[list[str]], folder: Path) -> str:
    """The combined stdout and stderr of a terminal."""
    controller, tty = pty.openpty()
    name = os.ttyname(tty)

    def run() -> int:
        try:
            streams = Streams(stdout=name, stderr=name)
            return python(PROGRAM, json.dumps(lines), cwd=folder, streams=streams, **ENVIRONMENT).returncode
        finally:
            os.close(tty)

    found = b""
    with ThreadPoolExecutor() as pool:
        code = pool.submit(run)
        try:
            while more := os.read(controller, 65536):
                found += more
        except OSError:
            pass  # as Linux says that the other end is closed
        assert code.result() == 0
    os.close(controller)
    return found.decode("utf-8")


@pytest.mark.long
def test_no_command_gives_a_pipe_what_a_terminal_would_obey(hostile: Store, tmp_path: Path) -> None:
    lines = lines_for(hostile)
    out, err = on_a_pipe(lines, tmp_path)
    assert unsafe_in(out + err) == []
    assert "Traceback" not in err
    codes = [int(code) for code in re.findall(r"^--- exit (\d+)$", err, re.MULTILINE)]
    assert len(codes) == len(lines)
    assert set(codes) == {0, 2}
    # It is there to be seen, and no line of it begins as a message of ours.
    shown = (r"\x1b[31mred", r"\x9b2J", r"\u202egnp.exe", r"\u200b", r"\rovertyped", r"\ncardlog: all is")
    assert [escape for escape in shown if escape not in out] == []
    for escape in (r"\x1b[8m", r"\u202e", r"\x9b.jsonl"):
        assert escape in err
    assert not re.search(r"^cardlog: all is well", out + err, re.MULTILINE)


@pytest.mark.long
def test_no_command_gives_a_terminal_what_it_would_obey(hostile: Store, tmp_path: Path) -> None:
    slow = ("build", "vacuum", "demo", "simulate")
    lines = [line for line in lines_for(hostile) if line[0] not in slow][::2]
    shown = on_a_terminal(lines, tmp_path)
    assert shown.count("--- exit") == len(lines)
    assert unsafe_in(OURS.sub("", shown)) == []
    # Of colours only our own, none that a name asks for: those are there as text.
    assert re.search(r"\\x1b\s*\[31mred", shown)
    assert "\x1b[31mred" not in shown
    assert "\x1b[8m" not in shown


@pytest.mark.long
def test_every_hand_is_drawn_and_every_name_shown(hostile: Store) -> None:
    for hand_id in ids(hostile):
        out = io.StringIO()
        SafeConsole(file=out, width=400).print(draw.hand(hand_lookup.find(hostile, hand_id)))
        assert unsafe_in(out.getvalue()) == []
        for name in HOSTILE[:4]:
            assert one_line(name) in out.getvalue()


@pytest.mark.long
def test_an_output_that_has_only_ascii(hostile: Store, tmp_path: Path) -> None:
    lines = [line for line in lines_for(hostile) if line[0] in ("show", "quarantine")]
    out, err = on_a_pipe(lines, tmp_path, PYTHONIOENCODING="ascii")
    assert (out + err).isascii()
    assert "Traceback" not in err
    assert ">" in out
    umlaut = [["query", "select 'Ünï' as n, 'x' as m", "--store", hostile.root]]
    assert on_a_pipe(umlaut, tmp_path, PYTHONIOENCODING="ascii")[0] == "n          m\n\\xdcn\\xef  x\n"
    assert on_a_pipe([[*umlaut[0], "--output", "csv"]], tmp_path, PYTHONIOENCODING="ascii")[0] == (
        "n,m\nÜnï,x\n"
    )
    assert "Ünï" in on_a_pipe([[*umlaut[0], "--output", "json"]], tmp_path, PYTHONIOENCODING="ascii")[0]


@pytest.mark.long
def test_a_shell_escapes_what_it_prints(hostile: Store, tmp_path: Path) -> None:
    text = (
        "select * from quarantine order by all;\nselect * from quarantine order by all;\n"
        f"select '{RAW}' as \"{RAW}\";\nselect error('{RAW}');\n"
    )
    (tmp_path / "in.sql").write_text(text, newline="")
    line = json.dumps([["shell", "--store", hostile.root]])
    done = python(PROGRAM, line, cwd=tmp_path, streams=Streams(stdin=str(tmp_path / "in.sql")))
    out, err = done.stdout.decode(), done.stderr.decode()
    assert unsafe_in(out + err) == []
    assert err.endswith("--- exit 2\n")
    assert r"\u202egnp.exe" in err.split("cardlog: statement ")[1]
    assert out.count(r"\x1b[31mred") > 10


# ---------------------------------------------------------------- data stays what it is

CELLS = (
    *HOSTILE, "\r", "\n", "\r\n", "a\rb", '"', ",", " x ", "", "=cmd|' /C calc'!A0", "+1", "-1", "@x",
    "ü漢\t",
)  # fmt: skip


@pytest.mark.long
def test_csv_gives_back_every_value(hostile: Store, tmp_path: Path) -> None:
    """To Python's reader and to DuckDB's, over a pipe and in a file."""
    values = ", ".join("(" + str(n) + ", '" + cell.replace("'", "''") + "')" for n, cell in enumerate(CELLS))
    # DuckDB's grammar ends a query at a zero byte.
    sql = f"select n, replace(c, 'ZERO', chr(0)) as c from (values {values}) t(n, c) order by n".replace(
        "\0", "ZERO"
    )
    path = tmp_path / "out.csv"
    lines = [["query", sql, "--output", "csv", "--store", hostile.root]]
    done = python(PROGRAM, json.dumps([lines[0], [*lines[0], "--file", str(path)]]), cwd=tmp_path)
    assert done.stdout == path.read_bytes()
    rows = list(csv.reader(io.StringIO(path.read_bytes().decode(), newline="")))
    assert [row[1] for row in rows[1:]] == list(CELLS)
    read = duckdb.sql(
        f"select c from read_csv('{path}', header = true, delim = ',', quote = '\"', escape = '\"', "
        "columns = {'n': 'int', 'c': 'varchar'}, new_line = '\\n') order by n"
    ).fetchall()
    assert [cell or "" for (cell,) in read] == list(CELLS)


@pytest.mark.long
def test_json_and_parquet_give_back_every_value(hostile: Store, tmp_path: Path) -> None:
    sql = "select detail->'players' as p from events where seq = 0 and game = 'five_card_draw' limit 1"
    line = ["query", sql, "--store", hostile.root, "--output"]
    out, _ = on_a_pipe([[*line, "json"]], tmp_path)
    assert unsafe_in(out) == []
    (row,) = json.loads(out)
    assert [player["name"] for player in json.loads(row["p"])] == list(HOSTILE[:4])
    on_a_pipe([[*line, "parquet", "--file", "x.parquet"]], tmp_path)
    ((players,),) = duckdb.sql(f"select p from '{tmp_path}/x.parquet'").fetchall()
    assert [player["name"] for player in json.loads(players)] == list(HOSTILE[:4])
