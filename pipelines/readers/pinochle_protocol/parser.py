"""Turns the lines of a hand in Pinochle's protocol into events.

The parser knows which lines may follow which, distinguishes refused answers from others, and checks what is
repeated: lead, trump, winning card and hand in a request, the scores in the message and in the score.
Legality is judged later.

Numbers in brackets, [R3], are the rules of docs/rules/pinochle.md.
"""

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from cardlog.models.engine.trick import SEATS
from cardlog.models.pinochle import cards as pack
from cardlog.models.pinochle.dialects import GAME_POINTS, RULES
from cardlog.models.pinochle.state import HAND_CARDS, LEAST_BID, TRICKS
from cardlog.pipelines.readers import transcript
from cardlog.pipelines.readers.pinochle_protocol.messages import NO_CARD, Kind, Line
from cardlog.pipelines.readers.transcript import Event, Fault, LineTable, require
from cardlog.schemas import cards
from cardlog.schemas.cards import NO_SUIT, SUIT_STRIDE, SUITS
from cardlog.schemas.events import NO_AMOUNT, NO_SEAT, Action
from cardlog.schemas.reasons import Reason

JAN_2013, HEAD_2014 = "jan2013", "head2014"
UNKNOWN: Final = -2
"""Stands for a trump that is not known because lines are missing."""
_TRUMPS: Final[dict[str | None, int]] = {None: NO_SUIT} | {suit: code for code, suit in enumerate(SUITS)}
_ORDER: Final = {card: index for index, card in enumerate(pack.DECK_CODES.tolist())}
"""The index of each card in the servers' order."""
_AT_BEGINNING: Final = {"score": [0, 0], "hands_played": 0, "trump": None}
_OTHER_WINNER: Final = Reason.SCORE_MISMATCH, "the scores give another winner, or none"


def trump_of(before: dict[str, Any]) -> int:
    """The trump of the hand before: `NO_SUIT` if there was none, or `UNKNOWN`."""
    return _TRUMPS.get(before.get("trump", ""), UNKNOWN)


@dataclass(eq=False)
class Match(transcript.Match):
    """A match, and what is known before its next hand."""

    over: bool = False  # whether that hand begins another match, unless this one has no hand yet
    before: dict[str, Any] = field(default_factory=dict)  # keys of its opening: score, hands_played, trump
    next_dealer: int | None = None  # its dealer; None at the beginning of a text


LINES: Final = LineTable()
_BIDS: Final = (Kind.SAY_BID, Kind.ASK_BID)
_CARDS: Final = (Kind.ASK_PLAY, Kind.SAY_PLAY)
_MELD: Final = (Kind.SAY_MELD,)
_OWN_TRUMP: Final = (Kind.ASK_TRUMP, Kind.ANSWER_TRUMP, Kind.ANSWER_THROW_IN)
_SCORE: Final = (Kind.SAY_SCORE,)


