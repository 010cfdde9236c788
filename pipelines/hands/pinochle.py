"""Pinochle: two of each card, bids, melds on the table, counters."""

import json
from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from cardlog.models.engine.trick import SEATS
from cardlog.models.pinochle.cards import RANKS, spread
from cardlog.models.pinochle.state import (
    MELDING,
    MOST_SHOWN,
    NAMING,
    NO_BID,
    PASSED,
    PLAYING,
    TRICKS,
)  # fmt: skip
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.hands import tricks
from cardlog.pipelines.hands.shapes import (
    Cards,
    Describer,
    Facts,
    Marked,
    Rows,
    Sentence,
    Suit,
    Table,
    Team,
    joined,
)
from cardlog.pipelines.text.texts import _, filled
from cardlog.schemas import cards
from cardlog.schemas.events import NO_DETAIL, Action

COUNTERS: Final = 25


def _about(state: Any) -> Table:
    return tricks.about(state, _("counters of %(n)s", n=COUNTERS))


def _step(previous: Table, before: Any, event: Any, state: Any) -> Table:
    begins = state["phase"] != before["phase"] and state["phase"] == PLAYING
    tags = tricks.tags(state, state["bid_count"] == SEATS, _bid)
    points = state["meld_points"].tolist()
    for seat in range(SEATS):
        if state["melded"] >> seat & 1:
            tags[seat].append(_("meld %(n)s", n=points[seat]))
    shown = [tricks.sorted_hand(_meld(state, seat), RANKS) for seat in range(SEATS)]
    return {
        **tricks.step(previous, event, state, begins=begins),
        "high": max(0, *map(int, state["bids"])),
        "hands": [tricks.sorted_hand(_held(state, seat), RANKS) for seat in range(SEATS)],
        "tags": tags,
        "melds": shown if state["plays"] == 0 else None,
        "meld_points": [points[0] + points[2], points[1] + points[3]] if state["melded"] else None,
    }


def _cards_of(firsts: int, seconds: int) -> list[str]:
    codes = np.zeros(2 * MOST_SHOWN, np.uint8)
    count = spread(np.int64(firsts), np.int64(seconds), codes)
    return [cards.text(int(code)) for code in codes[:count]]


def _held(state: Any, seat: int) -> list[str]:
    if not tricks.dealt_to(state, seat):
        return []
    known = _cards_of(state["firsts"][seat], state["seconds"][seat])
    return known + [cards.UNKNOWN_TEXT] * int(state["unknown"][seat])


def _meld(state: Any, seat: int) -> list[str]:
    return _cards_of(state["meld_firsts"][seat], state["meld_seconds"][seat])


def _bid(amount: int) -> str | None:
    return {PASSED: _("pass"), NO_BID: None}.get(amount, _("bid %(n)s", n=amount))


def _facts(batch: Batch, state: Any, opening: dict[str, Any]) -> Facts:
    before = "score before {} : {}".format(*state["before"]) if state["in_match"] else ""
    body: list[Sentence | Rows] = [
        tricks.dealt(state, opening, RANKS),
        tricks.bidding(state, NO_BID, lambda bid: ["pass" if bid == PASSED else Marked([str(bid)], "strong")])
        + _named(state),
        *([["Meld: ", *joined(_melds(state))]] if state["melded"] else []),
        *tricks.played(state),
    ]
    refused = _refused(batch)
    if refused:
        body.append([Marked(["Refused before a card was taken: ", Cards(refused)], "quiet")])
    return Facts([f"rules {opening['settings']['dialect']}", before], body)


def _named(state: Any) -> Sentence:
    """The result of the bidding."""
    named: Sentence = []
    if state["phase"] >= NAMING:
        named = [" → ", int(state["declarer"]), f" for {state['high_bid']}"]
    trump = Suit(tricks.trump_of(state) or "N")
    if state["thrown_in"]:
        played_on = [] if state["throw_in_ends_hand"] else [", played on with ", trump]
        return [*named, ", ", Marked(["thrown in"], "odd"), *played_on]
    return [*named, ", names ", trump] if state["phase"] >= MELDING else named


def _melds(state: Any) -> Iterator[Sentence]:
    """The melds shown by each seat, and their points."""
    for seat in range(SEATS):
        if state["melded"] >> seat & 1:
            shown = "".join(_meld(state, seat))
            points = Marked([str(state["meld_points"][seat])], "strong")
            yield [seat, " ", points, *([" (", Cards(shown), ")"] if shown else [])]


def _refused(batch: Batch) -> str:
    """Cards from the client that the server refused."""
    refused = []
    for event in batch.events[1:]:
        if event["action"] == Action.PLAY_CARD and event["detail"] != NO_DETAIL:
            refused += json.loads(batch.details[int(event["detail"])]).get("refused", [])
    return "".join(refused)


def _result(state: Any) -> list[Sentence]:
    team, score, bid = int(state["declarer"]) & 1, state["score"], str(state["high_bid"])
    if state["tricks"] < TRICKS:
        gave_up = _("%(team)s bid %(bid)s and gave the hand up: %(score)s.")
        return [filled(gave_up, team=Team(team), bid=bid, score=f"{score[team]:+d}")]
    melds, points = state["meld_points"], state["points"]
    taken = [{"meld": str(melds[side] + melds[side + 2]), "counters": str(points[side])} for side in range(2)]
    did = filled(_("bid %(bid)s and had %(meld)s meld and %(counters)s counters"), bid=bid, **taken[team])
    others = filled(_("had %(meld)s meld and %(counters)s counters"), **taken[1 - team])
    return tricks.result(state, did, tricks.made(score[team] > 0), others)


DESCRIBER: Final = Describer(_about, _step, _facts, _result)
