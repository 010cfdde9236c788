"""Marts recomputed in Python from events and `playedhand`: poker hands, bets and scores of matches."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import chain
from typing import Any

import pytest

from tests.support.summaries import Marts, check, figure_of, pairs, rows_of

pytestmark = pytest.mark.long

Row = dict[str, Any]


def openings(marts: Marts) -> dict[str, Row]:
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


def held(events: list[Row]) -> Row:
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


def poker_hands(marts: Marts) -> Iterator[Row]:
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


# ---------------------------------------------------------------- bets in five-card draw


def acts_of(events: list[Row]) -> Iterator[Row]:
    """The bets of a hand's events, with what the player faced."""
    put_in: Counter[int] = Counter()
    raises, is_after_draw = 0, False
    for event in events:
        action, seat = event["action"], event["seat"]
        if action == "discard" and not is_after_draw:
            raises, is_after_draw = 0, True
        if event["kind"] != "bid":
            continue
        to_call = max(put_in.values(), default=0) - put_in[seat]
        chips, pot = event["amount"] or 0, sum(put_in.values())
        put_in[seat] += chips
        if action == "ante":
            continue
        yield {
            "hand_id": event["hand_id"],
            "seq": event["seq"],
            "seat": seat,
            "is_after_draw": is_after_draw,
            "action": action,
            "chips": chips,
            "to_call": to_call,
            "raised_by": chips - to_call if action == "raise" else None,
            "pot_before": pot,
            "raises_before": raises,
        }
        raises += action == "raise"


@pytest.fixture(scope="module")
def bets(played: Marts) -> list[Row]:
    hands = {row["hand_id"]: row for row in rows_of(played, "from playedhand where game = 'five_card_draw'")}
    begun = openings(played)
    by_hand = defaultdict(list)
    for event in rows_of(played, "from events where game = 'five_card_draw' order by seq"):
        by_hand[event["hand_id"]].append(event)
    found = []
    for hand_id, events in by_hand.items():
        hand = hands[hand_id]
        own = defaultdict(list)
        for event in events:
            own[event["seat"]].append(event)
        players = {seat: held(events) for seat, events in own.items() if seat is not None}
        for act in acts_of(events):
            player, who = players[act["seat"]], begun[hand_id]["players"][act["seat"]]
            net = hand[f"player_{act['seat']}_net"]
            won = None if net is None else net > 0
            found.append(
                act
                | {"match_id": hand["match_id"]}
                | {"dataset": hand["dataset"], "hand_status": hand["status"], "player_name": who.get("name")}
                | {"is_computer": who["kind"] == "computer", "known_from_deal": player["known"]}
                | {"category": player["after" if act["is_after_draw"] else "before"], "won": won}
                | {"won_unseen": won and not player["shown"] and not player["mucked"]}
            )
    return found


def test_bets_are_those_of_the_events(bets: list[Row], played: Marts) -> None:
    names = ", ".join(bets[0])
    found = rows_of(played, f"select {names} from five_card_draw_bets")
    in_order = sorted(bets, key=lambda row: (row["hand_id"], row["seq"]))
    assert sorted(found, key=lambda row: (row["hand_id"], row["seq"])) == in_order
    assert len(found) > 3000
    assert {row["action"] for row in found} == {"fold", "check", "call", "raise"}
    assert {row["hand_status"] for row in found} == {"complete", "aborted"}


def test_the_ranks_of_bets_are_those_of_the_players(played: Marts) -> None:
    assert rows_of(
        played,
        "select rank = if(is_after_draw, rank_after, rank_before) as same, count(*) > 100 as many "
        "from five_card_draw_bets join five_card_draw_players using (hand_id, seat) "
        "where rank is not null group by all",
    ) == [{"same": True, "many": True}]


@pytest.mark.parametrize(
    ("mart", "keys", "where"),
    [
        ("betting", "dataset, player_name, is_computer", ""),
        (
            "bets_by_strength", "dataset, is_after_draw, raises_before > 0 as is_raised, category",
            "and known_from_deal and category is not null",
        ),
    ],
)  # fmt: skip
def test_medians_are_those_of_the_raises(mart: str, keys: str, where: str, played: Marts) -> None:
    """The other figures are compared in `test_rates.py`."""
    of_pot = "if(pot_before > 0, raised_by / pot_before, null)"
    sql = f"select {keys}, count({of_pot}) as n, round(median({of_pot}), 9) as middle"
    sql += f" from five_card_draw_bets where hand_status = 'complete' {where} group by all"
    names = keys.replace("raises_before > 0 as ", "")
    found = f"select {names}, raises_of_pots, round(median_raise_of_pot, 9) from five_card_draw_{mart}"
    assert set(played.execute(found).fetchall()) == set(played.execute(sql).fetchall())


