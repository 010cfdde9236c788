"""What the parser knows of a hand of Pinochle: what the rules say, and the text where that breaks one."""

import re
from typing import Any

import numpy as np
import pytest

from cardlog.models.pinochle.cards import masks_of
from cardlog.pipelines.events.folding import fold_batch
from cardlog.pipelines.ingest.judge import judge
from cardlog.pipelines.readers.pinochle_protocol import parser
from cardlog.pipelines.readers.pinochle_protocol.hands import HEAD_2014, JAN_2013, Hand, Match, trump_of
from cardlog.pipelines.readers.pinochle_protocol.lines import Line, parse_line
from cardlog.pipelines.readers.transcript import Fault
from cardlog.schemas import cards
from cardlog.schemas.reasons import Reason
from tests.support.pinochle_damage import sessions
from tests.support.pinochle_logs import read_text, transcript

HAND = ("AD", "TD", "KD", "QD", "JD", "9D", "AC", "TC", "KC", "QC", "JC", "9C")
"""What seat 0 is dealt."""
TRUMP = "a request to name trump or trump named by another seat or a throw-in of another seat was expected"


def line(arrow: str, **fields: Any) -> bytes:
    return f"{arrow} {fields}".replace("'", '"').encode()


def parsed(*lines: bytes) -> parser.Parser:
    """What the parser knows at the end of some lines."""
    found = [*map(parse_line, lines)]
    hand = parser.Parser(found, Hand(0, 0, 0, len(found) - 1, is_hand=False), Match())
    hand.parse()
    return hand


def says(seat: int, **fields: Any) -> bytes:
    return line("-->", Playerid=seat, **fields)


def bids(*bids: tuple[int, int], dialect: str = JAN_2013) -> list[bytes]:
    """A hand dealt by seat 3, and bids: seat 0 is the first to be asked."""
    dealer = {"Dealer": 3} if dialect == HEAD_2014 else {}
    lines = [says(0, Type="Deal", Hand=[*HAND], **dealer), says(0, Type="Bid")]
    for seat, bid in bids:
        what = {"Type": "Bid", "Bid": bid} if bid else {"Type": "Bid"}
        lines.append(says(seat, **what) if seat else line("<--", **what))
    return lines


def wanted(lines: list[bytes]) -> str:
    """What is expected after some lines."""
    with pytest.raises(Fault) as caught:
        parsed(*lines, line("-->", Type="Tables", Tables=[]))
    return caught.value.what.partition(", where ")[2]


PLAYING = [
    *bids((0, 30), (1, 0), (2, 0), (3, 0)),
    says(0, Type="Trump"),
    line("<--", Type="Trump", Trump="D"),
    *[says(1, Type="Meld", Hand=["AS"], Amount=99)] * 4,
]
"""Seat 0 leads, diamonds being trump."""


@pytest.mark.parametrize("name", ["jan2013", "head2014"])
def test_the_parser_knows_what_the_rules_know(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    parsers = []

    class Kept(parser.Parser):
        def __init__(self, lines: list[Line], hand: Hand, match: Match) -> None:
            super().__init__(lines, hand, match)
            parsers.append(self)

    monkeypatch.setattr(parser, "Parser", Kept)
    batch = read_text(transcript(name)).batch
    folded = fold_batch(batch)
    compared = 0
    whole = [found for found in parsers if not found.hand.fault]
    for found, state, reason in zip(whole, folded.states, folded.reasons, strict=True):
        if reason:
            continue
        compared += 1
        # A hand that is thrown in for good leaves the trump of the one before.
        trump = state["trump"] if found.tricks else trump_of(found.hand.before)
        assert (found.trump, found.declarer, found.high_bid) == (trump, state["declarer"], state["high_bid"])
        assert (found.tricks, found.on_table) == (state["tricks"], state["trick_cards"])
        assert state["done"] != found.hand.cut
        held = masks_of(np.frombuffer(found.cards, np.uint8), len(found.cards))
        assert held == (state["firsts"][0], state["seconds"][0])
    assert compared > 50


def test_a_bid_out_of_turn_counts_as_one_of_the_four() -> None:
    found = parsed(*bids((0, 0), (2, 25)))
    assert (found.bids, found.high_bid, found.declarer) == (2, 25, 2)
    found = parsed(*bids((0, 0), (2, 25), (2, 20_000)))
    assert (found.bids, found.high_bid, found.declarer) == (3, 20_000, 2)
    lines = bids((0, 0), (2, 25), (2, 20_000), (1, 0))
    assert (wanted(lines), parsed(*lines).declarer) == (TRUMP, 2)


@pytest.mark.parametrize("bidder", [2, 3])
def test_a_dealer_is_stuck_only_if_nobody_has_bid(bidder: int) -> None:
    """[R4] Also if it is the dealer who has, before the turn came to him."""
    lines = bids((0, 0), (bidder, 25), (1, 0), dialect=HEAD_2014)
    assert wanted(lines) == "a bid of another seat or a request for a bid was expected"
    lines.append(says(3, Type="Bid"))
    assert (wanted(lines), parsed(*lines).declarer) == (TRUMP, bidder)
    passed = bids((0, 0), (1, 0), (2, 0), dialect=HEAD_2014)
    assert (wanted(passed), parsed(*passed).bids) == ("a bid of another seat was expected", 3)


@pytest.mark.parametrize(
    ("dialect", "then"),
    [(JAN_2013, "a meld was expected"), (HEAD_2014, "the message of a throw-in was expected")],
)
def test_another_seat_than_the_declarer_names_trump_or_throws_in(dialect: str, then: str) -> None:
    auction = bids((0, 25), (1, 0), (2, 0), (3, 0), dialect=dialect)
    named = [*auction, says(2, Type="Trump", Trump="D")]
    thrown = [*auction, says(2, Type="Throwin")]
    assert (wanted(named), parsed(*named).declarer) == ("a meld was expected", 0)
    assert (wanted(thrown), parsed(*thrown).declarer) == (then, 0)


def test_four_melds_lead_to_play_whoever_shows_them() -> None:
    assert wanted(PLAYING) == "a request for a card or a card of another seat was expected"


def test_cards_lie_on_the_table_whoever_plays_them() -> None:
    plays = [says(seat, Type="Play", PlayedCard=card) for seat, card in ((3, "9C"), (3, "AS"), (2, "9C"))]
    found = parsed(*PLAYING, *plays)
    assert (found.on_table, cards.text(found.best)) == (3, "9C")
    plays.append(says(3, Type="Play", PlayedCard="9D"))
    found = parsed(*PLAYING, *plays)
    assert (found.tricks, cards.text(found.best)) == (1, "9D")
    assert wanted([*PLAYING, *plays]) == "the message that ends a trick was expected"
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
