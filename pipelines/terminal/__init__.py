"""The command line and its output."""
