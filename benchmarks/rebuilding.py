"""Rebuild, against the original replay."""

import itertools
from collections.abc import Iterator
from functools import partial

from benchmarks import original
from benchmarks.data import Data
from benchmarks.figures import Figure, rate
from benchmarks.timing import interleaved, one_core
from cardlog.pipelines import runs
from cardlog.pipelines.storage.store import Store


def rebuild(data: Data) -> Iterator[Figure]:
    """A rebuild of `playedhand` and `tricks`, through Beam and without, on one core.

    In turn with it: the original replay of rows that are parsed already, of fewer hands.
    """
    sizes = data.sizes
    with data.log(sizes.hands).open() as lines:
        rows = list(itertools.islice(original.rows(lines), sizes.original_hands))
    with data.copy(data.store(sizes.some_hands)) as store:
        _rebuild(store)  # compiles and loads everything
    with one_core(), data.copy(data.store(sizes.hands)) as store:
        found = interleaved(
            sizes.rounds,
            warm_up=False,
            alone=partial(_rebuild, store),
            beam=partial(_rebuild, store, ("--runner=FnApiRunner",)),
            original=lambda: [original.replay(row) for row in rows],
        )
    theirs, scale = found["original"], sizes.hands / len(rows)
    for name, what in (("alone", ""), ("beam", " through Beam")):
        ours = found[name]
        yield rate(f"rebuild of {sizes.hands:,} hands{what}, one core", ours, sizes.hands, "hands/s", 180_000)
        yield Figure(
            "the same against the original replay of parsed rows", theirs.over(ours).times(scale), "×", 3.0,
            cpu=theirs.cpu_over(ours) * scale,
        )  # fmt: skip


def _rebuild(store: Store, options: tuple[str, ...] = ()) -> None:
    runs.build(store, wanted=("playedhand", "tricks"), afresh=True, beam_options=options)
