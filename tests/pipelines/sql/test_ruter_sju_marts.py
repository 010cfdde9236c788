"""Ruter Sju's marts against the original program's own figures, and against the fold."""

import csv
import io
import re
from collections import defaultdict
from typing import Any

import pytest

from cardlog.models.ruter_sju import rules as ruter_sju
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.events.folding import initial_states
from cardlog.schemas.events import Action
from tests.support.ruter_sju_logs import FIXTURES, TRANSCRIPTS, games_of, text_of, whole_batch
from tests.support.ruter_sju_referee import ACTS
from tests.support.stores import own_name
from tests.support.summaries import Marts, Row, rows_of

pytestmark = pytest.mark.long

TABLES = ["stats.csv", *(path.name for path in sorted(FIXTURES.glob("variants_stats_*.csv")))]


def snake(name: str) -> str:
    return {"gid": "match"}.get(name, re.sub("([A-Z])", lambda letter: "_" + letter[1].lower(), name))


def of(marts: Marts, where: str, mart: str = "player_stats") -> list[Row]:
    """Rows of a mart with the names that the matches have in the logs."""
    rows = rows_of(marts, f"from ruter_sju_{mart} where {where} order by all")
    return [row | {"match": own_name(row["match_id"])} for row in rows]


def test_every_cell_of_the_statistics_is_the_original_one(played: Marts) -> None:
    """All 27 to 29 columns of stats.csv and the variants; doubles are equal, not only near."""
    found = of(played, "kind in ('smart', 'dumb', 'random')")
    actual = {(row["match"], row["player_name"]): row for row in found}
    cells, wrong = 0, []
    for table in TABLES:
        for row in csv.DictReader(io.StringIO((FIXTURES / table).read_text())):
            for name, value in row.items():
                cells += 1
                ours = actual[row["gid"], row["playerName"]][snake(name)]
                if (ours != float(value)) if isinstance(ours, float) else (str(ours) != value):
                    wrong.append((table, row["gid"], row["playerName"], name, ours, value))
    assert wrong == []
    assert cells == 900 * 28 + 18 * (27 + 28 + 28 + 29 + 30)


def test_the_statistics_also_cover_games_with_humans(played: Marts) -> None:
    """For these the original reports turns, rounds and the orders of play and finish."""
    oracle = {gid: game for gid, game in games_of("edge_human_games").items() if "winOrder" in game}
    found = of(played, "match_id like 'H%'")
    assert {row["match"] for row in found} == set(oracle)
    for row in found:
        game = oracle[row["match"]]
        assert (row["turns"], row["rounds"]) == (game["turns"], game["rounds"])
        assert game["playOrder"][row["starting_position"]] == row["player_name"]
        assert game["winOrder"][row["final_position"]] == row["player_name"]
        assert row["rounds_player"] == len(game["allMoves"][row["player_name"]])


def test_the_true_figures_are_those_of_the_turns(played: Marts) -> None:
    """Counted a second time, turn by turn, from the fold."""
    batch, found = whole_batch(), of(played, "match_id not like 'hidden~%'")
    hand_of = {batch.matches[match]: hand for hand, match in enumerate(batch.match_of)}
    turns = {match: turns_of(batch, hand_of[match]) for match in {row["match"] for row in found}}
    for row in found:
        seats, laps = turns[row["match"]]
        done = seats[row["seat"]]
        blocked = [taken or passed for taken, passed, _ in done]
        first = next((lap for taken, _, lap in done if taken), None)
        expected = {
            "rounds": laps,
            "turns_player": len(done),
            "times_block_taken": sum(taken for taken, _, _ in done),
            "turns_with_block": sum(blocked),
            "most_turns_with_block": max(map(len, "".join(" x"[one] for one in blocked).split()), default=0),
            "first_block_lap": first,
            "turns_with_block_prop": sum(blocked) / len(done),
            "first_block_lap_prop": None if first is None else first / laps,
        }
        assert {name: row[f"true_{name}"] for name in expected} == expected
    assert len(found) == 990 + 19


def turns_of(batch: Batch, hand: int) -> tuple[dict[int, list[tuple[bool, bool, int]]], int]:
    """Of each seat its turns: whether it took the block, was passed over, and in which lap; and the laps."""
    [state] = initial_states(batch)[0][[hand]].copy()
    turns = defaultdict(list)
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
        turns[seat].append((action == Action.PLAY_BLOCK, action == Action.PLAY_BLOCKED, lap))
    return turns, lap + 1


