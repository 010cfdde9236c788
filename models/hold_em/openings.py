"""The states before many hands at once: hardly two hands begin with the same chips, so `begin` would be asked
for each of them."""

from functools import lru_cache
from itertools import chain
from typing import Any, Final, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from cardlog.models.engine.game import Records
from cardlog.models.hold_em.state import MOST_CHIPS, SEATS, STATE, begin
from cardlog.models.poker.chips import LEAST_SEATS

_BLANK: Final = np.zeros(1, STATE).tobytes()


class _Player(msgspec.Struct, gc=False):
    kind: Literal["human", "computer"] | None = None


class _Match(msgspec.Struct, gc=False):
    score: list[int]


class _Opening(msgspec.Struct):
    """What `begin` reads of an opening."""

    dealer: int
    match: _Match
    players: list[_Player | None]
    settings: msgspec.Raw
    boards: int = 1


_decode: Final = msgspec.json.Decoder(_Opening).decode


def begin_many(details: list[str]) -> tuple[Records, NDArray[np.bool_]]:
    """The states before hands, from the JSON of their openings, and which of these make sense: shape
    (hands,). `begin` says what is wrong with the others."""
    openings, known = [], np.zeros(len(details), np.bool_)
    for index, detail in enumerate(details):
        try:
            opening = _decode(detail)
        except (msgspec.MsgspecError, RecursionError, UnicodeError):
            continue
        seats = len(opening.players)
        if len(opening.match.score) == seats <= SEATS and 0 <= opening.dealer < seats:
            known[index] = True
            openings.append(opening)
    states = np.frombuffer(bytearray(_BLANK) * len(details), STATE)
    templates = bytearray().join([_template(bytes(opening.settings), opening.boards) for opening in openings])
    found = np.frombuffer(templates, STATE)
    scores = [opening.match.score for opening in openings]
    chips = _padded(list(chain.from_iterable(scores)), [*map(len, scores)])
    people = [player is not None for opening in openings for player in opening.players]
    seated = _padded(people, [*map(len, scores)]) > 0
    present = (seated << np.arange(SEATS)).sum(1)
    found["dealer"] = [opening.dealer for opening in openings]
    found["start"], found["stack"], found["present"], found["live"] = chips, chips, present, present
    is_sound = ((chips > 0) == seated).all(1) & (chips >= 0).all(1) & (chips.sum(1) <= MOST_CHIPS)
    is_sound &= (seated.sum(1) >= LEAST_SEATS) & (found["boards"] > 0)
    states[known] = found
    known[known] = is_sound
    return states, known


def _padded(values: list[Any], counts: list[int]) -> NDArray[np.int64]:
    """Values of each hand, one after the other, as rows of a table: shape (hands, seats)."""
    table = np.zeros((len(counts), SEATS), np.int64)
    table[np.arange(SEATS) < np.array(counts, np.int64)[:, None]] = values
    return table


@lru_cache(maxsize=2**10)
def _template(settings: bytes, boards: int) -> bytes:
    """The state before a hand with these settings, a blank one if they make no sense."""
    match = {"score": [1, 1]}
    detail = {"settings": msgspec.json.decode(settings), "dealer": 0, "players": [{}, {}], "match": match}
    try:
        return begin(detail | {"boards": boards}).tobytes()
    except ValueError:
        return _BLANK
