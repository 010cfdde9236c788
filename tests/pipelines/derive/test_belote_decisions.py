"""Belote's training rows: what is in them is what the seat knew, and nothing else."""

import re
from typing import Any

import numpy as np
import pytest

from cardlog.models.belote import decisions as view
from cardlog.models.belote import rules as belote
from cardlog.models.belote.state import DECK_TEXT, begin
from cardlog.pipelines.derive.projections import project
from cardlog.pipelines.events.batch import Batch
from cardlog.schemas import cards
from cardlog.schemas.events import ACTIONS
from tests.support.belote_logs import FIXTURES, LOGS, card, codes, games, hands_of, read_log
from tests.support.decision_rows import decision_rows

PACK = [DECK_TEXT[place : place + 2] for place in range(0, 64, 2)]
HANDS = 40


def some(name: str) -> Batch:
    batch = read_log(name).batch
    return batch.take(np.arange(0, len(batch), max(len(batch) // HANDS, 1)))


def rows_of(batch: Batch) -> list[dict[str, Any]]:
    return decision_rows(batch)


def expected(opening: dict[str, Any], events: Any) -> list[dict[str, Any]]:
    """What the seats knew, told again from the events by other means."""
    ordered = opening["settings"].get("dealt_order", [True] * 4)
    before = opening.get("match", {}).get("score")
    bids, declared, points = [-1] * 4, [0, 0], [0, 0]
    hands: list[list[str]] = [[] for _ in range(4)]
    held: list[set[str]] = [set() for _ in range(4)]
    told: dict[str, int] = {}
    gone: dict[str, int] = {}
    table: list[tuple[str, int]] = []
    lacks: set[tuple[int, str]] = set()
    bidder, bela, trump, tricks, claiming = -1, -1, -1, 0, False
    rows = []
    for one in events:
        action = ACTIONS[int(one["action"])]
        me, amount = int(one["seat"]), int(one["amount"])
        shown = [cards.text(int(code)) for code in one["cards"][: int(one["count"])]]
        if action.name == "hand" and action.kind == "deal":
            hands[me], held[me] = shown, set(shown)
        if action.kind in ("bid", "play"):
            bidding = action.kind == "bid"
            seen = dict.fromkeys(PACK, 0)
            if bidding:
                seen |= dict.fromkeys(hands[me][:6] if ordered[me] else [], 1)
            else:
                seen |= {card: 10 + (seat - me) % 4 for card, seat in told.items() if card not in gone}
                seen |= dict.fromkeys(held[me], 1)
                seen |= {card: 2 + (seat - me) % 4 for card, seat in gone.items()}
                seen |= {card: 6 + (seat - me) % 4 for card, seat in table}
            ours, theirs = me % 2, 1 - me % 2
            rows.append({
                "kind": action.kind,
                "seat": me,
                "observation": [
                    *seen.values(),
                    *(bids[(me + step) % 4] for step in range(4)),
                    (bidder - me) % 4 if bidder >= 0 else -1,
                    trump,
                    (opening["dealer"] - me) % 4,
                    tricks,
                    len(table),
                    points[ours] - 81,
                    points[theirs] - 81,
                    declared[ours] // 10,
                    declared[theirs] // 10,
                    (bela - me) % 4 if bela >= 0 and not claiming else -1,
                    min(before[ours] // 10, 127) if before else -1,
                    min(before[theirs] // 10, 127) if before else -1,
                    int(ordered[me]) if bidding else 1,
                    *(int(((me + step) % 4, suit) in lacks) for step in (1, 2, 3) for suit in cards.SUITS),
                ],
            })  # fmt: skip
        if action.kind == "bid":
            bids[me] = int(one["suit"]) + 1
            if action.name == "trump":
                bidder, trump = me, int(one["suit"])
        elif action.name == "declare":
            declared[me % 2] += amount
            told |= dict.fromkeys(shown, me)
        elif action.name == "bela":
            bela, claiming = me, True
            told |= dict.fromkeys(["K" + cards.SUITS[trump], "Q" + cards.SUITS[trump]], me)
        elif action.kind == "play":
            claiming = False
            held[me].discard(shown[0])
            led = table[0][0][1] if table else shown[0][1]
            if led not in (shown[0][1], "D"):  # these programs let anything be played to a diamond
                lacks |= {(me, suit) for suit in (led, cards.SUITS[trump]) if suit != shown[0][1]}
            table.append((shown[0], me))
            gone[shown[0]] = me
        elif action.kind == "score" and action.name == "trick":
            points[me % 2] += amount
            table, tricks = [], tricks + 1
    return rows


@pytest.mark.parametrize("name", ["cesmak", "bornabesic", "readme"])
def test_observations_are_what_the_events_told_the_seat(name: str) -> None:
    batch = some(name)
    found = rows_of(batch)
    told: list[dict[str, Any]] = []
    for _, _, opening, events in hands_of(batch):
        told += expected(opening, events)
    assert len(found) == len(told) > 1000
    for row, right in zip(found, told, strict=True):
        assert {key: row[key] for key in right} == right


@pytest.mark.parametrize("name", LOGS)
def test_masks_are_what_the_program_let_be_played(name: str) -> None:
    plays = [row for row in rows_of(read_log(name).batch) if row["kind"] == "play"]
    asked = [play for game in games(name) for hand in game["hands"] for play in hand["plays"]]
    assert len(plays) == len(asked)
    for row, play in zip(plays, asked, strict=True):
        assert row["seat"] == play["seat"]
        assert cards.code(PACK[row["action"]]) == card(play["card"])
        legal = {cards.code(name) for name, may in zip(PACK, row["action_mask"], strict=True) if may}
        assert legal == set(codes(play["legal"]))


def test_what_is_not_known_of_the_bidding_is_not_pretended() -> None:
    rows = [row for row in rows_of(some("bornabesic")) if row["kind"] == "bid"]
    known = [row["observation"][view.HAND_KNOWN_AT] for row in rows]
    assert known.count(0) > 0.7 * len(rows)
    for row in rows:
        assert row["observation"][:32].count(view.IN_HAND) == 6 * row["observation"][view.HAND_KNOWN_AT]
    for row in rows_of(some("cesmak")):
        assert row["observation"][view.HAND_KNOWN_AT] == 1


def test_the_page_lists_the_pack_and_the_values_of_a_card() -> None:
    page = (FIXTURES.parents[2] / "docs" / "features" / "belote.md").read_text(encoding="utf-8")
    cell = r"^\| (\d+)(?:-\d+)? \| `([A-Z_]+)` \|"
    _, second = page.split("## Cards")
    rows = [" ".join(PACK[place : place + 8]) for place in range(0, 32, 8)]
    assert all(f"    {row}\n" in page for row in rows)
    for value, name in re.findall(cell, second, re.MULTILINE):
        assert getattr(view, name) + (name == "HELD") == int(value)


def test_tables_hold_what_the_hand_was() -> None:
    batch = some("readme")
    rows = dict(project(batch, ("playedhand",)))["playedhand"].to_pylist()
    for row, (match, number, opening, events) in zip(rows, hands_of(batch), strict=True):
        state = begin(opening)[0]
        for one in events.copy():
            belote.evolve(state, one)
        assert (row["match_id"], row["hand_no"], row["dealer"]) == (match, number, opening["dealer"])
        bids = [row[f"player_{seat}_bid"] for seat in range(4)]
        assert bids[row["declarer"]] == row["trump"]
        assert bids.count(None) + bids.count("pass") == 3
        assert row["contract"] == state["needed"]
        assert [row["team_0_points"], row["team_1_points"]] == state["points"].tolist()
        assert row["team_0_points"] + row["team_1_points"] == 162
        assert [row["team_0_score"], row["team_1_score"]] == state["score"].tolist()
        assert row["trick_winners"] == "".join(map(str, state["winners"].tolist()))
        for seat, player in enumerate(opening["players"]):
            assert row[f"player_{seat}_ai"] == (player["kind"] == "computer")
            assert len(row[f"player_{seat}_hand"]) == 16
