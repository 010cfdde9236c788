"""My game for cardlog: the game, its players, tables, descriptions and marts."""

from pathlib import Path
from typing import Final

import cardlog.plugin
from cardlog.plugin import alone

from . import decisions
from .players import PLAYERS, TREE
from .rules import EVENT, NAME, PACK_TEXT, STATE, VISIBLE, begin, evolve, legal_cards, legal_text

GAME: Final = cardlog.plugin.Game(
    name=NAME,
    title="My game",
    summary="My game: four players, each for itself, thirteen tricks, each of them a point.",
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