# ---------------------------------------------------------------- won matches

WINS = ["game", "dataset", "is_pair", "player_name", "player_kind", "partner_name", "partner_kind"]


def sides_of(match: Row, hands: list[tuple[int, Row]]) -> Iterator[tuple[tuple[Any, ...], bool]]:
    """Each player and pair of a match, and whether it has won. hands: with what they begin."""
    sat: dict[int, tuple[str | None, str | None]] = {}
    for _, begun in sorted(hands, key=lambda hand: hand[0]):
        for seat, player in enumerate(begun["players"]):
            if player:
                sat[seat] = player.get("name"), player.get("kind")
    has_teams = match["game"] in ("belote", "pinochle", "kaiser")
    for seat, player in sorted(sat.items()):
        won = seat % 2 == match["winner_team"] if has_teams else seat == match["winner_seat"]
        yield (False, *player, None, None), won
        if has_teams and seat < 2:
            both = sorted([player, sat[seat + 2]], key=lambda one: (one[0] or "", one[1] or ""))
            yield (True, *chain(*both)), won


def test_players_and_pairs_win_the_matches_that_are_over(played: Marts) -> None:
    begun = openings(played)
    hands = defaultdict(list)
    for row in rows_of(
        played, "select match_id, hand_no, hand_id from playedhand where match_id is not null"
    ):
        hands[row["match_id"]].append((row["hand_no"], begun[row["hand_id"]]))
    order = """
        select matches.* from matches join playedhand on last_hand_id = playedhand.hand_id
        where is_over order by added_date nulls first, matches.match_id
    """
    results = defaultdict(list)
    for match in rows_of(played, order):
        for side, won in reversed([*sides_of(match, hands[match["match_id"]])]):
            results[match["game"], match["dataset"], *side].append((match["match_id"], won))
    found = rows_of(played, "from match_wins")
    assert {tuple(row[name] for name in WINS) for row in found} == results.keys()
    assert len(found) == len(results)
    assert {row["game"] for row in found if row["matches"] > 100} >= {"pinochle"}
    for row in found:
        matches = results[tuple(row[name] for name in WINS)]
        won = [one for _, one in matches]
        assert (row["matches"], row["matches_won"]) == (len(won), sum(won))
        assert (row["last_matches"], row["last_matches_won"]) == (len(won[-100:]), sum(won[-100:]))
        check(row, "win_rate", figure_of(matches))
        check(row, "last_win_rate", figure_of(matches[-100:]))
    assert any(row["win_rate"] != row["last_win_rate"] for row in found)
    assert {row["is_pair"] for row in found} == {True, False}


def test_players_have_what_the_texts_say(logged: Marts) -> None:
    """Blinds, what went back, and the rake."""
    found = logged.execute(
        "select source_key[12:], p.seat, chips_put_in, chips_won, cards_exchanged, hand_after, mucked "
        "from five_card_draw_players p join hands using (hand_id) "
        "where source_key like '2000000000%' order by source_key, p.seat"
    )
    assert found.fetchall() == [
        ("1", 0, 55, 39, 3, "AHADAC9H8S", False),
        ("1", 1, 5, 0, None, None, False),
        ("1", 3, 35, 106, 4, "KHKDKCQSQD", False),
        ("1", 5, 55, 0, 1, "JHJSTHTS3C", True),
        ("2", 0, 3350, 2250 + 2140, 0, "5H5D5C4S2D", False),
        ("2", 1, 1100, 0, 5, None, False),
        ("2", 2, 50, 0, None, None, False),
        ("3", 1, 1500, 1500, 0, "9C9S8H8D3S", False),
        ("3", 4, 1500, 1500, 1, "9H9D8C8S3H", False),
        ("4", 1, 100, 0, None, None, False),
        ("4", 4, 200, 300, None, None, False),
    ]


def test_pots_go_to_the_best_hand_that_was_not_mucked(logged: Marts) -> None:
    found = logged.execute(
        "select source_key[12:], pot_no, five_card_draw_pots.chips, contenders, winner_seats "
        "from five_card_draw_pots join hands using (hand_id) "
        "where source_key like '2000000000%' order by all"
    )
    assert found.fetchall() == [
        ("1", 0, 110, 2, 1 << 3),
        ("1", 1, 40, 1, 1 << 0),
        ("2", 0, 4500, 1, 1 << 0),
        ("3", 0, 3000, 2, 1 << 1 | 1 << 4),
        ("4", 0, 300, 1, 1 << 4),
    ]
