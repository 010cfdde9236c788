"""Programs in processes of their own, with standard streams of their own, to be killed or to race each other.

Like ``python -c``, but forked from a server that has imported everything and opened no store; so each takes a
moment, not the seconds of a start.
"""

import io
import multiprocessing
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(["tests.support.loaded"])
CLI = "from cardlog.pipelines.terminal import cli; cli.main()"
UNFLUSHED = 120
"""Python's exit code if standard output can't be flushed."""
CLOSED = None
"""For a stream: closed before the program starts."""


class Streams(NamedTuple):
    """What the standard streams are: paths, or `CLOSED`; output to no path is returned."""

    stdin: str | None = os.devnull
    stdout: str | None = ""
    stderr: str | None = ""


CAPTURED = Streams()


class Forked:
    """A program that runs."""

    def __init__(
        self, code: str, *arguments: str | Path, cwd: Path, streams: Streams = CAPTURED, **environment: str
    ) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self._line = [str(argument) for argument in arguments]
        paths = [f"{self._folder.name}/{n}" if path == "" else path for n, path in enumerate(streams)]
        how = (
            code,
            self._line,
            str(cwd),
            {**os.environ, "TMPDIR": tempfile.gettempdir(), **environment},
            paths,
        )
        self.process = _CONTEXT.Process(target=main, args=how, daemon=True)
        self.process.start()

    def kill(self) -> None:
        self.process.kill()
        self.process.join()
        self._folder.cleanup()

    def ended(self) -> subprocess.CompletedProcess[bytes]:
        """Wait for its end: its exit code and what it wrote."""
        self.process.join(120)
        assert self.process.exitcode is not None, "it does not end"
        files = [Path(self._folder.name, str(n)) for n in (1, 2)]
        written = [file.read_bytes() if file.exists() else b"" for file in files]
        self._folder.cleanup()
        return subprocess.CompletedProcess(self._line, self.process.exitcode, *written)


def python(
    code: str, *arguments: str | Path, cwd: Path, streams: Streams = CAPTURED, **environment: str
) -> subprocess.CompletedProcess[bytes]:
    """Run a program to its end."""
    return Forked(code, *arguments, cwd=cwd, streams=streams, **environment).ended()


def main(
    code: str, arguments: list[str], cwd: str, environment: dict[str, str], paths: list[str | None]
) -> None:
    """The main function of the process: what the interpreter does when it starts."""
    os.environ.clear()
    os.environ.update(environment)
    tempfile.tempdir = None
    os.chdir(cwd)
    for number, path in enumerate(paths):
        os.close(number)
        if path is not CLOSED:
            kind = os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_CREAT
            opened = os.open(path, kind | os.O_NOCTTY)
            if opened != number:  # that of a closed stream
                os.dup2(opened, number)
                os.close(opened)
    encoding, _, errors = environment.get("PYTHONIOENCODING", "utf-8").partition(":")
    sys.stdin, sys.stdout, sys.stderr = (
        path if path is CLOSED else _text(number, encoding, errors) for number, path in enumerate(paths)
    )
    sys.argv = ["-c", *arguments]
    try:
        exec(compile(code, "-c", "exec"), {"__name__": "__main__"})
    finally:
        try:
            if sys.stdout is not None:
                sys.stdout.flush()
        except OSError:
            os._exit(UNFLUSHED)
        try:
            if sys.stderr is not None:
                sys.stderr.flush()
        except OSError:
            sys.stderr = None  # type: ignore[assignment]


def _text(number: int, encoding: str, errors: str) -> io.TextIOWrapper:
    stream = os.fdopen(number, "rb" if number == 0 else "wb", closefd=False)
    how = errors or ("backslashreplace" if number == 2 else "strict")
    return io.TextIOWrapper(stream, encoding, how, line_buffering=number == 2 or os.isatty(number))
