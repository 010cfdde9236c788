"""Hearts for cardlog: the game, its players, a log format, tables, descriptions and marts."""

from pathlib import Path
from typing import Final

from cardlog.plugin import Game, alone

from . import decisions
from .players import PLAYERS, TREE
from .rules import EVENT, GAME, PACK_TEXT, STATE, VISIBLE, begin, evolve, legal_cards, legal_text

HEARTS: Final = Game(
    name=GAME,
    title="Hearts",
    summary="Hearts: four players, each for itself, thirteen tricks; hearts and the queen of spades hurt.",
    event=EVENT,
    state=STATE,
    visible=VISIBLE,
    begin=begin,
    evolve=evolve,
    legal_actions=legal_cards,
    legal_text=legal_text,
    decisions=decisions.DECISIONS,
    features=decisions,
    pack=PACK_TEXT,
    opening_keys=alone.OPENING_KEYS,
    players=PLAYERS,
    solvable=TREE,
)
MARTS: Final = Path(__file__).parent / "marts"
