"""Forget, killed at any moment: each table is as before or as after, and the same command goes on."""

import random
import shlex
import shutil
import time
from collections import Counter
from pathlib import Path

import pytest

from cardlog.pipelines import runs
from cardlog.pipelines.storage.store import SCHEMAS, Store
from cardlog.pipelines.upkeep.verify import verify
from tests.support.child import Child
from tests.support.figures import report
from tests.support.persons import FORMS, NAME, saying
from tests.support.stores import ask, copied

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("own_temporary_folder")]

KILLS = 50
WHAT = {"player": NAME, "dataset": "one"}


def rows(store: Store) -> dict[str, list[str]]:
    """All rows of each table, as text."""
    return {name: sorted(map(str, ask(store, f"from {name}"))) for name in SCHEMAS}


def forget(folder: Path, what: str) -> Child:
    store = shlex.quote(str(folder / "store"))
    command = f"cardlog forget --yes --{what} {shlex.quote(WHAT[what])} --store {store}"
    return Child(str(folder / "store"), command).go()


def killed(full: Store, what: str, folder: Path, rng: random.Random, seconds: float) -> str:
    """Kill a forget at a random moment, look, and do it again; returns how far it had got."""
    store = copied(full, folder / "store")
    child = forget(folder, what)
    child.process.join(rng.uniform(0, seconds * 1.1))
    child.kill()
    before, current = rows(full), rows(store)
    touched = {name for name in SCHEMAS if current[name] != before[name]}
    for name in SCHEMAS:
        if what == "player":
            assert len(current[name]) == len(before[name])
            if name in touched:
                assert not any(word in row for row in current[name] for word in FORMS)
        else:
            assert set(current[name]) <= set(before[name])
            if name in touched and name in ("events", "quarantine"):
                assert not ask(store, f"from {name} where dataset = 'one'")
    assert ask(store, _OTHERS) == ask(full, _OTHERS)
    assert all("an erasure is unfinished" in str(problem) for problem in verify(store).problems)
    [result] = forget(folder, what).finished()
    assert (result["code"], "Traceback" in result["err"]) == (0, False), result
    words = FORMS if what == "player" else tuple(hand for (hand,) in ask(full, _HANDS))
    assert saying(store.root, words) == set()
    runs.build(store)
    assert verify(store).problems == []
    built = rows(store)
    runs.build(store, afresh=True)
    assert rows(store) == built
    return "before" if not touched else "in between" if "events" not in touched else "after"


_HANDS = "select distinct hand_id from events where dataset = 'one'"
_OTHERS = "select hand_id, seq, action, cards from events where dataset = 'two' order by all"


def kills(full: Store, what: str, count: int, folder: Path) -> Counter[str]:
    """Kill that many."""
    rng = random.Random(what)
    copied(full, folder / "undisturbed" / "store")
    began = time.monotonic()
    forget(folder / "undisturbed", what).finished()
    seconds = time.monotonic() - began
    came: Counter[str] = Counter()
    for number in range(count):
        came[killed(full, what, folder / str(number), rng, seconds)] += 1
        shutil.rmtree(folder / str(number))
    return came


@pytest.mark.parametrize("what", list(WHAT))
def test_killed_and_done_again(full: Store, what: str, tmp_path: Path) -> None:
    assert kills(full, what, 1, tmp_path).total() == 1


@pytest.mark.soak
@pytest.mark.parametrize("what", list(WHAT))
def test_killed_fifty_times(full: Store, what: str, tmp_path: Path) -> None:
    came = kills(full, what, KILLS, tmp_path)
    report(
        f"kills of forget --{what}: {KILLS}: {came['before']} left the store as before, "
        f"{came['in between']} had erased from other tables than events, {came['after']} from events too; "
        f"the same command finished {KILLS} of {KILLS}, and no file said a word of it then"
    )
