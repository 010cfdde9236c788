"""docs/python.md: its examples print what the page shows, and it mentions the whole API."""

import doctest
import re
from pathlib import Path

import pytest

import cardlog

REPO = Path(__file__).parents[2]
PAGE = (REPO / "docs" / "python.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```pycon\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.long
def test_examples_print_what_the_page_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tests").symlink_to(REPO / "tests")
    examples = doctest.DocTestParser().get_doctest("\n".join(BLOCKS), {}, "docs/python.md", None, 0)
    assert len(examples.examples) > 20
    output: list[str] = []
    how = doctest.IGNORE_EXCEPTION_DETAIL | doctest.NORMALIZE_WHITESPACE
    result = doctest.DocTestRunner(optionflags=how).run(examples, out=output.append)
    assert result.failed == 0, "".join(output)


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