@dataclass(eq=False)
class Hand(transcript.Hand):
    """A hand and the parser of its lines, or lines that are not a hand; `is_hand` once it has a number.

    A handler's rule is whether the line's seat must be 0 (None: any), and the kinds that may follow, unless
    the handler sets others.
    """

    match: Match  # that of the hand before until this hand has a number
    lines: list[Line] = field(default_factory=list)
    menu: bool = False  # whether a menu comes before it
    table: Line | None = None  # the line that names the players
    dialect: str = JAN_2013
    dealer: int = 0
    before: dict[str, Any] = field(default_factory=dict)  # what is known before it: `Match.before`
    scores: tuple[int, int] | None = None  # those in its last messages, unless they contradict each other
    hands_counted: int | None = None  # likewise
    expected: tuple[str, ...] = (Kind.DEAL,)  # the kinds of lines that may follow
    answer: Event | None = None  # the client's card, until the next line shows whether it was accepted
    refused: list[str] = field(default_factory=list)  # its refused cards since the last accepted one
    cards: bytes = b""  # seat 0's, sorted
    bids: list[int] = field(default_factory=list)
    trump: int = UNKNOWN  # after a throw-in that of the hand before
    tricks: int = 0
    trick: list[int] = field(default_factory=list)
    best: int = NO_CARD  # the card that wins the trick so far
    winner: int | None = None  # of the match, according to a message

    def parse(self) -> None:
        """Parse the lines, or note their fault; and update the match."""
        self.match.over |= self.menu
        for index, line in enumerate(self.lines, self.first):
            self.index = index
            self._note(line)
            if self.fault is None:
                try:
                    self._take(line)
                except Fault as fault:
                    self.fault = Fault(fault.reason, fault.what, index)
        self.lines = []
        if self.fault is None:
            self._fill_in()
        if self.is_hand:
            self._update_match()

    def _note(self, line: Line) -> None:
        """Note what a line says about the match, also if the hand is damaged."""
        if line.kind in (Kind.BLANK, Kind.BAD, Kind.NOTE):
            return
        if not self.is_hand:
            self._begin()
        if line.kind in (Kind.SCORES_MESSAGE, Kind.THROW_IN_MESSAGE):
            counts = line.kind == Kind.SCORES_MESSAGE
            played = self.before.get("hands_played")
            self.hands_counted = line.number if played is None or line.number == played + counts else None
            self.scores = line.scores
        elif line.kind == Kind.SAY_SCORE:
            self.scores = line.scores if line.scores == self.scores else None
            self.match.over = line.fields.get("GameOver", False) and max(line.scores) >= GAME_POINTS

    def _begin(self) -> None:
        """Set the hand's number in the match, which it may begin, and what is known before it."""
        if self.match.over:
            self.match = Match() if self.match.hands else self.match
            self.match.begins = True
            self.match.next_dealer, self.match.over = 0, False
            self.match.before = _AT_BEGINNING
        self.number, self.is_hand = self.match.hands, True
        self.dealer, self.before = self.match.next_dealer or 0, self.match.before
        self.match.hands += 1

    def _note_dealer(self, seat: int) -> None:
        """Note the dealer. If it is not the next seat, hands are missing, so nothing is known from before
        this one."""
        if self.match.next_dealer not in (None, seat):
            self.before = {}
        self.dealer = self.match.next_dealer = seat

    def _update_match(self) -> None:
        """Keep what the next hand needs."""
        if not self.match.begins and self.number == self.dealer == 0 and self.hands_counted in (0, 1):
            self.match.begins, self.before = True, _AT_BEGINNING
        self.match.before = {} if self.scores is None else {"score": [*self.scores]}
        if self.hands_counted is not None:
            self.match.before["hands_played"] = self.hands_counted
        if self.trump != UNKNOWN and not self.fault:
            self.match.before["trump"] = None if self.trump == NO_SUIT else SUITS[self.trump]
        if self.match.next_dealer is not None:
            self.match.next_dealer = (self.match.next_dealer + 1) % SEATS

    def _take(self, line: Line) -> None:
        """Take the next line. Raises Fault."""
        if line.kind == Kind.BLANK:
            return
        if line.wrong:
            raise Fault(*line.wrong)
        kind = line.kind
        if kind not in self.expected:
            reason = Reason.UNPARSABLE if kind == Kind.NOTE else Reason.OUT_OF_ORDER
            raise Fault(reason, f"{kind}, where {' or '.join(self.expected)} was expected")
        handle, (is_own, self.expected) = LINES.handlers[kind]
        if is_own not in (None, line.seat == 0):
            raise Fault(Reason.OUT_OF_ORDER, f"{kind}, where another seat's was expected")
        if self.answer:
            self._settle(self.answer, refused=kind == Kind.ASK_PLAY)
        handle(self, line)

    # ------------------------------------------------------------ deal, bids and trump

    @LINES.on(Kind.DEAL, (None, _BIDS))
    def _deals(self, line: Line) -> None:
        """[R2] Seat 0's hand, and in one dialect the dealer."""
        if "Dealer" in line.fields:
            self.dialect = HEAD_2014
            self._note_dealer(line.fields["Dealer"])
        is_double = max(map(line.hand.count, line.hand), default=0) <= 2
        require(is_double, Reason.DUPLICATE_CARD, "a card is dealt three times")
        is_whole = len(line.hand) == HAND_CARDS and line.seat == 0
        require(is_whole, Reason.INCOMPLETE, "the deal must be twelve cards, for seat 0")
        self.cards = bytes(sorted(line.hand))
        self.add(Action.DEAL_OPEN, NO_SEAT)
        for seat in range(SEATS):
            self.add(Action.DEAL_HAND, seat, b"" if seat else line.hand)

    @LINES.on(Kind.ASK_BID, (True, (Kind.ANSWER_BID, Kind.ASK_BID)))
    def _asks_bid(self, line: Line) -> None:
        """A request for a bid, or a bid. In one dialect only the first of them shows who is the dealer."""
        if not self.bids and self.dialect == JAN_2013:
            self._note_dealer((line.seat - 1) % SEATS)

    @LINES.on(Kind.SAY_BID, (False, _BIDS))
    @LINES.on(Kind.ANSWER_BID, (True, _BIDS))
    def _bids(self, line: Line) -> None:
        """[R3] to [R5] A bid or pass. [R4] The bid of a dealer who is not asked is shown to the others."""
        self._asks_bid(line)
        if self._is_stuck():
            is_dealer = (line.seat, line.bid) == (self.dealer, LEAST_BID)
            require(is_dealer, Reason.OUT_OF_ORDER, "the dealer has the lowest bid")
        else:
            action = Action.BID_BID if line.bid else Action.BID_PASS
            self.add(action, line.seat, amount=line.bid or NO_AMOUNT)
        self.bids.append(line.bid)
        if len(self.bids) == SEATS or (self._is_stuck() and self.dealer == 0):
            self.expected = (Kind.ASK_TRUMP, Kind.SAY_TRUMP, Kind.SAY_THROW_IN)
        elif self._is_stuck():
            self.expected = (Kind.SAY_BID,)

    def _is_stuck(self) -> bool:
        """[R4] Whether the dealer is left with the lowest bid without being asked."""
        is_last = len(self.bids) == SEATS - 1 and max(self.bids) <= LEAST_BID
        return is_last and RULES[self.dialect].stuck_dealer_is_not_asked

    @LINES.on(Kind.ASK_TRUMP, (True, _OWN_TRUMP))
    def _asks_trump(self, line: Line) -> None:
        """Trump or a throw-in follows."""

    @LINES.on(Kind.SAY_TRUMP, (False, _MELD))
    @LINES.on(Kind.ANSWER_TRUMP, (True, _MELD))
    def _names_trump(self, line: Line) -> None:
        """[R6] Trump."""
        self.add(Action.BID_TRUMP, line.seat, suit=line.suit)
        self.trump = line.suit

    @LINES.on(Kind.SAY_THROW_IN, (False, _MELD))
    @LINES.on(Kind.ANSWER_THROW_IN, (True, _MELD))
    def _throws_in(self, line: Line) -> None:
        """[R6] A throw-in, which in one dialect ends the hand."""
        self.add(Action.BID_THROW_IN, line.seat)
        self.trump = trump_of(self.before)
        if RULES[self.dialect].throw_in_ends_hand:
            self.expected = (Kind.THROW_IN_MESSAGE,)

    # ------------------------------------------------------------ melds and cards

    @LINES.on(Kind.SAY_MELD, (None, _MELD))
    def _melds(self, line: Line) -> None:
        """[R7] The meld that a seat shows."""
        self.add(Action.MELD_DECLARE, line.seat, line.hand, amount=line.amount)
        if self.events[-SEATS].action == Action.MELD_DECLARE:
            self.expected = _CARDS

    @LINES.on(Kind.ASK_PLAY, (True, (Kind.ANSWER_PLAY, Kind.ASK_PLAY)))
    def _asks_card(self, line: Line) -> None:
        """A request for a card, which must agree with what is known of trump, trick and hand."""
        if self.trump == UNKNOWN:
            self.trump = line.suit
            self.before = {**self.before, "trump": line.fields.get("Trump")}
        led, best = (self.trick[0] // SUIT_STRIDE, self.best) if self.trick else (NO_SUIT, NO_CARD)
        agrees = (line.suit, line.lead, line.winning) == (self.trump, led, best)
        if line.fields["Type"] == "PlayRequest":
            agrees &= self.dialect == HEAD_2014 and bytes(sorted(line.hand)) == self.cards
        else:
            agrees &= self.dialect == JAN_2013
        require(agrees, Reason.OUT_OF_ORDER, "the request has a wrong hand, lead, trump or winning card")

    @LINES.on(Kind.SAY_PLAY, (False, _CARDS))
    def _plays(self, line: Line) -> None:
        """[R10] A card of another seat."""
        self.add(Action.PLAY_CARD, line.seat, bytes((line.card,)))
        self._lay(line.card)
        if len(self.trick) == SEATS:
            self.expected = (Kind.TRICK_MESSAGE,)

    @LINES.on(Kind.ANSWER_PLAY, (True, _CARDS))
    def _answers_card(self, line: Line) -> None:
        """[R10] The client's card, which the server may refuse."""
        self.answer = Event(Action.PLAY_CARD, 0, self.index, bytes((line.card,)))
        if len(self.trick) == SEATS - 1:
            self.expected = (Kind.ASK_PLAY, Kind.TRICK_MESSAGE)

    def _settle(self, answer: Event, refused: bool) -> None:
        """The client's card is played, or refused if the server asks again."""
        self.answer = None
        if refused:
            self.refused.append(cards.text(answer.cards[0]))
            return
        if self.refused:
            answer.detail = json.dumps({"refused": self.refused}, separators=(",", ":"))
            self.refused = []
        self.events.append(answer)
        self.cards = self.cards.replace(answer.cards, b"", 1)
        self._lay(answer.cards[0])

    def _lay(self, card: int) -> None:
        """Add a card to the trick."""
        if not self.trick or pack.beats(np.int64(card), np.int64(self.best), np.int64(self.trump)):
            self.best = card
        self.trick.append(card)

    @LINES.on(Kind.TRICK_MESSAGE, (None, (Kind.SAY_TRICK,)))
    def _takes_trick(self, line: Line) -> None:
        """[R9] The message at the end of a trick. In the older dialect it has the trick's number and points;
        in the other the seat that takes the trick comes once more."""
        self.trick = []
        self.tricks += 1
        is_old = self.dialect == JAN_2013
        fits = (line.number is not None) == is_old and line.seat >= 0
        require(fits, Reason.OUT_OF_ORDER, "the message is not of this dialect")
        amount = line.amount if is_old else NO_AMOUNT
        self.add(Action.SCORE_TRICK, line.seat, bytes((line.card,)), amount=amount)
        if is_old:
            is_right = line.number == self.tricks
            require(is_right, Reason.OUT_OF_ORDER, "the message counts the tricks differently")
            self._is_taker(line)

    @LINES.on(Kind.SAY_TRICK, (None, ()))
    def _is_taker(self, line: Line) -> None:
        """[R9] The seat that takes the trick."""
        is_same = line.seat == self.events[-1].seat
        require(is_same, Reason.SCORE_MISMATCH, "the message names another taker of the trick")
        self.expected = _CARDS if self.tricks < TRICKS else (Kind.SCORES_MESSAGE,)

    # ------------------------------------------------------------ scores

    @LINES.on(Kind.SCORES_MESSAGE, (None, _SCORE))
    @LINES.on(Kind.THROW_IN_MESSAGE, (None, _SCORE))
    def _scores(self, line: Line) -> None:
        """[R11] to [R14] Both teams' scores and the number of hands that counted."""
        fits = self.tricks > 0 or line.seat == self.events[-1].seat
        require(fits, Reason.OUT_OF_ORDER, "the message names another seat that threw in")
        for team, score in enumerate(line.scores):
            self.add(Action.SCORE_MATCH, team, amount=score)
        counts = self.hands_counted is not None
        require(counts, Reason.SCORE_MISMATCH, "the message counts the hands differently")
        if max(line.scores) >= GAME_POINTS and self.dialect == JAN_2013:
            self.expected = (Kind.WINNER_MESSAGE,)

    @LINES.on(Kind.WINNER_MESSAGE, (None, _SCORE))
    def _wins(self, line: Line) -> None:
        """[R15] The message that names the winner."""
        self.winner = line.seat
        require((line.seat, line.amount) in enumerate(self.scores or ()), *_OTHER_WINNER)

    @LINES.on(Kind.SAY_SCORE, (None, ()))
    def _ends(self, line: Line) -> None:
        """[R15] The scores again, and in the last hand of a match the winner."""
        agrees = self.scores == line.scores
        require(agrees, Reason.SCORE_MISMATCH, "the score differs from the message")
        over, win = line.fields.get("GameOver", False), line.fields.get("Win", False)
        require(over == (max(line.scores) >= GAME_POINTS) and over >= win, *_OTHER_WINNER)
        require(self.winner in (None, 0 if win else 1), *_OTHER_WINNER)
        for seat in range(SEATS if over else 0):
            self.add(Action.SCORE_PLACE, seat, amount=1 if (seat % 2 == 0) == win else 2)

    # ------------------------------------------------------------ hidden cards

    def _fill_in(self) -> None:
        """Fill in the deals of seats 1 to 3, of whose cards the log shows only those melded and played."""
        for seat in range(1, SEATS):
            own = [event for event in self.events[1 + SEATS :] if event.seat == seat]
            known = Counter(event.cards[0] for event in own if event.action == Action.PLAY_CARD)
            for event in own if known.total() < HAND_CARDS else ():
                if event.action == Action.MELD_DECLARE:
                    known |= _held_of_shown(self.dialect, event, self.trump)
            dealt = bytes(sorted(known.elements(), key=_ORDER.__getitem__)[:HAND_CARDS])
            self.events[1 + seat].cards = dealt.ljust(HAND_CARDS, bytes([cards.UNKNOWN]))


def _held_of_shown(dialect: str, event: Event, trump: int) -> Counter[int]:
    """The cards that a seat certainly holds if it declares a meld: those it shows, perhaps without the nines
    of trump."""
    masks = pack.masks_of(np.frombuffer(event.cards, np.uint8), len(event.cards))
    if masks[0] < 0:
        return Counter()
    both = RULES[dialect].double_run_shows_both_nines
    # The types are those of the rules' own records; with others the function would be compiled once more.
    held_of: Any = pack.held_of_shown
    held = held_of(*map(np.int64, masks), np.int32(event.amount), np.int8(trump), both)
    return Counter(card for mask in held for card in _ORDER if int(mask) >> card & 1)
