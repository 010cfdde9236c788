"""An independent check of five-card draw hands by the original's rules: a plain replay of the events.

It shares no code with the rules under test. What is illegal fails an assertion.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from cardlog.schemas import cards
from cardlog.schemas.events import ACTIONS, NO_AMOUNT


def steps(events: Any) -> Iterator[tuple[str, int, int | None, list[str]]]:
    """The events as names, seats, amounts and cards."""
    for one in events:
        action = ACTIONS[int(one["action"])]
        shown = cards.texts(one["cards"][: int(one["count"])])
        amount = None if one["amount"] == NO_AMOUNT else int(one["amount"])
        pairs = [shown[at : at + 2] for at in range(0, len(shown), 2)]
        yield f"{action.kind} {action.name}", int(one["seat"]), amount, pairs


class Replay:
    """A hand that is replayed; `over` if all chips were given to somebody, False if it breaks off before."""

    def __init__(self, opening: dict[str, Any], events: np.ndarray[Any, Any]) -> None:
        chips = opening["match"]["score"]
        dealer = opening["dealer"]
        turns = [(dealer + step) % len(chips) for step in range(1, len(chips) + 1)]
        self.order = [seat for seat in turns if chips[seat]]
        self.stack = list(chips)
        self.paid = [0] * len(chips)
        self.folded: set[int] = set()
        self.all_in: set[int] = set()
        self.seen: list[str] = []
        self.held: dict[int, list[str]] = {}
        self.steps = list(steps(events))
        self.index = 0
        assert self.take()[0] == "deal open"
        self.over = self.play(opening["settings"]["ante"])

    def take(self) -> tuple[str, int, int | None, list[str]]:
        step = self.steps[self.index]
        self.index += 1
        return step

    @property
    def left(self) -> bool:
        return self.index < len(self.steps)

    @property
    def live(self) -> list[int]:
        return [seat for seat in self.order if seat not in self.folded]

    def pay(self, seat: int, amount: int) -> None:
        assert 0 <= amount <= self.stack[seat]
        self.stack[seat] -= amount
        self.paid[seat] += amount

    def play(self, ante: int) -> bool:
        for seat in self.order:
            if not self.left:
                return False
            name, who, amount, _ = self.take()
            assert (name, who, amount) == ("bid ante", seat, min(ante, self.stack[seat]))
            self.pay(seat, amount or 0)
        dealt = []
        while self.left and len(dealt) < len(self.order):
            name, who, _, shown = self.take()
            assert name == "deal hand"
            assert len(shown) == 5
            dealt.append(who)
            self.see(shown)
            self.held[who] = shown
        if len(dealt) < len(self.order):
            return False
        assert sorted(dealt) == sorted(self.order)
        first = 2 % len(self.order)
        if not self.bets(self.order[first:] + self.order[:first]):
            return False
        if len(self.live) > 1 and not (self.draws() and self.bets(self.order)):
            return False
        return self.end()

    def see(self, shown: list[str]) -> None:
        known = [card for card in shown if card != "??"]
        assert len(known) in (0, len(shown))
        assert not set(known) & set(self.seen)
        assert len(set(known)) == len(known)
        self.seen += known

    def bets(self, turns: list[int]) -> bool:
        """One round of betting; False if the events end before it does."""
        able = [seat for seat in turns if seat not in self.folded | self.all_in]
        if len(able) < 2:
            return True
        waiting = able
        while waiting:
            if not self.left:
                return False
            seat = waiting.pop(0)
            name, who, amount, _ = self.take()
            assert who == seat
            to_call = max(self.paid) - self.paid[seat]
            if name == "bid fold":
                assert to_call
                assert amount is None
                self.folded.add(seat)
                continue
            if name == "bid check":
                assert not to_call
                assert amount is None
                assert self.stack[seat]
                continue
            assert amount is not None
            whole = amount == self.stack[seat]
            self.pay(seat, amount)
            if whole:
                self.all_in.add(seat)
            if name == "bid call":
                assert amount == to_call or (whole and 0 < amount < to_call)
                assert to_call or whole
            else:
                assert name == "bid raise"
                assert amount > to_call
                at = turns.index(seat)
                waiting = [s for s in turns[at + 1 :] + turns[:at] if s not in self.folded | self.all_in]
        return True

    def draws(self) -> bool:
        for seat in self.live:
            if not self.left:
                return False
            name, who, _, gone = self.take()
            assert (name, who) == ("play discard", seat)
            held = self.held[seat]
            kept = [card for card in held if card not in gone] if "??" not in held else held[len(gone) :]
            assert len(kept) == len(held) - len(gone)
            assert len(gone) <= 3 or (len(gone) == 4 and kept[0][0] in "A?")
            if gone:
                if not self.left:
                    return False
                name, who, _, drawn = self.take()
                assert (name, who, len(drawn)) == ("deal draw", seat, len(gone))
                self.see(drawn)
                self.held[seat] = kept + drawn
        return True

    def end(self) -> bool:
        """The source's report: who shows, who wins what, who has what."""
        pot, reported = sum(self.paid), 0
        for seat in self.live if len(self.live) > 1 else []:
            if not self.left:
                return False
            name, who, _, shown = self.take()
            assert (name, who, len(shown)) == ("score show", seat, 5)
        while self.left:
            name, seat, amount, _ = self.take()
            assert amount is not None
            if name == "score hand":
                assert seat in self.live
                assert amount or len(self.live) > 1
                self.stack[seat] += amount
                reported += amount
                # Nobody gets more than he could have won.
                assert amount <= sum(min(paid, self.paid[seat]) for paid in self.paid)
            else:
                assert name == "score match"
                assert self.stack[seat] == amount
                assert reported == pot
        assert reported <= pot
        return reported == pot
