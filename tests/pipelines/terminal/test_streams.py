"""Standard streams that are closed, full or limited to ASCII: a message, never a traceback."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from cardlog.pipelines.terminal.streams import StreamError
from tests.support.forked import CLI, CLOSED, Streams, python

pytestmark = pytest.mark.long

REPO = Path(__file__).parents[3]


def forked(line: str, folder: Path, streams: Streams, **more: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of a command."""
    done = python(CLI, *shlex.split(line), cwd=folder, streams=streams, **more)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def started(line: str, folder: Path, streams: Streams, **more: str) -> tuple[int, str, str]:
    """The same of an interpreter that a shell starts."""
    marks = zip("<>>", range(3), streams, strict=True)
    redirected = [f"{n}{mark}{'&-' if path is CLOSED else path}" for mark, n, path in marks if path != ""]
    command = [shlex.quote(sys.executable), "-m", "cardlog", line, *redirected]
    done = subprocess.run(
        ["bash", "-c", " ".join(command)],
        capture_output=True, text=True, encoding="utf-8", cwd=folder, timeout=120, check=False,
        env={**os.environ, "PYTHONPATH": str(REPO), **more},
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


FULL = "cardlog: standard output can't be written: No space left on device\n"
CLOSED_OUT = "cardlog: standard output can't be written: it is closed\n"
CLOSED_IN = "cardlog: -: can't be read: [Errno 9] Bad file descriptor; nothing of it was stored\n"

FAILING = [
    ("games", Streams(stdout="/dev/full"), 2, FULL),
    ("games --json", Streams(stdout="/dev/full"), 2, FULL),
    ("simulate --game kaiser --hands 1 -", Streams(stdout="/dev/full"), 2, FULL),
    ("games", Streams(stdout=CLOSED), 2, CLOSED_OUT),
    ("games --json", Streams(stdout=CLOSED), 2, CLOSED_OUT),
    ("simulate --game kaiser --hands 1 -", Streams(stdout=CLOSED), 2, CLOSED_OUT),
    (
        "simulate --game kaiser --hands 1 log.csv",
        Streams(stdin=CLOSED, stdout=CLOSED),
        0,
        "Wrote 1 hands to log.csv.\n",
    ),
    ("ingest -", Streams(stdin=CLOSED), 2, CLOSED_IN),
    ("nonsense", Streams(stderr="/dev/full"), 2, ""),
    ("nonsense", Streams(stderr=CLOSED), 2, ""),
    ("games", Streams(CLOSED, CLOSED, CLOSED), 2, ""),
]
BY_A_SHELL = (1, 9, 10)
"""A full output, a closed one, and none at all: what the interpreter does when it begins and ends."""


@pytest.mark.parametrize(("line", "streams", "code", "err"), FAILING)
def test_a_stream_that_fails_is_named(
    line: str, streams: Streams, code: int, err: str, tmp_path: Path
) -> None:
    assert forked(line, tmp_path, streams) == (code, "", err)


@pytest.mark.parametrize(
    ("line", "streams", "code", "err"),
    [
        case if number in BY_A_SHELL else pytest.param(*case, marks=pytest.mark.soak)
        for number, case in enumerate(FAILING)
    ],
)
def test_a_stream_that_fails_is_named_from_a_shell(
    line: str, streams: Streams, code: int, err: str, tmp_path: Path
) -> None:
    assert started(line, tmp_path, streams) == (code, "", err)


def test_a_message_that_nobody_can_read_ends_no_run(tmp_path: Path) -> None:
    for name, stderr in (("closed.csv", CLOSED), ("full.csv", "/dev/full")):
        line = f"simulate --game kaiser --hands 3 {name}"
        assert forked(line, tmp_path, Streams(CLOSED, CLOSED, stderr)) == (0, "", "")
        assert len((tmp_path / name).read_text().splitlines()) == 4


OPEN = """
import os
from cardlog.pipelines.terminal import streams
with streams.guarded():
    raise SystemExit(os.open("log", os.O_WRONLY | os.O_CREAT))
"""


def test_no_file_is_given_the_number_of_a_closed_stream(tmp_path: Path) -> None:
    """A library that prints would write into it."""
    assert python(OPEN, cwd=tmp_path, streams=Streams(CLOSED, CLOSED, CLOSED)).returncode > 2


def test_data_is_in_utf_8_whatever_the_output_is_said_to_be(tmp_path: Path) -> None:
    def run(line: str) -> tuple[int, str, str]:
        return forked(line, tmp_path, Streams(), PYTHONIOENCODING="ascii")

    assert run("games")[0] == 0
    code, _, err = run("simulate --game kaiser --hands 1 ü.jsonl")
    assert (code, err) == (0, "Wrote 1 hands to \\xfc.jsonl.\n")
    assert run("ingest ü.jsonl --json")[0] == 0
    code, out, _ = run("ingest ü.jsonl --json")
    (skipped,) = json.loads(out)["skipped"]
    assert (code, skipped["path"]) == (0, "ü.jsonl")


def test_a_locale_of_ascii_is_no_error(tmp_path: Path) -> None:
    code, _, err = started("show 0000", tmp_path, Streams(), LC_ALL="C", LANG="C")
    assert (code, "Traceback" in err) == (2, False)


def test_our_symbols_have_letters_in_ascii() -> None:
    text = "▸5♥ ♣♦♠ · – → … ü".encode("ascii", "cardlog-plain").decode()
    assert text == r">5H CDS - - -> ... \xfc"
    assert StreamError("x").errno is None
