"""The store as a state machine: whatever is done in whatever order, killed, without room or beside others,
the tables are those of a store that was built at once from what is left."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from cardlog.pipelines.derive import derive as building
from cardlog.pipelines.storage import store as store_module
from cardlog.pipelines.upkeep.verify import verify
from tests.support.soak import long
from tests.support.store_model import FILES, HANDS, Hand
from tests.support.store_world import BUILD, COMPACT, LOOK, MAKE, RETRY, Do, Trouble, World, ingest_of, then

# ---------------------------------------------------------------- the machine

FILE_LISTS = st.sampled_from(["one", "two"]).flatmap(
    lambda name: st.lists(
        st.sampled_from([n for n, (data_set, _) in enumerate(FILES) if data_set == name]),
        min_size=1, max_size=2, unique=True,
    ).map(tuple)
)  # fmt: skip
INGESTS = st.tuples(FILE_LISTS, st.booleans()).map(lambda arguments: Do("ingest", arguments))
OTHERS = st.one_of(
    INGESTS,
    FILE_LISTS.map(lambda files: Do("grow", (files,))),
    st.sampled_from([BUILD, COMPACT, Do("rebuild"), Do("vacuum", (0.0,))]),
)
HARMLESS = OTHERS.filter(lambda what: what.name not in ("ingest", "grow"))
PLACES = st.integers(0, 60)


def troubles(others: st.SearchStrategy[Do] | None = OTHERS) -> st.SearchStrategy[Trouble]:
    """Nothing, or one of the troubles; without others none that is of them."""
    failing = st.tuples(st.sampled_from(["killed", "full"]), st.integers(0, 25))
    another = st.nothing() if others is None else st.tuples(st.just("another"), PLACES, others)
    return st.one_of(st.just(()), failing, another).map(lambda fields: Trouble(*fields))


class StoreMachine(RuleBasedStateMachine):
    """Everything that can be done with a store, in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.world = World()

    @rule(what=INGESTS, trouble=troubles())
    def ingest(self, what: Do, trouble: Trouble) -> None:
        self.world.do(what, trouble)

    @rule(replaces=st.booleans())
    def ingest_with_a_slip(self, replaces: bool) -> None:
        self.world.do(Do("ingest", ((len(FILES) - 1,), replaces, True)))

    @rule(trouble=troubles(HARMLESS))
    def retry(self, trouble: Trouble) -> None:
        self.world.do(Do("retry"), trouble)

    @rule(
        name=st.sampled_from(["build", "build", "rebuild", "compact", "export", "look"]), trouble=troubles()
    )
    def build_or_look(self, name: str, trouble: Trouble) -> None:
        self.world.do(Do(name), trouble)

    @rule(days=st.sampled_from([0.0, 2.0]), trouble=troubles(None))
    def vacuum(self, days: float, trouble: Trouble) -> None:
        self.world.do(Do("vacuum", (days,)), trouble)

    @rule(hand=st.sampled_from(HANDS), trouble=troubles(HARMLESS.filter(lambda what: what.name != "vacuum")))
    def forget(self, hand: Hand, trouble: Trouble) -> None:
        self.world.do(Do("forget", (hand,)), trouble)

    @rule(name=st.sampled_from(["one", "two"]), trouble=troubles(None))
    def forget_data_set(self, name: str, trouble: Trouble) -> None:
        self.world.do(Do("forget_data_set", (name,)), trouble)

    @rule(days=st.sampled_from([-2.0, 2.0, 40.0]))
    def clock(self, days: float) -> None:
        self.world.do(Do("clock", (days,)))

    @rule()
    def analyse(self) -> None:
        self.world.do(Do("analyse"))

    @invariant()
    def nothing_is_wrong(self) -> None:
        assert verify(self.world.store).problems == []

    def teardown(self) -> None:
        try:
            self.world.finish()
        finally:
            self.world.close()


