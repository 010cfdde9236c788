"""Turns the lines of a hand in Pinochle's protocol into events.

The parser knows which lines may follow which, tells refused answers from others, and checks what is repeated:
lead, trump, winning card and hand in a request, the scores in the message and in the score. Legality is left
to the judge.

Numbers in brackets, [R3], are the rules of docs/rules/pinochle.md.
"""

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from cardlog.models.pinochle import cards as pack
from cardlog.models.pinochle.dialects import GAME_POINTS, RULES
from cardlog.models.pinochle.state import HAND_CARDS, LEAST_BID, TRICKS
from cardlog.models.trick import SEATS
from cardlog.pipelines.readers.pinochle_protocol.hands import (
    HEAD_2014,
    JAN_2013,
    UNKNOWN,
    Hand,
    Match,
    trump_of,
)
from cardlog.pipelines.readers.pinochle_protocol.lines import NO_CARD, Kind, Line
from cardlog.pipelines.readers.transcript import Event, Fault, require
from cardlog.schemas import cards
from cardlog.schemas.cards import NO_SUIT, SUIT_STRIDE
from cardlog.schemas.events import NO_AMOUNT, NO_SEAT, Action
from cardlog.schemas.reasons import Reason

_ORDER: Final = {card: index for index, card in enumerate(pack.DECK_CODES.tolist())}
"""The index of each card in the servers' order."""
_OTHER_WINNER: Final = Reason.SCORE_MISMATCH, "the scores give another winner, or none"


def parse(hand: Hand, match: Match) -> None:
    """Parse a hand, or note what is wrong with it; and what it says about the match."""
    match.begin(hand)
    parser = Parser(hand, match)
    for index, line in enumerate(hand.lines, hand.first):
        hand.index = index
        match.hear(hand, line)
        if hand.fault is None:
            try:
                parser.take(line)
            except Fault as fault:
                hand.fault = Fault(fault.reason, fault.what, index)
    if hand.fault is None:
        _fill_in(hand, parser.trump)
    if hand.is_hand:
        match.finish(UNKNOWN if hand.fault else parser.trump)


