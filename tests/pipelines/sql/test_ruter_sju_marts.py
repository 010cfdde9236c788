"""Ruter Sju's marts against the original program's own figures, and against the fold."""

import csv
import io
import re
from typing import Any

import pytest

from cardlog.models.ruter_sju import rules as ruter_sju
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.events.folding import initial_states
from cardlog.schemas.events import Action
from tests.support.ruter_sju_logs import FIXTURES, TRANSCRIPTS, games_of, text_of, whole_batch
from tests.support.ruter_sju_referee import ACTS
from tests.support.stores import own_name
from tests.support.summaries import Marts, rows_of

pytestmark = pytest.mark.long

TABLES = ["stats.csv", *(path.name for path in sorted(FIXTURES.glob("variants_stats_*.csv")))]


def snake(name: str) -> str:
    return {"gid": "match_id"}.get(name, re.sub("([A-Z])", lambda letter: "_" + letter[1].lower(), name))


def same(actual: Any, expected: str) -> bool:
    if isinstance(actual, float):
        return actual == float(expected)
    return str(actual) == expected


def test_every_cell_of_the_statistics_is_the_original_one(played: Marts) -> None:
    """All 27 to 29 columns of stats.csv and the variants; doubles are equal, not only near."""
    actual = {
        (own_name(row["match_id"]), row["player_name"]): row
        for row in rows_of(played, "from ruter_sju_player_stats where kind in ('smart', 'dumb', 'random')")
    }
    cells = 0
    wrong = []
    for table in TABLES:
        for row in csv.DictReader(io.StringIO((FIXTURES / table).read_text())):
            found = actual[row["gid"], row["playerName"]]
            for name, value in row.items():
                cells += 1
                ours_here = own_name(found["match_id"]) if name == "gid" else found[snake(name)]
                if not same(ours_here, value):
                    wrong.append((table, row["gid"], row["playerName"], name, ours_here, value))
    assert wrong == []
    assert cells == 900 * 28 + 18 * (27 + 28 + 28 + 29 + 30)


def test_the_statistics_also_cover_games_with_humans(played: Marts) -> None:
    """For these the original reports turns, rounds and the orders of play and finish."""
    oracle = {gid: game for gid, game in games_of("edge_human_games").items() if "winOrder" in game}
    found = rows_of(played, "from ruter_sju_player_stats where match_id like 'H%'")
    assert {own_name(row["match_id"]) for row in found} == set(oracle)
    for row in found:
        game = oracle[own_name(row["match_id"])]
        assert (row["turns"], row["rounds"]) == (game["turns"], game["rounds"])
        assert game["playOrder"][row["starting_position"]] == row["player_name"]
        assert game["winOrder"][row["final_position"]] == row["player_name"]
        assert row["rounds_player"] == len(game["allMoves"][row["player_name"]])


def test_the_true_figures_are_those_of_the_turns(played: Marts) -> None:
    """Counted a second time, turn by turn, from the fold."""
    batch = whole_batch()
    actual = {
        (own_name(row["match_id"]), row["seat"]): row
        for row in rows_of(played, "from ruter_sju_player_stats where match_id not like 'hidden~%'")
    }
    compared = 0
    for hand in range(len(batch)):
        match = batch.matches[batch.match_of[hand]]
        turns, laps = turns_of(batch, hand)
        for seat, done in turns.items():
            if (match, seat) not in actual:
                continue
            row = actual[match, seat]
            blocked = [taken or passed for taken, passed, _ in done]
            longest = max((len(run) for run in "".join(" x"[b] for b in blocked).split()), default=0)
            first = next((lap for taken, _, lap in done if taken), None)
            assert row["true_rounds"] == laps
            assert row["true_turns_player"] == len(done)
            assert row["true_times_block_taken"] == sum(taken for taken, _, _ in done)
            assert row["true_turns_with_block"] == sum(blocked)
            assert row["true_most_turns_with_block"] == longest
            assert row["true_first_block_lap"] == first
            assert row["true_turns_with_block_prop"] == sum(blocked) / len(done)
            assert row["true_first_block_lap_prop"] == (None if first is None else first / laps)
            compared += 1
    assert compared == len(actual) == 990 + 19


def turns_of(batch: Batch, hand: int) -> tuple[dict[int, list[tuple[bool, bool, int]]], int]:
    """Of each seat its turns: whether it took the block, was passed over, and in which lap; and the laps."""
    [state] = initial_states(batch)[0][[hand]].copy()
    turns: dict[int, list[tuple[bool, bool, int]]] = {}
    start = lap = before = -1
    for event in batch.events[batch.offsets[hand] : batch.offsets[hand + 1]]:
        again, seats = bool(state["again"]), int(state["seats"])
        assert ruter_sju.evolve(state, event.copy()) == 0
        if int(event["action"]) not in ACTS or again:
            continue
        seat, action = int(event["seat"]), int(event["action"])
        start = seat if start < 0 else start
        step = (seat - start) % seats
        lap += before < 0 or step <= before
        before = step
        turn = (action == Action.PLAY_BLOCK, action == Action.PLAY_BLOCKED, lap)
        turns.setdefault(seat, []).append(turn)
    return turns, lap + 1