def test_boards_are_those_that_the_text_shows(played: Marts) -> None:
    """Before every turn shown, the transcript prints the ends of the layout."""
    compared, acts = 0, defaultdict(list)
    sql = "select match_id, action, is_going_on, game_state from ruter_sju_boards "
    sql += (
        "join ruter_sju_acts using (hand_id, seq, action) join hands using (hand_id) order by match_id, seq"
    )
    for act in rows_of(played, sql):
        acts[own_name(act["match_id"])].append(act)
    for name in TRANSCRIPTS:
        for part in re.split(r"(?m)^=== GAME ", text_of(name).decode())[1:]:
            shown = re.findall(r"(?m)^GAME(?: OVER)?\n((?:^[dshc45]: ?[\d ]*\n)+)", part)
            before: Any = None
            boards = []
            for act in acts[part.split(" ", 1)[0]]:
                if not act["is_going_on"] and act["action"] != "blocked":
                    boards.append(before)
                before = act["game_state"]
            for board, text in zip([*boards, before], shown, strict=False):
                if board is not None:
                    rows = [row.rstrip() for row in text.strip("\n").split("\n")]
                    assert [row_of(suit, piles) for suit, piles in board.items()] == rows
                    compared += 1
    assert compared > 12_000


def row_of(suit: int, piles: dict[str, list[int]]) -> str:
    ends = [piles[name][-1] for name in ("under", "center", "over") if piles[name]]
    return " ".join(["dshc45"[suit] + ":", *map(str, ends)])


def test_what_could_be_placed_is_what_the_mask_says(played: Marts) -> None:
    """The SQL and the fold count the cards that fit alike, at each decision of the computers."""
    sql = """
        select count(*) > 13_000, bool_and(coalesce(is_allowed, false)),
        bool_and(choices is not distinct from bit_count(action_mask & (1::hugeint << 90) - 1)),
        bool_and((choices = 0) is not distinct from (action_mask >> 90 & 1 = 1))
        from ruter_sju_acts join steps.stg_decisions using (hand_id, seq)
        join (select hand_id, seat from steps.int_ruter_sju_seats where not is_unchecked) as seats
        on ruter_sju_acts.hand_id = seats.hand_id and ruter_sju_acts.seat = seats.seat
    """
    assert played.execute(sql).fetchone() == (True,) * 4


def test_acts_that_the_book_forbids_are_those_that_were_typed(played: Marts) -> None:
    """edge_human_games lists what was typed on purpose: illegal cards and skipped turns."""
    oracle, found = games_of("edge_human_games"), of(played, "num_human = 1", "games")
    assert {row["match"] for row in found} == {f"H000{number}" for number in range(7)}
    for row in found:
        wrong = sum(note == "undo" or note[0] == "illegal" for note in oracle[row["match"]]["notes"])
        told = row["acts_not_allowed"], row["is_by_the_book"], row["acts_not_known"]
        assert told == (wrong, wrong == 0, 0), row["match"]
    bots = of(played, "num_human = 0", "games")
    assert [row["is_by_the_book"] for row in bots] == [True] * 220


def test_a_game_is_frozen_if_the_counter_has_passed_what_it_waits_for(played: Marts) -> None:
    """Counted visit by visit, as the program does; in its own 440 games that were 319."""
    exits: dict[str, set[int]] = {}
    for row in rows_of(played, "from ruter_sju_acts where card is not null and cards_left = 0"):
        exits.setdefault(row["hand_id"], set()).add(row["visit_no"])
    games = of(played, "num_human = 0", "games")
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
    actual, shown = (of(played, f"match_id like '{match}~%'") for match in ("hidden", "R0000"))
    of_cards = re.compile(r"num_(center|opener|extremes)|suit\d_extremes")
    by_seat = {row["seat"]: row for row in shown}
    for row in actual:
        for name in set(row) - {"hand_id", "match_id", "match", "kind", "num_smart", "ingest_no"}:
            is_hidden = row["kind"] == "human" and of_cards.fullmatch(name)
            assert row[name] == (None if is_hidden else by_seat[row["seat"]][name]), name
    assert len(actual) == len(shown)
    [game] = of(played, "match_id like 'hidden~%'", "games")
    blocks = "select count(*) from ruter_sju_acts join hands using (hand_id) where match_id like 'hidden~%' "
    blocks += "and action = 'block' and seat < 2"
    assert (game["acts_not_known"],) == played.execute(blocks).fetchone()
    assert not game["is_by_the_book"]
    dealt = "select player_0_hand, player_2_hand[:6] from steps.stg_playedhand where match_id like 'hidden~%'"
    assert played.execute(dealt).fetchall() == [("??" * 18, "2S5S7S")]
