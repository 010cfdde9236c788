"""Transcripts of three programs of one belote engine."""
