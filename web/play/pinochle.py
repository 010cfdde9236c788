"""Pinochle in the messages of the original servers, for their clients: docs/formats/pinochle-protocol.md.

What is said is made of what a seat sees (`views.Eyes`), like a page's view. The same sentences make the log
of a table as the client at seat 0 would have it, which our reader reads back.
"""

import json
from typing import Any, Final, NamedTuple

from cardlog.models.pinochle.dialects import match_winner
from cardlog.models.pinochle.state import BIDDING, LEAST_BID, NAMING, PLAYING, TRICKS
from cardlog.models.trick import SEATS
from cardlog.schemas import cards
from cardlog.web.hands import words
from cardlog.web.play.seats import COMPUTER, Plan
from cardlog.web.play.table import Hand
from cardlog.web.play.views import Eyes

DIALECTS: Final = ("jan2013", "head2014")
"""The rules whose tables can be spoken to; the rule book has no servers."""
CLIENT_SEAT: Final = 0
"""The seat of the client in a log."""
TO, FROM = "--> ", "<-- "
_ORDER: Final = {suit + rank: (s, r) for s, suit in enumerate("DCHS") for r, rank in enumerate("ATKQJ9")}
QUESTION: Final = "Do you want to join a game, create a new game, or quit? (join, create, quit)"
OPTIONS: Final = (
    "Option 1 - Play against three AI players and start immediately",
    "Option 2 - Play with a human partner against two AI players",
    "Option 3 - Play with a human partner against one AI players and 1 Human",
    "Option 4 - Play with a human partner against two humans",
    "Option 5 - Play against a human with AI partners",
    "Option 6 - Go back",
)
FAREWELL: Final = "Ok, bye bye!"

Message = dict[str, Any]


