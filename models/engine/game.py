"""What a game is to everything else: one frozen object, defined in the `__init__` of the game's package.

Functions marked *compiled* run in numba's compiled code and must be `@compiled`; states and events are NumPy
records of the game's dtypes. `cardlog.testing.check_game` says what does not fit together.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cardlog.models.engine import opening
from cardlog.models.engine.compiled import Int, compiled
from cardlog.models.engine.dealing import Setup
from cardlog.models.engine.visible import Visible
from cardlog.schemas.cards import grouped_by_suit
from cardlog.schemas.reasons import Reason

THINKING: Final = ("search", "network")
"""The players that are policies in every game that has them."""

WORLDS: Final = 10  # at which `search` looks, unless a game says otherwise

Records = NDArray[np.void]
State = Any  # a record of the game's `Game.state`, a state of a hand; compiled code can't be typed further
Event = Any  # a record of the game's `Game.event`
OPPOSITE: Final = (0, 1, 0, 1)  # the `Game.teams` of four seats where partners sit opposite


@compiled
def knows_all(state: State, seat: Int) -> bool:
    """`Decisions.knows_hand` of games whose logs hide no cards."""
    return True


@compiled
def nothing(*arguments: Any) -> Any:
    """Takes the place of a function that a game lacks."""
    raise NotImplementedError


@dataclass(frozen=True, eq=False)
class Decisions:
    """How a seat's choices become numbers. All functions are compiled."""

    kinds: tuple[str, ...]  # the kinds of decision, such as bid and play
    most_actions: int  # the most actions that a kind has
    width: int  # how many numbers an observation has
    # of the observation, the actions and the outcome: raised when any of their numbers changes its meaning
    version: int
    # ``legal_actions(state, mask) -> (kind, count)``: the kind of decision the seat in turn faces, an index
    # into `kinds`, or `NOTHING` if no seat has to decide; how many actions that kind has; and in ``mask``
    # which of them are legal, by the functions that `evolve` judges with
    legal_actions: Callable[[State, Any], tuple[Int, Int]] = field(repr=False)
    # ``observe(state, seat, observation)`` writes what a seat knows, and nothing else
    observe: Callable[[State, Int, Any], None] = field(repr=False)
    # ``to_event(state, action, event)`` turns a blank event of the seat in turn into the one for an action
    to_event: Callable[[State, Int, Event], None] = field(repr=False)
    # ``decide(state, event, mask) -> (kind, count, action)``, the reverse: kind `NOTHING` for an event that
    # is no decision
    decide: Callable[[State, Event, Any], tuple[Int, Int, Int]] = field(repr=False)
    # ``outcome(state, decision) -> (reward, return)`` of a decision, a record of `fold.DECISION`, from the
    # hand's last state; nan where not known. The returns of all seats add up to 0.
    outcome: Callable[[State, Any], tuple[float, float]] = field(repr=False)
    # ``knows_hand(state, seat)``: whether all cards that the seat has seen in its hand are known; logs can
    # hide some
    knows_hand: Callable[[State, Int], bool] = field(default=knows_all, repr=False)
    # encoders of the game besides its own, by name, and where to find the `encoders.NamedEncoder`, as
    # ``module:object``
    encoders: Mapping[str, str] = field(default_factory=dict, repr=False)
    # ``raises(state) -> (least, most)``: how many chips a raise may take of the seat in turn, in games in
    # which that is any number of them. Not compiled.
    raises: Callable[[State], tuple[int, int]] | None = field(default=None, repr=False)
    # by kind, a word for each of its actions, no two alike: ``8S``, ``pass``, ``name hearts``
    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, eq=False)
