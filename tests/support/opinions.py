"""Second opinions on hands of each game, which share no code with its rules.

Each raises an error if a hand breaks the rules, and says whether it was played to its end, or None if it
can't tell.
"""

from collections.abc import Callable
from typing import Any

from cardlog.pipelines.events.batch import Batch
from cardlog.schemas.events import NO_SEAT
from tests.support import belote_replay, csv_rows, pinochle_referee, pokerkit_replay, ruter_sju_referee
from tests.support.five_card_draw_replay import Replay
from tests.support.steps import events_of, need, opening_of, steps


def of_kaiser(batch: Batch, hand: int) -> bool | None:
    """By the second opinion on rows of the original data set, which have the hands after the pass."""
    opening = opening_of(batch, hand)
    row: dict[str, Any] = dict.fromkeys(csv_rows.COLUMNS) | {"played_cards": ""}
    row |= {"dealer": opening["dealer"], "setting_min_bid": opening["settings"]["min_bid"]}
    order = [(opening["dealer"] + step) % 4 for step in (1, 2, 3, 4)]
    given, seats = {}, []
    for step in steps(events_of(batch, hand))[1:]:
        what, seat, shown = step.what, step.seat, "".join(step.cards)
        if what.startswith("bid"):
            need(row["player_3_hand"] is not None and len(given) in (0, 4))
        if what == "deal hand":
            need(row[f"player_{seat}_hand"] is None)
            row[f"player_{seat}_hand"] = shown
        elif what == "deal pass":
            given[seat] = {*step.cards}
        elif what in ("bid bid", "bid pass"):
            need(order and seat == order.pop(0))
            row[f"player_{seat}_bid"] = "pass" if what == "bid pass" else f"{step.amount}{step.suit or ''}"
        elif what == "bid trump":
            need(not order and step.suit and step.suit in "CDHS" and row["played_cards"] == "")
            row[f"player_{seat}_bid"] = (row[f"player_{seat}_bid"] or "") + (step.suit or "")
        elif what == "play card":
            seats.append(seat)
            row["played_cards"] += shown
    for seat, passed in given.items():
        held = row[f"player_{seat}_hand"]
        kept = [held[at : at + 2] for at in range(0, 16, 2) if held[at : at + 2] not in passed]
        row[f"player_{seat}_hand"] = "".join([*kept, *sorted(given.get(seat ^ 2, passed))])
    found = csv_rows._replay(row)
    leads = [found.declarer, *map(int, found.trick_winners)]
    for play, seat in enumerate(seats):
        need(seat in (NO_SEAT, ((leads[play // 4] or 0) + play) % 4))
    return found.status == "complete"


def of_belote(batch: Batch, hand: int) -> bool | None:
    played = steps(events_of(batch, hand))
    dealt = [step.cards for step in played if step.what == "deal hand"]
    if len(dealt) < 4 or "??" in [card for cards in dealt for card in cards]:
        return None
    return belote_replay.is_over(opening_of(batch, hand), played)


def of_ruter_sju(batch: Batch, hand: int) -> bool | None:
    referee = ruter_sju_referee.judge_hand(batch, hand)
    return len(referee.out) == referee.seats


def of_pinochle(batch: Batch, hand: int) -> bool | None:
    return pinochle_referee.is_over(opening_of(batch, hand), steps(events_of(batch, hand))[1:])


def of_five_card_draw(batch: Batch, hand: int) -> bool | None:
    opening = opening_of(batch, hand)
    if "ante" not in opening["settings"]:  # with blinds, which the original does not have
        return None
    replay = Replay(opening, steps(events_of(batch, hand)))
    assert not replay.left
    return replay.over or None


OPINIONS: dict[str, Callable[[Batch, int], bool | None]] = {
    "hold_em": pokerkit_replay.opinion,
    "kaiser": of_kaiser,
    "belote": of_belote,
    "ruter_sju": of_ruter_sju,
    "pinochle": of_pinochle,
    "five_card_draw": of_five_card_draw,
}
