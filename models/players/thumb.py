"""Rules of thumb for playing a card, for the experts of all trick-taking games of two partnerships.

They are those of the old books: lead your winners, draw trumps if your side named them, else lead low from
length or a singleton; second hand plays low, third hand high, and last hand wins as cheaply as it can; give
counting cards to a partner who wins, and the least to opponents (Hoyle's Games, "Whist"; Cassell's Book of
In-Door Amusements, "Hints for Whist-players", rules 19 to 24; for counters D. Dailey, "Pinochle Tactics",
pagat.com/marriage/pintip.html). They look at the cards played and the seat's own hand, and do not remember
who followed suit.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cardlog.models.engine.compiled import Int, compiled
from cardlog.models.engine.trick import SEATS, of_suit, size_of, suit_of
from cardlog.models.solve.solvable import Solvable
from cardlog.schemas.cards import HIGHEST_CODE

TRICK: Final = 10  # what an average trick is worth here, whatever the game

# How good a lead is.
_WINNER, _DRAW, _UNDER, _HOPELESS = 40, 45, 15, -40
_RUFFED: Final = 20  # how much worse a winner is if few cards of its suit are left and others have trumps
_SINGLETON: Final = 4

# The probability that the seat's side takes the trick, less that of the other side.
_SURE: Final = 0.9
_SECOND_HAND: Final = -0.3

_KEEP: Final = np.array([6.0, 4.0, 2.0])
"""The cost of parting with the best remaining card of a suit, the second and the third best."""
_KEEP_TRUMP: Final = 4.0


def look_up(solvable: Solvable, unit: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """The cards above each card, and what each card is worth, for each trump as in `Solvable`: shape (6, 64).
    An average trick of the game is worth `unit`."""
    worth = solvable.worth * (TRICK / unit) + TRICK / 2 / SEATS
    return np.ascontiguousarray(solvable.tables()["above"]), worth


@compiled
def play_by_thumb(state: Any, legal: Int, pack: Int, above: Any, worth: Any) -> Int:
    """`best_by_thumb` in games that need only one mask for a hand; `above` and `worth` for each trump."""
    hand = np.int64(state.hands[state.turn])
    seen = hand
    for play in range(state.plays):
        seen |= np.int64(1) << np.int64(state.played[play])
    row = state.trump + 1
    return best_by_thumb(state, legal, hand, pack & ~seen, above[row], worth[row])


@compiled
def best_by_thumb(
    state: Any, legal: Int, hand: Int, unseen: Int, above: Any, worth: NDArray[np.float64]
) -> Int:
    """The legal card that the rules of thumb prefer. `hand` is the cards of the seat in turn, `unseen` those
    that it has not seen, `above` and `worth` those of `look_up` for the trump."""
    chosen = np.int64(0)
    best = -np.inf
    for card in range(HIGHEST_CODE + 1):
        if legal >> card & 1:
            if state.trick_cards == 0:
                score = _lead(state, card, hand, unseen, above, worth)
            else:
                score = _follow(state, card, unseen, above, worth)
            if score > best:
                best = score
                chosen = np.int64(card)
    return chosen


@compiled
def _lead(state: Any, card: Int, hand: Int, unseen: Int, above: Any, worth: NDArray[np.float64]) -> float:
    """How good it is to lead a card."""
    suit = suit_of(card)
    trump = np.int64(state.trump)
    trumps_out = size_of(of_suit(unseen, trump)) if 0 <= trump < SEATS else np.int64(0)
    higher = size_of(above[card] & unseen)
    length = size_of(of_suit(hand, suit))
    left = size_of(of_suit(unseen, suit))
    cheap = float(-abs(worth[card]) - (left - higher))
    if suit == trump:
        if trumps_out == 0 or (state.declarer ^ state.turn) & 1:
            return _HOPELESS + cheap
        if higher == 0:
            return float(_DRAW - worth[card] / TRICK)
        return cheap + _UNDER if state.turn == state.declarer and length > 2 else cheap - _UNDER
    if higher == 0:
        return float(_WINNER + worth[card] - (_RUFFED if trumps_out and left < SEATS else 0))
    has_trumps = 0 <= trump < SEATS and of_suit(hand, trump) != 0
    return float(cheap + (_SINGLETON if length == 1 and has_trumps else length))


@compiled
def _follow(state: Any, card: Int, unseen: Int, above: Any, worth: NDArray[np.float64]) -> float:
    """How good it is to play a card to a trick: the worth of the trick times the chance to take it, less what
    the card could still do."""
    best = np.int64(state.best)
    pot = worth[card]
    for play in range(state.plays - state.trick_cards, state.plays):
        pot += worth[state.played[play]]
    wins = above[best] >> card & 1 if suit_of(card) == suit_of(best) else suit_of(card) == state.trump
    higher = size_of(above[card] & unseen)
    is_last = state.trick_cards == SEATS - 1
    is_ours = (state.winner ^ state.turn) & 1 == 0
    if wins:
        chance = 1.0 if is_last else _SURE if higher == 0 else max(-0.2, 0.5 - 0.3 * higher)
        if state.trick_cards == 1 and higher > 0:
            chance = _SECOND_HAND
    elif is_last:
        chance = 1.0 if is_ours else -1.0
    elif is_ours:
        chance = max(-0.5, _SURE - 0.4 * size_of(above[best] & unseen))
    else:
        chance = _SECOND_HAND if state.trick_cards == 1 else -_SURE
    cost = _KEEP[higher] if higher < len(_KEEP) else 0.0
    if suit_of(card) == state.trump:
        cost += _KEEP_TRUMP
    return float(chance * pot - cost)
