"""What tests share: logs, stores, damage, and second opinions of the games."""
