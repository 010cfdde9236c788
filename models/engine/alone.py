"""What trick-taking games of four share in which each seat plays for itself, every choice is a card, to pass
or to play, and the points of hands add up to a match: their decisions, players and scores. Actions are the
cards of the pack in the order of their codes. Such a game is an `Alone`; its states have the fields of
`fields`."""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple, cast

import numpy as np

from cardlog.models.engine import trick
from cardlog.models.engine.compiled import Int, compiled, loop, specialised
from cardlog.models.engine.dealing import (
    EXPERT,
    NO_MATCH,
    NOTHING,
    Setup,
    deal_hands,
    new_event,
    report,
    shuffle_pack,
    table_dtype,
)
from cardlog.models.engine.game import Decisions, Players, Records
from cardlog.models.engine.opening import KEYS, scores_of, to_json
from cardlog.models.engine.trick import SEATS
from cardlog.schemas import cards
from cardlog.schemas.events import Action
from cardlog.schemas.reasons import Reason

DEALING, PASSING, PLAYING, DONE = range(1, 5)  # phases
MOST_POINTS: Final = 10_000  # of a seat in a match
OPENING_KEYS: Final = tuple(key for key in KEYS if key != "dealer")
PUBLIC: Final = (*trick.PUBLIC, "score", "before", "in_match")
OWN: Final = {"hands": 0, "dealt_cards": cards.UNKNOWN}
SECRET: Final = {"seen": 0}


def fields(hand_cards: int) -> list[Any]:
    """The fields of a state; `PUBLIC`, `OWN` and `SECRET` are those of `Visible`."""
    return [
        *trick.fields(hand_cards),
        ("hands", np.int64, (SEATS,)),  # cards held now, as masks
        ("seen", np.int64),  # cards dealt so far
        ("score", np.int16, (SEATS,)),  # of the hand, once it is done
        ("before", np.int16, (SEATS,)),  # of the match, before the hand
        ("in_match", np.int8),
    ]


class Alone(NamedTuple):
    """Such a game. All functions are compiled."""

    name: str
    pack: int  # as a mask
    sign: int  # 1 if who has most points wins, -1 if who has fewest
    target: int  # a match is over once a seat has so many points
    legal_cards: Callable[[Any], Int]  # what the seat in turn may pass or play, as a mask
    guess: Callable[[Any], Int]  # the card that the expert passes or plays

    def specialised(self, template: Callable[..., Any]) -> Callable[..., Any]:
        """A loop of this module for the game. Its name has the numbers that are compiled into it, since what
        is cached is found by that and by the source of the functions."""
        numbers = f"{self.pack:x}_{'most' if self.sign > 0 else 'fewest'}_{self.target}"
        return specialised(template, f"{self.name}_{numbers}", self)


def detail_of(settings: dict[str, Any], players: list[Any], score: list[int] | None = None) -> str:
    """The `detail` of a hand's first event; `score` is that of the match before the hand."""
    detail = {"players": players, "settings": settings}
    return to_json(detail if score is None else detail | {"match": {"score": score}})


def new_state(dtype: np.dtype[np.void], detail: dict[str, Any]) -> Records:
    """The state before a hand's first event, shape (1,), without the settings. Raises ValueError."""
    state = trick.new_state(dtype, detail, has_dealer=False)
    if "match" in detail:
        state["before"] = scores_of(detail["match"], -MOST_POINTS, MOST_POINTS, SEATS)
        state["in_match"] = 1
    return state


@compiled
def other_event(state: Any, event: Any, sign: Int) -> Reason:
    """An event that is no deal and no choice: the opening, or a reported score, which must agree with the
    fold."""
    if event.action == Action.DEAL_OPEN and state.phase == 0:
        state.phase = DEALING
        return Reason.OK
    if event.action == Action.SCORE_TRICK:
        return trick.check_trick(state, event)
    if event.action not in (Action.SCORE_HAND, Action.SCORE_MATCH, Action.SCORE_PLACE):
        return Reason.OUT_OF_ORDER
    is_match = event.action != Action.SCORE_HAND
    if state.done == 0 or event.seat < 0 or event.seat >= SEATS or (is_match and state.in_match == 0):
        return Reason.OUT_OF_ORDER
    amount = np.int64(state.score[event.seat]) + (np.int64(state.before[event.seat]) if is_match else 0)
    if event.action == Action.SCORE_PLACE:
        amount = _places(state, sign)[event.seat]
    return trick.agrees(event, amount)


@compiled
def _places(state: Any, sign: Int) -> Any:
    """The places in the match after a hand, by seat; those with the same points share the best one."""
    totals = sign * (state.before.astype(np.int64) + state.score)
    return np.array([1 + (totals > totals[seat]).sum() for seat in range(SEATS)])


# ---------------------------------------------------------------- decisions

game = cast(Alone, None)  # in the loops below: the game they are compiled for


@loop
def _legal_actions(state: Any, mask: Any) -> tuple[Int, Int]:
    legal = game.legal_cards(state)
    left, count = np.int64(game.pack), np.int64(0)
    while left:
        mask[count] = legal >> trick.lowest(left) & 1 == 1
        left &= left - 1
        count += 1
    return (np.int64(state.phase == PASSING), count) if legal else (np.int64(NOTHING), np.int64(0))


