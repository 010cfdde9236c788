"""Pinochle's rules against all logs: every field that the original programs knew."""

import json
import re
from typing import Any

import numpy as np
import pytest

from cardlog.models.pinochle import rules as pinochle
from cardlog.models.pinochle.cards import masks_of, meld, playable, spread
from cardlog.models.pinochle.dialects import match_winner
from cardlog.models.pinochle.legal import legal_cards
from cardlog.models.pinochle.state import begin
from cardlog.schemas import cards
from cardlog.schemas.events import ACTIONS
from tests.support.logs import json_lines, text_of
from tests.support.pinochle_logs import LOGS, log

TRICK_FIELDS = ("winners", "bests", "values")


def texts_of(firsts: int, seconds: int) -> list[str]:
    """A set of cards in the servers' order."""
    codes = np.zeros(24, np.uint8)
    return [cards.text(int(code)) for code in codes[: spread(firsts, seconds, codes)]]


def kinds_of(mask: int) -> list[str]:
    return texts_of(mask, 0)


def two_of(codes: str) -> tuple[int, int]:
    packed = np.array(cards.codes(codes), np.uint8)
    firsts, seconds = masks_of(packed, len(packed))
    return int(firsts), int(seconds)


def result(events: Any, details: list[str], state: Any, match: str) -> dict[str, Any]:
    """A folded hand in the oracle's terms, from its events and its last state alone."""
    opening = json.loads(details[events["detail"][0]])
    dialect = opening["settings"]["dialect"]
    replay = begin(opening)[0]
    bids, plays, tricks = [], [], []
    reported = {}
    for event in events:
        kind, name = ACTIONS[event["action"]].kind, ACTIONS[event["action"]].name
        seat, amount = int(event["seat"]), int(event["amount"])
        if kind == "bid" and name in ("bid", "pass"):
            bids.append([seat, amount if name == "bid" else 0])
        if kind == "play":
            refused = json.loads(details[event["detail"]])["refused"] if event["detail"] >= 0 else []
            legal = kinds_of(legal_cards(replay))
            held = texts_of(replay["firsts"][seat], replay["seconds"][seat])
            legal = [card for card in held if card in legal]
            for card in refused:
                assert card not in legal
                plays.append([seat, card, legal, False])
            plays.append([seat, cards.text(int(event["cards"][0])), legal, True])
        if (kind, name) == ("score", "match"):
            reported[seat] = amount
        assert pinochle.evolve(replay, event.copy()) == 0
        if kind == "play" and replay["trick_cards"] == 0:
            winner, best, value = (int(replay[name][replay["tricks"] - 1]) for name in TRICK_FIELDS)
            tricks.append([winner, cards.text(best), value])
    thrown, ended = bool(state["thrown_in"]), bool(state["thrown_in"]) and dialect == "head2014"
    winner, melds = int(match_winner(state["after"], state["declarer"] & 1)), state["meld_points"].tolist()
    session, game = match.split("/")
    assert [reported[0], reported[1]] == state["after"].tolist()
    scored = {
        "meld_amounts": melds,
        "meld_shown": [*map(texts_of, state["meld_firsts"], state["meld_seconds"])],
        "counters": state["points"].tolist(),
    }
    if dialect != "jan2013":
        scored["win"] = [winner == team for team in range(2)]
        scored["count_meld"] = [bool(took) for took in state["took"]]
    hand: dict[str, Any] = {
        "session": session,
        "dialect": dialect,
        "game": int(game),
        "dealer": int(state["dealer"]),
        "bids": bids,
        "high_bid": int(state["high_bid"]),
        "high_player": int(state["declarer"]),
        "throwin": thrown,
        "trump": None if thrown else cards.SUITS[state["trump"]],
        "plays": plays,
        "tricks": tricks,
        "score": state["after"].tolist(),
        "game_over": winner >= 0,
        "hands_played": opening["match"]["hands_played"] + (not ended),
        **(dict.fromkeys(scored) if ended else scored),
    }
    if not ended:
        hand["team_meld"] = [melds[0] + melds[2], melds[1] + melds[3]]
        hand["hands"] = [[cards.text(int(card)) for card in dealt] for dealt in state["dealt_cards"]]
    if dialect == "jan2013":
        hand["win_seat0"] = winner == 0 if winner >= 0 else None
    return hand


