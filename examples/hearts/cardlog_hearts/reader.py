"""The log of hearts: matches of several hands, as `tests/games_sample.txt`."""

import re
from collections.abc import Iterator
from typing import Any, Final

from cardlog import plugin
from cardlog.plugin import Action, Fault, Reason, alone, cards, require

from .rules import GAME, PACK, PASSES, SEATS

FORMAT: Final = "hearts-log"
GAMES: Final = (GAME,)
SUMMARY: Final = "Hearts as a small text log, match by match"
LINE_PER_HAND: Final = False
SPLIT_AT: Final = b"match "
_HEADER: Final = re.compile(r"match (\S+)  N='(.*)' E='(.*)' S='(.*)' W='(.*)'  rules: (.*)")
_HAND: Final = re.compile(rf"hand (\d{{1,6}}) pass ({'|'.join(PASSES)})")
_PACK: Final = {*cards.in_mask(PACK)}
_LINES: Final = plugin.LineTable()


def sniff(head: bytes) -> bool:
    """See `Reader`."""
    return head.startswith(SPLIT_AT) and b"  rules: " in head.split(b"\n", 1)[0]


def _cards(text: bytes) -> bytes:
    words = text.decode("ascii", "replace").split()
    require(_PACK.issuperset(words), Reason.UNKNOWN_CARD, "names a card that is not in the pack")
    return bytes(map(cards.code, words))


def _numbers(text: bytes) -> list[int]:
    return [int(word) for word in text.split()[1::2]]


class _Hand(plugin.Hand):
    """A hand, and the parser of its lines."""

    def read(self, index: int, line: bytes) -> None:
        """Handle a line; the first fault stays."""
        self.last = self.index = index
        try:
            known = self.fault or _LINES.handle(self, line)
            require(bool(known), Reason.UNPARSABLE, "is no line of a hand of hearts")
        except Fault as fault:
            self.fault, fault.line = fault, index

    @_LINES.line(rb"(?P<seat>[NESW])(?P<verb>:| passes| leads:) (?P<shown>.*)", seat=b"NESW".index)
    def shows(self, seat: int, verb: bytes, shown: bytes) -> None:
        if verb == b":":
            self.add(Action.DEAL_HAND, seat, _cards(shown))
            return
        action, step = (Action.DEAL_PASS, 0) if verb == b" passes" else (Action.PLAY_CARD, 1)
        for index, card in enumerate(_cards(shown)):
            self.add(action, (seat + step * index) % SEATS, bytes([card]))

    @_LINES.line(rb"(?P<what>points|total)(?P<amounts>(?: [NESW] -?\d{1,4}){4})", amounts=_numbers)
    def scored(self, what: bytes, amounts: list[int]) -> None:
        action = Action.SCORE_HAND if what == b"points" else Action.SCORE_MATCH
        self.context[what.decode()] = amounts
        for seat, amount in enumerate(amounts):
            self.add(action, seat, amount=amount)
        for seat, amount in enumerate(amounts if what == b"total" else []):
            self.add(Action.SCORE_PLACE, seat, amount=1 + sum(other < amount for other in amounts))


@plugin.transcript(GAME, FORMAT)
def read(text: plugin.Text) -> Iterator[plugin.Hand]:
    """See `Reader`."""
    known: dict[str, Any] = text.sections[0].context  # of a single hand that is read again
    match, score = plugin.Match(known.get("match", ""), begins=bool(known)), known.get("score", [0] * SEATS)
    settings: dict[str, Any] = known.get("settings", {"rules": [], "players": [None] * SEATS})
    hand: _Hand | None = None
    for index, line in enumerate(text.lines):
        words = line.decode("utf-8", "replace")
        header, begins = _HEADER.fullmatch(words), _HAND.fullmatch(words)
        if hand and (header or begins):
            yield hand
            points = hand.context.get("points", [0] * SEATS)
            score, hand = [before + more for before, more in zip(score, points, strict=True)], None
        if header:
            name, *players, rules = header.groups()
            settings = {"rules": rules.replace("none", "").split(), "players": players}
            match, score = plugin.Match(name), [0] * SEATS
        elif begins:
            hand = _Hand(match, int(begins[1]), index, index, context={"settings": settings, "score": score})
            names = [{"name": name} if name else {} for name in settings["players"]]
            agreed = {"pass": begins[2], "rules": sorted(settings["rules"])}
            opening = alone.detail_of(agreed, names, score)
            hand.events.append(plugin.Event(Action.DEAL_OPEN, line=index, detail=opening))
        elif hand and words.strip():
            hand.read(index, line)
        elif words.strip():
            fault = Fault(Reason.UNPARSABLE, "is in no hand", index)
            yield plugin.Hand(None, 0, index, index, fault=fault, is_hand=False)
    if hand:
        hand.cut = "total" not in hand.context
        yield hand
