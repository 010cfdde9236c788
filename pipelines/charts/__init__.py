"""Charts of the marts and of queries, as Altair charts."""
