"""The terminal: tables, messages, atomic files, progress, and Ctrl-C."""

import io
import re
import shutil
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

from cardlog.pipelines.runtime.progress import Tally, total
from cardlog.pipelines.terminal import console
from cardlog.pipelines.text import screen
from tests.support.commands import Terminal


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """A terminal of forty columns without colours."""
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("NO_COLOR", "1")
    return Terminal()


@pytest.mark.parametrize(
    ("names", "rows", "text"),
    [
        (["name", "n", "mixed", "some"],
         [["a", "1", "x", ""], ["long", "-1,234.5", "1", "7"], ["b", "1e-07", "", ""]],
         "name         n  mixed  some\na            1  x\nlong  -1,234.5  1         7\nb        1e-07\n"),
        (["[red]a[/]"], [["[bold]x[/]"], [":smile:"], ["a\\"]], "[red]a[/]\n[bold]x[/]\n:smile:\na\\\n"),
        (["a", "b"], [["1", "first\nsecond"], ["2\n3", "x\ty\r\n"]],
         "a     b\n1     first\\nsecond\n2\\n3  x\\ty\\r\\n\n"),
        (["explain_key", "explain_value"], [["plan", "first\nsecond \x1b"]],
         "explain_key  explain_value\nplan         first\n             second \\x1b\n"),
        (["a", "b"], [["漢字", "x"], ["abcd", "y"]], "a     b\n漢字  x\nabcd  y\n"),
        (["a", "b"], [["x" * 20_000, "end"]], f"a{' ' * 20_001}b\n{'x' * 20_000}  end\n"),
    ],
    ids=["numbers to the right", "no markup", "no rows of cells", "explained", "wide characters", "not cut"],
)  # fmt: skip
def test_a_table_without_a_terminal(names: list[str], rows: list[list[str]], text: str) -> None:
    assert screen.table_text(names, rows) == text


def test_on_a_terminal_long_cells_go_on_below_and_none_is_cut(terminal: Terminal) -> None:
    screen.write_table(terminal, ["[red]a[/]", "b"], [["word " * 20, "end"]])
    lines = re.sub(r"\x1b\[\d+m", "", terminal.getvalue()).splitlines()
    assert len(lines) > 2
    assert max(map(len, lines)) <= 40
    assert terminal.getvalue().count("word") == 20
    assert "[red]a[/]" in lines[0]
    screen.write_table(terminal, ["a", "b"], [["0123456789abcdef" * 4, "end"]])
    assert "…" not in terminal.getvalue()
    assert "".join(re.findall("[0-9a-f]{9,}", terminal.getvalue())) == "0123456789abcdef" * 4


