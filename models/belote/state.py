"""The state of a hand of belote, the rules of each dialect, and how a hand begins. [R3] is rule 3 of
docs/rules/belote.md."""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from cardlog.models.belote.score import MOST_DECLARATIONS
from cardlog.models.engine import trick
from cardlog.models.engine.game import Records
from cardlog.models.engine.opening import checked_settings, rules_of, scores_of, to_json
from cardlog.models.engine.trick import SEATS
from cardlog.models.engine.visible import Visible
from cardlog.schemas import cards, events

GAME: Final = "belote"
HAND_CARDS: Final = 8
SEEN_IN_BIDDING: Final = 6  # [R3] Cards that a seat sees before it bids: the first that it was dealt
DECK_TEXT: Final = "".join(rank + suit for suit in cards.SUITS for rank in "789TJQKA")
"""[R1] The pack. The order is the order of actions in training rows."""
DECK: Final = np.int64(cards.mask(DECK_TEXT))
KARO: Final = cards.SUITS.index("D")
GAME_POINTS: Final = 1001  # [R16] What wins a match
MOST_MATCH_POINTS: Final = 10_000  # far more than a match can reach

NOT_SPOKEN: Final = -1
PASSED: Final = 0  # a pass among the bids; naming suit s is s + 1
NOBODY: Final = -1

# Phases of a hand, in order. Declarations are shown before the first card.
OPENING, DEALING, BIDDING, PLAYING, DONE = range(5)


@dataclass(frozen=True)
class Rules:
    """The points on which dialects of the game differ; the defaults are the rule book's."""

    karo_led_frees_everyone: bool = False  # [R6] When a diamond is led, any card may be played
    beat_in_every_suit: bool = False  # [R5] The suit led must be beaten if possible, in plain suits too
    ace_ends_runs: bool = True  # [R7] A run may end in the ace; if not, the ace counts in no run
    eight_is_belot: bool = True  # [R7] Eight cards of a suit are worth 1001 rather than 100
    by_value_only: bool = False  # [R8] Declarations are compared by value alone
    ties_to_dealer: bool = False  # [R8] Among equal ones those of the dealer's side count
    # [R8] All that count are shown automatically; if not, a player may keep his to himself
    all_are_shown: bool = False


PROGRAM: Final = Rules(
    karo_led_frees_everyone=True,
    beat_in_every_suit=True,
    ace_ends_runs=False,
    eight_is_belot=False,
    by_value_only=True,
    ties_to_dealer=True,
    all_are_shown=True,
)
"""The rules of the engine that all three programs share."""
RULES: Final = {"book": Rules(), "cesmak": PROGRAM, "bornabesic": PROGRAM, "readme": PROGRAM}
"""The rules of each dialect."""

MOST_CARDS: Final = HAND_CARDS
EVENT: Final = events.record_dtype(MOST_CARDS)
STATE: Final = events.compiled_dtype(
    [
        *trick.fields(HAND_CARDS, np.int16),
        *((rule, np.int8) for rule in Rules.__annotations__),
        ("ordered", np.int8),  # seats whose cards are in the order of the deal, one bit each
        ("hidden", np.int8, (SEATS,)),  # unknown cards in each hand
        ("bids", np.int8, (SEATS,)),
        ("found_count", np.int8, (SEATS,)),
        ("found_value", np.int16, (SEATS, MOST_DECLARATIONS)),
        ("found", np.int64, (SEATS, MOST_DECLARATIONS)),  # what each hand holds, as masks
        ("shown_count", np.int8, (SEATS,)),
        ("shown", np.int64, (SEATS, MOST_DECLARATIONS)),  # what of it was shown
        ("declaring", np.int8),  # the team that shows declarations, NOBODY
        ("claiming", np.int8),  # 1 between a claim of bela and the card that goes with it
        ("bela", np.int8),  # the seat that claimed it, NOBODY
        ("bela_seat", np.int8),  # the seat that could claim it, once it plays the first card; NOBODY
        ("bela_play", np.int8),  # index of that card in `played`
        ("tricks_won", np.int8, (2,)),  # by team
        ("declared", np.int16, (2,)),  # points of what was shown
        ("bela_points", np.int16, (2,)),
        ("hand_value", np.int16),  # all there is to take, once done
        ("needed", np.int16),  # what the bidders need of it, once done
        ("failed", np.int8),
        ("score", np.int16, (2,)),  # what the hand brings each team, once done
        ("before", np.int16, (2,)),  # match score before the hand, if reported
        ("in_match", np.int8),  # 1 if it was
        ("hands", np.int64, (SEATS,)),  # known cards held now, as masks
        ("seen", np.int64),  # known cards dealt so far, as a mask
    ]
)


def _amend(shown: Any, state: Any, seat: int) -> None:
    """[R3] During the bidding a seat has seen only its first six cards."""
    if seat >= 0 and state["phase"] <= BIDDING and int(state["dealt"]) >> seat & 1:
        dealt = shown["dealt_cards"][seat]
        dealt[SEEN_IN_BIDDING:] = cards.UNKNOWN
        known = dealt[dealt != cards.UNKNOWN].tolist()
        shown["hands"][seat], shown["hidden"][seat] = (
            sum(1 << card for card in known),
            HAND_CARDS - len(known),
        )


VISIBLE: Final = Visible(
    public=(
        *trick.PUBLIC, *Rules.__annotations__, "ordered", "bids", "shown_count", "shown", "declaring",
        "claiming", "bela", "tricks_won", "declared", "bela_points", "hand_value", "needed", "failed",
        "score", "before", "in_match",
    ),
    own={"hands": 0, "hidden": 0, "dealt_cards": cards.UNKNOWN},
    secret={
        "found_count": 0, "found_value": 0, "found": 0, "bela_seat": NOBODY, "bela_play": 0, "seen": DECK,
    },
    amend=_amend,
)  # fmt: skip


def opening(
    dialect: str,
    dealer: int,
    *,
    players: list[dict[str, str]] | None = None,
    score: list[int] | None = None,
    dealt_order: list[bool] | None = None,
) -> str:
    """The `detail` of a hand's first event, as canonical JSON. `score` is the match's before the hand, if
    known; `dealt_order` says of each seat whether its cards are in the order of the deal."""
    settings: dict[str, Any] = {"dialect": dialect}
    if dealt_order is not None and not all(dealt_order):
        settings["dealt_order"] = dealt_order
    detail: dict[str, Any] = {"dealer": dealer, "players": players or [{}] * SEATS, "settings": settings}
    if score is not None:
        detail["match"] = {"score": score}
    return to_json(detail)


def begin(detail: dict[str, Any]) -> Records:
    """The state before the first event, shape (1,). Raises ValueError if the opening makes no sense."""
    settings = checked_settings(detail, {"dialect": str}, {"dealt_order": list})
    rules = rules_of(settings, RULES)
    ordered = settings.get("dealt_order", [True] * SEATS)
    if [type(flag) for flag in ordered] != [bool] * SEATS:
        raise ValueError("setting dealt_order must be true or false for each of four seats")
    state = trick.new_state(STATE, detail)
    for flag, value in vars(rules).items():
        state[flag] = value
    state["ordered"] = sum(1 << seat for seat in range(SEATS) if ordered[seat])
    state["bids"] = NOT_SPOKEN
    for field in ("declaring", "bela", "bela_seat"):
        state[field] = NOBODY
    if "match" in detail:
        state["before"] = scores_of(detail["match"], 0, MOST_MATCH_POINTS)
        state["in_match"] = 1
    return state
