"""Rows of `tricks`, `plays`, `seats` and `bids` in odd cases: hands that break off, hidden cards, games
without tricks or teams. That all fixtures have the right rows is in test_tables_by_sql."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from cardlog import models
from cardlog.models.contest.simulation import Simulation
from cardlog.pipelines.derive.projections import project
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.export import simulate
from cardlog.schemas import cards
from cardlog.schemas.events import Action
from cardlog.schemas.tables import PROJECTIONS

DEAL, PLAY, TRUMP = Action.DEAL_HAND, Action.PLAY_CARD, Action.BID_TRUMP
BIDS = (Action.BID_PASS, Action.BID_BID)


def hand_of(game: str) -> Batch:
    simulation = Simulation(game, simulate._key(f"{game}-{simulate.DEFAULT_PLAYERS}-1"))
    (batch,) = simulate.batches(game, "test", simulation, 1)
    return batch


def events_of(batch: Batch, *actions: int) -> Any:
    """Where the events with these actions are."""
    return np.flatnonzero(np.isin(batch.events["action"], actions))


def cut(batch: Batch, end: int) -> Batch:
    """A hand that breaks off before an event."""
    return replace(batch, events=batch.events[:end].copy(), offsets=np.array([0, end]))


def opened(batch: Batch, **changes: Any) -> Batch:
    number = batch.events["detail"][0]
    detail = json.loads(batch.details[number]) | changes
    return replace(batch, details=[*batch.details[:number], json.dumps(detail), *batch.details[number + 1 :]])


def hidden(batch: Batch, seat: int, count: int) -> Batch:
    """A hand of which the log does not show the first cards that a seat was dealt."""
    events = batch.events.copy()
    events["cards"][events_of(batch, DEAL)[seat], :count] = cards.UNKNOWN
    return replace(batch, events=events)


def columns(batch: Batch, name: str) -> dict[str, list[Any]]:
    tables = dict(project(batch, tuple(PROJECTIONS)))
    return tables[name].to_pydict()


def test_a_trick_that_is_cut_off_has_cards_but_no_winner() -> None:
    batch = hand_of("kaiser")
    cut_off = cut(batch, events_of(batch, PLAY)[6])
    plays, tricks = columns(cut_off, "plays"), columns(cut_off, "tricks")
    assert (plays["trick_no"], plays["order_in_trick"]) == ([0, 0, 0, 0, 1, 1], [0, 1, 2, 3, 0, 1])
    assert plays["is_led"] == [True, False, False, False, True, False]
    for name in ("followed", "trumped"):
        assert [value is None for value in plays[name]] == plays["is_led"]
    [winner], [points] = tricks["winner"], tricks["points"]
    assert plays["won"] == [seat == winner for seat in plays["seat"][:4]] + [None, None]
    assert plays["points"] == [points * (seat == winner) for seat in plays["seat"][:4]] + [None, None]
    assert plays["cards_left_in_suit"] == columns(batch, "plays")["cards_left_in_suit"][:6]
    assert {*plays["hand_status"], *tricks["hand_status"]} == {"aborted"}


def test_all_cards_belong_to_the_first_trick_if_that_is_not_whole() -> None:
    batch = hand_of("pinochle")
    plays = columns(cut(batch, events_of(batch, PLAY)[2]), "plays")
    assert (plays["trick_no"], plays["order_in_trick"], plays["won"]) == ([0, 0], [0, 1], [None, None])
    assert columns(cut(batch, events_of(batch, PLAY)[2]), "tricks")["trick_no"] == []


def test_an_auction_that_breaks_off_has_no_winner() -> None:
    batch = hand_of("kaiser")
    cut_off = cut(batch, events_of(batch, *BIDS)[3])
    bids, seats = columns(cut_off, "bids"), columns(cut_off, "seats")
    assert bids["bid_no"] == [0, 1, 2]
    assert not any(bids["is_winning"])
    assert seats["is_declarer"] == seats["won"] == seats["team_score"] == [None] * 4
    assert sum(seats["is_dealer"]) == 1
    assert sum(seats["card_points"]) == 2  # five for the five of hearts, three less for the three of spades
    assert columns(cut_off, "plays")["seq"] == []


def test_a_hand_that_was_not_dealt_has_seats_without_cards() -> None:
    seats = columns(cut(hand_of("kaiser"), 1), "seats")
    for name in ("cards", "card_list", "clubs", "voids", "aces", "card_points", "bid"):
        assert seats[name] == [None] * 4, name
    assert (seats["seat"], seats["partner_seat"], seats["team"]) == ([0, 1, 2, 3], [2, 3, 0, 1], [0, 1, 0, 1])


def test_belotes_cards_are_worth_what_the_trump_makes_them() -> None:
    batch = hand_of("belote")
    assert sum(columns(batch, "seats")["card_points"]) == 152  # 162 with the last trick
    unnamed = columns(cut(batch, events_of(batch, TRUMP)[0]), "seats")
    assert unnamed["card_points"] == [None] * 4
    assert [sum(unnamed[name]) for name in ("clubs", "diamonds", "hearts", "spades", "aces")] == [
        8,
        8,
        8,
        8,
        4,
    ]


@pytest.mark.parametrize("count", [1, 8])
def test_nothing_is_counted_of_a_hand_that_is_hidden(count: int) -> None:
    """In part, so its cards are shown; or as a whole, so they are null."""
    batch = hand_of("belote")
    shown = columns(batch, "seats")
    dealt_first = batch.events["seat"][events_of(batch, DEAL)[0]]
    batch = cut(hidden(batch, 0, count), events_of(batch, TRUMP)[0] + 1)
    seats = columns(batch, "seats")
    for name in ("clubs", "diamonds", "hearts", "spades", "voids", "aces", "card_points"):
        wanted = [None if seat == dealt_first else value for seat, value in enumerate(shown[name])]
        assert seats[name] == wanted, name
    text = shown["cards"][dealt_first]
    wanted_text = "??" * count + text[2 * count :] if count < 8 else None
    assert seats["cards"][dealt_first] == wanted_text
    pairs = [wanted_text[index : index + 2] for index in range(0, 16, 2)] if wanted_text else None
    assert seats["card_list"][dealt_first] == pairs


def test_games_without_tricks_have_none() -> None:
    batch = hand_of("ruter_sju")
    plays, seats = columns(batch, "plays"), columns(batch, "seats")
    assert len(plays["seq"]) == 52
    for name in ("trick_no", "order_in_trick", "is_led", "followed", "trumped", "won", "points"):
        assert plays[name] == [None] * 52, name
    assert plays["cards_left_in_suit"][-1] == 0
    for name in ("team", "partner_seat", "partner_name", "voids", "card_points", "team_points", "is_dealer"):
        assert set(seats[name]) == {None}, name
    assert columns(batch, "tricks")["cards"] == columns(batch, "bids")["seat"] == []
    assert [place == 1 for place in seats["place"]] == seats["won"]


def test_poker_players_have_cards_and_chips_but_play_none() -> None:
    batch = hand_of("five_card_draw")
    seats = columns(batch, "seats")
    assert columns(batch, "plays")["seq"] == columns(batch, "bids")["seat"] == []
    assert None not in seats["poker_category"]
    assert seats["won"] == [net > 0 for net in seats["net"]]
    assert seats["score_before"] == json.loads(batch.details[0])["match"]["score"][: len(seats["seat"])]
    dealt = batch.events["seat"][events_of(batch, DEAL)[0]]
    unseen = columns(cut(hidden(batch, 0, 5), events_of(batch, DEAL)[-1] + 1), "seats")
    row = unseen["seat"].index(dealt)
    assert unseen["cards"][row] is unseen["poker_category"][row] is unseen["clubs"][row] is None


def test_seats_that_nobody_holds_have_no_rows() -> None:
    batch = hand_of("five_card_draw")
    detail = json.loads(batch.details[0])
    seats = len(detail["players"])
    empty = opened(batch, players=[*detail["players"], None], match={"score": [*detail["match"]["score"], 0]})
    assert seats < 6
    assert columns(empty, "seats")["seat"] == list(range(seats))


def test_scores_of_the_match_are_those_that_the_source_reports() -> None:
    batch = hand_of("pinochle")
    seats = columns(batch, "seats")
    after = [before + score for before, score in zip(seats["score_before"], seats["team_score"], strict=True)]
    assert seats["score_after"] == after
    unsaid = cut(batch, events_of(batch, PLAY)[-1])
    assert columns(unsaid, "seats")["score_after"] == [None] * 4
    assert columns(unsaid, "playedhand")["scores_reported"] <= columns(batch, "playedhand")["scores_reported"]


def test_openings_may_say_what_no_other_does() -> None:
    """A name that is no text, and a score of the match in a game that has none."""
    batch = hand_of("ruter_sju")
    players = [{"name": 7}, {"name": ["Ä"], "kind": "human"}, {"name": None}, {}]
    seats = columns(opened(cut(batch, 1), players=players, match={"score": [1, "2", True, 10**20]}), "seats")
    assert seats["player_name"] == ["7", '["Ä"]', None, None]
    assert seats["player_kind"] == [None, "human", None, None]
    assert seats["score_before"] == [1, None, None, None]


@pytest.mark.parametrize("game", models.GAMES)
def test_the_rows_of_a_hand_do_not_depend_on_the_hands_beside_it(game: str) -> None:
    """Such as on which suits are trump in them."""
    [batch] = simulate.batches(game, "test", Simulation(game, 1), 12)
    together = {name: rows.to_pylist() for name, rows in project(batch, tuple(PROJECTIONS))}
    for number, hand_id in enumerate(batch.hand_ids.tolist()):
        for name, rows in project(batch.take(np.array([number])), tuple(PROJECTIONS)):
            expected = [row for row in together[name] if row["hand_id"] == hand_id.decode()]
            assert rows.to_pylist() == expected, name
