"""Who sits where: the person who made the table, friends with a key each, and computers."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from cardlog import models
from cardlog.models.ladder import published
from cardlog.schemas.errors import CardlogError
from cardlog.web.names import number
from cardlog.web.play.allowed import NOBODY, STATES
from cardlog.web.play.dealing import rules_offered
from cardlog.web.play.thinking import SEARCH
from cardlog.web.texts import N_, _

ME, FRIEND, COMPUTER = "me", "friend", "computer"
MOST_NAME: Final = 60
"""Characters of a name that are kept."""
PATIENCES: Final = (30, 60, 120, 600)
"""Seconds until the computer plays for someone, as the page offers them."""
PATIENCE: Final = 120
LEAST_PATIENCE, MOST_PATIENCE = 1, 24 * 3600
LEVELS: Final = {
    "search-5": (N_("search, quick"), 5),
    SEARCH: (SEARCH, 10),
    "search-40": (N_("search, thorough"), 40),
}
"""Of the player that searches: its name for people, and at how many deals it looks."""
MEASURE: Final = "random"
"""Against whom the page says what each player wins."""


_AROUND: Final = {
    2: (N_("You"), N_("Opposite")),
    3: (N_("You"), N_("Left"), N_("Right")),
    4: (N_("You"), N_("Left"), N_("Opposite"), N_("Right")),
    5: (N_("You"), N_("Left"), N_("Far left"), N_("Far right"), N_("Right")),
    6: (N_("You"), N_("Left"), N_("Far left"), N_("Opposite"), N_("Far right"), N_("Right")),
}
_COMPASS: Final = {
    2: (N_("South"), N_("North")),
    3: (N_("South"), N_("North-west"), N_("North-east")),
    4: (N_("South"), N_("West"), N_("North"), N_("East")),
    5: (N_("South"), N_("West"), N_("North-west"), N_("North-east"), N_("East")),
    6: (N_("South"), N_("South-west"), N_("North-west"), N_("North"), N_("North-east"), N_("South-east")),
}


class BadTable(CardlogError):
    """A table that can't be made; the text is for the user."""


@dataclass
class Seat:
    """A seat.

    kind
        `ME`, `FRIEND` or `COMPUTER`.
    player
        The built-in player of a computer.
    key
        By which a person is known; "" for a computer.
    """

    kind: str
    name: str = ""
    player: str = ""
    key: str = ""

    @property
    def is_person(self) -> bool:
        """Whether a person sits here."""
        return self.kind != COMPUTER

    def in_opening(self) -> dict[str, str]:
        """The seat as an opening names it."""
        if not self.is_person:
            return {"kind": "computer", "bot": self.player}
        return {"kind": "human", "name": self.name} if self.name else {"kind": "human"}


@dataclass
class Start:
    """Where every hand of a table begins that is not shuffled for.

    day
        Whose deal it is, as ``2026-11-25``; empty if a hand is played again, which is not stored.
    opening, dealer, events
        The detail of its first event, the table once it was dealt as `Dealer.dump` has it, its events so far.
    """

    day: str
    opening: dict[str, Any]
    dealer: dict[str, Any]
    events: list[dict[str, Any]]


@dataclass
class Plan:
    """A table as it was asked for.

    patience
        Seconds after which the computer plays for a person.
    start
        Where its hands begin, if not with a shuffle.
    """

    game: str
    rules: str
    seats: list[Seat]
    patience: int
    start: Start | None = None

    def computers(self) -> list[str | None]:
        """For each seat the name of its player; None for a person."""
        return [None if seat.is_person else seat.player for seat in self.seats]


def computers_of(game: str) -> dict[str, tuple[str, str]]:
    """The computers that can sit at a table: what each is called, and what it does and wins."""
    found = {}
    for name, about in models.game(game).playing().names.items():
        if name != SEARCH:
            found[name] = name, _(about) + _won(game, name)
            continue
        for level, (title, deals) in LEVELS.items():
            text = _("%(what)s, %(n)s of them each time", what=_(about), n=deals)
            found[level] = _(title), text + _won(game, level)
    return found


def _won(game: str, player: str) -> str:
    """What the published ladder says of a player; empty if nothing."""
    ladder = published(game)
    points = ladder and ladder.points(player, MEASURE)
    text = N_("; %(points)s points a hand against %(other)s in the ladder")
    return _(text, points=f"{points.mean:+.3g}", other=MEASURE) if points else ""


def place_of(seat: int, viewer: int, count: int, *, has_teams: bool) -> str:
    """What a seat without a name is called by the one who looks on from another, or from none."""
    if viewer == NOBODY:
        return _(_COMPASS[count][seat])
    found = _AROUND[count][(seat - viewer) % count]
    return _("Partner") if has_teams and found == "Opposite" else _(found)


def tidy(name: str) -> str:
    """A name as it is kept: of limited length, without line breaks and outer blanks."""
    return " ".join(name.split())[:MOST_NAME]


def plan_of(form: Mapping[str, str]) -> Plan:
    """What a form asks for. Raises BadTable."""
    game = form.get("game", "")
    if game not in STATES:
        text = N_("There is no game %(name)s; there are: %(names)s.")
        raise BadTable(_(text, name=repr(game[:40]), names=", ".join(STATES)))
    offered = rules_offered(game)
    rules = form.get("rules") or next(iter(offered))
    if rules not in offered:
        text = N_("There are no rules %(name)s; there are: %(names)s.")
        raise BadTable(_(text, name=repr(rules[:40]), names=", ".join(offered)))
    asked = [form.get(f"seat{number}", "") for number in range(6)]
    seats = [_seat(game, who, form.get("name", "")) for who in asked if who]
    counts = models.game(game).playing().seats
    if len(seats) not in counts:
        able = f"{counts.start}" if len(counts) == 1 else f"{counts.start}–{counts.stop - 1}"
        raise BadTable(_("%(n)s seats are taken; there must be %(able)s.", n=len(seats), able=able))
    if sum(seat.kind == ME for seat in seats) > 1:
        raise BadTable(_("You can sit at one seat only; the others are for friends and computers."))
    return Plan(game, rules, seats, _patience(form.get("patience", "")))


def _seat(game: str, who: str, name: str) -> Seat:
    kind, _sep, player = who.partition(":")
    players = computers_of(game)
    if kind == COMPUTER and player in players:
        return Seat(COMPUTER, player=player)
    if who == ME:
        return Seat(ME, tidy(name) or _("Host"), key=secrets.token_urlsafe(24))
    if who == FRIEND:
        return Seat(FRIEND, key=secrets.token_urlsafe(24))
    able = ", ".join([ME, FRIEND, *(f"{COMPUTER}:{found}" for found in players)])
    text = N_("Nobody is called %(name)s; a seat is for one of: %(names)s.")
    raise BadTable(_(text, name=repr(who[:40]), names=able))


def _patience(text: str) -> int:
    if not text:
        return PATIENCE
    seconds = number(text, 6)
    if seconds is None:
        raise BadTable(_("Patience is a number of seconds."))
    return min(max(seconds, LEAST_PATIENCE), MOST_PATIENCE)
