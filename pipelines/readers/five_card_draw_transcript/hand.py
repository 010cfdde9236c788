"""The lines of a five-card draw hand: the bets, the draw, the showdown, and what the human sees and types.

Whether the rules allow it is judged later. Kept are only the chips, the human's cards and the hands shown, on
which the meaning of other lines depends."""

import re
from typing import Any, Final

from cardlog.models.five_card_draw import rules as game
from cardlog.models.five_card_draw.ranks import HAND_CARDS
from cardlog.pipelines.events.folding import fold_batch
from cardlog.pipelines.readers import transcript
from cardlog.pipelines.readers.base import Source
from cardlog.pipelines.readers.five_card_draw_transcript import lines as words
from cardlog.pipelines.readers.five_card_draw_transcript.lines import (
    AFTER,
    AMOUNT,
    ANYWHERE,
    CONTRADICTS,
    END,
    INFO,
    NEW_HAND,
    Wrong,
    of_hand,
    parse_cards,
)
from cardlog.pipelines.readers.five_card_draw_transcript.match import Match, seat_of
from cardlog.pipelines.readers.transcript import Fault, Text, require
from cardlog.schemas.cards import UNKNOWN
from cardlog.schemas.events import NO_AMOUNT, NO_SEAT, Action

_HIDDEN: Final = [bytes([UNKNOWN] * count) for count in range(HAND_CARDS + 1)]
_NUMBER: Final = re.compile(words.NUMBER)
_UNREPORTED: Final = [-1]
"""The human was asked for cards to swap, but the answer is not in the log or can't be read."""
_MUCKED: Final = b"back"
"""Of a hand that was mucked: its player gets chips back, but wins none with it."""
_NEITHER: Final = b""
"""Of a hand that was shown and mucked: no reward fits it."""
_SHUFFLED: Final = b"[CARDS] The deck has been shuffled."
_BETS: Final = {
    b"has checked.": Action.BID_CHECK, b"has folded.": Action.BID_FOLD, b"has called.": Action.BID_CALL,
    b"has gone all-in to call!": Action.BID_CALL, b"couldn't call but has gone all-in.": Action.BID_CALL,
}  # fmt: skip


