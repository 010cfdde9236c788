"""The bots choose as the author's do in his logs, and in the long run finish as his do; that the random one
plays all cards that fit equally often is in test_arena.py."""

import csv
import gzip
import json
from collections import Counter, defaultdict

import numpy as np
import pytest

from cardlog.models.contest.simulation import Simulation
from cardlog.models.ruter_sju import state as ruter_sju
from cardlog.models.ruter_sju.players import PLAYERS
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.events.folding import fold_batch
from tests.models.engine.test_arena import batch_of
from tests.support.ruter_sju_logs import FIXTURES, read_text, text_of
from tests.support.ruter_sju_referee import Card, Referee, card_of, judge_hand
from tests.support.steps import Step, events_of, opening_of, steps

GAME = ruter_sju.GAME


def expected_choice(kind: str, hand: list[Card], referee: Referee) -> set[Card]:
    """[R11] What a bot of a kind may choose, by the words of the rule; none for the block."""

    def distances(card: Card) -> list[int]:
        middle = referee.middle
        is_upper = card[1] >= middle
        return [abs(n - middle) for suit, n in hand if suit == card[0] and (n >= middle) == is_upper]

    possible = [card for card in hand if referee.fits(card)]
    if kind == "random" or not possible:
        return set(possible)
    best = max if kind == "smart" else min
    target = best(best(distances(card)) for card in possible)
    return {next(card for card in possible if best(distances(card)) == target)}


def dealt(batch: Batch, hand: int) -> list[list[Card]]:
    """The hands by seat, in the order of their cards; hidden ones are empty."""
    held = {
        step.seat: [] if "??" in step.cards else [*map(card_of, step.cards)]
        for step in steps(events_of(batch, hand))
        if step.what == "deal hand"
    }
    return [held[seat] for seat in sorted(held)]


def check_choices(batch: Batch, hand: int) -> Counter[str]:
    """Compare every act of the bots of a hand with what the rule lets them choose."""
    kinds = [player.get("bot") for player in opening_of(batch, hand)["players"]]
    held, seen = dealt(batch, hand), Counter[str]()

    def watch(referee: Referee, step: Step) -> None:
        seat = step.seat
        if kinds[seat] and step.what in ("play card", "play block"):
            choice = expected_choice(kinds[seat], held[seat], referee)
            assert bool(choice) == (step.what == "play card")
            if choice:
                card = card_of(step.cards[0])
                assert card in choice, (seat, card, choice)
                held[seat].remove(card)
                seen[kinds[seat]] += 1

    judge_hand(batch, hand, watch)
    return seen


def test_the_bots_of_the_logs_choose_as_the_rule_says() -> None:
    """[R11] All choices in all logs: they are the evidence for the rule."""
    seen: Counter[str] = Counter()
    for name in ("transcripts", "variants_transcripts", "edge_human_transcripts"):
        batch = read_text(text_of(name)).batch
        for hand in range(len(batch)):
            seen += check_choices(batch, hand)
    assert all(seen[kind] > 1000 for kind in ruter_sju.BOTS), seen


@pytest.mark.parametrize("rules", PLAYERS.rules)
def test_simulated_bots_choose_as_the_rule_says(rules: str) -> None:
    for seats in (("smart", "dumb", "random"), ("dumb",) * 4, ("random", "smart") * 3):
        batch = batch_of(GAME, Simulation(GAME, 7, seats, rules), 30)
        for hand in range(len(batch)):
            assert check_choices(batch, hand)


@pytest.mark.long
def test_places_of_kinds_spread_as_in_the_original() -> None:
    """How often each kind finishes at each place, by mix, in 2,000 games of the original."""
    oracle = json.loads((FIXTURES / "aggregate_2000.json").read_text())
    games: dict[tuple[int, int, str], dict[int, str]] = defaultdict(dict)
    with gzip.open(FIXTURES / "aggregate_2000_rows.csv.gz", "rt") as rows:
        for row in csv.DictReader(rows):
            game = int(row["numPlayers"]), int(row["combinationID"]), row["game"]
            games[game][int(row["playerName"])] = row["kind"]
    mixes = {
        (count, mix, *(kinds[seat] for seat in sorted(kinds))) for (count, mix, _), kinds in games.items()
    }
    assert (len(games), len(mixes)) == (2000, 32)
    for entry in oracle["final_position_by_players_combo_kind"]:
        wanted = entry["numPlayers"], entry["combinationID"]
        [seats] = [seats for count, mix, *seats in mixes if (count, mix) == wanted]
        own_seats = [seat for seat, kind in enumerate(seats) if kind == entry["kind"]]
        states = fold_batch(batch_of(GAME, Simulation(GAME, 77, tuple(seats), scored=False), 1500)).states
        simulated = 1500 * len(own_seats)
        places = states["places"][:, own_seats].ravel()
        shares = np.bincount(places - 1, minlength=len(seats)) / simulated
        counts = np.array(entry["counts"])
        total = counts.sum()
        error = np.sqrt(total * shares * (1 - shares) * (1 + total / simulated)) + 0.5
        assert (np.abs(counts - total * shares) < 4.5 * error).all(), (entry, shares)
