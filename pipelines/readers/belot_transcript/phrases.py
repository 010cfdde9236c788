"""The kinds of lines that the programs print, and the phrases that identify them."""

from typing import Final

import numpy as np

from cardlog.pipelines.readers.bytes import as_word

# The kinds of lines.
(
    BLANK, NOISE, UNKNOWN, MARK, PAIR_A, PAIR_B, SHARING, DEALER, HAND_CARDS, HEADER, MUST, PASS,
    TRUMP, DECLARATIONS, NO_DECLARATION, DECLARATION, CARD, CHOICE, PROMPT, OWN_CARDS, BELA, TRICK,
    POINTS, TOTALS, PAIR_POINTS, FAILED, ALL_TRICKS, FINAL_POINTS, WON, CRASH, TRACE,
) = range(31)  # fmt: skip

BEFORE_TRICK, WARNED = 1, 2
"""Numbers of lines of `NOISE`: a trick may begin after it; it is a warning, so a line of code may follow."""
DIALECTS: Final = ("bornabesic", "cesmak", "readme")
"""The wordings, by the number of a line of `DEALER`."""

_BEGINNINGS: Final = (
    (b"Karte dijeli ", DEALER, 0),
    (b"Card dealer: ", DEALER, 1),
    (b"Card dealer ", DEALER, 2),
    (b"PAR A: ", PAIR_A, 0),
    (b"PAR B: ", PAIR_B, 0),
    (b"PAIR A: ", PAIR_A, 0),
    (b"PAIR B:: ", PAIR_B, 0),
    (b"PAIR B: ", PAIR_B, 0),
    (b"must True", MUST, 1),
    (b"must False", MUST, 0),
    (b"Zvanja:", DECLARATIONS, 0),
    (b"Vocations:", DECLARATIONS, 0),
    (b"Depending on maxDeclaredA, maxDeclared B - vocations:", DECLARATIONS, 0),
    (b"KARTE: ", OWN_CARDS, 0),
    (b"Cards: ", OWN_CARDS, 0),
    (b"Broj karte:", PROMPT, len(b"Broj karte: ")),
    (b"Ticket number:", PROMPT, len(b"Ticket number:: ")),
    (b"Broj boje (ENTER", PROMPT, len(b"Broj boje (ENTER za dalje): ")),
    (b"Color number (ENTER", PROMPT, len(b"Color number (ENTER for further: ")),
    (b"Zvati belu (", PROMPT, len(b"Zvati belu (da / ne)? ")),
    (b"Call it white (", PROMPT, len(b"Call it white (yes/no) ")),
    (b"BELA!", BELA, 0),
    (b"BEAUTIFUL!", BELA, 0),
    (b"Bodovi u dijeljenju:", POINTS, 0),
    (b"Sharing Points:", POINTS, 0),
    (b"Ukupni bodovi:", TOTALS, 0),
    (b"Total points:", TOTALS, 0),
    (b"=== ", MARK, 0),
    (b"Traceback (most recent call last)", CRASH, 0),
    (b"Killed", CRASH, 0),
    (b"Terminated", CRASH, 0),
    (b"Segmentation fault", CRASH, 0),
    (b"During handling of the above exception", TRACE, 0),
    (b"The above exception was the direct cause", TRACE, 0),
    (b"[RL] ", NOISE, 0),
    (b"Bidding Pair: ", NOISE, 0),
    (b"Handing now all ", NOISE, 0),
    (b">>>>>>>>Playing Phase", NOISE, BEFORE_TRICK),
    (b">>>>>>>>End of one Round", NOISE, BEFORE_TRICK),
    (b">>>>>>>>", NOISE, 0),
    (b"Test if a player has belot", NOISE, 0),
    (b"maxDeclared", NOISE, 0),
    (b"belot.handValue ", NOISE, 0),
    (b"declareA ", NOISE, 0),
    (b"Local Declarations", NOISE, 0),
    (b"localTable {", NOISE, 0),
    (b"TRICK: [", NOISE, 0),
    (b"trickValue ", NOISE, BEFORE_TRICK),
    (b"knowledge:", NOISE, 0),
    (b"RL-player.py ", NOISE, 0),
    (b"trumpIndex ", NOISE, 0),
    (b"leagalCards [", NOISE, 0),
    (b"tensor(", NOISE, 0),
    (b"grad_fn=<", NOISE, 0),
    (b"I CANNOT USE CUDA", NOISE, 0),
    (b"I USE CUDA NOW", NOISE, 0),
    (b"I save your model ", NOISE, 0),
    (b"inside train player", NOISE, 0),
    (b"Categorical(", NOISE, 0),
    (b"action_idx ", NOISE, 0),
    (b"log_action_probabilities", NOISE, 0),
    (b"self.rewards", NOISE, 0),
    (b"Check passing, ", NOISE, 0),
    (b"{<PlayerRole.", NOISE, 0),
    (b"{<CardState.", NOISE, 0),
    (b"{}", NOISE, 0),
)
"""Beginnings of lines, each with kind and number. The first that fits counts."""
_SORTED: Final = sorted(_BEGINNINGS, key=lambda beginning: beginning[0][0])
BEGINNINGS_BY_BYTE: Final = np.searchsorted([phrase[0] for phrase, _, _ in _SORTED], np.arange(257))
"""Index of the first beginning that starts with a byte or a higher one: shape (257,)."""
BEGINNINGS: Final = as_word(b"".join(phrase for phrase, _, _ in _SORTED))
"""All of them joined, ordered by their first bytes."""
BEGINNING_BOUNDS: Final = np.cumsum([0, *(len(phrase) for phrase, _, _ in _SORTED)])
"""The offset of each in `BEGINNINGS`: shape (beginnings + 1,)."""
BEGINNING_KINDS: Final = np.array([kind for _, kind, _ in _SORTED], np.uint8)
BEGINNING_NUMBERS: Final = np.array([number for _, _, number in _SORTED], np.int64)

