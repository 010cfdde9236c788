"""The lines of a hand, and the events that they tell of."""

import re
from typing import Any, Final

from cardlog.models.hold_em.state import HOLE_CARDS, MOST_CHIPS
from cardlog.models.poker import table
from cardlog.models.poker.chips import MOST_SEATS
from cardlog.models.poker.ranks import HAND_CARDS
from cardlog.pipelines.readers.pokerstars.header import Header, amount
from cardlog.schemas import cards
from cardlog.schemas.events import NO_AMOUNT, NO_SEAT, Action
from cardlog.schemas.reasons import Reason

_AMOUNT: Final = r"[^\d\s,.]*([\d.,]+)[^\d\s,.)]*"
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
_DRAWN: Final = re.compile(r"Dealt to (.*) \[([^\[\]]*)\] \[([^\[\]]*)\]")
_DISCARDED: Final = re.compile(r" (\d) cards?(?: \[([^\[\]]*)\])?")
_NUMBER: Final = re.compile(r"[\d.,]*\d")
_COLLECTED: Final = re.compile(rf"(?P<name>.*) collected {_AMOUNT} from (?:(?:main|side) )?pot.*")
_UNCALLED: Final = re.compile(rf"Uncalled bet \({_AMOUNT}\) returned to (?P<name>.*)")
_CASH_OUT: Final = re.compile(rf"(?P<name>.*) cashed out the hand for {_AMOUNT}.*")
_TOTAL: Final = re.compile(rf"Total pot {_AMOUNT}.*\| Rake {_AMOUNT}.*")
_NAMED: Final = re.compile(r"Seat (\d+)")
_MUCKED: Final = re.compile(r"Seat (\d+): .* (?:mucked|showed) \[(.*?)\].*")
_STREETS: Final = ("FLOP", "TURN", "RIVER")
_REPORTS: Final = (
    Action.SCORE_UNCALLED, Action.SCORE_HAND, Action.SCORE_CASH_OUT, Action.SCORE_RAKE, Action.SCORE_POT
)  # fmt: skip
"""What the text reports of a hand, in the order of the events."""
_HIDDEN: Final = bytes([cards.UNKNOWN])
_HAND_CARDS: Final = {"hold_em": HOLE_CARDS, "five_card_draw": HAND_CARDS}

Event = tuple[int, int, int, int, bytes]
"""Action, seat, amount, line and cards."""


class Trouble(Exception):
    """Why a hand can't be read: a reason, the line's index in the hand, and what is wrong with it."""

    def __init__(self, reason: Reason, line: int, what: str) -> None:
        super().__init__(what)
        self.reason, self.line, self.what = reason, line, what


class _NoCard(ValueError):
    """A word that is no card."""


def _card_codes(text: str) -> bytes:
    """The codes of cards, ``Ah Td``. Raises _NoCard."""
    try:
        return bytes(cards.code(word.upper()) for word in text.split())
    except ValueError:
        raise _NoCard("the cards are 23456789TJQKA of c d h s") from None


