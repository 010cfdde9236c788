"""From the store to files: training data, and hands in the formats they are read from."""
