"""What marts are made of, recomputed in Python from events: how Kaiser's auctions were won and by whom its
special cards were played and taken, what seats of Pinochle showed, threw in and were refused, and what the
programs of Belote do otherwise than its book."""

import json
from collections import Counter, defaultdict
from typing import Any

import pytest

from tests.support.belote_logs import FIXTURES, LOGS, games
from tests.support.summaries import Marts, Row, events_of, hands_of, rows_of, same_rows

pytestmark = pytest.mark.long

TO_DECLARER = ("declarer", "left_defender", "partner", "right_defender")


def test_kaisers_auctions_are_won_as_their_bids_say(logged: Marts) -> None:
    """The dealer bids last, and alone may equal the highest bid. A bid without trump is above one with."""
    expected, events = {}, events_of(logged, "kaiser")
    for hand_id, hand in hands_of(logged, "kaiser").items():
        bids = [one for one in events[hand_id] if one["what"] in ("bid bid", "bid pass")]
        ranks = [(one["amount"] or 0, one["suit"] == "N") for one in bids]
        if len(bids) < 4:
            continue
        others, dealers = max(ranks[:3]), ranks[3]
        turn = 3 if dealers >= others else ranks.index(others)
        won_by = "ordinary"
        if turn == 3 and others > (0, False):
            won_by = "matched" if dealers == others else "raised"
        elif turn == 3:
            won_by = "forced" if dealers[0] == hand["setting_min_bid"] else "opened"
        contract, no_trump = ranks[turn]
        expected[hand_id] = {"declarer": bids[turn]["seat"], "contract": contract, "no_trump": no_trump}
        expected[hand_id] |= {"won_by": won_by, "declarer_points": hand["declarer_points"]}
    found = same_rows(logged, "from steps.int_kaiser_auctions", expected)
    assert {row["won_by"] for row in found} == {"ordinary", "forced", "opened", "matched", "raised"}


def test_special_cards_are_played_and_taken_as_the_events_say(logged: Marts) -> None:
    expected, events = {}, events_of(logged, "kaiser")
    for hand in hands_of(logged, "kaiser").values():
        plays = [one for one in events[hand["hand_id"]] if one["kind"] == "play"]
        for index, play in enumerate(plays):
            if play["cards"] not in ("5H", "3S") or hand["status"] != "complete":
                continue
            trick, suit, led = index // 4, play["cards"][1], plays[index // 4 * 4]["cards"][1]
            taker, declarer = int(hand["trick_winners"][trick]), hand["declarer"]
            way = "trump" if suit == hand["trump"] else "follow" if suit == led else "discard"
            expected[hand["hand_id"], play["cards"]] = {
                "trick_no": trick,
                "played_as": way if index % 4 else "lead",
                "played_by": TO_DECLARER[(play["seat"] - declarer) % 4],
                "taken_by": TO_DECLARER[(taker - declarer) % 4],
                "taken_by_bidders": (taker - declarer) % 2 == 0,
                "captured": (taker - play["seat"]) % 2 == 1,
                "made": hand["declarer_score"] > 0,
                "declarer_points": hand["declarer_points"],
            }
    assert len(expected) > 500
    same_rows(logged, "from steps.int_kaiser_special_cards", expected, "hand_id, card")


def test_hands_of_pinochle_are_those_of_the_events(played: Marts) -> None:
    """The dealer is stuck if nobody bids more than the 20 that he holds."""
    expected: dict[str, Row] = {}
    events = events_of(played, "pinochle")
    for hand_id, hand in hands_of(played, "pinochle").items():
        if (declarer := hand["declarer"]) is None:
            continue
        bid = max((one["amount"] for one in events[hand_id] if one["what"] == "bid bid"), default=0)
        melds = {one["seat"]: one["amount"] or 0 for one in events[hand_id] if one["kind"] == "meld"}
        thrown_in = any(one["what"] == "bid throw_in" for one in events[hand_id])
        made = hand["declarer_score"] and hand["declarer_score"] > 0
        row = {"is_stuck": bid <= 20, "thrown_in": thrown_in, "seats_shown": len(melds), "made": made}
        if len(melds) == 4:
            meld = [melds[side] + melds[side + 2] for side in range(2)]
            row |= {"declarer_meld": meld[declarer % 2], "defender_meld": meld[1 - declarer % 2]}
        expected[hand_id] = row
    found = same_rows(played, "from steps.int_pinochle_hands", expected)
    for name in ("is_stuck", "thrown_in"):
        assert {row[name] for row in found} == {False, True}


