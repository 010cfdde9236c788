"""Policies: players written in Python, such as a network.

A policy is a function ``policy(observations, masks) -> actions``. Many tables play at the same time, and it
is called once for all that wait for it:

observations
    What each seat knows, as the encoder `v1` has it: shape (tables, width), int8.
masks
    Its legal actions: shape (tables, most actions), bool.
actions
    Indices into the masks, one per table: shape (tables,), integers.

They are those of training rows, so a model trained on an export can play unchanged. A policy that needs
the seat and kind of each decision is an object with a method ``choose(decisions)``, which gets all of it as
one `DecisionBatch`.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

Actions = NDArray[np.integer[Any]]


@dataclass(frozen=True)
class DecisionBatch:
    """Decisions to be taken, one at each of several tables.

    observations, masks
        As above.
    kinds
        Index of each one's kind in the game's `Decisions.kinds`: shape (tables,), int8.
    seats
        The seat that decides: shape (tables,), int8.
    states
        For a policy with a method `sees`, as `search.Search` has: what that made of the states, (tables,).
    """

    observations: NDArray[np.int8]
    masks: NDArray[np.bool_]
    kinds: NDArray[np.int8]
    seats: NDArray[np.int8]
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
    """N of ``player-N``, as players are called that think so hard; 0 of the player's name alone, None of any
    other name."""
    first, dash, count = name.partition("-")
    if first != player or (dash and not (count.isdecimal() and int(count) > 0)):
        return None
    return int(count) if dash else 0


def named(name: str) -> Any:
    """The object of a name, ``module:object``; the module may be in the working folder."""
    if "" not in sys.path:
        sys.path.insert(0, "")  # as Python itself finds it
    module, _, path = name.partition(":")
    found: Any = import_module(module)
    for part in path.split("."):
        found = getattr(found, part)
    return found


def load(name: str) -> Policy:
    """A policy by its name, ``module:object``. A class is instantiated without arguments.

    Raises ValueError if there is no policy of that name.
    """
    try:
        found = named(name)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"no policy {name!r}: {error}") from error
    if isinstance(found, type):
        found = found()
    if not callable(found) and not hasattr(found, "choose"):
        raise ValueError(f"{name!r} is not a policy: it can't be called and has no method choose")
    policy: Policy = found
    return policy