class Hand(transcript.Hand):
    """A hand, and the parser of its lines; `table` is its match."""

    def __init__(self, match: Match, dealer: int, first: int, index: int) -> None:
        super().__init__(match, match.hands - 1, first, first, index=index)
        self.table, self.dealer = match, dealer
        self.given, self.ante, self.start = match.given, match.ante, match.before
        self.human, self.human_name = seat_of(match.human, match.names), match.human
        self.seats = {name: seat for seat, name in enumerate(match.names)}
        self.present = [seat for seat, chips in enumerate(self.start) if chips]
        self.staked = [0] * len(self.start)
        self.won: dict[int, int] = {}
        self.add(Action.DEAL_OPEN, NO_SEAT)
        self.seen: set[bytes] = set()  # lines that come once
        self.crashed = self.lost = False
        self.leaving: set[int] = set()
        self.standing: dict[int, int] = {}
        self.dealt: dict[int, int] = {}  # index of the event, by seat
        self.held: list[int] = []  # the human's cards, once they are known
        self.drawn = 0  # how many cards the human has drawn and not yet seen
        self.bet: int | None = None  # the last number that the human typed
        self.swap: list[int] | None = None  # which cards the human has said to swap
        self.shown: dict[int, bytes] = {}  # categories, by seat

    def blame(self, fault: Fault) -> None:
        """Note a fault; the first one counts."""
        if self.fault is None:
            self.fault = Fault(fault.reason, fault.what, self.index if fault.line is None else fault.line)

    def check(self, stage: int) -> None:
        """Whether such a line may come here. Raises Fault."""
        require(not self.drawn or stage in (NEW_HAND, ANYWHERE), *words.LINES_MISSING)
        require(not self.standing or stage in (AFTER, END, ANYWHERE), *words.WRONG_POINT)
        require(stage != END or self.all_stand(), *words.LINES_MISSING)
        require(stage != INFO or self.human is not None, *words.NO_HUMAN)
        require(stage != INFO or self.human in self.dealt, *words.WRONG_POINT)

    def is_asked(self, prompt: bytes) -> None:
        """The line follows a prompt, and what was typed is not in the log."""
        if prompt == words.ASKS_BET:
            self.bet = None
        elif prompt == words.ASKS_SWAP:
            self.swap = _UNREPORTED

    def seat(self, name: bytes) -> int:
        """The seat of a name. Raises Fault if nobody at the table has it."""
        require(name in self.seats, *words.NO_SUCH_PLAYER)
        return self.seats[name]

    def chips(self, seat: int) -> int:
        """A seat's chips now."""
        return self.start[seat] - self.staked[seat] + self.won.get(seat, 0)

    def after(self, seat: int) -> list[int]:
        """The seats in turn order after a seat, which is the last one if it plays."""
        return sorted(self.present, key=lambda other: (other <= seat, other))

    def all_stand(self) -> bool:
        """Whether the standings of all players have been reported."""
        return 0 < len(self.standing) == len(self.present)

    # ------------------------------------------------------------ the whole hand

    def end(self, last: int, at_end: bool) -> None:
        """End the hand with a line. If it can't go on, all lines after it must be there, and all chips.

        at_end
            Whether the text ends here.
        """
        if self.drawn:  # the human's draw was never shown, nor perhaps the discard
            del self.events[-2 if self.swap is _UNREPORTED else -1 :]
        if self.standing and not (self.crashed or at_end):
            self.index = last
            broke = {seat for seat, chips in self.standing.items() if chips == 0}
            if not self.all_stand() or (self.leaving != broke and not self.lost):
                self.blame(Fault(*words.LINES_MISSING))
            elif sum(self.won.values()) < sum(self.staked):
                self.blame(Fault(*words.CHIPS_MISSING))
        self.last, self.cut = last, at_end and not self.crashed
        self.context = self._context()
        if self.fault is None:
            self.events[0].detail = self._detail()

    def _detail(self) -> str:
        """The detail of the first event."""
        is_known = self.human is not None or not self.table.piped  # otherwise nobody has been asked yet
        players: list[dict[str, Any] | None] = []
        for seat, name in enumerate(self.table.names):
            kind = {"kind": "human" if seat == self.human else "computer"} if is_known else {}
            player = kind | {"name": name.decode("utf-8", "backslashreplace")}
            players.append(player if seat in self.present else None)
        dialect = "original" if _SHUFFLED in self.seen else "original_unshuffled"
        return game.opening(dialect, self.ante, self.dealer, players, self.start)

    def _context(self) -> dict[str, Any]:
        """What `Match.resume` needs."""
        settings, known = dict(self.table.settings), {"chips": self.given, "ante": self.ante}
        settings |= {name: str(chips) for name, chips in known.items() if chips != words.NOT_KNOWN}
        *names, human = (
            name.decode("utf-8", "surrogateescape") for name in (*self.table.names, self.human_name)
        )
        context = {"settings": settings, "names": names, "human": human or None, "chips": self.start}
        return context | {"piped": True} if self.table.piped else context

    # ------------------------------------------------------------ antes and bets

    @of_hand(words.ANTE, words.ANTE_ALL_IN, begins=True, amount=int)
    def _pays_ante(self, name: bytes, amount: int, all_in: bytes | None = None) -> None:
        seat = self.seat(name)
        chips = self.chips(seat)
        require(amount == min(chips, self.ante), *words.WRONG_BET)
        require((all_in is not None) == (chips == amount), *CONTRADICTS)
        self.staked[seat] += amount
        self.add(Action.BID_ANTE, seat, amount=amount)

    @of_hand(rb"\[ACTION\] (?P<name>.*) (?P<what>%b)" % b"|".join(map(re.escape, _BETS)))
    @of_hand(rb"\[ACTION\] (?P<name>.*) has raised by %b(?P<what>\.| and gone all-in!)" % AMOUNT, amount=int)
    def _bets(self, name: bytes, what: bytes, amount: int = 0) -> None:
        """The amount of a call follows from the bets before."""
        seat, action = self.seat(name), _BETS.get(what, Action.BID_RAISE)
        owed, chips = max(self.staked) - self.staked[seat], self.chips(seat)
        pays, paid = action in (Action.BID_CALL, Action.BID_RAISE), 0
        if pays:
            paid = min(owed, chips) + amount
            require((b"couldn't" in what) == (chips < owed), *CONTRADICTS)
            require(paid <= chips and (b"all-in" in what) == (paid == chips), *CONTRADICTS)
        else:
            require((action == Action.BID_FOLD) == (owed > 0), *words.WRONG_BET)
        if seat == self.human:
            require(self.bet in (None, paid), *CONTRADICTS)
            self.bet = None
        self.staked[seat] += paid
        self.add(action, seat, amount=paid if pays else NO_AMOUNT)

    # ------------------------------------------------------------ the button, the deck, the deal, the draw

    @of_hand(rb"(?P<line>\[BUTTON\] The button was given to ).*", begins=True, anew=True)
    @of_hand(rb"(?P<line>\[CARDS\] The deck has been shuffled\.)", begins=True, anew=True)
    @of_hand(rb"(?P<line>\[CARDS\] Cards have been collected\.)", begins=True)
    def _comes_once(self, line: bytes) -> None:
        require(line not in self.seen, *words.WRONG_POINT)
        require(line != _SHUFFLED or words.BUTTON not in self.seen, *words.WRONG_POINT)
        self.seen.add(line)

    @of_hand(re.escape(words.DEALT), begins=True)
    def _deals(self) -> None:
        """Hidden cards for everyone, in dealing order."""
        require(not self.dealt, *words.WRONG_POINT)
        for seat in self.after(self.dealer):
            self.dealt[seat] = len(self.events)
            self.add(Action.DEAL_HAND, seat, cards=_HIDDEN[HAND_CARDS])

    @of_hand(rb"\[CARDS\] Your new hand is (?P<held>.*)", stage=NEW_HAND, begins=True, held=parse_cards)
    def _shows_new_hand(self, held: bytes | Wrong) -> bool:
        """The human's hand after the draw: the cards kept, in order, then those drawn."""
        if not self.drawn:
            return False
        require(bool(self.held), *words.LINES_MISSING)
        if isinstance(held, tuple):
            raise Fault(*held)
        kept, gone, before = 0, [], self.held
        for card in range(HAND_CARDS):
            stays = kept < HAND_CARDS - self.drawn and before[card] == held[kept]
            if not stays if self.swap is _UNREPORTED else card in (self.swap or ()):
                gone.append(before[card])
            else:
                require(stays, *CONTRADICTS)
                kept += 1
        require(kept == HAND_CARDS - self.drawn, *CONTRADICTS)
        discard, draw = self.events[-2:]
        discard.cards, draw.cards = bytes(gone), held[kept:]
        rest = [card for card in before if card not in gone]
        self.held = [*rest, *before[len(rest) : kept], *held[kept:]]
        self.drawn = 0
        return True

    @of_hand(
        rb"\[CARDS\] (?P<name>.*) (?:swapped (?P<count>[1-5]) cards|didn't swap any cards)\.",
        begins=True, count=lambda text: int(text or 0),
    )  # fmt: skip
    def _swaps(self, name: bytes, count: int) -> None:
        """Cards discarded, and as many drawn; only the human's are known, once the new hand is shown."""
        seat, discards = self.seat(name), _HIDDEN[count]
        if seat == self.human and self.held and self.swap is not _UNREPORTED:
            if self.swap is None:
                raise Fault(*words.LINES_MISSING)
            require(len(self.swap) == count, *CONTRADICTS)
            discards = bytes(self.held[card] for card in self.swap)
        self.add(Action.PLAY_DISCARD, seat, cards=discards)
        if count:
            self.add(Action.DEAL_DRAW, seat, cards=_HIDDEN[count])
            self.drawn = count if seat == self.human else 0

    # ------------------------------------------------------------ the showdown

    @of_hand(
        rb"\[SHOWDOWN\] (?P<name>.*) won %b chips\." % AMOUNT,
        rb"\[REWARDS\] (?P<name>.*) won %b with a (?P<shown>%b)" % (AMOUNT, words.CATEGORY),
        rb"\[REWARDS\] (?P<name>.*) got %b chips (?P<shown>back)\." % AMOUNT,
        amount=int,
    )
    def _gets(self, name: bytes, amount: int, shown: bytes | None = None) -> None:
        seat = self.seat(name)
        require(shown is None or shown == self.shown.get(seat), *CONTRADICTS)
        self.won[seat] = self.won.get(seat, 0) + amount
        self.add(Action.SCORE_HAND, seat, amount=amount)

    @of_hand(rb"\[SHOWDOWN\] (?P<name>.*) mucked\.")
    def _mucks(self, name: bytes) -> None:
        seat = self.seat(name)
        self.shown[seat] = _MUCKED if self.shown.get(seat, _MUCKED) == _MUCKED else _NEITHER
        self.add(Action.SCORE_SHOW, seat, cards=_HIDDEN[HAND_CARDS])

    @of_hand(rb"\[SHOWDOWN\] (?P<name>.*) is holding (?P<held>\[[^\[]*)", held=parse_cards)
    def _shows(self, name: bytes, held: bytes | Wrong) -> None:
        seat = self.seat(name)
        if isinstance(held, tuple):
            raise Fault(*held)
        if self.shown.get(seat) == _MUCKED:
            self.shown[seat] = _NEITHER
        elif len({*held}) == HAND_CARDS:
            self.shown[seat] = words.category_of(held)
        self.add(Action.SCORE_SHOW, seat, cards=held)

    # ------------------------------------------------------------ after the hand

    @of_hand(rb"\[STANDINGS\] (?P<name>.*) has got %b chips remaining\." % AMOUNT, stage=ANYWHERE, amount=int)
    def _stands(self, name: bytes, amount: int) -> None:
        self.table.left.append((name, amount))
        seat = self.seat(name)
        require(seat in self.present and seat not in self.standing, *words.WRONG_POINT)
        self.standing[seat] = amount
        self.add(Action.SCORE_MATCH, seat, amount=amount)

    @of_hand(rb"\[PLAYER\] (?P<name>.*) is leaving the table\.", stage=AFTER)
    def _leaves(self, name: bytes) -> None:
        seat = self.seat(name)
        require(self.all_stand(), *words.LINES_MISSING)
        require(seat not in self.leaving, *words.WRONG_POINT)
        self.leaving.add(seat)
        require(self.standing.get(seat) == 0, *CONTRADICTS)

    @of_hand(rb"\[END\] (?P<name>.*) has won!", stage=END)
    def _wins_match(self, name: bytes) -> None:
        seat = self.seat(name)
        require(not any(chips for other, chips in self.standing.items() if other != seat), *CONTRADICTS)

    @of_hand(rb"\[END\] Game over (?P<name>.*), better luck next time\.", stage=END)
    def _loses_match(self, name: bytes) -> None:
        seat = self.seat(name)
        self.lost = True
        require(seat == self.human and self.standing.get(seat) == 0, *CONTRADICTS)

    # ------------------------------------------------------------ what the human sees and types

    @of_hand(rb"\[INFO\] Your cards are (?P<held>.*)", held=parse_cards)
    def _shows_cards(self, held: bytes | Wrong) -> None:
        if self.table.piped and self.dealt and not self.held:
            self.human = self._seat_in_turn()
            self.human_name = self.table.names[self.human]
        self.check(INFO)
        if isinstance(held, tuple):
            raise Fault(*held)
        if not self.held:
            self.held, dealt = [*held], self.dealt[self.human or 0]
            self.events[dealt].cards = held
        require(self.held == [*held], *CONTRADICTS)

    def _seat_in_turn(self) -> int:
        """Who is shown cards: the seat in turn, or once the rules have refused an event, the one after the
        last that has acted. Only for input from a pipe, where no line says who the human is."""
        self.events[0].detail = self._detail()
        hand = transcript.Hand(transcript.Match("match"), 0, 0, 0, self.events)
        read = transcript.read_of_hands(game.GAME, "", Source("", "", ""), Text(b"\n"), [hand])
        folded = fold_batch(read.batch)
        return self.after(self.events[-1].seat)[0] if folded.reasons[0] else int(folded.states["turn"][0])

    @of_hand(
        rb"\[INFO\] There are %b chips in the (?P<what>pot)\." % AMOUNT,
        rb"\[INFO\] You have %b chips (?P<what>remaining)\." % AMOUNT,
        rb"\[INFO\] The amount to (?P<what>call) is %b chips\." % AMOUNT,
        stage=INFO, amount=int,
    )  # fmt: skip
    def _informs(self, what: bytes, amount: int) -> None:
        pot, seat = sum(self.staked), self.human or 0
        owed = max(self.staked) - self.staked[seat]
        require(amount == {b"pot": pot, b"remaining": self.chips(seat), b"call": owed}[what], *CONTRADICTS)

    @of_hand(re.escape(words.ASKS_BET) + b"(?P<typed>.*)")
    def _types_bet(self, typed: bytes) -> None:
        """Only numbers in the program's own form are checked."""
        self.bet = int(typed) if _NUMBER.fullmatch(typed) else None

    @of_hand(re.escape(words.ASKS_SWAP) + b"(?P<typed>.*)")
    def _types_swap(self, typed: bytes) -> None:
        """A digit other than 0 swaps a card. The program also accepts digits of other scripts."""
        cards = [card for card, digit in enumerate(typed[:HAND_CARDS]) if digit != ord("0")]
        self.swap = cards if typed.isdigit() or not typed else _UNREPORTED

    @of_hand(rb".*", stage=AFTER)
    @of_hand(rb"\[INFO\] .*", stage=INFO)
    @of_hand(rb"\[(?:ACTION|SHOWDOWN|REWARDS)\] .*")
    @of_hand(rb"\[(?:ANTE|CARDS)\] .*", begins=True)
    @of_hand(rb"\[STANDINGS\] .*", stage=ANYWHERE)
    @of_hand(rb"\[PLAYER\] .*", stage=AFTER)
    @of_hand(rb"\[END\] .*", stage=END)
    def _unreadable(self) -> None:
        raise Fault(*words.UNREADABLE)
