"""dbt's data tests, run without dbt.

A test is a query that finds no rows. dbt takes 30 ms to run one, several times what most of the queries take,
and for all of them a third of the time of a small build. So dbt compiles each once, and builds run the cached
queries in one connection.
"""

import json
from dataclasses import dataclass, replace
from typing import Any, Final

import duckdb

from cardlog.pipelines.sql import dbt_cache, dbt_run, interruptible
from cardlog.pipelines.sql.dbt_run import BUILT, SKIPPED, TEST, Node, Run
from cardlog.pipelines.sql.tables import SOURCES, quoted

SOURCE: Final = "source."
"""How the ids of the store's tables begin."""
MANY: Final = 100
"""More tests than this are compiled together with all others."""


@dataclass(frozen=True)
class Tests:
    """The data tests of a dbt project.

    nodes
        By dbt's unique id; those not compiled yet have no query.
    models
        The ids of the parents of each model and seed.
    """

    nodes: dict[str, Node]
    models: dict[str, tuple[str, ...]]

    def of(self, built: list[Node]) -> list[Node]:
        """The tests of the nodes of a build that read nothing but these, their ancestors and the store, as
        ``dbt build --indirect-selection buildable`` selects them."""
        ran = {node.id for node in built}
        above = dbt_run.ancestors(self.models)
        known = ran.union(*(above.get(id, ()) for id in ran))
        return [
            test
            for test in self.nodes.values()
            if all(parent in known or parent.startswith(SOURCE) for parent in test.parents)
            and any(parent in ran or parent.startswith(SOURCE) for parent in test.parents)
        ]


def run(where: Run, built: list[Node], full_refresh: bool) -> list[Node]:
    """Run the tests of what dbt has built; those of a model that failed are skipped.

    full_refresh
        Test all rows, not only those of new hands.

    Raises DbtError if dbt can't start. A test that can't be compiled or run has the status error.
    """
    failed = {node.id for node in built if node.status not in BUILT}
    wanted = compiled(where, built, full_refresh)
    with _connected(where) as connection:
        return [
            replace(test, status=SKIPPED) if failed & set(test.parents) else _result(connection, test)
            for test in wanted
        ]


def _result(connection: duckdb.DuckDBPyConnection, test: Node) -> Node:
    if not test.sql:
        return test  # an error already
    try:
        count = f"select count(*) from ({test.sql}\n)"
        [(failures,)] = interruptible.call(connection, lambda: connection.execute(count).fetchall())
    except duckdb.Error as error:
        return replace(test, status="error", message=str(error))
    return replace(test, status="fail" if failures else "pass", failures=failures)


def _connected(where: Run) -> duckdb.DuckDBPyConnection:
    """A connection to what dbt has built, with the settings of `profiles.yml`."""
    found = duckdb.connect(str(where.database), config=dbt_run.limits_for(where.database))
    found.execute(f"attach {quoted(str(where.sources))} as {SOURCES} (read_only)")
    found.execute("set preserve_insertion_order = false; set TimeZone = 'UTC'")
    found.execute("set autoinstall_known_extensions = false")
    return found


# ---------------------------------------------------------------- compiled once


def compiled(where: Run, built: list[Node] | None, full_refresh: bool) -> list[Node]:
    """The tests of some nodes, or all there are, with their queries; without one if it can't be compiled.
    Raises DbtError if dbt can't start."""
    kept = dbt_cache.path_of(where.project, f"tests-{'all' if full_refresh else 'new'}.json")
    try:
        tests = _from_json(json.loads(dbt_cache.used(kept).read_bytes()))
    except (OSError, ValueError, KeyError, TypeError):  # none, or a broken file
        tests = described(where)
    wanted = list(tests.nodes.values()) if built is None else tests.of(built)
    if missing := [test.name for test in wanted if not test.sql]:
        names = ("test_type:data",) if len(missing) > MANY else tuple(missing)
        for test in dbt_run.compile_tests(where, names, full_refresh):
            tests.nodes[test.id] = test
        dbt_cache.keep(kept, json.dumps(_as_json(tests)).encode())
    return [tests.nodes[test.id] for test in wanted]


def described(where: Run) -> Tests:
    """The tests of a project, not compiled."""
    tests, models = {}, {}
    for node in dbt_run.parsed(where).nodes.values():
        parents = tuple(getattr(node.depends_on, "nodes", ()))  # a seed has none
        if node.resource_type == TEST:
            tests[node.unique_id] = Node(node.unique_id, node.name, TEST, SKIPPED, parents=parents)
        else:
            models[node.unique_id] = parents
    return Tests(tests, models)


def _as_json(tests: Tests) -> Any:
    listed = [[test.id, test.name, test.parents, test.sql] for test in tests.nodes.values()]
    return {"tests": listed, "models": tests.models}


def _from_json(found: Any) -> Tests:
    tests = {
        id: Node(id, name, TEST, SKIPPED, parents=tuple(parents), sql=sql)
        for id, name, parents, sql in found["tests"]
    }
    return Tests(tests, {id: tuple(parents) for id, parents in found["models"].items()})
