"""What poker games share."""
