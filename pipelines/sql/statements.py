"""Check that SQL is known to be read-only.

DuckDB parses a statement, and its tree is allowed if every part of it is listed here. A deny-list would
miss new features; in DuckDB 2.0 that was COPY inside a CTE. The connection can't write either, see
`cardlog.pipelines.sql.read_only`.
"""

import json
import re
from typing import Any, Final

import duckdb

from cardlog.pipelines.sql.sql_functions import FUNCTIONS, TABLE_FUNCTIONS

QUERIES: Final = frozenset({"SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE"})
"""Nodes allowed as a query."""
TABLES: Final = frozenset(
    {
        "BASE_TABLE",
        "SUBQUERY",
        "JOIN",
        "TABLE_FUNCTION",
        "EXPRESSION_LIST",
        "EMPTY",
        "PIVOT",
        "SHOW_REF",
        "COLUMN_DATA",
    }
)
"""Nodes allowed after FROM; SHOW_REF is describe, show and summarize."""
MODIFIERS: Final = frozenset(
    {
        "ORDER_MODIFIER",
        "LIMIT_MODIFIER",
        "LIMIT_PERCENT_MODIFIER",
        "DISTINCT_MODIFIER",
        "ASCENDING",
        "DESCENDING",
        "ORDER_DEFAULT",
    }
)
EXPRESSIONS: Final = frozenset(
    {
        "BETWEEN",
        "CASE",
        "CAST",
        "COLLATE",
        "COLUMN_REF",
        "COMPARISON",
        "CONJUNCTION",
        "CONSTANT",
        "DEFAULT",
        "FUNCTION",
        "LAMBDA",
        "LAMBDA_REF",
        "OPERATOR",
        "PARAMETER",
        "POSITIONAL_REFERENCE",
        "STAR",
        "SUBQUERY",
        "TYPE",
        "WINDOW",
    }
)
_PARTS: Final = """
alias aliases at_clause catalog column else_expr entries expr expression id is_null is_percentage key
key_targets map materialized method name named_param_map node path payload_aggregates pivot_enum
pivot_expressions query_node repeatable sample_rate sample_size schema seed star_expr table then_expr
type type_info unit unpivot_names value values when_expr
"""
PARTS: Final = frozenset(_PARTS.split())
"""Keys of the parts of the tree that have no type, such as those of a CASE."""

_EXPLAIN: Final = re.compile(r"\s*explain\s+(analyze\s+)?", re.IGNORECASE)


class Refused(Exception):
    """A statement is not known to be read-only; the text is for the user."""


def check(connection: duckdb.DuckDBPyConnection, sql: str) -> None:
    """Check that a text is one read-only query. Raises Refused, or duckdb.Error for a syntax error.

    connection
        Parses the text; nothing is executed.
    """
    _only_text(sql)
    tree = _parsed(connection, sql)
    if tree is None:
        _check_explained(connection, sql)
    elif len(tree) != 1:
        raise Refused(f"give one query; this is {len(tree)}")
    else:
        check_tree(tree[0])


def check_condition(connection: duckdb.DuckDBPyConnection, condition: str) -> None:
    """Check that a text is one read-only expression, safe to put in parentheses if a line break follows it.

    It may have subqueries. Raises Refused, or duckdb.Error for a syntax error.
    """
    check(connection, f"select {condition}\n")
    alone, plain = (_without_expression(connection, text) for text in (condition, "true"))
    if alone != plain:
        raise Refused("this is more than one expression")


def _without_expression(connection: duckdb.DuckDBPyConnection, condition: str) -> tuple[dict[str, Any], bool]:
    """The tree of a query that selects an expression, without the expression, and whether that is one unnamed
    value."""
    tree = _parsed(connection, f"select {condition}\n")
    node: dict[str, Any] = tree[0]["node"] if tree else {}
    found = node.pop("select_list", [])
    is_one = len(found) == 1 and not found[0].get("alias") and found[0].get("class") != "STAR"
    node.get("from_table", {}).pop("query_location", None)
    return node, is_one


