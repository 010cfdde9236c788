"""Belote's reader and rules against all logs, and against what the programs computed."""

import json
from collections import Counter
from typing import Any

import pytest

from cardlog.models.belote import rules as belote
from cardlog.models.belote.legal import bela_cards, legal_bids, legal_cards, legal_text, may_claim
from cardlog.models.belote.state import PLAYING, begin
from cardlog.pipelines.ingest.judge import judge
from cardlog.pipelines.readers.belot_transcript import reader as belot_transcript
from cardlog.schemas import cards
from cardlog.schemas.events import NO_AMOUNT, NO_SEAT, Action
from tests.support.belote_logs import (
    FIXTURES,
    LOGS,
    card,
    codes,
    games,
    hands_of,
    in_mask,
    read_log,
    source,
    suit,
    text_of,
)

WORDING = {"rl_cesmak": "cesmak", "rl_bornabesic": "bornabesic", "torch_cesmak": "cesmak"}

TEAMS = {
    "tricks_won": "tricks_won", "declared": "declaration_points", "bela_points": "bela_points",
    "points": "trick_points", "score": "points",
}  # fmt: skip
"""Fields of the state that have a number for each team, and the oracle's names of them."""


def mask_of(numbers: list[int]) -> int:
    return sum(1 << code for code in codes(numbers))


def compare(hand: dict[str, Any], opening: dict[str, Any], events: Any, printed: bool) -> None:
    """Replay a hand, and compare everything with what the program computed."""
    state = begin(opening)[0]
    bids: list[list[Any]] = []
    plays: list[tuple[int, list[int], int]] = []
    tricks: list[dict[str, int]] = []
    bela: list[list[Any]] = []
    reported: dict[tuple[int, int], list[int]] = {}
    legal: list[int] = []
    for event in events:
        action, seat, amount = int(event["action"]), int(event["seat"]), int(event["amount"])
        if not state["claiming"] and state["phase"] == PLAYING:
            legal = sorted(in_mask(legal_cards(state)))
        if action == Action.PLAY_CARD:
            plays.append((seat, legal, int(event["cards"][0])))
            offered = may_claim(state) and in_mask(bela_cards(state)) >= {plays[-1][2]}
            if offered or state["claiming"]:
                bela.append([seat, len(plays) - 1, bool(state["claiming"])])
        elif action in (Action.BID_PASS, Action.BID_TRUMP):
            named = int(event["suit"]) if action == Action.BID_TRUMP else None
            bids.append([seat, named, not legal_bids(state) & 1])
        elif action == Action.SCORE_TRICK:
            tricks.append({"winner": seat, "value": amount})
        elif action in (Action.SCORE_POINTS, Action.SCORE_HAND, Action.SCORE_MATCH):
            reported.setdefault((action, seat), []).append(amount)
        before = event.copy()
        assert belote.evolve(state, event) == 0, legal_text(state)
        assert before["seat"] == event["seat"] or before["seat"] == NO_SEAT
    assert opening["dealer"] == hand["dealer"]
    assert bids == [
        [seat, None if named is None else suit(named), must] for seat, named, must in hand["bids"]
    ]
    assert plays == [(one["seat"], sorted(codes(one["legal"])), card(one["card"])) for one in hand["plays"]]
    assert tricks == hand["tricks"]
    assert [(one["winner"], one["value"]) for one in tricks] == [
        *zip(state["winners"], state["values"], strict=True)
    ]
    assert bela == hand["bela"]
    assert not bela or bela == [[state["bela_seat"], state["bela_play"], state["bela"] >= 0]]
    for seat in range(4):
        held, count = state["dealt_cards"][seat].tolist(), state["found_count"][seat]
        assert sorted(held) == sorted(codes(hand["hands"][seat]))
        assert not printed or held == codes(hand["hands"][seat])
        found = zip(state["found"][seat][:count].tolist(), state["found_value"][seat].tolist(), strict=False)
        assert set(found) == {(mask_of(texts), value) for texts, value in hand["declared"][str(seat)]}
        shown = set(state["shown"][seat][: state["shown_count"][seat]].tolist())
        assert shown == set(map(mask_of, hand["declarations_counted"].get(str(seat), [])))
    assert (state["declarer"], state["trump"]) == (hand["bidder"], suit(hand["trump"]))
    for name, theirs in TEAMS.items():
        assert state[name].tolist() == hand[theirs], name
    assert [belote.taken(state, team) for team in range(2)] == hand["points_before_pass"]
    assert (state["hand_value"], state["needed"]) == (hand["hand_value"], hand["needed"])
    assert (state["tricks_won"].max() == 8, state["failed"]) == (hand["all_tricks"], hand["failed"])
    assert (state["before"] + state["score"]).tolist() == hand["totals"]
    for team in range(2):
        assert reported[Action.SCORE_MATCH, team] == [hand["totals"][team]]
        points = [] if hand["all_tricks"] else [hand["points_before_pass"][team]]
        assert reported.get((Action.SCORE_POINTS, team), []) == points
        assert set(reported.get((Action.SCORE_HAND, team), [])) <= {hand["points"][team]}