def written(message: Message) -> str:
    """A message as the servers write it: keys sorted, and for HTML's sake three characters escaped."""
    text = json.dumps(message, separators=(",", ":"), sort_keys=True, ensure_ascii=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def tell(text: str) -> Message:
    """A sentence for people."""
    return {"Type": "Message", "Message": text}


def in_order(held: str) -> list[str]:
    """Cards as a hand is sorted."""
    split = [held[at : at + 2] for at in range(0, len(held), 2)]
    return sorted(split, key=lambda card: _ORDER[card[1] + card[0]])


class Speech(NamedTuple):
    """What a server of a dialect says to the client at a seat."""

    dialect: str
    seat: int

    @property
    def is_old(self) -> bool:
        """Whether it is the server of 2013."""
        return self.dialect == "jan2013"

    def after(self, eyes: Eyes) -> list[Message]:
        """What is said of the event that was just seen; nothing of what the client did itself."""
        event, shown = eyes.event, eyes.shown
        seat, kind = int(event["seat"]), words.kind_of(event)
        held = cards.texts(event["cards"][: int(event["count"])])
        name = words.name_of(event)
        if kind == "deal":
            return [self._deal(eyes)] if name == "hand" and seat == SEATS - 1 else []
        if name == "declare":
            amount = {"Amount": int(event["amount"])} if event["amount"] else {}
            return [{"Type": "Meld", "Playerid": seat, "Hand": in_order(held), **amount}]
        if kind == "score":
            return self._score(eyes)
        said = [] if seat == self.seat else [self.act(event)]
        stuck = kind == "bid" and shown["phase"] == NAMING and shown["bid_count"] < SEATS
        if stuck and name != "throw_in" and shown["dealer"] != self.seat:
            said.append(self._bid(int(shown["dealer"]), LEAST_BID))
        return said

    def act(self, event: Any) -> Message:
        """A bid, a suit or a card, by whoever it is."""
        seat, name = int(event["seat"]), words.name_of(event)
        if name == "card":
            return {"Type": "Play", "Playerid": seat, "PlayedCard": cards.text(int(event["cards"][0]))}
        if name == "trump":
            return {"Type": "Trump", "Playerid": seat, "Trump": cards.SUITS[int(event["suit"])]}
        if name == "throw_in":
            return {"Type": "Throwin", "Playerid": seat}
        return self._bid(seat, int(event["amount"]) if name == "bid" else 0)

    def request(self, eyes: Eyes) -> Message | None:
        """What the client is asked for, if it is its turn."""
        shown = eyes.shown
        if shown["done"] or shown["turn"] != self.seat:
            return None
        if shown["phase"] == BIDDING:
            return self._bid(self.seat, 0)
        if shown["phase"] == NAMING:
            return {"Type": "Trump", "Playerid": self.seat}
        if shown["phase"] != PLAYING:
            return None
        asked: Message = {"Type": "Play" if self.is_old else "PlayRequest", "Playerid": self.seat}
        if shown["trump"] >= 0:
            asked["Trump"] = cards.SUITS[int(shown["trump"])]
        if shown["trick_cards"]:
            led = int(shown["played"][int(shown["plays"]) - int(shown["trick_cards"])])
            asked |= {"Lead": cards.text(led)[1], "WinningCard": cards.text(int(shown["best"]))}
        if not self.is_old:
            asked |= {"Hand": in_order(eyes.step["hands"][self.seat]), "WinningPlayer": 0}
        return asked

    def _deal(self, eyes: Eyes) -> Message:
        deal = {"Type": "Deal", "Playerid": self.seat, "Hand": in_order(eyes.step["hands"][self.seat])}
        return deal if self.is_old else deal | {"Dealer": int(eyes.shown["dealer"])}

    def _bid(self, seat: int, bid: int) -> Message:
        said: Message = {"Type": "Bid", "Playerid": seat}
        if bid:
            said["Bid"] = bid
        return said if self.is_old else said | {"Amount": 0}

    def _score(self, eyes: Eyes) -> list[Message]:
        """The end of a trick, and of the hand."""
        event, shown = eyes.event, eyes.shown
        seat = int(event["seat"])
        if words.name_of(event) == "trick":
            number = int(shown["tricks"])
            best = cards.text(int(shown["bests"][number - 1]))
            if self.is_old:
                points = int(event["amount"])
                return [tell(f"Player {seat} wins trick #{number} with {best} for {points} points")]
            return [tell(f"Player {seat} wins trick with {best}"), {"Type": "Trick", "Playerid": seat}]
        if words.name_of(event) != "match" or seat != 1:
            return []
        score = [int(points) for points in shown["after"]]
        whole = shown["tricks"] == TRICKS
        hands = int(eyes.opening["match"]["hands_played"]) + bool(whole)
        text = f"Scores are now Team0 = {score[0]} to Team1 = {score[1]}, played {hands} hands"
        said = [tell(text if whole else f"Player {int(shown['declarer'])} threw in! {text}")]
        winner = int(match_winner(shown["after"], int(shown["declarer"]) & 1))
        over = {"GameOver": True, "Win": winner == self.seat & 1} if winner >= 0 else {}
        if self.is_old and over:
            said.append(tell(f"Team{winner} wins with a score of {score[winner]}!"))
        if not self.is_old and not over:
            over = {"GameOver": False}
        return [*said, {"Type": "Score", "Score": score, **over}]

    def menu(self) -> list[Message]:
        """What the server of 2013 asks before a game."""
        return [tell(QUESTION), {"Type": "Hello"}]

    def my_table(self, plan: Plan) -> Message:
        """The client's table, as the server of 2014 shows it before a game."""
        names = ["AI" if seat.kind == COMPUTER else seat.name for seat in plan.seats]
        about = {
            "Id": 0, "Players": names, "Score": [0, 0], "Meld": "AAA=", "HighBid": 0, "HighPlayer": 0,
            "Trump": "~", "State": "new", "Next": 0,
        }  # fmt: skip
        return {"Type": "MyTable", "MyTable": about, "Playerid": self.seat}


# ---------------------------------------------------------------- the log


def log_of(plan: Plan, table_id: str, hand: Hand) -> str:
    """A hand as the log of the client at seat 0 has it, with what comes before the first one of a match."""
    speech = Speech(plan.rules, CLIENT_SEAT)
    lines: list[tuple[str, Message]] = []
    eyes = Eyes(plan.game, hand, CLIENT_SEAT, hand.lines()[0]["detail"])
    while eyes.seen < hand.size:
        asked = speech.request(eyes) if eyes.seen else None
        eyes.look()
        acted = eyes.event["seat"] == CLIENT_SEAT and words.kind_of(eyes.event) in ("bid", "play")
        if acted and asked is not None:
            lines += [(TO, asked), (FROM, speech.act(eyes.event))]
        lines += [(TO, message) for message in speech.after(eyes)]
    begin = _begin(speech, plan) if hand.hand_no == 0 else []
    mark = f"=== SESSION {table_id} ===\n" if hand.number == 0 else ""
    return mark + "".join(arrow + written(message) + "\n" for arrow, message in [*begin, *lines])


def _begin(speech: Speech, plan: Plan) -> list[tuple[str, Message]]:
    """What leads to a game."""
    if not speech.is_old:
        sit, start = ({"Type": kind, "Playerid": CLIENT_SEAT} for kind in ("Sit", "Start"))
        return [(FROM, sit), (TO, speech.my_table(plan)), (FROM, start)]
    humans = sum(seat.is_person for seat in plan.seats)
    option = 1 if humans == 1 else 4 if humans == SEATS else 2
    return [
        *((TO, message) for message in speech.menu()),
        (FROM, {"Type": "Hello", "Message": "create"}),
        *((TO, tell(text)) for text in OPTIONS),
        (TO, {"Type": "Game"}),
        (FROM, {"Type": "Game", "Option": option}),
    ]


def keeps_log(plan: Plan) -> bool:
    """Whether a table's log is written: it has the dialect of a server, and a person at seat 0."""
    return plan.game == "pinochle" and plan.rules in DIALECTS and plan.seats[CLIENT_SEAT].is_person
