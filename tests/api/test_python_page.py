"""docs/python.md: its examples print what the page shows, and it mentions the whole API."""

import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

import cardlog

REPO = Path(__file__).parents[2]
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
assert result.attempted > 20 and result.failed == 0, "".join(output)
"""


@pytest.mark.long
@pytest.mark.parametrize("first", ["import ipywidgets", "sys.modules['ipywidgets'] = None"])
def test_examples_run_in_a_notebook(first: str, tmp_path: Path) -> None:
    (tmp_path / "tests").symlink_to(REPO / "tests")
    cell = RUN.format(first=first, folder=str(tmp_path), text="\n".join(BLOCKS))
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell)])
    NotebookClient(notebook, timeout=500, resources={"metadata": {"path": str(REPO)}}).execute()
    assert not [output for output in notebook.cells[0].outputs if output.output_type == "display_data"]


def test_it_names_everything() -> None:
    for name in {*cardlog.__all__, "Decisions"} - {
        "Built",
        "Hand",
        "Result",
        "Store",
        "__version__",
        "cards",
    }:
        assert name in PAGE, name
    for name in (name for name in vars(cardlog.Store) if not name.startswith("_")):
        assert re.search(rf"\b{name}\b", PAGE), name
