"""Simulated hands, and play-offs between players and policies."""

import os
from collections.abc import Sequence
from pathlib import Path

from cardlog.models.contest.play_off import PlayOff
from cardlog.models.engine.policy import Policy
from cardlog.pipelines.errors import as_our_own
from cardlog.pipelines.export.simulate import play_off
from cardlog.pipelines.export.simulate import simulate as write_log


def simulate(  # noqa: PLR0913, a user's options
    game: str,
    hands: int,
    out: str | os.PathLike[str],
    *,
    seed: int = 0,
    players: str | Sequence[str] | None = None,
    rules: str | None = None,
    format: str | None = None,
    policy: Policy | None = None,
) -> Path:
    """Play hands and write a log of them, to ingest; returns its path. The same seed gives the same bytes.

    out
        A new file; compressed if its name ends in ``.gz``.
    players
        One player for all seats, or one per seat (default: random).
    rules
        Rules to play by (default: the rule book's).
    format
        ``playedhand-csv`` or ``cardlog-jsonl`` (default: by the name of `out`).
    policy
        Chooses for the seats of the players named ``policy``.

    Raises SimulateError for an unknown game, player, rules or format, listing the valid ones, or if the file
    exists.
    """
    path = Path(out)
    with as_our_own():
        write_log(
            game, hands, seed, str(path.absolute()), format_name=format, rules=rules, policy=policy,
            players=players if players is None or isinstance(players, str) else ",".join(players),
        )  # fmt: skip
    return path


def play(  # noqa: PLR0913, a user's options
    policy: str | Policy,
    against: str | Policy = "random",
    *,
    game: str,
    deals: int = 1000,
    seed: int = 0,
    rules: str | None = None,
    seats: int | None = None,
) -> PlayOff:
    """Pit two players against each other, on the same deals with seats exchanged.

    policy, against
        Each is the name of one of the game's players, a policy ``policy(observations, masks) -> actions``, or
        a policy's name, ``module:object``.
    deals
        Number of deals; each is played once per seating.
    rules
        Rules to play by (default: the rule book's).
    seats
        Number of seats, in games for different numbers of players.

    Raises SimulateError for an unknown game, player, rules or number of seats, listing the valid ones, and if
    a policy chooses an illegal action.
    """
    with as_our_own():
        return play_off(game, (policy, against), deals, seed, rules, seats)
