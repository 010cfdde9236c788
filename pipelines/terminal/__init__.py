"""The command line, and everything a person sees."""
