"""The state of a hand of Ruter Sju, the rules of each dialect, and how a hand begins. [R3] is rule 3 of
docs/rules/ruter_sju.md."""

from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np

from cardlog.models.engine.dealing import BOOK
from cardlog.models.engine.game import Records
from cardlog.models.engine.opening import checked_settings, players_of, rules_of, to_json
from cardlog.models.engine.visible import Visible
from cardlog.schemas import cards, events
from cardlog.schemas.events import NO_SEAT

GAME: Final = "ruter_sju"
SEATS: Final = 6  # [R1] The most players; at least `FEWEST_SEATS`
FEWEST_SEATS: Final = 3
SUITS: Final = 6  # [R2] The most suits a deck has
RANKS: Final = 15
"""[R2] The most cards a suit has; it has at least `FEWEST_RANKS`, or the middle card would be an end."""
FEWEST_RANKS: Final = 3
DECK_CARDS: Final = SUITS * RANKS
SUIT_LETTERS: Final = "DSHC45"
"""[R2] The suits in the order of the game: diamonds first, because their middle card begins."""
RANK_LETTERS: Final = "A23456789TJQKEF"  # [R2] A suit's cards from the lowest, the ace, which is number 1

ORIGINAL: Final = "original"  # the dialect of the program that wrote the transcripts


@dataclass(frozen=True)
class Rules:
    """The points on which dialects differ; the defaults are the rule book's."""

    # [R10] A human seat may place any card it holds, take the block at any time, go on after any end card,
    # and pass
    humans_unchecked: bool = False
    computers_go_on: bool = False  # [R7] A computer that may place another card after an end card always does
    starter_is_asked: bool = False  # [R5] Unless a computer holds the first middle card, any seat may begin
    computers_wait: bool = False  # [R8] Until that card is placed, a computer that does not hold it passes
    sole_card_keeps_in: bool = False  # [R1] A computer with that card alone is not out after placing it


RULES: Final = {
    BOOK: Rules(),
    ORIGINAL: Rules(
        humans_unchecked=True,
        computers_go_on=True,
        starter_is_asked=True,
        computers_wait=True,
        sole_card_keeps_in=True,
    ),
}
"""The rules of each dialect."""
BOTS: Final = ("smart", "dumb", "random")  # [R11] The kinds of computer players of the author's program
BUILT_IN: Final = (*BOTS, "expert", "search", "network")
"""The kinds that an opening may name: those and cardlog's own, which may have a number: `search-5`."""


def _codec() -> tuple[Any, Any, Any]:
    """The code of each card, and the suit and the number of each code; -1 and 0 where there is no card."""
    card_of = np.zeros((SUITS, RANKS + 1), np.uint8)
    suit_of = np.full(256, -1, np.int8)
    number_of = np.zeros(256, np.int8)
    for suit, letter in enumerate(SUIT_LETTERS):
        for number, rank in enumerate(RANK_LETTERS, 1):
            code = cards.code(rank + letter)
            card_of[suit, number] = code
            suit_of[code] = suit
            number_of[code] = number
    return card_of, suit_of, number_of


CARD_OF, SUIT_OF, NUMBER_OF = _codec()
"""The code of the card of each suit and number: shape (6, 16), column 0 unused; the suit of each code, -1 for
none, and its number: shape (256,)."""

# Phases of a hand, in order.
OPENING, DEALING, PLAYING, DONE = range(4)
NO_CARD: Final = 0  # a card number that stands for no card

