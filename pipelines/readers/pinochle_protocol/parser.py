"""Turns the lines of a hand in Pinochle's protocol into events.

The parser distinguishes requests, answers, refused answers and acts of others, and checks what is repeated:
lead, trump, winning card and hand in a request, the scores in the message and in the score. Legality is left
to the judge. What the parser knows of the game follows the text, also where that breaks a rule: the judge
will say so, and the lines after it must be parsed nevertheless, for the others' cards and the start of the
next hand.

Numbers in brackets, [R3], are the rules of docs/rules/pinochle.md.
"""

from collections.abc import Callable
from typing import Final

from cardlog.models.pinochle import cards as pack
from cardlog.models.pinochle import dialects
from cardlog.models.pinochle.state import HAND_CARDS, LEAST_BID, MOST_BID, TRICKS
from cardlog.models.trick import SEATS
from cardlog.pipelines.readers.pinochle_protocol.hidden import fill_in
from cardlog.pipelines.readers.pinochle_protocol.lines import (
    ANSWER_BID,
    ANSWER_PLAY,
    ANSWER_THROW_IN,
    ANSWER_TRUMP,
    ASK_BID,
    ASK_PLAY,
    ASK_TRUMP,
    BAD,
    BLANK,
    DEAL,
    NO_CARD,
    NOTE,
    SAY_BID,
    SAY_MELD,
    SAY_PLAY,
    SAY_SCORE,
    SAY_THROW_IN,
    SAY_TRICK,
    SAY_TRUMP,
    SCORES_MESSAGE,
    THROW_IN_MESSAGE,
    TRICK_MESSAGE,
    WINNER_MESSAGE,
    Line,
)
from cardlog.pipelines.readers.pinochle_protocol.match import (
    HEAD_2014,
    JAN_2013,
    UNKNOWN,
    Hand,
    Match,
)
from cardlog.pipelines.readers.transcript import Event, Fault, require
from cardlog.schemas.cards import NO_SUIT, SUIT_STRIDE
from cardlog.schemas.cards import UNKNOWN as UNKNOWN_CARD
from cardlog.schemas.events import NO_SEAT, Action
from cardlog.schemas.reasons import Reason

_match_winner: Final = getattr(dialects.match_winner, "py_func", dialects.match_winner)

(
    BIDS, BID_ANSWER, STUCK, NAME, NAME_ANSWER, MELDS, PLAYS, PLAY_ANSWER, CONFIRM, TRICK, TRICK_TAKER,
    SCORES, WINNER, SCORE, OVER,
) = range(15)  # fmt: skip
"""What the parser waits for, in the order of a hand."""

WANTED: Final = (
    "a bid", "the client's bid", "the dealer's bid of 20", "trump", "the client's trump", "a meld", "a card",
    "the client's card", "a card or the end of the trick", "the end of the trick",
    "the seat that takes the trick", "the scores", "the winner", "the score", "another hand",
)  # fmt: skip
"""What is expected at each stage, in messages."""

UNREADABLE: Final = Reason.UNPARSABLE, "{line} is in the middle of a hand"
UNEXPECTED: Final = Reason.OUT_OF_ORDER, "{line}, where {wanted} was expected"
HEADLESS: Final = Reason.OUT_OF_ORDER, "{line}, before any deal: the beginning of the hand is missing"
REQUEST: Final = Reason.OUT_OF_ORDER, "the request has a wrong hand, lead, trump or winning card"
TRICK_NUMBER: Final = Reason.OUT_OF_ORDER, "the message counts the tricks differently"
TAKER: Final = Reason.SCORE_MISMATCH, "the message names another taker of the trick"
SCORES_DIFFER: Final = Reason.SCORE_MISMATCH, "the score differs from the message"
HAND_COUNT: Final = Reason.SCORE_MISMATCH, "the message counts the hands differently"
OTHER_WINNER: Final = Reason.SCORE_MISMATCH, "the scores give another winner, or none"
DEALT_COUNT: Final = Reason.INCOMPLETE, "the deal must be twelve cards, for seat 0"
DEALT_THRICE: Final = Reason.DUPLICATE_CARD, "a card is dealt three times"
"""What can be wrong with the lines of a hand, apart from the rules; `line` is the kind of line, `wanted` what
was expected."""

_RULES: Final = dialects.RULES
_HIGHER: Final = pack.HIGHER.tolist()


