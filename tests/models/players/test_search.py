"""Players that search, and experts: what they know, and that they play well."""

from typing import Any

import numpy as np
import pytest

from cardlog import models
from cardlog.models.contest.play_off import play_off
from cardlog.models.contest.simulation import Simulation, policy_of
from cardlog.models.engine.arena import STEP_EVENTS, new_tables
from cardlog.models.engine.dealing import MOST_SEATS, Setup
from cardlog.models.engine.game import Game
from cardlog.models.engine.policy import DecisionBatch, actions_of
from cardlog.models.players.search import Level, Search, costs_known, searcher
from tests.support.priced import decisions, simulated
from tests.support.soak import long

EVERYBODY = [(game, name) for game in models.GAMES for name in models.game(game).playing().names]
SLOW_TO_COMPILE = [(game, name) for game, name in EVERYBODY if name == "search" and game != "kaiser"]
PLAYERS = [*(player for player in EVERYBODY if player not in SLOW_TO_COMPILE), *long(*SLOW_TO_COMPILE)]
SEARCHING = ["kaiser", "belote", "pinochle"]
BETTER = [
    *((game, "network", "random", 100, None) for game, name in EVERYBODY if name == "network"),
    *long(
        *((game, "expert", "random", 100, None) for game in (*SEARCHING, "ruter_sju", "five_card_draw")),
        ("kaiser", "search-4", "random", 20, None),
        ("five_card_draw", "cfr", "random", 500, 2),
        ("five_card_draw", "search", "expert", 300, 2),
        ("hold_em", "search", "expert", 2_000, 2),
    ),
]
"""Players, of whom the first is better, and in how many deals that shows."""
SOME_SEARCHING = ["kaiser", *long("belote", "pinochle")]
MOST_DECISIONS = 60


def chosen(game: Game, policy: Any, state: Any, kind: int, mask: Any) -> int:
    """What a policy chooses if asked as by the arena."""
    seats = np.array([state["turn"]], np.int8)
    observations = np.zeros((1, game.decisions.width), np.int8)
    game.decisions.observe(state, int(seats[0]), observations[0])
    states = policy.sees(state[None], seats) if hasattr(policy, "sees") else None
    batch = DecisionBatch(observations, mask[None], np.array([kind], np.int8), seats, states)
    return int(actions_of(policy, batch)[0])


@pytest.mark.parametrize(("game", "name"), PLAYERS)
def test_nobody_peeks(game: str, name: str) -> None:
    """From what its seat may see, it acts as from the whole state with the same random numbers."""
    model = models.game(game)
    seats = model.playing().usual_seats
    index = list(model.playing().names).index(name)
    setup = Setup(players=(next(iter(model.playing().names)),) * seats, single=True)
    tables, _ = new_tables(model, setup, np.full(MOST_SEATS, index, np.int8), 1)
    policy = policy_of(game, "search-2" if name == "search" else name)
    events = np.zeros(STEP_EVENTS, model.event)
    for state, kind, mask in list(decisions(game, 4))[:MOST_DECISIONS]:
        [shown] = model.visible.seen_by(state[None], np.array([state["turn"]]))
        assert shown.tobytes() != state.tobytes()
        acts = []
        for variant in (state, shown):
            if not isinstance(policy, str):
                acts.append(chosen(model, policy, variant, kind, mask))
                continue
            table = tables.copy()[0]
            table["rng"][0] = 3
            size = model.playing().choose(table, variant, events, 0)
            acts.append(events[:size].tobytes())
        assert acts[0] == acts[1]


@pytest.mark.parametrize("game", ["kaiser", "pinochle"])
def test_a_player_that_sees_all_cards_finds_the_values_of_the_solver(game: str) -> None:
    hands = simulated(game, "book", 2)
    values, exact = hands.analyse(slice(0, 2), budget=200_000)
    seer = Search(hands.game, Level(worlds=0))
    late = np.flatnonzero(exact & (hands.cards_left() <= 16))
    for number in late:
        state = hands.positions()[number]
        side = -1 if state["turn"] & 1 else 1
        np.testing.assert_allclose(side * seer.values(state), values[number])
    assert len(late) > 20


@pytest.mark.parametrize("game", SOME_SEARCHING)
def test_a_seat_that_knows_all_cards_plays_like_one_that_sees_them(game: str) -> None:
    """In the last trick only who holds which card is unknown, which the last two to play need not know."""
    hands = simulated(game, "book", 6)
    knows, sees = searcher(hands.game, "search-3"), Search(hands.game, Level(worlds=0))
    for state in hands.positions():
        if state["tricks"] == len(state["winners"]) - 1 and state["trick_cards"] >= 2:
            expected = sees.values(state)
            seen = knows.sees(state[None], np.array([state["turn"]]))[0]
            np.testing.assert_allclose(knows.values(seen), expected)


@pytest.mark.parametrize(("game", "better", "worse", "hands", "seats"), BETTER)
def test_who_knows_more_wins(game: str, better: str, worse: str, hands: int, seats: int | None) -> None:
    won = play_off(game, (better, worse), hands, 1, seats=seats)
    assert (won.points.low or 0) > 0


def test_a_search_plays_the_same_however_many_tables_wait() -> None:
    first, second = (Simulation("kaiser", 4, ("search-1", "random") * 2, single=True) for _ in range(2))
    whole = first.play(6).events
    parts = np.concatenate([second.play(count).events for count in (1, 3, 2)])
    assert whole["cards"].tobytes() == parts["cards"].tobytes()


def test_a_search_is_named_with_its_number_of_worlds() -> None:
    kaiser = models.game("kaiser")
    assert searcher(kaiser, "search").level == Level()
    assert searcher(kaiser, "search-25").level.worlds == 25
    ruter_sju = models.game("ruter_sju")
    assert searcher(ruter_sju, "search").level.worlds == ruter_sju.worlds == 40
    for wrong in ("search-x", "search-0", "searcher"):
        with pytest.raises(ValueError, match=f"kaiser has no players '{wrong}'; there are: random, expert, "):
            Simulation("kaiser", 1, (wrong,))


@pytest.mark.long
def test_the_costs_of_cards_by_what_was_known_are_reproducible() -> None:
    """And never below 0; 0 in the last trick, where nobody has a choice, and often 0 before."""
    hands = simulated("kaiser", "book", 3)
    batch = hands.events, hands.offsets, hands.befores, hands.lasts
    late = hands.cards_left() <= 16
    plays = hands.plays["event"][late].astype(np.int64)
    costs = costs_known(hands.game, batch, plays, 3)
    assert (costs >= 0).all()
    assert not costs[hands.cards_left()[late] <= 4].any()
    assert 0 < (costs > 0).mean() < 1
    np.testing.assert_array_equal(costs, costs_known(hands.game, batch, plays, 3))
    alone = costs_known(hands.game, batch, plays[-1:], 3)
    np.testing.assert_array_equal(alone, costs[-1:])
