"""Turns the lines of a hand into events.

Lines must come in the order in which the programs print them; a missing or misplaced line rejects the hand.
Whether what was done is legal is judged later, when the whole deal is known.
"""

from collections.abc import Callable
from typing import Final

from cardlog.models.belote.state import GAME_POINTS, HAND_CARDS, SEEN_IN_BIDDING, opening
from cardlog.models.trick import SEATS
from cardlog.pipelines.readers import transcript
from cardlog.pipelines.readers.belot_transcript import lines as words
from cardlog.pipelines.readers.belot_transcript.names import NO_NAME, Match, Names, players_of
from cardlog.pipelines.readers.transcript import Event, Fault, Line, require
from cardlog.schemas.cards import NO_SUIT, UNKNOWN
from cardlog.schemas.events import NO_SEAT, Action
from cardlog.schemas.reasons import Reason

WHOLE, HALF, JUNK = range(3)
"""A hand; one without its beginning; lines that are not a hand."""
NOTHING: Final = (Reason.UNPARSABLE, "is not a line of a belot transcript")
WRONG_NAME: Final = (Reason.UNPARSABLE, "names a player or a pair that is not in this match")
MISPLACED: Final = (Reason.OUT_OF_ORDER, "can't come at this point of a hand")
MISSING: Final = (Reason.INCOMPLETE, "comes after a line that is missing")
WRONG_NUMBER: Final = (Reason.INCOMPLETE, "has the wrong number of cards")
CONTRADICTS: Final = (Reason.SCORE_MISMATCH, "contradicts an earlier line")

MOST_SETS: Final = 4
"""Most declarations in a line."""
UNANNOUNCED, ANNOUNCED, NONE, SHOWN = range(4)
"""What the text has reported of declarations so far."""
TEAMS: Final = 2
_IGNORED: Final = words.NOISE | {"blank"}
Score = tuple[int, int]


