"""What cards are worth: solvers, the worlds that fit what a seat knows, claims, prices and equilibria."""
