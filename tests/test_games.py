"""What must hold for every game, over the registry; a failure names what is missing.

What the parts are is in CONTRIBUTING.md, "Add a game". What only one game has is tested in tests/models, by
the numbers of its rules.
"""

import csv
import hashlib
import json
import os
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cardlog import models
from cardlog.models.contest.simulation import Simulation
from cardlog.models.engine.dealing import BOOK, new_event
from cardlog.models.engine.fold import WHOLE, fold
from cardlog.pipelines import readers
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.events.folding import fold_batch, initial_states
from cardlog.pipelines.export import cardlog_jsonl, encoders, simulate
from cardlog.pipelines.readers.base import Source
from cardlog.pipelines.sql import warehouse
from cardlog.schemas import cards
from cardlog.schemas.events import ACTIONS, NO_SEAT, Action
from cardlog.testing import OddTable, check_game
from tests.support import refusals
from tests.support.hands import refusal
from tests.support.logs import short_logs
from tests.support.opinions import OPINIONS
from tests.support.soak import long
from tests.support.steps import opening_of

REPO = Path(__file__).parents[1]
GOLDEN = json.loads((REPO / "tests" / "fixtures" / "training" / "encoders.json").read_text(encoding="utf-8"))
ENCODERS = [(game, name) for game in models.GAMES for name in encoders.names(game)]
READER = ("FORMAT", "GAMES", "SUMMARY", "LINE_PER_HAND", "sniff", "read")

our_games = pytest.mark.parametrize("name", models.GAMES.ours)
each_game = pytest.mark.parametrize("name", models.GAMES)
"""Those of installed packages, too."""


def played(name: str, count: int, rules: str = BOOK, key: int = 1) -> Batch:
    """Hands that the game's players play, and as many with odd bids."""
    odd: Any = OddTable(name, rules)
    hands = (simulate.batches(name, f"odd {number}", odd, 1) for number in range(count))
    plain = simulate.batches(name, "test", Simulation(name, key, rules=rules), count)
    return Batch.joined([*plain, *(batch for some in hands for batch in some)])


# ---------------------------------------------------------------- its parts


@pytest.mark.long
@each_game
def test_it_fits_together(name: str) -> None:
    check_game(models.game(name), *(batch.take(np.arange(8)) for batch in islice(short_logs(name), 1)))


@our_games
def test_its_pages_reader_logs_and_marts_are_there(name: str) -> None:
    own = [form for form in readers.FORMATS if (name,) == readers.get(form).GAMES]
    assert own, f"{name} lacks a reader in pipelines/readers"
    pages = [f"docs/rules/{name}.md", f"docs/features/{name}.md", f"tests/fixtures/{name}/README.md"]
    for page in (*pages, *(f"docs/formats/{form}.md" for form in own)):
        assert (REPO / page).is_file(), f"{name} lacks {page}"
    for form in own:
        assert not [word for word in READER if not hasattr(readers.get(form), word)], f"{form} lacks a name"
        assert form == readers.get(form).FORMAT
    assert any(short_logs(name)), f"{name} lacks a short log in tests/fixtures/{name} with sample in its name"
    marts = list((warehouse.DBT_PROJECT / "models" / "marts" / name).glob(f"{name}_*.sql"))
    assert marts, f"{name} lacks a mart, dbt_project/models/marts/{name}/{name}_….sql"
    assert all(mart.with_suffix(".yml").is_file() for mart in marts), f"a mart of {name} lacks its YAML"
    for seed in ("match_rules", "hand_rules"):
        text = (warehouse.DBT_PROJECT / "seeds" / f"{seed}.csv").read_text(encoding="utf-8")
        listed = {row["game"] for row in csv.DictReader(text.splitlines())}
        is_needed = seed == "match_rules" or models.game(name).has_teams
        assert is_needed == (name in listed), f"{name} lacks a line in dbt_project/seeds/{seed}.csv"
    text = f"{models.game(name)!r} {models.game(name).decisions!r} {models.game(name).players!r}"
    assert models.game(name).title in text
    assert not re.search("<function|Dispatcher|dtype|<module", text)


