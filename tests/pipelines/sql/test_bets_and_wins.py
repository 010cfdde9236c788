"""Marts about bets, bids by strength and won matches, recomputed in Python from events and `playedhand`."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import chain
from statistics import median
from typing import Any

import pytest

from tests.pipelines.sql.test_recomputed_marts import category, held, openings
from tests.support.summaries import Marts, check, check_groups, figure_of, pairs, rows_of

pytestmark = pytest.mark.long

Row = dict[str, Any]
RANKS = "23456789TJQKA"


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


def with_figures(bet: Row) -> Row:
    """A bet with what rates and means are over; None where it doesn't count."""
    size = bet["raised_by"]
    is_known = size is not None and bet["is_after_draw"] and bet["known_from_deal"]
    bluff = bet["category"] == "high card" if is_known and bet["category"] else None
    is_raised = bet["raises_before"] > 0
    return bet | {
        "unit": bet["match_id"] or bet["hand_id"],
        "is_raised": is_raised,
        "fold_rate": bet["action"] == "fold",
        "raise_rate": bet["action"] == "raise",
        "mean_raise": size,
        "raise_of_pot": size / bet["pot_before"] if size and bet["pot_before"] else None,
        "fold_to_raise_rate": bet["action"] == "fold" if is_raised else None,
        "bluff_rate": bluff,
        "bluff_won_rate": bet["won_unseen"] if bluff else None,
    }


def check_medians(rows: list[Row], found: list[Row], keys: list[str]) -> None:
    sizes = defaultdict(list)
    for row in rows:
        if row["raise_of_pot"] is not None:
            sizes[tuple(row[key] for key in keys)].append(row["raise_of_pot"])
    assert any(sizes.values())
    for row in found:
        own = sizes[tuple(row[key] for key in keys)]
        assert row["raises_of_pots"] == len(own)
        assert row["median_raise_of_pot"] == (pytest.approx(median(own)) if own else None)


def test_betting_is_by_player(bets: list[Row], played: Marts) -> None:
    rows = [with_figures(bet) for bet in bets if bet["hand_status"] == "complete"]
    found = rows_of(played, "from five_card_draw_betting")
    counts = {
        "acts": "raise_rate",
        "raises": "mean_raise",
        "acts_after_raise": "fold_to_raise_rate",
        "raises_known": "bluff_rate",
        "bluffs": "bluff_won_rate",
    }
    keys = ["dataset", "player_name", "is_computer"]
    check_groups(rows, found, keys, counts)
    check_medians(rows, found, keys)
    assert sum(row["bluffs_won"] for row in found) == sum(row["bluff_won_rate"] is True for row in rows) > 5
    assert sum(row["folds_to_raise"] for row in found) == sum(
        row["fold_to_raise_rate"] is True for row in rows
    )


def test_bets_are_by_the_hand_held(bets: list[Row], played: Marts) -> None:
    known = [bet for bet in bets if bet["known_from_deal"] and bet["category"]]
    rows = [with_figures(bet) for bet in known if bet["hand_status"] == "complete"]
    counts = {
        "acts": "fold_rate, raise_rate",
        "raises": "mean_raise",
    }
    keys = ["dataset", "is_after_draw", "is_raised", "category"]
    found = rows_of(played, "from five_card_draw_bets_by_strength")
    check_groups(rows, found, keys, counts)
    check_medians(rows, found, keys)


def leading_rank(cards: list[str]) -> str:
    """The rank that decides first within the category."""
    ranks = [card[0] for card in cards]
    if set(ranks) == set("A2345"):
        return "5"
    return max(ranks, key=lambda rank: (ranks.count(rank), RANKS.index(rank)))


def test_starting_hands_are_those_dealt(played: Marts) -> None:
    nets = {row["hand_id"]: row for row in rows_of(played, "from playedhand where status = 'complete'")}
    acts = defaultdict(set)
    for event in rows_of(played, "from events where game = 'five_card_draw' and kind = 'bid'"):
        acts[event["hand_id"], event["seat"]].add(event["action"])
    rows = []
    for event in rows_of(
        played, "from events where game = 'five_card_draw' and action = 'hand' and kind = 'deal'"
    ):
        hand = nets.get(event["hand_id"])
        if hand and "?" not in event["cards"]:
            net, done = hand[f"player_{event['seat']}_net"], acts[event["hand_id"], event["seat"]]
            rows.append(
                {"unit": hand["match_id"] or hand["hand_id"]}
                | {"dataset": hand["dataset"], "category": category(pairs(event["cards"]))}
                | {"leading_rank": leading_rank(pairs(event["cards"])), "raise_rate": "raise" in done}
                | {"fold_rate": "fold" in done, "win_rate": net > 0, "mean_net": net}
            )
    found = rows_of(played, "from five_card_draw_starting_hands")
    assert sum(row["hands"] for row in found) == len(rows) > 1000
    keys = ["dataset", "category", "leading_rank"]
    check_groups(rows, found, keys, {"hands": "raise_rate, fold_rate, win_rate, mean_net"})


# ---------------------------------------------------------------- bids by strength

HONOURS = {"kaiser": "JQKA", "pinochle": "QKTA"}
PLAIN = {"A": 11, "T": 10, "K": 4, "Q": 3, "J": 2}


def strength(game: str, cards: list[str]) -> int:
    """What a hand is worth, rounded down."""
    if game in HONOURS:
        return sum(HONOURS[game].find(card[0]) + 1 for card in cards) // 2 * 2
    plain = sum(PLAIN.get(card[0], 0) for card in cards)
    return (
        max(plain + 18 * ("J" + trump in cards) + 14 * ("9" + trump in cards) for trump in "CDHS") // 10 * 10
    )


def bidders(marts: Marts) -> Iterator[Row]:
    """The seats of complete hands whose cards are known, with their bids."""
    names = "game in ('kaiser', 'belote', 'pinochle') and status = 'complete' and declarer is not null"
    for hand in rows_of(marts, f"from playedhand where {names}"):
        scores = hand["team_0_score"], hand["team_1_score"]
        for seat in range(4):
            cards = pairs(hand[f"player_{seat}_hand"])
            if not cards or "??" in cards:
                continue
            bid = hand[f"player_{seat}_bid"]
            lead, is_declarer = scores[seat % 2] - scores[1 - seat % 2], seat == hand["declarer"]
            yield {
                "unit": hand["match_id"] or hand["hand_id"],
                "game": hand["game"],
                "dataset": hand["dataset"],
                "strength": strength(hand["game"], cards),
                "longest_suit": max(Counter(card[1] for card in cards).values()),
                "bid_rate": None if bid is None else bid != "pass",
                "made_rate": scores[seat % 2] > 0 if is_declarer else None,
                "mean_lead_declaring": lead if is_declarer else None,
                "mean_lead_passing": lead if bid == "pass" else None,
            }


def test_bids_are_by_the_strength_of_the_cards(logged: Marts, played: Marts) -> None:
    counts = {
        "auctions": "bid_rate",
        "contracts": "made_rate, mean_lead_declaring",
        "passes": "mean_lead_passing",
    }
    for marts, games in ((logged, {"kaiser", "belote", "pinochle"}), (played, {"belote", "pinochle"})):
        rows, found = list(bidders(marts)), rows_of(marts, "from bids_by_strength")
        assert {row["game"] for row in found} == games
        check_groups(rows, found, ["game", "dataset", "strength", "longest_suit"], counts)
        assert sum(row["hands"] for row in found) == len(rows)


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