class Hand:
    """What the lines of a hand tell. Seats are counted from 0.

    lines
        All of its lines, the header first.

    Raises Trouble.
    """

    def __init__(self, lines: list[str], header: Header) -> None:
        self.header, self.line = header, 0
        self._hand_cards = _HAND_CARDS[header.played]
        self.about = dict(header.about)
        self.dealer = -1
        self.seats: dict[str, int] = {}
        self._chips: dict[int, int] = {}
        self._acted: set[int] = set()
        self._events: list[Event] = []
        self._bets: dict[int, int] = {}
        self._hole: dict[int, bytes] = {}
        self._deal_at = -1  # the index in `_events` at which the cards are dealt
        self._boards = 1
        self._big_blind = 0
        self._shown: set[int] = set()
        self._later: list[Event] = []  # what is shown when the hand is over
        self._won: dict[int, int] = {}
        self._reports: dict[int, list[Event]] = {}  # by action
        self._summed_up: set[int] | None = None  # the seats that the summary has told of, None before it
        for self.line, line in enumerate(lines[1:], 1):
            try:
                self._read(line)
            except (ValueError, IndexError) as error:
                reason = Reason.UNKNOWN_CARD if isinstance(error, _NoCard) else Reason.UNPARSABLE
                raise Trouble(reason, self.line, f"can't be read: {error}") from error
        self.present = {seat: name for name, seat in self.seats.items() if seat in self._acted}

    @property
    def is_over(self) -> bool:
        """Whether nothing of its text is missing, even if the text ends with it."""
        return self._summed_up is not None and self._summed_up.issuperset(self.present)

    def _add(self, action: int, seat: int = NO_SEAT, amount: int = NO_AMOUNT, codes: bytes = b"") -> None:
        self._events.append((action, seat, amount, self.line, codes))

    def _report(self, action: int, seat: int, text: str) -> None:
        event = (action, seat, self._amount(text), self.line, b"")
        self._reports.setdefault(action, []).append(event)

    def _amount(self, text: str) -> int:
        return amount(text, self.header.unit)

    def _seat(self, name: str) -> int:
        if name not in self.seats:
            raise ValueError(f"no seat is {name}'s")
        return self.seats[name]

    def _read(self, line: str) -> None:
        """Note what a line says."""
        if self._summed_up is not None:
            self._summary(line, self._summed_up)
        elif line.startswith("*** "):
            self._street(line)
        elif (found := _ACTION.fullmatch(line)) and found["name"] in self.seats:
            self._action(self.seats[found["name"]], found["verb"], found["rest"])
        elif line.startswith("Dealt to ") and (dealt := _DEALT.fullmatch(line)):
            self._deal(line, dealt)
        elif line.startswith("Seat ") and (seat := _SEAT.fullmatch(line)):
            self.seats[seat[2]] = int(seat[1]) - 1
            self._chips[int(seat[1]) - 1] = self._amount(seat[3])
        elif collected := _COLLECTED.fullmatch(line):
            seat_no = self._seat(collected["name"])
            won = self._won.get(seat_no, 0) + self._amount(collected[2])
            self._won[seat_no] = min(won, MOST_CHIPS)
        elif uncalled := _UNCALLED.fullmatch(line):
            self._report(Action.SCORE_UNCALLED, self._seat(uncalled["name"]), uncalled[1])
        elif cashed := _CASH_OUT.fullmatch(line):
            self._report(Action.SCORE_CASH_OUT, self._seat(cashed["name"]), cashed[2])
        elif line.startswith("Table '") and (about := _TABLE.fullmatch(line)):
            self.about["table"] = about["name"]
            self.about |= {"seat_count": int(about["seats"])} if about["seats"] else {}
            self.about |= {"play_money": True} if "(Play Money)" in about["rest"] else {}
            self.dealer = int(about["button"] or 0) - 1
        elif line == "Hand cancelled":
            raise Trouble(Reason.INCOMPLETE, self.line, "says that the hand was not played to its end")

    def _street(self, line: str) -> None:
        found = _STREET.fullmatch(line)
        name = found["name"] if found else ""
        if found and found["run"] == "SECOND":
            self._boards = 2
        if name in ("HOLE CARDS", "DEALING HANDS"):
            self._deal_at = len(self._events)
        elif name == "SUMMARY":
            self._summed_up = set()
        elif found and name in _STREETS:
            self._bets = {}
            second = 2 if found["run"] == "SECOND" else NO_AMOUNT
            if not found["cards"]:
                raise ValueError("its cards are missing")
            self._add(Action.DEAL_BOARD, NO_SEAT, second, _card_codes(found["cards"]))

    def _action(self, seat: int, verb: str, rest: str) -> None:
        self._acted.add(seat)
        if verb == "posts":
            self._post(seat, rest)
            return
        if self._deal_at < 0:
            self._deal_at = len(self._events)
        if verb == "folds":
            self._add(Action.BID_FOLD, seat)
            if "[" in rest:
                self._show(seat, rest)
        elif verb == "checks":
            self._add(Action.BID_CHECK, seat)
        elif verb in ("calls", "bets", "raises"):
            before = self._bets.get(seat, 0)
            to = self._amount(_NUMBER.findall(rest)[verb == "raises"])
            paid = to - before if verb == "raises" else to
            self._add(Action.BID_CALL if verb == "calls" else Action.BID_RAISE, seat, paid)
            self._bets[seat] = before + paid
        elif verb in ("discards", "stands pat"):
            self._discard(seat, rest if verb == "discards" else "")
        elif verb == "shows":
            self._show(seat, rest)
        elif verb == "mucks hand" and seat not in self._shown:
            self._shown.add(seat)
            self._add(Action.SCORE_SHOW, seat, NO_AMOUNT, _HIDDEN * self._hand_cards)

    def _deal(self, line: str, dealt: re.Match[str]) -> None:
        """Cards dealt to the player who saved the text; or those that he has kept in the draw, and those
        drawn."""
        drawn = _DRAWN.fullmatch(line) if dealt[1] not in self.seats else None
        seat = self._seat(drawn[1] if drawn else dealt[1])
        if not drawn:
            self._hole[seat], self.about["hero"] = _card_codes(dealt[2]), seat
            return
        kept, new = _card_codes(drawn[2]), _card_codes(drawn[3])
        for index, (action, acted, _, line_no, codes) in enumerate(self._events):
            if acted == seat and action == Action.PLAY_DISCARD and _HIDDEN in codes:
                gone = bytes(card for card in self._hole.get(seat, b"") if card not in kept)
                self._events[index] = (action, seat, NO_AMOUNT, line_no, gone)
            elif acted == seat and action == Action.DEAL_DRAW:
                self._events[index] = (action, seat, NO_AMOUNT, self.line, new)

    def _discard(self, seat: int, text: str) -> None:
        """Cards exchanged. What is drawn for them is not known until `_deal`."""
        self._bets = {}
        found = _DISCARDED.fullmatch(text)
        if text and not found:
            raise ValueError("how many cards are discarded is not known")
        hidden = _HIDDEN * (int(found[1]) if found else 0)
        self._add(Action.PLAY_DISCARD, seat, codes=_card_codes(found[2]) if found and found[2] else hidden)
        if hidden:
            self._add(Action.DEAL_DRAW, seat, codes=hidden)

    def _post(self, seat: int, text: str) -> None:
        found = _POST.fullmatch(text)
        if not found:
            raise ValueError("what is posted is not known")
        what, paid = found["what"], self._amount(found[2])
        if what == "ante":
            self._add(Action.BID_ANTE, seat, paid)
            return
        if what == "small blind" and self._big_blind:  # one that was missed
            self._add(Action.BID_DEAD, seat, paid)
            return
        if what.startswith("small & big"):
            dead = paid - min(paid, self._big_blind or self.header.big)
            if dead:
                self._add(Action.BID_DEAD, seat, dead)
            paid -= dead
        elif what == "big blind":
            self._big_blind = max(self._big_blind, paid)
        self._add(Action.BID_BLIND, seat, paid)
        self._bets[seat] = self._bets.get(seat, 0) + paid

    def _show(self, seat: int, text: str) -> None:
        """Cards that a player shows; those shown once the hand is over, or only one, come at the end."""
        found = _SHOWN.fullmatch(text)
        codes = _card_codes(found[1]) if found else b""
        if seat in self._shown or not codes:
            return
        self._shown.add(seat)
        if len(codes) == self._hand_cards:
            self._add(Action.SCORE_SHOW, seat, NO_AMOUNT, codes)
        else:
            codes = codes.ljust(self._hand_cards, _HIDDEN)
            self._later.append((Action.SCORE_SHOW, seat, NO_AMOUNT, self.line, codes))

    def _summary(self, line: str, summed_up: set[int]) -> None:
        if total := _TOTAL.fullmatch(line):
            self._report(Action.SCORE_RAKE, NO_SEAT, total[2])
            self._report(Action.SCORE_POT, NO_SEAT, total[1])
        elif named := _NAMED.match(line):
            summed_up.add(int(named[1]) - 1)
            if found := _MUCKED.fullmatch(line):
                seat, codes = int(found[1]) - 1, _card_codes(found[2])
                if seat in self._acted and len(codes) == self._hand_cards:
                    self._later.append((Action.SCORE_SHOW, seat, NO_AMOUNT, self.line, codes))

    def events(self) -> list[Event]:
        """All events but the opening. What is reported comes after the hand."""
        shows = [event for event in self._events if event[0] == Action.SCORE_SHOW]
        shown = {seat for _, seat, _, _, codes in shows if _HIDDEN not in codes}
        later = [event for event in self._later if event[1] not in shown and event[1] in self.present]
        deals = [
            (Action.DEAL_HAND, seat, NO_AMOUNT, 0, self._hole.get(seat, _HIDDEN * self._hand_cards))
            for seat in sorted(self.present, key=lambda seat: (seat - self.dealer - 1) % MOST_SEATS)
        ]
        at = self._deal_at if self._deal_at >= 0 else len(self._events)
        wins = [(Action.SCORE_HAND, seat, chips, self.line, b"") for seat, chips in self._won.items()]
        reports = self._reports | {Action.SCORE_HAND: wins}
        ends = [event for action in _REPORTS for event in reports.get(action, ())]
        return [*self._events[:at], *deals, *self._events[at:], *later, *ends]

    def opening(self) -> str:
        """The opening's detail. With fixed limits the stakes are the two bets, but in some tournaments the
        blinds: then the big blind is the second of them."""
        header, present = self.header, self.present
        small, big = header.big, header.big
        if header.structure == "fixed_limit":
            is_blinds = self._big_blind == header.big
            small, big = (header.big, 2 * header.big) if is_blinds else (header.small, header.big)
        settings: dict[str, Any] = {
            "ante_trimming": True, "big_bet": big, "currency": header.currency, "dialect": "pokerstars",
            "small_bet": small, "structure": header.structure, "unit": header.unit,
        }  # fmt: skip
        seats = range(max(*present, self.dealer) + 1)
        players = [{"name": present[seat]} if seat in present else None for seat in seats]
        chips = [self._chips[seat] if seat in present else 0 for seat in seats]
        return table.opening(settings, self.dealer, players, chips, boards=self._boards, about=self.about)
