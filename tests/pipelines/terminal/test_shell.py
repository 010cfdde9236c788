"""The shell: at a terminal with completion, history and Ctrl-C, and over a pipe."""

import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from io import StringIO
from pathlib import Path
from unittest.mock import MagicMock

import pexpect
import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.terminal import console, shell
from cardlog.pipelines.terminal.answers import QueryOptions
from cardlog.schemas.errors import CardlogError
from tests.support.commands import Cardlog
from tests.support.csv_rows import dump, dump_lines
from tests.support.files import files_of
from tests.support.forked import CLI
from tests.support.shared import small_store
from tests.support.stores import ingest_text

pytestmark = pytest.mark.long

ENDLESS = "select max(hash(range)) from range(1_000_000_000_000);"
PROMPT = "cardlog>"


@pytest.fixture
def piped(cardlog: Cardlog, monkeypatch: pytest.MonkeyPatch) -> Cardlog:
    """Runs a shell whose statements come over a pipe."""
    monkeypatch.setenv("CARDLOG_STORE", small_store().root)
    return lambda text, *line: cardlog("shell", *line, stdin=text)


def test_statements_end_with_a_semicolon_that_is_no_text() -> None:
    text = "select ';' -- ; no\n, \"a;b\" /* ; */; ;;\nselect 2;\n select $$;"
    found = ["select ';' -- ; no\n, \"a;b\" /* ; */", "\nselect 2"]
    assert shell.statements(text) == (found, "\n select $$;")
    assert shell.statements("ü; select 'ü';") == (["ü", " select 'ü'"], "")
    assert shell.statements("-- only a remark;") == ([], "-- only a remark;")


def test_statements_on_a_pipe_are_answered_without_prompts(piped: Cardlog) -> None:
    text = "\ufeffselect 1 as a,\n  2 as b; select 3 as c;\n-- a remark\n\nselect ';' as d"
    assert piped(text, "--output", "csv") == (0, "a,b\n1,2\nc\n3\nd\n;\n", "")
    assert piped("select 1 as a;", "--output", "json") == (0, '[\n{"a": 1}\n]\n', "")
    assert piped(b"") == (0, "", "")


ERRORS = (
    ("select 1;\n\nselect nope;\nselect 3;", "", 'statement 2: Binder Error: Referenced column "nope"'),
    ("describe nowhere", "", "statement 1: Catalog Error"),
    ("drop view events;", "", "statement 1: only queries are allowed"),
    ("from read_text('/etc/passwd');", "", "statement 1: a query reads the tables and marts of the store"),
    (b"select 1 as a;\nselect '\xfc';", "", "standard input is not valid UTF-8, at byte 24"),
    ("select 1;", "--output=parquet", "--output parquet is for 'cardlog query' with --file OUT"),
    ("select 1;", "--store=nowhere", "there is no store at"),
    (ENDLESS, "--timeout=0.2", "statement 1: the query took longer than 0.2 s"),
)


@pytest.mark.parametrize(("text", "option", "says"), ERRORS)
def test_the_first_error_on_a_pipe_ends_it(
    text: str | bytes, option: str, says: str, piped: Cardlog, tmp_path: Path
) -> None:
    before = files_of(small_store().root)
    ran = piped(text, *option.split())
    assert (ran.code, "3" in ran.out) == (2, False)
    assert ran.err.startswith(f"cardlog: {says}")
    assert files_of(small_store().root) == before
    assert list(tmp_path.iterdir()) == []


