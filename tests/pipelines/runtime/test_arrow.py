"""What takes a fifth of a second to load is not loaded by what should answer at once."""

import subprocess
import sys
from pathlib import Path

import pytest

from cardlog.pipelines.sql import process
from tests.support.csv_rows import SAMPLE
from tests.support.shared import small_store


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=True)


@pytest.mark.skipif(not Path("/proc").exists(), reason="no list of what a process has loaded")
def test_commands_do_without_pandas(tmp_path: Path) -> None:
    store, log = small_store(), tmp_path / "some.csv"
    log.write_text("".join(SAMPLE.read_text().splitlines(keepends=True)[:3]))
    connection = process.ask(store, "select hand_id from events limit 1")
    [(hand,)] = connection.fetchmany(2)
    loaded = Path(f"/proc/{connection._process}/maps").read_text()
    connection.close()
    assert "pyarrow" in loaded
    assert "pandas" not in loaded
    for command in (["show", hand], ["ingest", "--dry-run", str(log)]):
        program = ("-X", "importtime", "-m", "cardlog.pipelines.terminal.cli")
        done = run(*program, *command, "--store", store.root)
        assert hand in done.stdout or "2 duplicates" in done.stderr
        assert "pyarrow.lib" in done.stderr
        assert "pandas." not in done.stderr


def test_frames_can_be_made_afterwards() -> None:
    program = """if True:
        import pyarrow as pa
        from cardlog.pipelines.runtime.arrow import without_pandas
        without_pandas()
        table = pa.table({"a": [1]})
        print(table.to_pandas().to_dict("list"))
    """
    assert run("-c", program).stdout == "{'a': [1]}\n"