@pytest.mark.parametrize(
    ("names", "rows", "text"),
    [
        (["a", "漢字"], [["1", "first\nsecond"], ["", "\x1b[31m"]],
         "   a = 1\n漢字 = first\\nsecond\n\n   a =\n漢字 = \\x1b[31m\n"),
        (["explain_key", "explain_value"], [["plan", "first\nsecond"]],
         "  explain_key = plan\nexplain_value = first\n                second\n"),
    ],
)  # fmt: skip
def test_lines_have_a_column_each(names: list[str], rows: list[list[str]], text: str) -> None:
    out = io.StringIO()
    screen.write_lines(out, names, rows)
    assert out.getvalue() == text


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        (f"[red]no[/] :smile: {'long ' * 50}", f"[red]no[/] :smile: {'long ' * 50}".rstrip()),
        ("no file x\x1b[31m\ncardlog: all is well", "no file x\\x1b[31m\n  cardlog: all is well"),
    ],
    ids=["neither broken into lines nor markup", "what it quotes is no message of its own"],
)
def test_messages_are_shown_as_they_are(message: str, shown: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        console.fail(message)
    assert (end.value.code, *capsys.readouterr()) == (2, "", f"cardlog: {shown}\n")


def test_a_file_is_there_whole_or_not_at_all_and_never_replaces_another(tmp_path: Path) -> None:
    """Not even one created while it was written."""
    path, other = tmp_path / "a.txt", tmp_path / "b.txt"
    with console.output(path) as out:
        out.write("ü\n")
        out.flush()
        assert not path.exists()
    assert path.read_bytes() == "ü\n".encode()
    with pytest.raises(ZeroDivisionError), console.output(other) as out:
        out.write(str(1 / 0))
    assert [*tmp_path.iterdir()] == [path]
    with pytest.raises(OSError, match="exists already; nothing was overwritten"), console.output(other):
        other.write_text("theirs")
    assert other.read_text() == "theirs"
    assert {*tmp_path.iterdir()} == {path, other}


def test_a_planted_link_is_not_written_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither at the file's path nor at the draft's, even if its name were known."""
    victim, link = tmp_path / "victim", tmp_path / "a.txt"
    link.symlink_to(victim)
    with pytest.raises(OSError, match="exists already"), console.output(link) as out:
        out.write("ours")
    link.unlink()
    monkeypatch.setattr("secrets.token_hex", lambda _: "foreseen")
    (tmp_path / ".a.txt.foreseen.tmp").symlink_to(victim)
    with pytest.raises(OSError, match="could not be written: File exists"), console.output(link) as out:
        out.write("ours")
    assert [found.name for found in tmp_path.iterdir()] == [".a.txt.foreseen.tmp"]


def until(condition: Callable[[], bool]) -> None:
    """Wait for something that another thread does; if it never does, the test fails."""
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def fail_after(condition: Callable[[], bool]) -> None:
    """Wait, and then fail as a run does."""
    until(condition)
    raise ZeroDivisionError


def test_progress_is_a_bar_on_a_terminal_and_nothing_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two workers have done a quarter of a hundred units; the bar ends with the run, also if that fails."""
    for hands, units in ((2_000, 25), (3_000, 0)):
        Tally(str(tmp_path)).add(hands, units)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "200")
    before = set(threading.enumerate())
    terminal, pipe = Terminal(), io.StringIO()
    monkeypatch.setattr(sys, "stderr", terminal)
    with pytest.raises(ZeroDivisionError), console.progress("ingest", str(tmp_path), 100):
        fail_after(lambda: "5,000 hands" in terminal.getvalue())
    assert "25%" in terminal.getvalue()
    until(lambda: set(threading.enumerate()) <= before)  # rich does not wait for its thread
    monkeypatch.setattr(sys, "stderr", pipe)
    with console.progress("ingest", str(tmp_path), 100):
        pass
    assert pipe.getvalue() == ""


def test_a_run_whose_tallies_are_removed_goes_on(tmp_path: Path) -> None:
    folder = tmp_path / "tallies"
    folder.mkdir()
    tally = Tally(str(folder))
    tally.add(1, 2)
    assert total(str(folder)) == (1, 2)
    shutil.rmtree(folder)
    tally.add(1, 2)
    assert total(str(folder)) == (0, 0)


def test_working_says_what_takes_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    err = io.StringIO()
    monkeypatch.setattr(sys, "stderr", err)
    with console.working("dbt builds"):
        assert err.getvalue() == "dbt builds …\n"
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(console, "stderr", lambda: Console(file=terminal, force_terminal=True))
    with console.working("dbt builds"):
        until(lambda: "dbt builds" in terminal.getvalue())


def test_a_long_run_in_a_pipe_says_how_far_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(console, "TOLD_SECONDS", 0.05)
    tally = Tally(str(tmp_path))
    with console.progress("build", str(tmp_path), 400):
        tally.add(10, 100)
        time.sleep(0.5)
    said = capsys.readouterr().err
    assert re.search(r"^build: 25% · 10 hands · [\d,]+/s · about 0 min left$", said, re.MULTILINE)
