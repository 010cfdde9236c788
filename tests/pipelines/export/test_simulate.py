"""Simulations: the same on every machine, legal, like real hands, and written whole or not at all."""

import gzip
import hashlib
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cardlog import models
from cardlog.models.contest.simulation import Simulation
from cardlog.models.engine import rng as chance
from cardlog.pipelines.export import mixing
from cardlog.pipelines.export import simulate as simulating
from cardlog.pipelines.export.simulate import SimulateError, simulate
from cardlog.pipelines.storage.store import Store
from cardlog.schemas.events import Action
from tests.support.csv_rows import HEADER
from tests.support.stores import ingest

SIMULATED = [name for name in models.GAMES if models.game(name).players is not None]
SEED = 31_415_926_535


def written(folder: Path, name: str, hands: int = 50, seed: int = 7, **options: Any) -> bytes:
    path = folder / name
    simulate("kaiser", hands, seed, str(path), **options)
    content = path.read_bytes()
    path.unlink()
    return content


def test_chance_is_splitmix64() -> None:
    """The first numbers from 1234567, as Vigna's splitmix64.c gives them."""
    stream = np.array([1234567], np.uint64)
    assert [int(chance.draw(stream)) for _ in range(5)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


STREAM = np.array([1], np.uint64)


def shuffled(_seed: int) -> Any:
    items = np.arange(4)
    chance.shuffle(STREAM, items)
    return items


@pytest.mark.parametrize("order", [shuffled, lambda seed: mixing.permutation(4, mixing.key_of(7, seed))])
def test_every_order_is_equally_likely(order: Callable[[int], Any]) -> None:
    """Of the cards of a pack, and of the rows of an export."""
    counts = Counter(tuple(order(seed).tolist()) for seed in range(24_000))
    assert len(counts) == 24
    assert all(850 < count < 1_150 for count in counts.values())


GOLDEN = {
    "log.csv": "d725a87f41c9c2abb5f437cf5c554a941172b7bd014660e8a601689cc0e9b48d",
    "log.jsonl": "b1c7605df4a23772161d5ab4d9b4670bbf226b93db8ffcbb3bf982fbdadd35ed",
}
"""sha256 of fifty hands from seed 7. They change only with the rules or the player, and then on purpose."""


@pytest.mark.parametrize("name", GOLDEN)
def test_a_seed_gives_these_bytes_on_every_machine(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many hands are played at a time; fewer hands are the beginning of more."""
    whole = written(tmp_path, name, 60)
    for chunk in (1, 7, 41, 50):
        monkeypatch.setattr(simulating, "CHUNK_HANDS", chunk)
        first = written(tmp_path, name)
        assert hashlib.sha256(first).hexdigest() == GOLDEN[name]
    assert whole.startswith(first)


def test_rows_of_two_simulations_have_other_numbers(store: Store, tmp_path: Path) -> None:
    """A row has no other id than its number."""
    for seed in (7, 8):
        simulate("kaiser", 200, seed, str(tmp_path / f"{seed}.csv"))
    counts = ingest(store, tmp_path / "7.csv", tmp_path / "8.csv").counts
    assert (counts.hands_stored, counts.quarantined) == (400, 0)


@pytest.mark.long
def test_numbers_of_rows_start_again_after_the_greatest(monkeypatch: pytest.MonkeyPatch) -> None:
    [batch] = simulating.batches("kaiser", "test", Simulation("kaiser", 1), 5)
    monkeypatch.setattr(
        simulating, "_key", lambda name: simulating.MOST_HANDS - simulating.NUMBERED_HANDS - 1
    )
    monkeypatch.setattr(simulating, "NUMBERED_HANDS", 2)
    simulating._offset_numbers(batch, "name")
    numbers = batch.events["amount"][batch.offsets[:-1]].tolist()
    assert len(set(numbers)) == 5
    assert all(0 < number < 2**31 for number in numbers)


def test_other_seeds_play_other_hands_and_a_seed_no_deal_twice(tmp_path: Path) -> None:
    events = Simulation("kaiser", 1).play(900).events
    dealt = events["cards"][events["action"] == Action.DEAL_HAND]
    assert len({cards.tobytes() for cards in dealt}) == len(dealt) == 4 * 900
    assert len({written(tmp_path, "log.csv", seed=seed) for seed in (0, 1, 7, -7, 2**70)}) == 5


@pytest.mark.parametrize("game", SIMULATED)
def test_ids_differ_from_seed_to_seed_and_do_not_show_it(game: str, tmp_path: Path) -> None:
    matches: set[str] = set()
    count = 0
    for seed in (SEED, SEED + 1, -SEED):
        path = tmp_path / f"{seed}.jsonl"
        simulate(game, 200, seed, str(path))
        assert str(SEED)[:-1] not in path.read_text()
        ids = {json.loads(line)["match_id"] for line in path.read_text().splitlines()}
        count += len(ids)
        matches |= ids
    assert len(matches) == count


def test_compressed_bytes_are_the_same_too(tmp_path: Path) -> None:
    compressed = written(tmp_path, "log.csv.gz")
    assert gzip.decompress(compressed) == written(tmp_path, "log.csv")
    assert compressed == written(tmp_path, "other.csv.gz")
    assert compressed[4:8] == b"\0\0\0\0"


def test_rows_have_the_form_of_the_fixture(tmp_path: Path) -> None:
    header, *lines = written(tmp_path, "log.csv").decode().splitlines()
    assert header.encode() == HEADER
    first = int(lines[0].split(",")[0])
    assert [int(line.split(",")[0]) for line in lines] == list(range(first, first + 50))
    dates = [line.split(",")[1] for line in lines]
    assert dates == sorted(dates)
    assert all(date.endswith("+00") and "." in date for date in dates)


def test_the_format_follows_from_the_name_by_default(tmp_path: Path) -> None:
    assert written(tmp_path, "log.csv").startswith(b"id,")
    assert written(tmp_path, "log").startswith(b"{")
    assert written(tmp_path, "log.csv", format_name="cardlog-jsonl").startswith(b"{")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"game": "whist"}, "'whist' is no game there is; there are: kaiser"),
        ({"players": "best"}, "kaiser has no players 'best'; there are: random"),
        ({"players": "random,best"}, "kaiser has no players 'best'; there are: random"),
        ({"players": "random,random"}, "2 players are named; it must be one for all, or 4"),
        ({"rules": "house"}, "kaiser has no rules 'house'; there are: book"),
        ({"format_name": "xml"},
         "there is no format 'xml' to simulate; there are: cardlog-jsonl, playedhand-csv"),
        ({"hands": 0}, "0 hands can't be played"),
        ({"out": "nowhere/log.csv"}, "there is no folder"),
    ],
)  # fmt: skip
def test_errors_name_what_there_is(options: dict[str, Any], message: str, tmp_path: Path) -> None:
    out = str(tmp_path / options.pop("out", "log.csv"))
    with pytest.raises(SimulateError, match=message):
        simulate(**{"game": "kaiser", "hands": 5, "seed": 7, "out": out, **options})
    assert list(tmp_path.iterdir()) == []
