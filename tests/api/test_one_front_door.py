"""An operation is one function with one frozen result; its command and method of `Store` have its options,
which `test_docs.py` finds on the page of commands."""

import dataclasses
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_type_hints

import pytest

import cardlog
from cardlog.pipelines import operations
from cardlog.pipelines.export.simulate import simulate
from cardlog.pipelines.sql import marts, warehouse
from cardlog.pipelines.sql.dbt_run import DbtError
from cardlog.pipelines.sql.held_back import HeldBack
from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.terminal.commands import adding, upkeep, writing
from cardlog.pipelines.upkeep import compact
from cardlog.web.play import recording
from tests.support.commands import Cardlog

COMMANDS: dict[str, Callable[..., None]] = {
    "ingest": adding.ingest, "build": adding.build, "analyse": adding.analyse, "forget": upkeep.forget,
    "export": writing.export,
}  # fmt: skip
ONLY = {
    # of the command line: what it prints, asks and exits with, and where it runs
    "store", "as_json", "strict", "max_quarantined", "yes", "hand of analyse", "flink_master",
    "no_project",  # in Python it is project=""
    # of Python: `watch` is the command's progress, `afresh` is `rebuild`
    "self", "watch", "afresh",
}  # fmt: skip


def options_of(function: Callable[..., Any], name: str) -> dict[str, Any]:
    """The options of a function and their defaults, with the fields of parameters that are dataclasses."""
    found: dict[str, Any] = {}
    hints = get_type_hints(function)
    for parameter in inspect.signature(function).parameters.values():
        if dataclasses.is_dataclass(kind := hints.get(parameter.name)):
            found |= {field.name: field.default for field in dataclasses.fields(kind)}
        else:
            found[parameter.name] = parameter.default
    if "runner" in found:  # a command's options for Beam
        found["beam_options"] = found.pop("runner")
    required = (inspect.Parameter.empty, dataclasses.MISSING)
    return {
        option: None if default in (*required, (), False, "") else default
        for option, default in found.items()
        if option not in ONLY and f"{option} of {name}" not in ONLY
    } | ({"splits": "80,10,10"} if found.get("splits") == (80, 10, 10) else {})


@pytest.mark.parametrize("name", COMMANDS)
def test_the_command_and_python_have_the_options_of_the_operation(name: str) -> None:
    operation = getattr(operations, name)
    expected = options_of(operation, name)
    assert options_of(COMMANDS[name], name) == expected
    assert options_of(getattr(cardlog.Store, name), name) == expected
    result = get_type_hints(operation)["return"]
    assert result.__dataclass_params__.frozen


@pytest.mark.parametrize("door", ["command", "Python", "page"])
def test_whoever_ingests_small_files_are_merged(
    door: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Cardlog
) -> None:
    monkeypatch.setattr(compact, "PILE", 2)
    root = str(tmp_path / "store")
    for seed in range(2):
        simulate("kaiser", 2, seed, log := str(tmp_path / f"{seed}.jsonl"))
        if door == "command":
            assert command("ingest", log, "--store", root).code == 0
        elif door == "Python":
            assert cardlog.open(root).ingest(log).hands_stored == 2
        else:
            assert recording.ingest((root, [log])) == ""
    assert len(Store(root).paths("events")) == 1


def test_what_was_held_back_is_an_error_at_each_door_after_all_else_was_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Cardlog
) -> None:
    def fails(store: Store, afresh: bool = False) -> int:
        raise HeldBack(7, [], {})

    monkeypatch.setattr(marts, "build", fails)
    store = cardlog.open(tmp_path / "store")
    for dataset in "ab":
        simulate("kaiser", 2, ord(dataset), log := str(tmp_path / f"{dataset}.csv"))
        store.ingest(log, dataset=dataset)
    tables = Store(store.path)
    with pytest.raises(HeldBack):
        store.build()
    assert tables.rows("playedhand") == 4
    with pytest.raises(DbtError, match="dbt found problems"):
        recording.build((tables, []))
    ran = command("build", "--store", store.path)
    assert (ran.code, "dbt built 7 models." in ran.err) == (1, True)
    warehouse.path_of(tables).touch()
    with pytest.raises(HeldBack):
        store.forget(dataset="a")
    warehouse.path_of(tables).touch()
    ran = command("forget", "--dataset", "b", "--yes", "--store", store.path)
    assert ran.code == 1
    assert ran.err.index("Removed 2 hands") < ran.err.index("dbt found problems")
    assert tables.rows("playedhand") == 0