@loop
def _to_event(state: Any, action: Int, event: Any) -> None:
    event.action = Action.DEAL_PASS if state.phase == PASSING else Action.PLAY_CARD
    event.count = 1
    event.cards[0] = trick.nth_card(np.int64(game.pack), action)


@compiled
def index_in(pack: Int, card: Int) -> Int:
    """The action of a card."""
    return trick.size_of(pack & (np.int64(1) << card) - 1)


@loop
def _decide(state: Any, event: Any, mask: Any) -> tuple[Int, Int, Int]:
    if event.action != Action.PLAY_CARD and event.action != Action.DEAL_PASS:
        return np.int64(NOTHING), np.int64(0), np.int64(0)
    kind, count = _legal_actions(state, mask)
    return kind, count, index_in(np.int64(game.pack), np.int64(event.cards[0]))


@loop
def _result(state: Any, seat: Int) -> float:
    return np.float64(game.sign * (state.score[seat] - state.score.sum() / SEATS))


@loop
def _outcome(state: Any, decision: Any) -> tuple[float, float]:
    reward = 0.0
    if decision.kind == 0:
        reward = np.nan
        if decision.trick < state.tricks:
            took = state.winners[decision.trick] == decision.seat
            reward = np.float64(game.sign * state.values[decision.trick]) if took else 0.0
    return reward, _result(state, decision.seat) if state.done else np.nan


def result_of(alone: Alone) -> Callable[[Any, Int], float]:
    """``result(state, seat)``, compiled: how much more than the mean a hand that is done brought a seat, so
    that all add up to 0."""
    return alone.specialised(_result)


def decisions(alone: Alone, observe: Callable[..., None], width: int, version: int = 1) -> Decisions:
    """The `Decisions`, the kinds play and pass. The reward of a card is what its trick brought the seat, the
    return that of `result_of`."""
    made: tuple[Callable[..., Any], ...] = (_legal_actions, _to_event, _decide, _outcome)
    legal_actions, to_event, decide, outcome = map(alone.specialised, made)
    words = tuple(cards.in_mask(alone.pack))
    return Decisions(
        ("play", "pass"), alone.pack.bit_count(), width, version, legal_actions, observe, to_event, decide,
        outcome, words={"play": words, "pass": words},
    )  # fmt: skip


# ---------------------------------------------------------------- players


@compiled
def open_hand(table: Any, state: Any, pack: Any) -> None:
    """Fill a blank state with the score of the match, and shuffle."""
    state.in_match = table.scored
    if table.scored:
        state.before[:] = table.score
    shuffle_pack(table, pack)


@compiled
def _begin_match(table: Any) -> None:
    table.score[:] = 0


@loop
def _follow(table: Any, state: Any, events: Any, size: Int) -> Int:
    """The deal, and what tricks, the hand and the match bring."""
    if state.phase == DEALING:
        return deal_hands(table, events, size, len(state.winners))
    if table.scored and events[size - 1].action == Action.PLAY_CARD and state.trick_cards == 0:
        size = trick.report_trick(state, events, size)
        if state.done:
            totals = state.before + state.score
            size = report(events, size, Action.SCORE_HAND, state.score)
            size = report(events, size, Action.SCORE_MATCH, totals)
            if totals.max() >= game.target:
                size = report(events, size, Action.SCORE_PLACE, _places(state, game.sign))
    return size


@loop
def _expert(state: Any) -> Int:
    return index_in(np.int64(game.pack), game.guess(state))


@loop
def _choose(table: Any, state: Any, events: Any, size: Int) -> Int:
    is_expert = table.players[state.turn] == EXPERT
    card = game.guess(state) if is_expert else trick.any_card(table.rng, game.legal_cards(state))
    _to_event(
        state, index_in(np.int64(game.pack), card), new_event(events, size, Action.PLAY_CARD, state.turn)
    )
    return size + 1


@loop
def _settle(table: Any, state: Any) -> None:
    table.score[:] += state.score
    if table.score.max() >= game.target:
        table.match = NO_MATCH


def players(
    alone: Alone,
    names: Mapping[str, str],
    rules: Mapping[str, str],
    begin: Callable[[], Records],
    **own: Any,
) -> Players:
    """The `Players`, the first two of `names` a random one and an expert. A match that several seats would
    win has no winner.

    begin
        Returns the state before a hand, shape (1,).
    own
        Other fields: at least `detail`, `open_hand` and `most_events`.
    """

    def winner_of(table: Any, state: Any) -> int:
        score = [alone.sign * points for points in table["score"].tolist()]
        return score.index(max(score)) if score.count(max(score)) == 1 else -1

    made: tuple[Callable[..., Any], ...] = (_follow, _choose, _settle, _expert)
    follow, choose, settle, expert = map(alone.specialised, made)
    return Players(
        names, rules, table_dtype(alone.pack.bit_count(), [("score", np.int16, (SEATS,))]), usual_seats=SEATS,
        prepare=lambda setup, tables: begin(), begin_match=_begin_match, follow=follow, choose=choose,
        settle=settle, winner_of=winner_of, expert=expert, **own,
    )  # fmt: skip


def detail_at(setup: Setup, table: Any, settings: dict[str, Any]) -> str:
    """`Players.detail`, with the settings of the hand."""
    named = [{"bot": name, "kind": "computer"} for name in setup.players]
    return detail_of(settings, named, table["score"].tolist() if setup.scored else None)
