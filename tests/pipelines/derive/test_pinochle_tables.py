"""Pinochle's tables and marts: against the oracles, and against each other."""

from functools import cache
from typing import Any

import numpy as np
import pyarrow.csv
import pytest

from tests.support.decision_rows import decision_rows
from tests.support.pinochle_logs import sessions

# isort: split
from cardlog.models.pinochle import cards as model
from cardlog.models.pinochle import decisions as pinochle_decisions
from cardlog.models.pinochle.cards import COUNTERS, DECK_CODES, RANKS, masks_of, meld
from cardlog.models.pinochle.decisions import IN_HAND, ON_TABLE, PLAYED, SHOWN
from cardlog.models.pinochle.dialects import RULES
from cardlog.pipelines.derive.projections import project
from cardlog.pipelines.ingest.judge import judge
from cardlog.pipelines.sql import query, warehouse
from cardlog.pipelines.storage.store import Store
from cardlog.schemas import cards
from cardlog.schemas.events import Action
from tests.support.pinochle_logs import LOGS, log, read_text
from tests.support.shared import played_games
from tests.support.stores import dicts, one

KINDS = [cards.text(int(code)) for code in DECK_CODES]


@cache
def projected(name: str) -> dict[str, list[dict[str, Any]]]:
    return {
        table: rows.to_pylist() for table, rows in project(log(name).read.batch, ("playedhand", "tricks"))
    }


# ---------------------------------------------------------------- playedhand, tricks


@pytest.mark.parametrize("name", LOGS)
def test_playedhand_says_what_the_oracle_says(name: str) -> None:
    previous: str | None = None
    for row, hand in zip(projected(name)["playedhand"], log(name).oracle, strict=True):
        ended = hand["throwin"] and hand["dialect"] == "head2014"
        assert row["status"] == "complete"
        assert row["dealer"] == hand["dealer"]
        assert (row["declarer"], row["contract"]) == (hand["high_player"], hand["high_bid"])
        bids = {seat: "pass" if bid == 0 else str(bid) for seat, bid in hand["bids"]}
        assert [row[f"player_{seat}_bid"] for seat in range(4)] == [bids.get(seat) for seat in range(4)]
        held = ["".join(cards_held) for cards_held in hand["hands"]]
        assert [row[f"player_{seat}_hand"] for seat in range(4)] == (
            [held[0], *["??" * 12] * 3] if ended else held
        )
        played = "".join(card for _, card, _, taken in hand["plays"] if taken)
        assert (row["played_cards"] or "") == played
        assert row["trick_winners"] == "".join(str(winner) for winner, _, _ in hand["tricks"])
        assert [row["team_0_points"], row["team_1_points"]] == (hand["counters"] or [None, None])
        if hand["hand_no"] == 0:
            score, previous = [0, 0], None
        after = [score[team] + row[f"team_{team}_score"] for team in range(2)]
        assert after == hand["score"]
        score = after
        expected = None if ended else previous if hand["throwin"] else hand["trump"]
        assert row["trump"] == expected
        previous = row["trump"]
        assert [row["player_0_ai"], row["player_1_ai"]] == [False, True]


def test_an_aborted_hand_has_what_is_known_of_it() -> None:
    text = sessions()[0]
    cut = text[: text.index(b"trick #5")].rpartition(b"\n")[0] + b"\n"
    batch = judge(read_text(cut, final=True)).batch
    [row] = dict(project(batch, ("playedhand",)))["playedhand"].to_pylist()
    assert row["status"] == "aborted"
    assert len(row["trick_winners"]) == 4
    assert (row["team_0_score"], row["team_1_score"]) == (None, None)
    assert row["team_0_points"] + row["team_1_points"] < 25
    assert row["player_1_hand"].endswith("??")
    [decisions] = [table for _, table in project(batch, ("decisions",))]
    assert set(decisions.column("status").to_pylist()) == {"aborted"}
    assert decisions.column("return").null_count == len(decisions)


# ---------------------------------------------------------------- decisions


