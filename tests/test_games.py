"""Every game has all its parts, and they fit together. A failure names what is missing.

What the parts are is in CONTRIBUTING.md, "Add a game". The hands come from the game's players, and
from its logs under tests/fixtures.
"""

import io
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from rich.console import Console

from cardlog import models
from cardlog.models.dealing import BOOK, new_event
from cardlog.models.simulation import Simulation
from cardlog.pipelines import readers
from cardlog.pipelines.build import projections
from cardlog.pipelines.export import cardlog_jsonl, simulate
from cardlog.pipelines.ingest.sources import examine, plan, texts
from cardlog.pipelines.readers.base import Source
from cardlog.pipelines.sql import warehouse
from cardlog.pipelines.storage.batch import Batch
from cardlog.pipelines.storage.folding import fold_batch, initial_states, replay_batch
from cardlog.pipelines.storage.from_arrow import from_table
from cardlog.pipelines.storage.to_arrow import to_tables
from cardlog.pipelines.terminal import drawings as draw
from cardlog.schemas.events import NO_SEAT, record_dtype
from cardlog.schemas.tables import PROJECTIONS

REPO = Path(__file__).parents[1]
HANDS = 40
MODEL = ("GAME", "MOST_CARDS", "EVENT", "STATE", "begin", "evolve", "legal_actions", "legal_text")
VIEW = (
    "DECISION_KINDS", "MOST_ACTIONS", "OBSERVATION_WIDTH", "legal_actions", "to_event", "decide",
    "knows_hand", "observe", "outcome",
)  # fmt: skip
READER = ("FORMAT", "GAMES", "SUMMARY", "LINE_PER_HAND", "sniff", "read")

pytestmark = pytest.mark.parametrize("name", models.GAMES)


def soaked(argument: str, few: int, many: int) -> pytest.MarkDecorator:
    """A number of tries: few of them as a rule, and many under ``make soak``."""
    return pytest.mark.parametrize(argument, [few, pytest.param(many, marks=pytest.mark.soak)])


def parts(name: str) -> dict[str, tuple[str, tuple[str, ...]]]:
    """The modules a game must have, and what must be in each."""
    return {
        "rules": (f"{models.GAMES[name]}.rules", MODEL),
        "decisions": (f"{models.GAMES[name]}.decisions", VIEW),
        "tables": (projections.MODULES[name], ("TABLES",)),
        "drawing": (draw.MODULES[name], ("draw",)),
    }


def logged(name: str) -> Batch:
    """Some hands of the game's logs, legal ones that were played to their end."""
    samples = sorted((REPO / "tests" / "fixtures" / name).glob("*sample*"))
    assert samples, f"{name} lacks a short log in tests/fixtures/{name} with sample in its name"
    file = samples[0]
    [item] = plan([examine(str(file), None, None, False)])
    [(text, *_)] = texts(item)
    reads = readers.get(item.file.format).read(text, item.file.source)
    [batch] = [read.batch for read in reads if read.batch.game == name]
    folded = fold_batch(batch)
    return batch.take(np.flatnonzero((folded.reasons == 0) & folded.done)[:HANDS])


def simulated(name: str) -> list[Batch]:
    """Some hands that the game's players play, if it has any."""
    if not models.has_part(name, "players"):
        return []
    simulation = Simulation(name, simulate._key(f"{name}-{simulate.DEFAULT_PLAYERS}-1"))
    return list(simulate.batches(name, "test", simulation, HANDS))


def batches(name: str) -> list[Batch]:
    return [logged(name), *simulated(name)]


# ---------------------------------------------------------------- what must be there


def test_every_module_is_there_with_all_it_needs(name: str) -> None:
    missing = []
    for part, (module, names) in parts(name).items():
        package = module.rpartition(".")[0]
        if not find_spec(package) or not find_spec(module):
            missing.append(f"{part}: {module.removeprefix('cardlog.').replace('.', '/')}.py")
            continue
        found = import_module(module)
        missing += [f"{part}: {module}.{attribute}" for attribute in names if not hasattr(found, attribute)]
    assert not missing, f"{name} lacks " + ", ".join(missing)


def test_the_pages_are_there(name: str) -> None:
    for folder in ("rules", "features"):
        page = REPO / "docs" / folder / f"{name}.md"
        assert page.is_file(), f"{name} lacks docs/{folder}/{name}.md"


