"""Options shared by several commands, and how their results are printed.

Each group of options is a dataclass: a command with a parameter of such a type has its fields as options.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from functools import wraps
from typing import Annotated, Any, Final, get_type_hints

from typer import Argument, Option

from cardlog.pipelines.terminal.console import fail, table
from cardlog.pipelines.terminal.run import CURRENT
from cardlog.pipelines.terminal.streams import data
from cardlog.pipelines.visible import json_text

PROBLEMS: Final = 1
"""Exit code of a command that found problems in the data."""
DEFAULT_STORE: Final = "./store"
beam_options: Final[list[str]] = []
"""The arguments after ``--``."""

CompactOption = Annotated[
    bool,
    Option(
        "--compact/--no-compact",
        envvar="CARDLOG_COMPACT",
        help="Whether to put small data files together where they have piled up.",
    ),
]
HandArgument = Annotated[
    str,
    Argument(
        metavar="HAND_ID", help="The hand's id, at least its first four digits, or the source's own key."
    ),
]
DryRunOption = Annotated[bool, Option("--dry-run", help="Only say what would be done.")]


@dataclass(frozen=True)
class Printing:
    """How a result is printed."""

    as_json: Annotated[bool, Option("--json", help="Print JSON for programs.")] = False

    def is_json(self, value: Any, result: dict[str, Any] | None = None) -> bool:
        """Print what a command found or did as JSON, if that was asked for; returns whether it was.

        result
            What it did, for the log of the run.

        An object also says how long the run took, and the store's versions and size.
        """
        CURRENT.result = result or CURRENT.result
        if self.as_json:
            value = {**value, "run": CURRENT.as_dict()} if isinstance(value, dict) else value
            data().write(json_text(value, indent=2) + "\n")
        return self.as_json


@dataclass(frozen=True)
class OnStore:
    """The store that a command works on."""

    store: Annotated[str, Option(envvar="CARDLOG_STORE", help="Folder or URI of the store.")] = DEFAULT_STORE

    def open(self, must_exist: bool = True) -> Any:
        """The store; exits if it must exist and does not."""
        from cardlog.pipelines.storage.store import Store

        store = CURRENT.store = Store(self.store)
        if must_exist and not store.exists:
            fail(f"there is no store at {store.root}; 'cardlog ingest' makes one, --store names another")
        return store


@dataclass(frozen=True)
class Asked(Printing, OnStore):
    """What most commands are told."""


@dataclass(frozen=True)
class OnRunner:
    """Where a command's pipeline runs."""

    runner: Annotated[
        str | None,
        Option(help="Where to run: flink, on the cluster that --flink-master names (default: here)."),
    ] = None
    flink_master: Annotated[
        str | None,
        Option(
            metavar="HOST:PORT",
            envvar="CARDLOG_FLINK_MASTER",
            help="Address of the cluster's JobManager for --runner flink (default: localhost:8081).",
        ),
    ] = None

    @property
    def beam_options(self) -> list[str]:
        """Beam's options for the runner, and those after ``--``, which win; exits for an unknown runner.

        Raises FlinkError if there is no such cluster.
        """
        from cardlog.pipelines import flink

        if self.runner not in (None, flink.FLINK):
            fail(
                f"there is no runner {self.runner!r}; there is: {flink.FLINK}; "
                "Beam has others, to be named after --"
            )
        chosen = flink.options(self.flink_master or flink.DEFAULT_MASTER) if self.runner else []
        return [*chosen, *beam_options]


@dataclass(frozen=True)
class Running(Asked, OnRunner):
    """What commands with a pipeline are told."""


def command(function: Callable[..., None]) -> Callable[..., None]:
    """A command for typer, with an option for each field of a parameter that is a dataclass."""
    parameters: list[inspect.Parameter] = []
    groups: dict[str, Any] = {}
    for parameter in inspect.signature(function).parameters.values():
        found = {parameter.name: (parameter.annotation, parameter.default)}
        if is_dataclass(kind := parameter.annotation):
            groups[parameter.name] = kind
            found = {name: (hint, getattr(kind, name)) for name, hint in _hints(kind).items()}
        parameters += [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint)
            for name, (hint, default) in found.items()
        ]

    @wraps(function)
    def run(**given: Any) -> None:
        for name, kind in groups.items():
            given[name] = kind(**{field.name: given.pop(field.name) for field in fields(kind)})
        function(**given)

    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind, include_extras=True)


def listed(found: list[dict[str, Any]], names: list[str] | None = None) -> None:
    """Print entries as a table, one a row."""
    names = names or list(found[0])
    table(names, [[str(entry[name]) for name in names] for entry in found])
