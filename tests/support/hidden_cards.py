"""States in which the cards that a seat has not seen are redealt."""

from typing import Any

import numpy as np

from cardlog.models.belote.legal import bela_cards
from cardlog.models.belote.state import BIDDING, DECK_TEXT
from cardlog.models.five_card_draw.state import DECK_TEXT as FIVE_CARD_DRAW_DECK
from cardlog.models.kaiser.state import DECK_TEXT as KAISER_DECK
from cardlog.models.pinochle.cards import DECK_CODES
from cardlog.models.ruter_sju import rules as ruter_sju
from cardlog.schemas import cards


def redealt(name: str, state: Any, seat: int, rng: np.random.Generator) -> tuple[Any, bool]:
    """A copy of a state with the cards that a seat can't know redealt, and whether any has moved.

    Hands keep their numbers of cards. What only who holds the cards could know is changed with them.
    """
    other = state.copy()
    moves = {
        "kaiser": _kaiser, "belote": _belote, "ruter_sju": _ruter_sju, "pinochle": _pinochle,
        "five_card_draw": _five_card_draw,
    }  # fmt: skip
    moves[name](other, seat, rng)
    return other, other.tobytes() != state.tobytes()


def _permuted(unknown: list[int], rng: np.random.Generator) -> dict[int, int]:
    """Map each unknown card to another."""
    return dict(zip(unknown, rng.permutation(unknown).tolist(), strict=True))


def _map_codes(codes: Any, to: dict[int, int]) -> None:
    codes[...] = np.vectorize(lambda code: to.get(int(code), int(code)), otypes=[codes.dtype])(codes)


def _map_masks(masks: Any, to: dict[int, int]) -> None:
    for index, mask in np.ndenumerate(masks):
        masks[index] = sum(1 << to.get(code, code) for code in range(61) if int(mask) >> code & 1)


def _played(state: Any) -> set[int]:
    return {int(card) for card in state["played"][: state["plays"]]}


def _kaiser(state: Any, me: int, rng: np.random.Generator) -> None:
    known = _played(state) | {int(card) for card in state["dealt_cards"][me]}
    if state["gave"] == 0b1111:
        known |= {int(card) for card in state["passed_cards"][me]}
    pack = cards.codes(KAISER_DECK)
    to = _permuted([code for code in pack if code not in known], rng)
    for field in ("dealt_cards", "passed_cards"):
        _map_codes(state[field], to)
    _map_masks(state["hands"], to)


def _belote(state: Any, me: int, rng: np.random.Generator) -> None:
    bidding = state["phase"] == BIDDING
    known = _played(state) | {int(card) for card in state["dealt_cards"][me][: 6 if bidding else 8]}
    shown = [int(mask) for seat in range(4) for mask in state["shown"][seat][: state["shown_count"][seat]]]
    if state["bela"] >= 0:
        shown.append(int(bela_cards(state)))
    known |= {code for code in range(61) for mask in shown if mask >> code & 1}
    to = _permuted([code for code in cards.codes(DECK_TEXT) if code not in known], rng)
    _map_codes(state["dealt_cards"], to)
    _map_masks(state["hands"], to)
    _map_masks(state["found"], to)
    state["found_value"] = rng.permutation(state["found_value"].ravel()).reshape(4, -1)
    state["found_count"] = 0
    state["bela_seat"] = rng.integers(-1, 4)


def _ruter_sju(state: Any, me: int, rng: np.random.Generator) -> None:
    known = _played(state) | {int(card) for card in state["dealt_cards"][me]}
    pack = ruter_sju.CARD_OF[: state["suits"], 1 : state["ranks"] + 1].ravel().tolist()
    to = _permuted([code for code in pack if code not in known], rng)
    _map_codes(state["dealt_cards"], to)
    gone = _played(state)
    state["hands"] = 0
    for seat in range(state["seats"]):
        for code in state["dealt_cards"][seat][: state["counts"][seat]].tolist():
            if code not in gone:
                state["hands"][seat, ruter_sju.SUIT_OF[code]] |= 1 << int(ruter_sju.NUMBER_OF[code]) - 1


def _pinochle(state: Any, me: int, rng: np.random.Generator) -> None:
    """Keep the cards that the other seats have shown, and rotate the rest."""
    held = [_copies(state["firsts"][seat], state["seconds"][seat]) for seat in range(4)]
    kept: list[list[int]] = [[] for _ in range(4)]
    for seat in range(4):
        shown = _copies(state["meld_firsts"][seat], state["meld_seconds"][seat])
        for number in range(state["plays"]):
            card = int(state["played"][number])
            if (state["leaders"][number >> 2] + number) & 3 == seat and card in shown:
                shown.remove(card)
        for card in list(held[seat]) if seat == me else shown:
            if card in held[seat]:
                held[seat].remove(card)
                kept[seat].append(card)
    pool = rng.permutation([card for hand in held for card in hand]).tolist()
    for seat in range(4):
        for _ in held[seat]:
            kept[seat].append(int(pool.pop()))
        counts = {code: kept[seat].count(code) for code in kept[seat]}
        state["firsts"][seat] = sum(1 << code for code in counts)
        state["seconds"][seat] = sum(1 << code for code, count in counts.items() if count > 1)
        if seat != me:
            state["dealt_cards"][seat] = rng.permutation(state["dealt_cards"][seat])


def _copies(firsts: Any, seconds: Any) -> list[int]:
    """The cards of two masks; a card in both appears twice."""
    return [int(code) for mask in (firsts, seconds) for code in DECK_CODES if int(mask) >> int(code) & 1]


def _five_card_draw(state: Any, me: int, rng: np.random.Generator) -> None:
    known = {int(card) for card in state["held_cards"][me]} | {int(card) for card in state["dealt_cards"][me]}
    to = _permuted([code for code in cards.codes(FIVE_CARD_DRAW_DECK) if code not in known], rng)
    for field in ("dealt_cards", "held_cards", "discards"):
        _map_codes(state[field], to)
    for field in ("rank", "dealt_rank"):
        for seat in range(6):
            if seat != me:
                state[field][seat] = rng.integers(1, 100)
    state["seen"] = 0
