"""How tests of the terminal run commands."""

from pathlib import Path

import pytest

from tests.support.commands import Cardlog, runner


@pytest.fixture
def cardlog(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Cardlog:
    """Runs a command line in this process, in a folder of its own, with no settings from the environment."""
    for name in ("CARDLOG_STORE", "CARDLOG_LOG_JSON", "NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return runner(capsys, monkeypatch)