def test_a_session_at_a_terminal(tmp_path: Path, store: Store) -> None:
    ingest_text(store, tmp_path, dump(*dump_lines()[:3]))
    more = {"XDG_STATE_HOME": str(tmp_path / "state"), "NO_COLOR": "1", "PROMPT_TOOLKIT_NO_CPR": "1"}
    session = pexpect.spawn(
        sys.executable, ["-c", CLI, "shell", "--store", store.root],
        cwd=tmp_path, env={**os.environ, "TERM": "xterm", **more}, encoding="utf-8", timeout=60,
    )  # fmt: skip
    session.logfile_read = screen = StringIO()

    def types(keys: str, *said: str) -> None:
        session.send(f"{keys}\r")
        for text in said:
            session.expect_exact(text)

    session.expect_exact("statements end with ;")
    session.expect_exact(PROMPT)
    # A statement may take several lines, and sees the newest state.
    types("select count(*) as n", "...>")
    types("from events where seq = 0;", "\r\n3\r\n", PROMPT)
    ingest_text(store, tmp_path, dump(*dump_lines()[:5]))
    before = files_of(store.root)
    types("select count(*) as n from events where seq = 0;", "\r\n5\r\n", PROMPT)
    # Ctrl-C stops a query, and an error is no end.
    types(ENDLESS, "000);")
    while session.expect_exact(["interrupted", pexpect.TIMEOUT], timeout=2):
        session.sendintr()  # again, since a prompt takes it as a key
    assert "Error" not in session.before
    types("drop view events;", "only queries are allowed", PROMPT)
    types("select e'\\x1b[31m' as a;", "\n\\x1b[31m", PROMPT)
    assert "\x1b[31m" not in screen.getvalue()
    session.sendeof()
    session.expect(pexpect.EOF)
    session.close()
    assert session.exitstatus == 0
    assert files_of(store.root) == before
    history = tmp_path / "state" / "cardlog" / "history"
    assert history.stat().st_mode & 0o777 == 0o600
    assert {"+select count(*) as n", "+from events where seq = 0;"} < set(history.read_text().splitlines())


@pytest.fixture
def keys(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., None]:
    """Runs a session in this process, whose keys are these and Ctrl-D."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setenv("TERM", "dumb")

    def press(*typed: str) -> None:
        with create_pipe_input() as pipe, create_app_session(pipe, DummyOutput()):
            pipe.send_text("".join(typed) + "\x04")
            shell.run_prompt(small_store, QueryOptions())

    return press


def test_ctrl_c_abandons_what_was_typed_and_history_goes_on(
    keys: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    keys("select 'abandoned',\r", "\x03", "select 41 + 1 as n;\r", "quit\r", "select 2 as n;\r")
    keys("\x1b[A\x1b[A\r")
    assert capsys.readouterr().out == " n\n42\n" * 2


def test_what_is_complete_can_be_run() -> None:
    for text in ("", "select 1;", "select 1; -- a remark", ".quit", "quit", "-- a remark\n"):
        assert shell.is_complete(text), text
    for text in ("select 1", "select ';", "select 1; select", "exit from hands"):
        assert not shell.is_complete(text), text


def test_completion_knows_tables_and_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    """But no names that a terminal would obey."""
    assert {"hands", "events", "trick_no", "is_winning"} < set(shell.words(small_store()))

    connect = MagicMock()
    connect().__enter__().run().fetchall.return_value = [
        ("good", "column"),
        ("good", "b\x1b[31m"),
        ("x\u202ey", "column"),
    ]
    monkeypatch.setattr("cardlog.pipelines.sql.query.connect", connect)
    assert shell.words(None) == ["column", "good"]


def test_ctrl_c_is_told_whatever_error_a_library_makes_of_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """And an error without it, also one after it, is a bug. Each statement is answered with an error."""
    answers = iter([(True, RuntimeError), (True, CardlogError), (False, RuntimeError)])

    def answer(*_: object) -> None:
        is_pressed, error = next(answers)
        with suppress(KeyboardInterrupt):
            if is_pressed:
                signal.raise_signal(signal.SIGINT)
        raise error("a bug")

    monkeypatch.setattr(shell, "typed", MagicMock(return_value="select 1;"))
    monkeypatch.setattr(shell, "answer", answer)
    with console.interrupts(), pytest.raises(RuntimeError, match="a bug"):
        shell.run_prompt(small_store, QueryOptions())
    assert capsys.readouterr().err.count("interrupted") == 2
