"""The lines of a five-card draw hand: the bets, the draw, the showdown, and what the human sees and types.

Whether the rules allow it is judged later. The parser tracks only the chips, the human's cards and the hands
shown, on which the meaning of other lines depends."""

import re
from typing import Any, Final

from cardlog.models.five_card_draw import rules as game
from cardlog.models.poker.ranks import HAND_CARDS
from cardlog.pipelines.readers import transcript
from cardlog.pipelines.readers.five_card_draw_transcript import wording as words
from cardlog.pipelines.readers.five_card_draw_transcript.match import Match, seat_of
from cardlog.pipelines.readers.five_card_draw_transcript.wording import AMOUNT, CONTRADICTS
from cardlog.pipelines.readers.transcript import Fault, LineTable, require
from cardlog.schemas.cards import UNKNOWN
from cardlog.schemas.events import NO_SEAT, Action

LINES: Final = LineTable()
"""The lines of a hand. A name may contain anything, so a pattern is anchored by the program's words at the
end of the line."""
_HIDDEN: Final = [bytes([UNKNOWN] * count) for count in range(HAND_CARDS + 1)]
_NUMBER: Final = re.compile(words.NUMBER)
_UNREPORTED: Final = [-1]
"""Stands for cards to swap that the human was asked for, if the answer is not in the log or can't be read."""
_MUCKED: Final = b"back"
"""The category of a mucked hand: its player gets chips back, but wins none with it."""
_NEITHER: Final = b""
"""The category of a hand both shown and mucked: no reward fits it."""
_BETS: Final = {
    b"has checked.": Action.BID_CHECK, b"has folded.": Action.BID_FOLD, b"has called.": Action.BID_CALL,
    b"has gone all-in to call!": Action.BID_CALL, b"couldn't call but has gone all-in.": Action.BID_CALL,
}  # fmt: skip


