"""The formats of logs, one row each in `FORMATS`. From it `tests/pipelines/readers/test_damage.py` makes
texts that are cut, spliced, doubled, re-encoded and damaged by chance, and says what must come of them.

To add a format, add a `Format`: where its logs are, how their pieces begin, what may be respelt without a
change of meaning, as patterns and templates, a card that is none, and a `Damage` or more: a text of a few
hands, and a table of what may be wrong with it, one kind of damage a line::

    reason | what is in the text | what takes its place | what the message says

The first place that matches is replaced; `\\n` is a line end, and at `¶` the text ends. All other hands of
the text, and those of another piece after it, must be stored as they are. What only this format has, such as
odd names, is in a file of its own; the second opinion on its hands is in `OPINIONS` of `opinions`."""

import gzip
import json
import re
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

from cardlog import models
from cardlog.pipelines.export.simulate import simulate
from tests.support.csv_rows import HEADER, dump_lines
from tests.support.jsonl_logs import hand, text_of

FIXTURES = Path(__file__).parents[1] / "fixtures"
MOST_BYTES = 12_000
"""Approximate length of the part of a transcript's game to use."""


class Damage(NamedTuple):
    """A text of undamaged hands, and a table of damage; `is_pattern` if it has regular expressions."""

    text: Callable[[], bytes]
    table: str
    is_pattern: bool = False

    @property
    def rows(self) -> list[str]:
        """The lines of the table."""
        return self.table.strip("\n").split("\n")

    def defect(self, row: str) -> "Defect":
        """The text with one of the defects."""
        reason, old, new, says = row.replace("| |", "|  |").replace("\\n", "\n").split(" | ")
        text, bad = self.text(), new.encode()
        place = re.search((old if self.is_pattern else re.escape(old)).encode(), text)
        assert place is not None, old
        bad = place.expand(bad) if self.is_pattern else bad
        damaged, end, _ = (text[: place.start()] + bad + text[place.end() :]).partition("¶".encode())
        return Defect(reason, says, damaged.rstrip(b"\n") + b"\n", b"" if end else bad, place[0])


class Defect(NamedTuple):
    """A text with a defect; unless the text ends at it, `good` stood where `bad` is."""

    reason: str
    says: str
    damaged: bytes
    bad: bytes
    good: bytes


@dataclass(frozen=True)
class Format:
    """What the tests of damage know of a format."""

    logs: str = ""  # the logs whose pieces texts are composed of: a pattern below the fixtures
    piece: bytes = rb"=== "  # how a piece that can be read by itself begins: a game, with its mark
    header: bytes = b""  # the line before the pieces
    respelt: tuple[tuple[bytes, bytes], ...] = ((b"\n", b"\r\n"), (rb"\A", b"\xef\xbb\xbf"), (rb"\n\Z", b""))
    damage: tuple[Damage, ...] = ()
    ends: tuple[bytes, ...] = ()  # what shows that a hand before it, which broke off, will not go on
    no_card: tuple[bytes, bytes, str] = (b"", b"", "")  # a card, what is none, and what the message says

    @property
    def is_transcript(self) -> bool:
        """Whether its pieces are games after marks, which the engine of transcripts finds."""
        return bool(self.logs) and self.piece == b"=== "

    def texts(self) -> list[bytes]:
        """Its logs."""
        contents = ((path, path.read_bytes()) for path in sorted(FIXTURES.glob(self.logs)))
        return [gzip.decompress(text) if path.suffix == ".gz" else text for path, text in contents]


@cache
def pieces(name: str) -> tuple[bytes, ...]:
    """The pieces that texts of a format are composed of: rows, games or hands, with their line ends."""
    if name == "playedhand-csv":
        return tuple(line + b"\n" for line in dump_lines()[:400])
    if name == "cardlog-jsonl":
        return tuple(one for game in models.GAMES for one in simulated(game))
    found = []
    for text in FORMATS[name].texts():
        starts = [match.start() for match in re.finditer(b"(?m)^" + FORMATS[name].piece, text)]
        for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
            cut = text.find(b"\n", min(start + MOST_BYTES, end - 1)) + 1
            found.append(text[start : cut or end])
    return tuple(found)


@cache
def odd_lines(name: str) -> list[bytes]:
    """The lines of damaged and respelt texts that are not in the texts as they should be."""
    found = set[bytes]()
    for damage in FORMATS[name].damage or [Damage(lambda: pieces(name)[0], "")]:
        text = damage.text()
        others = [damage.defect(row).damaged for row in damage.rows if row]
        others += [re.sub(old, new, text) for old, new in FORMATS[name].respelt]
        found |= {line for other in others for line in other.split(b"\n")} - {*text.split(b"\n")}
    return sorted(found)


@cache
def piece(name: str, key: str) -> bytes:
    """The whole piece of a format's logs whose first line has a word."""
    pattern = rb"(?ms)^%b\S* ?%b\b.*?(?=^%b|\Z)" % (FORMATS[name].piece, key.encode(), FORMATS[name].piece)
    return next(found[0] for text in FORMATS[name].texts() if (found := re.search(pattern, text)))


