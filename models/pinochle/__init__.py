"""Pinochle: two of each card from nine to ace, melds and twelve tricks."""
