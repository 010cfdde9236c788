"""Kaiser: 32 cards, eight tricks worth ten points in all."""

from typing import Final

from cardlog.models.engine import opening
from cardlog.models.engine.game import OPPOSITE, Game
from cardlog.models.kaiser import decisions
from cardlog.models.kaiser.decisions import DECISIONS
from cardlog.models.kaiser.legal import legal_actions, legal_text
from cardlog.models.kaiser.players import PLAYERS
from cardlog.models.kaiser.rules import evolve
from cardlog.models.kaiser.solvable import SOLVABLE
from cardlog.models.kaiser.state import DECK_TEXT, EVENT, GAME, STATE, VISIBLE, begin

KAISER: Final = Game(
    name=GAME,
    title="Kaiser",
    summary="Kaiser: four players in two partnerships, 32 cards, eight tricks worth ten points in all.",
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
    opening_keys=(*opening.KEYS, "match.no_trump", "utc_offset"),
    players=PLAYERS,
    solvable=SOLVABLE,
    teams=OPPOSITE,
)
