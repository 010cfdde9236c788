"""High card: four players in two partnerships, three cards each, three tricks without trump."""

from typing import Final

from cardlog.models.game import OPPOSITE, Game
from cardlog.models.high_card import decisions
from cardlog.models.high_card.decisions import DECISIONS
from cardlog.models.high_card.players import PLAYERS
from cardlog.models.high_card.rules import (
    DECK_TEXT,
    EVENT,
    GAME,
    STATE,
    VISIBLE,
    begin,
    evolve,
    legal_cards,
    legal_text,
)

HIGH_CARD: Final = Game(
    name=GAME,
    title="High card",
    summary="High card: four players in two partnerships, three tricks without trump.",
    event=EVENT,
    state=STATE,
    visible=VISIBLE,
    begin=begin,
    evolve=evolve,
    legal_actions=legal_cards,
    legal_text=legal_text,
    decisions=DECISIONS,
    features=decisions,
    pack=DECK_TEXT,
    players=PLAYERS,
    teams=OPPOSITE,
)
