"""The lines of a hand, and the events that they tell of."""

import re
from typing import Any, Final, NamedTuple

from cardlog.models.hold_em.state import HOLE_CARDS, SEATS
from cardlog.pipelines.readers.pokerstars.header import Header, amount
from cardlog.schemas import cards
from cardlog.schemas.events import NO_AMOUNT, NO_SEAT, Action
from cardlog.schemas.reasons import Reason

_AMOUNT: Final = r"[^\d\s,.]*([\d.,]+)"
_TABLE: Final = re.compile(
    r"Table '(?P<name>.*)'(?: (?P<seats>\d+)-max)?(?P<rest>.*?)(?: Seat #(?P<button>\d+) is the button)?"
)
_SEAT: Final = re.compile(rf"Seat (\d+): (.*) \({_AMOUNT} in chips.*\).*")
_ACTION: Final = re.compile(
    r"(?P<name>.*): (?P<verb>folds|checks|calls|bets|raises|posts|shows|mucks hand|discards|stands pat)\b"
    r"(?P<rest>.*)"
)
_POST: Final = re.compile(rf" (?:the |a )?(?P<what>.*?) ?{_AMOUNT}(?: and is all-in)?")
_STREET: Final = re.compile(
    r"\*\*\* (?:(?P<run>FIRST|SECOND) )?(?P<name>[A-Z0-9 ]+) \*\*\*.*?(?:\[(?P<cards>[^\[\]]*)\])?"
)
_SHOWN: Final = re.compile(r".*?\[([^\]]*)\].*")
_DEALT: Final = re.compile(r"Dealt to (.*) \[([^\[\]]*)\]")
_NUMBER: Final = re.compile(_AMOUNT)
_COLLECTED: Final = re.compile(rf"(?P<name>.*) collected {_AMOUNT} from (?:(?:main|side) )?pot.*")
_UNCALLED: Final = re.compile(rf"Uncalled bet \({_AMOUNT}\) returned to (?P<name>.*)")
_CASH_OUT: Final = re.compile(rf"(?P<name>.*) cashed out the hand for {_AMOUNT}.*")
_TOTAL: Final = re.compile(rf"Total pot {_AMOUNT}.*\| Rake {_AMOUNT}.*")
_MUCKED: Final = re.compile(r"Seat (\d+): .* (?:mucked|showed) \[(.*?)\].*")
_STREETS: Final = ("FLOP", "TURN", "RIVER")
_HIDDEN: Final = bytes([cards.UNKNOWN])

Event = tuple[int, int, int, int, bytes]
"""Action, seat, amount, line and cards."""


class Trouble(Exception):
    """Why a hand can't be read: a reason, the line's index in the hand, and what is wrong with it."""

    def __init__(self, reason: Reason, line: int, what: str) -> None:
        super().__init__(what)
        self.reason, self.line, self.what = reason, line, what


class Parsed(NamedTuple):
    """A hand that was read: what its opening says, its events, and whether its summary is there."""

    dealer: int
    names: dict[int, str]
    chips: dict[int, int]
    about: dict[str, Any]
    boards: int
    big_blind: int
    events: list[Event]
    is_whole: bool


class NoCard(ValueError):
    """A word that is no card."""


def card_codes(text: str) -> bytes:
    """The codes of cards, ``Ah Td``. Raises NoCard."""
    try:
        return bytes(cards.code(word.upper()) for word in text.split())
    except ValueError:
        raise NoCard("the cards are 23456789TJQKA of c d h s") from None


def parse_hand(lines: list[str], header: Header) -> Parsed:
    """The hand in some lines, the first of which is the header. Raises Trouble."""
    parser = _Parser(header)
    for index, line in enumerate(lines):
        if index == 0 or not line:
            continue
        parser.line = index
        try:
            parser.read(line)
        except (ValueError, IndexError, KeyError) as error:
            if index == len(lines) - 1 and not parser.in_summary:
                break  # the text is cut in this line
            reason = Reason.UNKNOWN_CARD if isinstance(error, NoCard) else Reason.UNPARSABLE
            raise Trouble(reason, index, f"can't be read: {error}") from error
    return parser.result()


