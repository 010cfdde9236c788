"""The house as docs/architecture.md draws it is the one that the imports make; ruff sees to it that they are
absolute, and that functions have few parameters."""

import ast
import json
import os
import re
import subprocess
import sys
from fnmatch import fnmatch
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from cardlog import models
from cardlog.pipelines import readers

REPO = Path(__file__).parents[1]
PAGE = REPO / "docs" / "architecture.md"
LAYERS = ("schemas", "models", "pipelines", "web", "cardlog")
MOST_LINES = 400
MOST_FUNCTION_LINES = 50
NAMES_GAMES = {
    "benchmarks.data",
    "benchmarks.rules",
    "benchmarks.training",
    "cardlog.models",
    "cardlog.pipelines.derive.projections",
    "cardlog.pipelines.hands",
    "cardlog.pipelines.readers",
    "cardlog.schemas.docs",
    "cardlog.schemas.tables",
}
"""Modules that name games and are no game's own: registries, what columns mean, what is measured; may only
shrink."""


@cache
def modules() -> dict[str, Path]:
    """Every module of the package, by its dotted name."""
    found = {}
    for layer in LAYERS[:4]:
        for path in (REPO / layer).rglob("*.py"):
            name = ".".join(("cardlog", *path.relative_to(REPO).with_suffix("").parts))
            found[name.removesuffix(".__init__")] = path
    for path in (REPO / "cardlog").glob("*.py"):
        found[f"cardlog.{path.stem}".removesuffix(".__init__")] = path
    return found


@cache
def tree_of(path: Path) -> ast.Module:
    """A module's syntax tree."""
    return ast.parse(path.read_text(encoding="utf-8"))


def room_of(module: str) -> str | None:
    """The room a module is in; None for what all rooms of pipelines may use."""
    _, *parts = module.split(".")
    if not parts or parts[0] not in LAYERS:
        return "cardlog"
    layer, *rest = parts
    if layer == "models" and rest:
        return "games" if rest[0] in models.GAMES else rest[0]
    if layer != "pipelines":
        return layer
    is_room = rest and ((REPO / layer / rest[0]).is_dir() or rest[0] in ("runs", "operations"))
    return rest[0] if is_room else None


def imports_of(module: str) -> set[str]:
    """The modules of the package that a module imports, also in functions and for types alone."""
    found: set[str] = set()
    for node in ast.walk(tree_of(modules()[module])):
        if isinstance(node, ast.ImportFrom):
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            found.update(name if name in modules() else name.rpartition(".")[0] for name in names)
        elif isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
    return {name for name in found if name in modules()} - {module}


def drawn() -> dict[str, set[str]]:
    """The arrows of the page's diagram: from a room to those it imports from."""
    text = PAGE.read_text(encoding="utf-8")
    diagram = text.split("```mermaid\n")[1].split("```")[0]
    arrows: dict[str, set[str]] = {}
    for start, end in re.findall(r"^\s*(\w+) --> (\w+)$", diagram, re.MULTILINE):
        arrows.setdefault(start, set()).add(end)
    return arrows


def actual() -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for module in modules():
        here = room_of(module)
        for there in map(room_of, imports_of(module)):
            if here and there and here != there:
                found.setdefault(here, set()).add(there)
    return found


def reachable(arrows: dict[str, set[str]], room: str) -> set[str]:
    beside = arrows.get(room, set())
    return beside.union(*(reachable(arrows, there) for there in beside))


def test_the_diagram_is_what_the_imports_make() -> None:
    arrows, found = drawn(), actual()
    assert {*arrows, *set().union(*arrows.values())} == {*found, *set().union(*found.values())}
    for room, others in found.items():
        assert others <= reachable(arrows, room), f"{room} imports {others - reachable(arrows, room)}"
    for room, others in arrows.items():
        assert others <= found[room], f"{room} does not import {others - found[room]}"


def test_rooms_and_modules_import_nothing_in_a_circle() -> None:
    """Nor by the name of a module, where a circle would not be seen."""
    list(TopologicalSorter(drawn()).static_order())
    list(TopologicalSorter({name: imports_of(name) for name in modules()}).static_order())
    for module, path in modules().items():
        by_name = re.search(r"import_module\(f?[\"']", path.read_text(encoding="utf-8"))
        assert not by_name or not module.startswith(("cardlog.schemas", "cardlog.models")), module


