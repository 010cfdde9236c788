"""What can be done with training data from cardlog; docs/training.md shows the results."""
