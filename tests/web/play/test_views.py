"""Nobody is sent what their seat should not see."""

import random
from contextlib import suppress
from itertools import accumulate, product

import numpy as np
import pytest

from cardlog import testing
from cardlog.models.engine.dealing import BOOK
from cardlog.models.engine.visible import EVERYONE, NOBODY
from cardlog.schemas.cards import UNKNOWN
from cardlog.schemas.events import Action
from cardlog.web.play import views
from cardlog.web.play.dealing import games_offered, rules_offered
from cardlog.web.play.event_json import lines_of
from cardlog.web.play.journal import Entry
from cardlog.web.play.views import Viewpoint
from tests.support.soak import long
from tests.support.tables import in_loop, play_hand, reopened, seated

SAME_ENGINE = ("bornabesic", "readme")
"""Rules of belote that are those of cesmak by another name."""
GAMES = [
    each
    for game in games_offered()
    for rules in rules_offered(game)
    if rules not in SAME_ENGINE
    for each in ([(game, rules)] if rules == BOOK else long((game, rules)))
]
HANDS = 2
MOMENTS = 2
"""Of a hand, at which it is compared for all seats, besides the first, when most is hidden."""
OPEN = ("DEAL_BOARD", "MELD_DECLARE", "PLAY_CARD", "SCORE_TRICK", "SCORE_SHOW")
"""Events whose cards all see, by the rules of these games."""


def entries_of(game: str, rules: str, rng: random.Random) -> list[list[Entry]]:
    """What the journal has of some hands, each as the entries from the table on."""

    def play() -> list[list[Entry]]:
        found = []
        room, viewer, paper = seated(game, rules=rules)
        for number in range(HANDS):
            if number:
                room.next()
            play_hand([viewer], rng)
            begun = [at for at, entry in enumerate(paper.entries) if "hand" in entry][-1]
            found.append([paper.entries[0], *(entry for entry in paper.entries[begun:] if "events" in entry)])
        return found

    return in_loop(play)


def cut(entries: list[Entry], size: int) -> list[Entry]:
    """The entries of a hand's first `size` events. Those of one entry are sent together."""
    first, begin, *_ = entries
    lines = [line for entry in entries[1:] for line in entry["events"]]
    return [first, begin | {"events": lines[:size]}]


def texts(entries: list[Entry], seat: int) -> list[str]:
    """All that a seat is sent while these events come, and the events, as far as it may see them."""

    def look() -> list[str]:
        room = reopened(entries)
        viewpoint = Viewpoint(room.audience, seat)
        viewpoint._observer = views.Observer(room.plan.game, room.hand, seat)  # sees all anew
        room.audience.due = None  # seconds left: on a busy machine they differ between two runs
        sent = viewpoint.news()
        return sent + [str(viewpoint.observer._masked(event)) for event in room.hand.events[: room.hand.size]]

    return in_loop(look)


def changed(entries: list[Entry], seat: int, rng: np.random.Generator) -> list[Entry] | None:
    """A hand that differs in nothing that the seat may know, if one is found; the rules judge it."""
    room = reopened(entries)
    events, found = room.hand.events[: room.hand.size], None
    shown = testing._shown(room.table.game, room.hand.state, seat)
    if room.plan.game == "belote" and Action.BID_TRUMP not in events["action"]:
        shown["dealt_cards"][:, 6:] = UNKNOWN
    for _ in range(6):
        other = testing._exchanged(events, seat, shown, rng)
        if other is None:
            break
        tried = [entries[0], entries[1] | {"events": lines_of(other, room.hand.details)}]
        with suppress(ValueError):
            if reopened(tried).table.turn == room.table.turn:  # a card may say who begins
                events, found = other, tried
    return found


@pytest.mark.parametrize(("game", "rules"), GAMES)
def test_a_seat_is_sent_the_same_bytes_whatever_the_hidden_cards_are(
    game: str, rules: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(f"{game} {rules}")
    monkeypatch.setattr(testing, "CARDS", {Action[name]: EVERYONE for name in OPEN})
    compared = 0
    for entries in entries_of(game, rules, rng):
        sizes = [*accumulate(len(entry["events"]) for entry in entries[1:])]
        moments = {sizes[0], *rng.sample(sizes, min(MOMENTS, len(sizes)))}
        for size, seat in product(moments, (NOBODY, 0, 1, 2, 3)):
            some = cut(entries, size)
            other = changed(some, seat, np.random.default_rng(size))
            if other is not None:
                assert texts(some, seat) == texts(other, seat), (size, seat)
                compared += 1
    assert compared >= HANDS * (MOMENTS + 1) * 5 // 2
