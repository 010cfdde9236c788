"""Belote: 32 cards, eight tricks worth 162, declarations and bela."""

from typing import Final

from cardlog.models.belote import decisions
from cardlog.models.belote.decisions import DECISIONS
from cardlog.models.belote.legal import legal_actions, legal_text
from cardlog.models.belote.players import PLAYERS
from cardlog.models.belote.rules import evolve
from cardlog.models.belote.solvable import SOLVABLE
from cardlog.models.belote.state import DECK_TEXT, EVENT, GAME, STATE, VISIBLE, begin
from cardlog.models.engine.game import OPPOSITE, Game

BELOTE: Final = Game(
    name=GAME,
    title="Belote",
    summary=(
        "Belote: four players in two partnerships, 32 cards, eight tricks worth 162, declarations and bela."
    ),
    event=EVENT,
    state=STATE,
    visible=VISIBLE,
    begin=begin,
    evolve=evolve,
    legal_actions=legal_actions,
    legal_text=legal_text,
    decisions=DECISIONS,
    features=decisions,
    pack=DECK_TEXT,
    players=PLAYERS,
    solvable=SOLVABLE,
    teams=OPPOSITE,
)
