"""Lines of Pinochle's protocol: however they are spelled; what is wrong with others."""

import json

import pytest

from cardlog.pipelines.readers.pinochle_protocol.messages import Kind, parse_line
from cardlog.schemas.reasons import Reason
from tests.support.pinochle_logs import transcript
from tests.support.soak import soak


def spelled_otherwise(line: bytes) -> bytes:
    """The same line with other spaces, fields the other way round and letters escaped."""
    pairs = list(json.loads(line[4:]).items())[::-1]
    text = json.dumps(dict(pairs), indent=1).replace("\n", " ")
    return line[:4] + text.replace('"Type"', '"\\u0054ype"').encode()


@pytest.mark.parametrize("every", [10, *soak(1)])
def test_a_line_says_the_same_however_it_is_spelled(every: int) -> None:
    """Every different line of the logs, as the servers write it; every n-th one spelled otherwise, too."""
    lines = {
        line
        for name in ("jan2013_edge_menu", "jan2013_edge_throwin", "head2014")
        for line in transcript(name).splitlines()
        if not line.startswith(b"===")
    }
    assert len(lines) > 3000
    for number, line in enumerate(sorted(lines)):
        found = parse_line(line)
        assert found.wrong is None
        assert found.kind not in (Kind.BAD, Kind.BLANK)
        if number % every == 0:
            assert parse_line(spelled_otherwise(line)) == found


@pytest.mark.parametrize(
    ("line", "reason", "sentence"),
    [
        (b'-> {"Type":"Hello"}', Reason.UNPARSABLE, "does not begin with"),
        (b'-->{"Type":"Hello"}', Reason.UNPARSABLE, "does not begin with"),
        (b'--> {"Type":"Hello"', Reason.UNPARSABLE, "it is no message"),
        (b"--> {", Reason.UNPARSABLE, "each object must be on one line, as 'jq -c .'"),
        (b'    "Type": "Hello"', Reason.UNPARSABLE, "prints them, after the arrow"),
        (b"--> " + b"[" * 100_000, Reason.UNPARSABLE, "it is no message"),
        (b'--> {"Playerid":0}', Reason.UNPARSABLE, "required field `Type`"),
        (b'--> {"Type":"Nothing"}', Reason.UNPARSABLE, "Invalid value 'Nothing'"),
        (
            b'--> {"Bid":21,"Colour":1,"Playerid":1,"Type":"Bid"}', Reason.UNPARSABLE,
            "unknown field `Colour`; there are: Type, Playerid, Bid, Amount",
        ),
        (b'--> {"Bid":21,"Bid":22,"Playerid":1,"Type":"Bid"}', Reason.UNPARSABLE, 'it has "Bid" twice'),
        (b'--> {"Bid":21,"Playerid":1,"Trump":"H","Type":"Bid"}', Reason.UNPARSABLE, "unknown field `Trump`"),
        (b'--> {"Bid":21.5,"Playerid":1,"Type":"Bid"}', Reason.UNPARSABLE, "got `float` - at `$.Bid`"),
        (b'--> {"Bid":null,"Playerid":1,"Type":"Bid"}', Reason.UNPARSABLE, "got `null`"),
        (b'--> {"Playerid":4,"Type":"Bid"}', Reason.UNPARSABLE, "Expected `int` <= 3 - at `$.Playerid`"),
        (b'--> {"Playerid":1,"Trump":"N","Type":"Trump"}', Reason.UNPARSABLE, "'N' - at `$.Trump`"),
        (b'--> {"PlayedCard":"8D","Playerid":1,"Type":"Play"}', Reason.UNKNOWN_CARD, "'8D'"),
        (b'--> {"PlayedCard":9,"Playerid":1,"Type":"Play"}', Reason.UNPARSABLE, "at `$.PlayedCard`"),
        (b'--> {"PlayedCard":"9D","Playerid":1,"Trump":"H","Type":"Play"}', Reason.UNPARSABLE, "more fields"),
        (b'--> {"Hand":"AD","Playerid":1,"Type":"Meld"}', Reason.UNPARSABLE, "Expected `array`"),
        (b'--> {"Hand":[%s"AD"],"Type":"Meld"}' % (b'"AD",' * 14), Reason.UNPARSABLE, "length <= 14"),
        (b'--> {"Score":[1,2.0],"Type":"Score"}', Reason.UNPARSABLE, "Expected `int`"),
        (b'--> {"GameOver":1,"Score":[1,2],"Type":"Score"}', Reason.UNPARSABLE, "Expected `bool`"),
        (b'<-- {"Score":[1,2],"Type":"Score"}', Reason.UNPARSABLE, "Invalid value 'Score'"),
    ],
)  # fmt: skip
def test_wrong_lines_are_explained(line: bytes, reason: Reason, sentence: str) -> None:
    found = parse_line(line)
    assert found.kind == Kind.BAD
    assert found.wrong is not None
    assert found.wrong[0] == reason
    assert sentence in found.wrong[1]


MESSAGES = {
    Kind.TRICK_MESSAGE: ["Player 2 wins trick #1 with AD for 3 points", "Player 2 wins trick with AD"],
    Kind.SCORES_MESSAGE: ["Scores are now Team0 = -22 to Team1 = 5, played 1 hands"],
    Kind.THROW_IN_MESSAGE: [
        "Player 1 threw in! Scores are now Team0 = -22 to Team1 = 5, played 1 hands"
    ],
    Kind.WINNER_MESSAGE: ["Team1 wins with a score of 125!"],
    Kind.NOTE: [
        "Player 2 wins trick #1 with AD for 3 points!", "Player 2 wins trick #1 with 8D for 3 points",
        "Scores are now Team0 = --2 to Team1 = 5, played 1 hands", "Ok, bye bye", "Option 6 - Go back",
    ],
    Kind.MENU: ["Ok, bye bye!"],
}  # fmt: skip


@pytest.mark.parametrize("kind", MESSAGES)
def test_messages(kind: str) -> None:
    for message in MESSAGES[kind]:
        line = b"--> " + json.dumps({"Message": message, "Type": "Message"}).encode()
        assert parse_line(line).kind == kind
