"""Rebuild: against the same kernel without Beam, against the original replay, and with two workers."""

import itertools
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Final

from benchmarks import original
from benchmarks.data import ROOT, TABLES, Data
from benchmarks.figures import Figure
from benchmarks.timing import Rounds, interleaved, one_core
from cardlog.pipelines import runs
from cardlog.pipelines.build import build
from cardlog.pipelines.storage.store import Store

TWO_PROCESSES: Final = ("--direct_num_workers=2", "--direct_running_mode=multi_processing")
TWO_THREADS: Final = ("--direct_num_workers=2", "--direct_running_mode=multi_threading")


def _without_beam(store: Store) -> None:
    """A rebuild's work items, one after the other."""
    plan = build.plan(store, TABLES, afresh=True)
    parts = [part for item in plan.items for part in build.build_item(plan.store, item, None)]
    build.commit(plan, parts)


def _rebuild(store: Store, options: tuple[str, ...] = (), wanted: tuple[str, ...] = TABLES) -> None:
    runs.build(store, wanted=wanted, afresh=True, beam_options=options)


def _warm_up(data: Data) -> None:
    """Compile and load everything, by a smaller rebuild."""
    with data.copy(data.store(data.sizes.some_hands)) as store:
        _rebuild(store)


@contextmanager
def _quietly() -> Iterator[None]:
    """Drop what Beam's worker processes write to standard error about themselves."""
    kept = os.dup(2)
    with open(os.devnull, "wb") as nowhere:  # noqa: PTH123
        os.dup2(nowhere.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def rebuild(data: Data) -> Iterator[Figure]:
    """A rebuild of `playedhand` and `tricks` by one worker through Beam, on one core.

    Beside it, in turn: the same items by the same functions without Beam, plan and commit
    included; and the original replay of rows that are parsed already, of fewer hands.
    """
    sizes = data.sizes
    with data.log(sizes.hands).open() as lines:
        rows = list(itertools.islice(original.rows(lines), sizes.original_hands))
    _warm_up(data)
    with one_core(), data.copy(data.store(sizes.hands)) as store:
        found = interleaved(
            sizes.rounds,
            warm_up=False,
            beam=lambda: _rebuild(store),
            kernel=lambda: _without_beam(store),
            original=lambda: [original.replay(row) for row in rows],
        )
    yield from _rebuild_figures(sizes.hands, len(rows), **found)


def _rebuild_figures(
    hands: int, original_hands: int, beam: Rounds, kernel: Rounds, original: Rounds
) -> Iterator[Figure]:
    yield Figure(
        f"rebuild of {hands:,} hands, one worker, one core",
        beam.rate(hands),
        "hands/s",
        180_000,
        cpu=beam.cpu_rate(hands),
    )
    yield Figure(
        "time of that rebuild, against the same kernel without Beam",
        beam.over(kernel),
        "×",
        1.20,
        at_most=True,
        cpu=beam.cpu_over(kernel),
    )
    yield Figure(
        "the original replay of parsed rows",
        original.rate(original_hands),
        "hands/s",
        cpu=original.cpu_rate(original_hands),
    )
    yield Figure(
        "rebuild against the original replay",
        original.over(beam).times(hands / original_hands),
        "×",
        3.0,
        cpu=original.cpu_over(beam) * hands / original_hands,
    )


def workers(data: Data) -> Iterator[Figure]:
    """A rebuild by two workers against one, by wall time; needs two idle cores.

    Two processes have to start and to import everything, which a rebuild of all three tables
    outweighs more than one of `playedhand` and `tricks`. Two threads share the interpreter.
    """
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    sizes = data.sizes
    _warm_up(data)
    two = f"rebuild of {sizes.hands:,} hands, two {{}} against one"
    with data.copy(data.store(sizes.hands)) as store, _quietly():
        found = interleaved(
            sizes.rounds,
            warm_up=False,
            one=partial(_rebuild, store),
            processes=partial(_rebuild, store, TWO_PROCESSES),
            threads=partial(_rebuild, store, TWO_THREADS),
        )
    yield Figure(two.format("threads"), found["one"].over(found["threads"]), "×", 1.7)
    yield Figure(two.format("processes"), found["one"].over(found["processes"]), "×")
    with data.copy(data.store(sizes.some_hands)) as store, _quietly():
        found = interleaved(
            sizes.rounds - 2,
            warm_up=False,
            one=partial(_rebuild, store, (), build.ALL),
            processes=partial(_rebuild, store, TWO_PROCESSES, build.ALL),
        )
    what = f"rebuild of {sizes.some_hands:,} hands with decisions, two processes against one"
    yield Figure(what, found["one"].over(found["processes"]), "×")
