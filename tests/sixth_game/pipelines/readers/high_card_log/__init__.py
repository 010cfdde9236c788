"""Logs of high card."""
