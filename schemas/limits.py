"""How much may be asked for at most: constants alone, which the options of the command line name, too."""

from typing import Final

MOST_HANDS: Final = 2**31 - 1
"""Hands of a simulation, and deals that are drawn: the highest number that a hand can have."""
MOST_DEALS: Final = 10_000_000
"""Deals of a play-off, which keeps in memory what each brought, or to average costs over."""
