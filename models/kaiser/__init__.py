"""Kaiser: 32 cards, eight tricks worth ten points in all."""
