"""PHH, the poker hand history format: hold'em hands as TOML, one a file or many."""
