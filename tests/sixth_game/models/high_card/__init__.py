"""High card: two players, three cards each; the higher card wins."""
