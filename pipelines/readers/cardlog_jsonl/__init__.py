"""cardlog-jsonl, our own format: one event per line."""
