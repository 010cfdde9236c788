"""An independent check of five-card draw hands by the original's rules: a plain replay of the events.

It shares no code with the rules under test. What is illegal fails an assertion.
"""

from typing import Any

from tests.support.steps import Step


class BrokenOff(Exception):
    """There are no more events."""


class Replay:
    """A hand that is replayed; `over` if all chips were given to somebody, False if it breaks off before."""

    def __init__(self, opening: dict[str, Any], played: list[Step]) -> None:
        chips, dealer = opening["match"]["score"], opening["dealer"]
        turns = [(dealer + step) % len(chips) for step in range(1, len(chips) + 1)]
        self.order = [seat for seat in turns if chips[seat]]
        self.stack, self.paid = list(chips), [0] * len(chips)
        self.folded: set[int] = set()
        self.all_in: set[int] = set()
        self.seen: list[str] = []
        self.held: dict[int, list[str]] = {}
        self.left = list(played)
        assert self.left.pop(0).what == "deal open"
        try:
            self.over = self.play(opening["settings"]["ante"])
        except BrokenOff:
            self.over = False

    def take(self) -> Step:
        """The next event; the hand breaks off if there is none."""
        if not self.left:
            raise BrokenOff
        return self.left.pop(0)

    @property
    def live(self) -> list[int]:
        return [seat for seat in self.order if seat not in self.folded]

    def pay(self, seat: int, amount: int) -> None:
        assert 0 <= amount <= self.stack[seat]
        self.stack[seat] -= amount
        self.paid[seat] += amount

    def play(self, ante: int) -> bool:
        for seat in self.order:
            step = self.take()
            assert step[:2] == ("bid ante", seat)
            assert step.amount == min(ante, self.stack[seat])
            self.pay(seat, step.amount)
        while len(self.held) < len(self.order):
            step = self.take()
            assert (step.what, len(step.cards)) == ("deal hand", 5)
            assert step.seat in self.order
            assert step.seat not in self.held
            self.see(step.cards)
            self.held[step.seat] = step.cards
        first = 2 % len(self.order)
        self.bets(self.order[first:] + self.order[:first])
        if len(self.live) > 1:
            self.draws()
            self.bets(self.order)
        return self.end()

    def see(self, shown: list[str]) -> None:
        known = [card for card in shown if card != "??"]
        assert len(known) in (0, len(shown))
        assert not set(known) & set(self.seen)
        assert len(set(known)) == len(known)
        self.seen += known

    def bets(self, turns: list[int]) -> None:
        """One round of betting."""
        waiting = [seat for seat in turns if seat not in self.folded | self.all_in]
        if len(waiting) < 2:
            return
        while waiting:
            seat, step = waiting.pop(0), self.take()
            assert step.seat == seat
            to_call = max(self.paid) - self.paid[seat]
            if step.amount is None:
                assert step.what == ("bid fold" if to_call else "bid check")
                assert to_call or self.stack[seat]
                self.folded |= {seat} if to_call else set()
                continue
            whole = step.amount == self.stack[seat]
            self.pay(seat, step.amount)
            if whole:
                self.all_in.add(seat)
            if step.what == "bid call":
                assert step.amount == to_call or (whole and 0 < step.amount < to_call)
                assert to_call or whole
            else:
                assert step.what == "bid raise"
                assert step.amount > to_call
                at = turns.index(seat)
                waiting = [s for s in turns[at + 1 :] + turns[:at] if s not in self.folded | self.all_in]

    def draws(self) -> None:
        for seat in self.live:
            step, held = self.take(), self.held[seat]
            gone = step.cards
            assert step[:2] == ("play discard", seat)
            kept = [card for card in held if card not in gone] if "??" not in held else held[len(gone) :]
            assert len(kept) == len(held) - len(gone)
            assert len(gone) <= 3 or (len(gone) == 4 and kept[0][0] in "A?")
            if gone:
                step = self.take()
                assert (*step[:2], len(step.cards)) == ("deal draw", seat, len(gone))
                self.see(step.cards)
                self.held[seat] = kept + step.cards

    def end(self) -> bool:
        """The source's report: who shows, who wins what, who has what."""
        pot, reported = sum(self.paid), 0
        for seat in self.live if len(self.live) > 1 else []:
            step = self.take()
            assert (*step[:2], len(step.cards)) == ("score show", seat, 5)
        while self.left:
            what, seat, _, amount, *_ = self.take()
            assert amount is not None
            if what == "score hand":
                assert seat in self.live
                assert amount or len(self.live) > 1
                self.stack[seat] += amount
                reported += amount
                # Nobody gets more than he could have won.
                assert amount <= sum(min(paid, self.paid[seat]) for paid in self.paid)
            else:
                assert what == "score match"
                assert self.stack[seat] == amount
                assert reported == pot
        assert reported <= pot
        return reported == pot
