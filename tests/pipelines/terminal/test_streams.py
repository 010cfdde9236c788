"""Standard streams that are closed, full or limited to ASCII: a message, never a traceback."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.forked import CLI, CLOSED, Streams, python

pytestmark = pytest.mark.long

REPO = Path(__file__).parents[3]


def forked(line: str, folder: Path, streams: Streams, **more: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of a command."""
    done = python(CLI, *shlex.split(line), cwd=folder, streams=streams, **more)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def started(line: str, folder: Path, **more: str) -> tuple[int, str, str]:
    """The same of an interpreter that a shell starts."""
    done = subprocess.run(
        ["bash", "-c", f"{shlex.quote(sys.executable)} -m cardlog {line}"],
        capture_output=True, text=True, encoding="utf-8", cwd=folder, timeout=120, check=False,
        env={**os.environ, "PYTHONPATH": str(REPO), **more},
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("line", ["games", "games --json", "simulate --game kaiser --hands 1 -"])
def test_data_that_can_not_be_written_is_an_error(line: str, tmp_path: Path) -> None:
    full = "cardlog: [Errno 28] No space left on device\n"
    assert forked(line, tmp_path, Streams(stdout="/dev/full")) == (2, "", full)


@pytest.mark.parametrize("stderr", [CLOSED, "/dev/full"])
def test_a_message_that_nobody_can_read_ends_no_run(stderr: str | None, tmp_path: Path) -> None:
    line = "simulate --game kaiser --hands 3 log.csv"
    assert forked(line, tmp_path, Streams(CLOSED, CLOSED, stderr)) == (0, "", "")
    assert len((tmp_path / "log.csv").read_text().splitlines()) == 4
    assert forked("nonsense", tmp_path, Streams(stderr=stderr))[0] == 2


def test_no_file_is_given_the_number_of_a_closed_stream(tmp_path: Path) -> None:
    """A library that prints would write into it."""
    code = "import os; from cardlog.pipelines.terminal import console; console.guarded().__enter__(); "
    code += "raise SystemExit(os.open('log', os.O_WRONLY | os.O_CREAT))"
    assert python(code, cwd=tmp_path, streams=Streams(CLOSED, CLOSED, CLOSED)).returncode > 2


def test_data_is_in_utf_8_whatever_the_output_is_said_to_be(tmp_path: Path) -> None:
    ingest = "ingest ü.jsonl --json"
    found = [
        forked(line, tmp_path, Streams(), PYTHONIOENCODING="ascii")
        for line in ("games", "simulate --game kaiser --hands 1 ü.jsonl", ingest, ingest)
    ]
    assert [code for code, _, _ in found] == [0] * 4
    assert found[1][2] == "Wrote 1 hands to \\xfc.jsonl.\n"
    [skipped] = json.loads(found[3][1])["skipped"]
    assert skipped["path"] == "ü.jsonl"


def test_neither_a_locale_of_ascii_nor_closed_streams_are_an_error(tmp_path: Path) -> None:
    code, _, err = started("show 0000", tmp_path, LC_ALL="C", LANG="C")
    assert (code, "Traceback" in err) == (2, False)
    assert started("games <&- >&- 2>&-", tmp_path) == (0, "", ""), "closed streams are as good as empty"


def test_our_symbols_have_letters_in_ascii() -> None:
    text = "▸5♥ ♣♦♠ · – → … ü".encode("ascii", "cardlog-plain").decode()
    assert text == r">5H CDS - - -> ... \xfc"
