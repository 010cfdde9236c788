"""Kaiser: 32 cards, eight tricks worth ten points in all."""

from typing import Final

from cardlog.models.engine import opening
from cardlog.models.engine.game import OPPOSITE, Game
from cardlog.models.kaiser import decisions, legal, players, rules, solvable, state

KAISER: Final = Game(
    name=state.GAME,
    title="Kaiser",
    summary="Kaiser: four players in two partnerships, 32 cards, eight tricks worth ten points in all.",
    event=state.EVENT,
    state=state.STATE,
    visible=state.VISIBLE,
    begin=state.begin,
    evolve=rules.evolve,
    legal_actions=legal.legal_actions,
    legal_text=legal.legal_text,
    decisions=decisions.DECISIONS,
    features=decisions,
    pack=state.DECK_TEXT,
    opening_keys=(*opening.KEYS, "match.no_trump", "utc_offset"),
    players=players.PLAYERS,
    solvable=solvable.SOLVABLE,
    teams=OPPOSITE,
)
