"""Commands run in this process, their environment, and terminals that are none."""

import io
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from cardlog.pipelines.terminal import cli


class Ran(NamedTuple):
    """The result of a command: exit code, stdout, and stderr with runs of blanks and frames as one blank."""

    code: int
    out: str
    err: str


def users_environment(**more: str) -> dict[str, str]:
    """The environment of somebody who has not said whether the rules are compiled, with some variables."""
    return {name: value for name, value in os.environ.items() if name != "NUMBA_DISABLE_JIT"} | more


Cardlog = Callable[..., Ran]


def exit_code(*arguments: str) -> int:
    """Run a command line in this process; its exit code. `pytest.raises` would keep what is raised, and in
    the error of a wrong value pydantic keeps the frames of the whole run of tests, for good."""
    try:
        cli.main(list(arguments))
    except SystemExit as end:
        return int(end.code or 0)


def runner(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Cardlog:
    """Runs a command line in this process; `stdin` is what it reads."""

    def run(*arguments: str | Path, stdin: str | bytes | None = None) -> Ran:
        if stdin is not None:
            raw = stdin.encode() if isinstance(stdin, str) else stdin
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
        code = exit_code(*map(str, arguments))
        out, err = capsys.readouterr()
        return Ran(code, out, re.sub(r"[\s│╭╮╰╯─]+", " ", err).strip())

    return run


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def on_a_terminal(monkeypatch: pytest.MonkeyPatch, *line: str, **environment: str) -> tuple[str, str]:
    """What a command prints on a terminal, and its messages there."""
    out, err = Terminal(), Terminal()
    with monkeypatch.context() as patch:
        for name, value in {"TERM": "xterm-256color", **environment}.items():
            patch.setenv(name, value)
        patch.setattr(sys, "stdout", out)
        patch.setattr(sys, "stderr", err)
        exit_code(*line)
    return out.getvalue(), err.getvalue()
