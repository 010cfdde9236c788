"""What to erase, as a user says it. Only light modules are imported here, as --help lists the options."""

from dataclasses import dataclass
from typing import Annotated

from typer import Option


@dataclass(frozen=True)
class Wanted:
    """What to erase, exactly one of these: an argument of `forget` and options of the command line.

    hand
        The id of a hand, or its source key letter for letter.
    older_than
        In days.
    """

    player: Annotated[str | None, Option(metavar="NAME", help="Replace a player's name.")] = None
    hand: Annotated[str | None, Option(metavar="ID", help="Remove a hand: its whole id or its key.")] = None
    dataset: Annotated[str | None, Option(help="Remove all hands of a data set.")] = None
    older_than: Annotated[float | None, Option(min=0, metavar="DAYS", help="Remove older hands.")] = None