class Players:
    """Who plays hand after hand at a table, a record of the dtype `table`."""

    # the built-in players, and the rules that can be played by, `BOOK` among them; each with a description
    names: Mapping[str, str]
    rules: Mapping[str, str]
    table: np.dtype[np.void] = field(repr=False)  # made by `dealing.table_dtype`
    most_events: int  # of a hand
    # how many seats there are if one player is named for all, and how many there can be
    usual_seats: int
    # ``prepare(setup, tables) -> state`` sets up new tables by the rules and gives the state before a hand,
    # shape (1,)
    prepare: Callable[[Setup, Records], Records] = field(repr=False)
    # ``detail(setup, table) -> text`` of the opening of a hand, from the table before it
    detail: Callable[[Setup, Any], str] = field(repr=False)
    # ``begin_match(table)`` determines the dealer, and what the table agrees on. Compiled, as all below.
    begin_match: Callable[[Any], None] = field(repr=False)
    # ``open_hand(table, state, event)`` shuffles, and writes what is known before the hand into a blank state
    # and the opening
    open_hand: Callable[[Any, State, Event], None] = field(repr=False)
    # ``follow(table, state, events, size) -> size`` writes the events that need no choice, such as deals,
    # melds that must be shown and score reports; none if a seat has to decide
    follow: Callable[[Any, State, Any, Int], Int] = field(repr=False)
    # ``choose(table, state, events, size) -> size`` writes the choice of the built-in player in turn
    choose: Callable[[Any, State, Any, Int], Int] = field(repr=False)
    # ``settle(table, state)`` adds the hand to the match, and ends the match if it is over
    settle: Callable[[Any, State], None] = field(repr=False)
    # ``winner_of(table, state)``: the team or seat that has won the match, -1 for none, from the table after
    # it and the state after its last hand
    winner_of: Callable[[Any, State], int] = field(repr=False)
    # ``expert(state) -> action`` of the seat in turn, by rules of thumb and from what it knows; None in games
    # without one
    expert: Callable[[State], Int] | None = field(default=None, repr=False)
    # where to find those of `names` that are policies of the game's own, ``module:object``. For `search` that
    # is a function that makes one, given the game and a `search.Level`.
    policies: Mapping[str, str] = field(default_factory=dict)
    # ``carry_out(table, state, action, events, size) -> size`` writes the events of an action, in games in
    # which an action may be more than the one of `Decisions.to_event`
    carry_out: Callable[[Any, State, Int, Any, Int], Int] | None = field(default=None, repr=False)
    # ``details(setup, tables) -> texts``: `detail` of many tables at once, in games where that is much faster
    details: Callable[[Setup, Records], list[str]] | None = field(default=None, repr=False)
    seat_counts: range | None = None
    # at tables at which people play: the fields of a table that are agreed on rather than random; the rules
    # that they can't play by; and the preselected computers, if not `substitute`
    agreed: Mapping[str, Any] = field(default_factory=dict)
    not_at_tables: tuple[str, ...] = ()
    preselected: str = ""
    # fields of a table that the state before a hand has, too, and their names there
    in_state: Mapping[str, str] = field(default_factory=dict)
    tables: int = 1  # how many tables play at the same time

    def openings(self, setup: Setup, tables: Records) -> list[str]:
        """`detail` of each table."""
        return (
            self.details(setup, tables) if self.details else [self.detail(setup, table) for table in tables]
        )

    @property
    def at_once(self) -> list[str]:
        """The players that choose without thinking: those that `choose` plays for."""
        return [name for name in self.names if name not in (*THINKING, *self.policies)]

    @property
    def substitute(self) -> str:
        """The player that acts for people who are away: the expert, or the first one."""
        return next(iter(self.names)) if self.expert is None else "expert"

    @property
    def seats(self) -> range:
        """How many seats there can be."""
        return self.seat_counts or range(self.usual_seats, self.usual_seats + 1)

    def seats_or_usual(self, seats: int | None) -> int:
        """How many seats a table has, by default the usual number. Raises ValueError if there can't be so
        many."""
        if seats is not None and seats not in self.seats:
            raise ValueError(f"there can't be {seats} seats; it must be {' or '.join(map(str, self.seats))}")
        return self.usual_seats if seats is None else seats


