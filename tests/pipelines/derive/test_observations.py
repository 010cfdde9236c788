"""The cards of an observation, told a second time from the events: where the seat sees each."""

from collections import Counter
from typing import Any

import pytest

from cardlog import models
from cardlog.models.belote import state as belote
from cardlog.models.contest.simulation import Simulation
from cardlog.models.kaiser.decisions import IN_HAND, ON_TABLE, PLAYED
from cardlog.models.kaiser.state import DECK_TEXT
from cardlog.models.pinochle.cards import DECK_CODES
from cardlog.pipelines.export.simulate import batches
from cardlog.schemas import cards
from cardlog.schemas.events import Action
from tests.support.decision_rows import decision_rows
from tests.support.summaries import pairs

PACKS = {"kaiser": DECK_TEXT, "belote": belote.DECK_TEXT, "pinochle": cards.texts(DECK_CODES)}
"""The order of the cards, as in docs/features."""


def seen(events: Any, seat: int) -> Counter[tuple[str, int]]:
    """The cards that a seat holds and those that were played, with their values, after some events."""
    held, plays = Counter[str](), []
    for event in events:
        shown = [cards.text(int(code)) for code in event["cards"][: event["count"]]]
        if event["action"] == Action.PLAY_CARD:
            plays.append((shown[0], (int(event["seat"]) - seat) % 4))
            held.subtract(shown if event["seat"] == seat else ())
        elif event["action"] == Action.DEAL_HAND and event["seat"] == seat:
            held.update(shown)
        elif event["action"] == Action.DEAL_PASS and event["seat"] % 2 == seat % 2:
            (held.subtract if event["seat"] == seat else held.update)(shown)
    earlier = len(plays) // 4 * 4
    found = Counter((card, PLAYED + who) for card, who in plays[:earlier])
    found.update((card, ON_TABLE + who) for card, who in plays[earlier:])
    return found + Counter({(card, IN_HAND): count for card, count in held.items() if count})


@pytest.mark.parametrize("game", PACKS)
def test_the_cards_of_an_observation_are_what_the_seat_saw(game: str) -> None:
    """But for what others are known to hold. In belote the last two cards are dealt after the bidding."""
    for rules in models.game(game).playing().rules:
        [batch] = batches(game, "test", Simulation(game, 5, rules=rules), 4)
        numbers = {hand_id.decode(): hand for hand, hand_id in enumerate(batch.hand_ids)}
        pack = pairs(PACKS[game])
        copies = 2 if game == "pinochle" else 1
        for row in decision_rows(batch):
            first = batch.offsets[numbers[row["hand_id"]]]
            expected = seen(batch.events[first : first + row["seq"]], row["seat"])
            values = row["observation"][: copies * len(pack)]
            found = Counter(
                (pack[place // copies], value)
                for place, value in enumerate(values)
                if 0 < value < ON_TABLE + 4
            )
            if game == "belote" and row["kind"] == "bid":
                assert found.total() == 6
                assert found <= expected
            else:
                assert found == expected
