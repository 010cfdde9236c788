"""Five-card draw: an ante, two rounds of betting around an exchange of cards."""
