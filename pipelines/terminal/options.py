"""Options shared by several commands."""

from typing import Annotated, Any, Final

import typer

from cardlog.pipelines.terminal.console import fail
from cardlog.pipelines.terminal.run import CURRENT

PROBLEMS: Final = 1
"""Exit code of a command that found problems in the data."""
DEFAULT_STORE: Final = "./store"

StoreOption = Annotated[
    str,
    typer.Option("--store", envvar="CARDLOG_STORE", help="Folder or URI of the store.", show_default=True),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
CompactOption = Annotated[
    bool,
    typer.Option(
        "--compact/--no-compact",
        envvar="CARDLOG_COMPACT",
        help="Whether to put small data files together where they have piled up.",
    ),
]

beam_options: Final[list[str]] = []
"""The arguments after ``--``."""


def open_store(path: str, must_exist: bool = True) -> Any:
    """The store at a path or URI; exits if it must exist and does not."""
    from cardlog.pipelines.storage.store import Store

    store = CURRENT.store = Store(path)
    if must_exist and not store.exists:
        fail(f"there is no store at {store.root}; 'cardlog ingest' makes one, --store names another")
    return store
