"""Processes that ingest and build: to be killed, to exit at a commit, or to race each other.

They are forked from a server that has loaded everything and opened no store, so they start at once. A step is
``build``, ``rebuild``, a whole command line that begins with ``cardlog``, or the paths of an ingest,
separated by ``|``."""

import contextlib
import io
import multiprocessing
import os
import resource
import shlex
import tempfile
from dataclasses import asdict
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

BUILDS = ("build", "rebuild")
COMMAND = "cardlog "
LIMIT = "limit "
"""A step that limits the size of files, in bytes, from then on."""
KILLED = 137
_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(["tests.support.loaded"])


class Child:
    """A child process, as the test sees it.

    commit
        Number of the commit, from 0, just before which it exits as if killed.
    """

    def __init__(self, root: str, *steps: str, commit: int = -1) -> None:
        self._connection, child_end = _CONTEXT.Pipe()
        arguments = (child_end, root, steps, commit, tempfile.gettempdir())
        self.process = _CONTEXT.Process(target=main, args=arguments, daemon=True)
        self.process.start()
        child_end.close()
        assert self._connection.recv() == "ready"

    def go(self) -> "Child":
        """Start it."""
        self._connection.send("go")
        return self

    @property
    def ended(self) -> bool:
        return not self.process.is_alive()

    def kill(self) -> None:
        self.process.kill()
        self.process.join()

    def results(self) -> list[dict[str, Any]]:
        """Wait until it ends; returns its report of each finished step."""
        found = []
        with contextlib.suppress(EOFError):
            while True:
                found.append(self._connection.recv())
        self.process.join()
        return found

    def finished(self) -> list[dict[str, Any]]:
        """Wait until it ends successfully; returns its report of each step."""
        found = self.results()
        assert self.process.exitcode == 0
        return found


def step_of(*paths: Path) -> str:
    """The step that ingests some files."""
    return "|".join(map(str, paths))


def main(connection: Connection, root: str, steps: tuple[str, ...], commit: int, folder: str) -> None:
    from cardlog.pipelines import runs
    from cardlog.pipelines.storage.store import Store

    tempfile.tempdir = folder
    commits, real_commit = 0, Store.commit

    def counted(self: Store, *arguments: Any, **named: Any) -> None:
        nonlocal commits
        if commits == commit:
            os._exit(KILLED)
        commits += 1
        real_commit(self, *arguments, **named)

    Store.commit = counted  # type: ignore[method-assign]
    connection.send("ready")
    connection.recv()
    store = Store(root)
    for step in steps:
        if step in BUILDS:
            connection.send({"rows": runs.build(store, afresh=step == "rebuild")})
        elif step.startswith(COMMAND):
            connection.send(command(shlex.split(step)[1:]))
        elif step.startswith(LIMIT):
            resource.setrlimit(resource.RLIMIT_FSIZE, (int(step.removeprefix(LIMIT)),) * 2)
        else:
            result = runs.ingest(store, step.split("|"))
            connection.send({**asdict(result.counts), "skipped": [path for path, _ in result.skipped]})


def command(line: list[str]) -> dict[str, Any]:
    """Run a command line in this process: its exit code, stdout and stderr."""
    from cardlog.pipelines.terminal import cli

    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            cli.main(line)
        except SystemExit as end:
            return {"code": end.code, "out": out.getvalue(), "err": err.getvalue()}