@pytest.mark.parametrize("name", LOGS)
def test_every_hand_is_what_the_oracle_says_in_every_field(name: str) -> None:
    logged = log(name)
    assert not logged.judged.rejects
    assert logged.judged.done.all()
    assert len(logged.judged.kept) == len(logged.oracle)
    batch = logged.read.batch
    for hand, expected in enumerate(logged.oracle):
        events = batch.events[batch.offsets[hand] : batch.offsets[hand + 1]]
        match = batch.matches[batch.match_of[hand]]
        ours = result(events, batch.details, logged.folded.states[hand], match)
        ours["hand_no"] = int(batch.hand_nos[hand])
        if "hands" not in ours:  # of a hand that was thrown in nobody saw the others' cards
            own = [cards.text(int(card)) for card in logged.folded.states[hand]["dealt_cards"][0]]
            assert own == expected["hands"][0]
            ours["hands"] = expected["hands"]
        assert ours == expected


def test_meld_agrees_with_the_original_on_every_hand_and_trump() -> None:
    """[R7] [R8] 24,000 cases, worth and cards shown."""
    cases = quirks = 0
    for case in json_lines("pinochle/meld_oracle.jsonl.gz"):
        firsts, seconds = two_of("".join(case["hand"]))
        for trump, (worth, shown) in case["meld"].items():
            points, once, twice = meld(firsts, seconds, cards.SUITS.index(trump), True)
            assert (int(points), texts_of(once, twice)) == (worth, shown), (case["hand"], trump)
            plain = meld(firsts, seconds, cards.SUITS.index(trump), False)
            quirks += texts_of(plain[1], plain[2]) != shown
            assert plain[0] == worth
            cases += 1
    assert cases == 24_000
    assert quirks > 50


def test_legal_cards_agree_with_the_original_in_every_trick() -> None:
    """[R10] 5,000 cases: what is held, what is legal, and whether the card played is."""
    cases = 0
    for case in json_lines("pinochle/validplay_oracle.jsonl.gz"):
        firsts, _ = two_of("".join(case["hand"]))
        legal = firsts
        if case["winning"] != "NA":
            led, best = cards.SUITS.index(case["lead"]), cards.code(case["winning"])
            legal = int(playable(firsts, led, best, cards.SUITS.find(case["trump"])))
        assert kinds_of(legal) == list(dict.fromkeys(case["legal"]))
        played = cards.code(case["play"])
        assert bool(firsts >> played & 1) == case["in_hand"]
        assert bool(legal >> played & 1) == (case["valid"] and case["in_hand"])
        cases += 1
    assert cases == 5_000


def test_the_hands_that_follow_from_the_client_s_log_are_those_the_server_dealt() -> None:
    """The server's own console shows all four hands of the sessions of 2013."""
    console = text_of("pinochle/jan2013_server_console.txt.gz").decode()
    expected = {
        part.split()[0]: re.findall(r"^Dealing player (\d) hand &\[(.*)\]", part, re.MULTILINE)
        for part in console.split("=== SESSION ")[1:]
    }
    batch, dealt = log("jan2013").read.batch, dict[str, list[tuple[str, str]]]()
    for hand, state in enumerate(log("jan2013").folded.states):
        session = batch.matches[batch.match_of[hand]].split("/")[0]
        for seat in ((state["dealer"] + step) % 4 for step in range(1, 5)):
            held = " ".join(map(cards.text, state["dealt_cards"][seat].tolist()))
            dealt.setdefault(session, []).append((str(seat), held))
    assert dealt == expected
