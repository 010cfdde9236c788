"""Every game has all its parts, and they fit together. A failure names what is missing.

What the parts are is in CONTRIBUTING.md, "Add a game". `cardlog.testing.check_game` plays the game;
what it can't see, such as pages and marts, is looked for here.
"""

import csv
from pathlib import Path

import numpy as np
import pytest

from cardlog import models
from cardlog.models.contest.simulation import Simulation
from cardlog.pipelines import readers
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.events.folding import fold_batch
from cardlog.pipelines.export import cardlog_jsonl, simulate
from cardlog.pipelines.ingest.sources import examine, plan, texts
from cardlog.pipelines.readers.base import Source
from cardlog.pipelines.sql import warehouse
from cardlog.testing import check_game

REPO = Path(__file__).parents[1]
HANDS = 40
READER = ("FORMAT", "GAMES", "SUMMARY", "LINE_PER_HAND", "sniff", "read")

pytestmark = pytest.mark.parametrize("name", models.GAMES)


def samples(name: str) -> list[Path]:
    """The game's short logs."""
    return sorted((REPO / "tests" / "fixtures" / name).glob("*sample*"))


def logged(name: str) -> Batch:
    """Some hands of the game's logs, legal ones that were played to their end."""
    assert samples(name), f"{name} lacks a short log in tests/fixtures/{name} with sample in its name"
    file = samples(name)[0]
    [item] = plan([examine(str(file), None, None, False)])
    [(block, *_)] = texts(item)
    text = block.text
    reads = readers.get(item.file.format).read(text, item.file.source)
    [batch] = [read.batch for read in reads if read.batch.game == name]
    folded = fold_batch(batch)
    return batch.take(np.flatnonzero((folded.reasons == 0) & folded.done)[:HANDS])


def simulated(name: str) -> list[Batch]:
    """Some hands that the game's players play, if it has any."""
    if models.game(name).players is None:
        return []
    return list(simulate.batches(name, "test", Simulation(name, 1), HANDS))


@pytest.mark.long
def test_it_fits_together(name: str) -> None:
    logs = [logged(name).take(np.arange(8))] if samples(name) else []
    check_game(models.game(name), *logs)


def test_the_pages_are_there(name: str) -> None:
    for folder in ("rules", "features"):
        page = REPO / "docs" / folder / f"{name}.md"
        assert page.is_file(), f"{name} lacks docs/{folder}/{name}.md"


def test_a_reader_of_its_own_is_there(name: str) -> None:
    own = [form for form in readers.FORMATS if (name,) == readers.get(form).GAMES]
    assert own, f"{name} lacks a reader in pipelines/readers"
    for form in own:
        for attribute in READER:
            assert hasattr(readers.get(form), attribute), f"{form} lacks {attribute}"
        assert form == readers.get(form).FORMAT
        assert (REPO / "docs" / "formats" / f"{form}.md").is_file(), f"{form} lacks its page in docs/formats"


def test_logs_are_there(name: str) -> None:
    assert (REPO / "tests" / "fixtures" / name / "README.md").is_file(), f"{name} lacks tests/fixtures/{name}"
    assert len(logged(name)) == HANDS


def test_a_mart_is_there(name: str) -> None:
    marts = list((warehouse.DBT_PROJECT / "models" / "marts" / name).glob(f"{name}_*.sql"))
    assert marts, f"{name} lacks a mart, dbt_project/models/marts/{name}/{name}_….sql"
    for mart in marts:
        assert mart.with_suffix(".yml").is_file(), f"{mart.name} lacks its YAML"


def test_sql_knows_how_a_game_is_won(name: str) -> None:
    for seed in ("match_rules", "hand_rules"):
        text = (warehouse.DBT_PROJECT / "seeds" / f"{seed}.csv").read_text(encoding="utf-8")
        told = {row["game"] for row in csv.DictReader(text.splitlines())}
        is_needed = seed == "match_rules" or models.game(name).has_teams
        assert is_needed == (name in told), f"{name} lacks a line in dbt_project/seeds/{seed}.csv"


def test_a_round_trip_through_cardlog_jsonl_loses_nothing(name: str) -> None:
    """Not the hands' ids, which are of the format and its own key."""
    for batch in (logged(name), *simulated(name)):
        text = bytes(cardlog_jsonl.lines(batch))
        reads = readers.get("cardlog-jsonl").read(text, Source("0" * 64, "-", "-", final=True))
        [read] = [read for read in reads if len(read.batch)]
        assert not any(read.rejects for read in reads)
        assert read.batch.content().tolist() == batch.content().tolist()
        again = fold_batch(read.batch)
        assert again.done.all()
        assert not again.reasons.any()
