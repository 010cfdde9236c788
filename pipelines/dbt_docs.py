"""A page about the marts, made by dbt without a network: every column, what it is made from, and the SQL."""

from pathlib import Path

from pipelines import dbt_run, scratch, warehouse
from pipelines.dbt_run import DbtError
from pipelines.moment import pinned
from pipelines.store import Store


def page(store: Store) -> bytes:
    """The page as one HTML file, which needs no server.

    The warehouse is only read. Raises DbtError if there is none, or if dbt can't run.
    """
    marts = warehouse.path_of(store)
    if not marts.exists():
        raise DbtError(f"there is no {marts}; 'cardlog build' makes it")
    with scratch.folder() as folder:
        sources = Path(folder) / "sources.duckdb"
        warehouse.write_sources(pinned(store, as_built=True), sources)
        return dbt_run.document(warehouse.DBT_PROJECT, marts, sources, Path(folder) / "dbt").read_bytes()
