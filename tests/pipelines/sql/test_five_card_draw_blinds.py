"""The marts of five-card draw with hands that have blinds and a rake. The build runs all data tests."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from cardlog.pipelines import runs
from cardlog.pipelines.sql import query
from cardlog.pipelines.sql.marts import build as build_marts
from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.upkeep.verify import verify
from tests.support.stores import ingest

pytestmark = pytest.mark.long
_SHARED = [folder / "shared/fixtures/hold_em/pokerstars" for folder in Path(__file__).parents]
FIXTURES = Path(__file__).parents[2] / "fixtures/five_card_draw"
LOGS = [
    FIXTURES / "pokerstars_sample.txt",
    FIXTURES / "games_sample.txt",
    *(log for folder in _SHARED if folder.exists() for log in folder.glob("*5-Carddraw*")),
]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    made = Store(str(tmp_path_factory.mktemp("draws") / "store"))
    ingest(made, *LOGS)
    runs.build(made)
    build_marts(made)
    return made


@pytest.fixture(scope="module")
def connection(store: Store) -> Iterator[query.Connection]:
    with query.connect(store) as connected:
        yield connected


def test_players_have_what_the_texts_say(connection: query.Connection) -> None:
    """Blinds, what went back, and the rake, hand by hand of our sample."""
    found = connection.run(
        "select source_key[12:], p.seat, chips_put_in, chips_won, cards_exchanged, hand_after, mucked "
        "from five_card_draw_players p join hands using (hand_id) "
        "where source_key like '2000000000%' order by source_key, p.seat"
    )
    assert [tuple(row) for row in found.rows()] == [
        ("1", 0, 55, 39, 3, "AHADAC9H8S", False),
        ("1", 1, 5, 0, None, None, False),
        ("1", 3, 35, 106, 4, "KHKDKCQSQD", False),
        ("1", 5, 55, 0, 1, "JHJSTHTS3C", True),
        ("2", 0, 3350, 2250 + 2140, 0, "5H5D5C4S2D", False),
        ("2", 1, 1100, 0, 5, None, False),
        ("2", 2, 50, 0, None, None, False),
        ("3", 1, 1500, 1500, 0, "9C9S8H8D3S", False),
        ("3", 4, 1500, 1500, 1, "9H9D8C8S3H", False),
        ("4", 1, 100, 0, None, None, False),
        ("4", 4, 200, 300, None, None, False),
    ]


def test_pots_go_to_the_best_hand_that_was_not_mucked(connection: query.Connection) -> None:
    found = connection.run(
        "select source_key[12:], pot_no, five_card_draw_pots.chips, contenders, winner_seats "
        "from five_card_draw_pots join hands using (hand_id) "
        "where source_key like '2000000000%' order by all"
    )
    assert [tuple(row) for row in found.rows()] == [
        ("1", 0, 110, 2, 1 << 3),
        ("1", 1, 40, 1, 1 << 0),
        ("2", 0, 4500, 1, 1 << 0),
        ("3", 0, 3000, 2, 1 << 1 | 1 << 4),
        ("4", 0, 300, 1, 1 << 4),
    ]


def test_verify_finds_every_row_of_the_marts_sound(store: Store) -> None:
    """With the tests in the models' YAML, which a build does not run."""
    assert verify(store).problems == []
