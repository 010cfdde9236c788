"""Pinochle in the messages of the original servers, for their clients: docs/formats/pinochle-protocol.md.

What is said is made of what a seat sees (`views.Eyes`), like a page's view. The same sentences make the log
of a table as the client at seat 0 would have it, which our reader reads back.
"""

from typing import Any, Final, NamedTuple

import msgspec

from cardlog.models.pinochle.dialects import match_winner
from cardlog.models.pinochle.state import BIDDING, LEAST_BID, NAMING, PLAYING, TRICKS
from cardlog.models.trick import SEATS
from cardlog.schemas import cards
from cardlog.web.hands.words import Told
from cardlog.web.play.seats import Plan
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
    text = msgspec.json.encode(message, order="sorted").decode()
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
        told, shown = eyes.told, eyes.shown
        if told.kind == "deal":
            return [self._deal(eyes)] if told.name == "hand" and told.seat == SEATS - 1 else []
        if told.name == "declare":
            amount = {"Amount": told.amount} if told.amount else {}
            return [{"Type": "Meld", "Playerid": told.seat, "Hand": in_order(told.cards), **amount}]
        if told.kind == "score":
            return self._score(eyes)
        said = [] if told.seat == self.seat else [self.act(told)]
        stuck = told.kind == "bid" and shown["phase"] == NAMING and shown["bid_count"] < SEATS
        if stuck and told.name != "throw_in" and shown["dealer"] != self.seat:
            said.append(self._bid(int(shown["dealer"]), LEAST_BID))
        return said

    def act(self, told: Told) -> Message:
        """A bid, a suit or a card, by whoever it is."""
        if told.name == "card":
            return {"Type": "Play", "Playerid": told.seat, "PlayedCard": told.cards}
        if told.name == "trump":
            return {"Type": "Trump", "Playerid": told.seat, "Trump": told.suit}
        if told.name == "throw_in":
            return {"Type": "Throwin", "Playerid": told.seat}
        return self._bid(told.seat, told.amount if told.name == "bid" else 0)

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
        told, shown = eyes.told, eyes.shown
        if told.name == "trick":
            number = int(shown["tricks"])
            best = f"with {cards.text(int(shown['bests'][number - 1]))}"
            if self.is_old:
                return [tell(f"Player {told.seat} wins trick #{number} {best} for {told.amount} points")]
            return [tell(f"Player {told.seat} wins trick {best}"), {"Type": "Trick", "Playerid": told.seat}]
        if told.name != "match" or told.seat != 1:
            return []
        score = [int(points) for points in shown["after"]]
        whole = shown["tricks"] == TRICKS
        hands = int(eyes.hand.opening["match"]["hands_played"]) + bool(whole)
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

    def my_table(self, players: list[dict[str, Any]]) -> Message:
        """The client's table, as the server of 2014 shows it before a game.

        players
            As an opening names them.
        """
        names = ["AI" if "bot" in player else player.get("name", "") for player in players]
        about = {
            "Id": 0, "Players": names, "Score": [0, 0], "Meld": "AAA=", "HighBid": 0, "HighPlayer": 0,
            "Trump": "~", "State": "new", "Next": 0,
        }  # fmt: skip
        return {"Type": "MyTable", "MyTable": about, "Playerid": self.seat}


# ---------------------------------------------------------------- the log


def log_of(plan: Plan, table_id: str, hand: Hand) -> str:
    """A hand as the log of the client at seat 0 has it, with what comes before the first one of a match."""
    speech = Speech(plan.rules, CLIENT_SEAT)
    lines = _begin(speech, hand.opening["players"]) if hand.hand_no == 0 else []
    eyes = Eyes(plan.game, hand, CLIENT_SEAT)
    while eyes.seen < hand.size:
        asked = speech.request(eyes) if eyes.seen else None
        eyes.look()
        acted = eyes.told.seat == CLIENT_SEAT and eyes.told.kind in ("bid", "play")
        if acted and asked is not None:
            lines += [(TO, asked), (FROM, speech.act(eyes.told))]
        lines += [(TO, message) for message in speech.after(eyes)]
    mark = f"=== SESSION {table_id} ===\n" if hand.number == 0 else ""
    return mark + "".join(arrow + written(message) + "\n" for arrow, message in lines)


def _begin(speech: Speech, players: list[dict[str, Any]]) -> list[tuple[str, Message]]:
    """What leads to a game."""
    if not speech.is_old:
        sit, start = ({"Type": kind, "Playerid": CLIENT_SEAT} for kind in ("Sit", "Start"))
        return [(FROM, sit), (TO, speech.my_table(players)), (FROM, start)]
    humans = sum("bot" not in player for player in players)
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