GROW = Do("grow", ((3,),))
EXAMPLES: dict[str, list[tuple[Do, Trouble]]] = {
    "a store whose making was cut is none yet": [
        *((MAKE, Trouble(kind, at)) for kind in ("killed", "full") for at in (2, 3, 11)),
        *then(MAKE),
    ],
    "hands of two files are completed at once": [
        *then(ingest_of(0), ingest_of(1), BUILD, ingest_of(2), BUILD)
    ],
    "an old log is kept that was never built from": [
        *then(Do("clock", (40.0,))),
        (ingest_of(0), Trouble("another", 41, COMPACT)),
    ],
    "what is replaced is built anew": [*then(ingest_of(0), BUILD, ingest_of(2, replaces=True), BUILD, LOOK)],
    "an erased hand does not come back": [*then(ingest_of(0), Do("forget", (("one", 0),)), ingest_of(2))],
    "a cut ingest is taken up after another one": [
        *((what, trouble) for at in (6, 9, 11) for what, trouble in ((ingest_of(1), Trouble("killed", at)),)),
        *then(ingest_of(0), ingest_of(1)),
    ],
    "a forget that was cut goes on": [
        *then(ingest_of(0), BUILD, ingest_of(4, 5), BUILD),
        *((Do("forget", (("two", at),)), Trouble("killed", 4 * at + 5)) for at in (0, 1, 4)),
        (Do("forget_data_set", ("one",)), Trouble("killed", 12)),
    ],
    "what is mended is stored once, and a conflict waits": [
        *then(ingest_of(2), ingest_of(3), Do("ingest", ((6,), False, True)), BUILD, RETRY, RETRY, BUILD)
    ],
    "nothing is built of nothing, and anew to other files": [
        *then(BUILD, Do("rebuild"), ingest_of(0), BUILD, ingest_of(1), BUILD, Do("rebuild"), Do("rebuild"))
    ],
    "a build that was cut is not seen": [
        *then(ingest_of(0), BUILD, ingest_of(1)),
        *((BUILD, Trouble("killed", at)) for at in (4, 20, 23)),
        *then(LOOK, BUILD),
    ],
    "ingests beside ingests": [
        (ingest_of(0), Trouble("another", 20, ingest_of(1))),
        (ingest_of(4), Trouble("another", 25, ingest_of(5))),
        *then(ingest_of(2)),
        (ingest_of(3), Trouble("another", 40, ingest_of(3, 6))),  # nothing of the former is stored
        (ingest_of(1, replaces=True), Trouble("another", 40, ingest_of(3, replaces=True))),
    ],
    **{
        f"a build beside {what.name} at {at}": [
            *then(ingest_of(0), BUILD, ingest_of(1)),
            (BUILD, Trouble("another", at, what)),
            *then(BUILD),
        ]
        for at, what in ((3, GROW), (16, ingest_of(2)), (41, GROW), (101, GROW))
    },
    "a vacuum leaves what the last build was made from": [
        *then(ingest_of(0), BUILD, ingest_of(1), COMPACT, Do("vacuum", (0.0,)), LOOK)
    ],
    "a compact beside others": [
        *then(ingest_of(0), BUILD, ingest_of(1), BUILD),
        (COMPACT, Trouble("another", 40, Do("rebuild"))),
        *then(ingest_of(4)),
        (COMPACT, Trouble("another", 9, ingest_of(5))),
    ],
    "a forget beside an ingest into the data set": [
        *then(ingest_of(0), BUILD),
        (Do("forget_data_set", ("one",)), Trouble("another", 14, ingest_of(1))),
    ],
    "backups beside ingests": [
        *then(ingest_of(0)),
        *((Do("back_up"), Trouble("another", at, ingest_of(at))) for at in (1, 2, 3, 5)),
    ],
    "an ingest beside a forget": [
        *then(ingest_of(0)),
        (ingest_of(4), Trouble("another", 9, Do("forget_data_set", ("one",)))),
        *then(ingest_of(4), BUILD),
    ],
    "entries of logs stay while they are needed": [
        *then(ingest_of(0), BUILD, ingest_of(1), ingest_of(4), Do("clock", (40.0,)), COMPACT, LOOK, BUILD),
        *then(Do("clock", (40.0,)), COMPACT, LOOK),
    ],
}


QUICK = (
    "a store whose making was cut is none yet",
    "hands of two files are completed at once",
    "an erased hand does not come back",
    "ingests beside ingests",
)


@pytest.mark.parametrize("name", [*QUICK, *long(*(name for name in EXAMPLES if name not in QUICK))])
def test_example(name: str) -> None:
    with world() as example:
        for what, trouble in EXAMPLES[name]:
            example.do(what, trouble)
        example.finish()


@contextmanager
def world(*deeds: Do) -> Iterator[World]:
    """A world in which some things were done."""
    made = World()
    try:
        for deed in deeds:
            made.do(deed)
        yield made
    finally:
        made.close()


START = (ingest_of(0), BUILD, ingest_of(4), BUILD, Do("ingest", ((6,), False, True)), ingest_of(1))
SUBJECTS = (
    ingest_of(2, 3),
    ingest_of(2, replaces=True),
    RETRY,
    BUILD,
    Do("rebuild"),
    COMPACT,
    Do("vacuum", (0.0,)),
)
SUBJECTS += (MAKE, Do("forget", (("one", 1),)), Do("forget_data_set", ("one",)), Do("export"), LOOK)
MEANWHILE = (ingest_of(2), Do("grow", ((2,),)), BUILD, Do("rebuild"), COMPACT, Do("vacuum", (0.0,)))


@pytest.fixture(autouse=True)
def few_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """Logs have checkpoints, and transactions are read from them, after few commits instead of many; and
    builds write a file for each that they read."""
    monkeypatch.setattr(store_module, "CHECKPOINT_EVERY", 3)
    monkeypatch.setattr(store_module, "_MANY_APPS", 2)
    monkeypatch.setattr(building, "ITEM_ROWS", 10)


def can_meet(what: Do, other: Do) -> bool:
    """Whether a machine that knows no locks may do the other thing meanwhile."""
    changes = other.name in ("ingest", "grow")
    return not (what.name == "vacuum" or (what.name == "retry" and changes) or what.name.startswith("forget"))


@pytest.mark.long
@pytest.mark.parametrize("stride", [11, pytest.param(1, marks=pytest.mark.soak)])
@pytest.mark.parametrize("what", SUBJECTS, ids=str)
def test_trouble_at_every_operation(what: Do, stride: int, tmp_path: Path) -> None:
    """Each of these things in each kind of trouble, at all moments or some, and done again."""
    others = [Trouble("another", 0, other) for other in MEANWHILE if can_meet(what, other)]
    with world(*START) as start:
        for number, trouble in enumerate([Trouble("killed"), Trouble("full"), *others]):
            step = stride if number < 2 or stride == 1 else 4 * stride
            at = number % step
            while start.copy().does(what, trouble._replace(at=at)):
                at += step


def run(examples: int, steps: int) -> None:
    run_state_machine_as_test(
        StoreMachine,
        settings=settings(
            max_examples=examples, stateful_step_count=steps, deadline=None, derandomize=True, database=None,
            suppress_health_check=list(HealthCheck), phases=PHASES,
        ),
    )  # fmt: skip


PHASES = [Phase.generate, Phase.shrink][: 1 if os.environ.get("NOSHRINK") else 2]


def test_any_order() -> None:
    run(2, 6)


@pytest.mark.long
def test_any_order_for_long() -> None:
    run(int(os.environ.get("CARDLOG_STORE_EXAMPLES", "30")), 20)
