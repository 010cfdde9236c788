"""Pinochle: two of each card from nine to ace, melds and twelve tricks."""

from typing import Final

from cardlog.models.engine import opening
from cardlog.models.engine.game import OPPOSITE, Game
from cardlog.models.pinochle import decisions
from cardlog.models.pinochle.cards import DECK_TEXT
from cardlog.models.pinochle.decisions import DECISIONS
from cardlog.models.pinochle.legal import legal_actions, legal_text
from cardlog.models.pinochle.players import PLAYERS
from cardlog.models.pinochle.rules import evolve
from cardlog.models.pinochle.solvable import SOLVABLE
from cardlog.models.pinochle.state import EVENT, GAME, STATE, VISIBLE, begin

PINOCHLE: Final = Game(
    name=GAME,
    title="Pinochle",
    summary=(
        "Pinochle: four players in two partnerships, "
        "two of each card from nine to ace, meld and twelve tricks."
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
    opening_keys=(*opening.KEYS, "match.hands_played", "match.trump"),
    players=PLAYERS,
    solvable=SOLVABLE,
    teams=OPPOSITE,
)
