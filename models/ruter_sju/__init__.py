"""Ruter Sju: suits laid out from their middle cards; first out wins."""

from typing import Final

from cardlog.models.engine import opening
from cardlog.models.engine.game import Game
from cardlog.models.ruter_sju import decisions
from cardlog.models.ruter_sju.decisions import DECISIONS
from cardlog.models.ruter_sju.legal import legal_actions, legal_text
from cardlog.models.ruter_sju.players import PLAYERS
from cardlog.models.ruter_sju.rules import evolve
from cardlog.models.ruter_sju.solvable import RACE
from cardlog.models.ruter_sju.state import EVENT, GAME, STATE, VISIBLE, begin, pack_of

RUTER_SJU: Final = Game(
    name=GAME,
    title="Ruter Sju",
    summary="Ruter Sju: three to six players lay suits out from their middle cards; first out wins.",
    event=EVENT,
    state=STATE,
    visible=VISIBLE,
    begin=begin,
    evolve=evolve,
    legal_actions=legal_actions,
    legal_text=legal_text,
    decisions=DECISIONS,
    features=decisions,
    pack_of=pack_of,
    opening_keys=tuple(key for key in opening.KEYS if key != "match.score"),
    players=PLAYERS,
    solvable=RACE,
)
