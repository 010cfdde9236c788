"""Untrusted text in every command: terminal output has no control characters, and data is unchanged."""

import io
import json
import re
import sys
import unicodedata
from itertools import chain
from pathlib import Path

import pytest

from cardlog.pipelines import runs
from cardlog.pipelines.export import simulate
from cardlog.pipelines.ingest.reading import Reading
from cardlog.pipelines.sql import process
from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.text.visible import json_text, one_line, visible
from tests.support.commands import Cardlog, exit_code, on_a_terminal

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
    escaped = r"\x1b\x85\u202e\U000e0041\ud800\r\n" + r"\tü漢"
    assert one_line("\x1b\x85\u202e\U000e0041\ud800\r\n\tü漢") == escaped
    assert visible("a\r\n\tb\x00") == "a\\r\n\tb\\x00"


def test_json_says_the_same_without_them() -> None:
    unsafe = unsafe_in("".join(map(chr, range(0x110000))))
    value = {"".join(HOSTILE): [" ".join(unsafe)], "\ud800": "\ufffd \U000e0041 \n"}
    for indent in (None, 2):
        text = json_text(value, indent)
        assert unsafe_in(text) == []
        assert json.loads(text) == value


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


def lines_for(store: Store) -> list[list[str]]:
    """Every command, with the options that show most."""
    (entry,) = process.ask(
        store, "select quarantine_id from quarantine where raw like '%window%' or raw like '%title%' limit 1"
    ).fetchall()
    folder = Path(store.root).parent
    log, nowhere = str(folder / f"{GAMES[0]}-{FILE}"), str(folder / FILE)
    sql = "select * from quarantine order by all"
    found = [  # the first log is known, and skipped
        ["ingest", log, "--format", "cardlog-jsonl"], ["ingest", log, "--format", "cardlog-jsonl", "--json"],
        ["ingest", nowhere], ["ingest", nowhere, "--log-json"], ["ingest", "--format", RAW, nowhere],
        ["ingest", "--dataset", RAW, log, "--format", "xml"],
        ["ingest", log, "--", f"--direct_num_workers={RAW}"], ["build", "--no-marts"],
        ["build", "--no-marts", "--json"], ["status"], ["query", sql],
        ["query", "select detail, 1 as n from events where seq = 0"],
        ["query", f"select '{RAW}' as \"{RAW}\""], ["query", f"explain select '{RAW}'"],
        ["query", f"select from \"{RAW}\""], ["query", f"select error('{RAW}')"],
        ["query", "select 1", "--file", nowhere + "/x"], ["query", "select 1", "--output", RAW],
        ["query", sql, "--output", "line"], ["query", sql + " limit 1"],
        ["query", f"select '{RAW}' as \"{RAW}\"", "--output", "line"],
        ["query", f"pivot (select '{RAW}' as a) on a using count(*)"],
        ["query", f"pivot (select 1 as a) on error('{RAW}') using count(*)"], ["show", RAW],
        ["quarantine", "list", "--limit", "100"], ["quarantine", "list", "--json"],
        ["quarantine", "list", "--reason", RAW], ["quarantine", "show", entry[0]],
        ["quarantine", "show", entry[0], "--json"], ["quarantine", "show", RAW], ["quarantine", "retry"],
        ["export", "--game", RAW, "--format", "parquet", nowhere],
        ["export", "--game", "kaiser", "--format", "playedhand-csv", nowhere + "/x"],
        ["export", "--game", "kaiser", "--format", "parquet", "--player", RAW, nowhere],
        ["export", "--game", "kaiser", "--format", "parquet", "--where", RAW, nowhere],
        ["simulate", "--game", "kaiser", "--hands", "1", nowhere + "/x"],
        ["simulate", "--game", RAW, "--hands", "1", "x"],
        ["simulate", "--game", "kaiser", "--hands", RAW, "x"], ["vacuum", "--dry-run", "--older-than", RAW],
        [RAW], ["query", f"--{RAW}"], ["demo", RAW],
    ]  # fmt: skip
    ids = process.ask(store, "select hand_id from events where seq = 0 order by game").fetchall()
    found += [["show", hand_id, *raw] for (hand_id,) in ids for raw in ([], ["--raw"])]
    return [[*line, "--store", store.root] if line[0] not in ("simulate", RAW) else line for line in found]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A working folder of its own, and a terminal of a hundred columns if there is one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")


@pytest.mark.long
def test_no_command_gives_a_pipe_what_a_terminal_would_obey(
    hostile: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    codes = {exit_code(*line) for line in lines_for(hostile)}
    out, err = capsys.readouterr()
    assert unsafe_in(out + err) == []
    assert codes == {0, 2}
    # It is there to be seen, and no line of it begins as a message of ours.
    shown = (r"\x1b[31mred", r"\x9b2J", r"\u202egnp.exe", r"\u200b", r"\rovertyped", r"\ncardlog: all is")
    assert [escape for escape in shown if escape not in out] == []
    for escape in (r"\x1b[8m", r"\u202e", r"\x9b.jsonl"):
        assert escape in err
    assert not re.search(r"^cardlog: all is well", out + err, re.MULTILINE)


@pytest.mark.long
def test_no_command_gives_a_terminal_what_it_would_obey(
    hostile: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = ("build", "vacuum", "demo", "simulate")
    lines = [line for line in lines_for(hostile) if line[0] not in slow][::2]
    shown = "".join(chain(*(on_a_terminal(monkeypatch, *line) for line in lines)))
    assert unsafe_in(OURS.sub("", shown)) == []
    # Of colours only our own, none that a name asks for: those are there as text.
    assert re.search(r"\\x1b\s*\[31mred", shown)
    assert "\x1b[31mred" not in shown
    assert "\x1b[8m" not in shown


@pytest.mark.long
def test_an_output_that_has_only_ascii(hostile: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def shown(line: list[str]) -> bytes:
        outputs = {name: io.TextIOWrapper(io.BytesIO(), "ascii") for name in ("stdout", "stderr")}
        with monkeypatch.context() as patch:
            for name, out in outputs.items():
                patch.setattr(sys, name, out)
            exit_code(*line)
        for out in outputs.values():
            out.flush()
        return b"".join(out.detach().getvalue() for out in outputs.values())  # type: ignore[attr-defined]

    found = b"".join(shown(line) for line in lines_for(hostile) if line[0] in ("show", "quarantine"))
    assert found.isascii()
    assert b">" in found
    umlaut = ["query", "select 'Ünï' as n, 'x' as m", "--store", hostile.root]
    assert shown(umlaut) == b"n          m\n\\xdcn\\xef  x\n"
    assert shown([*umlaut, "--output", "csv"]).decode() == "n,m\nÜnï,x\n"
    assert "Ünï" in shown([*umlaut, "--output", "json"]).decode()


@pytest.mark.long
def test_a_shell_escapes_what_it_prints(hostile: Store, cardlog: Cardlog) -> None:
    everything = "select * from quarantine order by all;\n"
    text = f"{2 * everything}select '{RAW}' as \"{RAW}\";\nselect error('{RAW}');\n"
    found = cardlog("shell", "--store", hostile.root, stdin=text)
    assert (found.code, unsafe_in(found.out + found.err)) == (2, [])
    assert r"\u202egnp.exe" in found.err.split("cardlog: statement ")[1]
    assert found.out.count(r"\x1b[31mred") > 10
