"""The reader of Pinochle's protocol: what it takes, what it refuses and why, and where hands end."""

import json
import random
import re
from functools import partial
from typing import Any

import pytest

from cardlog.pipelines.ingest.judge import Judged, judge
from cardlog.schemas import cards
from cardlog.schemas.events import Action
from cardlog.schemas.reasons import Reason
from tests.support.formats import piece
from tests.support.pinochle_logs import read_text
from tests.support.steps import opening_of

session_of = partial(piece, "pinochle-protocol")
"""A session of the logs, with its mark."""
MARK = b"=== SESSION one ===\n"
"""Names the match of hands that are not its first ones."""


def hand_of(session: str, number: int = 0) -> bytes:
    return read_text(session_of(session)).raw_of(number)


def before(session: str) -> bytes:
    """The lines of a session before its first deal, the mark among them."""
    text = session_of(session)
    return text[: text.index(hand_of(session)[:60])]


def judged(text: bytes, **how: Any) -> Judged:
    return judge(read_text(text, **how))


# ---------------------------------------------------------------- sessions, matches, players


def test_a_text_may_begin_in_the_middle_of_a_match() -> None:
    """Then the score before is unknown, and the one after is accepted as reported; without the name of the
    match its hands can't be told from others."""
    text = hand_of("J001", 3) + hand_of("J001", 4)
    nameless = judged(text).rejects
    assert [entry.reason for entry in nameless] == [Reason.INCOMPLETE] * 2
    assert "begins in the middle of a match" in nameless[0].message
    found = judged(MARK + text)
    assert len(found.kept) == 2
    assert "match" not in opening_of(found.batch, 0)
    assert set(opening_of(found.batch, 1)["match"]) == {"score", "hands_played", "trump"}
    assert opening_of(found.batch, 0)["dealer"] == 3


PERSON, COMPUTER = {"kind": "human"}, {"kind": "computer"}
PLAYERS = [
    ("J001", rb"", b"", [PERSON, COMPUTER, COMPUTER, COMPUTER]),
    ("J001", rb'"Option":1', b'"Option":2', [PERSON, COMPUTER, PERSON, COMPUTER]),
    ("J001", rb'"Option":1', b'"Option":4', [PERSON] * 4),
    ("J001", rb'"Option":1', b'"Option":3', [PERSON, {}, {}, {}]),
    ("J001", rb'<-- {"Option":1,"Type":"Game"}\n', b"", [PERSON, {}, {}, {}]),
    ("A001", rb"", b"", [PERSON | {"name": "Åsa Öman"}, COMPUTER, COMPUTER, COMPUTER]),
    ("A001", rb'"Players":\[[^]]*\]', b'"Players":["A","AI","B",""]',
     [PERSON | {"name": "A"}, COMPUTER, PERSON | {"name": "B"}, {}]),
    ("A001", rb'"Players":\[[^]]*\]', b'"Players":7', [PERSON, {}, {}, {}]),
]  # fmt: skip


@pytest.mark.parametrize(("session", "old", "new", "players"), PLAYERS)
def test_who_plays_is_said_by_the_menu_or_the_table(
    session: str, old: bytes, new: bytes, players: list[dict[str, str]]
) -> None:
    assert opening_of(judged(re.sub(old, new, session_of(session))).batch, 0)["players"] == players


def test_several_refused_cards_and_repeated_requests() -> None:
    text = hand_of("J001")
    ask = b'--> {"Lead":"D","Playerid":0,"Trump":"D","Type":"Play","WinningCard":"QD"}\n'
    assert ask in text
    bad = [b'<-- {"PlayedCard":"%s","Playerid":0,"Type":"Play"}\n' % card for card in (b"AS", b"QC")]
    found = judged(text.replace(ask, ask + ask + bad[0] + ask + bad[1] + ask + ask, 1))
    assert not found.rejects
    assert '{"refused":["AS","QC"]}' in found.batch.details


def test_what_others_held_is_known_as_far_as_they_have_shown_it() -> None:
    text = hand_of("J001")
    cut = text[: text.index(b'--> {"Message":"Player 1 wins trick #2')]
    found = judged(MARK + cut, final=True)
    dealt = found.batch.events[found.batch.events["action"] == Action.DEAL_HAND]
    hands = [cards.texts(event["cards"][:12]) for event in dealt]
    assert "??" not in hands[0]
    assert hands[1] == "KDKCQCAS" + "??" * 8
    assert hands[2] == "KDQD9DKHQHKS" + "??" * 6
    assert hands[3] == "QDKCQC9S" + "??" * 8


def test_a_hand_without_its_deal_is_a_hand() -> None:
    whole = before("J001") + hand_of("J001")
    found = judged(before("J001") + hand_of("J001").split(b"\n", 1)[1] + hand_of("J001", 1))
    [reject] = found.rejects
    assert (reject.reason, "where a deal was expected" in reject.message) == (Reason.OUT_OF_ORDER, True)
    assert found.batch.hand_nos.tolist() == [1]
    assert reject.hand_id == judged(whole).batch.hand_ids[0].decode()


