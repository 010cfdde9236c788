"""A table's events are those of the rules, whoever plays; what was played is what is stored; the
score sheet has each hand once, also after a restart, and names who has won."""

import json
import random
from pathlib import Path

import pytest

from cardlog.models.engine.visible import NOBODY
from cardlog.models.poker.actions import CHECK_ACTION, SMALL_RAISE
from cardlog.pipelines import runs
from cardlog.pipelines.events.folding import fold_batch
from cardlog.pipelines.ingest.reading import Reading
from cardlog.pipelines.sql import hand_lookup
from cardlog.pipelines.storage.store import Store
from cardlog.web.play.dealing import games_offered, rules_offered
from cardlog.web.play.event_json import dumped
from cardlog.web.play.recording import ingest
from cardlog.web.play.seats import BadTable, place_of, plan_of
from cardlog.web.play.table import Refused, Table
from cardlog.web.play.views import MOST_ROWS, Sheet
from tests.support import tables
from tests.support.tables import SEATS, Paper, Viewer, form_of, on_loop, play_hand, reopened, room_of

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
            room = room_of(form_of(game, rules, people=2), paper, f"{game}-{rules}")
            viewers = [Viewer(room, seat) for seat in (0, 1)]
            for number in range(2):
                if number:
                    room.next()
                play_hand(viewers, rng)
                played[room.hand.hand_id] = game, room.hand.state.copy(), room.hand.lines()
            for finished in paper.finished:
                (tmp_path / finished.name.replace("/", "-")).write_bytes(finished.text)

    tables.in_loop(play)
    files = [str(path) for path in tmp_path.glob("*.jsonl")]
    result = runs.ingest(store, files, Reading(format="cardlog-jsonl"))
    assert (result.counts.hands_stored, result.counts.quarantined) == (len(played), 0) == (2 * len(RULES), 0)
    for hand_id, (game, state, lines) in played.items():
        batch = hand_lookup.find(store, hand_id)
        [found] = fold_batch(batch).states
        assert str(found) == str(state), (game, hand_id)
        assert len(batch.events) == len(lines)
        opening = json.loads(batch.details[0])
        assert opening["players"][0] in ({"kind": "human", "name": "Ann"}, None)
        assert opening["players"][2] in ({"bot": "random", "kind": "computer"}, None)


def test_a_raise_may_be_of_any_chips_that_the_rules_allow() -> None:
    table = Table("five_card_draw", "book", [None] * 2)
    hand = table.deal([{"kind": "human"}] * 2)
    for chips in (0, -5, 991, 2**40):
        with pytest.raises(Refused):
            table.act(table.turn, SMALL_RAISE, chips)
    with pytest.raises(Refused, match="has no amount"):
        table.act(table.turn, CHECK_ACTION, 5)
    table.act(table.turn, SMALL_RAISE, 57)
    raised = {"kind": "bid", "action": "raise", "amount": 57}
    assert raised.items() <= hand.lines()[-1].items()


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


MOST_HANDS = 150


@pytest.mark.parametrize("game", games_offered())
@on_loop
def test_a_match_is_added_up_and_its_winner_named(game: str) -> None:
    """From the sheet alone: the scores of the hands make those of the match, and the winner has most."""
    computers = {f"seat{seat}": "computer:random" for seat in range(SEATS.get(game, 4))}
    room, _, paper = tables.seated(game, **computers)
    while room.sheet.rows[-1]["winner"] is None and room.hand.number < MOST_HANDS:
        room.next()
    number, view = room.hand.number, Viewer(room, NOBODY).newest
    over, rows = view["over"], view["sheet"]
    assert [row["number"] for row in rows] == [*range(number + 1)][-len(rows) :]
    assert (over["winner"], over["match_over"]) == (rows[-1]["winner"], True)
    last = rows[-1]["score"]
    if game == "ruter_sju":
        assert last["place"][str(over["winner"])] == 1
    elif game in ("five_card_draw", "hold_em"):
        chips = {seat: amount for seat, amount in last["match"].items() if amount}
        assert chips == {str(over["winner"]): 1000 * SEATS.get(game, 4)}
    elif game == "belote":
        totals = [sum(row["score"]["hand"][side] for row in rows) for side in "01"]
        assert totals == [last["match"]["0"], last["match"]["1"]]
        assert max(totals) == totals[over["winner"]] >= 1001
    elif game == "pinochle" or 25 not in room.hand.state["bids"]:  # 12 without trump decides by itself
        won, lost = (last["match"][str(side)] for side in (over["winner"], 1 - over["winner"]))
        assert won >= (120 if game == "pinochle" else 52) or lost <= -52
    room.next()
    assert {row["match"] for row in room.sheet.rows if row["number"] <= number} == {0}
    for entries in (json.loads(dumped(room.snapshot())), paper.entries):
        assert reopened(entries).sheet.rows == json.loads(json.dumps(room.sheet.rows))


@on_loop
def test_the_sheet_has_the_last_hands() -> None:
    room, viewer, _ = tables.seated("ruter_sju")
    play_hand([viewer], random.Random(1))
    sheet = Sheet()
    for number in range(MOST_ROWS + 5):
        room.hand.number = number
        sheet.add(room.hand, room.table.dealer)
        sheet.add(room.hand, room.table.dealer)
    assert [row["number"] for row in sheet.rows] == [*range(5, MOST_ROWS + 5)]


@on_loop
def test_seats_are_called_by_where_they_are_seen() -> None:
    room, viewer, _ = tables.seated("kaiser", people=2)
    names = {seat: [s["name"] for s in room.audience.seats(seat) if s] for seat in (0, 1, NOBODY)}
    assert names == {
        0: ["Ann", "Left", "Partner", "Right"],
        1: ["Ann", "You", "Left", "Partner"],
        NOBODY: ["Ann", "West", "North", "East"],
    }
    places = [place_of(seat, 2, 5, has_teams=False) for seat in range(5)]
    assert places == ["Far right", "Right", "You", "Left", "Far left"]
    room.set_away(1, True)
    room.set_away(0, True)
    room.table.away |= {0, 1}
    while room.table.computer_acts():
        pass
    room.move()
    assert viewer.newest["over"]["result"][0][:3] in ([0, " and ", 2], [1, " and ", 3])
