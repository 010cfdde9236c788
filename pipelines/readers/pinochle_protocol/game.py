"""The game's own state while one of its hands is parsed: every event goes through the rules.

An event that the rules refuse stays in its hand, for the judge refuses it again and says why. But the
lines after it must be parsed as well: from them follows what the others were dealt, and what the next
hand begins with. So the state then takes the text's word for what happened.
"""

from typing import Any, Final

import numpy as np

from cardlog.models.compiled import compiled
from cardlog.models.pinochle import rules
from cardlog.models.pinochle.cards import ONE
from cardlog.models.pinochle.rules import SEATS, evolve
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
_EVERYBODY: Final = (1 << SEATS) - 1


@compiled
def begin_game(game: Any, dialect: int, trump_before: int) -> None:
    """Make the state that of a hand of which nothing else is known."""
    game[0] = _BLANK[dialect]
    game[0].trump_before = trump_before


@compiled
def set_dealer(game: Any, seat: int) -> None:
    """Let a seat be the dealer, before anybody has bid."""
    game.dealer = seat
    game.declarer = seat
    game.turn = (seat + 1) % SEATS


@compiled
def advance(game: Any, event: Any) -> None:
    """Run an event through the rules; if they refuse it, make the state what the text says."""
    if evolve(game, event) == _OK:
        return
    action = event.action
    seat = event.seat
    if action == rules.PLAY_CARD:
        _play_as_said(game, event)
    elif action in (rules.BID, rules.BID_PASS):
        if action == rules.BID and event.amount > game.high_bid:
            game.high_bid = event.amount
            game.declarer = seat
            game.stuck_dealer_is_not_asked = 0  # the bid is no more the dealer's at 20
        event.action = rules.BID_PASS
        event.seat = game.turn
        evolve(game, event)  # counts it
        event.action = action
        event.seat = seat
    elif action in (rules.NAME_TRUMP, rules.THROW_IN):
        declarer = game.declarer
        game.declarer = seat
        evolve(game, event)
        game.declarer = declarer
    elif action == rules.DECLARE:
        game.melded |= game.melded + 1  # in place of the first seat that has not
        if game.melded == _EVERYBODY:
            game.turn = game.declarer
            game.phase = rules.PLAYING


@compiled
def _play_as_said(game: Any, event: Any) -> None:
    """Play a card as if it were the seat's turn, and the only card that it holds."""
    seat = event.seat
    card = ONE << np.int64(event.cards[0])
    firsts = np.int64(game.firsts[seat])
    seconds = np.int64(game.seconds[seat])
    unknown = game.unknown[seat]
    game.turn = seat
    game.firsts[seat] = card
    game.seconds[seat] = 0
    game.unknown[seat] = 0
    evolve(game, event)
    if seconds & card:
        seconds &= ~card
    else:
        firsts &= ~card
    game.firsts[seat] = firsts
    game.seconds[seat] = seconds
    game.unknown[seat] = unknown
