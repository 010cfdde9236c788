"""The commands that make pages: of the store, served; of one hand, in a file."""

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Final

from typer import Option

from cardlog.pipelines.terminal.answers import MemoryOption
from cardlog.pipelines.terminal.console import fail, fixed
from cardlog.pipelines.terminal.options import HandArgument, OnStore
from cardlog.pipelines.uncompiled import run_uncompiled

NEEDED: Final = ("starlette", "uvicorn", "websockets", "jinja2", "markdown_it")
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

    _check_extra("serve")
    limits = timeout, None if memory is None else bytes_of(memory)
    process.prepare()
    # By name: the page is above the packages that the command line is part of.
    import_module("cardlog.web.serve").run(on.open(), host, port, limits, play)


def share(
    hand_id: HandArgument,
    out: Annotated[
        Path | None,
        Option(
            metavar="FILE",
            help="Where to: .html is the whole hand, .svg a picture of the deal, .txt text "
            "(default: GAME-ID.html here).",
        ),
    ] = None,
    anonymous: Annotated[bool, Option("--anonymous", help="Letters instead of names.")] = False,
    *,
    on: OnStore,
) -> None:
    """Write one hand to a file that can be sent to anybody."""
    run_uncompiled()  # for one hand that takes milliseconds
    from cardlog.pipelines.sql import hand_lookup
    from cardlog.pipelines.storage.moment import pinned

    _check_extra("share")
    form = "html" if out is None else out.suffix[1:].lower()
    pages = import_module("cardlog.web.views.share")
    if form not in pages.TYPES:
        fail(f"{out}: the name of the file must end in {', '.join('.' + name for name in pages.TYPES)}")
    store = pinned(on.open(), ["events", "ingests", "analysis"])
    batch = hand_lookup.find(store, hand_id)
    asking = import_module("cardlog.web.asking").Asking()
    path = out or Path(f"{batch.game}-{batch.hand_ids[0].decode()[:8]}.html")
    with fixed(path) as file:
        file.write(pages.made(asking, store, batch, form, anonymous=anonymous))
    print(path)


def _check_extra(command: str) -> None:
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        fail(f"'cardlog {command}' needs {', '.join(missing)}; install the extra 'cardlog[web]'")
