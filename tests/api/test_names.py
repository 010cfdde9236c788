"""What `import cardlog` offers: every name loads, none of them before it is used."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import cardlog

REPO = Path(__file__).parents[2]
SOURCE = ast.parse((REPO / "cardlog" / "__init__.py").read_text(encoding="utf-8"))
NAMES = {*cardlog.__all__, "Decisions"} - {"__version__", "CardlogError"}
HEAVY = {"apache_beam", "dbt", "deltalake", "duckdb", "numba", "numpy", "pandas", "pyarrow", "rich", "torch"}


def run(program: str) -> str:
    """The output of a program, run in its own process."""
    command = [sys.executable, "-c", program]
    return subprocess.run(command, cwd=REPO, capture_output=True, text=True, check=True).stdout


def test_importing_it_loads_none_of_the_libraries() -> None:
    assert HEAVY & set(run("import sys, cardlog; dir(cardlog); print(*sys.modules)").split()) == set()


@pytest.mark.parametrize("name", sorted(NAMES - {"Decisions"}))
def test_every_name_loads(name: str) -> None:
    found = getattr(cardlog, name)
    assert found.__doc__
    assert name in dir(cardlog)


def test_types_are_known_for_exactly_the_names_that_load() -> None:
    """Type checkers see the imports under TYPE_CHECKING, programs the table of modules."""
    [block] = [
        node for node in SOURCE.body if isinstance(node, ast.If) and "not" not in ast.unparse(node.test)
    ]
    seen = {
        alias.asname: node.module
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert seen == cardlog._MODULES
    assert set(seen) == NAMES


def test_a_name_there_is_none_of_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'opne'"):
        cardlog.opne  # type: ignore[attr-defined]  # noqa: B018


def test_all_errors_are_one_family() -> None:
    errors = [cardlog.__dict__.get(name) or getattr(cardlog, name) for name in NAMES - {"Decisions"}]
    kinds = [kind for kind in errors if isinstance(kind, type) and issubclass(kind, Exception)]
    assert len(kinds) > 10
    assert all(issubclass(kind, cardlog.CardlogError) for kind in kinds if not issubclass(kind, Warning))


@pytest.mark.long
def test_without_torch_all_else_can_be_had() -> None:
    program = (
        "import sys; sys.modules['torch'] = None\n"
        "import cardlog\n"
        "from cardlog import *\n"
        "try: cardlog.Decisions\n"
        "except cardlog.MissingPackage as error: print(error)\n"
    )
    assert run(program) == "cardlog.Decisions needs PyTorch; install the extra 'cardlog[torch]'\n"
