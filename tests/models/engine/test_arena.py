"""The arena's contract, for every game: policies are asked what training rows hold, obeyed, and checked."""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cardlog import models
from cardlog.models.contest.simulation import POLICY_TABLES, Played, Simulation
from cardlog.models.engine.dealing import BOOK, POLICY
from cardlog.models.engine.policy import DecisionBatch, load
from cardlog.models.five_card_draw import players as five_card_draw
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.events.folding import fold_batch
from cardlog.pipelines.export.encoders import DEFAULT, encoder
from cardlog.pipelines.export.simulate import SimulateError, batches, simulate
from cardlog.schemas import cards
from cardlog.schemas.events import ACTIONS, Action
from tests.support.steps import opening_of

HANDS = 40
GAMES = [name for name in models.GAMES if models.game(name).players is not None]
PLAYS = [(name, rules) for name in GAMES for rules in models.game(name).playing().rules]


class Recorder:
    """A policy that plays random legal actions and records what it was asked, and what it did."""

    def __init__(self, seed: int = 1) -> None:
        self.rng = np.random.default_rng(seed)
        self.rows: list[Any] = []

    def choose(self, decisions: DecisionBatch) -> NDArray[np.int64]:
        actions = np.where(decisions.masks, self.rng.random(decisions.masks.shape), -1).argmax(axis=1)
        self.rows += rows(decisions.kinds, decisions.seats, decisions.observations, decisions.masks, actions)
        return actions


def rows(*columns: NDArray[Any]) -> list[Any]:
    """Decisions: kind, seat, observation, mask and action."""
    return list(zip(*(column.tolist() for column in columns), strict=True))


def rows_of(batch: Batch, *seats: int) -> list[Any]:
    """The decisions of some seats, as training rows have them."""
    found = encoder(batch.game, DEFAULT).encode(batch)
    legal = found.masks & (np.arange(found.masks.shape[1]) < found.rows["width"][:, None])
    whole = rows(found.rows["kind"], found.rows["seat"], found.observations, legal, found.rows["action"])
    return sorted(row for row in whole if row[1] in seats)


def first_legal(observations: NDArray[np.int8], masks: NDArray[np.bool_]) -> NDArray[np.int64]:
    return masks.argmax(axis=1)


def last_legal(observations: NDArray[np.int8], masks: NDArray[np.bool_]) -> NDArray[np.int64]:
    return masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)


def mixed(name: str, *policies: Any) -> tuple[Any, ...]:
    """Policies and random players, alternating."""
    return tuple(
        (*policies, "random")[seat % (len(policies) + 1)]
        for seat in range(models.game(name).playing().usual_seats)
    )


def batch_of(name: str, simulation: Simulation, count: int) -> Batch:
    [batch] = batches(name, "test", simulation, count)
    return batch


def said(parts: list[Played]) -> list[Any]:
    """What hands say that were played in one go or in parts."""
    events = np.concatenate([part.events for part in parts])
    openings = [part.details[row] for part in parts for row in part.events["detail"][part.offsets[:-1]]]
    names = ("matches", "hand_nos", "returns")
    arrays = [np.concatenate([getattr(part, name) for part in parts]) for name in names]
    arrays += [events[name] for name in events.dtype.names if name != "detail"]
    return [openings, *(array.tobytes() for array in arrays)]


# ---------------------------------------------------------------- what is played


@pytest.mark.parametrize(("name", "rules"), PLAYS)
def test_a_policy_is_asked_what_the_rows_of_the_hands_hold(name: str, rules: str) -> None:
    for alone in (True, False):
        policy = Recorder()
        players = (policy,) if alone else mixed(name, policy)
        batch = batch_of(name, Simulation(name, 3, players, rules), HANDS)
        folded = fold_batch(batch)
        assert not folded.reasons.any()
        assert folded.done.all()
        expected = rows_of(batch, *(seat for seat in range(6) if players[seat % len(players)] is policy))
        assert sorted(policy.rows) == expected
        assert len(expected) > 2 * HANDS
        assert {row[0] for row in expected} == set(range(len(models.game(name).decisions.kinds)))


