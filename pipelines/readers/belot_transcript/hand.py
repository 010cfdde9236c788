"""Turns the lines of a hand into events.

Lines must come in the order in which the programs print them; a missing or misplaced line rejects the hand.
Whether what was done is legal is judged later, when the whole deal is known.
"""

import re
from operator import add
from typing import Any, Final

from cardlog.models.belote.state import GAME_POINTS, HAND_CARDS, SEEN_IN_BIDDING, opening
from cardlog.models.engine.trick import SEATS
from cardlog.pipelines.readers import transcript
from cardlog.pipelines.readers.belot_transcript.wording import (
    LINES,
    NOISE,
    RESULTS,
    Match,
    Names,
    find_name,
    parse_cards,
)
from cardlog.pipelines.readers.transcript import Event, Fault, Line, as_text, require
from cardlog.schemas.cards import NO_SUIT, UNKNOWN
from cardlog.schemas.events import NO_SEAT, Action
from cardlog.schemas.reasons import Reason

NOTHING: Final = (Reason.UNPARSABLE, "is not a line of a belot transcript")
NO_BEGINNING: Final = (Reason.INCOMPLETE, "belongs to a hand whose beginning is missing")
NO_PLAYERS: Final = (Reason.INCOMPLETE, "is in a match whose players are not named")
NO_DEALER: Final = (Reason.INCOMPLETE, "begins a hand that does not name its dealer")
WRONG_NAME: Final = (Reason.UNPARSABLE, "names a player or a pair that is not in this match")
WRONG_MUST: Final = (Reason.BAD_BID, "is wrong on whether the player must bid")
MISPLACED: Final = (Reason.OUT_OF_ORDER, "can't come at this point of a hand")
MISSING: Final = (Reason.INCOMPLETE, "comes after a line that is missing")
WRONG_NUMBER: Final = (Reason.INCOMPLETE, "has the wrong number of cards")
CONTRADICTS: Final = (Reason.SCORE_MISMATCH, "contradicts an earlier line")

MOST_SETS: Final = 4
"""Most declarations in a line."""
TEAMS: Final = 2
_CODE_PAGE: Final = "cp1250"
"""Croatian Windows."""
Score = tuple[int, ...]
"""The points of both teams."""

_MELDS: Final = ("trump", "declarations", "declaration", "no_declaration")
_TURN: Final = ("header", "turn", "bela")
_READY: Final = ("dealer", "hand_cards", "bid_pass", "no_declaration", "declaration", "card", "trick")
"""Steps after which a turn may begin."""
_ACTS: Final = (Action.BID_PASS, Action.BID_TRUMP, Action.PLAY_CARD)


