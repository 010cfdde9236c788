"""dbt's documentation of the marts as one page, made without a network: columns, lineage and SQL."""

from pathlib import Path

from cardlog.pipelines import scratch
from cardlog.pipelines.sql import dbt_run, warehouse
from cardlog.pipelines.sql.dbt_run import DbtError
from cardlog.pipelines.sql.tables import literal
from cardlog.pipelines.storage.store import Store


def page(store: Store) -> bytes:
    """The page as one HTML file, which needs no server.

    Raises DbtError if there is no warehouse, or if dbt can't run.
    """
    marts = warehouse.path_of(store)
    if not marts.exists():
        raise DbtError(f"there is no {marts}; 'cardlog build' makes it")
    with scratch.folder() as folder:
        run = dbt_run.Run(warehouse.DBT_PROJECT, marts, Path(folder) / "dbt", literal(store.root))
        return dbt_run.document(run).read_bytes()
