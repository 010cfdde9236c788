"""Options shared by several commands, and how their results are printed.

Each group of options is a dataclass: a command with a parameter of such a type has its fields as options.
"""

import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from enum import StrEnum
from functools import wraps
from typing import Annotated, Any, Final, get_type_hints

from typer import Argument, BadParameter, CallbackParam, Option
from typer.models import ParameterInfo

from cardlog.pipelines.runtime.arrow import without_pandas
from cardlog.pipelines.terminal.console import data, fail
from cardlog.pipelines.terminal.run import CURRENT
from cardlog.pipelines.text.screen import write_table
from cardlog.pipelines.text.visible import is_text, json_text

PROBLEMS: Final = 1
"""Exit code of a command that found problems in the data."""
DEFAULT_STORE: Final = "./store"
beam_options: Final[list[str]] = []
"""The arguments after ``--``."""


HandArgument = Annotated[str, Argument(metavar="HAND_ID", help="Its first four digits, or the source's key.")]
DryRunOption = Annotated[bool, Option("--dry-run", help="Only say what would be done.")]


@dataclass(frozen=True)
class PrintOptions:
    """How a result is printed."""

    as_json: Annotated[bool, Option("--json", help="Print JSON for programs.")] = False

    def print_json(self, value: Any, result: dict[str, Any] | None = None) -> bool:
        """Print what a command found or did if ``--json`` was given, and return whether it was. `result` is
        what it did, for ``--log-json``."""
        CURRENT.result = result or CURRENT.result
        if self.as_json:
            data().write(json_text(value, indent=2) + "\n")
        return self.as_json


HIGHEST: Final = 2**63 - 1
"""The highest whole number that SQL and the compiled rules take."""
PATHS: Final = ("DIR", "FILE", "FILE…", "KEYFILE", "OUT", "PATH…", "STORE")
"""What --help calls values that are paths, whose bytes need not be UTF-8."""


@dataclass(frozen=True)
class OnStore:
    """The store that a command works on."""

    store: Annotated[
        str, Option(metavar="STORE", envvar="CARDLOG_STORE", help="Folder or URI of the store.")
    ] = DEFAULT_STORE

    def open(self, must_exist: bool = True) -> Any:
        """The store; exits if it must exist and does not."""
        without_pandas()
        from cardlog.pipelines.storage.store import Store

        store = CURRENT.store = Store(self.store)
        if must_exist and not store.exists:
            fail(f"there is no store at {store.root}; 'cardlog ingest' makes one, --store names another")
        return store


@dataclass(frozen=True)
class CommonOptions(PrintOptions, OnStore):
    """The options of most commands."""


class Runner(StrEnum):
    """Beam's runners that cardlog has a name for; others are given after ``--``."""

    flink = "flink"


@dataclass(frozen=True)
class RunnerOptions:
    """Where a command's pipeline runs."""

    runner: Annotated[Runner | None, Option(help="Where to run (default: here).")] = None
    flink_master: Annotated[
        str | None,
        Option(metavar="HOST:PORT", envvar="CARDLOG_FLINK_MASTER", help="JobManager of --runner flink."),
    ] = None

    @property
    def beam_options(self) -> list[str]:
        """Beam's options for the runner, and those after ``--``, which take precedence. Raises FlinkError if
        there is no such cluster."""
        from cardlog.pipelines.runtime import flink

        chosen = flink.options(self.flink_master or flink.DEFAULT_MASTER) if self.runner else []
        return [*chosen, *beam_options]


@dataclass(frozen=True)
class PipelineOptions(CommonOptions, RunnerOptions):
    """The options of commands that run a pipeline."""


def _checked(param: CallbackParam, value: Any) -> Any:
    """The value of an option or argument. Raises BadParameter, which names it, if it is empty, as from a
    variable that is not set, or is text and not UTF-8."""
    for text in value if isinstance(value, list | tuple) else [value]:
        if text == "" != param.default:
            raise BadParameter("it is empty")
        if isinstance(text, str) and param.metavar not in PATHS and not is_text(text):
            raise BadParameter("it is not valid UTF-8")
    return value


def command(function: Callable[..., None]) -> Callable[..., None]:
    """A command for typer, with an option for each field of a parameter that is a dataclass."""
    parameters: list[inspect.Parameter] = []
    groups: dict[str, Any] = {}
    for parameter in inspect.signature(function).parameters.values():
        options = {parameter.name: (parameter.annotation, parameter.default)}
        if is_dataclass(kind := parameter.annotation):
            groups[parameter.name] = kind
            hints = get_type_hints(kind, include_extras=True)
            options = {
                name: (hint, getattr(kind, name, inspect.Parameter.empty)) for name, hint in hints.items()
            }
        for hint, _ in options.values():
            for info in getattr(hint, "__metadata__", ()):
                if isinstance(info, ParameterInfo):
                    info.callback = _checked
        parameters += [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint)
            for name, (hint, default) in options.items()
        ]

    @wraps(function)
    def run(**values: Any) -> None:
        for name, kind in groups.items():
            values[name] = kind(**{field.name: values.pop(field.name) for field in fields(kind)})
        function(**values)

    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


def print_table(rows: list[dict[str, Any]], names: list[str] | None = None) -> None:
    """Print rows as a table, with all columns or the named ones."""
    names = names or list(rows[0])
    cells = [["" if row[name] is None else str(row[name]) for name in names] for row in rows]
    write_table(sys.stdout, names, cells)
