"""Ruter Sju: suits laid out from their middle cards; first out wins."""

from typing import Final

from cardlog.models.engine import opening
from cardlog.models.engine.game import Game
from cardlog.models.ruter_sju import decisions, legal, players, rules, solvable, state

RUTER_SJU: Final = Game(
    name=state.GAME,
    title="Ruter Sju",
    summary="Ruter Sju: three to six players lay suits out from their middle cards; first out wins.",
    event=state.EVENT,
    state=state.STATE,
    visible=state.VISIBLE,
    begin=state.begin,
    evolve=rules.evolve,
    legal_actions=legal.legal_actions,
    legal_text=legal.legal_text,
    decisions=decisions.DECISIONS,
    features=decisions,
    pack=state.pack_of({"suits": state.SUITS, "ranks": state.RANKS}),
    pack_of=state.pack_of,
    opening_keys=tuple(key for key in opening.KEYS if key != "match.score"),
    players=players.PLAYERS,
    solvable=solvable.RACE,
)
