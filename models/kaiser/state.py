"""The state of a hand of Kaiser, its settings, and how it begins. [R3] is rule 3 of docs/rules/kaiser.md."""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from cardlog.models.engine import trick
from cardlog.models.engine.game import Records
from cardlog.models.engine.opening import checked_settings, scores_of, to_json
from cardlog.models.engine.trick import SEATS
from cardlog.models.engine.visible import Visible
from cardlog.schemas import cards, events

GAME: Final = "kaiser"
HAND_CARDS: Final = 8
TRICKS: Final = 8
DECK_TEXT: Final = (
    "7C8C9CTCJCQCKCAC" "7D8D9DTDJDQDKDAD" "5H8H9HTHJHQHKHAH" "3S8S9STSJSQSKSAS"
)  # fmt: skip
"""[R1] The pack: 8 to ace of each suit, the sevens of clubs and diamonds, the five of hearts and
the three of spades. The order is the order of actions in training rows."""
DECK: Final = np.int64(cards.mask(DECK_TEXT))

HIGHEST_BID: Final = 12
"""[R5] The most points a side can take: seven tricks and the five, with the three in the eighth."""
LOWEST_BID: Final = 5  # [R5] The lowest minimum bid in use
GAME_POINTS: Final = 52
MOST_MATCH_POINTS: Final = 10_000
"""Positive or negative; far more than a match can reach, so that sums fit into 16 bits."""

CAPPED: Final = "hand_scores_capped"
"""[R14] The setting of sources that report hand scores as they count in the match: defenders who can't
score report none above zero. Without it they are those of [R12] and [R13]."""

PASSED: Final = 0  # rank of a pass among the bids; a bid of n ranks 2n, of n without trump 2n + 1. [R6]
NO_BID: Final = -1

# Phases of a hand, in order.
OPENING, DEALING, PASSING, BIDDING, NAMING, PLAYING, DONE = range(7)

MOST_CARDS: Final = HAND_CARDS
EVENT: Final = events.record_dtype(MOST_CARDS)
STATE: Final = events.compiled_dtype(
    [
        *trick.fields(HAND_CARDS),
        ("min_bid", np.int8),
        ("pass_cards", np.int8),
        ("gave", np.int8),  # seats that have passed cards, one bit each
        ("bids", np.int8, (SEATS,)),  # rank of each seat's bid, NO_BID before
        ("bid_count", np.int8),
        ("passed_cards", np.uint8, (SEATS, 2)),
        ("score", np.int16, (2,)),  # what the contract makes of the points, once done
        ("before", np.int16, (2,)),  # match score before the hand, if reported
        ("no_trump_before", np.int8),  # whether the match had a no-trump contract before this hand
        ("no_trump_out", np.int8),
        ("in_match", np.int8),  # 1 if `before` and `no_trump_before` are known
        ("hand_scores_capped", np.int8),  # [R14] whether the source caps the scores of hands too
        ("hands", np.int64, (SEATS,)),  # cards held now, as masks; the pass moves cards in `dealt_cards`, too
        ("seen", np.int64),  # cards dealt so far, as a mask
    ]
)
VISIBLE: Final = Visible(
    public=(
        *trick.PUBLIC, "min_bid", "pass_cards", "gave", "bids", "bid_count", "score", "before",
        "no_trump_before", "no_trump_out", "in_match", "hand_scores_capped",
    ),
    own={"hands": 0, "dealt_cards": cards.UNKNOWN, "passed_cards": cards.UNKNOWN},
    secret={"seen": DECK},
)  # fmt: skip


@dataclass(frozen=True)
class Settings:
    """The settings of a table; the four `setting_` columns of `playedhand_csv`."""

    min_bid: int = 7  # [R5] Lowest bid
    pass_cards: bool = False  # [R3] Whether partners exchange two cards before the bidding
    # [R15] Points that win the match once a hand of it was played without trump: 52 or 62
    no_trump_bid_out: int = GAME_POINTS
    game_over_at_minus_52: bool = True  # [R16] Whether -52 points lose the match


def opening(
    settings: Settings, dealer: int, computers: list[bool | None], extra: dict[str, Any] | None = None
) -> str:
    """The `detail` of a hand's first event, as canonical JSON."""
    detail: dict[str, Any] = {
        "dealer": dealer,
        "players": [{} if ai is None else {"kind": "computer" if ai else "human"} for ai in computers],
        "settings": vars(settings),
    }
    return to_json(detail | (extra or {}))


def settings_of(detail: dict[str, Any]) -> Settings:
    """The settings in an opening's detail. Raises ValueError if they are not valid."""
    values = checked_settings(detail, Settings.__annotations__, {CAPPED: bool}, {"min_bid": (1, HIGHEST_BID)})
    settings = Settings(**{name: values[name] for name in Settings.__annotations__})
    if settings.no_trump_bid_out not in (52, 62):
        raise ValueError(f"setting no_trump_bid_out is {settings.no_trump_bid_out}; it must be 52 or 62")
    return settings


def begin(detail: dict[str, Any]) -> Records:
    """The state before the first event, shape (1,). Raises ValueError if the opening makes no sense."""
    settings = settings_of(detail)
    state = trick.new_state(STATE, detail)
    state["min_bid"] = settings.min_bid
    state["pass_cards"] = settings.pass_cards
    state["no_trump_out"] = settings.no_trump_bid_out
    state["hand_scores_capped"] = detail["settings"].get(CAPPED, False)
    state["bids"] = NO_BID
    match = detail.get("match")
    if match is not None:
        state["before"] = scores_of(match, -MOST_MATCH_POINTS, MOST_MATCH_POINTS)
        if not isinstance(match.get("no_trump"), bool):
            raise ValueError("match must hold no_trump, true or false")
        state["no_trump_before"] = match["no_trump"]
        state["in_match"] = 1
    elif state["hand_scores_capped"]:
        raise ValueError(f"setting {CAPPED} needs the match score before the hand, which is missing")
    return state
