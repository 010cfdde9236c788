"""The store: Delta tables of Parquet files."""
