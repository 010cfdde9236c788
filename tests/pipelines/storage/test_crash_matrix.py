"""Every command that writes: killed at any moment, on a full disk, in a store that is read-only."""

import os
import random
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.child import LIMIT, Child
from tests.support.crash_cases import LINES, Case, Cases, kill
from tests.support.csv_rows import changed, dump, dump_lines
from tests.support.figures import report
from tests.support.stores import ALL, assert_same

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("own_temporary_folder")]

KILLS = int(os.environ.get("CARDLOG_SOAK_KILLS", "200"))
"""Of all commands together, in the long form."""
QUICK = ("ingest", "build", "export", "vacuum", "compact", "retry")
SHARES = (0.05, 0.3, 0.6, 0.9)
"""How much of what a command needs there is room for."""


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Cases:
    return Cases(tmp_path_factory.mktemp("few"), 30)


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Cases:
    return Cases(tmp_path_factory.mktemp("many"), 5_000)


# ---------------------------------------------------------------- killed


@pytest.mark.parametrize("name", QUICK)
def test_killed_and_done_again(name: str, few: Cases, tmp_path: Path) -> None:
    assert kill(few[name], tmp_path / "try", random.Random(name)) in ("before", "in between", "after")


@pytest.mark.soak
def test_killed_two_hundred_times(many: Cases, tmp_path: Path) -> None:
    rng = random.Random(8)
    came: Counter[str] = Counter()
    for number in range(KILLS):
        name = list(LINES)[number % len(LINES)]
        came[kill(many[name], tmp_path / str(number), rng)] += 1
    assert came.total() == KILLS
    report(
        f"kills: {KILLS} at random moments of {', '.join(LINES)}: {came['before']} left the store as before, "
        f"{came['in between']} between two commits, {came['after']} as after; 0 half visible, 0 exports in "
        f"part, {KILLS} of {KILLS} done again with the tables of an undisturbed run"
    )


# ---------------------------------------------------------------- a disk that is full or read-only


def size_of(folder: Path) -> int:
    """Bytes that the files of a folder take on a disk with pages of 4 KiB."""
    return sum(-(-path.stat().st_size // 4096) * 4096 for path in folder.rglob("*") if path.is_file())


def used(disk: Path) -> int:
    found = os.statvfs(disk)
    return (found.f_blocks - found.f_bfree) * found.f_frsize


def mount(*arguments: str | Path) -> bool:
    command = shutil.which("mount")
    return (
        command is not None
        and not subprocess.run([command, *arguments], capture_output=True, check=False).returncode
    )


@contextmanager
def small_disk(folder: Path, size: int) -> Iterator[bool]:
    """A disk of its own at a folder, if we may; gives whether it is one."""
    folder.mkdir()
    mounted = os.geteuid() == 0 and mount("-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder)
    try:
        yield mounted
    finally:
        if mounted:
            subprocess.run(["umount", "--lazy", folder], check=True)


def fill(case: Case, share: float, folder: Path) -> tuple[str, str]:
    """Do it with room for a share of what it needs, look, make room, and do it again. Gives by what means,
    and what came of it."""
    after = Path(case.after.root).parent
    before = size_of(case.before)
    room = int(max(size_of(after) - before, 4096) * share)
    with small_disk(folder, 2**30) as mounted:
        case.copy(folder)
        steps = [case.command(folder)]
        if mounted:
            assert mount("-o", f"remount,size={used(folder) + room}", folder)
        else:
            largest = max(path.stat().st_size for path in after.rglob("*") if path.is_file())
            steps.insert(0, f"{LIMIT}{int(largest * share)}")
        [said] = Child(str(folder / "store"), *steps).go().finished()
        if said["code"] == 0:
            came = "done"
        else:
            assert said["code"] == 2
            assert said["err"].startswith("cardlog: ") or "\ncardlog: " in said["err"]
            assert "Traceback" not in said["err"]
            came = "refused"
        case.check(folder)
        if mounted:
            assert mount("-o", f"remount,size={2**30}", folder)
        case.finish(folder)
    return ("tmpfs" if mounted else "RLIMIT_FSIZE"), came


@pytest.mark.parametrize("name", ["ingest", "export"])
def test_a_full_disk(name: str, few: Cases, tmp_path: Path) -> None:
    assert fill(few[name], 0.3, tmp_path / "disk")[1] == "refused"


@pytest.mark.soak
def test_a_full_disk_in_the_middle_of_every_command(many: Cases, tmp_path: Path) -> None:
    came: Counter[str] = Counter()
    for name in LINES:
        for share in SHARES:
            means, how = fill(many[name], share, tmp_path / f"{name}-{share}")
            came[how] += 1
    report(
        f"full disk ({means}): {came.total()} runs of {', '.join(LINES)} with room for "
        f"{', '.join(f'{share:.0%}' for share in SHARES)} of what they need: {came['refused']} ended with a "
        f"sentence and exit 2, {came['done']} fitted; 0 half visible, all done again once there was room"
    )


def test_a_store_that_is_read_only(few: Cases, tmp_path: Path) -> None:
    """All that reads works; all that writes says that it can't, and changes nothing."""
    case = few["build"]
    with small_disk(tmp_path / "disk", 2**28) as mounted:
        if not mounted:
            pytest.skip("needs the right to mount")
        store = case.copy(tmp_path / "disk")
        before = case.copy(tmp_path / "copy")
        assert mount("-o", "remount,ro", tmp_path / "disk")
        at = f"--store {store.root}"
        reading = [
            f"cardlog status {at}",
            f"cardlog query 'select count(*) from events' {at}",
            f"cardlog quarantine list {at}",
            f"cardlog export --game kaiser --format cardlog-jsonl {tmp_path / 'out.jsonl'} {at}",
            f"cardlog vacuum --dry-run {at}",
        ]
        for said in Child(store.root, *reading).go().finished():
            assert said["code"] == 0, said
        (tmp_path / "new.csv").write_bytes(dump(changed(dump_lines()[0], id="999999")))
        writing = [
            f"cardlog ingest {tmp_path / 'new.csv'} {at}",
            *(f"cardlog {name} --no-marts {at}" for name in ("build", "rebuild")),
        ]
        for said in Child(store.root, *writing).go().finished():
            assert (said["code"], said["out"]) == (2, ""), said
            assert "ead-only" in said["err"]
            assert "Traceback" not in said["err"]
        assert_same(before, store, ALL)
    report(f"read-only store: {len(reading)} commands that read work, {len(writing)} that write say so")
