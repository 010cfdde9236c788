"""From logs to events: sources, verdicts on hands, overlap with what is stored, and the commit."""
