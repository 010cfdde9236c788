"""Five-card draw: two rounds of betting around an exchange of cards."""

from typing import Final

from cardlog.models.engine.game import Game
from cardlog.models.five_card_draw import decisions
from cardlog.models.five_card_draw.decisions import DECISIONS
from cardlog.models.five_card_draw.legal import legal_actions, legal_text
from cardlog.models.five_card_draw.players import PLAYERS
from cardlog.models.five_card_draw.rules import evolve
from cardlog.models.five_card_draw.state import DECK_TEXT, EVENT, GAME, OPENING_KEYS, STATE, VISIBLE, begin

FIVE_CARD_DRAW: Final = Game(
    name=GAME,
    title="Five-card draw",
    summary="Five-card draw: up to six players, two rounds of betting around an exchange of cards.",
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
    opening_keys=OPENING_KEYS,
    players=PLAYERS,
)
