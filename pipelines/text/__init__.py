"""Text for people: escaped, translated and printed."""