class Hand(transcript.Hand):
    """A hand, and the parser of its lines: its methods take what lines of a kind say, and raise a `Fault`.

    stray
        `WHOLE`, `HALF` or `JUNK`.
    totals
        The pairs' names and points in the lines of totals, with which it ends; None until they are found.
    names
        The players.
    befores
        The possible scores of the match before the hand, at most two.
    """

    match: Match

    def __init__(self, match: Match, first: int, stray: int) -> None:
        super().__init__(match, 0, first, first, index=first)
        self.stray = stray
        self.totals: list[tuple[bytes, int]] | None = None
        self.names, self.befores = Names(), list[Score]()
        self.dealer, self.dialect = NO_SEAT, 0
        self.deals: dict[int, Event] = {}  # as printed, by seat
        self.prompted = self.acted = 0  # seats that were asked at the keyboard, and that did something: bits
        self.speaker = NO_SEAT  # the seat whose header was read last, until it has acted
        self.is_named = False  # whether trump is
        self.plays = 0
        self.left = [HAND_CARDS] * SEATS  # cards in hand
        self.declared = UNANNOUNCED
        self.own: dict[int, bytes] = {}  # the cards that a person was shown first, by seat
        # The result by the text:
        self.section: list[int] | None = None  # `taken` or `after`, or neither yet
        self.taken: list[int] = []  # the pairs' points in the hand
        self.after: list[int] = []  # and in the match
        self.brings: list[int] = []  # what each team scores
        self.loser = NO_SEAT  # the team that scores nothing
        self.is_swept = False  # whether all tricks went to one side

    @property
    def is_ended(self) -> bool:
        """Whether its last line was found."""
        return self.totals is not None and len(self.totals) == TEAMS

    def read(self, lines: list[Line], names: Names, befores: list[Score]) -> None:
        """Turn the lines of the hand into events, or find its fault."""
        self.names, self.befores, self.is_hand = names, befores, self.stray != JUNK
        try:
            self._parse(lines)
            self._begin()
        except Fault as fault:
            self.fault, fault.line = fault, self.index if fault.line is None else fault.line

    def _parse(self, lines: list[Line]) -> None:
        first, last = self.first, self.last
        require(self.stray == WHOLE or lines[first].kind != "unknown", *NOTHING)
        require(self.stray == WHOLE, Reason.INCOMPLETE, "belongs to a hand whose beginning is missing")
        require(bool(self.names.seats), Reason.INCOMPLETE, "is in a match whose players are not named")
        for self.index in range(first, last + 1):
            kind, fields = lines[self.index]
            if kind in _IGNORED:
                continue
            handler = _HANDLERS.get(kind)
            if handler is None:
                raise Fault(*NOTHING)
            if self.dealer == NO_SEAT:
                require(kind in ("sharing", "dealer"), *MISSING)
            handler(self, **fields)
        if self.dealer == NO_SEAT:
            raise Fault(Reason.INCOMPLETE, "begins a hand that does not name its dealer", first)

    def _begin(self) -> None:
        """Put the events of the deal before the others. Hands that were not printed are derived from what is
        known later: the cards shown at the keyboard, in order, then those played, then those declared; the
        rest remains unknown."""
        deals = [self.deals[seat] for seat in sorted(self.deals)]
        ordered = self.deals or (self.own if self.events else ())
        if not deals and self.events:
            deals = [Event(Action.DEAL_HAND, seat, self.first, self._known(seat)) for seat in range(SEATS)]
        score = self._score()
        detail = opening(
            words.DIALECTS[self.dialect],
            self.dealer,
            players=players_of(self.names, self.prompted, self.acted),
            score=list(score) if score else None,
            dealt_order=[seat in ordered for seat in range(SEATS)],
        )
        self.events = [Event(Action.DEAL_OPEN, line=self.first, detail=detail), *deals, *self.events]

    def _known(self, seat: int) -> bytes:
        shown = [event for event in self.events if event.seat == seat and event.cards]
        played = b"".join(event.cards for event in shown if event.action == Action.PLAY_CARD)
        declared = b"".join(event.cards for event in shown if event.action == Action.MELD_DECLARE)
        known = dict.fromkeys([*self.own.get(seat, b""), *played, *sorted(declared)])
        return bytes(known)[:HAND_CARDS].ljust(HAND_CARDS, bytes([UNKNOWN]))

    # ---------------------------------------------------------------- the deal

    def _on_sharing(self) -> None:
        require(self.index == self.first, *MISPLACED)

    def _on_dealer(self, dialect: int, name: bytes) -> None:
        require(self.dealer == NO_SEAT, *MISPLACED)
        self.dealer, self.dialect = self._seat(name), dialect

    def _seat(self, name: bytes) -> int:
        seat = self.names.seat(name)
        require(seat != NO_NAME, *WRONG_NAME)
        return seat

    def _on_hand_cards(self, seat: int, cards: bytes | None) -> None:
        is_begun = self.events or self.speaker != NO_SEAT or seat in self.deals
        require(not is_begun, *MISPLACED)
        codes = words.known_cards(cards)
        require(len(codes) == HAND_CARDS, *WRONG_NUMBER)
        self.deals[seat] = Event(Action.DEAL_HAND, seat, self.index, codes)

    # ---------------------------------------------------------------- a turn

    def _turn(self) -> int:
        """The seat whose header was read."""
        require(self.speaker != NO_SEAT and self.section is None, *MISPLACED)
        return self.speaker

    def _end_turn(self) -> None:
        self.acted |= 1 << self.speaker
        self.speaker = NO_SEAT

    def _on_must(self, must: bool) -> None:
        is_right = must == (self._turn() == self.dealer)
        require(is_right, Reason.BAD_BID, "is wrong on whether the player must bid")

    def _on_bid_pass(self, name: bytes) -> None:
        self._bid(Action.BID_PASS, name, NO_SUIT)

    def _on_trump(self, name: bytes, suit: int) -> None:
        self._bid(Action.BID_TRUMP, name, words.SUIT_CODES[suit])
        self.is_named = True

    def _bid(self, action: int, name: bytes, suit: int) -> None:
        speaker = self._turn()
        require(not self.is_named, *MISPLACED)
        seat = self.names.seat_after(name, b"Player ", likely=speaker)
        require(seat != NO_NAME, *WRONG_NAME)
        require(seat == speaker, *MISPLACED)
        self.add(action, seat, suit=suit)
        self._end_turn()

    def _on_prompt(self, behind: bytes = b"") -> None:
        self.prompted |= 1 << self._turn()

    _on_choice = _on_prompt

    def _on_own_cards(self, cards: bytes) -> None:
        """The cards that a person is shown: six while bidding, later the whole hand."""
        self._on_prompt()
        seat, shown = self.speaker, cards.lstrip(b" ")
        require(len(shown) >= 2 and shown.startswith(b"[") and shown.endswith(b"]"), *NOTHING)
        codes = words.known_cards(words.parse_cards(shown[1:-1]))
        expected = self.left[seat] if self.is_named else SEEN_IN_BIDDING
        require(len(codes) == expected, *WRONG_NUMBER)
        if not self.is_named or expected == HAND_CARDS:
            require(codes.startswith(self.own.get(seat, b"")), *CONTRADICTS)
            self.own[seat] = codes

    # ---------------------------------------------------------------- declarations

    def _check_declarations(self) -> None:
        """They come before the first card."""
        is_time = self.is_named and not self.plays and self.speaker == NO_SEAT and self.section is None
        require(is_time, *MISPLACED)

    def _on_declarations(self) -> None:
        self._check_declarations()
        require(self.declared == UNANNOUNCED, *MISPLACED)
        self.declared = ANNOUNCED

    def _on_no_declaration(self) -> None:
        self._check_declarations()
        require(self.declared != UNANNOUNCED, *MISSING)
        require(self.declared == ANNOUNCED, *CONTRADICTS)
        self.declared = NONE

    def _on_declaration(self, name: bytes, sets: bytes) -> None:
        """The sets of one player, ``{PIK ♠ X, PIK ♠ IX, PIK ♠ VIII}, {…}]``. The program writes tDeclarations
        for all but the first one."""
        self._check_declarations()
        require(self.declared != UNANNOUNCED, *MISSING)
        require(self.declared != NONE, *CONTRADICTS)
        seat = self.names.seat_after(name, b"Declarations ", b"tDeclarations ")
        require(seat != NO_NAME, *WRONG_NAME)
        self.declared = SHOWN
        for _ in range(MOST_SETS):
            require(sets.startswith(b"{"), *NOTHING)
            cards, _, sets = sets[1:].partition(b"}")
            self.add(Action.MELD_DECLARE, seat, words.known_cards(words.parse_cards(cards)))
            if sets.startswith(b"]"):
                require(sets[1:2] in (b"", b" ", b"\r"), *NOTHING)
                return
            require(sets.startswith(b","), *NOTHING)
            sets = sets[2:]
        raise Fault(*WRONG_NUMBER)

    # ---------------------------------------------------------------- play

    def _awaits_trick(self) -> bool:
        """Whether a trick is complete, but its taker not yet reported."""
        return self.plays % SEATS == 0 and self.plays > 0 and self.events[-1].action == Action.PLAY_CARD

    def _check_play(self) -> None:
        require(self.section is None and not self.is_swept, *MISPLACED)

    def _on_header(self, name: bytes) -> None:
        """The seat whose bid or card comes next."""
        self._check_play()
        is_undeclared = self.is_named and self.declared in (UNANNOUNCED, ANNOUNCED)
        require(self.speaker == NO_SEAT and not self._awaits_trick() and not is_undeclared, *MISSING)
        self.speaker = self._seat(name)

    def _on_card(self, card: int | None) -> None:
        self._check_play()
        speaker = self.speaker
        require(speaker != NO_SEAT and self.is_named and self.left[speaker] > 0, *MISPLACED)
        if card is None:
            raise Fault(*words.BAD_CARD)
        self.add(Action.PLAY_CARD, speaker, bytes([card]))
        self.left[speaker] -= 1
        self.plays += 1
        self._end_turn()

    def _on_bela(self) -> None:
        self._check_play()
        is_time = self.speaker != NO_SEAT and self.is_named
        require(is_time and self.events[-1].action != Action.MELD_BELA, *MISPLACED)
        self.add(Action.MELD_BELA, self.speaker)

    def _on_trick(self, points: int, name: bytes) -> None:
        self._check_play()
        require(self._awaits_trick(), *MISPLACED)
        self.add(Action.SCORE_TRICK, self._seat(name), amount=points)

    # ---------------------------------------------------------------- the result

    def _check_result(self) -> None:
        """It comes after the last trick."""
        require(not any(self.left) and not self._awaits_trick(), *MISSING)

    def _team(self, name: bytes) -> int:
        self._check_result()
        team = self.names.team(name)
        require(team != NO_NAME, *WRONG_NAME)
        return team

    def _has_points(self) -> bool:
        return self.is_swept or (self.section is self.taken and len(self.taken) == TEAMS)

    def _has_totals(self) -> bool:
        return self.section is self.after and len(self.after) == TEAMS

    def _on_points(self) -> None:
        """The pairs' points in the hand follow."""
        self._check_result()
        self._check_play()
        self.section = self.taken

    def _on_totals(self) -> None:
        """The pairs' points in the match follow."""
        self._check_result()
        require(self._has_points(), *MISSING)
        if self.loser != NO_SEAT and not self.brings:
            self.add(Action.SCORE_HAND, self.loser, amount=0)
        self.section = self.after = []

    def _on_final_points(self, a: int, b: int) -> None:
        """What both teams score."""
        self._check_result()
        require(self._has_points() and not self.brings, *MISPLACED)
        self.brings = [a, b]
        require(self.loser == NO_SEAT or self.brings[self.loser] == 0, *CONTRADICTS)
        for team, amount in enumerate(self.brings):
            self.add(Action.SCORE_HAND, team, amount=amount)

    def _on_pair_points(self, name: bytes, points: int) -> None:
        team = self._team(name)
        if self.section is None or len(self.section) != team:
            raise Fault(*MISPLACED)
        action = Action.SCORE_POINTS if self.section is self.taken else Action.SCORE_MATCH
        self.section.append(points)
        self.add(action, team, amount=points)

    def _on_won(self, name: bytes) -> None:
        """[R16] The winner of the match."""
        team = self._team(name)
        require(self._has_totals(), *MISPLACED)
        require(self.after[team] >= GAME_POINTS and self.after[team] > self.after[1 - team], *CONTRADICTS)

    def _on_failed(self, name: bytes) -> None:
        """The pair has not made its contract, and scores nothing."""
        team = self._team(name)
        self._check_loser()
        require(self._has_points(), *MISSING)
        self.loser = team

    def _on_all_tricks(self, name: bytes) -> None:
        """The pair has taken all tricks, and the other one scores nothing."""
        team = self._team(name)
        self._check_loser()
        require(self.section is None, *MISPLACED)
        self.is_swept, self.loser = True, 1 - team

    def _check_loser(self) -> None:
        is_known = self.loser != NO_SEAT or self.brings or self.section is self.after
        require(not is_known, *MISPLACED)

    # ---------------------------------------------------------------- the score of the match

    def _reported(self) -> Score | None:
        """What the teams score in the hand by the text, if it says so."""
        if self.brings:
            return self.brings[0], self.brings[1]
        if self.is_swept or not (self.section is self.after or self._has_points()):
            return None
        taken = self.taken[0], self.taken[1]
        if self.loser == NO_SEAT:
            return taken
        return (0, sum(taken)) if self.loser == 0 else (sum(taken), 0)

    def _score(self) -> Score | None:
        """The score before the hand, if known: of two possible ones, the one that agrees with the totals
        after it."""
        if len(self.befores) < 2 or not self._has_totals():
            return self.befores[0] if self.befores else None
        brings = self._reported()
        fit = [one for one in self.befores if brings and [*_sum(one, brings)] == self.after]
        return fit[0] if fit else None

    def next_scores(self) -> list[Score]:
        """The possible scores before the next hand: the printed one, and the one that the hand's points add
        up to. If they differ, one of them is damaged, and so is this hand. After lines that can't be read
        only the totals count."""
        if self.stray == JUNK:
            return self.befores
        if self.fault:
            return [(self.totals[0][1], self.totals[1][1])] if self.totals and self.is_ended else []
        found = [(self.after[0], self.after[1])] if self._has_totals() else []
        score, brings = self._score(), self._reported()
        if score and brings:
            found.append(_sum(score, brings))
        return [*dict.fromkeys(found)]


def _sum(score: Score, brings: Score) -> Score:
    return score[0] + brings[0], score[1] + brings[1]


_HANDLERS: Final[dict[str, Callable[..., None]]] = {
    name.removeprefix("_on_"): handler for name, handler in vars(Hand).items() if name.startswith("_on_")
}
