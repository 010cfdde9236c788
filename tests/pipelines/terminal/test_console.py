"""The terminal: tables, messages, atomic files, progress, and Ctrl-C."""

import io
import json
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

from cardlog.pipelines.progress import Tally, total
from cardlog.pipelines.runs import IngestResult
from cardlog.pipelines.storage.ledger import Counts
from cardlog.pipelines.terminal import console, report

ESCAPE = "\x1b["


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


# ---------------------------------------------------------------- tables


def test_numbers_stand_to_the_right_and_texts_to_the_left(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [["a", "1", "x", ""], ["long", "-1,234.5", "1", "7"], ["b", "1e-07", "", ""]]
    console.rows_table(["name", "n", "mixed", "some"], rows, False)
    assert capsys.readouterr().out == (
        "name         n  mixed  some\n"
        "a            1  x\n"
        "long  -1,234.5  1         7\n"
        "b        1e-07\n"
    )  # fmt: skip


def test_what_stands_in_a_table_is_no_markup(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    cells = ["[bold]x[/]", ":smile:", "[/]", "a\\", "漢字"]
    console.rows_table(["[red]a[/]"], [[cell] for cell in cells], False)
    assert capsys.readouterr().out.splitlines() == ["[red]a[/]", *cells]
    out = Terminal()
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setenv("NO_COLOR", "1")
    console.rows_table(["[red]a[/]"], [[cell] for cell in cells], False)
    for text in ["[red]a[/]", *cells]:
        assert text in out.getvalue()


def test_a_line_end_in_a_cell_makes_no_row(capsys: pytest.CaptureFixture[str]) -> None:
    console.rows_table(["a", "b"], [["1", "first\nsecond"], ["2\n3", "x\ty\r\n"]], False)
    assert capsys.readouterr().out == "a     b\n1     first\\nsecond\n2\\n3  x\\ty\\r\\n\n"


def test_an_explanation_is_a_drawing_of_several_lines(capsys: pytest.CaptureFixture[str]) -> None:
    console.rows_table(["explain_key", "explain_value"], [["plan", "first\nsecond \x1b"]], False)
    assert capsys.readouterr().out == (
        "explain_key  explain_value\nplan         first\n             second \\x1b\n"
    )


def test_wide_characters_count_twice(capsys: pytest.CaptureFixture[str]) -> None:
    console.rows_table(["a", "b"], [["漢字", "x"], ["abcd", "y"]], False)
    assert capsys.readouterr().out.splitlines() == ["a     b", "漢字  x", "abcd  y"]


def test_without_a_terminal_nothing_is_cut(capsys: pytest.CaptureFixture[str]) -> None:
    long = "x" * 20_000
    console.rows_table(["a", "b"], [[long, "end"]], False)
    assert capsys.readouterr().out.splitlines()[1] == f"{long}  end"
    console.stdout().print(long, highlight=False)
    assert capsys.readouterr().out == long + "\n"


def test_on_a_terminal_long_cells_go_on_below(monkeypatch: pytest.MonkeyPatch) -> None:
    out = Terminal()
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setenv("COLUMNS", "40")
    console.rows_table(["a", "b"], [["word " * 20, "end"]], False)
    lines = re.sub(r"\x1b\[\d+m", "", out.getvalue()).splitlines()
    assert len(lines) > 2
    assert max(map(len, lines)) <= 40
    assert out.getvalue().count("word") == 20


def test_on_a_terminal_no_cell_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    out = Terminal()
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setenv("COLUMNS", "40")
    console.rows_table(["a", "b"], [["0123456789abcdef" * 4, "end"]], False)
    assert "…" not in out.getvalue()
    assert "".join(re.findall("[0-9a-f]{9,}", out.getvalue())) == "0123456789abcdef" * 4


def test_columns_for_which_a_terminal_is_too_narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Columns may become narrower than their cells, but not than their names or sixteen."""
    monkeypatch.setattr(sys, "stdout", Terminal())
    monkeypatch.setenv("COLUMNS", "40")
    narrow = ["a", "b", "c", "d"]
    assert console.too_wide(narrow, [["x" * 8] * 4]) == []
    assert console.too_wide(narrow, [["x" * 9] * 4]) == ["d"]
    assert console.too_wide(narrow[:2], [["x" * 100] * 2]) == []
    assert console.too_wide(narrow[:3], [["x" * 100] * 3]) == ["c"]
    assert console.too_wide(narrow[:3], [["漢" * 7] * 3]) == ["c"]
    assert console.too_wide(["x" * 25, "y" * 14], []) == ["y" * 14]
    assert console.too_wide(["x" * 100, "y"], []) == ["y"]
    assert console.too_wide([], []) == []


def test_lines_have_a_column_each(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    rows = [["1", "first\nsecond"], ["", "\x1b[31m"]]
    expected = "   a = 1\n漢字 = first\\nsecond\n\n   a =\n漢字 = \\x1b[31m\n"
    console.lines_table(["a", "漢字"], rows, True)
    captured = capsys.readouterr()
    assert captured.out == expected
    assert captured.err.startswith("… and more; these are the first 2.")
    console.lines_table(["a", "漢字"], rows, False, tmp_path / "rows.txt")
    assert (tmp_path / "rows.txt").read_text() == expected
    console.lines_table(["explain_key", "explain_value"], [["plan", "first\nsecond"]], False)
    assert capsys.readouterr().out == (
        "  explain_key = plan\nexplain_value = first\n                second\n"
    )


def test_a_table_goes_to_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    console.rows_table(["a"], [["1"]], True, tmp_path / "rows.txt")
    assert (tmp_path / "rows.txt").read_text() == "a\n1\n"
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == "… and more; these are the first 1. --output csv, json or parquet has all.\n"


# ---------------------------------------------------------------- messages


def test_messages_are_not_broken_into_lines_nor_read_as_markup(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        console.fail(f"[red]no[/] :smile: {'long ' * 50}")
    captured = capsys.readouterr()
    assert (end.value.code, captured.out) == (2, "")
    assert captured.err == f"cardlog: [red]no[/] :smile: {'long ' * 50}".rstrip() + "\n"


def test_colours_of_others_are_taken_out_of_messages(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        console.fail("delta says \x1b[31m↳\x1b[0m no\n\n", 7)
    assert end.value.code == 7
    assert capsys.readouterr().err == "cardlog: delta says ↳ no\n"


def test_hints_name_the_store_as_a_shell_reads_it(capsys: pytest.CaptureFixture[str]) -> None:
    counts = Counts(hands_read=1, hands_stored=1)
    result = IngestResult("x", [{**vars(counts), "source_bytes": 1}], [])
    report.ingest(result, "./store", False)
    assert "Next: cardlog build\n" in capsys.readouterr().err
    report.ingest(result, "my [store]", False)
    assert "Next: cardlog build --store 'my [store]'\n" in capsys.readouterr().err


def test_what_was_stored_since_is_a_column_only_if_there_is_some(capsys: pytest.CaptureFixture[str]) -> None:
    count = {"reason": "bad_bid", "hands": 3, "stored_since": 0, "meaning": "m"}
    report.quarantine([count], [], False)
    assert capsys.readouterr().out.splitlines()[:2] == ["reason   hands  meaning", "bad_bid      3  m"]
    report.quarantine([count | {"stored_since": 2}], [], False)
    assert capsys.readouterr().out.splitlines()[1].split() == ["bad_bid", "3", "2", "m"]


def test_json_is_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    report.listing([{"game": "ü"}], True)
    assert json.loads(capsys.readouterr().out) == [{"game": "ü"}]


# ---------------------------------------------------------------- files


def test_a_file_is_there_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    with console.fixed(path) as out:
        out.write("ü\n")
        out.flush()
        assert not path.exists()
    assert path.read_bytes() == "ü\n".encode()
    with pytest.raises(ZeroDivisionError), console.fixed(tmp_path / "b.txt") as out:
        out.write(str(1 / 0))
    assert [found.name for found in tmp_path.iterdir()] == ["a.txt"]


def test_a_file_that_can_not_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(OSError, match=r"nowhere/a\.txt could not be written: No such file"):  # noqa: SIM117
        with console.fixed(tmp_path / "nowhere" / "a.txt"):
            pass


def test_a_file_never_replaces_another(tmp_path: Path) -> None:
    """Not even one created while it was written."""
    path = tmp_path / "a.txt"
    with pytest.raises(OSError, match="exists already; nothing was overwritten"), console.fixed(path):
        path.write_text("theirs")
    assert path.read_text() == "theirs"
    assert [found.name for found in tmp_path.iterdir()] == ["a.txt"]


def test_a_planted_link_is_not_written_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither at the file's path nor at the draft's, even if its name were known."""
    victim, link = tmp_path / "victim", tmp_path / "a.txt"
    link.symlink_to(victim)
    with pytest.raises(OSError, match="exists already"), console.fixed(link) as out:
        out.write("ours")
    link.unlink()
    monkeypatch.setattr("secrets.token_hex", lambda _: "foreseen")
    (tmp_path / ".a.txt.foreseen.tmp").symlink_to(victim)
    with pytest.raises(OSError, match="could not be written: File exists"), console.fixed(link) as out:
        out.write("ours")
    assert [found.name for found in tmp_path.iterdir()] == [".a.txt.foreseen.tmp"]


# ---------------------------------------------------------------- progress


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the tallies of two workers, who have done a quarter of a hundred units."""
    tallies = [Tally(str(tmp_path)), Tally(str(tmp_path))]
    for tally, hands, units in zip(tallies, (2_000, 3_000), (25, 0), strict=True):
        tally.add(hands, units)
    monkeypatch.setattr(console, "LOG_SECONDS", 0.01)
    monkeypatch.setattr(console, "POLL_SECONDS", 0.01)
    return tmp_path


def until(condition: Callable[[], bool]) -> None:
    """Wait for something that another thread does; if it never does, the test fails."""
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_without_a_terminal_progress_is_a_plain_line(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    err = io.StringIO()
    monkeypatch.setattr(sys, "stderr", err)
    with console.progress("ingest", str(work), 100):
        until(lambda: err.getvalue().count("\n") > 1)
    line = err.getvalue().splitlines()[0]
    assert line.startswith("ingest: 25%, 5,000 hands, ")
    assert line.endswith(" s left")
    assert ESCAPE not in err.getvalue()


def test_a_run_of_no_size_has_no_time_left(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    err = io.StringIO()
    monkeypatch.setattr(sys, "stderr", err)
    with console.progress("build", str(work), 0):
        until(lambda: "\n" in err.getvalue())
    assert " left" not in err.getvalue()


def test_on_a_terminal_progress_is_a_bar(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    err = Terminal()
    monkeypatch.setattr(sys, "stderr", err)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "200")
    with console.progress("ingest", str(work), 100):
        until(lambda: "5,000 hands" in err.getvalue())
    assert "25%" in err.getvalue()


def test_a_run_whose_tallies_are_removed_goes_on(tmp_path: Path) -> None:
    folder = tmp_path / "tallies"
    folder.mkdir()
    tally = Tally(str(folder))
    tally.add(1, 2)
    assert total(str(folder)) == (1, 2)
    shutil.rmtree(folder)
    tally.add(1, 2)
    assert total(str(folder)) == (0, 0)


def test_progress_ends_with_the_run_that_fails(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    before = set(threading.enumerate())
    with pytest.raises(ZeroDivisionError), console.progress("ingest", str(work), 100):
        raise ZeroDivisionError
    assert set(threading.enumerate()) <= before


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


# ---------------------------------------------------------------- Ctrl-C


def python(program: str) -> tuple[int, str]:
    """Exit code and output of a program; signals need their own main thread."""
    code = (
        f"import os, signal, sys, time\nfrom cardlog.pipelines.terminal.console import interrupts\n{program}"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    return done.returncode, done.stdout + done.stderr


def test_ctrl_c_is_noted_even_if_another_error_comes_of_it() -> None:
    assert python("""
with interrupts() as signals:
    try:
        try:
            os.kill(os.getpid(), signal.SIGINT)
        except KeyboardInterrupt:
            raise RuntimeError("as Beam says it") from None
    except RuntimeError:
        print(signals == [signal.SIGINT])
print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)
""") == (0, "True\nTrue\n")


def test_ctrl_c_that_a_callback_swallows_comes_again() -> None:
    """As in llvmlite's callbacks, whose exceptions Python ignores with a message."""
    assert python("""
import ctypes
swallow = ctypes.CFUNCTYPE(None)(lambda: os.kill(os.getpid(), signal.SIGINT) or time.sleep(0.01))
with interrupts() as signals:
    try:
        swallow()
        print("swallowed")
        time.sleep(100)
        print("and lost")
    except KeyboardInterrupt:
        print(len(signals))
""") == (0, "swallowed\n2\n")


def test_other_errors_that_callbacks_swallow_are_still_reported() -> None:
    code, output = python("""
import ctypes
broken = ctypes.CFUNCTYPE(None)(lambda: 1 / 0)
with interrupts():
    broken()
print(sys.unraisablehook is sys.__unraisablehook__)
""")
    assert code == 0
    assert "ZeroDivisionError" in output
    assert "True" in output


def test_where_ctrl_c_is_ignored_it_stays_so() -> None:
    assert python("""
signal.signal(signal.SIGINT, signal.SIG_IGN)
with interrupts() as signals:
    os.kill(os.getpid(), signal.SIGINT)
print(signals, signal.getsignal(signal.SIGINT) is signal.SIG_IGN)
""") == (0, "[] True\n")
