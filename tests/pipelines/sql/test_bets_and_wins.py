"""Marts about bets and won matches, recomputed in Python from events and `playedhand`."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import chain
from typing import Any

import pytest

from tests.pipelines.sql.test_recomputed_marts import held, openings
from tests.support.summaries import Marts, check, figure_of, rows_of

pytestmark = pytest.mark.long

Row = dict[str, Any]


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
