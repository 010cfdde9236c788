"""A user's own dbt project, which has ours as a package: every build builds it after ours.

The folder is remembered beside the warehouse, in `project.txt`, so that its tables are kept up to date by
whatever builds. If it fails, it is held back as a game is: its tables stay as they were.
"""

import re
import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import duckdb

from cardlog.pipelines.runtime.whole import write_whole
from cardlog.pipelines.sql import dbt_cache, dbt_run, warehouse
from cardlog.pipelines.sql.dbt_run import DbtError
from cardlog.pipelines.sql.held_back import Failure, failures_in
from cardlog.pipelines.sql.tables import ALL

FILE: Final = "project.txt"
Relations = set[tuple[str, str]]
"""Schemas and names of tables and views."""
_RELATIONS: Final = """
    select schema_name, table_name, 'table' from duckdb_tables() where not internal and not temporary
    union all
    select schema_name, view_name, 'view' from duckdb_views() where not internal and not temporary
"""


@dataclass(frozen=True)
class Built:
    """A project as it was built: its note in the warehouse.

    events
        The version of `events` that its tables show.
    relations
        Its tables and views.
    warnings
        What its data tests found whose severity is to warn.
    """

    folder: str
    events: int
    relations: list[tuple[str, str]]
    warnings: list[str]


def built(note: dict[str, Any]) -> Built:
    """A project by its note."""
    return Built(**note | {"relations": [(schema, name) for schema, name in note["relations"]]})


def remembered(path: Path) -> Path | None:
    """The project that builds of a warehouse include."""
    try:
        return Path(path.with_name(FILE).read_text(encoding="utf-8").strip("\n"))
    except FileNotFoundError:
        return None


def remember(path: Path, folder: str) -> None:
    """Have builds of a warehouse include a project; none if it is ''. Raises DbtError if it is none."""
    file = path.with_name(FILE)
    if folder:
        project = Path(folder).resolve()
        _check(project)
        write_whole(file, f"{project}\n".encode())
    else:
        file.unlink(missing_ok=True)


def build(
    project: Path, draft: Path, work: Path, old: Built | None, events: int, *, afresh: bool
) -> tuple[int, Built]:
    """Build a project in a copy of the draft, which then replaces it; returns the number of its models.

    old
        What the draft has of it.
    events
        The version of `events` that our marts show.
    afresh
        Build its incremental models from scratch: builds have added to ours that these have not seen.

    Raises Failed, leaving the draft as it was.
    """
    before = set(old.relations if old else ())
    copy = draft.parent / "project" / draft.name
    copy.parent.mkdir(exist_ok=True)
    shutil.copyfile(draft, copy)
    try:
        run = run_of(project, copy, work)
        manifest = dbt_run.manifest(run)
        ours_too = _our_packages()
        nodes = [node for node in manifest.nodes.values() if node.package_name not in ours_too]
        with duckdb.connect(str(copy)) as connection:
            _check_names(nodes, ours := relations(connection) - before)
        chosen = sorted({f"package:{node.package_name}" for node in nodes})
        how = ["--indirect-selection=empty", *(["--full-refresh"] if afresh else [])]
        results = dbt_run.results(run, "build", *how, "--select", *chosen) if chosen else []
    except DbtError as error:
        raise Failed(project, [Failure(project.name, str(error), ())]) from error
    with duckdb.connect(str(copy)) as connection:
        if failures := failures_in(results, connection, ()):
            raise Failed(project, failures)
        drop(connection, before - {(node.schema, node.alias) for node in nodes})
        made = relations(connection) - ours
    copy.replace(draft)
    warned = [f"{one.node.name}: {one.message}" for one in results if one.status == "warn"]
    models = sum(one.node.resource_type == "model" for one in results)
    return models, Built(str(project), events, sorted(made), warned)


class Failed(DbtError):
    """A user's project can't be built."""

    def __init__(self, project: Path, failures: list[Failure]) -> None:
        super().__init__(f"{project} can't be built")
        self.project = f"the dbt project {project}"
        self.failures = [replace(failure, games=(self.project,)) for failure in failures]


def run_of(project: Path, database: Path, work: Path, store: str = "") -> dbt_run.Run:
    """What dbt works on, with our project and those of packages among the project's own packages, as
    ``dbt deps`` would put a local one there. Raises DbtError."""
    _check(project)
    try:
        for name, target in {"cardlog": warehouse.DBT_PROJECT, **dbt_cache.MARTS}.items():
            link = project / "dbt_packages" / name
            if link.is_symlink() and link.resolve() != target.resolve():
                link.unlink()
            if not link.exists():
                link.parent.mkdir(exist_ok=True)
                link.symlink_to(target)
    except OSError as error:
        raise DbtError(f"{error.filename} can't be made: {error.strerror}") from error
    return dbt_run.Run(database, work, store, project)


def relations(connection: duckdb.DuckDBPyConnection) -> Relations:
    """The tables and views of a warehouse."""
    return {(schema, name) for schema, name, _ in connection.execute(_RELATIONS).fetchall()}


def drop(connection: duckdb.DuckDBPyConnection, gone: Relations) -> None:
    """Drop tables and views, if they are there."""
    for schema, name, kind in connection.execute(_RELATIONS).fetchall():
        if (schema, name) in gone:
            connection.execute(f'drop {kind} "{schema}"."{name}"')


def _check(project: Path) -> None:
    if not (project / "dbt_project.yml").is_file():
        what = "has no dbt_project.yml" if project.is_dir() else "is no folder"
        raise DbtError(f"{project} {what}, so it is no dbt project; docs/dbt.md shows how to begin one")


def _our_packages() -> set[str]:
    """The names of dbt projects that are not the user's."""
    folders = (warehouse.DBT_PROJECT, *dbt_cache.MARTS.values())
    texts = [(folder / "dbt_project.yml").read_text(encoding="utf-8") for folder in folders]
    return {name for text in texts for name in re.findall(r"^name:\W*(\w+)", text, re.MULTILINE)}


def _check_names(nodes: list[Any], ours: Relations) -> None:
    """Raises DbtError if a model would replace or hide a table of ours."""
    taken = {(schema, name.lower()) for schema, name in ours} | {("main", name) for name in ALL}
    for node in nodes:
        is_table = node.resource_type in ("model", "seed", "snapshot") and not node.is_ephemeral_model
        if is_table and (node.schema.lower(), node.alias.lower()) in taken:
            raise DbtError(
                f"{node.original_file_path}: {node.schema}.{node.alias} is a table of cardlog; "
                "give yours another name"
            )