@dataclass
class Parser:
    """What is known of a hand while it is parsed.

    expected
        The kinds of lines that may follow.
    answer
        The event of the client's card, until the next line shows whether it was accepted.
    refused
        The client's cards that were not, since the last one that was.
    cards
        Seat 0's, sorted.
    trump
        That of the hand before if it was thrown in, `UNKNOWN` before it is named.
    table, best
        The cards of the trick, and the one that takes it so far.
    winner
        Of the match, as a message says; None without one.
    """

    hand: Hand
    match: Match
    expected: tuple[str, ...] = (Kind.DEAL,)
    answer: Event | None = None
    refused: list[str] = field(default_factory=list)
    cards: bytes = b""
    bids: list[int] = field(default_factory=list)
    trump: int = UNKNOWN
    melds: int = 0
    tricks: int = 0
    table: list[int] = field(default_factory=list)
    best: int = NO_CARD
    winner: int | None = None

    def take(self, line: Line) -> None:
        """Take the next line. Raises Fault."""
        if line.kind == Kind.BLANK:
            return
        if line.wrong:
            raise Fault(*line.wrong)
        found = line.kind
        if found not in self.expected:
            reason = Reason.UNPARSABLE if found == Kind.NOTE else Reason.OUT_OF_ORDER
            raise Fault(reason, f"{found}, where {' or '.join(self.expected)} was expected")
        handle, is_own, self.expected = LINES[found]
        if is_own not in (None, line.seat == 0):
            raise Fault(Reason.OUT_OF_ORDER, f"{found}, where another seat's was expected")
        if self.answer:
            self._settle(self.answer, refused=found == Kind.ASK_PLAY)
        handle(self, line)

    # ------------------------------------------------------------ deal, bids and trump

    def deal(self, line: Line) -> None:
        """[R2] Seat 0's hand, and in one dialect the dealer."""
        hand = self.hand
        if "Dealer" in line.fields:
            hand.dialect = HEAD_2014
            self.match.note_dealer(hand, line.fields["Dealer"])
        is_double = max(map(line.hand.count, line.hand), default=0) <= 2
        require(is_double, Reason.DUPLICATE_CARD, "a card is dealt three times")
        is_whole = len(line.hand) == HAND_CARDS and line.seat == 0
        require(is_whole, Reason.INCOMPLETE, "the deal must be twelve cards, for seat 0")
        self.cards = bytes(sorted(line.hand))
        hand.add(Action.DEAL_OPEN, NO_SEAT)
        for seat in range(SEATS):
            hand.add(Action.DEAL_HAND, seat, b"" if seat else line.hand)

    def first_bid(self, line: Line) -> None:
        """A request for a bid, or a bid: one dialect shows only by the first of them who has dealt."""
        if not self.bids and self.hand.dialect == JAN_2013:
            self.match.note_dealer(self.hand, (line.seat - 1) % SEATS)

    def bid(self, line: Line) -> None:
        """[R3] to [R5] A bid or pass. [R4] Of a dealer who is not asked the others are told."""
        self.first_bid(line)
        if self._is_stuck():
            is_told = (line.seat, line.bid) == (self.hand.dealer, LEAST_BID)
            require(is_told, Reason.OUT_OF_ORDER, "the dealer has the lowest bid")
        else:
            action = Action.BID_BID if line.bid else Action.BID_PASS
            self.hand.add(action, line.seat, amount=line.bid or NO_AMOUNT)
        self.bids.append(line.bid)
        if len(self.bids) == SEATS or (self._is_stuck() and self.hand.dealer == 0):
            self.expected = (Kind.ASK_TRUMP, Kind.SAY_TRUMP, Kind.SAY_THROW_IN)
        elif self._is_stuck():
            self.expected = (Kind.SAY_BID,)

    def _is_stuck(self) -> bool:
        """[R4] Whether the dealer is left with the lowest bid and not asked."""
        is_last = len(self.bids) == SEATS - 1 and max(self.bids) <= LEAST_BID
        return is_last and RULES[self.hand.dialect].stuck_dealer_is_not_asked

    def name_trump(self, line: Line) -> None:
        """[R6] Trump."""
        self.hand.add(Action.BID_TRUMP, line.seat, suit=line.suit)
        self.trump = line.suit

    def throw_in(self, line: Line) -> None:
        """[R6] A throw-in, which in one dialect ends the hand."""
        self.hand.add(Action.BID_THROW_IN, line.seat)
        self.trump = trump_of(self.hand.before)
        if RULES[self.hand.dialect].throw_in_ends_hand:
            self.expected = (Kind.THROW_IN_MESSAGE,)

    # ------------------------------------------------------------ melds and cards

    def meld(self, line: Line) -> None:
        """[R7] What a seat shows."""
        self.hand.add(Action.MELD_DECLARE, line.seat, line.hand, amount=line.amount)
        self.melds += 1
        if self.melds == SEATS:
            self.expected = _CARDS

    def ask_card(self, line: Line) -> None:
        """A request for a card, which must agree with what is known of trump, trick and hand."""
        if self.trump == UNKNOWN:
            self.trump = line.suit
            self.hand.before = {**self.hand.before, "trump": line.fields.get("Trump")}
        led, best = (self.table[0] // SUIT_STRIDE, self.best) if self.table else (NO_SUIT, NO_CARD)
        agrees = (line.suit, line.lead, line.winning) == (self.trump, led, best)
        if line.fields["Type"] == "PlayRequest":
            agrees &= self.hand.dialect == HEAD_2014 and bytes(sorted(line.hand)) == self.cards
        else:
            agrees &= self.hand.dialect == JAN_2013
        require(agrees, Reason.OUT_OF_ORDER, "the request has a wrong hand, lead, trump or winning card")

    def card(self, line: Line) -> None:
        """[R10] A card of another seat."""
        self.hand.add(Action.PLAY_CARD, line.seat, bytes((line.card,)))
        self._lay(line.card)
        if len(self.table) == SEATS:
            self.expected = (Kind.TRICK_MESSAGE,)

    def own_card(self, line: Line) -> None:
        """[R10] The client's card, which the server may refuse."""
        self.answer = Event(Action.PLAY_CARD, 0, self.hand.index, bytes((line.card,)))
        if len(self.table) == SEATS - 1:
            self.expected = (Kind.ASK_PLAY, Kind.TRICK_MESSAGE)

    def _settle(self, answer: Event, refused: bool) -> None:
        """The client's card is refused, so that the server asks again, or it is played."""
        self.answer = None
        if refused:
            self.refused.append(cards.text(answer.cards[0]))
            return
        if self.refused:
            answer.detail = json.dumps({"refused": self.refused}, separators=(",", ":"))
            self.refused = []
        self.hand.events.append(answer)
        self.cards = self.cards.replace(answer.cards, b"", 1)
        self._lay(answer.cards[0])

    def _lay(self, card: int) -> None:
        """A card of the trick, whoever plays it."""
        if not self.table or pack.beats(np.int64(card), np.int64(self.best), np.int64(self.trump)):
            self.best = card
        self.table.append(card)

    def trick(self, line: Line) -> None:
        """[R9] The message at the end of a trick; only in the older dialect it has the trick's number and
        points, only in the other the seat that takes it comes once more."""
        self.table = []
        self.tricks += 1
        is_old = self.hand.dialect == JAN_2013
        fits = (line.number is not None) == is_old and line.seat >= 0
        require(fits, Reason.OUT_OF_ORDER, "the message is not of this dialect")
        amount = line.amount if is_old else NO_AMOUNT
        self.hand.add(Action.SCORE_TRICK, line.seat, bytes((line.card,)), amount=amount)
        if is_old:
            is_right = line.number == self.tricks
            require(is_right, Reason.OUT_OF_ORDER, "the message counts the tricks differently")
            self.taker(line)

    def taker(self, line: Line) -> None:
        """[R9] The seat that takes the trick."""
        is_same = line.seat == self.hand.events[-1].seat
        require(is_same, Reason.SCORE_MISMATCH, "the message names another taker of the trick")
        self.expected = _CARDS if self.tricks < TRICKS else (Kind.SCORES_MESSAGE,)

    # ------------------------------------------------------------ scores

    def scores(self, line: Line) -> None:
        """[R11] to [R14] Both teams' scores and the number of hands that counted."""
        fits = self.tricks > 0 or line.seat == self.hand.events[-1].seat
        require(fits, Reason.OUT_OF_ORDER, "the message names another seat that threw in")
        for team, score in enumerate(line.scores):
            self.hand.add(Action.SCORE_MATCH, team, amount=score)
        counts = self.match.hands_counted is not None
        require(counts, Reason.SCORE_MISMATCH, "the message counts the hands differently")
        if max(line.scores) >= GAME_POINTS and self.hand.dialect == JAN_2013:
            self.expected = (Kind.WINNER_MESSAGE,)

    def won(self, line: Line) -> None:
        """[R15] The message of who wins."""
        self.winner = line.seat
        require((line.seat, line.amount) in enumerate(self.match.scores or ()), *_OTHER_WINNER)

    def score(self, line: Line) -> None:
        """[R15] The scores again, and in the last hand of a match the winner."""
        agrees = self.match.scores == line.scores
        require(agrees, Reason.SCORE_MISMATCH, "the score differs from the message")
        over, win = line.fields.get("GameOver", False), line.fields.get("Win", False)
        require(over == (max(line.scores) >= GAME_POINTS) and over >= win, *_OTHER_WINNER)
        require(self.winner in (None, 0 if win else 1), *_OTHER_WINNER)
        for seat in range(SEATS if over else 0):
            self.hand.add(Action.SCORE_PLACE, seat, amount=1 if (seat % 2 == 0) == win else 2)


_BIDS: Final = (Kind.SAY_BID, Kind.ASK_BID)
_CARDS: Final = (Kind.ASK_PLAY, Kind.SAY_PLAY)
_MELD: Final = (Kind.SAY_MELD,)
_OWN_TRUMP: Final = (Kind.ASK_TRUMP, Kind.ANSWER_TRUMP, Kind.ANSWER_THROW_IN)
_SCORE: Final = (Kind.SAY_SCORE,)
LINES: Final[dict[str, tuple[Callable[[Parser, Line], None], bool | None, tuple[str, ...]]]] = {
    Kind.DEAL: (Parser.deal, None, _BIDS),
    Kind.ASK_BID: (Parser.first_bid, True, (Kind.ANSWER_BID, Kind.ASK_BID)),
    Kind.SAY_BID: (Parser.bid, False, _BIDS),
    Kind.ANSWER_BID: (Parser.bid, True, _BIDS),
    Kind.ASK_TRUMP: (lambda *_: None, True, _OWN_TRUMP),
    Kind.SAY_TRUMP: (Parser.name_trump, False, _MELD),
    Kind.ANSWER_TRUMP: (Parser.name_trump, True, _MELD),
    Kind.SAY_THROW_IN: (Parser.throw_in, False, _MELD),
    Kind.ANSWER_THROW_IN: (Parser.throw_in, True, _MELD),
    Kind.SAY_MELD: (Parser.meld, None, _MELD),
    Kind.ASK_PLAY: (Parser.ask_card, True, (Kind.ANSWER_PLAY, Kind.ASK_PLAY)),
    Kind.SAY_PLAY: (Parser.card, False, _CARDS),
    Kind.ANSWER_PLAY: (Parser.own_card, True, _CARDS),
    Kind.TRICK_MESSAGE: (Parser.trick, None, (Kind.SAY_TRICK,)),
    Kind.SAY_TRICK: (Parser.taker, None, ()),
    Kind.SCORES_MESSAGE: (Parser.scores, None, _SCORE),
    Kind.THROW_IN_MESSAGE: (Parser.scores, None, _SCORE),
    Kind.WINNER_MESSAGE: (Parser.won, None, _SCORE),
    Kind.SAY_SCORE: (Parser.score, None, ()),
}
"""By the kind of a line: what takes it, whether its seat is 0 (None: any), and what may follow, unless the
method says otherwise."""


# ---------------------------------------------------------------- hidden cards


def _fill_in(hand: Hand, trump: int) -> None:
    """Fill in the deals of seats 1 to 3, of which the log shows only what they melded and played."""
    for seat in range(1, SEATS):
        own = [event for event in hand.events[1 + SEATS :] if event.seat == seat]
        known = Counter(event.cards[0] for event in own if event.action == Action.PLAY_CARD)
        for event in own if known.total() < HAND_CARDS else ():
            if event.action == Action.MELD_DECLARE:
                known |= _held_of_shown(hand.dialect, event, trump)
        dealt = bytes(sorted(known.elements(), key=_ORDER.__getitem__)[:HAND_CARDS])
        hand.events[1 + seat].cards = dealt.ljust(HAND_CARDS, bytes([cards.UNKNOWN]))


def _held_of_shown(dialect: str, event: Event, trump: int) -> Counter[int]:
    """The cards that a seat certainly holds if it declares a meld: those it shows, perhaps without the nines
    of trump."""
    masks = pack.masks_of(np.frombuffer(event.cards, np.uint8), len(event.cards))
    if masks[0] < 0:
        return Counter()
    both = RULES[dialect].double_run_shows_both_nines
    # With the types of the rules' own records, or the function would be compiled once more.
    held_of: Any = pack.held_of_shown
    held = held_of(*map(np.int64, masks), np.int32(event.amount), np.int8(trump), both)
    return Counter(card for mask in held for card in _ORDER if int(mask) >> card & 1)
