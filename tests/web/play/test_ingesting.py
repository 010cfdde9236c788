"""The process that ingests for a server answers each request with a line, and ends with the server."""

import json
import subprocess
import sys
from pathlib import Path

COMMAND = [sys.executable, "-m", "cardlog.web.play.ingesting"]


def request(folder: Path) -> bytes:
    """One for a file that isn't there."""
    wanted = {"store": str(folder / "store"), "paths": [str(folder / "gone.jsonl")]}
    return json.dumps(wanted).encode() + b"\n"


def test_it_answers_each_request_with_what_went_wrong(tmp_path: Path) -> None:
    run = subprocess.run(COMMAND, input=request(tmp_path) * 2, capture_output=True, check=True)
    first, second = run.stdout.decode().splitlines()
    assert "gone.jsonl" in first
    assert first == second


def test_it_ends_without_a_word_when_the_server_is_gone_before_it_answers(tmp_path: Path) -> None:
    pipe = subprocess.PIPE
    with subprocess.Popen(COMMAND, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        process.stdin.write(request(tmp_path))
        process.stdin.close()
        assert process.stderr.read() == b""
        assert process.wait() == 0
