"""Pinochle: two of each card from nine to ace, melds and twelve tricks."""

from typing import Final

from cardlog.models.engine import opening
from cardlog.models.engine.game import OPPOSITE, Game
from cardlog.models.pinochle import cards, decisions, legal, players, rules, solvable, state

PINOCHLE: Final = Game(
    name=state.GAME,
    title="Pinochle",
    summary=(
        "Pinochle: four players in two partnerships, "
        "two of each card from nine to ace, meld and twelve tricks."
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
    pack=cards.DECK_TEXT,
    opening_keys=(*opening.KEYS, "match.hands_played", "match.trump"),
    players=players.PLAYERS,
    solvable=solvable.SOLVABLE,
    teams=OPPOSITE,
)
