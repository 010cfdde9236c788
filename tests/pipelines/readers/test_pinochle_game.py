"""What the parser knows of a hand of Pinochle: what the rules say, and the text where that breaks one."""

import re

import pytest

from cardlog.pipelines.ingest.judge import judge
from cardlog.schemas.reasons import Reason
from tests.support.pinochle_logs import read_text, sessions

HAND = '["AD","TD","KD","QD","JD","9D","AC","TC","KC","QC","JC","9C"]'
"""What seat 0 is dealt."""


@pytest.mark.parametrize("told", [b"", b'--> {"Amount":0,"Bid":20,"Playerid":3,"Type":"Bid"}\n'])
@pytest.mark.parametrize("bid", [b"", b'"Bid":25,'])
def test_a_dealer_is_stuck_only_if_nobody_has_bid(bid: bytes, told: bytes) -> None:
    """[R4] Then the others are told that the dealer has bid 20, and must be."""
    dealt = b'--> {"Dealer":3,"Hand":%s,"Playerid":0,"Type":"Deal"}' % HAND.encode()
    passes = [b'--> {%s"Playerid":1,"Type":"Bid"}' % bid, b'--> {"Playerid":2,"Type":"Bid"}']
    ask = [b'--> {"Playerid":0,"Type":"Bid"}', b'<-- {"Playerid":0,"Type":"Bid"}']
    trump = b'--> {"Playerid":%d,"Trump":"D","Type":"Trump"}\n' % (1 if bid else 3)
    found = judge(
        read_text(b"\n".join([b"=== SESSION one ===", dealt, *ask, *passes, told + trump]), final=True)
    )
    # A bid of 20 does not count against one of 25, and is a bid then.
    assert len(found.kept) == (1 if told else 0)
    assert (found.batch.events["amount"] == 20).sum() == (1 if told and bid else 0)


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
