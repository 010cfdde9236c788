"""A page on a player: it has what the marts have, loads nothing, and no name can be markup."""

import json
import re
from pathlib import Path

import pytest

import cardlog as api
from cardlog.pipelines.charts import report
from tests.support.commands import Cardlog

NAME = "<b>Ann</b>"
REQUESTS = re.compile(r"(?:src|href|url\()\s*=?\s*[\"']?(?!#)|@import|<script|<link|<iframe", re.IGNORECASE)
COSTLIEST = r"its cards cost [0-9.]+ points, the costliest in trick (\d): (\S+) instead of \S+"


@pytest.mark.long
def test_a_page_has_results_costs_and_five_hands_and_loads_nothing(cardlog: Cardlog, tmp_path: Path) -> None:
    log = Path(api.simulate("kaiser", 12, tmp_path / "log.jsonl", seed=3))
    players = [{"kind": "human", "name": NAME}, {"kind": "computer"}] * 2
    lines = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    for line in lines:
        if line["action"] == "open":
            line["detail"]["players"] = players
    log.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    store = api.open(tmp_path / "store")
    store.ingest(log)
    store.build()
    assert cardlog("report", NAME, "--out", "plain.html").code == 0
    plain = Path("plain.html").read_text(encoding="utf-8")
    assert "5 hands worth another look" in plain
    assert plain.count(": result ") == 5
    store.analyse(game="kaiser")
    store.build()
    assert cardlog("report", NAME).code == 0
    page = Path("report.html").read_text(encoding="utf-8")
    costly = re.findall(rf"{COSTLIEST}<pre>(.*?)</pre>", page, re.DOTALL)
    assert len(costly) == 5
    for trick, card, drawn in costly:
        assert re.search(rf"^ +{trick} .*{card}", drawn, re.MULTILINE)
    assert not REQUESTS.search(page)
    assert "<b>" not in page
    assert "&lt;b&gt;Ann&lt;/b&gt;" in page
    [(hands,)] = store.sql(f"select hands from players where player_name = '{NAME}'").fetchall()
    assert f"<td>{hands}<td>" in page
    decisions = re.findall(r"<tr><td>[^<]+, (?:leads|follows)<td>(\d+)", page)
    [(expected,)] = store.sql(f"select decisions from player_costs where player_name = '{NAME}'").fetchall()
    assert sum(map(int, decisions)) == expected
    ran = cardlog("report", "Nobody", "--out", "none.html")
    assert (ran.code, Path("none.html").exists()) == (2, False)
    assert "there is no player 'Nobody'" in ran.err


def test_the_trend_is_a_picture_of_two_months_or_more() -> None:
    names = ["month", "hands", "share_won", "share_won_low", "share_won_high", "made_rate", "cost", "rating"]
    rows = [(f"2026-0{month}", 10, 0.5, 0.4, 0.6, None, None, None) for month in (1, 2)]
    assert report._trend(names, rows[:1]) == ""
    picture = report._trend(names, rows)
    assert picture.startswith("<svg")
    assert not REQUESTS.search(picture)
