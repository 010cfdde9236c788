"""Functions of poker hands in queries."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import cardlog
from cardlog.models.poker.ranks import PACK, category, rank_of
from cardlog.pipelines.sql import query
from cardlog.pipelines.sql.answer import QueryError
from cardlog.schemas import cards
from tests.support.shared import small_store


@pytest.fixture(scope="module")
def connection() -> Iterator[query.Connection]:
    with query.connect(small_store()) as connected:
        yield connected


def ask(connection: query.Connection, sql: str) -> list[Any]:
    return [value for [value] in connection.run(sql).rows()]


def test_hands_have_their_ranks_and_names(connection: query.Connection) -> None:
    """Of hands of five to seven cards, among each other and among texts that are no hand yet."""
    rng = np.random.default_rng(40)
    hands = [rng.choice(PACK, 5 + number % 3, replace=False) for number in range(600)]
    texts = [cards.texts(hand) for hand in hands]
    texts = [text.lower() if number % 2 else " ".join(text) for number, text in enumerate(texts)]
    rows = ", ".join(f"({number}, '{text}'), ({number}, null)" for number, text in enumerate(texts))
    source = f"from (values {rows}) rows(number, hand) where hand is not null order by number"
    ranks = [int(rank_of(hand, len(hand))) for hand in hands]
    assert ask(connection, f"select hand_rank(hand) {source}") == ranks
    assert ask(connection, f"select hand_name(hand) {source}") == [category(rank) for rank in ranks]


def test_what_is_no_hand_yet_or_hidden_has_no_rank(connection: query.Connection) -> None:
    for hand in ("null", "''", "'AhKh'", "'AhKhQhJh??'", "'????2c3c4c5c6d'"):
        assert ask(connection, f"select hand_rank({hand})") == [None]
        assert ask(connection, f"select hand_name({hand}) from range(3)") == [None] * 3


def test_what_is_wrong_ends_the_query_with_what_it_is(connection: query.Connection) -> None:
    for call, message in (
        ("hand_rank('AhKhQhJhXh')", "'AhKhQhJhXh' is not 5 different cards, such as AhTc…"),
        ("hand_name('AhKhQhJhAh2c')", "'AhKhQhJhAh2c' is not 6 different cards, such as AhTc…"),
        ("hand_rank('EhKhQhJhTh')", "'EhKhQhJhTh' is not 5 different cards, such as AhTc…"),
        ("hand_rank('AhKhQhJh2')", "'AhKhQhJh2' ends in half a card"),
        ("hand_rank('2c3c4c5c6c7c8c9c')", "'2c3c4c5c6c7c8c9c' is more than 7 cards"),
        ("odds('AhKh', 'AhQh')", "AhKh and AhQh can't all be dealt: they need the same cards"),
        ("odds('AhKh', 'Q', '2c')", "'Q' is no range"),
    ):
        with pytest.raises(QueryError) as error:
            ask(connection, f"select {call}")
        assert str(error.value).startswith(message)


def test_odds_are_those_of_the_command(connection: query.Connection) -> None:
    flop, gone = "2c7hTd", "Ac"
    pair = cardlog.odds("AhKh", "QQ+", board=flop, dead=gone).players
    for more in (f"'{flop}', '{gone}'", f"dead := '{gone}', board := '{flop}'"):
        assert ask(connection, f"select odds('AhKh', 'QQ+', {more})") == [pair[0].equity]
    three = [player.equity for player in cardlog.odds("AA", "KK", "QQ").players]
    assert ask(connection, "select equities(['AA', 'KK', 'QQ'])") == [three]
    hands = "(values ('AA', null), (null, null), ('AA', '2c3c4c')) rows(hand, board)"
    assert ask(connection, f"select odds(hand, 'KK', board) from {hands}") == [
        cardlog.odds("AA", "KK").players[0].equity,
        None,
        cardlog.odds("AA", "KK", board="2c3c4c").players[0].equity,
    ]
    assert ask(connection, "select equities(['AA', null])") == [None]