def test_what_only_a_lost_hand_had_is_not_known() -> None:
    raws = [hand_of("J001", number) for number in range(3)]
    found = judged(before("J001") + raws[0] + raws[2])
    assert not found.rejects
    assert "match" not in opening_of(found.batch, 1)
    damaged = raws[1].replace(b'"Type":"Trump"', b'"Type":"Trmp"')
    found = judged(before("J001") + raws[0] + damaged + raws[2])
    assert [reject.reason for reject in found.rejects] == [Reason.UNPARSABLE]
    assert found.batch.hand_nos.tolist() == [0, 2]
    assert opening_of(found.batch, 1)["match"].keys() == {"hands_played", "score"}


# ---------------------------------------------------------------- what else the servers and clients say

TABLE = (
    b'--> {"Type":"MyTable","MyTable":{"Id":5629499534213120,"Players":["Mo","AI","AI","AI"],"State":"play"},'
    b'"Playerid":0}\n'
)
COMING_BACK = ("A002", "A006", "A009")
COMES_BACK = (
    b"",
    b'<-- {"Playerid":0,"Type":"Tables"}\n',
    b'--> {"Playerid":0,"Type":"Name"}\n<-- {"Message":"Mo","Playerid":0,"Type":"Name"}\n',
)
"""Why a server shows the table again: a client reconnects, asks for the tables, or has no name yet."""


def repeated(lines: list[bytes], request: int) -> list[bytes]:
    """What the server of 2014 repeats at a request, as its `retell` does, in plain Python."""
    messages = [json.loads(line[4:]) for line in lines[: request + 1]]
    kind = messages[request]["Type"]
    if kind != "PlayRequest":
        deal = max(index for index in range(request) if messages[index]["Type"] == "Deal")
        again = json.loads(lines[request][4:])
        if kind == "Bid":
            again["Bid"] = max([20, *(one.get("Bid", 0) for one in messages[deal:request])])
        return [lines[deal], b"--> " + json.dumps(again, sort_keys=True).encode() + b"\n"]
    trick = []
    for index in range(request - 1, -1, -1):
        if messages[index]["Type"] not in ("Play", "PlayRequest"):
            break
        if messages[index]["Type"] == "Play" and lines[index].startswith(b"-->"):
            trick.insert(0, lines[index])
    return [*trick, lines[request]]


def of_session(name: str, text: bytes | None = None) -> list[tuple[Any, ...]]:
    """What each hand says, without where it stands."""
    found = judged(text or session_of(name))
    assert not found.rejects
    return list(zip(found.batch.hand_ids.tolist(), found.batch.content().tolist(), strict=True))


@pytest.mark.parametrize("why", COMES_BACK)
@pytest.mark.parametrize("kind", ["Bid", "Trump", "PlayRequest"])
def test_what_is_said_again_to_a_client_that_comes_back_is_passed_over(kind: str, why: bytes) -> None:
    rng = random.Random(kind)
    inserted = 0
    for name in COMING_BACK:
        lines = session_of(name).splitlines(keepends=True)
        sent = []
        for index, line in enumerate(lines):
            sent.append(line)
            value = json.loads(line[4:]) if line.startswith(b"--> {") else {}
            asked = value.get("Type") == kind and value.get("Playerid") == 0
            asked &= kind == "PlayRequest" or not value.keys() & {"Bid", "Trump"}
            if asked and (kind == "Trump" or rng.random() < 0.5):
                sent += [why, TABLE, *repeated(lines[1:], index - 1)]
                inserted += 1
        assert of_session(name, text=b"".join(sent)) == of_session(name)
    assert inserted > 2


def test_a_table_that_is_followed_by_something_else_ends_the_hand() -> None:
    """The deal of another hand, or other cards than there are on the table, are no repetition."""
    lines = session_of("A000").splitlines(keepends=True)
    requests = [index for index, line in enumerate(lines) if b'"PlayRequest"' in line]
    index = next(p for p in requests if b'"Play"' in lines[p - 1] and b"-->" in lines[p - 1])
    other = lines[index - 1].replace(b'"Playerid":', b'"Playerid":3,"x":', 1)
    suit = b"D" if b'C","Playerid"' in lines[index - 1] else b"C"
    wrong = re.sub(rb'(?<="PlayedCard":".)."', suit + b'"', lines[index - 1])
    assert other != wrong != lines[index - 1]
    text = b"".join([*lines[: index + 1], TABLE, wrong, *lines[index:]])
    found = judged(text)
    assert found.done.tolist()[0] is False
    assert found.rejects[0].reason is Reason.OUT_OF_ORDER


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
    found = judged(MARK + b"\n".join([dealt, *ask, *passes, told + trump]), final=True)
    # A bid of 20 does not count against one of 25, and is a bid then.
    assert len(found.kept) == (1 if told else 0)
    assert (found.batch.events["amount"] == 20).sum() == (1 if told and bid else 0)