def test_a_reader_of_its_own_is_there(name: str) -> None:
    own = [form for form in readers.FORMATS if (name,) == readers.get(form).GAMES]
    assert own, f"{name} lacks a reader in pipelines/readers"
    for form in own:
        for attribute in READER:
            assert hasattr(readers.get(form), attribute), f"{form} lacks {attribute}"
        assert form == readers.get(form).FORMAT
        assert (REPO / "docs" / "formats" / f"{form}.md").is_file(), f"{form} lacks its page in docs/formats"


def test_logs_are_there(name: str) -> None:
    assert (REPO / "tests" / "fixtures" / name / "README.md").is_file(), f"{name} lacks tests/fixtures/{name}"
    assert len(logged(name)) == HANDS


def test_a_mart_is_there(name: str) -> None:
    marts = list((warehouse.DBT_PROJECT / "models" / "marts" / name).glob(f"{name}_*.sql"))
    assert marts, f"{name} lacks a mart, dbt_project/models/marts/{name}/{name}_….sql"
    for mart in marts:
        assert mart.with_suffix(".yml").is_file(), f"{mart.name} lacks its YAML"


def test_players_that_are_there_are_named(name: str) -> None:
    if models.has_part(name, "players"):
        module = models.part(name, "players")
        assert simulate.DEFAULT_PLAYERS in module.PLAYERS
        assert BOOK in module.RULES
        assert all(module.PLAYERS.values())
        assert all(module.RULES.values())


# ---------------------------------------------------------------- how the parts fit together


def test_events_and_states_are_records_with_what_every_game_has(name: str) -> None:
    game = models.game(name)
    assert name == game.GAME
    assert record_dtype(game.MOST_CARDS) == game.EVENT
    assert game.STATE.names[0] == "done"
    for field in ("turn", "tricks"):
        assert field in game.STATE.names, f"{name}.STATE lacks {field}, which replay_decisions needs"


def test_an_opening_that_makes_no_sense_is_told_so(name: str) -> None:
    for detail in ({}, {"dealer": 0}, {"settings": 7, "players": []}):
        with pytest.raises(ValueError, match=r"\w \w"):
            models.game(name).begin(detail)


def test_hands_are_legal_from_the_first_event_to_the_last(name: str) -> None:
    for batch in batches(name):
        folded = fold_batch(batch)
        assert not folded.reasons.any()
        assert folded.done.all()
        assert not folded.messages


def test_nothing_is_legal_once_a_hand_is_done(name: str) -> None:
    game = models.game(name)
    for batch in batches(name):
        for state in fold_batch(batch).states:
            assert game.legal_actions(state) == 0
            assert game.legal_text(state) == ""


@soaked("hands", 8, HANDS)
def test_something_is_legal_whenever_a_seat_decides(hands: int, name: str) -> None:
    """And what was done is among it: the fold asks the same functions as the message does."""
    game = models.game(name)
    for batch in (batch.take(np.arange(hands)) for batch in batches(name)):
        for index, state in states_before_decisions(name, batch):
            text = game.legal_text(state)
            assert text.startswith(f"seat {state['turn']}: "), f"event {index}: {text!r}"
            assert game.legal_actions(state)


@soaked("hands", 2, 8)
def test_masks_agree_with_evolve(hands: int, name: str) -> None:
    """Of all actions of a kind `evolve` takes those that the mask allows and no other."""
    game = models.game(name)
    view = import_module(parts(name)["decisions"][0])
    blank = np.zeros(1, game.EVENT)
    for batch in batches(name):
        few = batch.take(np.arange(hands))
        rows, masks, _ = decisions_of(name, few)
        for row, mask, (_, state) in zip(rows, masks, states_before_decisions(name, few), strict=True):
            assert mask[row["action"]]
            for action in range(row["width"]):
                trial = new_event(blank, 0, 0, int(state["turn"]))
                view.to_event(state, action, trial)
                taken = game.evolve(state.copy(), trial) == 0
                assert taken == bool(mask[action]), f"{name}: action {action} of {game.legal_text(state)}"


