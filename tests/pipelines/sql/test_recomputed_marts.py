"""Marts recomputed in Python from events and `playedhand`: poker hands and scores of matches."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.summaries import Marts, check, figure_of, pairs, rows_of

pytestmark = pytest.mark.long


def openings(marts: Marts) -> dict[str, dict[str, Any]]:
    """What each hand begins with."""
    return {
        row["hand_id"]: json.loads(row["detail"])
        for row in rows_of(marts, "select hand_id, detail from events where seq = 0")
    }


# ---------------------------------------------------------------- players


def test_players_have_the_hands_matches_and_chips_of_their_seats(logged: Marts) -> None:
    """The table `seats` is compared with events in `test_tables_by_sql`, and means in `test_rates.py`."""
    who = "game, dataset, player_name, player_kind"
    sums = "count(*), count(distinct match_id), count_if(won), sum(net)"
    expected = logged.execute(f"select {who}, {sums} from seats group by all").fetchall()
    found = logged.execute(f"select {who}, hands, matches, hands_won, net from players").fetchall()
    assert sorted(found, key=str) == sorted(expected, key=str)


# ---------------------------------------------------------------- poker


STRAIGHTS = {"".join(sorted("A23456789TJQKA"[low : low + 5])) for low in range(10)}
SAME_RANKS = {
    (4, 1): "four of a kind",
    (3, 2): "full house",
    (3, 1, 1): "three of a kind",
    (2, 2, 1): "two pair",
    (2, 1, 1, 1): "pair",
}


def category(cards: list[str]) -> str:
    """What five cards are called."""
    ranks = sorted(card[0] for card in cards)
    shape = tuple(sorted(Counter(ranks).values(), reverse=True))
    if shape in SAME_RANKS:
        return SAME_RANKS[shape]
    is_straight, is_flush = "".join(ranks) in STRAIGHTS, len({card[1] for card in cards}) == 1
    if is_straight and is_flush:
        return "royal flush" if "".join(ranks) == "AJKQT" else "straight flush"
    return "flush" if is_flush else "straight" if is_straight else "high card"


def held(events: list[dict[str, Any]]) -> dict[str, Any]:
    """What a player was dealt and held after the draw, as far as the log shows it, and how the hand ended."""
    did = {(event["kind"], event["action"]): event for event in events}
    dealt, shown = (
        pairs(did[action]["cards"]) if action in did else []
        for action in (("deal", "hand"), ("score", "show"))
    )
    known, is_open = "??" not in dealt, bool(shown) and "??" not in shown
    drew = ("play", "discard") in did
    away = pairs(did["play", "discard"]["cards"]) if drew else []
    after = shown if is_open else None
    if known and drew:
        more = pairs(did["deal", "draw"]["cards"]) if away else []
        after = [card for card in dealt if card not in away] + more
    return {
        "before": category(dealt) if known else None,
        "after": after and category(after),
        "known": known,
        "folded": ("bid", "fold") in did,
        "shown": is_open,
        "mucked": bool(shown) and not is_open,
    }


def poker_hands(marts: Marts) -> Iterator[dict[str, Any]]:
    nets = {row["hand_id"]: row for row in rows_of(marts, "from playedhand where game = 'five_card_draw'")}
    acts = defaultdict(list)
    for event in rows_of(
        marts, "from events where game = 'five_card_draw' and seat is not null order by seq"
    ):
        acts[event["hand_id"], event["seat"]].append(event)
    for (hand_id, seat), events in acts.items():
        if nets[hand_id]["status"] == "complete":
            yield held(events) | {
                "net": nets[hand_id][f"player_{seat}_net"],
                "dataset": nets[hand_id]["dataset"],
                "unit": nets[hand_id]["match_id"] or hand_id,
            }


def test_categories_are_those_of_the_cards_in_the_events(played: Marts) -> None:
    in_all = list(poker_hands(played))
    found = rows_of(played, "from five_card_draw_categories")
    assert sum(row["hands_known"] for row in found) > 1000
    assert Counter(row["dataset"] for row in found) == dict.fromkeys({hand["dataset"] for hand in in_all}, 10)
    for row in found:
        hands = [hand for hand in in_all if hand["dataset"] == row["dataset"]]
        after = [hand for hand in hands if hand["after"] == row["category"]]
        known = [(hand["unit"], hand["net"]) for hand in after if hand["known"]]
        assert row["hands_dealt"] == sum(hand["before"] == row["category"] for hand in hands)
        assert row["hands_held"] == len(after)
        for name in ("folded", "shown", "mucked"):
            assert row[f"hands_{name}"] == sum(hand[name] for hand in after)
        assert row["hands_known"] == len(known)
        assert row["hands_won"] == sum(net > 0 for _, net in known)
        if known:
            check(row, "win_rate", figure_of([(unit, net > 0) for unit, net in known]))
            check(row, "mean_net", figure_of(known))
        else:
            assert row["win_rate"] is row["win_rate_low"] is row["mean_net"] is row["mean_net_low"] is None


# ---------------------------------------------------------------- matches


def test_points_after_a_hand_are_those_reported_or_those_before_it(played: Marts) -> None:
    """An aborted hand leaves them as they are."""
    begun = openings(played)
    reported: dict[str, dict[int, int]] = defaultdict(dict)
    for event in rows_of(played, "from events where kind = 'score' and action = 'match' order by seq"):
        reported[event["hand_id"]][event["seat"]] = event["amount"]
    rows = rows_of(played, "from match_hands where game in ('belote', 'pinochle') order by match_id, hand_no")
    before_next = {(row["match_id"], row["hand_no"] - 1): begun[row["hand_id"]] for row in rows}
    aborted = 0
    for row in rows:
        before = begun[row["hand_id"]]["match"]["score"]
        after = (row["team_0_after"], row["team_1_after"])
        follows = before_next.get((row["match_id"], row["hand_no"]))
        if row["status"] == "aborted":
            aborted += 1
            assert after == tuple(before)
        else:
            assert after == tuple(before[team] + row[f"team_{team}_score"] for team in (0, 1))
        assert after == tuple(reported[row["hand_id"]].get(team, after[team]) for team in (0, 1))
        assert follows is None or after == tuple(follows["match"]["score"])
    assert aborted > 1
