"""Plays a hand of a game at a table of the page, one person and three computers, and writes its log. Run as a
module, with the game and the file, where the game's package can be imported."""

import random
import sys
from pathlib import Path

from tests.support.tables import in_loop, play_hand, seated


def main(game: str) -> bytes:
    _, viewer, paper = seated(game)
    play_hand([viewer], random.Random(1))
    return paper.finished[0].text


if __name__ == "__main__":
    Path(sys.argv[2]).write_bytes(in_loop(lambda: main(sys.argv[1])))