@our_games
def test_rules_are_numbered_without_gaps_and_each_is_cited(name: str) -> None:
    """By code or by a test, and none that is not there."""
    page = (REPO / "docs" / "rules" / f"{name}.md").read_text(encoding="utf-8")
    written = {int(number) for number in re.findall(r"^\*\*R(\d+)\*\*", page, re.M)}
    assert written == set(range(1, len(written) + 1))
    files = [path for folder in ("models", "tests/models") for path in (REPO / folder / name).glob("*.py")]
    shared = [path for path in (REPO / "models/poker").glob("*.py") if f"rules/{name}.md" in path.read_text()]
    text = "".join(path.read_text(encoding="utf-8") for path in [*files, *shared])
    assert {int(number) for number in re.findall(r"(?:\bR|_r)(\d+)(?:\b|_)", text)} == written


# ---------------------------------------------------------------- what is legal


def moments(batch: Batch) -> Iterator[tuple[int, int, Any]]:
    """The hand, the event and the state before it, of each event of legal hands."""
    states, _ = initial_states(batch)
    for hand, state in enumerate(states):
        for index in range(batch.offsets[hand], batch.offsets[hand + 1]):
            yield hand, index, state.copy()
            assert models.game(batch.game).evolve(state, batch.events[index].copy()) == 0


@each_game
def test_hands_are_folded_one_by_one_each_up_to_its_first_illegal_event(name: str) -> None:
    """As `evolve` does it; a hand may have no events, and those outside the offsets are left alone."""
    game, batch = models.game(name), played(name, 3)
    first, events = int(batch.offsets[1]), batch.events
    for hand in (2, 4):  # an event comes too early
        middle = int(batch.offsets[hand] + batch.offsets[hand + 1]) // 2
        events[[middle, middle + 3]] = events[[middle + 3, middle]]
    offsets = np.array([first, *batch.offsets[2:-1], batch.offsets[-2]])
    before = initial_states(batch)[0][1:]
    states, expected = before[: len(offsets) - 1].copy(), []
    for hand, state in enumerate(before[: len(offsets) - 1].copy()):
        reason, at = 0, WHOLE
        for index in range(offsets[hand], offsets[hand + 1]):
            if reason := int(game.evolve(state, events[index].copy())):
                at = index
                break
        expected.append((bytes_of(state), reason, at))
    reasons, at = np.full(len(states), 99, np.int8), np.full(len(states), 99, np.int64)
    untouched = events[:first].copy()
    fold(game, events, offsets, states, reasons, at)
    assert [*zip(map(bytes_of, states), reasons.tolist(), at.tolist(), strict=True)] == expected
    assert len({reason == 0 for reason in reasons.tolist()}) == 2
    assert (events[:first] == untouched).all()
    fold(game, events, offsets[:1], states[:0], reasons[:0], at[:0])


def second_opinion(batch: Batch, hand: int, index: int, event: Any) -> bool:
    """Whether an event may follow those before an index, by rules that share no code with the game's."""
    first = batch.offsets[hand]
    events = np.append(batch.events[first:index], event)
    offsets = np.array([0, len(events)])
    try:
        OPINIONS[batch.game](Batch(batch.game, batch.hand_ids[:1], events, offsets, batch.details), 0)
    except Exception:  # opinions say in their own ways that something is wrong
        return False
    return True


JUDGED = [
    (name, rules)
    for name in OPINIONS
    if name not in ("ruter_sju", "hold_em")
    for rules in models.game(name).playing().rules
    if name != "five_card_draw" or rules != BOOK
]
"""Ruter Sju is compared with its referee in decks of all shapes, in test_ruter_sju_fuzz.py; hold'em's bets
with PokerKit's, in test_phh.py; the second opinion on five-card draw is by the original's rules."""


