"""The seats and the deck of a Ruter Sju game: from its mark, or else from its text."""

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from cardlog.models.ruter_sju import state
from cardlog.models.ruter_sju.state import BOTS, FEWEST_RANKS, FEWEST_SEATS, ORIGINAL, RANKS, SEATS, SUITS
from cardlog.pipelines.readers.transcript import as_text

MOST_NAME: Final = 256
"""Bytes of a player's name."""
CODE_PAGE: Final = "cp1252"
"""Swedish Windows."""
SUIT_WORDS: Final = (b"diamonds", b"spades", b"hearts", b"clubs", b"4", b"5")
"""The suits in the names of cards; a row of the table has the first letter."""
SUIT: Final = rb"(?:" + b"|".join(SUIT_WORDS) + rb")"
PROMPTS: Final = (
    b"Which player starts?: ",
    b"Which card will you place (number, suit separated by space): ",
    b"Place another? (y/n): ",
)


@dataclass(frozen=True)
class Seating:
    """The players of a hand, and the deck."""

    detail: str  # that of the opening
    names: tuple[bytes, ...]  # by seat, as in the text
    humans: tuple[bool, ...]  # which seats persons play
    suits: int  # their number
    ranks: int  # the number of cards in each suit


def seating_of(text: bytes, settings: dict[str, str]) -> Seating:
    """The seating of a game, from the settings of its mark or else from its text. Raises ValueError."""
    if settings:
        keys = ("numPlayers", "numSuits", "cardsPerSuit", "players")
        return _from_mark(*(settings.get(key, "") for key in keys))
    return _from_text(text)


def hand_sizes(cards: int, seats: int) -> list[int]:
    """How many cards each seat is dealt."""
    size, rest = divmod(cards, seats)
    return [size + (seat < rest) for seat in range(seats)]


@lru_cache(maxsize=4096)
def _from_mark(seats: str, suits: str, ranks: str, players: str) -> Seating:
    kinds = ("human", *BOTS)
    pairs = re.findall(rf"(.*?):({'|'.join(kinds)})(?:,|\Z)", players)
    if ",".join(f"{name}:{kind}" for name, kind in pairs) != players:
        raise ValueError(
            f"The mark's players are {players!r}; each must be name:kind, the kind one of {', '.join(kinds)}."
        )
    if seats != str(len(pairs)):
        raise ValueError(f"The mark's numPlayers is {seats!r}, but it names {len(pairs)} players.")
    return _seating(suits, ranks, [(name.encode(), kind) for name, kind in pairs])


def _seating(suits: str, ranks: str, players: list[tuple[bytes, str]]) -> Seating:
    """The seating of players with these names and kinds."""
    for value, least, most, name in (
        (suits, 1, SUITS, "numSuits"),
        (ranks, FEWEST_RANKS, RANKS, "cardsPerSuit"),
        (str(len(players)), FEWEST_SEATS, SEATS, "numPlayers"),
    ):
        if not re.fullmatch("[0-9]{1,2}", value) or not least <= int(value) <= most:
            raise ValueError(f"{name} is {value!r}; it must be a number from {least} to {most}.")
    names = tuple(name for name, _ in players)
    if len(set(names)) < len(names):
        raise ValueError("Two players have the same name, so their turns can't be distinguished.")
    if int(suits) * int(ranks) < len(names):
        raise ValueError(f"A deck of {suits} suits of {ranks} cards is not enough for {len(names)} players.")
    if longest := [name for name in names if len(name) > MOST_NAME]:
        raise ValueError(f"The name {as_text(longest[0], CODE_PAGE)!r} is too long.")
    openings = [
        {"name": as_text(name, CODE_PAGE), "kind": "human" if kind == "human" else "computer"}
        | ({"bot": kind} if kind in BOTS else {})
        for name, kind in players
    ]
    detail = state.opening(state.Settings(ORIGINAL, int(suits), int(ranks)), openings)
    return Seating(detail, names, tuple(kind == "human" for _, kind in players), int(suits), int(ranks))


