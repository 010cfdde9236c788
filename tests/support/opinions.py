"""Second opinions on hands of each game, which share no code with its rules.

Each raises an error if a hand breaks the rules, and says whether it was played to its end, or None if it
can't tell.
"""

import json
from collections.abc import Callable
from typing import Any

from cardlog.pipelines.events.batch import Batch
from cardlog.schemas import cards
from cardlog.schemas.events import ACTIONS, NO_SEAT, Action
from tests.support import belote_replay, csv_rows, pinochle_referee, pokerkit_replay, ruter_sju_referee
from tests.support.five_card_draw_replay import Replay


def events_of(batch: Batch, hand: int) -> Any:
    return batch.events[batch.offsets[hand] : batch.offsets[hand + 1]]


def opening_of(batch: Batch, hand: int) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(batch.details[int(events_of(batch, hand)["detail"][0])])
    return found


def kaiser_row(batch: Batch, hand: int) -> csv_rows.Replay:
    """What the second opinion on rows of the original data set, which have the hands after the pass, makes of
    a hand."""
    opening = opening_of(batch, hand)
    row: dict[str, Any] = dict.fromkeys(csv_rows.COLUMNS) | {"played_cards": ""}
    row |= {"dealer": opening["dealer"], "setting_min_bid": opening["settings"]["min_bid"]}
    order = [(opening["dealer"] + step) % 4 for step in (1, 2, 3, 4)]
    given, seats = {}, []
    for one in events_of(batch, hand)[1:]:
        action, seat = ACTIONS[one["action"]], int(one["seat"])
        what, shown = f"{action.kind} {action.name}", cards.texts(one["cards"][: one["count"]])
        if action.kind == "bid":
            csv_rows._need(row["player_3_hand"] is not None and len(given) in (0, 4))
        if what == "deal hand":
            csv_rows._need(row[f"player_{seat}_hand"] is None)
            row[f"player_{seat}_hand"] = shown
        elif what == "deal pass":
            given[seat] = {shown[:2], shown[2:]}
        elif what in ("bid bid", "bid pass"):
            csv_rows._need(order and seat == order.pop(0))
            suit = "N" if one["suit"] == cards.NO_TRUMP else ""
            row[f"player_{seat}_bid"] = "pass" if what == "bid pass" else f"{one['amount']}{suit}"
        elif what == "bid trump":
            csv_rows._need(not order and one["suit"] in range(4) and row["played_cards"] == "")
            row[f"player_{seat}_bid"] = (row[f"player_{seat}_bid"] or "") + cards.SUITS[one["suit"]]
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
        csv_rows._need(seat in (NO_SEAT, ((leads[play // 4] or 0) + play) % 4))
    return found


def of_kaiser(batch: Batch, hand: int) -> bool | None:
    return kaiser_row(batch, hand).status == "complete"


def of_belote(batch: Batch, hand: int) -> bool | None:
    events = events_of(batch, hand)
    known = not (events["cards"] == cards.UNKNOWN).any()
    if not known or (events["action"] == Action.DEAL_HAND).sum() < 4:
        return None
    return belote_replay.replay(opening_of(batch, hand), events).score is not None


def of_ruter_sju(batch: Batch, hand: int) -> bool | None:
    referee = ruter_sju_referee.judge_hand(batch, hand)
    return len(referee.out) == referee.seats


def of_pinochle(batch: Batch, hand: int) -> bool | None:
    return pinochle_referee.judge_hand(batch, hand) == "complete"


def of_five_card_draw(batch: Batch, hand: int) -> bool | None:
    opening = opening_of(batch, hand)
    if "ante" not in opening["settings"]:  # with blinds, which the original does not have
        return None
    replay = Replay(opening, events_of(batch, hand))
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
