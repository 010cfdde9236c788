"""Marts, and the steps that they are made of, recomputed in Python from events and `playedhand`."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import chain
from typing import Any

import pytest

from tests.support import summaries
from tests.support.belote_logs import FIXTURES, LOGS, games
from tests.support.summaries import Marts, Row, check, events_of, hands_of, played_hands, rows_of, same_rows

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
    rank_after = summaries.rank(after) if after else None
    return {
        "known_from_deal": before is not None,
        "rank_before": summaries.rank(seen) if seen else None,
        "category_before": summaries.category(summaries.rank(before)) if before else None,
        "rank_after": rank_after,
        "category_after": summaries.category(rank_after),
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
    for hand_id, hand, events in played_hands(marts, "five_card_draw"):
        for seat, player in players_of(events).items():
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
    expected = {}
    for hand_id, hand, events in played_hands(played, "five_card_draw"):
        players = players_of(events)
        for act in acts_of(events):
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


# ---------------------------------------------------------------- steps of Kaiser and Pinochle

TO_DECLARER = ("declarer", "left_defender", "partner", "right_defender")


def test_kaisers_auctions_are_won_as_their_bids_say(logged: Marts) -> None:
    """The dealer bids last, and alone may equal the highest bid. A bid without trump is above one with."""
    expected = {}
    for hand_id, hand, events in played_hands(logged, "kaiser"):
        bids = [one for one in events if one["what"] in ("bid bid", "bid pass")]
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
    expected = {}
    for hand_id, hand, events in played_hands(logged, "kaiser"):
        plays = [one for one in events if one["kind"] == "play"]
        for index, play in enumerate(plays):
            if play["cards"] not in ("5H", "3S") or hand["status"] != "complete":
                continue
            trick, suit, led = index // 4, play["cards"][1], plays[index // 4 * 4]["cards"][1]
            taker, declarer = int(hand["trick_winners"][trick]), hand["declarer"]
            way = "trump" if suit == hand["trump"] else "follow" if suit == led else "discard"
            expected[hand_id, play["cards"]] = {
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
    for hand_id, hand, events in played_hands(played, "pinochle"):
        if (declarer := hand["declarer"]) is None:
            continue
        bid = max((one["amount"] for one in events if one["what"] == "bid bid"), default=0)
        melds = {one["seat"]: one["amount"] or 0 for one in events if one["kind"] == "meld"}
        thrown_in = any(one["what"] == "bid throw_in" for one in events)
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
    lasts: dict[str, tuple[int, dict[int, int]]] = {}
    winners: dict[str, int] = {}
    for _, hand, events in played_hands(played, "pinochle"):
        match, number = hand["match_id"], hand["hand_no"]
        scores = {one["seat"]: one["amount"] for one in events if one["what"] == "score match"}
        if hand["declarer"] is not None and number >= lasts.get(match, (number,))[0]:
            lasts[match] = number, scores
        for one in events:
            if (one["what"], one["amount"]) == ("score place", 1):
                winners[match] = one["seat"] % 2
    expected = {
        match: {f"team_{team}_score": scores.get(team) for team in (0, 1)}
        | {"winner_team": winners.get(match)}
        for match, (_, scores) in lasts.items()
    }
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
