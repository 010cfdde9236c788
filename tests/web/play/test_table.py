"""A table's events are those of the rules, whoever plays; what was played is what is stored."""

import json
import random
from pathlib import Path

import pytest

from cardlog.models.poker.actions import CHECK_ACTION, SMALL_RAISE
from cardlog.pipelines import runs
from cardlog.pipelines.events.folding import fold_batch
from cardlog.pipelines.ingest.reading import Reading
from cardlog.pipelines.sql import hand_lookup, query
from cardlog.pipelines.storage.store import Store
from cardlog.web.play.dealing import games_offered, rules_offered
from cardlog.web.play.recording import ingest
from cardlog.web.play.seats import BadTable, plan_of
from cardlog.web.play.table import Refused, Table
from tests.support.tables import Paper, Viewer, form_of, in_loop, play_hand, room_of

RULES = [(game, rules) for game in games_offered() for rules in rules_offered(game)]


@pytest.mark.long
def test_hands_that_were_played_are_stored_as_they_were(tmp_path: Path) -> None:
    """All games and rules, two people and computers, several hands; one ingest of all."""
    store = Store(str(tmp_path / "store"))
    rng = random.Random(5)
    played = {}

    def play() -> None:
        for game, rules in RULES:
            paper = Paper()
            room = room_of(form_of(game, rules, people=2, name="Ann"), paper, f"{game}-{rules}")
            viewers = [Viewer(room, seat) for seat in (0, 1)]
            for number in range(2):
                if number:
                    room.next()
                play_hand(viewers, rng)
                hand = room.table.hand
                played[hand.hand_id] = game, hand.state.copy(), hand.lines()
            for finished in paper.finished:
                path = tmp_path / finished.name
                path.parent.mkdir(exist_ok=True)
                path.write_bytes(finished.text)

    in_loop(play)
    files = [str(path) for path in tmp_path.glob("*/*.jsonl")]
    result = runs.ingest(store, files, Reading(format="cardlog-jsonl", dataset="play"))
    assert (result.counts.hands_stored, result.counts.quarantined) == (len(played), 0)
    assert runs.ingest(store, files, Reading(format="cardlog-jsonl", dataset="play")).sources == []
    for hand_id, (game, state, lines) in played.items():
        batch = hand_lookup.find(store, hand_id)
        [found] = fold_batch(batch).states
        assert str(found) == str(state), (game, hand_id)
        assert len(batch.events) == len(lines)
        opening = json.loads(batch.details[0])
        assert opening["players"][0] in ({"kind": "human", "name": "Ann"}, None)
        assert opening["players"][2] in ({"bot": "random", "kind": "computer"}, None)
    sql = "select count(distinct hand_id), count(distinct game) from events where dataset = 'play'"
    assert query.connect(store, ["events"]).execute(sql).fetchone() == (len(played), len(games_offered()))


def test_a_raise_may_be_of_any_chips_that_the_rules_allow() -> None:
    table = Table("five_card_draw", "book", [None] * 2)
    hand = table.deal([{"kind": "human"}] * 2)
    for chips in (0, -5, 991, 2**40):
        with pytest.raises(Refused):
            table.act(table.turn, SMALL_RAISE, chips)
    with pytest.raises(Refused, match="has no amount"):
        table.act(table.turn, CHECK_ACTION, 5)
    table.act(table.turn, SMALL_RAISE, 57)
    assert hand.lines()[-1] | {"occurred_at": 0} == {
        "kind": "bid", "action": "raise", "seat": hand.lines()[-1]["seat"], "amount": 57, "occurred_at": 0,
    }  # fmt: skip


def test_deals_differ_and_the_choice_of_computers_tells_nothing_of_them() -> None:
    """The random numbers after the deal are drawn afresh, so they differ where the cards are the same."""
    table = Table("kaiser", "book", ["random"] * 4)
    decks, bits = set(), set()
    for _ in range(20):
        hand = table.deal([{"kind": "computer"}] * 4)
        decks.add(table.dealer.record["deck"].tobytes())
        bits.add(int(table.dealer.record["rng"][0]))
        while table.computer_acts():
            pass
        assert hand.is_over
    assert (len(decks), len(bits)) == (20, 20)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"game": "whist"}, "There is no game 'whist'"),
        ({"rules": "none"}, "There are no rules 'none'"),
        ({"seat1": "me"}, "one seat only"),
        ({"seat1": "computer:hal"}, "Nobody is called 'computer:hal'"),
        ({"seat1": ""}, "3 seats are taken; there must be 4."),
        ({"seat4": "friend"}, "5 seats are taken; there must be 4."),
        ({"patience": "-1"}, "number of seconds"),
    ],
)
def test_a_table_that_makes_no_sense_is_refused(change: dict[str, str], sentence: str) -> None:
    with pytest.raises(BadTable, match=sentence):
        plan_of(form_of("kaiser") | change)


@pytest.mark.long
def test_a_file_that_is_gone_is_named_by_what_ingests(tmp_path: Path) -> None:
    wanted = str(tmp_path / "store"), [str(tmp_path / "gone.jsonl")]
    assert "gone.jsonl" in ingest(wanted)
    assert ingest(wanted) == ingest(wanted)
