"""From logs to events: sources, verdicts on hands, overlap with stored hands, and the commit."""
