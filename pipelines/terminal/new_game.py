"""The skeleton of a package for a game, a copy of `examples/my_game` with another name."""

import re
from importlib.util import find_spec
from keyword import iskeyword
from pathlib import Path
from typing import Final

from cardlog import models
from cardlog.pipelines.runtime.whole import new_file
from cardlog.schemas import registry
from cardlog.schemas.errors import CardlogError

NAME: Final = "my_game"
"""The game's name in the skeleton."""
_OF_THE_MARTS: Final = ("cardlog", "core", "analysis", "quality")  # dbt's project, and its groups
_FOLDERS: Final = (
    Path(__file__).parents[2] / "skeleton",
    Path(__file__).resolve().parents[2] / "examples" / NAME,
)
"""The folder of the skeleton: in an installed package, and in the repository."""


def write(name: str, folder: Path) -> list[Path]:
    """Write the skeleton into a new or empty folder; returns its files.

    Raises CardlogError if the game can't have that name, or if there is something in the folder.
    """
    _check_name(name)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise CardlogError(f"{folder} is there already and not an empty folder; name another one")
    skeleton = next(filter(Path.is_dir, _FOLDERS))
    files = [file for file in sorted(skeleton.rglob("*")) if file.is_file() and file.suffix != ".pyc"]
    written = []
    for file in files:
        path = folder / _renamed(str(file.relative_to(skeleton)), name)
        path.parent.mkdir(parents=True, exist_ok=True)
        with new_file(path) as whole:
            whole.write(_renamed(file.read_text("utf-8"), name).encode())
        written.append(path)
    return written


def _check_name(name: str) -> None:
    """Raise CardlogError unless a new game can have a name."""
    if not re.fullmatch("[a-z][a-z0-9_]*", name) or iskeyword(name):
        raise CardlogError(
            f"a game can't be named {name!r}: a name is a word of small letters, digits and underscores that "
            "begins with a letter, and not one of Python's own"
        )
    ours = registry.OURS if name in (*models.GAMES.ours, *_OF_THE_MARTS) else ""
    package = f"cardlog_{name}" if find_spec(f"cardlog_{name}") else ""
    if taken := ours or registry.package_of(registry.GAMES, name) or package:
        raise CardlogError(f"the name {name} is taken by {taken}; choose another one")


def _renamed(text: str, name: str) -> str:
    words = name.replace("_", " ")
    forms = {
        "my_game": name, "my-game": name.replace("_", "-"), "My game": words.capitalize(), "my game": words,
    }  # fmt: skip
    return re.sub("|".join(forms), lambda found: forms[found[0]], text)
