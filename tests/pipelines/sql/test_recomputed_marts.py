"""Marts recomputed in Python from events and `playedhand`: poker hands, bets and scores of matches."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import chain
from typing import Any

import pytest

from tests.support import summaries
from tests.support.summaries import Marts, Row, category, check, events_of, hands_of, rank, rows_of, same_rows

pytestmark = pytest.mark.long


# ---------------------------------------------------------------- players


def test_players_have_the_hands_matches_and_chips_of_their_seats(logged: Marts) -> None:
    """The table `seats` is compared with events in `test_tables_by_sql`, and means in `test_rates.py`."""
    who = "game, dataset, player_name, player_kind"
    sums = "count(*), count(distinct match_id), count_if(won), sum(net)"
    expected = logged.execute(f"select {who}, {sums} from seats group by all").fetchall()
    found = logged.execute(f"select {who}, hands, matches, hands_won, net from players").fetchall()
    assert sorted(found, key=str) == sorted(expected, key=str)


# ---------------------------------------------------------------- poker


HIDDEN = "??????????"


def held(events: list[Row]) -> Row:
    """What a player of draw poker was dealt and held after the draw, as far as the log shows it, and did."""
    cards = {event["what"]: event["cards"] for event in events}
    count = Counter(event["what"] for event in events)
    dealt, drew, away = cards.get("deal hand", HIDDEN), "play discard" in cards, cards.get("play discard")
    shows = {event["cards"] for event in events if event["what"] == "score show"}
    before = None if dealt == HIDDEN else summaries.pairs(dealt)
    after = next((summaries.pairs(shown) for shown in shows if "?" not in shown), None)
    seen = before or (after if drew and not away else None)
    if before and drew:
        after = [card for card in before if card not in summaries.pairs(away)]
        after += summaries.pairs(cards["deal draw"]) if away else []
    rank_after = rank(after) if after else None
    return {
        "known_from_deal": before is not None,
        "rank_before": rank(seen) if seen else None,
        "category_before": category(rank(before)) if before else None,
        "rank_after": rank_after,
        "category_after": category(rank_after),
        "cards_exchanged": len(away or "") // 2 if drew else None,
        "folded": bool(count["bid fold"]),
        "shown": bool(shows - {HIDDEN}),
        "mucked": HIDDEN in shows,
        "raises": count["bid raise"],
        "chips_put_in": sum(event["amount"] or 0 for event in events if event["kind"] == "bid"),
    }


def players_of(events: list[Row]) -> dict[int, Row]:
    """What each player of a hand held and did."""
    own = defaultdict(list)
    for event in events:
        own[event["seat"]].append(event)
    return {seat: held(acts) for seat, acts in own.items() if seat is not None}


@pytest.mark.parametrize("name", ["played", "logged"])
def test_players_of_draw_poker_did_what_the_events_say(name: str, request: pytest.FixtureRequest) -> None:
    marts, expected = request.getfixturevalue(name), {}
    hands, events = hands_of(marts, "five_card_draw"), events_of(marts, "five_card_draw")
    for hand_id, hand in hands.items():
        for seat, player in players_of(events[hand_id]).items():
            net = hand[f"player_{seat}_net"]
            won = None if net is None else net + player["chips_put_in"]
            expected[hand_id, seat] = player | {"net": net, "chips_won": won}
    found = same_rows(marts, "from five_card_draw_players", expected, "hand_id, seat")
    assert sum(row["category_after"] is not None for row in found) > 300
    whole = [row for row in found if row["hand_status"] == "complete"]
    for row in rows_of(marts, "from five_card_draw_categories"):
        own = [one for one in whole if one["dataset"] == row["dataset"]]
        after = [one for one in own if one["category_after"] == row["category"]]
        assert row["hands_dealt"] == sum(one["category_before"] == row["category"] for one in own)
        assert row["hands_held"] == len(after)
        for what in ("folded", "shown", "mucked"):
            assert row[f"hands_{what}"] == sum(one[what] for one in after)


# ---------------------------------------------------------------- matches


def test_points_after_a_hand_are_those_reported_or_those_before_it(played: Marts) -> None:
    """An aborted hand leaves them as they are."""
    hands, aborted = hands_of(played), 0
    reported: dict[str, dict[int, int]] = defaultdict(dict)
    for event in rows_of(played, "from events where kind = 'score' and action = 'match' order by seq"):
        reported[event["hand_id"]][event["seat"]] = event["amount"]
    rows = rows_of(played, "from match_hands where game in ('belote', 'pinochle') order by match_id, hand_no")
    before = {
        (row["match_id"], row["hand_no"]): hands[row["hand_id"]]["opening"]["match"]["score"] for row in rows
    }
    for row in rows:
        after = [row["team_0_after"], row["team_1_after"]]
        is_over = row["status"] != "aborted"
        gained = [row[f"team_{team}_score"] if is_over else 0 for team in (0, 1)]
        key = row["match_id"], row["hand_no"]
        assert after == [one + more for one, more in zip(before[key], gained, strict=True)]
        assert after == [reported[row["hand_id"]].get(team, after[team]) for team in (0, 1)]
        assert after == before.get((key[0], key[1] + 1), after)
        aborted += not is_over
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


def test_bets_are_those_of_the_events(played: Marts) -> None:
    expected, events = {}, events_of(played, "five_card_draw")
    for hand_id, hand in hands_of(played, "five_card_draw").items():
        players = players_of(events[hand_id])
        for act in acts_of(events[hand_id]):
            seat = act["seat"]
            player, who = players[seat], hand["opening"]["players"][seat]
            net = hand[f"player_{seat}_net"]
            won = None if net is None else net > 0
            part = "after" if act["is_after_draw"] else "before"
            expected[hand_id, act["seq"]] = act | {
                "match_id": hand["match_id"],
                "dataset": hand["dataset"],
                "hand_status": hand["status"],
                "player_name": who.get("name"),
                "is_computer": who["kind"] == "computer",
                "known_from_deal": player["known_from_deal"],
                "rank": player[f"rank_{part}"],
                "category": player[f"category_{part}"],
                "won": won,
                "won_unseen": won and not player["shown"] and not player["mucked"],
            }
    found = same_rows(played, "from five_card_draw_bets", expected, "hand_id, seq")
    assert len(found) > 3000
    assert {row["action"] for row in found} == {"fold", "check", "call", "raise"}
    assert {row["hand_status"] for row in found} == {"complete", "aborted"}


def test_medians_are_those_of_the_raises(played: Marts) -> None:
    """The other figures are compared in `test_rates.py`."""
    of_pot = "if(pot_before > 0, raised_by / pot_before, null)"
    strength = "dataset, is_after_draw, raises_before > 0 as is_raised, category"
    for mart, keys, where in (
        ("betting", "dataset, player_name, is_computer", "true"),
        ("bets_by_strength", strength, "known_from_deal and category is not null"),
    ):
        sql = f"select {keys}, count({of_pot}) as n, round(median({of_pot}), 9) as middle"
        sql += f" from five_card_draw_bets where hand_status = 'complete' and {where} group by all"
        names = keys.replace("raises_before > 0 as ", "")
        found = f"select {names}, raises_of_pots, round(median_raise_of_pot, 9) from five_card_draw_{mart}"
        assert set(played.execute(found).fetchall()) == set(played.execute(sql).fetchall())


# ---------------------------------------------------------------- won matches

WINS = "game, dataset, is_pair, player_name, player_kind, partner_name, partner_kind"


def sides_of(match: Row, hands: list[Row]) -> Iterator[tuple[tuple[Any, ...], bool]]:
    """Each player and pair of a match, and whether it has won."""
    sat: dict[int, tuple[str | None, str | None]] = {}
    for hand in sorted(hands, key=lambda hand: hand["hand_no"]):
        for seat, player in enumerate(hand["opening"]["players"]):
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
    hands = defaultdict(list)
    for hand in hands_of(played).values():
        hands[hand["match_id"]].append(hand)
    order = """
        select matches.* from matches join playedhand on last_hand_id = playedhand.hand_id
        where is_over order by added_date nulls first, matches.match_id
    """
    results = defaultdict(list)
    for match in rows_of(played, order):
        for side, won in reversed([*sides_of(match, hands[match["match_id"]])]):
            results[match["game"], match["dataset"], *side].append((match["match_id"], won))
    expected = {}
    for key, matches in results.items():
        won, last = sum(won for _, won in matches), sum(won for _, won in matches[-100:])
        expected[key] = {"matches": len(matches), "matches_won": won}
        expected[key] |= {"last_matches": len(matches[-100:]), "last_matches_won": last}
    found = same_rows(played, "from match_wins", expected, WINS)
    assert {row["game"] for row in found if row["matches"] > 100} >= {"pinochle"}
    for row in found:
        matches = results[tuple(row[name] for name in WINS.split(", "))]
        check(row, "win_rate", summaries.figure_of(matches))
        check(row, "last_win_rate", summaries.figure_of(matches[-100:]))
    assert any(row["win_rate"] != row["last_win_rate"] for row in found)
    assert {row["is_pair"] for row in found} == {True, False}


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