class _Parser:
    """What is known of a hand after some of its lines. Seats are counted from 0."""

    def __init__(self, header: Header) -> None:
        self.header, self.line = header, 0
        self.seats: dict[str, int] = {}
        self.chips: dict[int, int] = {}
        self.acted: set[int] = set()
        self.about: dict[str, Any] = {}
        self.dealer = -1
        self.events: list[Event] = []
        self.bets: dict[int, int] = {}
        self.hole: dict[int, bytes] = {}
        self.deal_at = -1  # the index in `events` at which the cards are dealt
        self.board = 0
        self.boards = 1
        self.big_blind = 0
        self.shown: set[int] = set()
        self.later: list[Event] = []  # what is shown when the hand is over
        self.won: dict[int, int] = {}
        self.uncalled: list[Event] = []
        self.total: list[Event] = []
        self.in_summary = self.at_showdown = False

    def amount(self, text: str) -> int:
        return amount(text, self.header.unit)

    def add(self, action: int, seat: int = NO_SEAT, amount: int = NO_AMOUNT, codes: bytes = b"") -> None:
        self.events.append((action, seat, amount, self.line, codes))

    def read(self, line: str) -> None:
        """Note what a line says."""
        if self.in_summary:
            self._summary(line)
        elif line.startswith("*** "):
            self._street(line)
        elif (found := _ACTION.fullmatch(line)) and found["name"] in self.seats:
            self._action(self.seats[found["name"]], found["verb"], found["rest"])
        elif line.startswith("Dealt to ") and (dealt := _DEALT.fullmatch(line)):
            self.hole[self.seats[dealt[1]]] = card_codes(dealt[2])
            self.about["hero"] = self.seats[dealt[1]]
        elif line.startswith("Seat ") and (seat := _SEAT.fullmatch(line)):
            number = int(seat[1]) - 1
            self.seats[seat[2]], self.chips[number] = number, self.amount(seat[3])
        elif collected := _COLLECTED.fullmatch(line):
            seat_no = self.seats[collected["name"]]
            self.won[seat_no] = self.won.get(seat_no, 0) + self.amount(collected[2])
        elif uncalled := _UNCALLED.fullmatch(line):
            seat_no = self.seats[uncalled["name"]]
            self.uncalled.append((Action.SCORE_UNCALLED, seat_no, self.amount(uncalled[1]), self.line, b""))
        elif cashed := _CASH_OUT.fullmatch(line):
            seat_no = self.seats[cashed["name"]]
            self.total.append((Action.SCORE_CASH_OUT, seat_no, self.amount(cashed[2]), self.line, b""))
        elif line.startswith("Table '") and (table := _TABLE.fullmatch(line)):
            self.about["table"] = table["name"]
            self.about |= {"seats": int(table["seats"])} if table["seats"] else {}
            self.about |= {"play_money": True} if "(Play Money)" in table["rest"] else {}
            self.dealer = int(table["button"] or 0) - 1

    def _street(self, line: str) -> None:
        found = _STREET.fullmatch(line)
        name = found["name"] if found else ""
        if found and found["run"] == "SECOND":
            self.boards = 2
        if name == "HOLE CARDS":
            self.deal_at = len(self.events)
        elif name == "SUMMARY":
            self.in_summary = True
        elif name == "SHOW DOWN":
            self.at_showdown = True
        elif found and name in _STREETS:
            self.bets = {}
            second = 2 if found["run"] == "SECOND" else NO_AMOUNT
            if not found["cards"]:
                raise ValueError("its cards are missing")
            self.add(Action.DEAL_BOARD, NO_SEAT, second, card_codes(found["cards"]))

    def _action(self, seat: int, verb: str, rest: str) -> None:
        self.acted.add(seat)
        if verb == "posts":
            self._post(seat, rest)
            return
        if self.deal_at < 0:
            self.deal_at = len(self.events)
        if verb == "folds":
            self.add(Action.BID_FOLD, seat)
            if "[" in rest:
                self._show(seat, rest)
        elif verb == "checks":
            self.add(Action.BID_CHECK, seat)
        elif verb in ("calls", "bets"):
            paid = self._paid(seat, rest)
            self.add(Action.BID_CALL if verb == "calls" else Action.BID_RAISE, seat, paid)
        elif verb == "raises":
            to = self.amount(_NUMBER.findall(rest)[1])
            self.add(Action.BID_RAISE, seat, to - self.bets.get(seat, 0))
            self.bets[seat] = to
        elif verb == "shows":
            self._show(seat, rest)
        elif verb == "mucks hand" and seat not in self.shown:
            self.shown.add(seat)
            self.add(Action.SCORE_SHOW, seat, NO_AMOUNT, _HIDDEN * HOLE_CARDS)

    def _paid(self, seat: int, text: str) -> int:
        paid = self.amount(_NUMBER.findall(text)[0])
        self.bets[seat] = self.bets.get(seat, 0) + paid
        return paid

    def _post(self, seat: int, text: str) -> None:
        found = _POST.fullmatch(text)
        if not found:
            raise ValueError("what is posted is not known")
        what, paid = found["what"], self.amount(found[2])
        if what == "ante":
            self.add(Action.BID_ANTE, seat, paid)
            return
        if what == "small blind" and self.big_blind:  # one that was missed
            self.add(Action.BID_DEAD, seat, paid)
            return
        if what.startswith("small & big"):
            dead = paid - min(paid, self.big_blind or self.header.big)
            if dead:
                self.add(Action.BID_DEAD, seat, dead)
            paid -= dead
        elif what == "big blind":
            self.big_blind = max(self.big_blind, paid)
        self.add(Action.BID_BLIND, seat, paid)
        self.bets[seat] = self.bets.get(seat, 0) + paid

    def _show(self, seat: int, text: str) -> None:
        """Cards that a player shows; those shown once the hand is over, or only one, come at the end."""
        found = _SHOWN.fullmatch(text)
        codes = card_codes(found[1]) if found else b""
        if seat in self.shown or not codes:
            return
        self.shown.add(seat)
        if len(codes) == HOLE_CARDS:
            self.add(Action.SCORE_SHOW, seat, NO_AMOUNT, codes)
        else:
            self.later.append((Action.SCORE_SHOW, seat, NO_AMOUNT, self.line, codes + _HIDDEN))

    def _summary(self, line: str) -> None:
        if total := _TOTAL.fullmatch(line):
            amounts = [self.amount(text) for text in total.groups()]
            for action, chips in zip((Action.SCORE_RAKE, Action.SCORE_POT), amounts[::-1], strict=True):
                self.total.append((action, NO_SEAT, chips, self.line, b""))
        elif found := _MUCKED.fullmatch(line):
            seat, codes = int(found[1]) - 1, card_codes(found[2])
            if seat in self.acted and len(codes) == HOLE_CARDS:
                self.later.append((Action.SCORE_SHOW, seat, NO_AMOUNT, self.line, codes))

    def result(self) -> Parsed:
        """The whole hand. What is reported comes after the hand: what was not called, wins, the rake, the
        pot."""
        present = {seat: name for name, seat in self.seats.items() if seat in self.acted}
        shows = [event for event in self.events if event[0] == Action.SCORE_SHOW]
        shown = {seat for _, seat, _, _, codes in shows if _HIDDEN not in codes}
        later = [event for event in self.later if event[1] not in shown and event[1] in present]
        deals = [
            (Action.DEAL_HAND, seat, NO_AMOUNT, 0, self.hole.get(seat, _HIDDEN * HOLE_CARDS))
            for seat in sorted(present, key=lambda seat: (seat - self.dealer - 1) % SEATS)
        ]
        at = self.deal_at if self.deal_at >= 0 else len(self.events)
        wins = [(Action.SCORE_HAND, seat, chips, self.line, b"") for seat, chips in self.won.items()]
        cashed = [event for event in self.total if event[0] == Action.SCORE_CASH_OUT]
        totals = [event for event in self.total if event[0] != Action.SCORE_CASH_OUT]
        events = [*self.events[:at], *deals, *self.events[at:]]
        if self.in_summary:
            events += [*later, *self.uncalled, *wins, *cashed, *totals]
        return Parsed(
            self.dealer, present, self.chips, self.about, self.boards, self.big_blind, events, self.in_summary
        )
