"""The commands for the web page: `serve` for the whole store, `share` for one hand in a file."""

import os
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, Final

from typer import Option

from cardlog.pipelines.runtime.uncompiled import run_uncompiled
from cardlog.pipelines.terminal.answers import MemoryOption, TimeoutOption
from cardlog.pipelines.terminal.console import fail, output
from cardlog.pipelines.terminal.options import HandArgument, OnStore

PORT: Final = 8765
SECONDS: Final = 20.0
MEMORY: Final = "1GiB"


@dataclass(frozen=True)
class AddressOptions:
    """Where the page is served."""

    port: Annotated[int, Option(min=0, max=65535, help="Port to listen at; 0 takes any.")] = PORT
    host: Annotated[str, Option(help="Address to listen at (default: this machine only).")] = "127.0.0.1"
    origin: Annotated[
        list[str] | None,
        Option(help="Address in the browser if it is another, like https://cards.example; can be repeated."),
    ] = None


def serve(
    timeout: TimeoutOption = SECONDS,
    memory: MemoryOption = MEMORY,
    play: Annotated[Path | None, Option(metavar="DIR", help="Where played tables are kept.")] = None,
    *,
    address: AddressOptions,
    on: OnStore,
) -> None:
    """Show the store in a browser: hands step by step, tables, charts and quarantine; and play."""
    from cardlog.pipelines.sql import nursery
    from cardlog.pipelines.sql.limits import Limits

    limits = Limits.of(memory, timeout)
    access = _web_module("access")
    origins = tuple(access.Origin.of(text.removesuffix("/")) for text in address.origin or ())
    server = _web_module("serve")
    nursery.prepare()
    store = on.open()
    if play is not None:
        _make_folder(play)
    server.run(store, access.Access(address.host, address.port, origins), limits, play)


def _make_folder(folder: Path) -> None:
    """Make the folder of the tables, as they do when one is opened. Exits if none can be kept there."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        fail(f"--play {folder}: tables can't be kept there: {error.strerror}")
    if not os.access(folder, os.W_OK | os.X_OK):
        fail(f"--play {folder}: tables can't be kept there: it is not writable")


def share(
    hand_id: HandArgument,
    out: Annotated[Path | None, Option(metavar="FILE", help="The hand as .html, .svg or .txt.")] = None,
    anonymous: Annotated[bool, Option("--anonymous", help="Letters instead of names.")] = False,
    *,
    on: OnStore,
) -> None:
    """Write one hand to a file that can be sent to anybody."""
    run_uncompiled()  # takes milliseconds for one hand
    from cardlog.pipelines.sql import hand_lookup
    from cardlog.pipelines.storage.moment import pinned

    form = "html" if out is None else out.suffix[1:].lower()
    pages = _web_module("views.share")
    if form not in pages.TYPES:
        fail(f"{out}: the name of the file must end in {', '.join('.' + name for name in pages.TYPES)}")
    store = pinned(on.open(), ["events", "ingests", "analysis"])
    batch = hand_lookup.find(store, hand_id)
    asking = _web_module("asking").Asking()
    path = out or Path(f"{batch.game}-{batch.hand_ids[0].decode()[:8]}.html")
    with output(path) as file:
        file.write(pages.made(asking, store, batch, form, anonymous=anonymous))
    print(path)


def _web_module(module: str) -> Any:
    """A module of `web`, imported by name since that layer is above this one."""
    try:
        return import_module(f"cardlog.web.{module}")
    except ModuleNotFoundError as error:
        fail(f"the page needs {error.name}; install the extra 'cardlog[web]'")
