"""What training data from cardlog is good for; docs/training.md shows what came of it."""
