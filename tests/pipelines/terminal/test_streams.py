"""Standard streams that are closed, full or limited to ASCII: a message, never a traceback."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from cardlog.pipelines.terminal import streams

REPO = Path(__file__).parents[3]
CARDLOG = f'"{sys.executable}" -c "from cardlog.pipelines.terminal import cli; cli.main()"'


def shell(line: str, folder: Path, **more: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of a shell line in which CARDLOG stands for the command."""
    done = subprocess.run(
        ["bash", "-c", line.replace("CARDLOG", CARDLOG)],
        capture_output=True, text=True, encoding="utf-8", cwd=folder, timeout=120, check=False,
        env={**os.environ, "PYTHONPATH": str(REPO), **more},
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


FULL = "cardlog: standard output can't be written: No space left on device\n"
CLOSED = "cardlog: standard output is closed\n"


@pytest.mark.parametrize(
    ("line", "code", "err"),
    [
        ("CARDLOG games >/dev/full", 2, FULL),
        ("CARDLOG games --json >/dev/full", 2, FULL),
        ("CARDLOG simulate --game kaiser --hands 1 - >/dev/full", 2, FULL),
        ("CARDLOG games >&-", 2, CLOSED),
        ("CARDLOG games --json >&-", 2, CLOSED),
        ("CARDLOG simulate --game kaiser --hands 1 - >&-", 2, CLOSED),
        ("CARDLOG simulate --game kaiser --hands 1 log.csv >&- <&-", 0, "Wrote 1 hands to log.csv.\n"),
        (
            "CARDLOG ingest - <&-",
            2,
            "cardlog: -: can't be read: standard input is closed; nothing of it was stored\n",
        ),
        ("CARDLOG nonsense 2>/dev/full", 2, ""),
        ("CARDLOG nonsense 2>&-", 2, ""),
        ("CARDLOG games >&- 2>&- <&-", 2, ""),
    ],
)
def test_a_stream_that_fails_is_named(line: str, code: int, err: str, tmp_path: Path) -> None:
    assert shell(line, tmp_path) == (code, "", err)


def test_a_message_that_nobody_can_read_ends_no_run(tmp_path: Path) -> None:
    for closed in ("2>&-", "2>/dev/full"):
        line = f"CARDLOG simulate --game kaiser --hands 3 {len(closed)}.csv {closed} >&- <&-"
        assert shell(line, tmp_path) == (0, "", "")
        # No file was given the number of a closed stream: nothing but rows is in it.
        assert len((tmp_path / f"{len(closed)}.csv").read_text().splitlines()) == 4


def test_data_is_in_utf_8_whatever_the_output_is_said_to_be(tmp_path: Path) -> None:
    assert shell("CARDLOG games", tmp_path, PYTHONIOENCODING="ascii")[0] == 0
    code, out, err = shell(
        "CARDLOG simulate --game kaiser --hands 1 'ü.jsonl'; CARDLOG ingest 'ü.jsonl' --json; "
        "CARDLOG ingest 'ü.jsonl' --json",
        tmp_path,
        PYTHONIOENCODING="ascii",
    )
    assert code == 0
    assert r"Wrote 1 hands to \xfc.jsonl." in err
    (skipped,) = json.loads(out[out.rindex("\n{\n") :])["skipped"]
    assert skipped["path"] == "ü.jsonl"
    code, out, err = shell("CARDLOG games; CARDLOG show 0000", tmp_path, LC_ALL="C", LANG="C")
    assert (code, "Traceback" in err) == (2, False)


def test_our_symbols_have_letters_in_ascii() -> None:
    text = "▸5♥ ♣♦♠ · – → … ü".encode("ascii", "cardlog-plain").decode()
    assert text == r">5H CDS - - -> ... \xfc"
    assert streams.StreamError("x").errno is None