@soaked("states", 30, 1_000_000)
def test_what_evolve_refuses_it_leaves_alone(states: int, name: str) -> None:
    """Every event of the hands but the next one is tried; where it is refused the state stays."""
    game = models.game(name)
    batch = logged(name).take(np.arange(3))
    refused = 0
    every = [state for _, state in states_before_decisions(name, batch)]
    for state in every[:: max(1, len(every) // states)]:
        for event in batch.events:
            trial, copy = event.copy(), state.copy()
            if game.evolve(copy, trial) != 0:
                changed = [field for field in state.dtype.names if (copy[field] != state[field]).any()]
                assert not changed, f"{name}: evolve refused {trial} and changed {changed}"
                refused += 1
    assert refused


def test_projections_are_of_the_types_that_the_schemas_say(name: str) -> None:
    for batch in batches(name):
        found = dict(projections.project(batch, tuple(PROJECTIONS)))
        assert set(found) == set(PROJECTIONS)
        for table, rows in found.items():
            schema = PROJECTIONS[table]
            assert rows.schema.names == schema.names
            assert rows.schema.types == schema.types
            for field in schema:
                if not field.nullable:
                    assert rows.column(field.name).null_count == 0, f"{table}.{field.name} has nulls"
        assert len(found["playedhand"]) == len(batch)
        assert pa.compute.all(pa.compute.equal(found["playedhand"].column("game"), name)).as_py()


def test_a_round_trip_through_cardlog_jsonl_loses_nothing(name: str) -> None:
    """Not the hands' ids, which are of the format and its own key."""
    for batch in batches(name):
        text = bytes(cardlog_jsonl.lines(batch))
        reads = readers.get("cardlog-jsonl").read(text, Source("0" * 64, "-", "-", final=True))
        [read] = [read for read in reads if len(read.batch)]
        assert not any(read.rejects for read in reads)
        assert read.batch.content().tolist() == batch.content().tolist()
        again = fold_batch(read.batch)
        assert again.done.all()
        assert not again.reasons.any()


def test_events_are_stored_and_read_again_as_they_were(name: str) -> None:
    for batch in batches(name):
        ordered = batch.sorted()
        tables = list(to_tables(ordered))
        seq = np.concatenate([np.asarray(table.column("seq")) for table in tables])
        firsts = np.repeat(ordered.offsets[:-1], np.diff(ordered.offsets))
        assert (seq == np.arange(len(seq)) - firsts).all()
        again = Batch.joined([from_table(name, table) for table in tables])
        assert again.content().tolist() == ordered.content().tolist()
        assert again.hand_ids.tolist() == ordered.hand_ids.tolist()


def test_decisions_fit_their_masks_and_observations(name: str) -> None:
    view = import_module(parts(name)["decisions"][0])
    for batch in batches(name):
        rows, masks, observations = decisions_of(name, batch)
        assert len(rows)
        assert masks.shape == (len(rows), view.MOST_ACTIONS)
        assert rows["width"].max() <= view.MOST_ACTIONS
        assert set(rows["kind"]) == set(range(len(view.DECISION_KINDS)))
        assert observations.shape == (len(rows), view.OBSERVATION_WIDTH)
        assert not np.isnan(rows["return"]).any()
        assert (rows["seat"] != NO_SEAT).all()


def test_every_hand_can_be_drawn(name: str) -> None:
    console = Console(width=200, record=True, file=io.StringIO())
    for batch in batches(name):
        one = batch.take(np.array([0]))
        console.print(draw.hand(one))
        assert one.hand_ids[0].decode() in console.export_text()


# ---------------------------------------------------------------- replaying decisions


def decisions_of(name: str, batch: Batch) -> tuple[Any, Any, Any]:
    """The decisions of some legal hands: rows, masks, observations."""
    view = import_module(parts(name)["decisions"][0])
    replayed = replay_batch(batch, view.observe, view.OBSERVATION_WIDTH)
    assert not replayed.folded.reasons.any()
    return replayed.rows, replayed.masks, replayed.observations


def states_before_decisions(name: str, batch: Batch) -> list[tuple[int, Any]]:
    """The index of every event that carries a decision out, and a copy of the state before it."""
    game = models.game(name)
    rows, _, _ = decisions_of(name, batch)
    wanted = set(rows["event"].tolist())
    states, _ = initial_states(batch)
    found = []
    for hand in range(len(batch)):
        for index in range(batch.offsets[hand], batch.offsets[hand + 1]):
            if index in wanted:
                found.append((index, states[hand].copy()))
            assert game.evolve(states[hand], batch.events[index]) == 0
    return found
