"""cardlog-jsonl, our own format: one event a line."""
