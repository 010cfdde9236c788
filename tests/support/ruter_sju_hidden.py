"""A Ruter Sju transcript in which some hands are hidden."""

import re

from tests.support.ruter_sju_logs import text_of


def hidden_game() -> bytes:
    """The first game of the logs as if seats 0 and 1 were humans, whose cards are not shown."""
    game = text_of("transcripts").decode()
    game = game[: game.index("=== GAME R0001")].replace("GAME R0000", "GAME hidden")
    game = game.replace("0:smart,1:smart", "0:human,1:human")
    lines = re.sub(r"(?m)^([01]):\nCARDS\n.*\n", r"\1:\n", game).split("\n")
    for number in range(len(lines) - 1, 0, -1):
        end_card = re.match(r"([01]) places (?:1|13) of", lines[number])
        if end_card and not lines[number + 2].startswith(f"{end_card[1]} is out"):
            answer = "y" if lines[number + 2].startswith(f"{end_card[1]} places") else "n"
            lines.insert(number + 2, f"Place another? (y/n): {answer}")
    return "\n".join(lines).encode()