def named_in(path: Path) -> set[str]:
    """The names of games in a module's code, without its docstrings."""
    docs, texts = set(), []
    for node in ast.walk(tree_of(path)):
        match node:
            case ast.Expr(value=ast.Constant() as text):
                docs.add(text)
            case ast.Constant(value=str(text)) if node not in docs:
                texts.append(text)
            case ast.Name(id=text) | ast.Attribute(attr=text) | ast.ImportFrom(module=str(text)):
                texts.append(text)
            case ast.alias(name=text, asname=other):
                texts += [text, other or ""]
    words = "|".join(f"{name}|{models.game(name).title}" for name in models.GAMES)
    return set(re.findall(rf"(?<![A-Za-z])(?:{words})(?![A-Za-z])", "\n".join(texts)))


def test_only_a_game_names_itself() -> None:
    """A new game needs no line in any other file than its own and the registries."""
    own = (*models.GAMES, *(form.replace("-", "_") for form in readers.FORMATS))
    paths = modules() | {f"benchmarks.{path.stem}": path for path in (REPO / "benchmarks").glob("*.py")}
    naming = {
        name
        for name, path in paths.items()
        if not any(part.startswith(own) for part in name.split(".")) and named_in(path)
    }
    assert naming == NAMES_GAMES


def test_the_page_and_the_api_know_nothing_of_the_terminal() -> None:
    assert "terminal" not in reachable(actual(), "web")
    terminal = {name for name in modules() if room_of(name) == "terminal"}
    assert {name for name in modules() if room_of(name) == "cardlog" and imports_of(name) & terminal} == {
        "cardlog.__main__"
    }


def test_every_room_is_described() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for room in actual():
        assert re.search(rf"^\| (?:`(?:models/)?)?{room}\b", text, re.MULTILINE), room


def test_modules_and_functions_can_be_seen_whole() -> None:
    long = []
    for module, path in modules().items():
        long += [module] * (len(path.read_text(encoding="utf-8").splitlines()) > MOST_LINES)
        functions = [node for node in ast.walk(tree_of(path)) if isinstance(node, ast.FunctionDef)]
        for node in functions:
            is_long = (node.end_lineno or 0) - node.lineno >= MOST_FUNCTION_LINES
            long += [f"{module}.{node.name}"] * is_long
    assert long == []


def test_no_folder_of_tests_is_left_out(pytestconfig: pytest.Config) -> None:
    """By default pytest does not look into folders named build or dist."""
    patterns = pytestconfig.getini("norecursedirs")
    folders = {path.parent.name for path in (REPO / "tests").rglob("test_*.py")}
    assert not [name for name in folders if any(fnmatch(name, pattern) for pattern in patterns)]


# ---------------------------------------------------------------- one Kaiser card


MOST_FILES = 15
_TRACED = """
import json, os, sys, threading
import cardlog

called = set()

def note(frame, event, argument):
    if event == "call" and frame.f_code.co_name != "<module>":
        called.add(os.path.realpath(frame.f_code.co_filename))

threading.setprofile(note)
sys.setprofile(note)
store = cardlog.open("store")
store.ingest("log.csv")
store.export("rows", game="kaiser")
sys.setprofile(None)
print(json.dumps(sorted(called)))
"""


def named_files() -> list[str]:
    """The files that the page names, of which there are few."""
    section = PAGE.read_text("utf-8").partition("## One Kaiser card")[2].partition("\n## ")[0]
    return re.findall(r"^\| `([\w/]+\.py)` \|", section, re.MULTILINE)


@pytest.mark.long
def test_a_card_goes_through_each_file_that_the_page_names(tmp_path: Path) -> None:
    sample = REPO / "tests" / "fixtures" / "kaiser" / "playedhand_sample.csv"
    lines = sample.read_text("utf-8").splitlines(keepends=True)
    (tmp_path / "log.csv").write_text("".join(lines[:3]), "utf-8")
    environment = os.environ | {"PYTHONPATH": str(REPO), "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(
        [sys.executable, "-c", _TRACED], cwd=tmp_path, env=environment, capture_output=True, check=True
    )
    files = {
        str(Path(path).relative_to(REPO))
        for path in json.loads(done.stdout)
        if Path(path).is_relative_to(REPO)
    }
    assert 10 < len(named_files()) <= MOST_FILES
    assert not set(named_files()) - files
