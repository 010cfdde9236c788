"""What a seat knows before it passes or plays a card, as numbers."""

from typing import Any, Final

import numpy as np

from cardlog.plugin import NOTHING, Action, Decisions, Int, cards, compiled, trick

from .rules import PACK_TEXT, PASSING, legal_cards

DECISION_KINDS: Final = ("pass", "play")
CODES: Final = np.array(cards.codes(PACK_TEXT), np.int64)
INDEX: Final = trick.index_by_code(CODES)
ACTIONS: Final = len(CODES)

# The first 52 values, one a card of the pack: not seen, held, passed, or played by a seat counted from me.
IN_HAND, PASSED, PLAYED, ON_TABLE = 1, 2, 3, 7
TRICK, BROKEN, DIRECTION, RULES = range(ACTIONS, ACTIONS + 4)  # `RULES` has eight values
OBSERVATION_WIDTH: Final = RULES + 8


@compiled
def legal_actions(state: Any, mask: Any) -> tuple[Int, Int]:
    """See `Decisions`."""
    legal = legal_cards(state)
    if legal == 0:
        return NOTHING, 0
    trick.mark(mask, legal, CODES)
    return (0 if state.phase == PASSING else 1), ACTIONS


@compiled
def to_event(state: Any, action: Int, event: Any) -> None:
    """See `Decisions`."""
    event.action = Action.DEAL_PASS if state.phase == PASSING else Action.PLAY_CARD
    event.count = 1
    event.cards[0] = CODES[action]


@compiled
def decide(state: Any, event: Any, mask: Any) -> tuple[Int, Int, Int]:
    """See `Decisions`."""
    if event.action != Action.PLAY_CARD and event.action != Action.DEAL_PASS:
        return NOTHING, 0, 0
    kind, count = legal_actions(state, mask)
    return kind, count, INDEX[event.cards[0]]


@compiled
def observe(state: Any, me: Int, observation: Any) -> None:
    """See `Decisions`."""
    for index in range(ACTIONS):
        observation[index] = state.hands[me] >> CODES[index] & 1
        if state.given[me] >> CODES[index] & 1:
            observation[index] = PASSED
    trick.observe_played(state, me, observation, INDEX, (PLAYED, ON_TABLE))
    observation[TRICK], observation[BROKEN], observation[DIRECTION] = (
        state.tricks,
        state.broken,
        state.direction,
    )
    for bit in range(8):
        observation[RULES + bit] = state.rules >> bit & 1


@compiled
def outcome(state: Any, decision: Any) -> tuple[float, float]:
    """Minus what the trick brought the seat, 0 for a pass; minus its score of the hand."""
    reward = 0.0
    if decision.kind == 1:
        reward = np.nan
        if decision.trick < state.tricks:
            took = state.winners[decision.trick] == decision.seat
            reward = -np.float64(state.values[decision.trick]) if took else 0.0
    return reward, -np.float64(state.score[decision.seat]) if state.done else np.nan


DECISIONS: Final = Decisions(
    kinds=DECISION_KINDS, most_actions=ACTIONS, width=OBSERVATION_WIDTH, version=1, observe=observe,
    legal_actions=legal_actions, to_event=to_event, decide=decide, outcome=outcome,
)  # fmt: skip
