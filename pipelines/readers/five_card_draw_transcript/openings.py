"""The openings of five-card draw hands, and the contexts needed to read a hand by itself."""

import json
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cardlog.pipelines.readers.five_card_draw_transcript.lines import NONE
from cardlog.pipelines.readers.five_card_draw_transcript.state import PARSER, UNRESOLVED

_NOT_KNOWN: Final = -2
"""Stands for the seat of a human who has not been asked anything yet."""


_IN_OPENINGS: Final = (
    "seats", "name_from", "human_from", "human", "piped", "shuffled", "dealer", "ante", "chips",
)  # fmt: skip
"""Fields of `HAND` that every opening needs, as lists for speed."""


class Openings:
    """The openings and contexts of the hands of a text.

    buffer
        As in `lines.Text`.
    hands
        `HAND`, shape (hands,).
    settings
        Of each match's mark.
    """

    def __init__(self, buffer: bytes, hands: NDArray[np.void], settings: list[dict[str, str]]) -> None:
        self._buffer = buffer
        self._settings = settings
        self._hands = hands
        self._column = {name: hands[name].tolist() for name in _IN_OPENINGS}
        self._names: dict[Any, tuple[list[str], str | None]] = {}
        self._players: dict[Any, str] = {}
        self._quoted: dict[str, str] = {}

    def detail(self, hand: int) -> str:
        """The detail of a hand's first event, as `cardlog.models.five_card_draw.rules.opening` makes it."""
        column = self._column
        names, _ = self._names_of(hand)
        chips = column["chips"][hand][: len(names)]
        human = column["human"][hand]
        if human == NONE and column["piped"][hand]:
            human = _NOT_KNOWN
        dialect = "original" if column["shuffled"][hand] else "original_unshuffled"
        return (
            f'{{"dealer":{column["dealer"][hand]},"match":{{"score":[{",".join(map(str, chips))}]}},'
            f'"players":{self._players_of(names, human, tuple(map(bool, chips)))},'
            f'"settings":{{"ante":{column["ante"][hand]},"dialect":"{dialect}"}}}}'
        )

    def context(self, hand: int) -> dict[str, Any]:
        """What `resume` needs, besides the match and the hand's number in it."""
        column = self._column
        names, human = self._names_of(hand)
        settings = dict(self._settings[self._hands["match"][hand]])
        for name, value in (("chips", self._hands["given"][hand]), ("ante", column["ante"][hand])):
            if value != NONE:
                settings[name] = str(value)
        chips = column["chips"][hand][: len(names)]
        known = {"settings": settings, "names": names, "human": human, "chips": chips}
        return known | {"piped": True} if column["piped"][hand] else known

    def _names_of(self, hand: int) -> tuple[list[str], str | None]:
        """The names of the players by seat, and the human's."""
        column = self._column
        seats, first = column["seats"][hand], column["name_from"][hand]
        human_first = column["human_from"][hand]
        key = (seats, *first, human_first)  # their starts determine their ends
        found = self._names.get(key)
        if found is None:
            names = [*map(self._name_at, first[:seats], self._hands["name_to"][hand][:seats])]
            human = self._name_at(human_first, self._hands["human_to"][hand])
            found = self._names[key] = (names, human or None)
        return found

    def _name_at(self, start: int, end: int) -> str:
        """A name in the buffer; bytes that are not UTF-8 as surrogates."""
        return self._buffer[start:end].decode("utf-8", "surrogateescape")

    def _players_of(self, names: list[str], human: int, present: tuple[bool, ...]) -> str:
        """The players of an opening as JSON."""
        key = id(names), human, present
        found = self._players.get(key)
        if found is None:
            players = [
                self._player(name, None if human == _NOT_KNOWN else seat == human) if here else "null"
                for seat, (name, here) in enumerate(zip(names, present, strict=True))
            ]
            found = self._players[key] = f"[{','.join(players)}]"
        return found

    def _player(self, name: str, is_human: bool | None) -> str:
        """A player as JSON."""
        found = self._quoted.get(name)
        if found is None:
            found = self._quoted[name] = json.dumps(_shown(name), ensure_ascii=False)
        if is_human is None:
            return f'{{"name":{found}}}'
        return f'{{"kind":"{"human" if is_human else "computer"}","name":{found}}}'


def _shown(name: str) -> str:
    """A name without surrogates, which tables can't store."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def new_parser() -> NDArray[np.void]:
    """The parser's state before the first line of a text, shape (1,)."""
    parser = np.zeros(1, PARSER)
    parser["total"] = NONE
    return parser


def resume(context: dict[str, Any], offset: int) -> tuple[NDArray[np.void], bytes]:
    """The parser's state before a hand with a context, shape (1,), and the names to put into the buffer at
    `offset`."""
    parser = new_parser()
    row = parser[0]
    names, chips = context["names"], context["chips"]
    row["hand_no"] = context["hand_no"]
    row["seats"] = len(names)
    row["trusted"] = 1
    row["human"] = UNRESOLVED
    row["piped"] = context.get("piped", False)
    row["before"][: len(chips)] = chips
    if names and NONE not in chips:
        row["total"] = sum(chips)
    written = [name.encode("utf-8", "surrogateescape") for name in (*names, context["human"] or "")]
    ends = offset + np.cumsum([len(name) for name in written])
    starts = ends - [len(name) for name in written]
    row["name_from"][: len(names)], row["human_from"] = starts[:-1], starts[-1]
    row["name_to"][: len(names)], row["human_to"] = ends[:-1], ends[-1]
    return parser, b"".join(written)
