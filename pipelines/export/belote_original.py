"""Training rows of belote as the original learning player had them: the encoder ``original``.

The observation is its network's tensor of 4 x 3 x 32 numbers, in thirds, then trump and the bidder,
four numbers each; actions are cards in the program's own order. The reward of a play is the
value of its trick over 56, negative for the losers, and the return is discounted by 0.9 a trick. Only
plays have rows, and only those of hands whose cards are all known.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from cardlog.models.belote import decisions
from cardlog.models.belote import original as belote_original
from cardlog.models.belote.state import DECK_TEXT
from cardlog.models.engine.trick import SEATS
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.events.folding import Replayed, initial_states, replay_batch
from cardlog.pipelines.export.encoders import NamedEncoder
from cardlog.schemas import cards
from cardlog.schemas.events import Action

STATE_WIDTH: Final = int(np.prod(belote_original.SHAPE))
TRUMP_AT: Final = STATE_WIDTH
BIDDER_AT: Final = TRUMP_AT + 4
"""One-hot: how many seats after the acting one the bidder sits."""
OBSERVATION_WIDTH: Final = BIDDER_AT + SEATS
THIRDS: Final = 3
"""The tensor's numbers are 0, 1/3 and 1; an observation holds them three times."""
REWARD_UNIT: Final = 56
DISCOUNT: Final = 0.9
TRICKS: Final = 8

_CODES: Final = np.array([cards.code(card) for card in belote_original.CARDS], np.int64)
_PLAY: Final = decisions.DECISIONS.kinds.index("play")
_PLAY_ORDER: Final = np.array([cards.codes(DECK_TEXT).index(code) for code in _CODES])
"""For each of the program's cards, in its order, the action of `v1` that plays it."""


def encode(batch: Batch) -> Replayed:
    """The plays of hands whose cards are all known; see `encoders.NamedEncoder`."""
    replayed = replay_batch(batch)
    known, observations, masks = _observations(batch)
    keep = (replayed.rows["kind"] == _PLAY) & known[replayed.rows["hand"]]
    rows = replayed.rows[keep]
    rows["action"] = np.argsort(_PLAY_ORDER)[rows["action"]]
    rows["reward"], rows["return"] = _rewards(rows["hand"], rows["seat"], replayed.folded.states)
    return Replayed(replayed.folded, rows, masks, observations)


def _observations(batch: Batch) -> tuple[NDArray[np.bool_], NDArray[np.int8], NDArray[np.bool_]]:
    """Which hands are fully known, (hands,); the observation at each play of these, (plays, width); and
    which cards were legal, (plays, 32)."""
    states, _ = initial_states(batch)
    known = np.zeros(len(batch), np.bool_)
    observations = [np.zeros((0, OBSERVATION_WIDTH), np.int8)]
    legal = [np.zeros(0, np.int64)]
    for hand in range(len(batch)):
        events = batch.events[batch.offsets[hand] : batch.offsets[hand + 1]]
        if not (events["action"] == Action.PLAY_CARD).any():
            continue
        try:
            tensors, _, trump, bidder = belote_original.playing_states(events)
        except ValueError:
            continue
        known[hand] = True
        rows = np.zeros((len(tensors), OBSERVATION_WIDTH), np.int8)
        rows[:, :STATE_WIDTH] = np.rint(tensors.reshape(len(tensors), -1) * THIRDS)
        rows[:, TRUMP_AT + trump] = 1
        rows[np.arange(len(rows)), BIDDER_AT + bidder.astype(np.int64)] = 1
        observations.append(rows)
        legal.append(np.zeros(len(rows), np.int64))
        belote_original.legal_plays(states[hand], events, legal[-1])
    masks = np.concatenate(legal)[:, None] >> _CODES & 1 == 1
    return known, np.concatenate(observations), masks


def _rewards(
    hands: NDArray[np.int32], seats: NDArray[np.int8], states: NDArray[np.void]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Reward and return of each play, in the order of the plays; nan where a trick is not over."""
    rewards = states["values"] / REWARD_UNIT * np.where(states["winners"] % 2 == 0, 1, -1)  # for even seats
    returns = rewards.copy()
    for number in reversed(range(TRICKS - 1)):
        returns[:, number] += DISCOUNT * returns[:, number + 1]
    trick = (np.arange(len(hands)) - np.searchsorted(hands, hands)) // SEATS
    sign, over = np.where(seats % 2 == 0, 1, -1), states["tricks"][hands]
    reward = np.where(trick < over, sign * rewards[hands, trick], np.nan)
    return reward, np.where(over == TRICKS, sign * returns[hands, trick], np.nan)


ENCODER: Final = NamedEncoder(
    "belote", "original", belote_original.VERSION, encode, {"play": belote_original.CARDS}
)
