"""The game's own state while a hand is parsed: every event goes through the rules.

An event that the rules refuse stays in its hand, since the judge will refuse it again and say why. The lines
after it must be parsed nevertheless, for the others' cards and the start of the next hand. So the state then
follows the text.
"""

from typing import Any, Final

import numpy as np

from cardlog.models.compiled import compiled
from cardlog.models.pinochle import rules
from cardlog.models.pinochle.cards import ONE
from cardlog.models.pinochle.rules import evolve
from cardlog.models.pinochle.state import PLAYING, SEATS
from cardlog.pipelines.readers.pinochle_protocol.state import DIALECTS
from cardlog.schemas.reasons import Reason

_BLANK: Final = np.concatenate(
    [
        rules.begin({"settings": {"dialect": dialect}, "dealer": 0, "players": [{}] * SEATS})
        for dialect in DIALECTS
    ]
)
"""The state before a hand's first event, by dialect."""
_OK: Final = int(Reason.OK)
_BIDS: Final = (rules.BID, rules.BID_PASS)
_NAMES: Final = (rules.NAME_TRUMP, rules.THROW_IN)
_EVERYBODY: Final = (1 << SEATS) - 1


@compiled
def begin_game(game: Any, dialect: int, trump_before: int) -> None:
    """Reset the state for a new hand."""
    game[0] = _BLANK[dialect]
    game[0].trump_before = trump_before


@compiled
def set_dealer(game: Any, seat: int) -> None:
    """Set the dealer, before anybody has bid."""
    game.dealer = seat
    game.declarer = seat
    game.turn = (seat + 1) % SEATS


@compiled
def advance(game: Any, event: Any) -> None:
    """Apply an event by the rules; if they refuse it, make the state follow the text."""
    if evolve(game, event) == _OK:
        return
    action = event.action
    seat = event.seat
    if action == rules.DECLARE:
        game.melded |= game.melded + 1  # counts for the first seat that has not melded
        if game.melded == _EVERYBODY:
            game.turn = game.declarer
            game.phase = PLAYING
    if action not in _BIDS and action not in _NAMES and action != rules.PLAY_CARD:
        return
    declarer = game.declarer
    firsts = np.int64(game.firsts[seat])
    seconds = np.int64(game.seconds[seat])
    unknown = game.unknown[seat]
    card = ONE << np.int64(event.cards[0])
    if action in _BIDS:
        if action == rules.BID and event.amount > game.high_bid:
            game.high_bid = event.amount
            game.declarer = declarer = seat
            game.stuck_dealer_is_not_asked = 0  # the bid is no longer the dealer's at 20
        event.action = rules.BID_PASS
        event.seat = game.turn
    elif action in _NAMES:
        game.declarer = seat
    else:
        game.turn = seat
        game.firsts[seat] = card
        game.seconds[seat] = 0
        game.unknown[seat] = 0
    evolve(game, event)  # as a pass of the seat in turn, by the declarer, or with the only card held
    event.action = action
    event.seat = seat
    game.declarer = declarer
    if action == rules.PLAY_CARD:
        game.firsts[seat] = firsts if seconds & card else firsts & ~card
        game.seconds[seat] = seconds & ~card
        game.unknown[seat] = unknown