@dataclass(frozen=True, eq=False)
class Game:
    """A game."""

    # as in columns and commands, as a heading, and in a sentence
    name: str
    title: str
    summary: str
    # the dtypes, made by `events.record_dtype` and `events.compiled_dtype`. The first field of `state` is
    # ``done``, 1 once the hand is over; ``turn`` is the seat to act, ``tricks`` the number of whole tricks,
    # ``dealt_cards`` what the seats were dealt.
    event: np.dtype[np.void] = field(repr=False)
    state: np.dtype[np.void] = field(repr=False)
    visible: Visible = field(repr=False)  # what each seat may see of a state
    # ``begin(detail)``: the state before a hand's first event, shape (1,), from the opening's `detail`.
    # Raises ValueError, with a message for the user, if that makes no sense.
    begin: Callable[[dict[str, Any]], Records] = field(repr=False)
    # ``evolve(state, event) -> reason`` changes the state, or says why the event is illegal and leaves the
    # state alone. Compiled. Events of play without a seat get the one whose turn it is.
    evolve: Callable[[State, Event], Reason] = field(repr=False)
    # ``legal_actions(state)``: what the seat in turn may do, as a mask, 0 for nothing; `evolve` judges by the
    # same functions. Compiled.
    legal_actions: Callable[[State], Int] = field(repr=False)
    # the same for a message: ``seat 2: pass 7 8``; empty if no seat is to act
    legal_text: Callable[[State], str] = field(repr=False)
    decisions: Decisions = field(repr=False)
    features: ModuleType = field(repr=False)  # the module with the named constants that docs/features lists
    pack: str = ""  # all cards, two characters each, for messages; of the largest if packs differ
    # ``pack_of(state)``: the same of a hand, in games in which packs differ
    pack_of: Callable[[State], str] | None = field(default=None, repr=False)
    # the keys of an opening's `detail`, in players and the match after a dot; a log with others is refused
    opening_keys: tuple[str, ...] = opening.KEYS
    players: Players | None = field(default=None, repr=False)  # None in a game that can't be simulated
    # what its solver or its tree search needs, a `solvable.Searchable` of a floor above;
    # None in a game without either
    solvable: Any = field(default=None, repr=False)
    # ``begin_many(details) -> (states, known)``: `begin` of the JSON of many openings at once, in games where
    # hardly two are alike, and which of these make sense: shape (hands,) each
    begin_many: Callable[[list[str]], tuple[Records, NDArray[np.bool_]]] | None = field(
        default=None, repr=False
    )
    teams: tuple[int, ...] = ()  # each seat's team, 0 or 1; none where each seat plays for itself

    @property
    def has_teams(self) -> bool:
        """Whether two teams play against each other."""
        return bool(self.teams)

    @property
    def worlds(self) -> int:
        """How many worlds its `search` looks at where no number is named."""
        return WORLDS if self.solvable is None else int(self.solvable.worlds)

    @property
    def has_solver(self) -> bool:
        """Whether exact values of its actions can be found."""
        return self.solvable is not None and bool(self.solvable.solves)

    def functions(self, observe: Callable[..., None] | None = None) -> "Functions":
        """The compiled functions, with another `observe` if one is given."""
        functions = {"evolve": self.evolve, **vars(self.decisions)}
        if self.players is not None:
            functions |= vars(self.players)
        if observe is not None:
            functions["observe"] = observe
        return Functions(**{name: functions[name] for name in Functions._fields if name in functions})

    def cards(self, state: State | None = None) -> str:
        """A sentence on the cards of the game, for messages: of a hand's pack, or else of the largest."""
        pack = self.pack_of(state) if self.pack_of and state is not None else self.pack
        return f"{self.title}'s cards are {grouped_by_suit(pack)}." if pack else ""

    def playing(self) -> Players:
        """The players. Raises ValueError if the game has none."""
        if self.players is None:
            raise ValueError(f"{self.name} can't be simulated yet")
        return self.players


class Functions(NamedTuple):
    """The functions of a game that loops call; `Decisions` and `Players` describe them.

    A loop is written once, with a global `game` of this type, and `compiled.specialised` compiles it for each
    game.
    """

    evolve: Callable[[State, Event], Reason]
    legal_actions: Callable[[State, Any], tuple[Int, Int]]
    observe: Callable[[State, Int, Any], None]
    to_event: Callable[[State, Int, Event], None]
    decide: Callable[[State, Event, Any], tuple[Int, Int, Int]]
    outcome: Callable[[State, Any], tuple[float, float]]
    knows_hand: Callable[[State, Int], bool]
    begin_match: Callable[[Any], None] = nothing
    open_hand: Callable[[Any, State, Event], None] = nothing
    follow: Callable[[Any, State, Any, Int], Int] = nothing
    choose: Callable[[Any, State, Any, Int], Int] = nothing
    settle: Callable[[Any, State], None] = nothing
