"""Positions with one right card, from the mart `puzzles`: to list, and to write to a file with the cards that
each seat holds."""

import json
from collections.abc import Iterator
from typing import IO, Any, Final

import numpy as np

from cardlog import models
from cardlog.models.engine.dealing import new_event
from cardlog.pipelines.derive.projections import project
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.events.folding import initial_states, replay_batch
from cardlog.pipelines.sql import hand_lookup, query
from cardlog.pipelines.sql.answer import QueryError
from cardlog.pipelines.sql.warehouse import path_of
from cardlog.pipelines.storage.moment import pinned
from cardlog.pipelines.storage.store import Store
from cardlog.schemas.cards import texts

NO_MARTS: Final = "there are no marts yet; 'cardlog analyse' and then 'cardlog build' make what puzzles need"
_SQL: Final = """
    select game, hand_id, step, trick_no + 1 as trick, seat, role, contract, trump,
        legal_actions as legal, best_card as best, best_value, second_value, gap, card as played
    from puzzles
    where (game = $1 or $1 is null) and gap >= $2
    order by was_found, gap desc, hand_id, step
    limit $3
"""


def puzzles(store: Store, game: str | None, gap: float, limit: int) -> list[dict[str, Any]]:
    """Some puzzles, those whose players missed the best card first.

    game
        Only of this game.
    gap
        The least that the second-best card costs.

    Raises QueryError if there are no marts, or no such game.
    """
    if game not in (None, *models.GAMES):
        raise QueryError(f"there is no game {game!r}; there are: {', '.join(models.GAMES)}")
    if not path_of(store).exists():
        raise QueryError(NO_MARTS)
    with query.connect(store, ["puzzles"]) as connection:
        return connection.execute(_SQL, [game, gap, limit]).dicts()


def write(store: Store, rows: list[dict[str, Any]], out: IO[bytes]) -> None:
    """Write puzzles as JSON, one per line, with their positions."""
    store = pinned(store, ["events", "ingests"])
    for row in rows:
        batch = hand_lookup.find(store, row["hand_id"])
        out.write(json.dumps(row | position(batch, row["step"])).encode() + b"\n")


def position(batch: Batch, step: int) -> dict[str, Any]:
    """What the table looks like before a card is played, as text, two characters a card.

    hands
        What each seat holds.
    before
        What was played in earlier tricks, in order.
    leader, on_table
        Who leads to this trick, and the cards played to it so far, in order.
    legal_cards
        What may be played.
    """
    tables = dict(project(batch, ("seats", "plays")))
    replayed = replay_batch(batch)
    event_index = int(replayed.rows["event"][step])
    mask = replayed.masks[step][: replayed.rows["width"][step]]
    plays = [row for row in tables["plays"].to_pylist() if row["seq"] <= event_index]
    decision = plays.pop()
    hands = [_pairs(row["cards"]) for row in tables["seats"].sort_by("seat").to_pylist()]
    for play in plays:
        hands[play["seat"]].remove(play["card"])
    trick = [play for play in plays if play["trick_no"] == decision["trick_no"]]
    return {
        "hands": ["".join(cards) for cards in hands],
        "before": "".join(play["card"] for play in plays[: len(plays) - len(trick)]),
        "leader": trick[0]["seat"] if trick else decision["seat"],
        "on_table": "".join(play["card"] for play in trick),
        "legal_cards": "".join(sorted(_legal_cards(batch, event_index, mask))),
    }


def _pairs(text: str) -> list[str]:
    return [text[index : index + 2] for index in range(0, len(text), 2)]


def _legal_cards(batch: Batch, event_index: int, mask: Any) -> Iterator[str]:
    """The cards that a mask of actions allows, just before an event."""
    game = models.game(batch.game)
    [state] = initial_states(batch)[0].copy()
    for event in batch.events[:event_index]:
        game.evolve(state, event.copy())
    events = np.zeros(1, game.event)
    for action in np.flatnonzero(mask).tolist():
        event = new_event(events, 0, 0, int(state["turn"]))
        game.decisions.to_event(state, action, event)
        yield texts(event["cards"][: int(event["count"])])
