"""An independent judge of Ruter Sju hands: the rules of docs/rules/ruter_sju.md over sets of cards.

It shares nothing with the model but the events' codes.
"""

from collections.abc import Callable
from typing import Any

from cardlog.pipelines.events.batch import Batch
from cardlog.schemas import cards
from cardlog.schemas.events import CODE, NO_SEAT
from tests.support.steps import Step, events_of, need, opening_of, steps

RANKS = "A23456789TJQKEF"
SUITS = "DSHC45"
Card = tuple[int, int]


class Referee:
    """A hand in progress: who holds what, the layout, whose turn it is.

    deck
        All cards, as suit and number.
    hands
        By seat; None while hidden.
    piles
        The layout by suit and side, in the order of play.
    """

    def __init__(self, detail: dict[str, Any]) -> None:
        settings = detail["settings"]
        self.ranks = settings["cards_per_suit"]
        self.middle = (self.ranks + 1) // 2
        self.deck = {
            (suit, number) for suit in range(settings["suits"]) for number in range(1, self.ranks + 1)
        }
        self.original = original = settings["dialect"] == "original"
        self.free = [original and player.get("kind") == "human" for player in detail["players"]]
        self.stops = [not original or free for free in self.free]
        self.seats = len(detail["players"])
        self.hands: list[set[Card] | None] = [None] * self.seats
        self.sizes = [0] * self.seats
        self.piles: dict[tuple[int, int], list[int]] = {}
        self.out: list[int] = []
        self.turn: int | None = None
        self.any_begins = False
        self.holder: int | None = None
        self.goes_on = False

    def deal(self, hands: list[list[Card] | int]) -> None:
        """[R4, R9] Hands by seat; a number is a hidden hand of so many."""
        known = [card for hand in hands if isinstance(hand, list) for card in hand]
        self.sizes = [hand if isinstance(hand, int) else len(hand) for hand in hands]
        need(len(set(known)) == len(known) and set(known) <= self.deck)
        need(sum(self.sizes) == len(self.deck) and max(self.sizes) - min(self.sizes) <= 1)
        self.hands = [set(hand) if isinstance(hand, list) else None for hand in hands]
        self.hidden = self.deck - set(known)
        if self.hands.count(None) == 1:
            self.hands[self.hands.index(None)] = self.hidden
        for seat, hand in enumerate(self.hands):
            if hand is not None and (0, self.middle) in hand:
                self.turn = seat
        if self.original and (self.turn is None or self.free[self.turn]):
            self.turn, self.any_begins = None, True

    def fits(self, card: Card) -> bool:
        """[R5, R6]"""
        suit, number = card
        if (0, 0) not in self.piles:
            return card == (0, self.middle)
        if number == self.middle:
            return True
        side = 1 if number > self.middle else -1
        pile = self.piles.get((suit, side), [])
        beside = [self.middle, *pile[-1:]]
        return (suit, 0) in self.piles and any(number == other + side for other in beside)

    def held(self, seat: int) -> set[Card]:
        hand = self.hands[seat]
        return self.hidden if hand is None else hand

    def waits(self, seat: int) -> bool:
        """[R10] A computer without the first card does nothing before that lies."""
        first = (0, self.middle)
        starts = (0, 0) not in self.piles and first not in self.held(seat)
        return self.original and not self.free[seat] and starts

    def possible(self, seat: int) -> set[Card]:
        return {card for card in self.held(seat) if self.fits(card)}

    def allows(self, seat: int, action: str, card: Card | None = None) -> bool:
        """Whether a seat may do this now. [R5-R10]"""
        if len(self.out) == self.seats or not 0 <= seat < self.seats:
            return False
        hidden = self.hands[seat] is None
        if seat != self.turn and not (self.turn is None and (hidden or self.any_begins)):
            return False
        if (action == "blocked") != (self.holder == seat):
            return False
        free = self.free[seat]
        if action == "card":
            return card in self.held(seat) and (free or self.fits(card))
        if action == "block":
            may = not self.goes_on and not self.waits(seat)
            return free or (may and (hidden or not self.possible(seat)))
        if action == "pass":
            return free or self.waits(seat) or (self.goes_on and self.stops[seat])
        return True

    def act(self, seat: int, action: str, card: Card | None = None) -> None:
        """Judge an action and carry it out. Raises Illegal."""
        need(self.allows(seat, action, card))
        self.turn = seat
        if card is not None:
            self.place(seat, card)
            return
        if action == "block" and not self.goes_on:
            self.holder = seat
        self.end_turn()

    def place(self, seat: int, card: Card) -> None:
        others = self.possible(seat) - {card}
        overlooked = self.original and not self.free[seat] and card == (0, self.middle)
        suit, number = card
        self.held(seat).remove(card)
        side = (number > self.middle) - (number < self.middle)
        self.piles.setdefault((suit, side), []).append(number)
        self.sizes[seat] -= 1
        if not self.sizes[seat] and not overlooked:
            self.out.append(seat)
            self.end_turn()
        elif number in (1, self.ranks) and (self.free[seat] or others):
            self.goes_on = True
        else:
            self.end_turn()

    def end_turn(self) -> None:
        self.goes_on = False
        if len(self.out) == self.seats:
            self.turn = None
            return
        assert self.turn is not None
        self.turn = (self.turn + 1) % self.seats
        while self.turn in self.out:
            self.turn = (self.turn + 1) % self.seats
        if len(self.out) == self.seats - 1:
            self.holder = None


def card_of(card: str | int) -> Card:
    """The card of a text or a code."""
    text = card if isinstance(card, str) else cards.text(int(card))
    return SUITS.index(text[1]), RANKS.index(text[0]) + 1


ACTS = {CODE["play", name]: name for name in ("card", "block", "blocked", "pass")}


def judge_hand(batch: Batch, hand: int, watch: Callable[[Referee, Step], None] | None = None) -> Referee:
    """The end of a stored hand, by its events alone; ``watch(referee, step)`` sees each act before it is
    done. Raises Illegal."""
    opened, *played = steps(events_of(batch, hand))
    need(opened.what == "deal open")
    referee = Referee(opening_of(batch, hand))
    dealt: dict[int, list[Card] | int] = {}
    for step in played:
        kind, name = step.what.split()
        if step.what == "deal hand":
            need(step.seat not in dealt and len(dealt) < referee.seats)
            need(step.cards.count("??") in (0, len(step.cards)))
            dealt[step.seat] = len(step.cards) if "??" in step.cards else [*map(card_of, step.cards)]
            if len(dealt) == referee.seats:
                referee.deal([dealt[seat] for seat in range(referee.seats)])
        elif kind == "play":
            need(len(dealt) == referee.seats)
            seat = referee.turn if step.seat == NO_SEAT else step.seat
            assert seat is not None
            if watch:
                watch(referee, step)
            referee.act(seat, name, card_of(step.cards[0]) if len(step.cards) == 1 else None)
        else:
            need(step.what == "score place" and len(referee.out) == referee.seats)
            need(step.amount in (None, referee.out.index(step.seat) + 1))
    return referee
