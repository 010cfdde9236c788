"""From events to projections."""
