"""Options shared by several commands."""

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any, Final, get_type_hints

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


def with_options(kind: type[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the fields of a dataclass as options; they reach it as one object, its keyword `how`."""

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        hints = get_type_hints(kind, include_extras=True)
        signature = inspect.signature(command)
        parameters = list(signature.parameters.values())
        index = list(signature.parameters).index("how")
        parameters[index : index + 1] = [
            inspect.Parameter(
                name, inspect.Parameter.KEYWORD_ONLY, default=getattr(kind, name), annotation=hint
            )
            for name, hint in hints.items()
        ]

        @wraps(command)
        def run(**given: Any) -> None:
            command(how=kind(**{name: given.pop(name) for name in hints}), **given)

        run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        return run

    return decorate


beam_options: Final[list[str]] = []
"""The arguments after ``--``."""


def open_store(path: str, must_exist: bool = True) -> Any:
    """The store at a path or URI; exits if it must exist and does not."""
    from cardlog.pipelines.storage.store import Store

    store = CURRENT.store = Store(path)
    if must_exist and not store.exists:
        fail(f"there is no store at {store.root}; 'cardlog ingest' makes one, --store names another")
    return store
