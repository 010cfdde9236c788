"""The three packages are this repo's, and imports point one way: schemas, models, pipelines."""

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

REPO = Path(__file__).parents[2]
FORBIDDEN = {"schemas": {"models", "pipelines"}, "models": {"pipelines"}, "pipelines": set()}
"""What no module of a package may import."""


@pytest.mark.parametrize("name", FORBIDDEN)
def test_package_is_this_repos(name: str) -> None:
    package = importlib.import_module(name)
    assert package.__file__ is not None
    assert Path(package.__file__) == REPO / name / "__init__.py"


def test_no_folder_of_tests_takes_a_packages_name() -> None:
    """tests/models would hide models as soon as it were a package itself."""
    for name in FORBIDDEN:
        assert not (REPO / "tests" / name / "__init__.py").exists()


def imported(source: str) -> set[str]:
    """Top-level names of what a module imports, wherever in it, by name too."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            found.add((node.module or "").split(".")[0])
        elif isinstance(node, ast.Call) and "import_module" in ast.unparse(node.func):
            found |= {str(arg.value).split(".")[0] for arg in node.args if isinstance(arg, ast.Constant)}
    return found


def test_imported_sees_every_way_to_import() -> None:
    source = "import models.fold\ndef f():\n    from pipelines import cli\n    import_module('dbt.cli')\n"
    assert imported(source) == {"models", "pipelines", "dbt"}


@pytest.mark.parametrize("name", FORBIDDEN)
def test_imports_point_one_way(name: str) -> None:
    modules = sorted((REPO / name).rglob("*.py"))
    assert modules
    for module in modules:
        wrong = imported(module.read_text(encoding="utf-8")) & (FORBIDDEN[name] | {"tests"})
        assert not wrong, f"{module.relative_to(REPO)} imports {wrong}"


@pytest.mark.parametrize(
    ("name", "others"), [("schemas.versions", FORBIDDEN["schemas"]), ("models.kaiser", FORBIDDEN["models"])]
)
def test_importing_one_does_not_load_what_builds_on_it(name: str, others: set[str]) -> None:
    program = f"import sys, {name}; print(*{{m.split('.')[0] for m in sys.modules}})"
    command = [sys.executable, "-c", program]
    loaded = subprocess.run(command, cwd=REPO, capture_output=True, text=True, check=True).stdout.split()
    assert name.split(".")[0] in loaded
    assert not others & set(loaded)
    assert "apache_beam" not in loaded