@pytest.mark.parametrize(
    ("name", "rules"), [pair if pair[1] in (BOOK, "original") else long(pair)[0] for pair in JUDGED]
)
def test_legal_is_what_a_second_opinion_allows(name: str, rules: str) -> None:
    """Of all actions of a kind, at the first decisions of each hand and at some of the later ones."""
    of, batch = models.game(name).decisions, played(name, 4 if name == "five_card_draw" else 2, rules)
    assert all(OPINIONS[name](batch, hand) for hand in range(len(batch)))
    tried = accepted = 0
    for hand, index, state in moments(batch):
        later = index - batch.offsets[hand] - 12
        mask, before = np.zeros(of.most_actions, np.bool_), batch.events[max(index - 1, 0)]["action"]
        if ACTIONS[before].name == "bela" or (later > 0 and later % (1 + of.most_actions // 20)):
            continue  # a claim of bela limits the card that goes with it, which was chosen before
        kind, width, _ = of.decide(state.copy(), batch.events[index], mask)
        for action in range(width if kind >= 0 else 0):
            event = new_event(np.zeros(1, batch.events.dtype), 0, 0, int(state["turn"]))
            of.to_event(state, action, event)
            says = second_opinion(batch, hand, index, event)
            assert says == mask[action], f"{event} after {batch.events[batch.offsets[hand] : index]}"
            tried, accepted = tried + 1, accepted + says
    assert 100 < accepted < tried


@pytest.mark.parametrize(("name", "unknown"), [("belote", "hidden"), ("pinochle", "unknown")])
def test_a_legal_hand_stays_legal_when_cards_are_hidden(name: str, unknown: str) -> None:
    """What is legal may be legal as far as the known cards tell, and in the end it comes to the same."""
    game, rng, more = models.game(name), random.Random(name), 0
    for known in (played(name, 6, rules) for rules in game.playing().rules):
        hidden = replace(known, events=known.events.copy())
        for deal in hidden.events:
            if deal["action"] == Action.DEAL_HAND:
                share = rng.random()
                covered = [rng.random() < share for _ in range(deal["count"])]
                deal["cards"][: deal["count"]][covered] = cards.UNKNOWN
        for (_, _, state), (_, _, as_told) in zip(moments(known), moments(hidden), strict=True):
            legal, may_be = ({*re.split(r": |, | ", game.legal_text(one))} for one in (state, as_told))
            assert legal <= may_be
            more += legal < may_be
        ends = [fold_batch(batch).states for batch in (known, hidden)]
        assert all((ends[0][field] == ends[1][field]).all() for field in ("done", "score"))
        assert not ends[1][unknown][ends[1]["tricks"] > 0].any()
    assert more > 20


# ---------------------------------------------------------------- whatever comes


def bytes_of(state: Any) -> bytes:
    """A state without the bytes between its fields."""
    return b"".join(state[name].tobytes() for name in state.dtype.names)


def odd_event(rng: random.Random, batch: Batch) -> Any:
    """An event of another moment with other values in some fields, or random bytes."""
    event = batch.events[rng.randrange(len(batch.events))].copy()
    if rng.random() < 0.3:
        event = np.frombuffer(rng.randbytes(event.nbytes), event.dtype).copy()[0]
    for name in rng.sample(("action", "seat", "suit", "amount", "cards", "count"), rng.randrange(4)):
        number = rng.choice((-(2**31), -128, -1, 0, 1, 2, 3, 4, 7, 12, 13, 60, 61, 127, 128, 255, 2**31 - 1))
        if name == "cards":
            event["cards"][rng.randrange(3)] = number % 256
        else:
            limits = np.iinfo(event[name].dtype)
            event[name] = min(max(number, limits.min), limits.max)
    event["action"] %= len(ACTIONS) + 1
    event["count"] %= event["cards"].shape[0] + 1
    return event


@cache
def trace(name: str) -> str:
    """A digest of all states and reasons of some hands of a game, with odd events and those of other seats
    among them. What is refused leaves the state alone; in every other hand, what is not goes into the
    hand."""
    game, rng, digest = models.game(name), random.Random(name), hashlib.sha256()
    kept = refused = 0
    for rules in game.playing().rules:
        with np.errstate(over="ignore"):  # which random numbers do
            batch = played(name, 2, rules)
        for hand, first in enumerate(batch.offsets[:-1]):
            [state] = game.begin(opening_of(batch, hand))
            for index in range(first, batch.offsets[hand + 1]):
                own = batch.events[index].copy()
                for event in (odd_event(rng, batch), odd_event(rng, batch), own):
                    seat = int(event["seat"])
                    trial = state.copy() if hand % 2 == 0 and event is not own else state
                    before = bytes_of(trial)
                    reason = game.evolve(trial, event)
                    after = bytes_of(trial)
                    digest.update(after + bytes([int(reason)]))
                    assert not reason or after == before, f"{event} is refused but changes the state"
                    if "trick_cards" in state.dtype.names:
                        assert trial["plays"] == 4 * trial["tricks"] + trial["trick_cards"]
                        assert trial["points"].sum() == trial["values"][: trial["tricks"]].sum()
                    kept, refused = kept + (reason == 0), refused + (reason != 0)
                    assert seat in (NO_SEAT, event["seat"])
        for _, index, state in moments(batch):
            mask, of = np.zeros(game.decisions.most_actions, np.bool_), game.decisions
            if "any_start" in state.dtype.names and state["any_start"]:
                continue  # any of several seats may begin
            if of.decide(state, batch.events[index], mask)[0] >= 0:
                if "folds_early" in state.dtype.names and state["folds_early"]:
                    continue  # whoever has left the table may fold before its turn
                for seat in {-2, 0, 1, 2, 3, 4, 127} - {int(state["turn"])}:
                    event = batch.events[index].copy()
                    event["seat"] = seat
                    assert game.evolve(state.copy(), event) != 0, f"seat {seat} acts out of turn: {event}"
    assert min(kept, refused) > 50
    return digest.hexdigest()


@cache
def traces_as_plain_python() -> dict[str, str]:
    """The digests where nothing is compiled and every warning is an error."""
    program = (
        "from cardlog import models; from tests.test_games import trace; "
        "from cardlog.models.kaiser.rules import evolve; assert str(evolve).startswith('<function'); "
        "print(*(f'{name} {trace(name)}' for name in models.GAMES), sep='\\n')"
    )
    command, plain = [sys.executable, "-W", "error", "-c", program], {"NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(command, env=os.environ | plain, cwd=REPO, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return dict(line.split() for line in done.stdout.splitlines())


@each_game
def test_whatever_comes_is_judged_and_what_is_refused_changes_nothing(name: str) -> None:
    assert trace(name)


@pytest.mark.long
@each_game
def test_compiled_code_and_plain_python_are_the_same(name: str) -> None:
    """Who plays the hands, too."""
    assert trace(name) == traces_as_plain_python()[name]


@our_games
def test_events_are_refused_for_the_reasons_on_record(name: str) -> None:
    """What is legal a second opinion says; why something is not, in which order it is looked at, and what is
    possible with hidden cards, is on record."""
    for folder in (refusals.FOLDER, refusals.RULES):
        if (path := folder / f"{name}.txt").exists():
            refusals.replay(path)


NONSENSE: list[dict[str, Any]] = [
    {"settings": None}, {"settings": {}}, {"settings": {"skat": 1}}, {"players": None}, {"players": [{}]},
    {"players": {}}, {"players": [4] * 4}, {"players": [{"kind": "robot"}] * 4}, {"players": [{}] * 7},
    {"players": [{"name": 7}] * 4}, {"players": [{"bot": ["a"]}] * 4},
    {"dealer": 9}, {"dealer": -1}, {"dealer": True}, {"dealer": "0"}, {"dealer": None},
    {"match": 5}, {"match": [1, 2]}, {"match": {"score": [1]}}, {"match": {"score": 5}},
    {"match": {"score": ["1", "2", "3", "4"]}}, {"match": {"score": [1.5, 2, 3, 4]}},
    {"match": {"score": [True, 2, 3, 4]}}, {"match": {"score": [2**40] * 2}},
]  # fmt: skip


@each_game
def test_openings_that_make_no_sense_are_refused_in_a_sentence(name: str) -> None:
    """And settings of another type or out of their range, with the setting's name."""
    detail = opening_of(played(name, 1), 0)
    assert refusal(name, detail) == ""
    keys = {key.partition(".")[0] for key in models.game(name).opening_keys}
    for change in NONSENSE:
        [key] = change
        if key in keys and (key != "dealer" or detail["dealer"] is not None):
            assert " " in refusal(name, detail | change), change
    settings = detail["settings"]
    for setting, value in settings.items():
        for wrong in (None, [1], 1.5, *(("7", True) if type(value) is int else (7, "no such"))):
            if type(wrong) is not type(value) or isinstance(value, str):
                assert setting in refusal(name, detail | {"settings": settings | {setting: wrong}}), wrong
        others = {key: value for key, value in settings.items() if key != setting}
        assert setting in refusal(name, detail | {"settings": others})
    assert "unknown setting steal" in refusal(name, detail | {"settings": settings | {"steal": True}})


# ---------------------------------------------------------------- what is made of it


@each_game
def test_a_round_trip_through_cardlog_jsonl_loses_nothing(name: str) -> None:
    """Not the hands' ids, which are of the format and its own key."""
    logged = (batch.take(np.arange(min(len(batch), 40))) for batch in short_logs(name))
    for batch in (*logged, played(name, 8)):
        text = bytes(cardlog_jsonl.lines(batch))
        reads = readers.get("cardlog-jsonl").read(text, Source("0" * 64, "-", "-", final=True))
        [read] = [read for read in reads if len(read.batch)]
        assert not any(read.rejects for read in reads)
        assert read.batch.content().tolist() == batch.content().tolist()
        again = fold_batch(read.batch)
        assert again.done.all()
        assert not again.reasons.any()


def digest_of(encoder: encoders.NamedEncoder) -> str:
    """A digest of the observations, legal actions, actions and outcomes of hands by all rules of a game."""
    sha256 = hashlib.sha256()
    for rules in models.game(encoder.game).playing().rules:
        for batch in simulate.batches(encoder.game, "test", Simulation(encoder.game, 24, rules=rules), 60):
            encoded = encoder.encode(batch)
            rows = encoded.rows
            legal = encoded.masks & (np.arange(encoded.masks.shape[1]) < rows["width"][:, None])
            for array in (encoded.observations, legal, *(rows[name] for name in rows.dtype.names or ())):
                sha256.update(np.ascontiguousarray(array).tobytes())
    return sha256.hexdigest()[:32]


@pytest.mark.parametrize(("game", "name"), ENCODERS)
def test_rows_change_only_with_the_version_of_the_encoder(game: str, name: str) -> None:
    """`encoders.json` has a digest of the rows of fixed hands for each version, of earlier ones too; it is
    edited by hand, as the failure says."""
    encoder = encoders.encoder(game, name)
    current = digest_of(encoder)
    assert GOLDEN.get(f"{game} {name} {encoder.version}") == current, (
        f"the rows of {game}'s encoder {name} are not those of version {encoder.version}: raise the version "
        f'where it stands, and add "{game} {name} VERSION": "{current}" to encoders.json'
    )
    assert all(f"{game} {name} {version}" in GOLDEN for version in range(1, encoder.version))
