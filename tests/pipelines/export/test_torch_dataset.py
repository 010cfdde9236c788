"""Training rows for PyTorch: each is read once, by any number of readers, and readers resume."""

from collections import Counter
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

import cardlog
from cardlog.pipelines.export import parquet_files
from cardlog.pipelines.storage.store import Store
from tests.support.exports import export, rows_in
from tests.support.jsonl_logs import simulated
from tests.support.stores import ingest_text

pytestmark = pytest.mark.long


@pytest.fixture(scope="module", autouse=True)
def torch() -> Any:
    """PyTorch, which takes seconds to load."""
    return pytest.importorskip("torch", reason="the extra torch is not installed")


def loaded(rows: Any, workers: int) -> Any:
    """The batches, loaded by this many workers."""
    from torch.utils.data import DataLoader

    return DataLoader(rows, batch_size=None, num_workers=workers)


KEY = ("hand_id", "step")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Training data in many row groups. Not to be changed."""
    path = tmp_path_factory.mktemp("torch")
    store = Store(str(path / "store"))
    ingest_text(store, path, simulated(400, seed=4), "log.jsonl", final=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parquet_files, "GROUP_ROWS", 300)
        patch.setattr(parquet_files, "LEAST_ROWS", 1_000)
        export(store, "kaiser", "parquet", path / "data")
    return path / "data"


def batches_of(batches: Any) -> list[list[tuple[str, int]]]:
    """The keys of the rows in each batch."""
    return [[*zip(batch["hand_id"], batch["step"].tolist(), strict=True)] for batch in batches]


def keys(batches: Any) -> list[tuple[str, int]]:
    return [key for batch in batches_of(batches) for key in batch]


def reader(folder: Path, **how: Any) -> "cardlog.Decisions":
    return cardlog.Decisions(folder, batch_size=200, columns=KEY, seed=5, **how)


def written(folder: Path, kind: str = "play", split: str = "train") -> Counter[tuple[str, int]]:
    rows = rows_in(folder, kind, split)
    return Counter(zip(rows.column("hand_id").to_pylist(), rows.column("step").to_pylist(), strict=True))


@pytest.mark.filterwarnings("ignore:This DataLoader will create:UserWarning")  # on fewer than four cores
@pytest.mark.parametrize("workers", [0, 1, 2, 4])
@pytest.mark.parametrize("shuffle", [True, False])
def test_every_row_comes_once_with_any_number_of_workers(workers: int, shuffle: bool, folder: Path) -> None:
    rows = cardlog.Decisions(folder, batch_size=256, columns=KEY, shuffle=shuffle)
    counts = Counter(keys(loaded(rows, workers)))
    assert counts == written(folder)
    assert sum(counts.values()) == rows.rows


@pytest.mark.parametrize("split", ["train", "test"])
@pytest.mark.parametrize("workers", [0, 2])
def test_two_ranks_have_every_row_between_them(split: str, workers: int, folder: Path) -> None:
    """The test split has fewer row groups than there are readers."""
    counts = []
    for rank in range(2):
        rows = cardlog.Decisions(folder, "bid", split, batch_size=100, columns=KEY, rank=rank, world_size=2)
        counts.append(Counter(keys(loaded(rows, workers))))
    assert sum(counts, Counter()) == written(folder, "bid", split)
    assert not set(counts[0]) & set(counts[1])
    assert all(counts)


def test_an_epoch_has_an_order_of_its_own_and_a_seed_too(folder: Path) -> None:
    def order(seed: int, epoch: int) -> list[tuple[str, int]]:
        rows = cardlog.Decisions(folder, batch_size=64, columns=KEY, seed=seed)
        rows.set_epoch(epoch)
        return keys(rows)

    assert order(1, 0) == order(1, 0)
    assert len({tuple(order(seed, epoch)) for seed in (1, 2) for epoch in (0, 1)}) == 4


@pytest.mark.parametrize("after", [0, 1, 7, 19])
def test_a_reader_goes_on_where_another_was(after: int, folder: Path) -> None:
    """Its next iterator does, unless another pass is begun; those after it begin anew."""
    whole, stopped, resumed = (reader(folder, rank=1, world_size=2, window=2) for _ in range(3))
    for rows in (whole, stopped):
        rows.set_epoch(3)
    everything = batches_of(whole)
    assert len(everything) > 20
    beginning = batches_of(islice(stopped, after))
    resumed.load_state_dict(state := stopped.state_dict())
    assert resumed.state_dict() == state
    assert beginning + batches_of(resumed) == everything
    assert batches_of(resumed) == everything
    resumed.load_state_dict(state)
    resumed.set_epoch(3)
    assert batches_of(resumed) == everything


@pytest.mark.parametrize("workers", [0, 2])
def test_a_new_iterator_starts_a_new_pass_also_after_a_break(workers: int, folder: Path) -> None:
    loader = loaded(reader(folder), workers)
    everything = batches_of(loader)
    assert batches_of(islice(loader, 4)) == everything[:4]
    assert batches_of(loader) == everything
    assert batches_of(loader) == everything


@pytest.mark.filterwarnings("ignore:'set_vital' is deprecated:UserWarning")  # torchdata calls it
def test_workers_go_on_where_they_were(folder: Path) -> None:
    loading = pytest.importorskip("torchdata.stateful_dataloader")

    whole, stopped, resumed = (
        loading.StatefulDataLoader(reader(folder), batch_size=None, num_workers=2) for _ in range(3)
    )
    everything, batches = batches_of(whole), iter(stopped)
    beginning = batches_of(islice(batches, 9))
    resumed.load_state_dict(stopped.state_dict())
    assert beginning + batches_of(resumed) == everything


def test_a_batch_has_what_the_file_has(folder: Path, torch: Any) -> None:
    rows = cardlog.Decisions(
        folder, "play", "validation", batch_size=50, columns=(*KEY, *_ALL), shuffle=False
    )
    batches = list(rows)
    assert [len(batch["action"]) for batch in batches[:-1]] == [50] * (len(batches) - 1)
    table = rows_in(folder, "play", "validation")
    for name in _ALL:
        values = [value for batch in batches for value in batch[name].tolist()]
        assert values == table.column(name).to_pylist()
    first = batches[0]
    assert (first["observation"].dtype, first["action_mask"].dtype) == (torch.int8, torch.bool)
    assert (first["action"].dtype, first["return"].dtype) == (torch.int64, torch.float32)
    assert first["action_mask"].gather(1, first["action"][:, None]).all()


_ALL = ("observation", "action_mask", "action", "reward", "return", "outcome", "seat", "step")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"folder": "nowhere"}, "nowhere has no training data; cardlog export --format parquet makes it"),
        ({"kind": "deal"}, "there is no kind 'deal'; there are: bid, play"),
        ({"split": "dev"}, "there is no split 'dev'; there are: test, train, validation"),
        ({"columns": ("cards",)}, "there is no column 'cards'; there are: hand_id, match_id, seat"),
        ({"rank": 2, "world_size": 2}, "rank is 2 of 2; it must be from 0 to 1"),
        ({"batch_size": 0}, "batch_size and window must be at least 1"),
    ],
)
def test_errors_name_what_there_is(options: dict[str, Any], message: str, folder: Path) -> None:
    with pytest.raises(ValueError, match=message):
        cardlog.Decisions(**{"folder": folder, **options})
