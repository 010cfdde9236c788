"""The messages of the original servers: the log that our reader reads back, and a client that plays."""

import random
from pathlib import Path

import pytest

from cardlog.pipelines import runs
from cardlog.pipelines.sql import query
from cardlog.pipelines.storage.store import Store
from cardlog.web.play.recording import append_once
from tests.support.tables import Paper, Viewer, form_of, in_loop, play_hand, room_of

DIALECTS = ("jan2013", "head2014")
ALIKE = """
    select kind, action, seat, suit, amount, case when action = 'hand' then null else cards end as cards
    from events where dataset = ? and match_id like ? and hand_no = ? and action <> 'open'
      and action <> 'trick' and kind || action <> 'scoreplace' order by seq
"""


def recorded(form: dict[str, str], hands: int, table_id: str) -> tuple[Paper, str]:
    """What some hands of a table give: their records, and the log of all of them."""
    paper = Paper()

    def play() -> None:
        room = room_of(form, paper, table_id)
        viewers = [Viewer(room, seat) for seat, found in enumerate(room.plan.seats) if found.is_person]
        for number in range(hands):
            if number:
                room.next()
            play_hand(viewers, random.Random(number))

    in_loop(play)
    return paper, "".join(finished.log[1] for finished in paper.finished)


@pytest.mark.parametrize("rules", DIALECTS)
def test_the_log_read_back_gives_the_hands_that_were_recorded(rules: str, tmp_path: Path) -> None:
    store, hands = Store(str(tmp_path / "store")), 12
    paper, log = recorded(form_of("pinochle", rules, people=2), hands, "t7")
    (tmp_path / "log.txt").write_text(log)
    (tmp_path / "hands.jsonl").write_text("".join(finished.text for finished in paper.finished))
    for name, form in (("log.txt", "pinochle-protocol"), ("hands.jsonl", "cardlog-jsonl")):
        found = runs.ingest(store, [str(tmp_path / name)], format_name=form, dataset=form).counts
        assert (found.hands_read, found.hands_stored, found.quarantined) == (hands, hands, 0), name
    connection = query.connect(store, ["events"])
    keys = "select distinct dataset, match_id, hand_no from events order by all"
    rows = connection.execute(keys).fetchall()
    ours = [row for row in rows if row[0] == "cardlog-jsonl"]
    read = [row for row in rows if row[0] == "pinochle-protocol"]
    assert len(ours) == len(read) == hands
    for (_, match, number), (_, other, same) in zip(ours, read, strict=True):
        assert match.split("~")[0].split("-")[1] == other.split("~")[0].split("/")[1]
        assert number == same
        mine = connection.execute(ALIKE, ["cardlog-jsonl", match, number]).fetchall()
        theirs = connection.execute(ALIKE, ["pinochle-protocol", other, number]).fetchall()
        assert sorted(map(str, mine)) == sorted(map(str, theirs))
        plays = [row for row in mine if row[0] == "play"]
        assert plays == [row for row in theirs if row[0] == "play"]


def test_a_log_is_appended_to_once_wherever_it_was_cut(tmp_path: Path) -> None:
    path = tmp_path / "log"
    first, second = b"--> deal 1\n--> score 1\n", b"--> deal 2\n--> score 2\n"
    for length in range(len(second) + 1):
        path.write_bytes(first + second[:length])
        append_once(path, second)
        assert path.read_bytes() == first + second