class Hand(transcript.Hand):
    """A hand, and the parser of its lines; `table` is its match."""

    def __init__(self, match: Match, first: int, index: int) -> None:
        super().__init__(match, match.hands - 1, first, first, index=index)
        self.table = match
        self.human, self.human_name = seat_of(match.human, match.names), match.human
        self.seats = {name: seat for seat, name in enumerate(match.names)}
        self.present = [seat for seat, chips in enumerate(match.before) if chips]
        self.stack = [*match.before]
        self.staked = [0] * len(self.stack)
        self.add(Action.DEAL_OPEN, NO_SEAT)
        self.seen: set[bytes] = set()  # lines that come once
        self.crashed = self.lost = False
        self.leaving: set[int] = set()
        self.standing: dict[int, int] = {}
        self.dealt: dict[int, int] = {}  # index of the deal in `events`, by seat
        self.held = b""  # the human's cards, once they are known
        self.drawn = 0  # the number of cards that the human has drawn and not yet seen
        self.bet: int | None = None  # the last number that the human typed
        self.swap: list[int] | None = None  # the cards that the human swaps
        self.shown: dict[int, bytes] = {}  # categories, by seat

    def blame(self, fault: Fault) -> None:
        """Note a fault; the first one counts."""
        if self.fault is None:
            self.fault = fault
            fault.line = self.index if fault.line is None else fault.line

    def take(self, line: bytes, stage: int, prompt: bytes) -> None:
        """Handle a line of the hand. If it directly follows a prompt, what was typed is not in the log."""
        if prompt == words.ASKS_BET:
            self.bet = None
        elif prompt == words.ASKS_SWAP:
            self.swap = _UNREPORTED
        if self.fault and stage != words.ANYWHERE:
            return
        try:
            if self.standing or self.drawn or stage in (words.INFO, words.END):
                self._check(stage)
            if not LINES.handle(self, line):
                raise Fault(*words.UNREADABLE)
        except Fault as fault:
            self.blame(fault)

    def _check(self, stage: int) -> None:
        """Check that a line of a stage may come here. Raises Fault."""
        require(not self.drawn or stage in (words.NEW_HAND, words.ANYWHERE), *words.LINES_MISSING)
        is_late = stage in (words.AFTER, words.END, words.ANYWHERE)
        require(not self.standing or is_late, *words.WRONG_POINT)
        require(stage != words.END or self.all_stand(), *words.LINES_MISSING)
        require(stage != words.INFO or self.human is not None, *words.NO_HUMAN)
        require(stage != words.INFO or self.human in self.dealt, *words.WRONG_POINT)

    def seat(self, name: bytes) -> int:
        """The seat of a name. Raises Fault if nobody at the table has it."""
        require(name in self.seats, *words.NO_SUCH_PLAYER)
        return self.seats[name]

    def after(self, seat: int) -> list[int]:
        """The seats in turn order after a seat, which comes last itself if it plays."""
        return sorted(self.present, key=lambda other: (other <= seat, other))

    def all_stand(self) -> bool:
        """Whether the standings of all players have been reported."""
        return 0 < len(self.standing) == len(self.present)

    # ------------------------------------------------------------ the whole hand

    def end(self, last: int, at_end: bool) -> None:
        """End the hand with line `last`. If it can't go on, no line after the play may be missing, and no
        chips.

        at_end
            Whether its game breaks off here: the text ends, or a mark follows.
        """
        if self.drawn:  # the human's draw was never shown, nor perhaps the discard
            del self.events[-2 if self.swap is _UNREPORTED else -1 :]
        if self.standing and not (self.crashed or at_end):
            self.index = last
            broke = {seat for seat, chips in self.standing.items() if chips == 0}
            if not self.all_stand() or (self.leaving != broke and not self.lost):
                self.blame(Fault(*words.LINES_MISSING))
            elif sum(self.stack) < sum(self.table.before):
                self.blame(Fault(*words.CHIPS_MISSING))
        self.last, self.cut = last, at_end and not self.crashed
        self.context = self._context()
        if self.fault is None:
            self.events[0].detail = self._detail()

    def _detail(self) -> str:
        """The opening's detail."""
        is_known = self.human is not None or not self.table.piped  # otherwise nobody has been asked yet
        players: list[dict[str, Any] | None] = []
        for seat, name in enumerate(self.table.names):
            kind = {"kind": "human" if seat == self.human else "computer"} if is_known else {}
            player = kind | {"name": name.decode("utf-8", "backslashreplace")}
            players.append(player if seat in self.present else None)
        dialect = "original" if words.SHUFFLED in self.seen else "original_unshuffled"
        return game.opening(dialect, self.table.ante, self.table.dealer, players, self.table.before)

    def _context(self) -> dict[str, Any]:
        """What `Match.resume` needs."""
        table = self.table
        chips_set = {"chips": table.given, "ante": table.ante}
        known = {name: str(chips) for name, chips in chips_set.items() if chips != words.NOT_KNOWN}
        settings = table.settings | known
        *names, human = (name.decode("utf-8", "surrogateescape") for name in (*table.names, self.human_name))
        context = {"settings": settings, "names": names, "human": human or None, "chips": table.before}
        return context | {"piped": True} if table.piped else context

    # ------------------------------------------------------------ antes and bets

    @LINES.line(words.ANTE, amount=int)
    def _pays_ante(self, name: bytes, amount: int, forced: bytes | None) -> None:
        seat = self.seat(name)
        chips = self.stack[seat]
        require(amount == min(chips, self.table.ante), *words.WRONG_BET)
        require((forced is not None) == (chips == amount), *CONTRADICTS)
        self._pays(Action.BID_ANTE, seat, amount)

    def _pays(self, action: int, seat: int, amount: int) -> None:
        self.stack[seat] -= amount
        self.staked[seat] += amount
        self.add(action, seat, amount=amount)

    @LINES.line(rb"\[ACTION\] (?P<name>.*) (?P<act>%b)" % b"|".join(map(re.escape, _BETS)))
    @LINES.line(
        rb"\[ACTION\] (?P<name>.*) has raised by %b(?P<act>\.| and gone all-in!)" % AMOUNT, amount=int
    )
    def _bets(self, name: bytes, act: bytes, amount: int = 0) -> None:
        """The amount of a call follows from the bets before."""
        seat, action = self.seat(name), _BETS.get(act, Action.BID_RAISE)
        owed, chips = max(self.staked) - self.staked[seat], self.stack[seat]
        pays, paid = action in (Action.BID_CALL, Action.BID_RAISE), 0
        if pays:
            paid = min(owed, chips) + amount
            require((b"couldn't" in act) == (chips < owed), *CONTRADICTS)
            require(paid <= chips and (b"all-in" in act) == (paid == chips), *CONTRADICTS)
        else:
            require((action == Action.BID_FOLD) == (owed > 0), *words.WRONG_BET)
        if seat == self.human:
            require(self.bet in (None, paid), *CONTRADICTS)
            self.bet = None
        if pays:
            self._pays(action, seat, paid)
        else:
            self.add(action, seat)

    # ------------------------------------------------------------ the button, the deck, the deal, the draw

    @LINES.line(rb"(?P<line>%b).*" % re.escape(words.BUTTON))
    @LINES.line(rb"(?P<line>%b|\[CARDS\] Cards have been collected\.)" % re.escape(words.SHUFFLED))
    def _comes_once(self, line: bytes) -> None:
        require(line not in self.seen, *words.WRONG_POINT)
        require(line != words.SHUFFLED or words.BUTTON not in self.seen, *words.WRONG_POINT)
        self.seen.add(line)

    @LINES.line(re.escape(words.DEALT))
    def _deals(self) -> None:
        """Hidden cards for everyone, in dealing order."""
        require(not self.dealt, *words.WRONG_POINT)
        for seat in self.after(self.table.dealer):
            self.dealt[seat] = len(self.events)
            self.add(Action.DEAL_HAND, seat, cards=_HIDDEN[HAND_CARDS])

    @LINES.line(rb"\[CARDS\] Your new hand is (?P<cards>.*)")
    def _shows_new_hand(self, cards: bytes) -> bool:
        """The human's hand after the draw: the cards kept, in order, then those drawn."""
        if not self.drawn:
            return False
        require(bool(self.held), *words.LINES_MISSING)
        held, before, swap = words.parse_cards(cards), self.held, self.swap or []
        kept = held[: HAND_CARDS - self.drawn]
        if swap is _UNREPORTED:
            swap = [card for card in range(HAND_CARDS) if before[card] not in kept]
        require(kept == bytes(before[card] for card in range(HAND_CARDS) if card not in swap), *CONTRADICTS)
        discard, draw = self.events[-2:]
        discard.cards, draw.cards = bytes(before[card] for card in swap), held[len(kept) :]
        self.held, self.drawn = held, 0
        return True

    @LINES.line(
        rb"\[CARDS\] (?P<name>.*) (?:swapped (?P<count>[1-5]) cards|didn't swap any cards)\.",
        count=lambda text: int(text or 0),
    )
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

    @LINES.line(rb"\[SHOWDOWN\] (?P<name>.*) won %b chips\." % AMOUNT, amount=int)
    @LINES.line(
        rb"\[REWARDS\] (?P<name>.*) won %b with a (?P<shown>%b)" % (AMOUNT, words.CATEGORY), amount=int
    )
    @LINES.line(rb"\[REWARDS\] (?P<name>.*) got %b chips (?P<shown>back)\." % AMOUNT, amount=int)
    def _gets(self, name: bytes, amount: int, shown: bytes | None = None) -> None:
        seat = self.seat(name)
        require(shown is None or shown == self.shown.get(seat), *CONTRADICTS)
        self.stack[seat] += amount
        self.add(Action.SCORE_HAND, seat, amount=amount)

    @LINES.line(rb"\[SHOWDOWN\] (?P<name>.*) (?:mucked\.|is holding (?P<cards>\[[^\[]*))")
    def _shows(self, name: bytes, cards: bytes | None) -> None:
        """A hand at the showdown, hidden if it is mucked."""
        seat = self.seat(name)
        held = words.parse_cards(cards) if cards else _HIDDEN[HAND_CARDS]
        if seat in self.shown and (self.shown[seat] == _MUCKED) == bool(cards):
            self.shown[seat] = _NEITHER
        elif not cards or len({*held}) == HAND_CARDS:
            self.shown[seat] = words.category_of(held) if cards else _MUCKED
        self.add(Action.SCORE_SHOW, seat, cards=held)

    # ------------------------------------------------------------ after the hand

    @LINES.line(rb"\[STANDINGS\] (?P<name>.*) has got %b chips remaining\." % AMOUNT, amount=int)
    def _stands(self, name: bytes, amount: int) -> None:
        self.table.left[name] = amount
        seat = self.seat(name)
        require(seat in self.present and seat not in self.standing, *words.WRONG_POINT)
        self.standing[seat] = amount
        self.add(Action.SCORE_MATCH, seat, amount=amount)

    @LINES.line(rb"\[PLAYER\] (?P<name>.*) is leaving the table\.")
    def _leaves(self, name: bytes) -> None:
        seat = self.seat(name)
        require(self.all_stand(), *words.LINES_MISSING)
        require(seat not in self.leaving, *words.WRONG_POINT)
        self.leaving.add(seat)
        require(self.standing.get(seat) == 0, *CONTRADICTS)

    @LINES.line(rb"\[END\] (?P<name>.*) has won!")
    def _wins_match(self, name: bytes) -> None:
        seat = self.seat(name)
        require(not any(chips for other, chips in self.standing.items() if other != seat), *CONTRADICTS)

    @LINES.line(rb"\[END\] Game over (?P<name>.*), better luck next time\.")
    def _loses_match(self, name: bytes) -> None:
        seat = self.seat(name)
        self.lost = True
        require(seat == self.human and self.standing.get(seat) == 0, *CONTRADICTS)

    # ------------------------------------------------------------ what the human sees and types

    @LINES.line(rb"\[INFO\] Your cards are (?P<cards>.*)")
    def _shows_cards(self, cards: bytes) -> None:
        if self.table.piped and self.dealt and not self.held:
            self.human = self._seat_in_turn()
            self.human_name = self.table.names[self.human]
        self._check(words.INFO)
        held = words.parse_cards(cards)
        if not self.held:
            self.held = self.events[self.dealt[self.human or 0]].cards = held
        require(self.held == held, *CONTRADICTS)

    def _seat_in_turn(self) -> int:
        """The seat that is shown cards if input comes from a pipe, so that no line names the human: in the
        first round, which the third seat after the button begins, all are asked once before anyone is asked
        again."""
        last = self.events[-1]
        is_first = last.action == Action.DEAL_HAND
        return self.after(self.table.dealer)[2 % len(self.present)] if is_first else self.after(last.seat)[0]

    @LINES.line(rb"\[INFO\] There are %b chips in the (?P<subject>pot)\." % AMOUNT, amount=int)
    @LINES.line(rb"\[INFO\] You have %b chips (?P<subject>remaining)\." % AMOUNT, amount=int)
    @LINES.line(rb"\[INFO\] The amount to (?P<subject>call) is %b chips\." % AMOUNT, amount=int)
    def _informs(self, subject: bytes, amount: int) -> None:
        seat = self.human or 0
        owed = max(self.staked) - self.staked[seat]
        amounts = {b"pot": sum(self.staked), b"remaining": self.stack[seat], b"call": owed}
        require(amount == amounts[subject], *CONTRADICTS)

    @LINES.line(re.escape(words.ASKS_BET) + b"(?P<typed>.*)")
    def _types_bet(self, typed: bytes) -> None:
        """Only numbers in the program's own form are checked."""
        self.bet = int(typed) if _NUMBER.fullmatch(typed) else None

    @LINES.line(re.escape(words.ASKS_SWAP) + b"(?P<typed>.*)")
    def _types_swap(self, typed: bytes) -> None:
        """A digit other than 0 swaps a card. The program also accepts digits of other scripts."""
        cards = [card for card, digit in enumerate(typed[:HAND_CARDS]) if digit != ord("0")]
        self.swap = cards if typed.isdigit() or not typed else _UNREPORTED