def parse(lines: list[Line], hand: Hand, match: Match) -> None:
    """Parse a hand, or note what is wrong with it; and what it says about the match.

    lines
        All lines of the text.
    """
    match.begin(hand)
    parser = _Parser(hand, match)
    index = hand.first
    try:
        parser.begin(lines[index], index)
        for index in range(hand.first + 1, hand.last + 1):
            parser.follow(lines[index], index)
    except Fault as fault:
        what = fault.what.format(line=lines[index].kind, wanted=WANTED[parser.stage])
        is_unreadable = fault.what == UNREADABLE[1]
        hand.fault = Fault(*((is_unreadable and lines[index].wrong) or (fault.reason, what)), index)
        for line in lines[index : hand.last + 1]:
            match.skim(hand, line)
        if hand.is_hand:
            match.finish(UNKNOWN)
    else:
        fill_in(hand, parser.trump)
        match.finish(parser.last_trump())


class _Parser:
    """What is known of a hand while it is parsed.

    stage
        What is expected next.
    cards
        Seat 0's, sorted.
    declarer, high_bid
        As in the game's own state: the dealer at the lowest bid, until somebody bids more.
    bids, melds, tricks, on_table
        How many there are; `on_table` are the cards of the trick.
    led, best
        The first card of the trick, and the one that takes it so far.
    refusable, refusable_line
        The card sent by seat 0, neither accepted nor refused yet.
    """

    def __init__(self, hand: Hand, match: Match) -> None:
        self.hand, self.match = hand, match
        self.stage = BIDS
        self.cards = b""
        self.turn = self.declarer = 0
        self.high_bid = LEAST_BID
        self.trump = NO_SUIT
        self.bids = self.melds = self.tricks = self.on_table = 0
        self.thrown_in = self.done = False
        self.led = self.best = self.refusable = NO_CARD
        self.refusable_line = 0

    def begin(self, line: Line, index: int) -> None:
        """[R2] The deal: seat 0's hand, and in one dialect the dealer. Any other line is a fault."""
        hand = self.hand
        require(line.kind == DEAL, *(UNREADABLE if line.kind == BAD else HEADLESS))
        self.match.number(hand)
        if "Dealer" in line.fields:
            hand.dialect = HEAD_2014
            self.match.note_dealer(hand, line.fields["Dealer"])
        self.asks_stuck_dealer = not _RULES[hand.dialect].stuck_dealer_is_not_asked
        self._set_dealer(hand.dealer)
        require(max(map(line.hand.count, line.hand), default=0) <= 2, *DEALT_THRICE)
        require(len(line.hand) == HAND_CARDS and line.seat == 0, *DEALT_COUNT)
        self.cards = bytes(sorted(line.hand))
        hidden = bytes([UNKNOWN_CARD] * HAND_CARDS)
        hand.events.append(Event(Action.DEAL_OPEN, NO_SEAT, index))
        for seat in range(SEATS):
            hand.events.append(Event(Action.DEAL_HAND, seat, index, hidden if seat else line.hand))

    def _set_dealer(self, seat: int) -> None:
        """Set the dealer, before anybody has bid."""
        self.declarer, self.turn = seat, (seat + 1) % SEATS

    def follow(self, line: Line, index: int) -> None:
        """Parse the next line."""
        kind = line.kind
        if kind == BLANK:
            return
        require(kind not in (BAD, NOTE), *UNREADABLE)
        if self.stage == CONFIRM:
            # Whether the client's card was accepted shows now: if not, the server asks again.
            self.stage = PLAYS
            if kind == ASK_PLAY:
                self.hand.refused.append((len(self.hand.events), self.refusable))
            else:
                self._play(0, self.refusable, self.refusable_line)
        _HANDLERS[self.stage](self, line, index)

    def last_trump(self) -> int:
        """The trump of the hand, for the one after it."""
        if self.stage <= NAME_ANSWER:
            return UNKNOWN
        return self.hand.trump_before if self.thrown_in and self.melds == 0 else self.trump

    # ------------------------------------------------------------ bids, trump and melds

    def bidding(self, line: Line, index: int) -> None:
        """[R3] to [R5] Bids of others, requests for a bid and answers."""
        kind = line.kind
        if kind == ASK_BID:
            self.stage = BID_ANSWER
        else:
            require(kind == (SAY_BID if self.stage == BIDS else ANSWER_BID), *UNEXPECTED)
        if self.bids == 0 and self.hand.dialect == JAN_2013:
            self.match.note_dealer(self.hand, (line.seat - 1) % SEATS)
            self._set_dealer(self.hand.dealer)
        if kind == ASK_BID:
            return
        require(kind != ANSWER_BID or line.seat == 0, *UNEXPECTED)
        event = Event(Action.BID_PASS, line.seat, index)
        if line.bid:
            event = Event(Action.BID_BID, line.seat, index, amount=line.bid)
        self.hand.events.append(event)
        self._bid(line.seat, line.bid)

    def _bid(self, seat: int, amount: int) -> None:
        """A bid or pass, which counts as one of the four whoever makes it."""
        if amount > self.high_bid:
            self.high_bid, self.declarer = amount, seat
            if seat != self.turn or amount > MOST_BID:
                self.asks_stuck_dealer = True  # the bid is no longer the dealer's at 20
        self.turn = (self.turn + 1) % SEATS
        self.bids += 1
        is_stuck = self.turn == self.declarer == self.hand.dealer and not self.asks_stuck_dealer
        if self.bids == SEATS or is_stuck:
            self.stage = STUCK if self.bids < SEATS and self.hand.dealer != 0 else NAME
        else:
            self.stage = BIDS

    def stuck(self, line: Line, index: int) -> None:
        """[R4] The dealer's bid that nobody asked for."""
        bid = line.kind, line.seat, line.bid
        require(bid == (SAY_BID, self.hand.dealer, LEAST_BID), *UNEXPECTED)
        self.stage = NAME

    def naming(self, line: Line, index: int) -> None:
        """[R6] Trump, or a throw-in."""
        kind, answered = line.kind, self.stage == NAME_ANSWER
        if kind == ASK_TRUMP and line.seat == 0:
            self.stage = NAME_ANSWER
            return
        require(answered == (line.seat == 0), *UNEXPECTED)
        if kind == (ANSWER_TRUMP if answered else SAY_TRUMP):
            self.hand.events.append(Event(Action.BID_TRUMP, line.seat, index, suit=line.suit))
            self.trump, self.stage = line.suit, MELDS
        elif kind == (ANSWER_THROW_IN if answered else SAY_THROW_IN):
            self.hand.events.append(Event(Action.BID_THROW_IN, line.seat, index))
            self.thrown_in, self.done = True, _RULES[self.hand.dialect].throw_in_ends_hand
            self.trump = self.trump if self.done else self.hand.trump_before
            self.stage = SCORES if self.done else MELDS
        else:
            raise Fault(*UNEXPECTED)

    def melding(self, line: Line, index: int) -> None:
        """[R7] Four melds."""
        require(line.kind == SAY_MELD, *UNEXPECTED)
        self.hand.events.append(Event(Action.MELD_DECLARE, line.seat, index, line.hand, amount=line.amount))
        self.melds += 1
        if self.melds == SEATS:
            self.stage = PLAYS

    # ------------------------------------------------------------ cards

    def playing(self, line: Line, index: int) -> None:
        """[R9] [R10] Cards of others, requests for a card and answers."""
        kind = line.kind
        if kind == ASK_PLAY:
            if self.trump == UNKNOWN:
                self.trump = self.hand.trump_before = line.suit
            self.stage = PLAY_ANSWER
            require(self._agrees(line), *REQUEST)
        elif self.stage == PLAYS:
            require(kind == SAY_PLAY and line.seat != 0, *UNEXPECTED)
            self._play(line.seat, line.card, index)
        else:
            require(kind == ANSWER_PLAY and line.seat == 0, *UNEXPECTED)
            self.refusable, self.refusable_line, self.stage = line.card, index, CONFIRM

    def _agrees(self, line: Line) -> bool:
        """Whether a request agrees with the state on trump, trick and hand."""
        led = self.led // SUIT_STRIDE if self.on_table else NO_SUIT
        best = self.best if self.on_table else NO_CARD
        if (line.seat, line.suit, line.lead, line.winning) != (0, self.trump, led, best):
            return False
        if line.fields["Type"] != "PlayRequest":
            return self.hand.dialect == JAN_2013
        return self.hand.dialect == HEAD_2014 and bytes(sorted(line.hand)) == self.cards

    def _play(self, seat: int, card: int, index: int) -> None:
        """[R9] A card, whoever plays it."""
        self.hand.events.append(Event(Action.PLAY_CARD, seat, index, bytes((card,))))
        if seat == 0:
            self.cards = self.cards.replace(bytes((card,)), b"", 1)
        if self.on_table == 0:
            self.led = self.best = card
        elif card // SUIT_STRIDE == self.best // SUIT_STRIDE:
            self.best = card if _HIGHER[self.best] >> card & 1 else self.best
        elif card // SUIT_STRIDE == self.trump:
            self.best = card
        self.on_table = (self.on_table + 1) % SEATS
        self.stage = PLAYS if self.on_table else TRICK
        if self.on_table == 0:
            self.tricks += 1
            self.done = self.tricks == TRICKS

    # ------------------------------------------------------------ scores

    def trick(self, line: Line, index: int) -> None:
        """The message at the end of a trick; only the older dialect has its number and points."""
        is_old = self.hand.dialect == JAN_2013
        is_message = line.kind == TRICK_MESSAGE and (line.number is not None) == is_old
        require(is_message and line.seat >= 0, *UNEXPECTED)
        event = Event(Action.SCORE_TRICK, line.seat, index, bytes((line.card,)))
        if is_old:
            event.amount = line.amount
        self.hand.events.append(event)
        self.stage = (SCORES if self.done else PLAYS) if is_old else TRICK_TAKER
        require(not is_old or line.number == self.tricks, *TRICK_NUMBER)

    def taker(self, line: Line, index: int) -> None:
        """The seat that takes the trick, once more."""
        require(line.kind == SAY_TRICK, *UNEXPECTED)
        self.stage = SCORES if self.done else PLAYS
        require(line.seat == self.hand.events[-1].seat, *TAKER)

    def scores(self, line: Line, index: int) -> None:
        """The message with both teams' scores, and the number of hands that counted."""
        match, played_out = self.match, self.tricks == TRICKS
        require(line.kind == (SCORES_MESSAGE if played_out else THROW_IN_MESSAGE), *UNEXPECTED)
        require(played_out or line.seat == self.declarer, *UNEXPECTED)
        for team, score in enumerate(line.scores):
            self.hand.events.append(Event(Action.SCORE_MATCH, team, index, amount=score))
        match.scores, match.scores_known, match.hands_counted = line.scores, True, line.number
        self.stage = WINNER if self.hand.dialect == JAN_2013 and self._winner() >= 0 else SCORE
        known = self.hand.hands_played
        require(known is None or line.number == known + played_out, *HAND_COUNT)

    def _winner(self) -> int:
        """[R15] The team that has won the match, or -1."""
        return int(_match_winner(self.match.scores, self.declarer & 1))

    def winner(self, line: Line, index: int) -> None:
        """The message of who wins."""
        require(line.kind == WINNER_MESSAGE, *UNEXPECTED)
        self.stage = SCORE
        winner = self._winner()
        require((line.seat, line.amount) == (winner, self.match.scores[winner]), *OTHER_WINNER)

    def score(self, line: Line, index: int) -> None:
        """[R11] to [R15] The score, the last line of a hand."""
        require(line.kind == SAY_SCORE, *UNEXPECTED)
        require(line.scores == self.match.scores, *SCORES_DIFFER)
        winner = self._winner()
        over, win = line.fields.get("GameOver", False), line.fields.get("Win", False)
        require((over, win) == (winner >= 0, winner == 0), *OTHER_WINNER)
        for seat in range(SEATS if winner >= 0 else 0):
            place = 1 if seat & 1 == winner else 2
            self.hand.events.append(Event(Action.SCORE_PLACE, seat, index, amount=place))
        self.match.new, self.stage = over, OVER

    def over(self, line: Line, index: int) -> None:
        """Nothing follows."""
        raise Fault(*UNEXPECTED)


_HANDLERS: Final[dict[int, Callable[[_Parser, Line, int], None]]] = {
    BIDS: _Parser.bidding,
    BID_ANSWER: _Parser.bidding,
    STUCK: _Parser.stuck,
    NAME: _Parser.naming,
    NAME_ANSWER: _Parser.naming,
    MELDS: _Parser.melding,
    PLAYS: _Parser.playing,
    PLAY_ANSWER: _Parser.playing,
    TRICK: _Parser.trick,
    TRICK_TAKER: _Parser.taker,
    SCORES: _Parser.scores,
    WINNER: _Parser.winner,
    SCORE: _Parser.score,
    OVER: _Parser.over,
}
