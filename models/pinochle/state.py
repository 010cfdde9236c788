"""The state of a hand of Pinochle, and how a hand begins. [R3] is rule 3 of docs/rules/pinochle.md."""

from dataclasses import asdict
from typing import Any, Final

import numpy as np

from cardlog.models.engine import trick
from cardlog.models.engine.game import Records
from cardlog.models.engine.opening import checked_settings, rules_of, scores_of, to_json
from cardlog.models.engine.trick import SEATS
from cardlog.models.engine.visible import Visible
from cardlog.models.pinochle.cards import DECK
from cardlog.models.pinochle.dialects import FLAGS, RULES
from cardlog.schemas import cards, events
from cardlog.schemas.events import NO_AMOUNT

GAME: Final = "pinochle"
HAND_CARDS: Final = 12
TRICKS: Final = 12
LEAST_BID: Final = 20  # [R4] The bid that the dealer holds at first; a bid must be higher
MOST_BID: Final = 9999  # positive or negative; far more than a hand can score, so that sums fit 32 bits
MOST_MATCH_POINTS: Final = 10**8
MOST_SHOWN: Final = 14
"""The most cards of a meld: a double run, two nines that are not held, and the hand's two other cards."""

NO_BID: Final = NO_AMOUNT
PASSED: Final = 0

# Phases of a hand, in order.
OPENING, DEALING, BIDDING, NAMING, MELDING, PLAYING, DONE = range(7)

MOST_CARDS: Final = MOST_SHOWN
EVENT: Final = events.record_dtype(MOST_CARDS)
STATE: Final = events.compiled_dtype(
    [
        *trick.fields(HAND_CARDS),
        *((flag, np.int8) for flag in FLAGS),
        ("bid_count", np.int8),
        ("bids", np.int32, (SEATS,)),  # each seat's bid, NO_BID if it was not asked
        ("high_bid", np.int32),  # the highest bid so far, the declarer's; at first LEAST_BID, the dealer's
        ("thrown_in", np.int8),
        ("trump_before", np.int8),  # of the hand before, NO_SUIT if there was none
        ("melded", np.int8),  # seats that have shown their meld, one bit each
        ("meld_points", np.int16, (SEATS,)),
        ("meld_firsts", np.int64, (SEATS,)),  # the cards shown, as two masks
        ("meld_seconds", np.int64, (SEATS,)),
        ("bests", np.uint8, (TRICKS,)),  # the cards that took the tricks
        ("took", np.int8, (2,)),  # tricks taken so far, by team
        ("score", np.int32, (2,)),  # of the hand, once done
        ("before", np.int32, (2,)),  # match score before the hand, if reported
        ("after", np.int32, (2,)),  # match score after it, computed or reported
        ("in_match", np.int8),  # 1 if `before` is known
        ("reported", np.int8),  # teams whose score after the hand is known, one bit each, once done
        ("firsts", np.int64, (SEATS,)),  # known cards held now, as two masks
        ("seconds", np.int64, (SEATS,)),
        ("unknown", np.int8, (SEATS,)),  # number of unknown cards held now
        ("seen_firsts", np.int64),  # cards known of all hands as dealt, as two masks
        ("seen_seconds", np.int64),
    ]
)


def _amend(shown: Any, state: Any, seat: int) -> None:
    """The other hands are shown as a number of unknown cards."""
    for other in range(SEATS):
        if other != seat:
            known = int(state["firsts"][other]).bit_count() + int(state["seconds"][other]).bit_count()
            shown["unknown"][other] = state["unknown"][other] + known


VISIBLE: Final = Visible(
    public=(
        *trick.PUBLIC, *FLAGS, "bid_count", "bids", "high_bid", "thrown_in", "trump_before", "melded",
        "meld_points", "meld_firsts", "meld_seconds", "bests", "took", "score", "before", "after", "in_match",
        "reported",
    ),
    own={"firsts": 0, "seconds": 0, "unknown": 0, "dealt_cards": cards.UNKNOWN},
    secret={"seen_firsts": DECK, "seen_seconds": DECK},
    amend=_amend,
)  # fmt: skip


# ---------------------------------------------------------------- openings


def opening(
    dialect: str, dealer: int, players: list[dict[str, str]], match: dict[str, Any] | None = None
) -> str:
    """The `detail` of a hand's first event, as canonical JSON; `begin` describes `match`."""
    detail: dict[str, Any] = {"dealer": dealer, "players": players, "settings": {"dialect": dialect}}
    if match is not None:
        detail["match"] = match
    return to_json(detail, ascii_only=True)


def begin(detail: dict[str, Any]) -> Records:
    """The state before the first event, shape (1,). `match`, if given, may hold ``score``, of both teams
    before the hand; ``trump``, of the hand before or null; and ``hands_played``. Raises ValueError if the
    opening makes no sense."""
    rules = rules_of(checked_settings(detail, {"dialect": str}), RULES)
    state = trick.new_state(STATE, detail)
    for flag, value in asdict(rules).items():
        state[flag] = value
    state["declarer"] = state["dealer"]
    state["high_bid"] = LEAST_BID
    state["bids"] = NO_BID
    state["trump_before"] = cards.NO_SUIT
    match = detail.get("match")
    if match is not None:
        _begin_match(state, match)
    return state


def _begin_match(state: Records, match: Any) -> None:
    """Fill in what is known of the match before the hand."""
    if not isinstance(match, dict):
        raise ValueError("match must be an object")
    trump = match.get("trump")
    if trump is not None:
        if not isinstance(trump, str) or trump not in tuple(cards.SUITS):
            raise ValueError(f"match.trump is {trump!r}; it must be one of C D H S, or null")
        state["trump_before"] = cards.SUITS.index(trump)
    hands_played = match.get("hands_played", 0)
    if type(hands_played) is not int or hands_played < 0:
        raise ValueError(f"match.hands_played is {hands_played!r}; it must be a number from 0")
    if match.get("score") is not None:
        state["before"] = scores_of(match, -MOST_MATCH_POINTS, MOST_MATCH_POINTS)
        state["in_match"] = 1
