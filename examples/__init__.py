"""Uses of training data from cardlog; docs/training.md shows the results."""
