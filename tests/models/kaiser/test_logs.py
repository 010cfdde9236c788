"""Kaiser's rules against all logs, and against what the original data set's own code makes of them."""

import json
from collections import Counter
from functools import lru_cache
from typing import Any

import pytest

from cardlog.models.engine.fold import WHOLE
from cardlog.models.kaiser import rules as kaiser
from cardlog.models.kaiser.legal import bid_text
from cardlog.schemas import cards
from cardlog.schemas.events import Action
from cardlog.schemas.reasons import Reason
from tests.support.kaiser_hands import FIXTURES, Event, detail_of, events_of, fold_hands, json_lines, rows

RULES = (FIXTURES.parents[2] / "docs" / "rules" / "kaiser.md").read_text(encoding="utf-8")


@lru_cache(maxsize=1)
def folded() -> tuple[list[dict[str, str]], Any, Any]:
    """All rows, and what the fold makes of each: state and reason."""
    all_rows = rows()
    details, hands = [detail_of(row) for row in all_rows], [events_of(row) for row in all_rows]
    states, reasons, _ = fold_hands(details, hands)
    return all_rows, states, reasons


def result(row: dict[str, str], state: Any) -> dict[str, Any]:
    """A folded hand in the oracle's terms."""
    winner, dealer = int(state["declarer"]), int(state["dealer"])
    ranks = [int(rank) for rank in state["bids"]]
    others = [rank for seat, rank in enumerate(ranks) if seat != dealer]
    bid, no_trump = ranks[winner] >> 1, bool(ranks[winner] & 1)
    points = [int(team) for team in state["points"]]
    left_of_dealer = (dealer + 1) % 4
    return {
        "id": int(row["id"]),
        "winner": winner,
        "bid": bid,
        "no_trump": no_trump,
        "trump": None if no_trump else cards.SUITS[state["trump"]],
        "leads": "".join(map(str, state["leaders"])),
        "trick_winners": "".join(map(str, state["winners"])),
        "points": points,
        "made": points[winner % 2] >= bid,
        "hand_score": [int(team) for team in state["score"]],
        "forced_dealer": not any(others) and bid == state["min_bid"],
        "dealer_matched": ranks[dealer] == max(others) > 0,
        # The original code never looks at the player left of the dealer, unless that is seat 0.
        "snippet_as_given": "error:ValueError" if winner == left_of_dealer != 0 else "ok",
    }


@pytest.mark.long
def test_every_row_folds_to_what_the_oracle_says() -> None:
    all_rows, states, reasons = folded()
    assert len(all_rows) == 20_000
    assert not reasons.any()
    assert states["done"].all()
    oracle = list(json_lines("oracle.jsonl.gz"))
    plain = (dict(zip(states.dtype.names, values, strict=True)) for values in states.tolist())
    got = [result(row, state) for row, state in zip(all_rows, plain, strict=True)]
    differ = [(ours, theirs) for ours, theirs in zip(got, oracle, strict=True) if ours != theirs]
    assert differ == []


@pytest.mark.long
def test_rows_are_of_each_kind_as_often_as_the_docs_say() -> None:
    counts = Counter[str]()
    for row, state in zip(*folded()[:2], strict=True):
        hand = result(row, state)
        counts.update(name for name in ("forced_dealer", "dealer_matched", "no_trump", "made") if hand[name])
        counts[hand["snippet_as_given"]] += 1
    assert counts == {
        "forced_dealer": 5558,
        "dealer_matched": 3081,
        "no_trump": 674,
        "made": 10551,
        "ok": 17262,
        "error:ValueError": 2738,
    }
    assert f"{counts['error:ValueError']:,} of the 20,000 rows" in RULES


# ---------------------------------------------------------------- matches


def after_hand(state: Any, score: list[int], no_trump: bool, minus_52: bool) -> dict[str, Any]:
    """What a folded hand makes of a match: the rules R14 to R17 put together."""
    team = int(state["declarer"]) % 2
    rank = int(state["bids"][state["declarer"]])
    least = int(state["min_bid"])
    after = [int(kaiser.settle(score[t], int(state["score"][t]), t == team, least)) for t in range(2)]
    target = int(kaiser.match_target(int(state["no_trump_out"]), no_trump or rank & 1 == 1))
    made = int(state["points"][team]) >= rank >> 1
    kaiser_bid = 0 if rank != 25 else 1 if made else -1
    winner = int(kaiser.match_winner((after[0], after[1]), team, target, minus_52, kaiser_bid))
    return {
        "score_before": score,
        "delta": [after[0] - score[0], after[1] - score[1]],
        "score_after": after,
        "target": target,
        "game_over": winner >= 0,
        "game_winner": winner if winner >= 0 else None,
    }


