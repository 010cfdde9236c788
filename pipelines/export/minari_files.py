"""Training rows as datasets of Minari, offline reinforcement learning's format, by episodes.

An episode is what one seat decided in one hand. Minari wants an observation after the last action as
well; nobody observes the end of a hand, so that one is all zeros. The bytes are Minari's: unlike in the
other forms they may differ from one export to the next.
"""

import json
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cardlog.pipelines.export.costs import COLUMNS
from cardlog.pipelines.export.numpy_files import numbers
from cardlog.pipelines.export.output import OutputError

MINARI: Final = "minari"
EPISODES: Final = 2_000
"""Episodes of a dataset unless all are asked for: Minari writes each into a folder of its own."""
_PATH: Final = "MINARI_DATASETS_PATH"


class MinariFiles:
    """The dataset ``cardlog/<kind>-<split>-v0`` of one kind and split; Minari finds it if
    ``MINARI_DATASETS_PATH`` is the exported folder. It has `EPISODES` of them unless `has_all`."""

    def __init__(self, folder: Path, split: str, has_all: bool) -> None:
        self._root, self._name = folder.parent, f"cardlog/{folder.name}-{split}-v0"
        self._most, self._count = None if has_all else EPISODES, 0
        self._storage: Any = None

    def add(self, rows: pa.Table) -> None:
        """Add training rows; those of a hand must come together. Raises OutputError if Minari is not
        installed."""
        try:
            from minari.data_collector.episode_buffer import EpisodeBuffer
        except ImportError as error:
            raise OutputError(f"this form needs the extra minari: {error}") from error
        self._storage = self._storage or self._new_storage(rows.schema)
        room = None if self._most is None else self._most - self._count
        buffers = [
            EpisodeBuffer(**_arrays(number, episode))
            for number, episode in enumerate(_episodes(rows)[:room], self._count)
        ]
        with _unmeasured(self._storage) as storage:
            storage.update_episodes(buffers)
        self._count += len(buffers)

    def close(self) -> None:
        """Everything is written."""

    def _new_storage(self, schema: pa.Schema) -> Any:
        """Make a dataset without episodes. Minari warns of an author and an environment, of which a log says
        nothing."""
        import gymnasium
        import minari

        width, actions = (schema.field(name).type.list_size for name in ("observation", "action_mask"))
        with _datasets_in(self._root), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return minari.create_dataset_from_buffers(
                self._name,
                [],
                observation_space=gymnasium.spaces.Box(-128, 127, (width,), np.int8),
                action_space=gymnasium.spaces.Discrete(actions),
                algorithm_name="logged games",
                description="Decisions that cardlog read from logs; infos hold the legal actions.",
                data_format="arrow",
            ).storage


def steps_in(folder: Path, kind: str, split: str) -> int:
    """How many rows the dataset of a kind and split in an exported folder has, as Minari counts them."""
    metadata = folder / f"cardlog/{kind}-{split}-v0/data/metadata.json"
    return int(json.loads(metadata.read_text(encoding="utf-8"))["total_steps"])


def _arrays(number: int, rows: pa.Table) -> dict[str, Any]:
    """An episode as an `EpisodeBuffer` takes it."""
    steps = len(rows)
    costs = [name for name in COLUMNS if name in rows.column_names]
    return {
        "id": number,
        "observations": _with_end(numbers(rows.column("observation").combine_chunks())),
        "actions": np.asarray(rows.column("action")).astype(np.int64),
        "rewards": np.nan_to_num(rows.column("reward").to_numpy()).tolist(),
        "terminations": [False] * (steps - 1) + [True],
        "truncations": [False] * steps,
        "infos": {
            "action_mask": _with_end(numbers(rows.column("action_mask").combine_chunks())),
            **{name: _with_end(numbers(rows.column(name).combine_chunks())[:, None]) for name in costs},
        },
    }


@contextmanager
def _unmeasured(storage: Any) -> Iterator[Any]:
    """A dataset's storage that measures its files and writes its metadata once at the end. Minari does so
    after every episode, which took nine tenths of the time."""
    metadata: dict[str, Any] = {}
    storage.get_size, storage.update_metadata = lambda: 0.0, metadata.update
    try:
        yield storage
    finally:
        del storage.get_size, storage.update_metadata
    storage.update_metadata({**metadata, "dataset_size": storage.get_size()})


def _episodes(rows: pa.Table) -> list[pa.Table]:
    """The rows of each seat of each hand, in their original order."""
    hand = rows.column("hand_id").combine_chunks().dictionary_encode().indices.to_numpy()
    key = hand.astype(np.int64) * 8 + np.asarray(rows.column("seat"))
    order = np.argsort(key, kind="stable")
    bounds = np.flatnonzero(np.diff(key[order], prepend=-1, append=-1))
    return [rows.take(order[first:last]) for first, last in pairwise(bounds)]


def _with_end(values: NDArray[Any]) -> NDArray[Any]:
    """The rows and one more, of zeros."""
    return np.concatenate([values, np.zeros_like(values[:1])])


@contextmanager
def _datasets_in(folder: Path) -> Iterator[None]:
    """Makes Minari write into a folder."""
    before = os.environ.get(_PATH)
    os.environ[_PATH] = str(folder)
    try:
        yield
    finally:
        if before is None:
            del os.environ[_PATH]
        else:
            os.environ[_PATH] = before
