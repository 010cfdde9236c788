"""The card codec: two characters on the outside, one small integer on the inside.

A card is written rank then suit: ``8S``, ``TH``, ``5H``. Inside it is ``16 * suit + rank``, so
that a hand of the standard pack fits one signed 64-bit mask (its highest code is 60) and
``mask >> 16 * suit`` is the cards held in a suit, lowest first.

Other packs have up to two more suits, ``4`` and ``5``, and two more ranks, ``E`` and ``F`` (14 and
15, where ``K`` is 13): ``E4``. Their codes go up to 110.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

PACK_RANKS: Final = "23456789TJQKA"
"""Ranks of the standard pack from low to high; the position is the rank's number."""
RANKS: Final = PACK_RANKS + "EF"
"""All ranks."""
SUITS: Final = "CDHS"
"""Suits of the standard pack in the order of their numbers: clubs, diamonds, hearts, spades."""
SUIT_STRIDE: Final = 16
HIGHEST_CODE: Final = 60
"""The highest code of the standard pack, the ace of spades."""
NO_TRUMP: Final = 4
"""The number of ``N``, which stands for no trump where a suit is named."""
SUIT_LETTERS: Final = SUITS + "N"
"""What can be named as trump; the position is its number."""
CARD_SUITS: Final = SUITS + "45"
"""All suits that cards have."""
SUIT_CHARACTERS: Final = SUIT_LETTERS + "45"
"""All letters for suits; the position is a card's code // `SUIT_STRIDE`."""
_SUIT_NUMBERS: Final = {letter: number for number, letter in enumerate(SUIT_CHARACTERS)}
_SUIT_OF_NUMBER: Final = {_SUIT_NUMBERS[letter]: letter for letter in CARD_SUITS}
NO_SUIT: Final = -1
UNKNOWN: Final = 255
"""The code of ``??``: a card that was there but not shown."""
UNKNOWN_TEXT: Final = "??"


def grouped_by_suit(deck: str) -> str:
    """The cards of a deck, for a message.

    >>> grouped_by_suit("7C8C7D8D5H")
    '78 of C D, 5 of H'
    """
    ranks_of: dict[str, str] = {}
    for rank, suit in dict.fromkeys(zip(deck[::2], deck[1::2], strict=True)):
        ranks_of[suit] = ranks_of.get(suit, "") + rank
    suits_with: dict[str, list[str]] = {}
    for suit, ranks in ranks_of.items():
        suits_with.setdefault(ranks, []).append(suit)
    return ", ".join(f"{ranks} of {' '.join(suits)}" for ranks, suits in suits_with.items())


def code(text: str) -> int:
    """The code of one card.

    >>> code("5H"), code("??")
    (35, 255)

    Raises ValueError if ``text`` is not a card.
    """
    if text == UNKNOWN_TEXT:
        return UNKNOWN
    if len(text) != 2 or text[0] not in RANKS or text[1] not in CARD_SUITS:
        raise ValueError(f"{text!r} is not a card: a rank of {RANKS}, then a suit of {CARD_SUITS}")
    return _SUIT_NUMBERS[text[1]] * SUIT_STRIDE + RANKS.index(text[0])


def text(card: int) -> str:
    """The two characters of a card's code.

    >>> text(35)
    '5H'

    Raises ValueError if ``card`` is not the code of a card.
    """
    if card == UNKNOWN:
        return UNKNOWN_TEXT
    suit, rank = divmod(card, SUIT_STRIDE)
    if suit not in _SUIT_OF_NUMBER or rank >= len(RANKS):
        raise ValueError(f"{card} is not the code of a card")
    return RANKS[rank] + _SUIT_OF_NUMBER[suit]


def codes(cards: str) -> list[int]:
    """The codes of a run of cards, ``"8STH"`` → two codes. Raises ValueError as `code` does."""
    if len(cards) % 2:
        raise ValueError(f"{cards!r} ends in half a card")
    return [code(card) for card in singly(cards)]


def texts(card_codes: "list[int] | NDArray[np.uint8]") -> str:
    """The inverse of `codes`."""
    return "".join(text(int(card)) for card in card_codes)


def singly(cards: str) -> tuple[str, ...]:
    """The texts of a run of cards: ``"8STH"`` → ``("8S", "TH")``."""
    return tuple(cards[first : first + 2] for first in range(0, len(cards), 2))


def mask(cards: str) -> int:
    """A set of cards of the standard pack as a bit mask, bit ``c`` for code ``c``. Raises ValueError
    as `code` does."""
    bits = 0
    for card in codes(cards):
        bits |= 1 << card
    return bits


def in_mask(mask: int) -> list[str]:
    """The cards of a mask, as texts."""
    return [text(card) for card in range(HIGHEST_CODE + 1) if int(mask) >> card & 1]


NO_CARD: Final = UNKNOWN - 1
"""Stands for two characters that are not a card."""
CHARACTERS: Final = np.zeros((256, 2), np.uint8)
"""The two characters of each code, 0 where it is no card's."""
CARD_OF_PAIR: Final = np.full(2**16, NO_CARD, np.uint8)
"""The code of a card, indexed by its two characters as one number of 16 bits."""
for _text in (UNKNOWN_TEXT, *(rank + suit for rank in RANKS for suit in CARD_SUITS)):
    CHARACTERS[code(_text)] = np.frombuffer(_text.encode(), np.uint8)
    CARD_OF_PAIR[np.frombuffer(_text.encode(), np.uint16)] = code(_text)
