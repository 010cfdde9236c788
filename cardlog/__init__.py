"""An event-sourced log of card games: ingest game logs, query hands with SQL, export training data."""
