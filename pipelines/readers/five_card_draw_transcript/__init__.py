"""Transcripts of the five-card draw program."""
