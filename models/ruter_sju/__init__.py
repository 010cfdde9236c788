"""Ruter Sju: suits laid out from their middle cards; first out wins."""
