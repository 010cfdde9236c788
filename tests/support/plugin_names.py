"""The names of `cardlog.plugin`, as docs/plugin-names.md lists them; run as a module, it writes that file."""

import ast
import inspect
from collections.abc import Iterator
from enum import EnumType
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from cardlog import plugin

LISTED: Final = Path(__file__).parents[2] / "docs" / "plugin-names.md"
_HEAD: Final = """# The names of cardlog.plugin

What a package may import, with the arguments in their order; those with `=` have a default. From version 1.1
on a name stays, and what works with it goes on working: arguments with a default may be added at the end.
`tests/test_plugin.py` compares this list with the code; `python -m tests.support.plugin_names` writes it.

"""


def names() -> dict[str, Any]:
    """What `cardlog.plugin` has, by name."""
    return {name: value for name, value in sorted(vars(plugin).items()) if _is_public(name, value)}


def listed() -> str:
    """The whole file."""
    return _HEAD + "".join(f"{line}\n" for line in _lines())


def _lines() -> Iterator[str]:
    modules = {name: value for name, value in names().items() if isinstance(value, ModuleType)}
    yield "```text"
    for name, value in names().items():
        if name not in modules:
            yield from _described(name, value)
    yield "```"
    for name, module in modules.items():
        constants = _constants(module)
        own = {
            key: each
            for key, each in sorted(vars(module).items())
            if not key.startswith("_")
            and (key in constants or getattr(each, "__module__", "") == module.__name__)
        }
        yield from ("", f"`{name}`", "", "```text")
        for key, each in own.items():
            yield from _described(key, each)
        yield "```"


def _is_public(name: str, value: object) -> bool:
    return not name.startswith("_") and getattr(value, "__module__", "") != "typing"


def _constants(module: ModuleType) -> set[str]:
    """The names in capitals that a module assigns."""
    found = ast.walk(ast.parse(inspect.getsource(module)))
    names = {node.id for node in found if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    return {name for name in names & vars(module).keys() if name.isupper()}


def _described(name: str, value: Any) -> Iterator[str]:
    """A line for a function or a constant; for a class, one more for each of its methods."""
    if isinstance(value, EnumType):
        yield f"{name}: {', '.join(value.__members__)}"
    elif inspect.isclass(value):
        yield name + ("" if getattr(value, "_is_protocol", False) else _arguments(value))
        for key, each in sorted(vars(value).items()):
            if inspect.isfunction(each) and not key.startswith("_"):
                yield f"    .{key}{_arguments(each, skip=1)}"
    else:
        yield name + (_arguments(value) if inspect.isroutine(_plain(value)) else "")


def _plain(function: Any) -> Any:
    """A function that may be compiled, as Python has it."""
    return getattr(function, "py_func", function)


def _arguments(function: Any, skip: int = 0) -> str:
    found = inspect.signature(_plain(function)).parameters.values()
    marks = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    texts = []
    for parameter in list(found)[skip:]:
        has_default = parameter.default is not inspect.Parameter.empty
        texts.append(f"{marks.get(parameter.kind, '')}{parameter.name}{'=' * has_default}")
    return f"({', '.join(texts)})"


if __name__ == "__main__":
    LISTED.write_text(listed(), "utf-8")