def _from_text(text: bytes) -> Seating:
    """The seating of a game without a mark.

    Players sit in the order of their first turns. The seat of the first one is the answer to who starts; or
    else names that are numbers are seats. Otherwise it is the first seat with which the sizes of all hands
    are those of a deal: a computer's hand as it is shown, a human's by the number of cards placed before
    going out."""
    names = list(dict.fromkeys(_TURN.findall(text)))
    rows = _BOARD.search(text)
    if rows is None or not names:
        raise ValueError("The text has no mark, and no turn that shows the players and the deck.")
    suits = rows[1].count(b"\n")
    shown = {name: hand.count(b", ") + 1 for name, hand in reversed(_HAND.findall(text))}
    placed = Counter(name for name, _, _ in _PLACED.findall(text))
    sizes = {name: placed[name] for name in _OUT.findall(text)} | shown
    for ranks in _possible_ranks(text):
        for order in _possible_orders(text, names):
            dealt = dict(zip(order, hand_sizes(suits * ranks, len(order)), strict=True))
            if all(sizes.get(name, count) == count >= placed[name] for name, count in dealt.items()):
                kinds = [(name, "computer" if name in shown else "human") for name in order]
                return _seating(str(suits), str(ranks), kinds)
    raise ValueError("The text has no mark, and the hands that it shows are not a deal of a whole deck.")


def _possible_ranks(text: bytes) -> list[int]:
    """Possible numbers of cards in a suit. In a whole game all are placed, so it is the highest number; in a
    game that breaks off it follows from the first card placed, the middle one of its suit."""
    placed = [(int(number), suit) for _, number, suit in _PLACED.findall(text)]
    highest = max((*map(int, _HELD.findall(text)), *(number for number, _ in placed)), default=0)
    middle = next((number for number, suit in placed if suit == SUIT_WORDS[0]), 0)
    candidates = [highest]
    if middle and b"\nGAME OVER" not in text:
        candidates = [max(highest, 2 * middle - 1), 2 * middle, highest]
    return [ranks for ranks in dict.fromkeys(candidates) if ranks >= max(highest, 1)]


def _possible_orders(text: bytes, names: list[bytes]) -> list[list[bytes]]:
    """The possible orders by seat of players who had their first turns in this order."""
    orders = [names[first:] + names[:first] for first in range(len(names))]
    if answer := _STARTER.search(text):
        return [orders[-int(answer[1]) % len(names)]]
    first = names.index(min(names, key=int)) if all(name.isdigit() for name in names) else 0
    return orders[first:] + orders[:first]


_LINE: Final = rb"^(?:" + b"|".join(map(re.escape, PROMPTS)) + rb")*"
"""Prompts that a line directly follows, since the answers are not shown."""
_TURN: Final = re.compile(_LINE + rb"([^\r\n]*):\r?\n(?:CARDS\r?\n[^\r\n]*\r?\n)?GAME\r?$", re.MULTILINE)
_HAND: Final = re.compile(_LINE + rb"([^\r\n]*):\r?\nCARDS\r?\n([^\r\n]+)", re.MULTILINE)
_HELD: Final = re.compile(rb"(?:^|, )(\d{1,2}) of " + SUIT + rb"(?=,|\r?$)", re.MULTILINE)
_PLACED: Final = re.compile(
    _LINE + rb"([^\r\n]*) places (\d{1,2}) of (" + SUIT + rb")\.\.\.\r?$", re.MULTILINE
)
_OUT: Final = re.compile(rb"^([^\r\n]*) is out!\r?$", re.MULTILINE)
_BOARD: Final = re.compile(rb"GAME\r?\n((?:[dshc45]: ?[0-9 ]*\r?\n)+)")
_STARTER: Final = re.compile(rb"^Which player starts\?: *(-?\d{1,9})[ \t]*\r?$", re.MULTILINE)