@cache
def simulated(game: str) -> tuple[bytes, ...]:
    """Thirty hands of a game, of poker by the original's rules, which are those of the second opinion."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log.jsonl"
        simulate(game, 30, 7, str(path), rules="original" if game == "five_card_draw" else None)
        hands: dict[str, list[bytes]] = {}
        for line in path.read_bytes().splitlines(keepends=True):
            hands.setdefault(json.loads(line)["hand_id"], []).append(line)
    return tuple(b"".join(lines) for lines in hands.values())


CRASH = b"Traceback (most recent call last):\n"
TRACE = b"""Traceback (most recent call last):
  File "train.py", line 35, in <module>
    points = game.play()
ValueError: bad

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "x.py", line 1, in y
KeyError: 1
"""

# ---------------------------------------------------------------- belote

BELOTE_NOISE = """

0:27:35.980478
[RL] A i B - 40.0% (40 / 100)
knowledge:
localTable {}
tensor([3])
         0.0312, 0.0000, 0.0000, 0.0000]], grad_fn=<MulBackward0>)
[-0.6931, -1.0986]
trickValue 13
{<PlayerRole.ME: 0>: [{PIK VII}]}
Categorical(probs: torch.Size([1, 32]))
self.rewards
  \t
I USE CUDA NOW!!!
inside train player
I save your model path to: game/assets/network_models/0_Laura.pth
1 day, 2:03:04.567890
tensor([nan, nan, nan],
       grad_fn=<DivBackward0>)
tensor([[0.0, 0.1,
         nan, inf]], device='cuda:0',
       grad_fn=<MulBackward0>)
tensor([0.5],
       device='cuda:0', dtype=torch.float64, grad_fn=<MulBackward0>)
/home/x/policy.py:210: UserWarning: Converting a tensor to a scalar
  action = int(tensor[:, 0])