class Hand(transcript.Hand):
    """A hand, and the parser of its lines. A handler's rule has the steps after which its lines may come."""

    match: Match

    def __init__(self, match: Match, first: int, fault: Fault | None) -> None:
        super().__init__(match, 0, first, first, fault=fault, is_hand=False, index=first)
        self.totals: list[tuple[bytes, int]] | None = None  # of the pairs, once their lines begin
        self.is_ended = False  # whether the totals are complete, and so the hand
        self.names, self.scores_before = Names(), list[Score]()
        self.dealer, self.dialect = NO_SEAT, ""
        self.deals: dict[int, Event] = {}  # as printed, by seat
        self.own: dict[int, bytes] = {}  # the first cards that a person was shown, by seat
        self.prompted: set[int] = set()  # seats that were asked at the keyboard
        self.step = ""  # the kind of the last step before the line
        self.speaker = NO_SEAT  # the seat whose header was read last
        self.left = [HAND_CARDS] * SEATS  # cards in hand
        self.taken: list[int] = []  # the pairs' points in the hand
        self.section = self.taken  # the list that lines with points add to: `taken`, or points in the match
        self.final_points: list[int] = []  # what each team scores by the text
        self.loser = NO_SEAT  # the team that scores nothing

    @property
    def after(self) -> Score:
        """The score after the hand, by its lines of totals."""
        return tuple(points for _, points in self.totals or ())

    def read(self, lines: list[Line], steps: list[str], names: Names, scores_before: list[Score]) -> None:
        """Turn the lines of the hand into events, or find its fault; `lines` and `steps` are those of the
        `Outline`, and `scores_before` the possible scores of the match before the hand, at most two."""
        self.names, self.scores_before = names, scores_before
        try:
            if self.fault:
                raise self.fault
            require(bool(names.seats), *NO_PLAYERS)
            for index in range(self.first, self.last + 1):
                self.index, self.step = index, steps[index]
                if lines[index].kind not in NOISE:
                    self._parse(*lines[index])
            if self.dealer == NO_SEAT:
                raise Fault(*NO_DEALER, self.first)
            self._begin()
        except Fault as fault:
            self.fault, fault.line = fault, self.index if fault.line is None else fault.line

    def _parse(self, kind: str, fields: dict[str, Any]) -> None:
        require(kind in LINES.handlers, *NOTHING)
        handler, after = LINES.handlers[kind]
        require(self.dealer != NO_SEAT or kind in ("sharing", "dealer"), *MISSING)
        if kind in RESULTS:
            require(not any(self.left) and not self._awaits_trick(), *MISSING)
        require(after is None or self.step in after, *MISPLACED)
        handler(self, **fields)

    def _begin(self) -> None:
        """Put the events of the deal before the others. Players' cards that were not printed follow from
        later lines: first those shown at the keyboard, in order, then those played, then those declared; the
        rest remains unknown."""
        deals = [self.deals[seat] for seat in sorted(self.deals)]
        in_dealt_order = self.deals or (self.own if self.events else ())
        if not deals and self.events:
            deals = [Event(Action.DEAL_HAND, seat, self.first, self._known(seat)) for seat in range(SEATS)]
        score = self._score_before()
        detail = opening(
            self.dialect,
            self.dealer,
            players=self._players(),
            score=list(score) if score else None,
            dealt_order=[seat in in_dealt_order for seat in range(SEATS)],
        )
        self.events = [Event(Action.DEAL_OPEN, line=self.first, detail=detail), *deals, *self.events]

    def _players(self) -> list[dict[str, str]]:
        """The players: one who was asked at the keyboard is a person, one who acted without that a
        program."""
        acted = {event.seat for event in self.events if event.action in _ACTS}
        kinds = dict.fromkeys(acted, "computer") | dict.fromkeys(self.prompted, "human")
        return [
            {"name": as_text(name, _CODE_PAGE)} | ({"kind": kinds[seat]} if seat in kinds else {})
            for seat, name in enumerate(self.names.seats)
        ]

    def _known(self, seat: int) -> bytes:
        shown = [event for event in self.events if event.seat == seat and event.cards]
        played = b"".join(event.cards for event in shown if event.action == Action.PLAY_CARD)
        declared = b"".join(event.cards for event in shown if event.action == Action.MELD_DECLARE)
        known = dict.fromkeys([*self.own.get(seat, b""), *played, *sorted(declared)])
        return bytes(known)[:HAND_CARDS].ljust(HAND_CARDS, bytes([UNKNOWN]))

    def _seats(self, name: bytes, *words: bytes) -> tuple[int, ...]:
        """The seats that a name may mean, with or without one of some words before it."""
        seats = find_name(self.names.seats, name, *words)
        require(bool(seats), *WRONG_NAME)
        return seats

    # ---------------------------------------------------------------- the deal

    @LINES.on("sharing")
    @LINES.on("declarations", ("trump",))
    def _begins(self) -> None:
        """The hand or its declarations follow."""

    @LINES.on("dealer")
    def _names_dealer(self, dialect: str, name: bytes) -> None:
        self.dealer, self.dialect = self._seats(name)[0], dialect

    @LINES.on("hand_cards", ("dealer", "hand_cards"))
    def _deals(self, seat: int, cards: bytes) -> None:
        require(seat not in self.deals, *MISPLACED)
        codes = parse_cards(cards)
        require(len(codes) == HAND_CARDS, *WRONG_NUMBER)
        self.deals[seat] = Event(Action.DEAL_HAND, seat, self.index, codes)

    # ---------------------------------------------------------------- a turn

    @LINES.on("header")
    def _speaks(self, name: bytes) -> None:
        """The name of the player whose bid or card comes next."""
        require(self.step not in RESULTS, *MISPLACED)
        require(self.step in _READY and not self._awaits_trick(), *MISSING)
        self.speaker = self._seats(name)[0]

    @LINES.on("must", _TURN)
    def _must_bid(self, must: bool) -> None:
        require(must == (self.speaker == self.dealer), *WRONG_MUST)

    @LINES.on("bid_pass", ("header",))
    @LINES.on("trump", ("header",))
    def _bids(self, name: bytes, suit: int = NO_SUIT) -> None:
        require(self.speaker in self._seats(name, b"Player "), *MISPLACED)
        self.add(Action.BID_PASS if suit == NO_SUIT else Action.BID_TRUMP, self.speaker, suit=suit)

    @LINES.on("choice", _TURN)
    @LINES.on("prompt", _TURN)
    def _is_asked(self, behind: bytes = b"") -> None:
        self.prompted.add(self.speaker)

    @LINES.on("own_cards", _TURN)
    def _sees_cards(self, cards: bytes) -> None:
        """The cards that a person is shown: six while bidding, later the whole hand."""
        self.prompted.add(self.speaker)
        seat, codes, is_bidding = self.speaker, parse_cards(cards), self.step == "header"
        expected = SEEN_IN_BIDDING if is_bidding else self.left[seat]
        require(len(codes) == expected, *WRONG_NUMBER)
        if is_bidding or expected == HAND_CARDS:
            require(codes.startswith(self.own.get(seat, b"")), *CONTRADICTS)
            self.own[seat] = codes

    # ---------------------------------------------------------------- declarations

    @LINES.on("no_declaration", _MELDS)
    def _declares_nothing(self) -> None:
        require(self.step != "trump", *MISSING)
        require(self.step == "declarations", *CONTRADICTS)

    @LINES.on("declaration", _MELDS)
    def _declares(self, name: bytes, sets: bytes) -> None:
        """The sets of a player, ``{PIK ♠ X, PIK ♠ IX, PIK ♠ VIII}, {…}``. The program writes tDeclarations
        for all players but the first."""
        require(self.step != "trump", *MISSING)
        require(self.step != "no_declaration", *CONTRADICTS)
        seat = self._seats(name, b"Declarations ", b"tDeclarations ")[0]
        runs = re.findall(rb"\{([^}]*)\}", sets)
        require(len(runs) <= MOST_SETS, *WRONG_NUMBER)
        for cards in runs:
            self.add(Action.MELD_DECLARE, seat, parse_cards(cards))

    # ---------------------------------------------------------------- play

    def _awaits_trick(self) -> bool:
        """Whether a trick is complete, but its taker has not been reported."""
        return self.step == "card" and sum(self.left) % SEATS == 0

    @LINES.on("bela", ("turn",))
    def _says_bela(self) -> None:
        self.add(Action.MELD_BELA, self.speaker)

    @LINES.on("card", ("turn", "bela"))
    def _plays(self, card: bytes) -> None:
        require(self.left[self.speaker] > 0, *MISPLACED)
        self.add(Action.PLAY_CARD, self.speaker, parse_cards(card))
        self.left[self.speaker] -= 1

    @LINES.on("trick", ("card",))
    def _takes_trick(self, points: int, name: bytes) -> None:
        require(self._awaits_trick(), *MISPLACED)
        self.add(Action.SCORE_TRICK, self._seats(name)[0], amount=points)

    # ---------------------------------------------------------------- the result

    def _team(self, name: bytes) -> int:
        team = find_name(self.names.pairs, name)
        require(bool(team), *WRONG_NAME)
        return team[0]

    def _has_points(self) -> bool:
        """Whether the last step was the pairs' points in the hand, or a line that follows from them."""
        if self.step == "pair_points":
            return self.section is self.taken and len(self.taken) == TEAMS
        return self.step in ("all_tricks", "failed", "final_points")

    @LINES.on("points")
    def _counts_points(self) -> None:
        """The pairs' points in the hand follow."""
        require(self.step not in RESULTS, *MISPLACED)

    @LINES.on("totals")
    def _counts_totals(self) -> None:
        """The pairs' points in the match follow."""
        require(self._has_points(), *MISSING)
        if self.loser != NO_SEAT and not self.final_points:
            self.add(Action.SCORE_HAND, self.loser, amount=0)
        self.section = []

    @LINES.on("pair_points")
    def _has(self, name: bytes, points: int) -> None:
        team = self._team(name)
        follows = self.step in ("points", "pair_points", "totals")
        require(follows and len(self.section) == team, *MISPLACED)
        self.section.append(points)
        action = Action.SCORE_POINTS if self.section is self.taken else Action.SCORE_MATCH
        self.add(action, team, amount=points)

    @LINES.on("final_points")
    def _scores(self, a: int, b: int) -> None:
        """What both teams score."""
        require(self._has_points() and not self.final_points, *MISPLACED)
        self.final_points = [a, b]
        require(self.loser == NO_SEAT or self.final_points[self.loser] == 0, *CONTRADICTS)
        for team, amount in enumerate(self.final_points):
            self.add(Action.SCORE_HAND, team, amount=amount)

    @LINES.on("failed")
    def _fails(self, name: bytes) -> None:
        """The pair has not made its contract, and scores nothing."""
        team = self._team(name)
        require(self.loser == NO_SEAT and not self.final_points and self.section is self.taken, *MISPLACED)
        require(self._has_points(), *MISSING)
        self.loser = team

    @LINES.on("all_tricks")
    def _takes_all(self, name: bytes) -> None:
        """The pair has taken all tricks, and the other one scores nothing."""
        self.loser = 1 - self._team(name)
        require(self.step not in RESULTS, *MISPLACED)

    @LINES.on("won")
    def _wins(self, name: bytes) -> None:
        """[R16] The winner of the match."""
        team, totals = self._team(name), self.section
        require(totals is not self.taken and len(totals) == TEAMS, *MISPLACED)
        require(totals[team] >= GAME_POINTS and totals[team] > totals[1 - team], *CONTRADICTS)

    # ---------------------------------------------------------------- the score of the match

    def _scored(self) -> Score:
        """What the teams score in the hand by the text; empty if it does not say."""
        if self.final_points or len(self.taken) < TEAMS:
            return tuple(self.final_points)
        if self.loser == NO_SEAT:
            return tuple(self.taken)
        return tuple(sum(self.taken) * (team != self.loser) for team in range(TEAMS))

    def _score_before(self) -> Score | None:
        """The score before the hand, if known: of two possible ones, the one that agrees with the totals
        after the hand."""
        fitting = [score for score in self.scores_before if _sum(score, self._scored()) == self.after]
        return next(iter(fitting or self.scores_before), None)

    @property
    def begins_match(self) -> bool:
        """Whether its points are all that the pairs have after it."""
        return self.fault is None and self.is_ended and self.after == tuple(self._scored())

    def next_scores(self) -> list[Score]:
        """The possible scores before the next hand: the printed one, and the sum of the score before this
        hand and its points. If they differ, one of them is damaged, and so is this hand. After lines that
        can't be read only the totals count."""
        if not self.is_hand:
            return self.scores_before
        scores = [self.after] if self.is_ended else []
        before, scored = self._score_before(), self._scored()
        if before and scored and not self.fault:
            scores.append(_sum(before, scored))
        return [*dict.fromkeys(scores)]


def _sum(score: Score, scored: Score) -> Score:
    return tuple(map(add, score, scored))
