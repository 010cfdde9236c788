"""Policies: players written in Python, such as a network.

A policy is a function ``policy(observations, masks) -> actions``, called once for all tables that wait for
it: with what each seat knows, as the encoder `v1` has it, shape (tables, width), int8, and its legal actions,
shape (tables, most actions), bool. It returns indices into the masks: shape (tables,). They are those of
training rows, so a model trained on an export can play unchanged. A policy that needs the seat and kind of
each decision is an object with a method ``choose(decisions)``, which gets all of it as one `DecisionBatch`.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final, Protocol, cast

import numpy as np
from numpy.typing import NDArray

Actions = NDArray[np.integer[Any]]
MOST_EFFORT: Final = 1_000_000
"""The highest N of a player named ``player-N``: worlds, or rounds, which are kept in memory."""


@dataclass(frozen=True)
class DecisionBatch:
    """Decisions to be taken, one at each of several tables."""

    # as for a function
    observations: NDArray[np.int8]
    masks: NDArray[np.bool_]
    kinds: NDArray[np.int8]  # index of its kind in the game's `Decisions.kinds`: shape (tables,), int8
    seats: NDArray[np.int8]  # the seat that decides: shape (tables,), int8
    # for a policy with a method `sees`, like `search.Search`: what that made of the states, (tables,)
    states: NDArray[np.void] | None = None

    def take(self, rows: NDArray[np.bool_]) -> "DecisionBatch":
        """The rows that a mask selects."""
        return DecisionBatch(self.observations[rows], self.masks[rows], self.kinds[rows], self.seats[rows])


class Chooser(Protocol):
    """A policy that gets everything about a decision."""

    def choose(self, decisions: DecisionBatch) -> Actions:
        """A legal action for each decision, shape (tables,)."""


Function = Callable[[NDArray[np.int8], NDArray[np.bool_]], Actions]
Policy = Function | Chooser


def actions_of(policy: Policy, decisions: DecisionBatch) -> NDArray[np.int64]:
    """What a policy chooses. Raises ValueError if that is not one legal action per table."""
    choose = getattr(policy, "choose", None)  # far quicker than isinstance(policy, Chooser)
    if choose is not None:
        actions = np.asarray(choose(decisions))
    else:
        actions = np.asarray(cast(Function, policy)(decisions.observations, decisions.masks))
    masks = decisions.masks
    count = len(masks)
    if actions.shape != (count,) or actions.dtype.kind not in "iu":
        raise ValueError(
            f"the policy returned an array of {actions.dtype} and shape {actions.shape}; "
            f"it must be integers of shape ({count},)"
        )
    within = (actions >= 0) & (actions < masks.shape[1])
    legal = within & masks[np.arange(count), np.where(within, actions, 0)]
    if not legal.all():
        wrong = int(legal.argmin())
        raise ValueError(
            f"the policy chose action {actions[wrong]}, which is not legal; "
            f"seat {decisions.seats[wrong]} may choose {listed(masks[wrong])}"
        )
    return actions.astype(np.int64)


def listed(mask: NDArray[np.bool_]) -> str:
    """The legal actions of a mask, for a message."""
    return ", ".join(map(str, np.flatnonzero(mask).tolist()))


def counted(name: str, player: str) -> int | None:
    """N of ``player-N``, how hard the player thinks; 0 for the name alone, None for any other name. Raises
    ValueError if N is too high."""
    base, dash, count = name.partition("-")
    if base != player or (dash and not (count.isdecimal() and int(count) > 0)):
        return None
    if int(count or 0) > MOST_EFFORT:
        raise ValueError(f"{name!r} would need too much memory; N of {player}-N is from 1 to {MOST_EFFORT:,}")
    return int(count or 0)


def named(name: str) -> Any:
    """The object of a name, ``module:object``; the module may be in the working folder."""
    if "" not in sys.path:
        sys.path.insert(0, "")  # as Python itself finds it
    module, _, path = name.partition(":")
    value: Any = import_module(module)
    for part in path.split("."):
        value = getattr(value, part)
    return value


def load(name: str) -> Policy:
    """A policy by its name, ``module:object``; a class is instantiated. Raises ValueError if it is none."""
    try:
        loaded = named(name)
    except (ImportError, AttributeError, TypeError, ValueError) as error:  # the last two if it is no name
        raise ValueError(f"no policy {name!r}: {error}") from error
    if isinstance(loaded, type):
        loaded = loaded()
    if not callable(loaded) and not hasattr(loaded, "choose"):
        raise ValueError(f"{name!r} is not a policy: it can't be called and has no method choose")
    policy: Policy = loaded
    return policy
