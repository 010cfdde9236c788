"""The last release, unpacked and measured beside this tree, to see what has become slower."""

import json
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Final

from benchmarks.data import ROOT

RELEASE: Final = "19ccc4fd"
"""The tag or commit of the last release, for the next release to change."""
FALLEN: Final = 0.9  # how much of the release's figure must be left

_MEASURE: Final = """
import json, sys
from pathlib import Path
from statistics import median
from benchmarks.__main__ import BENCHMARKS
from benchmarks.data import Data

out, sys.stdout = sys.stdout, sys.stderr
data = Data(Path(sys.argv[1]), quick=bool(sys.argv[2]))
for name in map(str.strip, sys.stdin):
    figures = BENCHMARKS[name](data) if name in BENCHMARKS else ()
    values = {figure.name: median(figure.values) if figure.cpu is None else figure.cpu for figure in figures}
    print(json.dumps(values), file=out, flush=True)
"""


class Release:
    """A process that runs the release's benchmarks on its own data, one when asked."""

    def __init__(self, tree: Path, data: Path, *, quick: bool) -> None:
        command = [sys.executable, "-c", _MEASURE, str(data), "quick" if quick else ""]
        self._process = subprocess.Popen(
            command, cwd=tree, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def measure(self, benchmark: str) -> dict[str, float]:
        """The figures of a benchmark by name, from CPU time where there is one; none if the release lacks it.
        Raises RuntimeError if it fails."""
        assert self._process.stdin
        assert self._process.stdout
        print(benchmark, file=self._process.stdin, flush=True)
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"the benchmark {benchmark} of {RELEASE} failed; its error is above")
        figures: dict[str, float] = json.loads(line)
        return figures

    def close(self) -> None:
        """End the process."""
        self._process.communicate()


@contextmanager
def release(folder: Path, *, quick: bool) -> Iterator[Release | None]:
    """The release, unpacked in a folder; None, with a message, where Git does not have it."""
    archive = subprocess.run(["git", "archive", RELEASE], cwd=ROOT, capture_output=True)
    if archive.returncode != 0:
        reason = archive.stderr.decode().strip()
        print(f"Not compared with the last release, {RELEASE}: {reason}", file=sys.stderr)
        yield None
        return
    tree, data = folder / "release", folder / "release-data"
    data.mkdir()
    with tarfile.open(fileobj=BytesIO(archive.stdout)) as files:
        files.extractall(tree, filter="tar")
    process = Release(tree, data, quick=quick)
    try:
        yield process
    finally:
        process.close()
