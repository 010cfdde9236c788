"""Environments for reinforcement learning, of the interfaces that its libraries expect."""

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from cardlog.models.engine.dealing import BOOK
from cardlog.models.engine.policy import Policy
from cardlog.result import MissingPackage


def env(  # noqa: PLR0913, a user's options
    game: str,
    *,
    against: str | Policy | Sequence[str | Policy] | None = None,
    seat: int = 0,
    hands: int | None = None,
    rules: str = BOOK,
    seats: int | None = None,
    render_mode: str | None = None,
) -> Any:
    """An environment in which an episode is a hand; it needs the extra ``cardlog[env]``.

    against
        None for an environment of PettingZoo's (`AECEnv`), whose agents ``seat_0`` and so on are all seats.
        The player of all other seats, or one for each in their order, for one of Gymnasium's (`Env`).
    seat
        The seat that is played against them.
    hands
        How many hands are played at a time, for Gymnasium's `VectorEnv`; each ended hand gives way to the
        next in the same step.
    rules, seats
        A name of the rules that the game has, and how many seats, in games that allow several numbers.
    render_mode
        ``ansi`` for `render` to draw the hand so far, with all cards, as text.

    Observations, masks, actions and returns are those of training rows. Raises ValueError, naming the valid
    ones, for a game, player, rules or seats that there are not, and MissingPackage.
    """
    try:
        if against is None:
            if hands is not None:
                raise ValueError("PettingZoo has no environments of many hands; name who plays against")
            return import_module("cardlog.pettingzoo_env").HandEnv(game, rules, seats, render_mode)
        gymnasium_env = import_module("cardlog.gymnasium_env")
    except ModuleNotFoundError as error:
        if error.name not in ("gymnasium", "pettingzoo"):
            raise
        raise MissingPackage(f"cardlog.env needs {error.name}; install the extra 'cardlog[env]'") from error
    table = gymnasium_env.seated(game, against, seat, rules, seats)
    if hands is None:
        return gymnasium_env.SeatEnv(*table, render_mode)
    return gymnasium_env.SeatsEnv(*table, hands)