@pytest.mark.parametrize("name", GAMES)
def test_hands_do_not_depend_on_how_many_are_played_at_a_time(name: str) -> None:
    count = POLICY_TABLES + 70
    for players in (("random",), mixed(name, first_legal), mixed(name, first_legal, last_legal)):
        parts = Simulation(name, 5, players)
        sizes = (1, 39, 500, count - 540)
        assert said([Simulation(name, 5, players).play(count)]) == said([parts.play(n) for n in sizes])


@pytest.mark.parametrize(("name", "rules"), PLAYS)
def test_hands_are_the_same_with_and_without_scores(name: str, rules: str) -> None:
    played = [Simulation(name, 5, rules=rules, scored=scored).play(60).events for scored in (True, False)]
    acts = [events[[ACTIONS[action].kind != "score" for action in events["action"]]] for events in played]
    assert len(acts[0]) == len(acts[1]) == len(played[1]) < len(played[0])
    for field in set(played[0].dtype.names or ()) - {"detail"}:
        assert (acts[0][field] == acts[1][field]).all(), field


@pytest.mark.parametrize("name", GAMES)
def test_matches_go_on_from_hand_to_hand_unless_each_hand_is_a_match(name: str) -> None:
    singles = Simulation(name, 5, single=True).play(100)
    assert singles.matches.tolist() == list(range(100))
    assert not singles.hand_nos.any()
    if name == "ruter_sju":  # whose hands are matches
        return
    played = Simulation(name, 5).play(1000)
    assert played.hand_nos.max() >= 3
    positions = list(zip(played.matches.tolist(), played.hand_nos.tolist(), strict=True))
    assert len(set(positions)) == len(positions)
    assert all((match, number - 1) in positions for match, number in positions if number)


def openings(batch: Batch) -> list[dict[str, Any]]:
    return [opening_of(batch, hand) for hand in range(len(batch))]


@pytest.mark.parametrize(("name", "rules"), [play for play in PLAYS if models.game(play[0]).has_teams])
def test_openings_have_the_score_of_the_match_so_far(name: str, rules: str) -> None:
    """And Pinochle's the trump and the number of the hands before; the deal goes round."""
    batch, before = batch_of(name, Simulation(name, 11, rules=rules), 400), dict[int, Any]()
    states = fold_batch(batch).states
    for hand, opening in enumerate(openings(batch)):
        events, match = batch.events[batch.offsets[hand] : batch.offsets[hand + 1]], int(batch.match_of[hand])
        expected = before.get(match, {"dealer": opening["dealer"], "score": [0, 0]})
        assert (opening["dealer"], opening["match"]["score"]) == (expected["dealer"], expected["score"])
        score = events["amount"][events["action"] == Action.SCORE_MATCH].tolist()
        before[match] = {"dealer": (opening["dealer"] + 1) % 4, "score": score}
        if name == "pinochle":
            was = {"trump": expected.get("trump"), "hands_played": expected.get("hands_played", 0)}
            assert opening["match"] == {"score": expected["score"], **was}
            if states[hand]["tricks"]:
                trump = int(states[hand]["trump"])
                named = cards.SUITS[trump] if trump >= 0 else None
                was = {"trump": named, "hands_played": was["hands_played"] + 1}
            before[match] |= was
    assert 3 < len(before) < 400


@pytest.mark.parametrize(("name", "rules"), [play for play in PLAYS if play[0] != "ruter_sju"])
def test_the_first_dealer_is_drawn_except_by_programs_where_it_is_seat_0(name: str, rules: str) -> None:
    """[R17] of belote, [R16] of Pinochle: seat 0, as in all their logs. Elsewhere each seat in turn has the
    expected share, within four standard deviations."""
    batch = batch_of(name, Simulation(name, 11, rules=rules), 4000)
    dealers = [found["dealer"] for found, no in zip(openings(batch), batch.hand_nos, strict=True) if no == 0]
    if name in ("belote", "pinochle") and rules != BOOK:
        assert set(dealers) == {0}
        return
    shares = np.bincount(dealers) / len(dealers)
    seats = models.game(name).playing().usual_seats
    expected = np.full(seats, 1 / seats)
    if name == "five_card_draw":
        weights = np.array(five_card_draw.PLAYER_WEIGHTS) / 1000
        counts = five_card_draw.PLAYER_COUNTS
        expected = np.array([sum(weights[counts > seat] / counts[counts > seat]) for seat in range(6)])
    assert (abs(shares - expected) < 4 * np.sqrt(expected / len(dealers))).all()


