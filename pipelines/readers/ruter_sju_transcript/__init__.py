"""Transcripts of the Ruter Sju program."""
