"""The command that serves the store as a page."""

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Final

from typer import Option

from cardlog.pipelines.terminal.answers import MemoryOption
from cardlog.pipelines.terminal.console import fail
from cardlog.pipelines.terminal.options import OnStore

NEEDED: Final = ("starlette", "uvicorn", "websockets", "jinja2")
"""What the extra brings."""
PORT: Final = 8765
SECONDS: Final = 20.0
MEMORY: Final = "1GiB"


def serve(
    port: Annotated[int, Option(min=0, max=65535, help="Port to listen at; 0 takes any.")] = PORT,
    host: Annotated[str, Option(help="Address to listen at (default: this machine only).")] = "127.0.0.1",
    timeout: Annotated[
        float, Option(min=0.001, metavar="SECONDS", help="Stop a query that takes longer.")
    ] = SECONDS,
    memory: MemoryOption = MEMORY,
    play: Annotated[
        Path | None,
        Option(metavar="DIR", help="Where the tables that are played are kept (default: STORE.play)."),
    ] = None,
    *,
    on: OnStore,
) -> None:
    """Show the store in a browser: hands step by step, tables, charts and quarantine; and play."""
    from cardlog.pipelines.sql import process
    from cardlog.pipelines.sql.limits import bytes_of

    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        fail(f"'cardlog serve' needs {', '.join(missing)}; install the extra 'cardlog[web]'")
    limits = timeout, None if memory is None else bytes_of(memory)
    process.prepare()
    # By name: the page is above the packages that the command line is part of.
    import_module("cardlog.web.serve").run(on.open(), host, port, limits, play)
