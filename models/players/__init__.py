"""Players that several games share: search, network, rules of thumb, and what bids lead to."""
