"""What `import cardlog` offers: every name loads. The wheel has that one name and every file, and `make
newest` runs it beside packages of the user's own; docs/python.md shows it."""

import ast
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

import cardlog
from tests.support.shared import small_store

REPO = Path(__file__).parents[2]
SOURCE = ast.parse((REPO / "cardlog" / "__init__.py").read_text(encoding="utf-8"))
NAMES = {*cardlog.__all__, "Decisions"} - {"__version__", "CardlogError"}


def test_every_name_loads_and_all_errors_are_one_family() -> None:
    found = {name: getattr(cardlog, name) for name in sorted(NAMES - {"Decisions"})}
    assert not [name for name, value in found.items() if not value.__doc__ or name not in dir(cardlog)]
    errors = [kind for kind in found.values() if isinstance(kind, type) and issubclass(kind, Exception)]
    assert len(errors) > 10
    assert all(issubclass(kind, cardlog.CardlogError) for kind in errors if not issubclass(kind, Warning))
    with pytest.raises(AttributeError, match="no attribute 'opne'"):
        cardlog.opne  # type: ignore[attr-defined]  # noqa: B018


def test_types_are_known_for_exactly_the_names_that_load() -> None:
    """Type checkers see the imports under TYPE_CHECKING, programs the table of modules."""
    ifs = (node for node in SOURCE.body if isinstance(node, ast.If))
    [block] = [node for node in ifs if "not" not in ast.unparse(node.test)]
    imports = [node for node in block.body if isinstance(node, ast.ImportFrom)]
    seen = {alias.asname: node.module for node in imports for alias in node.names}
    assert seen == cardlog._MODULES
    assert set(seen) == NAMES


@pytest.mark.long
def test_without_torch_all_else_can_be_had() -> None:
    program = (
        "import sys; sys.modules['torch'] = None\n"
        "import cardlog\n"
        "from cardlog import *\n"
        "try: cardlog.Decisions\n"
        "except cardlog.MissingPackage as error: print(error)\n"
    )
    said = subprocess.check_output([sys.executable, "-c", program], cwd=REPO, text=True)
    assert said == "cardlog.Decisions needs PyTorch; install the extra 'cardlog[torch]'\n"


@pytest.mark.long
def test_it_has_one_name_and_every_file_of_the_packages(tmp_path: Path) -> None:
    """Built without a network."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=REPO, check=True, capture_output=True)
    [wheel] = tmp_path.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {name.split("/")[0] for name in names} == {"cardlog", f"cardlog-{cardlog.__version__}.dist-info"}
    assert not [name for name in names if "__pycache__" in name or "/target/" in name]
    kinds = [f"{layer}/**/*.py" for layer in ("schemas", "models", "pipelines", "web")]
    kinds += ["web/templates/*", "web/static/*", "dbt_project/models/**/*.*ml", "models/*/network.npz"]
    for kind in (*kinds, "dbt_project/dbt_project.yml"):
        files = {f"cardlog/{path.relative_to(REPO)}" for path in REPO.glob(kind)}
        assert files, kind
        assert files <= names
    assert "cardlog/py.typed" in names


PAGE = (REPO / "docs" / "python.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```pycon\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


RUN = """
import doctest, os, sys
{first}
os.chdir({folder!r})
page = doctest.DocTestParser().get_doctest({text!r}, {{}}, "docs/python.md", None, 0)
options = doctest.IGNORE_EXCEPTION_DETAIL | doctest.NORMALIZE_WHITESPACE
output = []
result = doctest.DocTestRunner(optionflags=options).run(page, out=output.append)
assert result.attempted >= {least} and result.failed == 0, "".join(output)
"""


@pytest.mark.long
@pytest.mark.parametrize("has_widgets", [True, False])
def test_examples_run_in_a_notebook(has_widgets: bool, tmp_path: Path) -> None:
    """All of them with ipywidgets, which DuckDB would use, and a query without."""
    query = f">>> import cardlog; cardlog.open({small_store().root!r}).sql('select 7').fetchall()\n[(7,)]\n"
    text, least = ("\n".join(BLOCKS), 20) if has_widgets else (query, 1)
    (tmp_path / "tests").symlink_to(REPO / "tests")
    first = "import ipywidgets" if has_widgets else "sys.modules['ipywidgets'] = None"
    cell = RUN.format(first=first, folder=str(tmp_path), text=text, least=least)
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell)])
    NotebookClient(notebook, timeout=500, resources={"metadata": {"path": str(REPO)}}).execute()
    assert not [output for output in notebook.cells[0].outputs if output.output_type == "display_data"]


def test_it_names_everything() -> None:
    for name in (NAMES | {"CardlogError"}) - {"Built", "Hand", "Result", "Store", "cards"}:
        assert name in PAGE, name
    for name in (name for name in vars(cardlog.Store) if not name.startswith("_")):
        assert re.search(rf"\b{name}\b", PAGE), name