@pytest.mark.parametrize("name", LOGS)
def test_every_decision_is_the_oracles_with_its_legal_cards(name: str) -> None:
    rows = iter(decision_rows(log(name).read.batch))
    for hand in log(name).oracle:
        for seat, bid in hand["bids"]:
            row = next(rows)
            assert (row["kind"], row["seat"], row["action"]) == ("bid", seat, bid)
            assert row["action_mask"][:101] == [True] * 101  # the programs take any number
            assert not any(row["action_mask"][101:])
        row = next(rows)
        trump = None if hand["throwin"] else 101 + cards.SUITS.index(hand["trump"])
        assert (row["seat"], row["action"]) == (
            hand["high_player"],
            trump or pinochle_decisions.THROW_IN_ACTION,
        )
        assert row["action_mask"] == [False] * 101 + [True] * 5
        for seat, card, legal, taken in hand["plays"]:
            if taken:
                row = next(rows)
                assert (row["kind"], row["seat"], KINDS[row["action"]]) == ("play", seat, card)
                mask = [kind for kind, allowed in zip(KINDS, row["action_mask"], strict=True) if allowed]
                assert mask == list(dict.fromkeys(legal))
    assert next(rows, None) is None


def test_own_cards_and_open_cards_are_seen() -> None:
    """Both places of each card, from the events alone."""
    for name in ("head2014", "jan2013_edge_throwin"):
        batch = log(name).read.batch.take(np.arange(6))
        rows = decision_rows(batch)
        hands = {row["hand_id"]: row for row in projected(name)["playedhand"]}
        for row in rows:
            observation, seat = row["observation"], row["seat"]
            hand = hands[row["hand_id"]]
            index = batch.hand_ids.tolist().index(row["hand_id"].encode())
            events = batch.events[batch.offsets[index] : batch.offsets[index] + row["seq"]]
            plays = [event for event in events if event["action"] == Action.PLAY_CARD]
            text = hand[f"player_{seat}_hand"]
            held = [text[place : place + 2] for place in range(0, 24, 2)]
            out: list[tuple[str, int]] = []
            for number, event in enumerate(plays):
                card = cards.text(int(event["cards"][0]))
                where = PLAYED if number < len(plays) // 4 * 4 else ON_TABLE
                out.append((card, where + (int(event["seat"]) - seat) % 4))
                if event["seat"] == seat:
                    held.remove(card)
            shown: list[tuple[str, int]] = []
            for event in events:
                if event["action"] == Action.MELD_DECLARE and event["seat"] != seat:
                    left = [cards.text(int(code)) for code in event["cards"][: event["count"]]]
                    for play in plays:
                        card = cards.text(int(play["cards"][0]))
                        if play["seat"] == event["seat"] and card in left:
                            left.remove(card)
                    shown += [(card, SHOWN + (int(event["seat"]) - seat) % 4) for card in left]
            shown.sort(key=lambda entry: entry[1])
            expected = []
            for kind in KINDS:
                places = [IN_HAND] * held.count(kind)
                places += [value for card, value in out if card == kind]
                places += [value for card, value in shown if card == kind]
                expected += ([*places, 0, 0])[:2]
            assert observation[:48] == expected


# ---------------------------------------------------------------- the store and the marts


@pytest.fixture(scope="module")
def marts() -> Store:
    """All logs, a hand that breaks off, and simulated hands of each rules, with marts. Not to be changed."""
    return played_games()


def mart(store: Store, sql: str) -> list[tuple[Any, ...]]:
    return query.connect(store).execute(sql).fetchall()


