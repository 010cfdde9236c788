"""Nobody is sent what their seat should not see."""

import json
import random
import re
from itertools import accumulate

import pytest

from cardlog.models.engine.dealing import BOOK
from cardlog.models.engine.visible import NOBODY
from cardlog.web.play import views
from cardlog.web.play.dealing import games_offered, rules_offered
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
MOMENTS = 8
"""Of a hand, at which it is compared."""
DEALT = ("hand", "draw")
"""Events that deal cards."""


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
    """All that a seat is sent while these events come."""

    def look() -> list[str]:
        room = reopened(entries)
        viewpoint = Viewpoint(room.audience, seat)
        viewpoint._observer = views.Observer(room.plan.game, room.hand, seat)  # sees all anew
        room.audience.due = None  # seconds left: on a busy machine they differ between two runs
        return viewpoint.news()

    return in_loop(look)


def positions(entries: list[Entry], seat: int) -> list[tuple[int, int]]:
    """Where cards are dealt that a seat may not see: index of the event and of the card in it."""
    found, lines = [], entries[1]["events"]
    bidding = all(line["action"] != "trump" for line in lines)
    for index, line in enumerate(lines):
        if line["kind"] == "deal" and line["action"] in DEALT:
            first = 0
            if line["seat"] == seat:
                first = 6 if entries[0]["plan"]["game"] == "belote" and bidding else 99
            found += [(index, at) for at in range(first, len(line["cards"]) // 2)]
    return found


def swapped(entries: list[Entry], one: tuple[int, int], other: tuple[int, int], seat: int) -> list[Entry]:
    """The same hand with two cards changed for each other, as far as the seat does not see them."""
    lines = json.loads(json.dumps(entries[1]["events"]))
    cards = [re.findall("..", line.get("cards", "")) for line in lines]
    (i, a), (j, b) = one, other
    mine, theirs = cards[i][a], cards[j][b]
    cards[i][a], cards[j][b] = theirs, mine
    for number, line in enumerate(lines):
        if line["action"] in ("discard", "pass") and line.get("seat") != seat:
            change = {mine: theirs, theirs: mine}
            cards[number] = [change.get(card, card) for card in cards[number]]
        if "cards" in line:
            line["cards"] = "".join(cards[number])
    return [entries[0], entries[1] | {"events": lines}]


def changed(entries: list[Entry], seat: int, rng: random.Random) -> list[Entry] | None:
    """A hand that differs in nothing that the seat may know, if one is found; the rules judge it."""
    places = positions(entries, seat)
    if len(places) < 2:
        return None
    for _ in range(4):
        one, other = rng.sample(places, 2)
        if one[0] == other[0] and entries[1]["events"][one[0]]["seat"] == seat:
            continue
        found = swapped(entries, one, other, seat)
        try:
            turn = reopened(found).table.turn
        except ValueError:
            continue
        if found != entries and turn == reopened(entries).table.turn:  # a card may say who begins
            return found
    return None


@pytest.mark.parametrize(("game", "rules"), GAMES)
def test_a_seat_is_sent_the_same_bytes_whatever_the_hidden_cards_are(game: str, rules: str) -> None:
    rng = random.Random(f"{game} {rules}")
    compared = 0
    for entries in entries_of(game, rules, rng):
        sizes = [*accumulate(len(entry["events"]) for entry in entries[1:])]
        for size in rng.sample(sizes, min(MOMENTS, len(sizes))):
            seat = rng.choice([NOBODY, 0, 1, 2, 3])
            some = cut(entries, size)
            other = changed(some, seat, rng)
            if other is not None:
                assert texts(some, seat) == texts(other, seat), (size, seat)
                compared += 1
    assert compared >= MOMENTS // 2