def test_every_match_of_the_ledger_is_replayed() -> None:
    all_rows, states, _ = folded()
    index = {int(row["id"]): number for number, row in enumerate(all_rows)}
    going: dict[tuple[int, int], tuple[int, list[int], bool]] = {}
    count = Counter[str]()
    for line in json_lines("games_ledger.jsonl.gz"):
        match = line["table"], line["game"]
        hand_no, score, no_trump = going.pop(match, (0, [0, 0], False))
        row, state = all_rows[index[line["id"]]], states[index[line["id"]]]
        minus_52 = row["setting_game_over_at_minus_52"] == "t"
        ours = after_hand(state, score, no_trump, minus_52)
        assert {**ours, "id": line["id"], "table": match[0], "game": match[1], "hand_no": hand_no} == line
        contract = int(state["bids"][state["declarer"]])
        count["hands"] += 1
        count["matches"] += hand_no == 0
        count["to 62"] += ours["target"] == 62
        count["capped"] += ours["delta"] != [int(points) for points in state["score"]]
        count["kaisers"] += contract == 25
        count["kaisers made"] += contract == 25 and max(state["score"]) == 24
        count["lost at -52"] += ours["game_over"] and minus_52 and min(ours["score_after"]) <= -52
        if not ours["game_over"]:
            going[match] = hand_no + 1, ours["score_after"], no_trump or contract & 1 == 1
    count["unfinished"] = len(going)
    assert count == {
        "hands": 20_000,
        "matches": 1376,
        "unfinished": 209,
        "to 62": 2711,
        "capped": 1614,
        "kaisers": 112,
        "kaisers made": 1,
        "lost at -52": 2,
    }
    assert f"{count['hands']:,} hands in {count['matches']:,} matches" in RULES
    assert f"Kaiser was bid {count['kaisers']} times" in RULES


def test_score_events_of_the_ledger_agree_and_others_do_not() -> None:
    details, right, wrong = [], [], []
    ledger = {line["id"]: line for line in json_lines("games_ledger.jsonl.gz")}
    for row, state in list(zip(*folded()[:2], strict=True))[::5]:
        line = ledger[int(row["id"])]
        details.append(detail_of(row, {"score": line["score_before"], "no_trump": False}))
        hand = events_of(row)
        scores = [Event(Action.SCORE_TRICK, int(state["winners"][-1]), amount=int(state["values"][-1]))]
        for team in range(2):
            scores.append(Event(Action.SCORE_HAND, team, amount=int(state["score"][team])))
            scores.append(Event(Action.SCORE_MATCH, team, amount=line["score_after"][team]))
        right.append(hand + scores)
        altered = int(row["id"]) % len(scores)
        scores[altered] = scores[altered]._replace(amount=scores[altered].amount + 1)
        wrong.append((hand + scores, len(hand) + altered))
    _, reasons, at = fold_hands(details, right)
    assert not reasons.any()
    assert (at == WHOLE).all()
    _, reasons, at = fold_hands(details, [hand for hand, _ in wrong])
    assert (reasons == Reason.SCORE_MISMATCH).all()
    assert at.tolist() == [index for _, index in wrong]


# ---------------------------------------------------------------- damaged rows

VERDICTS = {
    "short_whole_tricks": Reason.OK,
    "short_mid_trick": Reason.OK,
    "never_played": Reason.OK,
    "null_played": Reason.OK,
    "true_false": Reason.OK,
    "other_zone": Reason.OK,
    "revoke": Reason.MUST_FOLLOW,
    "duplicate_card": Reason.DUPLICATE_CARD,
    "illegal_deck": Reason.UNKNOWN_CARD,
    "card_in_two_hands": Reason.DUPLICATE_CARD,
    "short_hand": Reason.INCOMPLETE,
    "all_pass": Reason.BAD_BID,
    "winning_bid_without_suit": Reason.BAD_BID,
    "bid_13": Reason.BAD_BID,
    "below_minimum": Reason.BAD_BID,
    "non_dealer_match": Reason.BAD_BID,
}
"""What the rules say of each kind of damaged row."""
NOT_JUDGED = {"lower_case", "null_bid", "spaces", "bad_dealer"}
"""Kinds of damage that a reader finds before there are events."""

EDGE = {case["id"]: case for case in json.loads((FIXTURES / "edge_oracle.json").read_text())}


def test_every_kind_of_damage_has_a_verdict() -> None:
    kinds = Counter(case["category"] for case in EDGE.values())
    assert kinds.keys() == VERDICTS.keys() | NOT_JUDGED
    assert set(kinds.values()) == {4}


@pytest.mark.parametrize(
    "row", rows("playedhand_edge.csv"), ids=lambda row: f"{EDGE[int(row['id'])]['category']}-{row['id']}"
)
def test_damaged_row(row: dict[str, str]) -> None:
    case = EDGE[int(row["id"])]
    if case["category"] == "bad_dealer":
        with pytest.raises(ValueError, match="dealer is 4"):
            kaiser.begin(detail_of(row))
    if case["category"] in NOT_JUDGED:
        return
    (state,), (reason,), _ = fold_hands([detail_of(row)], [events_of(row)])
    assert Reason(reason) == VERDICTS[case["category"]], case["note"]
    if reason:
        return
    # A row that stops short is legal as far as it goes, and the original code agrees on how far.
    whole = len(row["played_cards"]) == 64
    assert state["done"] == whole
    theirs = case["snippet"]["fixed"]
    assert state["declarer"] == theirs["winner"]
    assert bid_text(int(state["bids"][state["declarer"]])).rstrip("N") == theirs["bid"]
    assert cards.SUIT_LETTERS[state["trump"]] == theirs["suit"]
    assert "".join(map(str, state["winners"][: state["tricks"]])) == theirs["trick_winners"]
    assert [int(points) for points in state["points"]] == theirs["points"]
    assert sum(state["points"]) == 10 or not whole
