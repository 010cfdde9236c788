"""Kaiser's matches against the ledger of all logs, which the original data set's own code kept."""

import csv
from collections import Counter
from functools import lru_cache
from pathlib import Path
from typing import Any

from cardlog.models.kaiser import rules as kaiser
from cardlog.pipelines import readers
from cardlog.pipelines.events.folding import fold_batch
from cardlog.pipelines.readers.base import Source
from tests.support.csv_rows import HEADER, dump, dump_lines
from tests.support.logs import json_lines

RULES = (Path(__file__).parents[3] / "docs" / "rules" / "kaiser.md").read_text(encoding="utf-8")


@lru_cache(maxsize=1)
def folded() -> tuple[list[dict[str, str]], Any]:
    """All rows, and the state that each leads to."""
    text = dump(*dump_lines())
    [read] = readers.get("playedhand-csv").read(text, Source("0" * 64, "-", "-", HEADER))
    found = fold_batch(read.batch)
    assert found.done.all()
    assert not found.reasons.any()
    rows = list(csv.DictReader(text.decode().splitlines()))
    return [rows[line - 2] for line in read.first_lines.tolist()], found.states


def after_hand(state: Any, score: list[int], no_trump: bool, minus_52: bool) -> dict[str, Any]:
    """What a folded hand makes of a match: the rules R14 to R17 put together."""
    declarer, least = int(state["declarer"]), int(state["min_bid"])
    team, rank = declarer % 2, int(state["bids"][declarer])
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
    rows, states = folded()
    index = {int(row["id"]): number for number, row in enumerate(rows)}
    going: dict[tuple[int, int], tuple[int, list[int], bool]] = {}
    count = Counter[str]()
    for line in json_lines("kaiser/games_ledger.jsonl.gz"):
        match = line["table"], line["game"]
        hand_no, score, no_trump = going.pop(match, (0, [0, 0], False))
        row, state = rows[index[line["id"]]], states[index[line["id"]]]
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
    assert count == {
        "hands": 20_000, "matches": 1376, "to 62": 2711, "capped": 1614, "kaisers": 112, "kaisers made": 1,
        "lost at -52": 2,
    }  # fmt: skip
    assert len(going) == 209
    assert f"{count['hands']:,} hands in {count['matches']:,} matches" in RULES
    assert f"Kaiser was bid {count['kaisers']} times" in RULES
    snippets = Counter(hand["snippet_as_given"] for hand in json_lines("kaiser/oracle.jsonl.gz"))
    assert f"{snippets['error:ValueError']:,} of the 20,000 rows" in RULES
