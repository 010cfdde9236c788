"""Plays a hand of a game at a table of the page, one person and three computers, and writes its log. Run as a
module, with the game and the file, where the game's package can be imported."""

import random
import sys
from pathlib import Path

from tests.support.tables import Paper, Viewer, form_of, in_loop, play_hand, room_of


def main(game: str, log: str) -> None:
    paper = Paper()
    in_loop(lambda: play_hand([Viewer(room_of(form_of(game), paper), 0)], random.Random(1)))
    [finished] = paper.finished
    Path(log).write_bytes(finished.text)


if __name__ == "__main__":
    main(*sys.argv[1:])
