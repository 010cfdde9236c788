"""Commands that query and show what is stored."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from cardlog.pipelines.terminal.answers import Answering, MemoryOption, Output, TimeoutOption, answer
from cardlog.pipelines.terminal.console import fail, stdout
from cardlog.pipelines.terminal.options import DEFAULT_STORE, StoreOption, open_store, with_options


@with_options(Answering)
def query(
    sql: Annotated[
        str | None,
        typer.Argument(
            metavar="SQL",
            help="One query, or '-' to read it from standard input; 'show tables' lists tables and marts.",
        ),
    ] = None,
    input_file: Annotated[
        Path | None, typer.Option("--input", metavar="FILE", help="Read the query from this file.")
    ] = None,
    *,
    how: Answering,
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """Query the tables and marts in SQL, read-only."""
    how.check()
    answer(open_store(store), _text(sql, input_file), how)


def _text(sql: str | None, file: Path | None) -> str:
    """The query of a command line; exits if there is none."""
    if sql is not None and file is not None:
        fail("give one query: as an argument, or with --input FILE")
    if sql is None and file is None:
        fail("Missing argument 'SQL': a query, '-' to read it from standard input, or --input FILE")
    if sql is not None and sql != "-":
        return sql
    name = "standard input" if file in (None, Path("-")) else str(file)
    try:
        found = sys.stdin.buffer.read() if name == "standard input" else Path(name).read_bytes()
    except OSError as error:
        raise OSError(f"{name} can't be read: {error.strerror or error}") from error
    try:
        text = found.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        fail(f"{name} is not valid UTF-8: byte {error.start + 1} can't be decoded")
    return text if text.strip() else fail(f"there is no query in {name}")


def shell(
    output: Annotated[Output, typer.Option(help="Output format, at first.")] = Output.table,
    timeout: TimeoutOption = None,
    memory: MemoryOption = None,
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """Query at a prompt, with completion and history; or run the statements on standard input."""
    from cardlog.pipelines.terminal.shell import OUTPUTS, Shell

    if output not in OUTPUTS:
        fail("--output parquet is for 'cardlog query' with --file OUT")
    session = Shell(lambda: open_store(store), Answering(output=output, timeout=timeout, memory=memory))
    if sys.stdin.isatty() and sys.stdout.isatty():
        session.talk()
    else:
        open_store(store)
        session.read()


def show(
    hand_id: Annotated[
        str,
        typer.Argument(
            metavar="HAND_ID", help="The hand's id, at least its first four digits, or the source's own key."
        ),
    ],
    raw: Annotated[bool, typer.Option("--raw", help="Print the source lines it was read from.")] = False,
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """Draw one hand, trick by trick."""
    if not raw:
        _run_uncompiled()
    from cardlog.pipelines.sql import hand_lookup
    from cardlog.pipelines.storage.moment import pinned
    from cardlog.pipelines.terminal import drawings

    opened = pinned(open_store(store), ["events", "ingests"])
    batch = hand_lookup.find(opened, hand_id)
    if raw:
        from cardlog.pipelines.ingest.lineage import raw_lines

        sys.stdout.write(raw_lines(opened, batch))  # escapes it
    else:
        stdout().print(drawings.hand(batch))


def _run_uncompiled() -> None:
    """Have the rules run as plain Python, if they are not loaded yet: for one hand that takes milliseconds,
    and loading compiled code takes a second, or on its first use much longer."""
    if "numba" not in sys.modules:
        os.environ["NUMBA_DISABLE_JIT"] = "1"
