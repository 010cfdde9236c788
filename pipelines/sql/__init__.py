"""The store in SQL: dbt's warehouse and read-only queries."""
