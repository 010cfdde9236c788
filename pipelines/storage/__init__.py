"""The store: Delta tables of Parquet files, and the way between events and Arrow."""