MOST_CARDS: Final = DECK_CARDS // FEWEST_SEATS
EVENT: Final = events.record_dtype(MOST_CARDS)
STATE: Final = events.compiled_dtype(
    [
        ("done", np.int8),  # 1 once all are out
        ("phase", np.int8),
        ("turn", np.int8),  # the seat to act, if any
        ("tricks", np.int8),  # always 0: there are none
        ("seats", np.int8),
        ("suits", np.int8),
        ("ranks", np.int8),  # cards of a suit
        ("centre", np.int8),  # number of the middle card
        ("humans", np.int8),  # seats that a human plays, one bit each
        *((rule, np.int8) for rule in Rules.__annotations__),
        ("dealt", np.int8),  # seats that have cards, one bit each
        ("hidden", np.int8),  # seats whose cards are unknown, one bit each
        ("any_start", np.int8),  # seats that may be the first to act instead of `turn`, one bit each
        ("again", np.int8),  # 1 while the seat in turn may place another card after an end card
        ("holder", np.int8),  # seat that holds the block, NO_SEAT if none does
        ("out", np.int8),  # seats that are out
        ("plays", np.int8),  # cards placed
        ("places", np.int8, (SEATS,)),  # finishing place from 1, 0 while in
        ("left", np.int8, (SEATS,)),  # cards in hand
        ("counts", np.int8, (SEATS,)),  # cards dealt
        ("blocks", np.int8, (SEATS,)),  # times the block was taken, at most 127
        ("under", np.int8, (SUITS,)),  # number last placed below the middle, NO_CARD if none
        ("over", np.int8, (SUITS,)),  # number last placed above it
        ("placed", np.int16, (SUITS,)),  # cards on the table: bit n - 1 for number n
        ("lacks", np.int16, (SEATS, SUITS)),  # cards that it has shown not to hold, as such masks
        ("hands", np.int16, (SEATS, SUITS)),  # cards held, as such masks; 0 for hidden hands
        ("pool", np.int16, (SUITS,)),  # cards that the hidden hands hold together
        ("played", np.uint8, (DECK_CARDS,)),  # card codes in the order they were placed
        ("players", np.int8, (DECK_CARDS,)),  # seats that placed them
        ("dealt_cards", np.uint8, (SEATS, MOST_CARDS)),  # as dealt, `cards.UNKNOWN` if hidden
    ]
)


def _amend(shown: Any, state: Any, seat: int) -> None:
    """The other hands are hidden."""
    shown["hidden"] = sum(1 << other for other in range(int(state["seats"])) if other != seat)


VISIBLE: Final = Visible(
    public=(
        "done", "phase", "turn", "tricks", "seats", "suits", "ranks", "centre", "humans",
        *Rules.__annotations__, "dealt", "any_start", "again", "holder", "out", "plays", "places", "left",
        "counts", "blocks", "under", "over", "placed", "lacks", "played", "players",
    ),
    own={"hands": 0, "dealt_cards": cards.UNKNOWN},
    secret={"hidden": 0, "pool": 0},
    amend=_amend,
)  # fmt: skip


@dataclass(frozen=True)
class Settings:
    """The settings of a hand."""

    dialect: str = BOOK  # a name in `RULES`
    # [R2] The shape of the deck
    suits: int = 4
    cards_per_suit: int = 13


def opening(settings: Settings, players: list[dict[str, str]]) -> str:
    """The `detail` of a hand's first event, as canonical JSON; players have name, kind and bot."""
    detail = {"dealer": None, "players": players, "settings": asdict(settings)}
    return to_json(detail, ascii_only=True)


def begin(detail: dict[str, Any]) -> Records:
    """The state before the first event, shape (1,). Raises ValueError if the opening makes no sense."""
    ranges = {"suits": (1, SUITS), "cards_per_suit": (FEWEST_RANKS, RANKS)}
    values = checked_settings(detail, Settings.__annotations__, ranges=ranges)
    rules = rules_of(values, RULES)
    settings = Settings(**values)
    players = players_of(detail, FEWEST_SEATS, SEATS)
    if settings.suits * settings.cards_per_suit < len(players):
        raise ValueError("the deck has fewer cards than there are players")
    state = np.zeros(1, STATE)
    for seat, player in enumerate(players):
        bot = player.get("bot")
        if bot is not None and bot.partition("-")[0] not in BUILT_IN:
            raise ValueError(f"the bot at seat {seat} is {bot!r}; it must be one of: {', '.join(BUILT_IN)}")
        if player.get("kind") == "human":
            state["humans"] |= 1 << seat
    for flag, value in asdict(rules).items():
        state[flag] = value
    state["seats"] = len(players)
    state["suits"] = settings.suits
    state["ranks"] = settings.cards_per_suit
    state["centre"] = middle(settings.cards_per_suit)
    state["holder"] = NO_SEAT
    return state


def pack_of(state: Any) -> str:
    """[R2] The cards of a hand's deck."""
    return "".join(
        rank + suit for suit in SUIT_LETTERS[: state["suits"]] for rank in RANK_LETTERS[: state["ranks"]]
    )


def middle(ranks: int) -> int:
    """[R3] The number of a suit's middle card: 7 of 13, 5 of 10."""
    return (ranks + 1) // 2
