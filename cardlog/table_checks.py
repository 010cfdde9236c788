"""What `cardlog.testing.check_game` demands of a game's tables and marts: that teams, and who won tricks,
hands and matches, are what the game's rules say."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import duckdb
import numpy as np
import pyarrow as pa

from cardlog.models.contest.simulation import Simulation
from cardlog.models.engine.dealing import NO_MATCH
from cardlog.models.engine.game import Game
from cardlog.pipelines import runs
from cardlog.pipelines.derive import projections
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.events.folding import fold_batch
from cardlog.pipelines.export import cardlog_jsonl
from cardlog.pipelines.export.simulate import batches
from cardlog.pipelines.sql import marts, process
from cardlog.pipelines.storage.store import Store
from cardlog.schemas.errors import CardlogError
from cardlog.schemas.events import Action
from cardlog.schemas.tables import PROJECTIONS

MATCH_HANDS: Final = 300
"""Hands that are played for whole matches."""
SEED: Final = 20
_OF_TEAMS: Final = [f"team_{team}_{what}" for team in range(2) for what in ("points", "score")]
_RETURNS: Final = """
    create view results as
    select hand_id, seat, team, won, any_value("return") as brought
    from seats left join decisions using (hand_id, seat) group by all
"""
_WRONG: Final = (
    (
        "select hand_id, seat from seats where won is null",
        "seats does not say whether hand {} went well for seat {}",
    ),
    (
        """
        select hand_id, team from results where team is not null
        group by all having min(brought) <> max(brought)
        """,
        "hand {} brought the seats of team {} different returns",
    ),
    (
        """
        select hand_id from results group by all
        having min(brought) filter (won) <= max(brought) filter (not won)
        or (min(brought) < max(brought) and not bool_or(won))
        """,
        "who won hand {} by seats has no better return than who did not",
    ),
    (
        """
        select hand_id from results
        group by all having abs(sum(brought)) > 1e-6 and count(brought) = count(*)
        """,
        "the returns of the seats do not add up to 0 in hand {}, as play-offs take for granted",
    ),
    (
        """
        select hand_id, trick_no from tricks join plays using (hand_id, trick_no)
        group by all having string_agg(card, '' order by seq) <> any_value(tricks.cards)
        """,
        "tricks has other cards in hand {}, trick {}",
    ),
    (
        """
        select hand_id, trick_no from tricks join plays using (hand_id, trick_no)
        where order_in_trick = 0 and seat not in (leader, -1)
        """,
        "tricks has another leader in hand {}, trick {}",
    ),
    (
        """
        select hand_id, trick_no
        from (select *, lead(leader) over (partition by hand_id order by trick_no) as next from tricks)
        where next <> winner
        """,
        "who takes a trick does not lead to the next, in hand {} after trick {}",
    ),
    (
        """
        select hand_id, trick_no from tricks join reported using (hand_id, trick_no)
        where reported.seat <> winner
        """,
        "tricks has another winner than a score event reports, in hand {}, trick {}",
    ),
)
"""Queries for what is wrong in the tables of hands that are over, and what to say of the first row."""


def check_tables(game: Game, batch: Batch) -> None:
    """Check the projections of some hands that are over. Raises AssertionError."""
    found = dict(projections.project(batch, tuple(PROJECTIONS)))
    for name, schema in PROJECTIONS.items():
        rows = found[name]
        assert rows.schema.equals(schema), f"{name} has other columns or types than its schema"
        nulls = [each.name for each in schema if not each.nullable and rows.column(each.name).null_count]
        assert not nulls, f"{name} has nulls in {nulls}"
    hands = found["playedhand"]
    assert len(hands) == len(batch), "playedhand has not one row for each hand"
    for name in _OF_TEAMS:
        nulls_there = hands.column(name).null_count
        if game.teams:
            assert not nulls_there or name.endswith("points"), f"it has teams, but playedhand has no {name}"
        else:
            assert nulls_there == len(hands), f"it has no teams, but playedhand has {name}"
    with duckdb.connect() as connection:
        for name, rows in (found | {"reported": _reported(batch)}).items():
            connection.register(name, rows)
        connection.execute(_RETURNS)
        for sql, message in _WRONG:
            row = connection.execute(f"{sql} order by all limit 1").fetchone()
            assert row is None, message.format(*row or ())


def _reported(batch: Batch) -> pa.Table:
    """The tricks that score events report."""
    [index] = np.nonzero(batch.events["action"] == Action.SCORE_TRICK)
    hand = np.searchsorted(batch.offsets, index, "right") - 1
    number = np.arange(len(index)) - np.searchsorted(hand, hand)
    return pa.table(
        {
            "hand_id": pa.array(batch.hand_ids.astype(str)[hand]),
            "trick_no": pa.array(number.astype(np.int8)),
            "seat": pa.array(batch.events["seat"][index]),
        }
    )


def check_matches(game: Game) -> None:
    """Check which matches of the game's players are over by the marts, and who has won them. Raises
    AssertionError."""
    if game.players is None:
        return
    batch = Batch.joined([*batches(game.name, "matches", Simulation(game.name, SEED), MATCH_HANDS)])
    wanted = _winners(game, batch)
    with TemporaryDirectory() as folder:
        log, store = Path(folder, "played.jsonl"), Store(str(Path(folder, "store")))
        log.write_bytes(cardlog_jsonl.lines(batch))
        try:
            runs.ingest(store, [str(log)])
            runs.build(store)
            marts.build(store)
        except CardlogError as error:
            raise AssertionError(f"no marts can be made of its hands: {error}") from error
        sql = "select match_id, is_over, winner_team, winner_seat from matches"
        found = {_own(match): row for match, *row in process.ask(store, sql).fetchall()}
    assert found.keys() == wanted.keys(), "matches has not one row for each match"
    for match, (is_over, team, seat) in found.items():
        winner = wanted[match]
        says = "is over" if is_over else "goes on"
        assert is_over == (winner is not None), f"matches says that {match} {says}, settle does not"
        has_won, other = (team, seat) if game.teams else (seat, team)
        assert other is None, f"matches has a {'seat' if game.teams else 'team'} as the winner of {match}"
        assert not is_over or (-1 if has_won is None else has_won) == winner, (
            f"matches says that {has_won} has won {match}, winner_of says {winner}"
        )


def _own(match: str) -> str:
    return match.partition("~")[0]


def _winners(game: Game, batch: Batch) -> dict[str, int | None]:
    """By match, what `Players.winner_of` says once it is over; None while it goes on."""
    states, simulation = fold_batch(batch).states, Simulation(game.name, SEED)
    found: dict[str, int | None] = {}
    for hand, state in enumerate(states):
        simulation.play(1)
        table = simulation.tables[hand % len(simulation.tables)]
        is_over = table["match"] == NO_MATCH
        match = _own(batch.matches[batch.match_of[hand]])
        found[match] = game.playing().winner_of(table, state) if is_over else None
    return found