[W818 12:31:04.151 NNPACK.cpp:61] Could not initialize NNPACK! Reason: Unsupported hardware.
[RL] A i B - win percentage (in last 100 games): 1000% (4 / 9) at game: 100 0:00:01.5
"""
"""What the programs and PyTorch print between any two lines."""
GARBLED_MARK = "\ufeff".encode().decode("cp1252").encode()
BELOTE = r"""
unparsable | PIK ♠ (\w+)\n | PIK ♠ \1\nwhat is this\n | is not a line of a belot transcript
unparsable | ---------- Luka ---------- | ---------- Luca ---------- | names a player or a pair that is not in
unknown_card | \nPIK ♠ (\w+)\n | \nPIK ♠ Joker\n | cards are KARO ♦, HERC ♥
incomplete | (---------- Luka ----------\n)(?:PIK|HERC).*\n | \1 | comes after a line that is missing
incomplete | > Štih.*\n | | comes after a line that is missing
score_mismatch | (> Štih \(\d+\) kupi) (?:Luka|Lovro) | \1 Borna | score trick
score_mismatch | > Štih \((\d+)\) | > Štih (9\1) | Expected:
score_mismatch | (\tBorna i Mislav: )(\d+) | \g<1>1 | Expected:
score_mismatch | (Ukupni bodovi:\n\t.*: ) | \g<1>1 | Expected:
score_mismatch | (Ukupni bodovi:\n.*\n\t.*: ) | \g<1>1 | Expected:
incomplete | \tNema zvanja\n | | comes after a line that is missing
wrong_turn | \w+ -+\n\w+ (zove \d) | Borna ----------\nBorna \1 | bid trump
not_in_hand | (\w+)( -+\n[PHKT]\w+ .*\n-+ )(\w+)( -+\n[PHKT]\w+) | \3\2\1\4 | meld declare
duplicate_card | (\n[PHKT]\w+ .*)(\n-+ .*)\n[PHKT]\w+ .* | \1\2\1 | deal hand
wrong_turn | (Karte dijeli Borna\n) | \1---------- Borna ----------\nBorna kaže dalje\n | bid pass
incomplete | Karte dijeli \w+\n | | comes after a line that is missing
out_of_order | ((\w+) zove \d)\n | \1\n\1\n | can't come at this point of a hand
not_in_hand | (---------- Luka ----------\n)(PIK|HERC) | \1BELA!\n\2 | meld bela
not_in_hand | \tNema zvanja | \tLuka: [{PIK ♠ VII, PIK ♠ VIII, PIK ♠ IX}] | meld declare
score_mismatch | (\w+) i (\w+) su pobjedili!\n | Borna i Mislav su pobjedili!\n | contradicts an earlier line
"""
CESMAK = r"""
bad_bid | must False | must True | is wrong on whether the player must bid
out_of_order | Player  3 Cards.*\n | | bid pass
duplicate_card | (Player  1 Cards: )(.*)((?:\n.*)*?\nPlayer  2 Cards: ).* | \1\2\3\2 | deal hand
unparsable | calling (\d) Suit.\w+ | calling \1 9 | is not a line of a belot transcript
"""

# ---------------------------------------------------------------- Ruter Sju

RUTER_SJU_GAME = (FIXTURES / "ruter_sju" / "one_suit.txt").read_bytes()
RUTER_SJU = r"""
unparsable | 0 places 3 of diamonds... | 0 laces 3 of diamonds... | is not what the program prints there
unparsable | d: 3 4\n | s: 3 4\n | is not what the program prints there
unparsable | Eva:\nGAME | Eva:\nCARDS\n2 of diamonds\nGAME | only computers' cards are shown
unparsable | 0:\nCARDS\n1 of diamonds, 3 of diamonds\n | 0:\n | only computers' cards are shown
unparsable | 1 of diamonds, 3 of diamonds | 1 of diamonds 3 of diamonds | is not what the program prints there
unparsable | 2. 0\n | 3. 0\n | is not what the program prints there
unparsable | numPlayers=3 | numPlayers=4 | but it names 3 players
unparsable | cardsPerSuit=5 | cardsPerSuit=2 | cardsPerSuit is '2'; it must be a number from 3
unparsable | 1:random | 1:clever | but it names 2 players
unparsable | 1:random | 0:random | Two players have the same name
unknown_card | 0 places 3 of diamonds... | 0 places 6 of diamonds... | which has 1 to 5 of diamonds
unknown_card | 0 places 3 of diamonds... | 0 places 3 of swords... | which has 1 to 5 of diamonds
unknown_card | 1 of diamonds, 3 of diamonds | 0 of diamonds, 3 of diamonds | which has 1 to 5 of diamonds
out_of_order | CARDS\n1 of diamonds\nG | CARDS\n2 of diamonds\nG | shows a hand that contradicts
out_of_order | d: 2 3 4\n | d: 1 3 4\n | shows a table that contradicts the cards placed so far
out_of_order | d: 1 3 5\n | d: 1 3 5 5\n | shows a table that contradicts the cards placed so far
out_of_order | Eva is out!\n\n | | on whether a player is out
out_of_order | 0 places 3 of diamonds...\n | 0 places 3 of diamonds...\n0 is out!\n | whether a player is out
out_of_order | 0 places 3 of diamonds...\n | 0 places 3 of diamonds...\n0 takes the block...\n | has not begun
out_of_order | 0 places 3 of diamonds...\n | 1 places 4 of diamonds...\n | whose turn has not begun
out_of_order | Eva:\n | GAME OVER\nEva:\n | ends the game before all players are out
incomplete | 0 places 3 of diamonds...\n | | comes before the act of the last turn
incomplete | 1 of diamonds, 3 of diamonds | 3 of diamonds | shows a wrong number of cards
duplicate_card | 4 of diamonds, 5 of diamonds | 3 of diamonds, 5 of diamonds | a card that was dealt before
not_in_hand | 0 places 3 of diamonds... | 0 places 4 of diamonds... | that the player does not hold
must_follow | 1 places 4 of diamonds... | 1 takes the block...¶ | seat 1 play block
wrong_turn | 1:\nCARDS\n4 of diamonds, 5 of diamonds\n | 1 is blocked...¶ | seat 1 play blocked
wrong_turn | 1:\nCARDS\n4 of diamonds, 5 of diamonds\n | Eva is blocked...¶ | seat 2 play blocked
score_mismatch | 1. Eva\n2. 0 | 1. 0\n2. Eva | score place
duplicate_card | (Eva places )2((?:.*\n)+?d: )2 3 4 | \g<1>4\g<2>3 4 | seat 2 play card 4D
out_of_order | (Eva places )2 | \g<1>4 | shows a table that contradicts the cards placed so far
"""

# ---------------------------------------------------------------- five-card draw

DRAW = r"""
unparsable | Bo has gone all-in to call! | Bob has gone all-in to call! | names nobody at the table
unparsable | Bo has gone all-in to call! | Bo has gone. | can't be read
score_mismatch | Bo has gone all-in to call! | Bo has called. | contradicts the lines before it
wrong_turn | Bo has gone all-in to call! | Ann has gone all-in to call! | bid call
bad_bid | Bo has gone all-in to call! | Bo has checked. | is a bet that can't be made here
wrong_turn | [ACTION] Ann has folded.\n | | seat
wrong_turn | [ACTION] Ann has folded. | [ACTION] Ann has folded.\n[ACTION] Ann has folded. | bid fold
score_mismatch | raised by 75 and | raised by 74 and | contradicts the lines before it
bad_bid | [ANTE] Bo paid 25 | [ANTE] Bo paid 24 | is a bet that can't be made here
score_mismatch | There are 100 chips | There are 101 chips | contradicts the lines before it
score_mismatch | in the pot?75\n | in the pot?74\n | contradicts the lines before it
unknown_card | [4♢, K♣, 6♣, 10♣, K♢] | [4♢, K♣, 6♣, 1♣, K♢] | 2 to 10, J, Q, K or A and one of ♠ ♡
unknown_card | [4♢, K♣, 6♣, 10♣, K♢] | [4♢, K♣, 6♣, 10♣, K♥] | has something that is not a card
unparsable | [4♢, K♣, 6♣, 10♣, K♢] | [4♢, K♣, 6♣, 10♣] | can't be read
score_mismatch | [4♢, K♣, 6♣, 10♣, K♢] | [4♢, K♣, 6♣, 9♣, K♢] | contradicts the lines before it
score_mismatch | for all)00010 | for all)00011 | contradicts the lines before it
duplicate_card | is [4♢, K♣, 6♣, K♢, 2♠]\n | is [4♢, K♣, 6♣, K♢, K♣]\n | deal draw
incomplete | [CARDS] Your new hand is [4♢, K♣, 6♣, K♢, 2♠]\n | | comes where lines are missing
duplicate_card | Bo is holding [3♡, | Bo is holding [4♢, | score show
not_in_hand | Åsa is holding [4♢, | Åsa is holding [4♠, | score show
score_mismatch | Çelik Ö. mucked. | Çelik Ö. is holding [2♡, 3♢, 4♡, 8♣, 9♡] | score
score_mismatch | won 325 with a pair | won 325 with a two pair | contradicts the lines before it
score_mismatch | won 325 with a pair | won 324 with a pair | ends a hand in which fewer chips are won
score_mismatch | won 325 with a pair | got 325 chips back. | contradicts the lines before it
score_mismatch | [REWARDS] Åsa won 325 with a pair\n | | ends a hand in which fewer chips are won
score_mismatch | [STANDINGS] Åsa has got 325 | [STANDINGS] Åsa has got 324 | score match
incomplete | [STANDINGS] Ann has got 75 chips remaining.\n | | comes where lines are missing
incomplete | [PLAYER] Bo is leaving the table.\n | | comes where lines are missing
score_mismatch | [PLAYER] Bo is leaving | [PLAYER] Ann is leaving | contradicts the lines before it
incomplete | [BUTTON] The button was given to Çelik Ö..\n | | before all have paid the ante
out_of_order | given to Çelik Ö.. | given to Bo. | is not paid by the one with the button
incomplete | [CARDS] Hands have been dealt.\n | | before all have paid the ante
out_of_order | [CARDS] Cards have | [CARDS] Cards have been collected.\n[CARDS] Cards have | at this point
out_of_order | [PLAYER] Bo is | [REWARDS] Bo got 5 chips back.\n[PLAYER] Bo is | can't come at this point
must_follow | swapped 2 cards. | swapped 5 cards. | play discard
unparsable | swapped 2 cards. | swapped 0 cards. | can't be read
unparsable | [ANTE] Bo paid | [ANTE] Ann paid | two players have the same name
"""

# ---------------------------------------------------------------- Pinochle

PINOCHLE_DEAL = (
    b'--> {"Hand":["AD","AD","KD","QD","JD","9D","AC","TC","KC","QC","JC","9C"],"Playerid":0,"Type":"Deal"}\n'
)
PINOCHLE_MENU = rb"""--> {"Type":"Tables","Tables":[{"Id":0,"Players":[null,null,null,null]},{"Id":7}]}
<-- {"Type":"Tables"}
--> {"Playerid":0,"Type":"Name"}
<-- {"Message":"\\u0160ime","Type":"Name"}
--> {"Message":"Your client does not exist, please hit /connect","Playerid":0,"Type":"Error"}
<-- {"Playerid":0,"TableId":5629499534213120,"Type":"Sit"}
<-- {"Type":"Start"}
"""
"""Lines of the menu, which are of no hand."""
PINOCHLE_2013 = r"""
unparsable | --> {"Playerid":3,"Type":"Bid"} | -> {"Playerid":3,"Type":"Bid"} | does not begin with
unparsable | --> {"Playerid":3,"Type":"Bid"} | -->{"Playerid":3,"Type":"Bid"} | does not begin with
unparsable | <-- {"Playerid":0,"Type":"Bid"} | <-- {\n"Type":"Bid"} | each object must be on one line, as 'jq
unparsable | <-- {"Playerid":0,"Type":"Bid"} |    "Type":"Bid"\n} | prints them, after the arrow
unparsable | "Bid":26 | "Bid":2x | it is no message
unparsable | "Bid":26 | "Bid":26.0 | got `float` - at `$.Bid`
unparsable | "Bid":26 | "Bid":26,"Bid":27 | it has "Bid" twice
unparsable | "Bid":26 | "Bid":26,"Trump":"D" | unknown field `Trump`; there are: Type, Playerid, Bid, Amount
unparsable | "Bid":26 | "Bid":26,"Amount":1 | a bid has another Amount than 0
unparsable | {"Playerid":3,"Type":"Bid"} | {"Playerid":4,"Type":"Bid"} | Expected `int` <= 3 - at `$.Playerid`
unparsable | {"Playerid":3,"Type":"Bid"} | {"Playerid":3} | required field `Type`
unparsable | {"Playerid":3,"Type":"Bid"} | {"Playerid":3,"Type":"Nothing"} | Invalid value 'Nothing'
unparsable | <-- {"Playerid":0,"Type":"Bid"} | <-- {"Score":[1,2],"Type":"Score"} | Invalid value 'Score'
unparsable | "Trump":"D","Type":"Trump" | "Trump":"N","Type":"Trump" | 'N' - at `$.Trump`
unparsable | ["TD","JD","JD","9D" | ["9D","9D","9D","TD","JD","JD","9D" | Expected `array` of length <= 14
unparsable | "PlayedCard":"KD","Playerid":1 | "PlayedCard":"KD","Playerid":1,"Trump":"D" | more fields
unparsable | "Score":[28,9] | "Score":[28,9.0] | Expected `int`
unparsable | "Score":[28,9] | "GameOver":1,"Score":[28,9] | Expected `bool`
unknown_card | "PlayedCard":"QD" | "PlayedCard":"8D" | '8D' - at `$.PlayedCard`
unparsable | "Player 0 wins | "Player 0 won | a message that belongs to no hand
unparsable | with TD for 2 points | with 8D for 2 points | a message that belongs to no hand
unparsable | with TD for 2 points | with TD for 2 points! | a message that belongs to no hand
unparsable | Scores are now Team0 = 28 | Scores are now Team0 = --28 | a message that belongs to no hand
out_of_order | --> {"Playerid":3,"Type":"Bid"}\n | | where a bid of another seat or a request for a bid was
out_of_order | <-- {"Playerid":0,"Type":"Bid"}\n | | where the client's bid or a request for a bid
out_of_order | --> {"Playerid":0,"Type":"Bid"}\n | | client's bid, where a bid of another seat or
out_of_order | --> {"Playerid":2,"Trump":"D","Type":"Trump"}\n | | a meld, where a request to name trump or
bad_bid | {"Playerid":2,"Trump":"D" | {"Playerid":3,"Trump":"D" | seat 3 bid trump D
out_of_order | {"Playerid":2,"Trump":"D" | {"Playerid":0,"Trump":"D" | where another seat's was
score_mismatch | "Amount":7, | "Amount":8, | meld declare 8
score_mismatch | ["KD","QD","9D","KH","QH"] | ["KD","QD","9D","KH"] | meld declare 7 KDQD9DKH
wrong_turn | "Playerid":3,"Type":"Meld" | "Playerid":1,"Type":"Meld" | seat 1 meld
out_of_order | "Lead":"D" | "Lead":"C" | wrong hand, lead, trump or winning card
duplicate_card | "PlayedCard":"KD","Playerid":1 | "PlayedCard":"9C","Playerid":1 | deal hand
wrong_turn | "PlayedCard":"KD","Playerid":1 | "PlayedCard":"KD","Playerid":2 | seat 2 play card KD
score_mismatch | with TD for 2 points | with TD for 3 points | seat 0 score trick 3 TD
score_mismatch | with TD for 2 points | with KD for 2 points | seat 0 score trick 2 KD
score_mismatch | Player 0 wins trick #1 | Player 1 wins trick #1 | seat 1 score trick
out_of_order | trick #2 | trick #3 | counts the tricks differently
score_mismatch | "Score":[28,9] | "Score":[29,9] | the score differs from the message
score_mismatch | "Score":[28,9] | "GameOver":true,"Score":[28,9] | the scores give another winner
score_mismatch | played 1 hands | played 2 hands | counts the hands differently
incomplete | "JS","9S"],"Playerid":0 | "JS"],"Playerid":0 | the deal must be twelve cards
duplicate_card | "Hand":["TD","JD","JD","9D" | "Hand":["JD","JD","JD","9D" | three times
out_of_order | 0,"Trump":"D","Type":"Play", | 0,"Hand":[],"Trump":"D","Type":"PlayRequest", | the request has
out_of_order | trick #1 with TD for 2 points | trick with TD | not of this dialect
score_mismatch | "Win":false | "Win":true | another winner
score_mismatch | "GameOver":true,"Score" | "Score" | another winner
"""
PINOCHLE_2014 = r"""
out_of_order | ("Hand":\[)"..",(.*"PlayRequest") | \1\2 | the request has a wrong hand
out_of_order | --> {"Playerid":.,"Type":"Trick"}\n | | where the seat that takes a trick
score_mismatch | "Playerid":1,"Type":"Trick" | "Playerid":2,"Type":"Trick" | names another taker
score_mismatch | "GameOver":false | "GameOver":true | the scores give another winner
wrong_turn | "Dealer":0 | "Dealer":1 | seat 1 bid
unparsable | "Dealer":0 | "Dealer":4 | at `$.Dealer`
out_of_order | "Dealer":0, | | the request has
"""

# ---------------------------------------------------------------- cardlog-jsonl

JSONL = r"""
incomplete | .*"seq": 7,.*\n | | An event is missing: line 8 has seq 8 where 7 should be
incomplete | \A(.*\n){3} | | An event is missing: line 1 has seq 3
out_of_order | (.*"seq": 4,.*\n) | \1\1 | line 6 has seq 4 where 5 should be
out_of_order | (.*"seq": 5,.*\n)(.*\n) | \2\1 | line 6 has seq 6 where 5
out_of_order | \A((?:.*\n)*) | \1\1 | has seq 0 where
unparsable | kaiser(.*"seq": 4,) | whist\1 | same game; line 5 differs from line 1
unparsable | "match_id": "m"(.*"seq": 4,) | "match_id": "other"\1 | must have the same match_id
unparsable | "match_id": "m", (.*"seq": 4,) | \1 | must have the same match_id
unparsable | "hand_no": 3(, "seq": 4,) | "hand_no": 99\1 | must have the same hand_no
unparsable | "seq": 4, | | Some lines of the hand have seq and some have not.
unknown_card | 8HTH3S9S | 8HTH3SXX | 'XX' is not a card
unknown_card | ("seat": 1, "cards": )"9CT.*" | \1"9CT" | half a card
unparsable | ("seat": 1, "cards": ") | \g<1>2S | An event has more cards than 8
unparsable | "detail": {.*}} | "detail": {}} | The opening has no settings.
unparsable | "players": \[.*?\] | "players": [7, 7, 7, 7] | player
must_follow | ("seq": 11,.*"cards": ").. | \g<1>8D | Legal: seat 1:
wrong_turn | ("seq": 6,.*"seat": )1 | \g<1>3 | seat 3
bad_bid | "amount": 8 | "amount": 13 | 13
unparsable | "(7C.{14}) | "\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1 | 256 cards
"""
JSONL_VALUES = r"""
unparsable | "seat": 0, "amount" | "seat": -1, "amount" | seat is -1: Expected `int` >= 0
unparsable | "seat": 0, "amount" | "seat": true, "amount" | seat is true: Expected `int
unparsable | "seat": 0, "amount" | "seat": "0", "amount" | seat is "0": Expected `int
unparsable | "seat": 0, "amount" | "seat": 0.0, "amount" | seat is 0.0: Expected `int
unparsable | "amount": 8 | "amount": -2147483648 | amount is -2147483648: Expected `int` >= -2147483647
unparsable | "amount": 8 | "amount": 8, "sead": 1 | unknown field `sead`
unparsable | "amount": 8 | "amount": 8, "schema_version": 2 | schema_version is 2: Expected `int` <= 1
unparsable | "seq": 4, | "seq": 32768, | seq is 32768
unparsable | "suit": "S" | "suit": "h" | suit is "h":
unparsable | "cards": "7C8CACKD5H9HAS8S" | "cards": "" | cards is ""
unparsable | "cards": "7C8CACKD5H9HAS8S" | "cards": 7 | cards is 7: Expected `str
unparsable | "match_id": "m" | "match_id": "" | match_id is "": Expected `str` of length >= 1
unparsable | "match_id": "m" | "match_id": "\ud800" | unexpected end of escaped utf-16 surrogate pair
unparsable | "game": "kaiser", | | required field `game`
unparsable | "game": "kaiser" | "game": 7 | game is 7: Expected `str`
unparsable | "action": "open", | | required field `action`
unparsable | "action": "open" | "action": "card" | of kind "deal"; there are: open, hand
unparsable | "kind": "bid" | "kind": "x" | no action "bid" of kind "x"
unparsable | "amount": 8 | "occurred_at": "2016-03-01T21:16:07" | must be a time of the years 1 to 9999
unparsable | "amount": 8 | "occurred_at": "2016-02-30T21:16:07Z" | it must be a time
unparsable | "amount": 8 | "occurred_at": 0 | seconds, milliseconds, microseconds or nanoseconds since 1970
unparsable | "amount": 8 | "occurred_at": "infinity" | occurred_at is "infinity": it must be a time
unparsable | "amount": 8 | "detail": [1] | detail is an object or a list: it must be an object, or a string
unparsable | "amount": 8 | "detail": "x" | detail is
unparsable | "amount": 8 | "detail": "{\"a\":1e999}" | detail is
unparsable | "amount": 8 | "detail": {"a":1e999} | detail is
"""
JSONL_HAND = partial(text_of, hand("h", match_id="m", hand_no=3))

# ---------------------------------------------------------------- PHH

PHH_HANDS = (FIXTURES / "hold_em" / "phh_hands.phhs").read_bytes()
"""As in the largest set of hands that is published: cents, hidden cards, and what was won after the rake."""
STARS_HANDS = (FIXTURES / "hold_em" / "pokerstars_hands.txt").read_bytes()

DRAWS = (FIXTURES / "five_card_draw" / "pokerstars_sample.txt").read_bytes()
STARS_DRAWS = r"""
unparsable | Eve: discards 1 card\n | Eve: discards some cards\n | how many cards are discarded
unknown_card | discards 3 cards [7c 4s 2d] | discards 3 cards [7c 4s 2x] | the cards are 2345
not_in_hand | discards 3 cards [7c 4s 2d] | discards 3 cards [7c 4s 2h] | play discard 7C4S2H
incomplete | [Ac 9h 8s]\nCy | [Ac 9h]\nCy | deal draw AC9H
wrong_turn | Eve: discards 1 card\nAnn | Ann | seat 0 play discard
bad_bid | raises $0.20 to $0.35 | raises $0.10 to $0.25 | Legal: seat 0: fold, call 15, raise, paying 35
bad_bid | bets $22.50 | bets $22.60 | bet, paying 100 to 2250
score_mismatch | Cy Dee collected $1.06 | Cy Dee collected $1.12 | seat 3 score hand 112
score_mismatch | Total pot $1.50 | Total pot $1.52 | score pot 152
unparsable | 5 Card Draw Limit | 2-7 Lowball Draw Limit | is of 2-7 Lowball Draw Limit, which is not
"""
STARS_MAIL = b"""Transcript for your last 1 hands requested by Ann (ann@example.org)
*** # 1 ***

"""
STARS = r"""
unparsable | Hold'em No | Omaha No | is of Omaha No Limit, which is not supported
unparsable | Hold'em No | 6+ Hold'em No | is of 6+ Hold'em, which is not supported
unparsable | - 2024/03/02 20:15:01 | | does not say which game was played, or when
unparsable | Hold'em No Limit ($0.05/$0.10 USD) - 2024/03/02 20:15:01 | | does not say which game was
unparsable | Ann: raises $0.20 to $0.30 | Ann: raises $0.20 | 'Ann: raises $0.20', can't be read
unparsable | Table 'Our Table' | Tisch 'Our Table' | Line 2, "Tisch 'Our Table'
unparsable | ($0.05/ | ($0.005/ | can't be read: 0.005 is no amount
unparsable | $10 in | $10,00 in | 10,00 is no amount
unparsable | $10 in | $10.001 in | 10.001 is no amount
unparsable | Ann collected | Ana collected | no seat is Ana's
incomplete | *** FLOP | Hand cancelled\n*** FLOP | not played to its end
incomplete | *** SUMMARY ***\nTotal pot $3.45 | | is the last of a hand without its summary
unknown_card | [Ad 7c 2s]\nCy | [Ad 7c 4x]\nCy | the cards are 23456789TJQKA of c d h s
wrong_turn | Cy Dee: checks\nAnn: bets | Ann: checks\nAnn: bets | seat 0 bid check
bad_bid | Ann: bets $0.40 | Ann: bets $0.04 | Legal: seat 0: fold, check, bet, paying 10 to
duplicate_card | [Ad 7c 2s] [9h] | [Ad 7c 2s] [7c] | deal board 7C
unparsable | Ann: bets $0.40 | Ann: bets $21474836.48 | 21474836.48 is more than 21,474,836, the most that can
score_mismatch | Ann collected $3.28 | Ann collected $3.46 | seat 0 score hand 346
score_mismatch | Rake $0.17 | Rake $0.16 | score rake 16
score_mismatch | Total pot $3.45 | Total pot $3.44 | score pot 344
"""

PHH = r"""
unparsable | p3 cbr 40' | p3 bets 40' | Action 4, 'p3 bets 40', is no action of hold'em
unparsable | p3 cbr 40' | p4 cbr 40' | names none of the players
unparsable | p3 cbr 40' | p3 cbr forty' | has no amount that can be read
unparsable | p1 f' | p1 pb' | is not part of hold'em
unknown_card | Kc7s4h | Kc7s4x | Action 7, 'd db Kc7s4x', has other cards
unknown_card | AhAc | AhAcAdAs | has other cards than up to three of the pack
duplicate_card | d db 9d | d db 6s | deal board 6S
out_of_order | 'p2 f', | | deal board KC7S4H
wrong_turn | 'p2 f', 'd | 'p3 f', 'd | seat 3 bid fold
bad_bid | p3 cbr 75 | p3 cbr 5 | Legal: seat 3: fold, check, bet, paying 1000 to
out_of_order | 'd db 9d', | | seat 1 bid raise 22500
incomplete | d db Kc7s4h | d db Kc7s | deal board KC7S
score_mismatch | [691.50, 0, 0] | [700, 0, 0] | score hand 70000
score_mismatch | [0, 2] | [2, 0] | score hand
unparsable | [2.50, 2.50, 2.50] | [2.50, 2.50] | There are 2 amounts in antes for 3 players.
unparsable | min_bet = 10\n | | The hand has no min_bet.
unparsable | big_bet = 2\n | | The hand has no big_bet.
unparsable | variant = 'NT' | variant = 'XT' | The variant is 'XT'; those of hold'em are NT, FT.
unparsable | variant = 'NT' | variant = 'PO' | pot-limit Omaha hold'em (PO), which is not supported.
unparsable | 1146] | inf] | There is inf where an amount should be.
unparsable | 1146] | 21474836.48] | more than 32 bits can't be kept
unparsable | 1146] | 1146.1234567] | has 7 decimals; at most 6 can be kept
unparsable | 1146] | 0] | The chips of seat 3 are 0
unparsable | ['A', 'B'] | ['A', 'B', 'C'] | There are 3 names for 2 players.
unparsable | ['A', 'B'] | [['A'], 'B'] | Both players and seats must be lists of names or numbers.
"""

FORMATS = {
    "playedhand-csv": Format(
        header=HEADER + b"\n",
        respelt=((b"\n", b"\r\n"), (rb"\A", b"\xef\xbb\xbf"), (rb"\n\Z", b""), (b"\n", b"\n\n"),
                 (rb"\A.*\n", b"\xef\xbb\xbf"), (rb"\n\Z", rb"\r"), (rb",t\b", b",true"),
                 (rb",f\b", b",false"), (rb"\+00,", b"+0000,"), (rb"\+00,", b"+00:00,"),
                 (rb"(\d\d-\d\d) ([\d:.]+)\+00", rb"\1T\2Z")),
        no_card=(rb"5H", b"5h", "Kaiser's are 789TJQKA of C D, 589TJQKA of H, 389TJQKA of S"),
    ),
    "belot-transcript": Format(
        "belote/*_transcripts.txt.gz",
        respelt=((b"\n", b"\r\n"), (rb"\A", b"\xef\xbb\xbf"), (b"\n", b"\n\n"),
                 (b"\n", BELOTE_NOISE.encode()), (b"(?m)^(?=PAI?R)", b"\xef\xbb\xbf"),
                 (b"(?m)^(?=PAI?R)", GARBLED_MARK), (rb"(?<= ===\n)|\Z", TRACE)),
        damage=(
            Damage(partial(piece, "belot-transcript", "B001"), BELOTE, is_pattern=True),
            Damage(partial(piece, "belot-transcript", "C001"), CESMAK, is_pattern=True),
        ),
        ends=(CRASH, b"Killed\n", b"PAR A: a i b\n", b"================= DIJELJENJE =================\n"),
        no_card=(rb"VII\b", b"VI", "KARO ♦, HERC ♥, PIK ♠ or TREF ♣, then VII, VIII, IX, X, Bube"),
    ),
    "ruter-sju-transcript": Format(
        "ruter_sju/*transcripts.txt.gz",
        respelt=((b"\n", b"\r\n"), (rb"\A", b"\xef\xbb\xbf"), (rb"\n\Z", b""), (b"\n", b"\n\n"),
                 (b"\n\n", b"\n"), (b"(?m) $", b"")),
        damage=(Damage(lambda: RUTER_SJU_GAME, RUTER_SJU, is_pattern=True),),
        no_card=(rb"places \d+", b"places 99", "1 to 13 of diamonds, spades, hearts, clubs."),
    ),
    "five-card-draw-transcript": Format(
        "five_card_draw/*_transcripts.txt.gz",
        damage=(Damage(partial(piece, "five-card-draw-transcript", "F047"), DRAW),),
        ends=(CRASH,),
        no_card=(rb"10(?=\xe2)", b"11", "are 2 to 10, J, Q, K or A and one of ♠ ♡ ♢ ♣, such"),
    ),
    "pinochle-protocol": Format(
        "pinochle/*_transcripts.txt.gz",
        respelt=((b"\n", b"\r\n"), (rb"\A", b"\xef\xbb\xbf"), (rb"\n\Z", b""), (b"\n", b"\n\n \n"),
                 (b'"Type":"Meld"}', b'"Type": "Meld" }'), (b"=== SESSION", b"=== GAME"),
                 (b'"Type"', rb'"\\u0054ype"'), (b'"Playerid":0,"Type":"Bid"', b'"Type":"Bid","Playerid":0'),
                 (rb'(?<=<-- \{)"Playerid":0,', b""), (b"(?<= ===\n)", PINOCHLE_MENU)),
        damage=(
            Damage(partial(piece, "pinochle-protocol", "J001"), PINOCHLE_2013),
            Damage(partial(piece, "pinochle-protocol", "A001"), PINOCHLE_2014, is_pattern=True),
        ),
        ends=(b'--> {"Type":"Hello"}\n', b'--> {"Message":"Ok, bye bye!","Type":"Message"}\n', PINOCHLE_DEAL),
        no_card=(rb'"PlayedCard":"..', b'"PlayedCard":"8D', "the cards are ATKQJ9 of D C H S"),
    ),
    "phh": Format(
        "hold_em/random.phhs.gz",
        piece=rb"\[\d+\]\n",
        respelt=((b"\n", b"\r\n"), (rb"\A", b"\xef\xbb\xbf"), (rb"\n\Z", b""), (b"\n", b"\n# x\n \n"),
                 (rb"(?m)^\[\d+\]$", b"[x]"), (b" = ", b"="), (b"'", b'"'), (rb"', '", b"',\n  '")),
        damage=(Damage(lambda: PHH_HANDS, PHH),),
        no_card=(rb"dh p1 ..", b"dh p1 1s", "has other cards than up to three of the pack, such as AsTd"),
    ),
    "pokerstars": Format(
        "hold_em/pokerstars_repeated.txt.gz",
        piece=rb"PokerStars ",
        respelt=((b"\n", b"\r\n"), (rb"\A", b"\xef\xbb\xbf"), (rb"\n\Z", b""), (rb"\n\n\n", b"\n\n\n\n\n"),
                 (rb"\A", b"Hand #3\n\n"), (rb"\A", STARS_MAIL), (rb"\$([\d.]+)(?![\d.+]| USD)", rb"\1$"),
                 (rb"(?m)^(\w+: (?:folds|checks))$", rb'Cy Dee said, "\1"\n\1\nBob leaves the table')),
        damage=(Damage(lambda: STARS_HANDS, STARS), Damage(lambda: DRAWS, STARS_DRAWS)),
        no_card=(rb"\[Ah Kd\]", b"[1h Kd]", "the cards are 23456789TJQKA of c d h s"),
    ),
    "cardlog-jsonl": Format(
        respelt=((b"\n", b"\r\n"), (rb"\A", b"\xef\xbb\xbf"), (rb"\n\Z", b""), (b"\n", b"\n \t\n\n")),
        damage=(Damage(JSONL_HAND, JSONL, is_pattern=True), Damage(JSONL_HAND, JSONL_VALUES)),
        no_card=(rb'"cards":"..', b'"cards":"FD', "Ruter Sju's cards are A23456789TJQK of D S H C."),
    ),
}  # fmt: skip