def test_refused_cards_are_those_of_the_client(played: Marts) -> None:
    """He sits at seat 0; what was refused stands with the card that was taken."""
    expected = {}
    for hand_id, events in events_of(played, "pinochle").items():
        plays = [one for one in events if one["what"] == "play card"]
        for index, play in enumerate(plays):
            if play["seat"] == 0:
                refused = len(json.loads(play["detail"] or "{}").get("refused", []))
                expected[hand_id, index // 4] = {"refused": refused}
    found = same_rows(played, "from steps.int_pinochle_refusals", expected, "hand_id, trick_no")
    assert sum(row["refused"] for row in found) > 20


def test_matches_of_pinochle_end_as_the_source_reports(played: Marts) -> None:
    hands, events = hands_of(played, "pinochle"), events_of(played, "pinochle")
    lasts: dict[str, Row] = {}
    winners: dict[str, int] = {}
    for hand_id, hand in hands.items():
        match = hand["match_id"]
        if hand["declarer"] is not None and hand["hand_no"] >= lasts.get(match, hand)["hand_no"]:
            lasts[match] = hand
        for one in events[hand_id]:
            if (one["what"], one["amount"]) == ("score place", 1):
                winners[match] = one["seat"] % 2
    expected = {}
    for match, last in lasts.items():
        own = events[last["hand_id"]]
        scores = {one["seat"]: one["amount"] for one in own if one["what"] == "score match"}
        expected[match] = {f"team_{team}_score": scores.get(team) for team in (0, 1)}
        expected[match] |= {"winner_team": winners.get(match)}
    same_rows(played, "from pinochle_matches", expected, "match_id")


def test_hands_are_counted_by_day_and_status(logged: Marts) -> None:
    """By the day in UTC; hands without a time have a day of their own, null."""
    days: dict[Any, Row] = defaultdict(lambda: {"complete_hands": 0, "aborted_hands": 0})
    for hand in rows_of(logged, "select *, added_date at time zone 'UTC' as at from playedhand"):
        day = hand["at"] and hand["at"].date()
        days[hand["game"], hand["dataset"], day][f"{hand['status']}_hands"] += 1
    found = same_rows(logged, "from hands_per_day", days, "game, dataset, day")
    assert {row["day"] is None for row in found} == {False, True}


# ---------------------------------------------------------------- Belote, by the programs' own figures


HANDS = [(game["dialect"], hand) for name in LOGS for game in games(name) for hand in game["hands"]]
"""The hands of the oracles, each with its dialect."""


def freed(hand: dict[str, Any]) -> Counter[str]:
    """Cards played on a diamond lead though the player could have followed or trumped."""
    held = [set(cards) for cards in hand["hands"]]
    deeds: Counter[str] = Counter()
    led = -1
    for index, one in enumerate(hand["plays"]):
        own, suit = held[one["seat"]], one["card"] // 8
        led, suits = led if index % 4 else suit, {card // 8 for card in own}
        if led == 0 and suit != 0 and 0 in suits:
            deeds["did not follow"] += 1
        elif led == 0 and suit not in (0, hand["trump"]) and hand["trump"] in suits:
            deeds["did not trump"] += 1
        own.remove(one["card"])
    return deeds


def ace_runs(hand: dict[str, Any]) -> list[int]:
    """How many cards in a row from the ace down, of those of three or more."""
    suits = [
        [8 * suit + 7 - place in held for place in range(8)] for held in hand["hands"] for suit in range(4)
    ]
    sizes = [[*there, False].index(False) for there in suits]
    return [size for size in sizes if size >= 3]


@pytest.mark.parametrize("dialect", ["cesmak", "bornabesic", "readme"])
def test_rule_differences_are_those_of_the_logs(played: Marts, dialect: str) -> None:
    """For matches that have marks, without simulated ones and those of the edge files."""
    hands = [hand for named, hand in HANDS if named == dialect]
    for step, column, expected in (
        ("freed_plays", "deed", sum((freed(hand) for hand in hands), Counter())),
        ("ace_runs", "cards", Counter(size for hand in hands for size in ace_runs(hand))),
    ):
        found = played.execute(f"""
            select {column}, count(*) from steps.int_belote_{step}
            join steps.stg_playedhand as hands using (hand_id)
            where hands.dialect = '{dialect}' and match_id not like 'belote-%'
            and length(split_part(match_id, '~', 1)) < 16 group by all
        """)
        assert dict(found.fetchall()) == expected


def test_the_page_counts_what_the_logs_hold() -> None:
    page = (FIXTURES.parents[2] / "docs" / "rules" / "belote.md").read_text(encoding="utf-8")
    plays, tied = sum(freed(hand).total() for _, hand in HANDS), 0
    for _, hand in HANDS:
        ours, theirs = (
            max((worth for seat in (team, team + 2) for _, worth in hand["declared"][str(seat)]), default=0)
            for team in (0, 1)
        )
        tied += ours == theirs > 0
    assert f"Of the {32 * len(HANDS):,} plays in the logs, {plays:,} were" in page
    assert f"{tied} of the {len(HANDS)} hands in the logs" in page
