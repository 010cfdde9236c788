"""Belote: 32 cards, eight tricks worth 162, declarations and bela."""
