"""Kaiser: bids, cards passed to the partner, and the points for the five of hearts and the three of
spades."""

from typing import Any, Final

from cardlog.models.engine.trick import SEATS
from cardlog.models.kaiser import rules as kaiser
from cardlog.models.kaiser.legal import bid_text
from cardlog.models.kaiser.state import GAME_POINTS, HAND_CARDS, NO_BID, PASSED
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.hands import tricks
from cardlog.pipelines.hands.shapes import Describer, Facts, Marked, Sentence, Suit, Table, began, quiet
from cardlog.pipelines.text.texts import _, filled
from cardlog.schemas import cards
from cardlog.schemas.events import NO_AMOUNT

ORDER: Final = cards.PACK_RANKS[::-1]
SPECIAL: Final = {"5H": "+5", "3S": "−3"}
"""The points that these cards add to a trick."""


def _about(state: Any) -> Table:
    return tricks.about(state, _("points of 10"), special=SPECIAL)


def _step(previous: Table, before: Any, event: Any, state: Any) -> Table:
    return {
        **tricks.step(previous, event, state, begins=tricks.names_trump(before, state)),
        "hands": tricks.hands(state, HAND_CARDS, ORDER),
        "tags": tricks.tags(state, state["bid_count"] == SEATS, _bid),
    }


def _bid(rank: int) -> str | None:
    if rank in (PASSED, NO_BID):
        return _("pass") if rank == PASSED else None
    return _("bid %(n)s no trump", n=rank >> 1) if rank & 1 else _("bid %(n)s", n=rank >> 1)


def _facts(batch: Batch, state: Any, opening: dict[str, Any]) -> Facts:
    number, trump = int(batch.events[0]["amount"]), tricks.trump_of(state)
    named: Sentence = []
    if trump and trump != "N":
        named = [" → ", int(state["declarer"]), " names ", Suit(trump)]
    return Facts(
        ["" if number == NO_AMOUNT else f"no. {number}", began(batch)],
        [
            _agreed(opening["settings"]),
            tricks.dealt(state, opening),
            tricks.bidding(state, NO_BID, _spoken) + named,
            *tricks.played(state),
        ],
    )


def _agreed(settings: dict[str, Any]) -> Sentence:
    game = f"game at {GAME_POINTS}"
    if settings["no_trump_bid_out"] != GAME_POINTS:
        game += f", at {settings['no_trump_bid_out']} once no trump was bid"
    passing = "two cards passed" if settings["pass_cards"] else "no passing"
    lost = [f"lost at {kaiser.OUT_POINTS}"] if settings["game_over_at_minus_52"] else []
    return quiet(f"bids from {settings['min_bid']}", passing, game, *lost)


def _spoken(rank: int) -> Sentence:
    bid = f"{rank >> 1}{' no trump' if rank & 1 else ''}"
    return ["pass" if rank == PASSED else Marked([bid], "strong")]


def _result(state: Any) -> list[Sentence]:
    declarer, points = int(state["declarer"]), state["points"]
    team, bid = declarer & 1, int(state["bids"][declarer])
    did = filled(_("bid %(bid)s and took %(points)s"), bid=bid_text(bid), points=str(points[team]))
    others = filled(_("took %(points)s"), points=str(points[1 - team]))
    return tricks.result(state, did, tricks.made(points[team] >= bid >> 1), others)


DESCRIBER: Final = Describer(_about, _step, _facts, _result)
