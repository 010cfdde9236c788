"""Simulate: play hands and write a log of them, to ingest.

What plays is a game's own module, ``<game>_players`` beside it in `models`; it has

* `PLAYERS`: the names of the players there are, each with a few words;
* `Simulation(key, scores)`, whose `play(count)` gives the next hands.

Here the hands get names and become text. The same game, seed and players give the same bytes on
every machine, and the first hands of a long simulation are those of a short one.
"""

import hashlib
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module, util
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

import models
from pipelines.batch import Batch
from pipelines.exporters.output import OutputError, new_file
from pipelines.progress import Tally

if TYPE_CHECKING:
    from pipelines.runs import Watch

CHUNK_HANDS: Final = 10_000
"""Hands that are played and written at a time."""
DEFAULT_PLAYERS: Final = "random"


class SimulateError(Exception):
    """What was asked can't be simulated; the text is for the user."""


@dataclass(frozen=True)
class Format:
    """A format that a simulation can be written in.

    header
        What stands before the hands.
    lines
        The text of some hands.
    scores
        Whether the format tells matches and scores.
    games
        The games it can hold.
    """

    header: bytes
    lines: Callable[[Batch], memoryview]
    scores: bool
    games: tuple[str, ...]


def formats() -> dict[str, Format]:
    """The formats there are."""
    from pipelines.exporters import cardlog_jsonl, playedhand_csv
    from pipelines.readers.playedhand_csv import GAMES

    return {
        "cardlog-jsonl": Format(b"", cardlog_jsonl.lines, True, tuple(models.GAMES)),
        "playedhand-csv": Format(playedhand_csv.HEADER, _csv_lines, False, GAMES),
    }


def simulate(
    game: str,
    hands: int,
    seed: int,
    out: str,
    *,
    format_name: str | None = None,
    players: str | None = None,
    watch: "Watch | None" = None,
) -> None:
    """Play hands and write them to a file, which is there whole or not at all.

    out
        The file, ``-`` for standard output; one that ends in ``.gz`` is compressed.
    format_name
        When left out, playedhand-csv for a file that ends in ``.csv``, else cardlog-jsonl.
    players
        Who plays, one of the game's `PLAYERS`; `DEFAULT_PLAYERS` when left out.

    Raises SimulateError, naming what there is, for a game, format or player there is none of; and
    if the file exists or can't be written.
    """
    players = players or DEFAULT_PLAYERS
    module = _players_of(game, players)
    form = _format(format_name or _format_for(out), game)
    if hands < 1:
        raise SimulateError(f"{hands} hands can't be played; it must be at least one")
    name = f"{game}-{players}-{seed}"
    simulation = module.Simulation(_key(name), form.scores)
    try:
        with new_file(out) as file, tempfile.TemporaryDirectory(prefix="cardlog-run-") as folder:
            with watch("simulate", folder, hands) if watch else tempfile.TemporaryDirectory():
                tally = Tally(folder)
                file.write(form.header)
                for batch in _batches(game, name, simulation, hands):
                    file.write(form.lines(batch))
                    tally.add(len(batch), len(batch))
    except OutputError as error:
        raise SimulateError(str(error)) from error
