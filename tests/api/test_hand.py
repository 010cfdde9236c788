"""One hand: drawn as the command draws it, safe in a notebook, with its events and its row."""

import json
import re
from html import unescape
from pathlib import Path

import pytest

import cardlog
from cardlog.pipelines.terminal import cli
from tests.support.csv_rows import SAMPLE

HAND = "02ad14058eac6936cff7852dc5e73e6f"


def test_it_is_drawn_as_the_command_draws_it(
    small: cardlog.Store, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        cli.main(["show", HAND[:8], "--store", small.path])
    shown = capsys.readouterr().out
    hand = small.hand(HAND[:8])
    assert hand.id == HAND
    assert hand.game == "kaiser"
    assert f"{hand}\n" == f"{hand!r}\n" == shown


def test_a_notebook_shows_the_same(small: cardlog.Store) -> None:
    hand = small.hand(HAND)
    page = hand._repr_html_()
    assert page.startswith("<pre")
    assert unescape(re.sub(r"<[^>]*>", "", page)).rstrip("\n") == str(hand)


def test_its_events_are_those_of_the_table(small: cardlog.Store) -> None:
    events = small.hand(HAND).events.to_pylist()
    table = small.sql(f"from events where hand_id = '{HAND}' order by seq").arrow().to_pylist()
    assert [row["seq"] for row in events] == list(range(len(table)))
    assert events == table


def test_its_source_is_the_line_it_was_read_from(small: cardlog.Store) -> None:
    line = small.hand(HAND).source()
    assert line in SAMPLE.read_text(encoding="utf-8").splitlines(keepends=True)
    assert line.startswith(f"{small.hand(HAND).row['id']},")


def test_names_can_do_nothing_to_a_page_or_a_terminal(tmp_path: Path) -> None:
    """Neither HTML nor rich's markup, which would make links."""
    name = '<img src=x onerror="alert(1)">[link=javascript:alert(1)]&amp;\x1b[2J'
    log = cardlog.simulate("belote", 1, tmp_path / "log.jsonl")
    rows = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    opening = rows[0]["detail"]
    opening = json.loads(opening) if isinstance(opening, str) else opening
    opening["players"][0]["name"] = name
    rows[0]["detail"] = json.dumps(opening) if isinstance(rows[0]["detail"], str) else opening
    named = tmp_path / "named.jsonl"
    named.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    store = cardlog.open(tmp_path / "store")
    assert store.ingest(named).hands_stored == 1
    [(hand_id,)] = store.sql("select distinct hand_id from events").fetchall()
    hand = store.hand(hand_id)
    page = hand._repr_html_()
    assert "onerror" in page
    assert "&lt;img src=x onerror=&quot;alert(1)&quot;&gt;[link=javascript:alert(1)]&amp;amp;\\x1b[2J" in page
    assert set(re.findall(r"<(\w+)", page)) == {"pre", "span"}
    assert "\x1b" not in str(hand)


@pytest.mark.parametrize(
    ("name", "says"),
    [("ffffffff", "no hand has an id"), ("02", "at least 4"), ("xyzxyz", "no hand has the key")],
)
def test_a_hand_that_is_not_there(small: cardlog.Store, name: str, says: str) -> None:
    with pytest.raises(cardlog.HandNotFound, match=says):
        small.hand(name)
