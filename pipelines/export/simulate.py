"""Simulate: play hands and write a log of them, to ingest.

The hands are played by `models.contest.simulation`. Here they get ids and become text. The same game, seed,
players and rules give the same bytes on every machine, and a longer simulation begins with the hands of a
shorter one.
"""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import numpy as np
from numpy.typing import NDArray

from cardlog import models
from cardlog.models.contest import ladder as ladders
from cardlog.models.contest import play_off as play_offs
from cardlog.models.contest.ladder import Ladder
from cardlog.models.contest.play_off import PlayOff
from cardlog.models.contest.simulation import Simulation
from cardlog.models.engine.dealing import BOOK, POLICY
from cardlog.models.engine.policy import Policy
from cardlog.pipelines.derive.projections import project
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.export import cardlog_jsonl, playedhand_csv
from cardlog.pipelines.export.output import OutputError, check_format, log_formats, new_file, watched
from cardlog.pipelines.export.playedhand_csv import CSV
from cardlog.pipelines.runtime.progress import Tally, Watch, no_watch
from cardlog.schemas.errors import CardlogError
from cardlog.schemas.limits import MOST_HANDS
from cardlog.schemas.names import EVENTS_FORMAT, match_id

CHUNK_HANDS: Final = 10_000
"""Hands that are played and written together."""
DEFAULT_PLAYERS: Final = "random"
NUMBERED_HANDS: Final = 2**24
"""Hands of a simulation that are numbered without starting again from 1."""


class SimulateError(CardlogError):
    """A simulation or play-off is not possible as requested; the text is for the user."""


def simulate(  # noqa: PLR0913, a user's options
    game: str,
    hands: int,
    seed: int,
    out: str,
    *,
    format_name: str | None = None,
    players: str | None = None,
    rules: str | None = None,
    policy: Policy | None = None,
    watch: Watch = no_watch,
) -> None:
    """Play hands and write them to a file, which appears whole or not at all.

    out
        The file, ``-`` for standard output; one that ends in ``.gz`` is compressed.
    format_name
        Default: playedhand-csv for a file that ends in ``.csv``, else cardlog-jsonl.
    players
        Names from the game's `PLAYERS`, separated by commas, one for all seats or one per seat (default:
        `DEFAULT_PLAYERS`).
    rules
        One of the game's `RULES` (default: the rule book's).
    policy
        Plays the seats of the players named `POLICY`; see `models.engine.policy`. Ids of hands depend on
        everything but the policy, so another policy needs another seed.

    Raises SimulateError, listing those there are, for an unknown game, format, player or rules; and if the
    file exists or can't be written.
    """
    seats, rules = (players or DEFAULT_PLAYERS).split(","), rules or BOOK
    _check_game(game)
    with _reporting(OutputError):
        form = format_name or (CSV if out.removesuffix(".gz").endswith(".csv") else EVENTS_FORMAT)
        check_format(game, form, log_formats(), "simulate")
    if not 1 <= hands <= MOST_HANDS:
        raise SimulateError(f"{hands} hands can't be played; it must be from 1 to {MOST_HANDS:,}")
    name = "-".join([game, *seats, *([rules] if rules != BOOK else []), str(seed)])
    seat_players = tuple(policy if policy and seat == POLICY else seat for seat in seats)
    with _reporting(ValueError):
        simulation = Simulation(game, _key(name), seat_players, rules, scored=form == EVENTS_FORMAT)
    with _reporting(OutputError), new_file(out) as file, watched(watch, "simulate", hands) as tally_folder:
        tally = Tally(tally_folder)
        file.write(playedhand_csv.HEADER if form == CSV else b"")
        for batch in batches(game, name, simulation, hands):
            if form == CSV:  # it identifies a hand by its number alone
                _offset_numbers(batch, name)
            file.write(_csv_lines(batch) if form == CSV else cardlog_jsonl.lines(batch))
            tally.add(len(batch), len(batch))


@contextmanager
def _reporting(kind: type[Exception]) -> Iterator[None]:
    """Raise errors of a kind, whose texts are for users, as SimulateError."""
    try:
        yield
    except kind as error:
        raise SimulateError(str(error)) from error


def play_off(
    game: str,
    sides: tuple[str | Policy, str | Policy],
    deals: int,
    seed: int,
    rules: str | None,
    seats: int | None,
) -> PlayOff:
    """The result of `cardlog.models.contest.play_off`.

    Raises SimulateError, listing those there are, for an unknown game, player, rules or number of seats, and
    if a policy chooses an illegal action.
    """
    _check_game(game)
    with _reporting(ValueError):
        return play_offs.play_off(game, sides, deals, seed, rules=rules or BOOK, seats=seats)


def ladder(game: str, players: str | None, deals: int, seed: int, stops: bool) -> Ladder:
    """The result of `cardlog.models.contest.ladder`, by default of all of a game's players; errors as in
    `play_off`."""
    _check_game(game)
    names = players.split(",") if players else ladders.players_of(game)
    with _reporting(ValueError):
        return ladders.ladder(game, names, deals, seed, stops=stops)


def _check_game(game: str) -> None:
    """Raises SimulateError unless a game has players."""
    playable = [name for name in models.GAMES if models.game(name).players is not None]
    if game not in playable:
        problem = "can't be simulated yet" if game in models.GAMES else "is no game there is"
        raise SimulateError(f"{game!r} {problem}; there are: {', '.join(playable)}")


def _key(name: str) -> int:
    """The seed of a simulation's random numbers, from its name."""
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest(), "little")


def batches(game: str, name: str, simulation: Simulation, hands: int) -> Iterator[Batch]:
    """The next hands of a simulation, `CHUNK_HANDS` at a time.

    Ids of hands and matches are digests of its name: they differ from seed to seed without revealing the
    seed, from which all cards would follow.
    """
    for first in range(0, hands, CHUNK_HANDS):
        played = simulation.play(min(CHUNK_HANDS, hands - first))
        matches, match_of = np.unique(played.matches, return_inverse=True)
        yield Batch(
            game,
            _hand_ids(name, first, len(played.hand_nos)),
            played.events,
            played.offsets,
            played.details,
            match_of.astype(np.int32),
            [match_id(f"{game}-{number}", "simulation", name) for number in matches],
            played.hand_nos,
        )


def _hand_ids(name: str, first: int, count: int) -> NDArray[np.bytes_]:
    """Ids from the simulation's name and the number of each hand."""
    stem = hashlib.blake2b(f"{name}\0".encode(), digest_size=16)
    ids = bytearray()
    for number in range(first, first + count):
        digest = stem.copy()
        digest.update(b"%d" % number)
        ids += digest.digest()
    return np.frombuffer(bytes(ids).hex().encode(), "S32")


def _offset_numbers(batch: Batch, name: str) -> None:
    """Number the hands from a start that depends on the simulation's name instead of from 1: a row of
    Kaiser's has no other identity than its number, so two simulations would have the same hands."""
    start = _key(f"{name}\0numbers") % (MOST_HANDS - NUMBERED_HANDS)
    amounts = batch.events["amount"]
    firsts = batch.offsets[:-1]
    amounts[firsts] = (amounts[firsts].astype(np.int64) + start) % MOST_HANDS + 1


def _csv_lines(batch: Batch) -> memoryview:
    """Kaiser's rows, all in UTC."""
    ((_, rows),) = project(batch, ("playedhand",))
    return playedhand_csv.lines(rows, np.zeros(len(rows), np.int16))
