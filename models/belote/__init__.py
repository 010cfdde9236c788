"""Belote: 32 cards, eight tricks worth 162, declarations and bela."""

from typing import Final

from cardlog.models.belote import decisions, legal, players, rules, solvable, state
from cardlog.models.engine.game import OPPOSITE, Game

BELOTE: Final = Game(
    name=state.GAME,
    title="Belote",
    summary=(
        "Belote: four players in two partnerships, 32 cards, eight tricks worth 162, declarations and bela."
    ),
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
    players=players.PLAYERS,
    solvable=solvable.SOLVABLE,
    teams=OPPOSITE,
)
