"""The text that PokerStars saves of each hand."""