# Ends of lines, and phrases within them.
SAYS_FURTHER: Final = as_word(" says further")
E_DALJE: Final = as_word("e dalje")
KA: Final = as_word(" ka")
ZOVE: Final = as_word(" zove ")
CALLING: Final = as_word(" calling ")
SUIT: Final = as_word(" Suit.")
NISU_PRO: Final = as_word(" nisu pro")
LI: Final = as_word("li!")
DID_NOT_PASS: Final = as_word(" they did not pass!")
SU_NAPRAVILI: Final = as_word(" su napravili ")
MADE_ALL_STICHE: Final = as_word(" they made all stiche (sword)")
SU_POBJEDILI: Final = as_word(" su pobjedili!")
HAVE_WON: Final = as_word(" have won!")
KUPI: Final = as_word(") kupi ")
MADE_BY: Final = as_word(") made by ")
DASHES: Final = as_word("---------- ")
DASHES_AFTER: Final = as_word(" ----------")
RULE: Final = as_word("=================")
SHARING_RULE: Final = as_word(" SHARING =================")
DIJELJENJE_RULE: Final = as_word(" DIJELJENJE =================")
PLAYER: Final = as_word("Player ")
CARDS_OF_HAND: Final = as_word(" Cards: [")
FIRST_SET: Final = as_word(": [{")
NEMA_ZVANJA: Final = as_word("Nema zvanja")
NO_VOCATION: Final = as_word("No vocation")
DECLARATIONS_OF: Final = as_word("Declarations ")
DECLARATIONS_OF_OTHERS: Final = as_word("tDeclarations ")
"""What the program writes for all but the first player."""
FINISHED: Final = as_word("One Game finished, Update the Policy for newPointsA ")
POINTS_B: Final = as_word(" newPointsB ")
TRACEBACK: Final = as_word("Traceback (most recent call last):")
WARNING: Final = as_word("Warning: ")
CPP: Final = as_word(".cpp:")
DAY: Final = as_word(" day")
AFTER_DAYS: Final = as_word(", ")
FIRST_CHOICE: Final = as_word("[1] ")
TENSOR_WORDS: Final = (
    as_word("grad_fn=<"), as_word("device="), as_word("dtype="), as_word("nan"), as_word("inf"),
)  # fmt: skip
"""Beginnings, apart from numbers, of continuation lines printed by PyTorch."""
BOM: Final = as_word(b"\xef\xbb\xbf")
GARBLED_BOM: Final = as_word(b"\xc3\xaf\xc2\xbb\xc2\xbf")
"""The byte order mark, decoded as cp1252 and encoded again."""