@pytest.mark.parametrize("name", ["kaiser", "belote", "ruter_sju"])
def test_random_players_play_every_legal_card_equally_often(name: str) -> None:
    """[R11] of Ruter Sju. Of two and of three cards, by where the chosen one stands in the hand as dealt."""
    batch, of = batch_of(name, Simulation(name, 3), 400), models.game(name).decisions
    found, dealt = encoder(name, DEFAULT).encode(batch), fold_batch(batch).states["dealt_cards"]
    counts, words = {2: Counter[int](), 3: Counter[int]()}, of.words["play"]
    for row, mask in zip(found.rows, found.masks, strict=True):
        if of.kinds[row["kind"]] == "play":
            legal = {word for word, may in zip(words, mask.tolist(), strict=False) if may}
            hand = dict.fromkeys(map(cards.text, dealt[row["hand"], row["seat"]].tolist()))
            held = [card for card in hand if card in legal]
            if len(held) in counts:
                counts[len(held)][held.index(words[row["action"]])] += 1
    for size, chosen in counts.items():
        mean = chosen.total() / size
        squares = sum((chosen[place] - mean) ** 2 for place in range(size)) / mean
        assert mean > 100
        assert squares < 18, chosen  # chi-square of at most two degrees: p = 0.0001


def test_who_gets_an_extra_card_in_ruter_sju_is_drawn_except_by_the_authors_program() -> None:
    """[R4] Of 52 cards two of five players get eleven, neighbours in turn order."""
    dealt = Counter[tuple[str, tuple[int, ...]]]()
    for rules in models.game("ruter_sju").playing().rules:
        batch = batch_of("ruter_sju", Simulation("ruter_sju", 3, ("random",) * 5, rules), 1000)
        hands = batch.events["count"][batch.events["action"] == Action.DEAL_HAND].reshape(-1, 5)
        dealt.update((rules, tuple(hand)) for hand in hands.tolist())
    assert dealt["original", (11, 11, 10, 10, 10)] == 1000
    turns = [tuple(np.roll((11, 11, 10, 10, 10), seat).tolist()) for seat in range(5)]
    assert all(150 < dealt[BOOK, hand] < 250 for hand in turns)
    assert len(dealt) == 1 + 5


# ---------------------------------------------------------------- what is answered


@pytest.mark.parametrize("name", GAMES)
def test_an_invalid_answer_of_a_policy_is_an_error_and_nothing_is_written(name: str, tmp_path: Path) -> None:
    out = str(tmp_path / "log.jsonl")

    def error(policy: Any) -> str:
        with pytest.raises((ValueError, SimulateError), match="policy") as caught:
            simulate(name, 1, 5, out, players=POLICY, policy=policy)
        assert not list(tmp_path.iterdir())
        return str(caught.value)

    most = models.game(name).decisions.most_actions
    illegal = error(lambda observations, masks: (~masks).argmax(axis=1))
    assert ", which is not legal; seat " in illegal
    assert illegal[-1].isdigit()
    assert f"action {most}, which is not legal" in error(lambda _, masks: np.full(len(masks), most))
    assert "action -1, which is not legal" in error(lambda _, masks: np.full(len(masks), -1))
    assert "float64 and shape (1,)" in error(lambda _, masks: np.zeros(1))
    assert "shape (2,); it must be integers of shape (1,)" in error(lambda _, masks: np.zeros(2, np.int64))
    assert f"{name} has no players 'policy'; there are: random" in error(None)
    simulate(name, 3, 1, out, players=POLICY, policy=first_legal)


def test_a_policy_is_found_by_its_name() -> None:
    assert load(f"{__name__}:first_legal") is first_legal
    assert isinstance(load(f"{__name__}:Recorder"), Recorder)
    for name in ("nowhere:policy", f"{__name__}:nothing", __name__):
        with pytest.raises(ValueError, match=f"no policy '{name}'"):
            load(name)
    with pytest.raises(ValueError, match="is not a policy"):
        load(f"{__name__}:HANDS")
