"""Options shared by several commands, and how their results are printed."""

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any, Final, get_type_hints

from typer import Option

from cardlog.pipelines.terminal.console import fail, table
from cardlog.pipelines.terminal.run import CURRENT
from cardlog.pipelines.terminal.streams import data
from cardlog.pipelines.visible import json_text

PROBLEMS: Final = 1
"""Exit code of a command that found problems in the data."""
DEFAULT_STORE: Final = "./store"

StoreOption = Annotated[
    str, Option("--store", envvar="CARDLOG_STORE", help="Folder or URI of the store.", show_default=True)
]
JsonOption = Annotated[bool, Option("--json", help="Print JSON for programs.")]
CompactOption = Annotated[
    bool,
    Option(
        "--compact/--no-compact",
        envvar="CARDLOG_COMPACT",
        help="Whether to put small data files together where they have piled up.",
    ),
]
RunnerOption = Annotated[
    str | None,
    Option("--runner", help="Where to run: flink, on the cluster that --flink-master names (default: here)."),
]
FlinkMasterOption = Annotated[
    str | None,
    Option(
        "--flink-master",
        metavar="HOST:PORT",
        envvar="CARDLOG_FLINK_MASTER",
        help="Address of the cluster's JobManager for --runner flink (default: localhost:8081).",
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


def run_on(runner: str | None, flink_master: str | None) -> list[str]:
    """Beam's options for a runner, and those after ``--``, which win; exits for an unknown runner.

    Raises FlinkError if there is no such cluster.
    """
    from cardlog.pipelines import flink

    if runner not in (None, flink.FLINK):
        fail(f"there is no runner {runner!r}; there is: {flink.FLINK}; Beam has others, to be named after --")
    chosen = flink.options(flink_master or flink.DEFAULT_MASTER) if runner == flink.FLINK else []
    return [*chosen, *beam_options]


def open_store(path: str, must_exist: bool = True) -> Any:
    """The store at a path or URI; exits if it must exist and does not."""
    from cardlog.pipelines.storage.store import Store

    store = CURRENT.store = Store(path)
    if must_exist and not store.exists:
        fail(f"there is no store at {store.root}; 'cardlog ingest' makes one, --store names another")
    return store


def is_json(value: Any, as_json: bool, result: dict[str, Any] | None = None) -> bool:
    """Print what a command found or did as JSON, if that was asked for; returns whether it was.

    result
        What it did, for the log of the run.

    An object also says how long the run took, and the store's versions and size.
    """
    CURRENT.result = result or CURRENT.result
    if as_json:
        value = {**value, "run": CURRENT.as_dict()} if isinstance(value, dict) else value
        data().write(json_text(value, indent=2) + "\n")
    return as_json


def listed(found: list[dict[str, Any]], names: list[str] | None = None) -> None:
    """Print entries as a table, one a row."""
    names = names or list(found[0])
    table(names, [[str(entry[name]) for name in names] for entry in found])