def test_boards_are_those_that_the_text_shows(played: Marts) -> None:
    """Before every turn shown, the transcript prints the ends of the layout."""
    compared = 0
    acts: dict[str, list[dict[str, Any]]] = {}
    for act in rows_of(
        played,
        "select match_id, action, is_going_on, game_state from ruter_sju_boards "
        "join ruter_sju_acts using (hand_id, seq, action) join hands using (hand_id) order by match_id, seq",
    ):
        acts.setdefault(own_name(act["match_id"]), []).append(act)
    for name in TRANSCRIPTS:
        for part in re.split(r"(?m)^=== GAME ", text_of(name).decode())[1:]:
            shown = [
                [row.rstrip() for row in board.strip("\n").split("\n")]
                for board in re.findall(r"(?m)^GAME(?: OVER)?\n((?:^[dshc45]: ?[\d ]*\n)+)", part)
            ]
            before: Any = None
            boards = []
            for act in acts.get(part.split(" ", 1)[0], ()):
                if not act["is_going_on"] and act["action"] != "blocked":
                    boards.append(before)
                before = act["game_state"]
            boards.append(before)
            for board, rows in zip(boards, shown, strict=False):
                if board is not None:
                    assert [row_of(suit, piles) for suit, piles in board.items()] == rows
                    compared += 1
    assert compared > 12_000


def row_of(suit: int, piles: dict[str, list[int]]) -> str:
    ends = [piles[name][-1] for name in ("under", "center", "over") if piles[name]]
    return " ".join(["dshc45"[suit] + ":", *map(str, ends)])


def test_what_could_be_placed_is_what_the_mask_says(played: Marts) -> None:
    """The SQL and the fold count the cards that fit alike, at each decision of the computers."""
    rows = rows_of(
        played,
        "select choices, bit_count(action_mask & (1::hugeint << 90) - 1) as legal, is_allowed, "
        "action_mask >> 90 & 1 = 1 as block "
        "from ruter_sju_acts as acts join steps.stg_decisions using (hand_id, seq) "
        "join steps.int_ruter_sju_seats as seats on acts.hand_id = seats.hand_id and acts.seat = seats.seat "
        "where not seats.is_unchecked",
    )
    assert len(rows) > 13_000
    assert all(row["choices"] == row["legal"] and row["is_allowed"] for row in rows)
    assert all(row["block"] == (row["choices"] == 0) for row in rows)


def test_acts_that_the_book_forbids_are_those_that_were_typed(played: Marts) -> None:
    """edge_human_games lists what was typed on purpose: illegal cards and skipped turns."""
    found = {
        own_name(row["match_id"]): row for row in rows_of(played, "from ruter_sju_games where num_human = 1")
    }
    oracle = games_of("edge_human_games")
    assert set(found) == {f"H000{number}" for number in range(7)}
    for match, row in found.items():
        wrong = [note for note in oracle[match]["notes"] if note == "undo" or note[0] == "illegal"]
        assert row["acts_not_allowed"] == len(wrong), match
        assert row["is_by_the_book"] == (not wrong)
        assert row["acts_not_known"] == 0
    bots = played.execute(
        "select count(*), bool_and(is_by_the_book) from ruter_sju_games where num_human = 0"
    )
    assert bots.fetchone() == (220, True)


def test_a_game_is_frozen_if_the_counter_has_passed_what_it_waits_for(played: Marts) -> None:
    """Counted visit by visit, as the program does; in its own 440 games that were 319."""
    exits: dict[str, set[int]] = {}
    for row in rows_of(played, "from ruter_sju_acts where card is not null and cards_left = 0"):
        exits.setdefault(row["hand_id"], set()).add(row["visit_no"])
    games = rows_of(played, "from ruter_sju_games where num_human = 0")
    assert sum(row["is_frozen"] for row in games) > 100
    for row in games:
        counter, seats_in, passed = 0, row["num_players"], False
        for visit in range(1, max(exits[row["hand_id"]])):
            counter += 1
            seats_in -= visit in exits[row["hand_id"]]
            counter = 0 if counter == seats_in else counter
            passed |= counter > seats_in
        assert row["is_frozen"] == (passed or counter >= seats_in), row["match_id"]


def test_what_is_not_known_of_hidden_hands_is_null(played: Marts) -> None:
    """Turns, rounds and blocks come out as in the game that it was; what needs the cards does not."""
    actual = rows_of(played, "from ruter_sju_player_stats where match_id like 'hidden~%' order by seat")
    shown = rows_of(played, "from ruter_sju_player_stats where match_id like 'R0000~%' order by seat")
    of_cards = re.compile(r"num_(center|opener|extremes)|suit\d_extremes")
    for row, other in zip(actual, shown, strict=True):
        for name in set(row) - {"hand_id", "match_id", "kind", "num_smart", "ingest_no"}:
            is_hidden = row["kind"] == "human" and of_cards.fullmatch(name)
            assert row[name] == (None if is_hidden else other[name]), name
    [game] = rows_of(played, "from ruter_sju_games where match_id like 'hidden~%'")
    blocks = "select count(*) from ruter_sju_acts join hands using (hand_id) where match_id like 'hidden~%' "
    blocks += "and action = 'block' and seat < 2"
    assert (game["acts_not_known"],) == played.execute(blocks).fetchone()
    assert not game["is_by_the_book"]
    hands = rows_of(
        played, "select player_0_hand, player_2_hand from steps.stg_playedhand where match_id like 'hidden~%'"
    )
    assert hands[0]["player_0_hand"] == "??" * 18
    assert hands[0]["player_2_hand"].startswith("2S5S7S")
