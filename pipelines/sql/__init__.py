"""The store in SQL: the warehouse that dbt builds, and queries that can only read."""
