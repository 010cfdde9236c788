"""Games of Ruter Sju at random: the rules allow what `ruter_sju_referee` allows, which shares no code."""

import json
import random
from typing import Any

import numpy as np
import pytest

from cardlog.models.engine.dealing import new_event
from cardlog.models.ruter_sju import state as ruter_sju
from cardlog.models.ruter_sju.legal import legal_actions, legal_text
from cardlog.models.ruter_sju.rules import evolve
from cardlog.models.ruter_sju.state import CARD_OF, RULES
from cardlog.schemas.events import Action
from tests.support.ruter_sju_referee import ACTS, Referee, card_of
from tests.support.soak import soak


def random_opening(chance: random.Random) -> tuple[dict[str, Any], list[list[int]]]:
    """A table of any shape, and a deal by codes."""
    seats = chance.randint(3, 6)
    suits, more = chance.randint(2, 6), chance.randint(4, 15)
    suits, ranks = chance.choice(((1, seats), (1, 6), (suits, 3), (2, 5), (suits, more)))
    kinds = [chance.choice(("human", "computer")) for _ in range(seats)]
    dialect = chance.choice(list(RULES))
    players = [{"kind": kind} for kind in kinds]
    detail = json.loads(ruter_sju.opening(ruter_sju.Settings(dialect, suits, ranks), players))
    deck = [int(code) for code in CARD_OF[:suits, 1 : ranks + 1].ravel()]
    chance.shuffle(deck)
    return detail, [deck[seat::seats] for seat in range(seats)]


def record(action: int, seat: int, codes: list[int]) -> Any:
    row = new_event(np.zeros(1, ruter_sju.EVENT), 0, action, seat)
    row["count"], row["cards"][: len(codes)] = len(codes), codes
    return row


@pytest.mark.parametrize("seed", [*range(40), *soak(*range(40, 300))])
def test_the_model_and_the_referee_agree_on_every_act(seed: int) -> None:
    """At every moment of random games all that any seat might do is tried on both; the text of what is legal,
    the mask and the observation agree with them, too. In the end places are a permutation."""
    chance = random.Random(seed)
    detail, hands = random_opening(chance)
    share = chance.choice((0, 0.3, 0.6))
    hidden = {seat for seat in range(len(hands)) if chance.random() < share}
    [state] = ruter_sju.begin(detail)
    referee = Referee(detail)
    shown: list[Any] = []
    assert evolve(state, record(Action.DEAL_OPEN, -1, [])) == 0
    for seat, hand in enumerate(hands):
        codes = [255] * len(hand) if seat in hidden else hand
        assert evolve(state, record(Action.DEAL_HAND, seat, codes)) == 0
        shown.append(len(hand) if seat in hidden else [card_of(code) for code in hand])
    referee.deal(shown)
    deck = [code for hand in hands for code in hand]
    for _ in range(3 * len(deck) + 40):
        if state["done"]:
            break
        legal, few = [], len(deck) < 16 or chance.random() < 0.1
        tries: list[Any] = [(action, []) for action in ACTS if action != Action.PLAY_CARD]
        tries += [(Action.PLAY_CARD, [code]) for code in (deck if few else hands[state["turn"]])]
        for seat in range(len(hands)) if few else {int(state["turn"]), chance.randrange(len(hands))}:
            for action, codes in tries:
                ours = evolve(state.copy(), record(action, seat, codes)) == 0
                card = card_of(codes[0]) if codes else None
                assert ours == referee.allows(seat, ACTS[action], card), (detail, seat, action, codes)
                if ours and (not codes or codes[0] in hands[seat]):
                    legal.append((seat, action, codes))
        assert legal_actions(state) != 0
        assert legal_text(state).startswith(f"seat {state['turn']}: ")
        if not legal:
            break  # hidden hands: the seat that could go on was not tried
        placing = [move for move in legal if move[1] == Action.PLAY_CARD]
        seat, action, codes = chance.choice(placing if placing and chance.random() < 0.8 else legal)
        referee.act(seat, ACTS[action], card_of(codes[0]) if codes else None)
        assert evolve(state, record(action, seat, codes)) == 0
        lies = {(suit, n) for (suit, _), pile in referee.piles.items() for n in pile}
        assert sum(int(placed).bit_count() for placed in state["placed"]) == len(lies) == state["plays"]
        had = [(suit, n) for suit, n in map(card_of, hands[seat]) if state["lacks"][seat, suit] >> n - 1 & 1]
        assert not had or seat in hidden, "it has shown that it lacks what it was dealt"
    if state["done"]:
        assert sorted(state["places"][: len(hands)]) == list(range(1, len(hands) + 1))
        assert [int(state["places"][seat]) for seat in referee.out] == list(range(1, len(hands) + 1))