@pytest.mark.parametrize("name", LOGS)
def test_every_hand_is_what_the_program_computed(name: str) -> None:
    read = read_log(name)
    assert not read.rejects
    hands = list(hands_of(read.batch))
    expected = [(game, number, hand) for game in games(name) for number, hand in enumerate(game["hands"])]
    assert len(hands) == len(expected) > 20
    for (match, position, opening, events), (game, number, hand) in zip(hands, expected, strict=True):
        assert (match, position) == (game["gid"], number)
        assert opening["settings"]["dialect"] == game["dialect"] == WORDING.get(name, name)
        assert [player["name"] for player in opening["players"]] == game["sitting"]
        before = game["hands"][number - 1]["totals"] if number else [0, 0]
        assert opening["match"]["score"] == before
        compare(hand, opening, events.copy(), "cesmak" in name)


@pytest.mark.parametrize("name", LOGS)
def test_people_are_told_from_computers_and_what_was_shown_in_the_order_of_the_deal(name: str) -> None:
    """A player who is prompted at the keyboard is a person, whatever the name. Cesmak prints the hands;
    elsewhere only a person at the keyboard is shown cards in the order dealt. [R11] is in `compare`."""
    dealt, kinds = {game["gid"]: game for game in games(name)}, Counter[str]()
    for match, number, opening, events in hands_of(read_log(name).batch):
        people = [player["kind"] == "human" for player in opening["players"]]
        kind = dealt[match].get("kind", "")
        if name == "bornabesic":
            assert people == [seat == 1 and kind.startswith("kbd") for seat in range(4)]
        kinds[kind] += 1
        ordered = opening["settings"].get("dealt_order", [True] * 4)
        assert ordered == ([True] * 4 if "cesmak" in name else people)
        for seat in range(4):
            if ordered[seat]:
                held = dealt[match]["hands"][number]["hands"][seat]
                assert events[1 + seat]["cards"].tolist() == codes(held)
    assert len(kinds) == 4 or name != "bornabesic"


EDGE = json.loads((FIXTURES / "edge" / "edge.json").read_text())


@pytest.mark.parametrize("case", EDGE, ids=lambda case: case["file"].split(".")[0])
@pytest.mark.parametrize("final", [False, True])
def test_damaged_files_give_the_hands_they_hold(case: dict[str, Any], final: bool) -> None:
    text = text_of(f"edge/{case['file']}")
    assert belot_transcript.sniff(text[:65536])
    [read] = belot_transcript.read(text, source(final))
    verdicts = judge(read)
    assert int(verdicts.done.sum()) == case["complete_hands"]
    stops = "truncated" in case["file"], "traceback" in case["file"]
    assert [reject.reason.code for reject in verdicts.rejects] == ["incomplete"] * (stops[0] and not final)
    aborted = len(verdicts.kept) - int(verdicts.done.sum())
    assert aborted == (stops[1] or (stops[0] and final))
    wording = case["file"].split("_")[0]
    bases = case["base_gid"] if isinstance(case["base_gid"], list) else [case["base_gid"]]
    oracle = {game["gid"]: game for game in games(wording)}
    expected = [(oracle[base], hand) for base in bases for hand in oracle[base]["hands"]]
    batch = verdicts.batch.take(verdicts.done.nonzero()[0])
    assert len({match for match, *_ in hands_of(batch)}) == len(bases)
    for (_, _, opening, events), (game, hand) in zip(hands_of(batch), expected, strict=False):
        assert [player["name"] for player in opening["players"]] == game["sitting"]
        compare(hand, opening, events.copy(), wording == "cesmak")


@pytest.mark.parametrize("wording", ["cesmak", "bornabesic"])
def test_an_unfinished_hand_holds_what_is_known(wording: str) -> None:
    """Cards that were not printed and not played are hidden; the others are those of the deal."""
    [read] = belot_transcript.read(text_of(f"edge/{wording}_traceback.txt.gz"), source())
    [case] = [case for case in EDGE if case["file"] == f"{wording}_traceback.txt.gz"]
    [game] = [game for game in games(wording) if game["gid"] == case["base_gid"]]
    hand = game["hands"][case["complete_hands"]]
    *_, (_, _, opening, events) = hands_of(read.batch)
    plays = events[events["action"] == Action.PLAY_CARD]
    played = plays["cards"][:, 0].tolist()
    assert 0 < len(played) < 32
    assert played == [card(play["card"]) for play in hand["plays"]][: len(played)]
    for seat in range(4):
        held = events[1 + seat]["cards"].tolist()
        known = [code for code in held if code != cards.UNKNOWN]
        assert set(known) <= set(codes(hand["hands"][seat]))
        own = [code for code, player in zip(played, plays["seat"].tolist(), strict=True) if player == seat]
        assert set(own) <= set(known)
        assert (len(known) == 8) == (wording == "cesmak")
    assert opening["settings"].get("dealt_order", [True] * 4) == [wording == "cesmak"] * 4
    assert not ((events["action"] == Action.SCORE_MATCH) & (events["amount"] == NO_AMOUNT)).any()
