"""What a game must keep to, whatever its rules: `check_game` plays it and says what does not fit together."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain
from typing import Any, Final

import numpy as np

from cardlog import models
from cardlog.models.contest.simulation import Played, Simulation
from cardlog.models.contest.steps import Steps
from cardlog.models.engine import opening
from cardlog.models.engine.dealing import BOOK, new_event
from cardlog.models.engine.game import Game
from cardlog.models.engine.visible import CARDS, EVERYONE
from cardlog.pipelines.derive import projections
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.events.folding import Replayed, fold_batch, initial_states, replay_batch
from cardlog.pipelines.events.from_arrow import from_table
from cardlog.pipelines.events.to_arrow import to_tables
from cardlog.pipelines.export.simulate import DEFAULT_PLAYERS, batches
from cardlog.pipelines.hands import DESCRIBERS, drawing
from cardlog.pipelines.hands.shapes import changes
from cardlog.schemas import cards, events
from cardlog.schemas.cards import NO_SUIT
from cardlog.schemas.events import ACTIONS, NO_AMOUNT, NO_SEAT, Action
from cardlog.table_checks import check_matches, check_tables

HANDS: Final = 12
"""Hands that are played by each of the rules."""
TRIED: Final = 40
"""States in which everything is tried."""
SEED: Final = 20
_BIDS: Final = [code for code, word in enumerate(ACTIONS) if word.kind == "bid" and word.name != "pass"]
_AMOUNTS: Final = (NO_AMOUNT, NO_AMOUNT + 1, -(10**4), -9999, -1, 0, 1, 7, 52, 99, 100, 128, 9999, 2**31 - 1)
"""What odd bids are of."""
_ODD_BIDS: Final = 50
"""Bids that are tried for one that is legal."""


def check_game(game: Game, *logged: Batch) -> None:
    """Check all that holds for any game; what CONTRIBUTING asks of a game's author is checked here.

    Hands of the game's players, by each of its rules, some with odd bids, and hands of its logs must be legal
    to their last event and survive storing; masks must agree with `evolve`, which must leave the state alone
    when it refuses; cards must not multiply; observations and masks must not show what others hold;
    projections, drawings and observations must be of the form that they are to have.

    logged
        Whole legal hands of the game's logs.

    Raises AssertionError, naming the game and what is wrong with it.
    """
    try:
        _check_registries(game)
        _check_form(game)
        played = [*_played(game)]
        assert played or logged, "it has neither players nor logged hands"
        for batch in (*played, *logged):
            for check in _CHECKS:
                check(game, batch)
        check_matches(game)
    except AssertionError as error:
        raise AssertionError(f"{game.name}: {error}") from error


def _played(game: Game) -> Iterator[Batch]:
    """Some hands by each of the rules."""
    if game.players is None:
        return
    assert DEFAULT_PLAYERS in game.players.names, f"there are no players {DEFAULT_PLAYERS!r}"
    assert BOOK in game.players.rules, f"there are no rules {BOOK!r}"
    for rules in game.players.rules:
        yield from batches(game.name, "test", Simulation(game.name, SEED, rules=rules), HANDS)
        odd: Any = OddTable(game.name, rules)
        yield Batch.joined([*chain(*(batches(game.name, f"odd {n}", odd, 1) for n in range(HANDS)))])


class OddTable(Steps):
    """A table at which seats make any bid that `evolve` accepts, and play any card."""

    def __init__(self, game: str, rules: str) -> None:
        super().__init__(game, rules)
        self._rng = np.random.default_rng(SEED)

    def play(self, count: int) -> Played:
        """The next hand, in which few amounts are bid, so that they meet."""
        self.reset(int(self._rng.integers(2**32)))
        self._amounts = self._rng.choice(_AMOUNTS, 3)
        while not self.is_over:
            if self._rng.random() < 0.2 or not self._bids_oddly():
                self.step(int(self._rng.choice(self.legal_actions())))
        return self.played()

    def _bids_oddly(self) -> bool:
        event = new_event(self._events, self._size, 0, self.current_seat)
        for _ in range(_ODD_BIDS):
            event["action"], event["amount"] = self._rng.choice(_BIDS), self._rng.choice(self._amounts)
            event["suit"] = self._rng.choice([NO_SUIT, int(self._rng.integers(len(cards.SUIT_LETTERS)))])
            if self._game.evolve(self._state[0].copy(), event) == 0:
                self._events[self._size] = event
                self._go_on(self._size + 1)
                return True
        return False


def _check_registries(game: Game) -> None:
    lists: dict[str, Any] = {
        "GAMES of models/__init__.py": models.GAMES,
        "TABLES of pipelines/derive/projections/__init__.py": projections.TABLES,
        "DESCRIBERS of pipelines/hands/__init__.py": DESCRIBERS,
    }
    for name, registry in lists.items():
        assert game.name in registry, f"it is missing in {name}"
    assert models.GAMES[game.name] is game, "another game has its name"


def _check_form(game: Game) -> None:
    """The dtypes, the texts, and openings that make no sense."""
    names = game.state.names or ()
    assert names[:1] == ("done",), "the first field of its state is not done"
    for name in ("turn", "tricks", "dealt_cards"):
        assert name in names, f"its state has no field {name}"
    visible = game.visible
    listed = Counter([*visible.public, *visible.own, *visible.secret])
    assert not set(names) - set(listed), f"Game.visible lacks fields of its state: {set(names) - set(listed)}"
    assert not set(listed) - set(names), f"its state lacks fields of Game.visible: {set(listed) - set(names)}"
    assert listed.total() == len(names), f"Game.visible lists fields twice: {listed.most_common(1)}"
    flat = [name for name in visible.own if not game.state[name].shape]
    assert not flat, f"Game.visible says that each seat sees its own row of fields without rows: {flat}"
    most = game.event["cards"].shape[0]
    assert game.event == events.record_dtype(most), "its event is not made by record_dtype"
    for dtype in (game.event, game.state):
        hidden = set(dtype.names or ()) & set(dir(np.record))
        assert dtype.type is np.record, "a dtype is not made by compiled_dtype"
        assert not hidden, f"fields are named as methods of np.record: {hidden}"
    assert game.title, "it has no title"
    assert game.summary.endswith("."), "its summary is no sentence"
    nonsense: tuple[dict[str, Any], ...] = ({}, {"dealer": 0}, {"settings": 7, "players": []})
    for detail in nonsense:
        message = ""
        try:
            game.begin(detail)
        except ValueError as error:
            message = str(error)
        assert " " in message, f"begin accepts the opening {detail}, or refuses it without a message"


def _check_hands(game: Game, batch: Batch) -> None:
    """Hands are legal to their end, when nothing more is, and survive storing."""
    folded = fold_batch(batch)
    assert not folded.messages, f"an opening makes no sense: {folded.messages}"
    assert not folded.reasons.any(), f"hands are illegal: {folded.reasons}"
    assert folded.done.all(), "hands are not over at their last event"
    openings = [_detail(batch, int(first)) for first in batch.offsets[:-1]]
    unknown = {key for detail in openings for key in opening.unknown_keys(detail, game.opening_keys)}
    assert not unknown, f"openings have keys that are not in opening_keys: {sorted(unknown)}"
    for state in folded.states:
        assert game.legal_actions(state) == 0, "something is legal once a hand is over"
        assert game.legal_text(state) == "", "there is a text of what is legal once a hand is over"
    ordered = batch.sorted()
    again = Batch.joined([from_table(game.name, table) for table in to_tables(ordered)])
    assert again.content().tolist() == ordered.content().tolist(), "events that were stored are not the same"


def _check_masks(game: Game, batch: Batch) -> None:
    """Of all actions of a kind, `evolve` takes those that the mask allows and no other."""
    replayed, of = _replayed(game, batch), game.decisions
    actions = replayed.rows["action"]
    of_kind = (actions >= 0) & (actions < replayed.rows["width"])
    assert of_kind.all(), "an action is not of its kind"
    taken = replayed.masks[np.arange(len(actions)), actions]
    assert taken.all(), f"an action that was taken is not in its mask: {replayed.rows[~taken][:1]}"
    blank = np.zeros(1, game.event)
    for number, state in _states(game, batch, replayed):
        row, mask = replayed.rows[number], replayed.masks[number]
        assert not mask[row["width"] :].any(), "the mask goes on beyond the kind's actions"
        words = of.words.get(of.kinds[row["kind"]], ())
        assert len({*words}) == len(words) == row["width"], (
            "Decisions.words has no word of its own for an action"
        )
        if batch.events[row["event"] - 1]["action"] == Action.MELD_BELA:
            continue  # claimed with the card, which was chosen before
        assert game.legal_actions(state), "nothing is legal for a seat that decides"
        assert game.legal_text(state).startswith(f"seat {state['turn']}: "), "the text names no seat"
        for action in range(row["width"]):
            event = new_event(blank, 0, 0, int(state["turn"]))
            of.to_event(state, action, event)
            is_legal = game.evolve(state.copy(), event) == 0
            assert is_legal == bool(mask[action]), f"mask and evolve differ in action {action}: {event}"
            if event["action"] in (Action.PLAY_CARD, Action.DEAL_PASS):
                played = cards.texts(event["cards"][: event["count"]])
                assert words[action] == played, f"Decisions.words has {words[action]} for {played}"


def _check_refusals(game: Game, batch: Batch) -> None:
    """Where an event of another moment is refused, the state stays as it was."""
    refused = 0
    for _, state in _states(game, batch, _replayed(game, batch)):
        for event in batch.events[: batch.offsets[1]]:
            trial = state.copy()
            if game.evolve(trial, event.copy()) != 0:
                changed = [name for name in state.dtype.names if (trial[name] != state[name]).any()]
                assert not changed, f"evolve refuses {event} but changes {changed}"
                refused += 1
    assert refused, "evolve refuses nothing"


def _check_cards(game: Game, batch: Batch) -> None:
    """No card is dealt or played more often than the pack has it; what a seat plays, it was dealt."""
    pack = Counter(cards.codes(game.pack))
    copies = max(2, *pack.values()) if pack else 1
    for hand in range(len(batch)):
        dealt: Counter[int] = Counter()
        played: Counter[int] = Counter()
        for event in batch.events[batch.offsets[hand] : batch.offsets[hand + 1]]:
            shown = Counter(event["cards"][: event["count"]].tolist())
            if event["action"] in (Action.DEAL_HAND, Action.DEAL_DRAW):
                dealt += shown
            elif event["action"] == Action.PLAY_CARD:
                played += shown
        hidden = dealt.pop(cards.UNKNOWN, 0)
        assert not pack or set(dealt | played) <= set(pack), "cards are not of the pack"
        assert max((dealt | played).values()) <= copies, "a card is there too often"
        assert (played - dealt).total() <= hidden, "a card is played that was not dealt"


def _check_decisions(game: Game, batch: Batch) -> None:
    replayed, of = _replayed(game, batch), game.decisions
    count = len(replayed.rows)
    assert count, "no decision was found"
    assert replayed.masks.shape == (count, of.most_actions), "masks are not as wide as most_actions"
    assert replayed.rows["width"].max() <= of.most_actions, "a kind has more than most_actions"
    assert replayed.rows["kind"].max() < len(of.kinds), "there are more kinds than it names"
    assert not np.isnan(replayed.rows["return"]).any(), "a hand that is over has no return"
    assert (replayed.rows["seat"] != NO_SEAT).all(), "nobody took a decision"


def _check_secrets(game: Game, batch: Batch) -> None:
    """A seat decides by what `Game.visible` shows it, which stays as it is with two cards exchanged of those
    that it has not seen."""
    rng, tried, compared = np.random.default_rng(SEED), 0, 0
    replayed = _replayed(game, batch)
    for number, state in _states(game, batch, replayed):
        row = replayed.rows[number]
        first, seat = batch.offsets[row["hand"]], row["seat"]
        where = f"event {row['event'] - first}"
        shown = _shown(game, state, seat)
        if game.decisions.knows_hand(state, seat):
            same = _seen(game, state) == _seen(game, shown)
            assert same, f"observe or the mask is made of more than Game.visible shows, at {where}"
        prefix = _exchanged(batch.events[first : row["event"]], seat, shown, rng)
        if prefix is None:
            continue
        tried += 1
        [other] = game.begin(_detail(batch, first))
        legal = all(game.evolve(other, event) == 0 for event in prefix)
        if legal and other["turn"] == seat:
            compared += 1
            again = _shown(game, other, seat)
            told = [name for name in game.state.names or () if (again[name] != shown[name]).any()]
            assert not told, f"Game.visible shows a seat what others hold, at {where}: {told}"
    assert compared or not tried, "no two cards that a seat has not seen could be exchanged"


def _shown(game: Game, state: Any, seat: int) -> Any:
    return game.visible.seen_by(state[None], np.array([seat]))[0]


def _exchanged(prefix: Any, seat: int, shown: Any, rng: np.random.Generator) -> Any:
    """The events with two cards exchanged that a seat, to which this state is shown, has not seen; None if
    there are no two."""
    changed = prefix.copy()
    there = np.arange(changed["cards"].shape[1]) < changed["count"][:, None]
    to_all = np.isin(changed["action"], [action for action, who in CARDS.items() if who == EVERYONE])
    to_seat = (changed["seat"] == seat) & (changed["action"] != Action.DEAL_HAND)
    known = {cards.UNKNOWN, *shown["dealt_cards"][seat].tolist()}
    known |= set(changed["cards"][there & (to_all | to_seat)[:, None]].tolist())
    unseen = sorted(set(changed["cards"][there].tolist()) - known)
    if len(unseen) < 2:
        return None
    one, two = rng.choice(unseen, 2, replace=False)
    changed["cards"][there & (prefix["cards"] == one)] = two
    changed["cards"][there & (prefix["cards"] == two)] = one
    return changed


def _detail(batch: Batch, index: int) -> dict[str, Any]:
    opening: dict[str, Any] = json.loads(batch.details[batch.events["detail"][index]])
    return opening


def _seen(game: Game, state: Any) -> tuple[bytes, bytes, Any]:
    """The observation of the seat in turn, and its mask."""
    observation = np.zeros(game.decisions.width, np.int8)
    mask = np.zeros(game.decisions.most_actions, np.bool_)
    game.decisions.observe(state, int(state["turn"]), observation)
    kind = game.decisions.legal_actions(state, mask)
    return observation.tobytes(), mask.tobytes(), kind


def _check_description(game: Game, batch: Batch) -> None:
    one, table = batch.take(np.array([0])), dict[str, Any]()
    for change in changes(one):
        table = DESCRIBERS[game.name].step(table, *change)
        assert {"hands", "tags", "stop"} <= table.keys(), "the table lacks hands, tags or stop"
    assert DESCRIBERS[game.name].result(change[-1]), "nothing is said of the result"
    assert drawing.text(one).count("\n") > 2, "nothing is drawn between title and result"


_CHECKS: Final[tuple[Callable[[Game, Batch], None], ...]] = (
    _check_hands,
    _check_cards,
    _check_decisions,
    _check_masks,
    _check_refusals,
    _check_secrets,
    check_tables,
    _check_description,
)


# ---------------------------------------------------------------- replaying


def _replayed(game: Game, batch: Batch) -> Replayed:
    return replay_batch(batch, game.decisions.observe, game.decisions.width)


def _states(game: Game, batch: Batch, replayed: Replayed) -> Iterator[tuple[int, Any]]:
    """Some of the decisions, and the state before each."""
    step = max(1, len(replayed.rows) // TRIED)
    wanted = {int(row["event"]): number for number, row in enumerate(replayed.rows) if number % step == 0}
    states, _ = initial_states(batch)
    for hand in range(len(batch)):
        evolve = partial(game.evolve, states[hand])
        for index in range(batch.offsets[hand], batch.offsets[hand + 1]):
            if index in wanted:
                yield wanted[index], states[hand].copy()
            evolve(batch.events[index])
