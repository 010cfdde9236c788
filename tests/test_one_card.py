"""One Kaiser card goes through the files that docs/architecture.md names, of which there are few."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

REPO: Final = Path(__file__).parents[1]
PAGE: Final = REPO / "docs" / "architecture.md"
MOST_FILES: Final = 15
_TRACED: Final = """
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


def named() -> list[str]:
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
    assert 10 < len(named()) <= MOST_FILES
    assert not set(named()) - files
