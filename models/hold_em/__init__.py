"""Texas hold'em: blinds, two cards each and five in common, four rounds of betting."""

from typing import Final

from cardlog.models.engine.game import Game
from cardlog.models.hold_em import decisions
from cardlog.models.hold_em.decisions import DECISIONS
from cardlog.models.hold_em.openings import begin_many
from cardlog.models.hold_em.players import PLAYERS
from cardlog.models.hold_em.rules import evolve, legal_actions, legal_text
from cardlog.models.hold_em.state import DECK_TEXT, EVENT, GAME, OPENING_KEYS, STATE, VISIBLE, begin

HOLD_EM: Final = Game(
    name=GAME,
    title="Hold'em",
    summary="Texas hold'em: two to ten players, blinds, two cards each and five in common.",
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
    begin_many=begin_many,
)
