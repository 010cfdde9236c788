"""What the parser knows of a hand of Pinochle: what the rules say, and the text where that breaks one."""

import re
from typing import Any

import numpy as np
import pytest

from cardlog.models.pinochle.cards import masks_of
from cardlog.pipelines.events.folding import fold_batch
from cardlog.pipelines.ingest.judge import judge
from cardlog.pipelines.readers.pinochle_protocol import parser
from cardlog.pipelines.readers.pinochle_protocol.lines import parse_line
from cardlog.pipelines.readers.pinochle_protocol.match import HEAD_2014, JAN_2013, Hand, Match
from cardlog.schemas import cards
from cardlog.schemas.reasons import Reason
from tests.support.pinochle_damage import sessions
from tests.support.pinochle_logs import read_text, transcript

HAND = ("AD", "TD", "KD", "QD", "JD", "9D", "AC", "TC", "KC", "QC", "JC", "9C")
"""What seat 0 is dealt."""


def line(arrow: str, **fields: Any) -> bytes:
    return f"{arrow} {fields}".replace("'", '"').encode()


def follow(hand: parser._Parser, arrow: str, **fields: Any) -> None:
    """Parse the next line."""
    hand.follow(parse_line(line(arrow, **fields)), 0)


def dealt(dialect: str = JAN_2013) -> parser._Parser:
    """A hand that has been dealt by seat 3, so that seat 0 is the first to bid."""
    found = parser._Parser(Hand(0, 0, 0, 0, is_hand=False), Match())
    dealer = {"Dealer": 3} if dialect == HEAD_2014 else {}
    found.begin(parse_line(line("-->", Type="Deal", Playerid=0, Hand=[*HAND], **dealer)), 0)
    follow(found, "-->", Type="Bid", Playerid=0)
    return found


def playing() -> parser._Parser:
    """A hand in which seat 0 leads, diamonds being trump."""
    found = dealt()
    follow(found, "<--", Type="Bid", Bid=30)
    for seat in (1, 2, 3):
        follow(found, "-->", Type="Bid", Playerid=seat)
    follow(found, "-->", Type="Trump", Playerid=0)
    follow(found, "<--", Type="Trump", Trump="D")
    for _ in range(4):
        follow(found, "-->", Type="Meld", Playerid=1, Hand=["AS"], Amount=99)
    return found


@pytest.mark.parametrize("name", ["jan2013", "head2014"])
def test_the_parser_knows_what_the_rules_know(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    parsers = []

    class Kept(parser._Parser):
        def __init__(self, hand: Hand, match: Match) -> None:
            super().__init__(hand, match)
            parsers.append(self)

    monkeypatch.setattr(parser, "_Parser", Kept)
    batch = read_text(transcript(name)).batch
    folded = fold_batch(batch)
    compared = 0
    whole = [found for found in parsers if not found.hand.fault]
    for found, state, reason in zip(whole, folded.states, folded.reasons, strict=True):
        if reason:
            continue
        compared += 1
        assert (found.trump, found.declarer, found.high_bid) == (
            state["trump"],
            state["declarer"],
            state["high_bid"],
        )
        assert (found.tricks, found.on_table, found.done) == (
            state["tricks"],
            state["trick_cards"],
            state["done"],
        )
        held = masks_of(np.frombuffer(found.cards, np.uint8), len(found.cards))
        assert held == (state["firsts"][0], state["seconds"][0])
    assert compared > 50


def test_a_bid_out_of_turn_counts_as_one_of_the_four() -> None:
    found = dealt()
    follow(found, "<--", Type="Bid")
    follow(found, "-->", Type="Bid", Playerid=2, Bid=25)
    assert (found.bids, found.high_bid, found.declarer) == (2, 25, 2)
    follow(found, "-->", Type="Bid", Playerid=2, Bid=20_000)
    assert (found.bids, found.high_bid, found.declarer) == (3, 20_000, 2)
    follow(found, "-->", Type="Bid", Playerid=1)
    assert (found.stage, found.declarer) == (parser.NAME, 2)


@pytest.mark.parametrize("bidder", [2, 3])
def test_a_dealer_is_stuck_only_if_nobody_has_bid(bidder: int) -> None:
    """[R4] Also if it is the dealer who has, before the turn came to him."""
    found = dealt(HEAD_2014)
    follow(found, "<--", Type="Bid")
    follow(found, "-->", Type="Bid", Playerid=bidder, Bid=25)
    follow(found, "-->", Type="Bid", Playerid=1)
    assert found.stage == parser.BIDS
    follow(found, "-->", Type="Bid", Playerid=3)
    assert (found.stage, found.declarer) == (parser.NAME, bidder)
    passed = dealt(HEAD_2014)
    follow(passed, "<--", Type="Bid")
    for seat in (1, 2):
        follow(passed, "-->", Type="Bid", Playerid=seat)
    assert (passed.stage, passed.bids) == (parser.STUCK, 3)


@pytest.mark.parametrize(("dialect", "stage"), [(JAN_2013, parser.MELDS), (HEAD_2014, parser.SCORES)])
def test_another_seat_than_the_declarer_names_trump_or_throws_in(dialect: str, stage: int) -> None:
    for kind, fields, then in (("Trump", {"Trump": "D"}, parser.MELDS), ("Throwin", {}, stage)):
        found = dealt(dialect)
        follow(found, "<--", Type="Bid", Bid=25)
        for seat in (1, 2, 3):
            follow(found, "-->", Type="Bid", Playerid=seat)
        follow(found, "-->", Type=kind, Playerid=2, **fields)
        assert (found.stage, found.declarer) == (then, 0)


def test_four_melds_lead_to_play_whoever_shows_them() -> None:
    assert playing().stage == parser.PLAYS


def test_cards_lie_on_the_table_whoever_plays_them() -> None:
    found = playing()
    follow(found, "-->", Type="Play", Playerid=3, PlayedCard="9C")
    follow(found, "-->", Type="Play", Playerid=3, PlayedCard="AS")
    follow(found, "-->", Type="Play", Playerid=2, PlayedCard="9C")
    assert (found.on_table, cards.text(found.best)) == (3, "9C")
    follow(found, "-->", Type="Play", Playerid=3, PlayedCard="9D")
    assert (found.tricks, found.stage, cards.text(found.best)) == (1, parser.TRICK, "9D")
    assert found.cards == bytes(sorted(cards.codes("".join(HAND))))


def test_a_hand_that_breaks_a_rule_tells_the_next_one_all_the_same() -> None:
    [text] = [part for part in sessions() if part.startswith(b"=== SESSION J001")]
    whole = judge(read_text(text))
    trump = re.search(rb'--> {"Playerid":(.),"Trump":".","Type":"Trump"}', text)
    assert trump
    assert trump[1] == b"2"
    broken = text.replace(trump[0], trump[0].replace(b'"Playerid":2', b'"Playerid":3'), 1)
    found = judge(read_text(broken))
    assert [reject.reason for reject in found.rejects] == [Reason.BAD_BID]
    assert found.batch.content().tolist() == whole.batch.content().tolist()[1:]


def test_what_contradicts_itself_after_a_broken_rule_is_still_found() -> None:
    [text] = [part for part in sessions() if part.startswith(b"=== SESSION J001")]
    broken = text.replace(b'"Bid":26', b'"Bid":26000', 1).replace(b'"Score":[28,9]', b'"Score":[28,8]', 1)
    assert broken.count(b"26000") == 1
    [reject] = judge(read_text(broken)).rejects
    assert (reject.reason, "the score differs" in reject.message) == (Reason.SCORE_MISMATCH, True)