@pytest.mark.long
def test_the_marts_count_what_the_oracles_say(marts: Store) -> None:
    oracle = [hand for name in LOGS for hand in log(name).oracle]
    assert (
        one(marts, "select count(*) from playedhand where game = 'pinochle' and status = 'complete'")
        == len(oracle) + 180
    )
    assert one(marts, "select count(*) from playedhand where game = 'pinochle' and status = 'aborted'") == 1
    logged = "hand_id in (select hand_id from steps.stg_events where detail like '%human%')"
    found = mart(
        marts, f"select sum(team_0_points), sum(team_1_points) from pinochle_recomputed_points where {logged}"
    )
    assert found == [tuple(sum((hand["counters"] or [0, 0])[team] for hand in oracle) for team in range(2))]
    [(refused,)] = mart(marts, "select sum(cards_refused) from pinochle_refused_plays")
    assert refused == sum(not play[3] for hand in oracle for play in hand["plays"])
    [(thrown, on)] = mart(marts, "select sum(hands_thrown_in), sum(hands_played_on) from pinochle_throw_ins")
    simulated = mart(
        marts, "select count(*) from steps.int_pinochle_hands where thrown_in and match_id like 'pinochle-%'"
    )
    assert thrown - simulated[0][0] == sum(hand["throwin"] for hand in oracle)
    assert on >= 7
    over = [hand for hand in oracle if hand["game_over"]]
    matches = "from pinochle_matches where match_id not like 'pinochle-%' and winner_team is not null"
    assert mart(marts, f"select count(*) {matches}") == [(len(over),)]
    wins = sum(hand["win_seat0"] if "win_seat0" in hand else hand["win"][0] for hand in over)
    assert mart(marts, f"select count(*) {matches} and winner_team = 0") == [(wins,)]


@pytest.mark.long
def test_melds_by_kind_are_those_of_the_cards(marts: Store) -> None:
    expected: dict[str, int] = {}
    rows = dicts(marts, "from playedhand where game = 'pinochle'")
    points = 0
    for row in rows:
        if row["status"] == "aborted" or not row["played_cards"]:
            continue
        for seat in range(4):
            codes = np.array(cards.codes(row[f"player_{seat}_hand"]), np.uint8)
            firsts, seconds = masks_of(codes, 12)
            trump = cards.NO_SUIT if row["trump"] is None else cards.SUITS.index(row["trump"])
            points += int(meld(firsts, seconds, trump, False)[0])
            jacks = int(min(row[f"player_{seat}_hand"].count(card) for card in ("JD", "QS")))
            name = {1: "pinochle", 2: "double_pinochle"}.get(jacks)
            if name:
                expected[name] = expected.get(name, 0) + 1
    found = {
        meld: (times, worth)
        for meld, times, worth in mart(
            marts, "select meld, sum(times), sum(points) from pinochle_melds_by_kind group by meld"
        )
    }
    assert {name: found[name][0] for name in expected} == expected
    assert sum(worth for _, worth in found.values()) == points


@pytest.mark.long
def test_rule_tables_of_dbt_are_those_of_the_model(marts: Store) -> None:
    flags = ("throw_in_ends_hand", "bidders_need_a_trick", "opponents_need_a_trick")
    rows = mart(marts, f"select dialect, {', '.join(flags)} from pinochle_dialects")
    assert {row[0]: row[1:] for row in rows} == {
        name: tuple(getattr(rules, flag) for flag in flags) for name, rules in RULES.items()
    }
    ranks = mart(marts, "select rank from pinochle_cards group by rank, strength order by strength desc")
    assert "".join(rank for (rank,) in ranks) == RANKS
    counting = mart(marts, "select card from pinochle_cards where counters = 1")
    assert cards.mask("".join(card for (card,) in counting)) == COUNTERS


def test_tables_from_csv_agree_with_the_seeds_on_disk() -> None:
    """The worth of melds, as dbt joins it."""
    table = pyarrow.csv.read_csv(warehouse.DBT_PROJECT / "seeds" / "pinochle_melds.csv").to_pylist()
    worth = {row["meld"]: row["points"] for row in table}
    arounds = dict(
        zip(("aces", "kings", "queens", "jacks"), (points for _, points in model.AROUND_POINTS), strict=True)
    )
    assert worth == {
        "nine": model.NINE_POINTS,
        "run": model.RUN_POINTS,
        "run_pair": model.RUN_PAIR_POINTS,
        "double_run": model.DOUBLE_RUN_POINTS,
        "trump_marriage": model.TRUMP_MARRIAGE_POINTS,
        "marriage": model.MARRIAGE_POINTS,
        "pinochle": model.PINOCHLE_POINTS,
        "double_pinochle": model.DOUBLE_PINOCHLE_POINTS,
        **arounds,
        **{f"double_{name}": model.DOUBLE_AROUND_FACTOR * points for name, points in arounds.items()},
    }
