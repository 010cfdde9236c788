"""Looking after a store: what it holds, whether it is whole, and what can be removed."""