def _only_text(sql: str) -> None:
    try:
        sql.encode()
    except UnicodeEncodeError as error:
        raise Refused(
            f"the query is not valid UTF-8: character {error.start + 1} can't be decoded; "
            "check the encoding of the terminal or script it comes from"
        ) from error
    if "\0" in sql:
        raise Refused("the query contains a NUL character; remove it")


def _parsed(connection: duckdb.DuckDBPyConnection, sql: str) -> list[dict[str, Any]] | None:
    """The trees of a text's statements; None if one is not a query, as DuckDB serializes only queries."""
    [(text,)] = connection.execute("select json_serialize_sql(?)", [sql]).fetchall()
    try:
        answer = json.loads(text)
    except RecursionError:
        raise Refused("the query is nested too deeply; write it in smaller steps, using 'with'") from None
    return None if answer["error"] else answer["statements"]


def _check_explained(connection: duckdb.DuckDBPyConnection, sql: str) -> None:
    """Check a text that DuckDB can't serialize: a syntax error, explain, or another kind of statement."""
    statements = connection.extract_statements(sql)  # raises duckdb.ParserException
    if len(statements) != 1:
        raise Refused(f"give one query; this is {len(statements)}{_PIVOT if _is_pivot(sql) else ''}")
    kind = _kind_of(statements[0])
    if kind == "explain":
        # The explained statement must be a query: "explain analyze" executes it.
        explained = _EXPLAIN.match(sql)
        if explained is None:
            raise Refused("write explain or explain analyze, then a space and the query")
        tree = _parsed(connection, sql[explained.end() :])
        if tree is None or len(tree) != 1:
            raise Refused("only a query can be explained")
        check_tree(tree[0])
    elif kind in ("select", "multi") or _is_pivot(sql):
        raise Refused(f"this query can't be checked, so it is not run{_PIVOT}")
    else:
        raise Refused(f"only queries are allowed (select, describe, explain …); this is: {kind}")


_PIVOT: Final = "; a pivot must name its values: pivot hands on dealer in (0, 1) using count(*)"


def _is_pivot(sql: str) -> bool:
    return re.search(r"\bpivot", sql, re.IGNORECASE) is not None


def _kind_of(statement: duckdb.Statement) -> str:
    """The kind of a statement, in lower case."""
    try:
        return str(statement.type).rpartition(".")[2].lower()
    except ValueError:
        return "no query"  # a kind unknown to DuckDB's Python package


def check_tree(tree: dict[str, Any]) -> None:
    """Check that a serialized statement has only parts that are known to be read-only.

    Raises Refused, naming the part.
    """
    if tree.keys() - {"node", "named_param_map"} or "node" not in tree:
        raise Refused("this is not a query")
    _must_be(QUERIES, tree["node"].get("type"))
    stack: list[Any] = [tree["node"]]
    while stack:
        part = stack.pop()
        if isinstance(part, dict):
            _check_part(part)
            # A constant holds no code.
            stack.extend(() if part.get("class") == "CONSTANT" else part.values())
        elif isinstance(part, list):
            stack.extend(part)


def _check_part(part: dict[str, Any]) -> None:
    kind = part.get("type")
    if "class" in part:
        _must_be(EXPRESSIONS, part["class"])
        if "function_name" in part:
            _must_be(FUNCTIONS, part["function_name"], "function")
    elif isinstance(kind, str):
        _must_be(QUERIES if "cte_map" in part else QUERIES | TABLES | MODIFIERS, kind)
        if kind == "TABLE_FUNCTION":
            _must_be(TABLE_FUNCTIONS, part["function"].get("function_name"), "table function")
            # Its arguments are checked like any other part.
            part["function"] = part["function"].get("arguments")
    elif unknown := part.keys() - PARTS:
        raise Refused(f"only queries are allowed; this one has an unknown part, {min(unknown)}")


def _must_be(known: frozenset[str], name: object, what: str = "") -> None:
    """Raise Refused unless a name is known."""
    if isinstance(name, str) and (name.lower() if what else name) in known:
        return
    if what:
        raise Refused(f"the {what} {name} can't be used in a query; docs/cli.md lists what can")
    shown = str(name).removesuffix("_QUERY_NODE").removesuffix("_NODE").lower().replace("_", " ")
    raise Refused(f"only queries are allowed (select, describe, explain …); this one contains: {shown}")
