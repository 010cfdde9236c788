"""The seats of a table: the person who made it, friends with a key each, and computers."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from cardlog import models
from cardlog.models.contest.ladder import published
from cardlog.models.engine.visible import NOBODY
from cardlog.pipelines.text.texts import N_, _
from cardlog.schemas.errors import CardlogError
from cardlog.web.names import number
from cardlog.web.play.dealing import games_offered, rules_offered
from cardlog.web.play.thinking import SEARCH

ME, FRIEND, COMPUTER = "me", "friend", "computer"
MOST_NAME: Final = 60
"""Longest name, in characters; the rest is cut off."""
PATIENCES: Final = (30, 60, 120, 600)
"""Seconds until the computer plays for a person, as offered on the page."""
PATIENCE: Final = 120
LEAST_PATIENCE, MOST_PATIENCE = 1, 24 * 3600
LEVELS: Final = {
    "search-5": (N_("search, quick"), 5),
    SEARCH: (SEARCH, 10),
    "search-40": (N_("search, thorough"), 40),
}
"""Strengths of the player that searches: a title, and how many deals it draws."""
MEASURE: Final = "random"
"""The opponent in the results of the ladder that the page shows."""

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


def new_key() -> str:
    """A key that can't be guessed."""
    return secrets.token_urlsafe(24)


class BadTable(CardlogError):
    """A table can't be made as requested; the text is for the user."""


@dataclass
class Seat:
    """A seat.

    kind
        `ME`, `FRIEND` or `COMPUTER`.
    player
        The built-in player of a computer.
    key
        By which the server knows a person; "" for a computer.
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
        """The player as an opening has it."""
        if not self.is_person:
            return {"kind": "computer", "bot": self.player}
        return {"kind": "human", "name": self.name} if self.name else {"kind": "human"}


@dataclass
class Start:
    """The beginning of every hand of a table at which cards are not shuffled.

    day
        The day of the deal, as ``2026-11-25``; empty if a hand is played again, which is not stored.
    hand_id
        The hand that is played again.
    opening, dealer, events
        The detail of the first event, the table after the deal as in `Dealer.dump`, and the events.
    """

    day: str
    opening: dict[str, Any]
    dealer: dict[str, Any]
    events: list[dict[str, Any]]
    hand_id: str = ""


@dataclass
class Plan:
    """The settings of a table.

    patience
        Seconds after which the computer plays for a person.
    start
        The beginning of its hands, if cards are not shuffled.
    host, watch
        Keys without a seat: of whoever made the table and has none, and of those who only watch.
    """

    game: str
    rules: str
    seats: list[Seat]
    patience: int
    start: Start | None = None
    host: str = field(default_factory=new_key)
    watch: str = field(default_factory=new_key)

    @property
    def host_key(self) -> str:
        """The key of whoever made the table, who is shown all links: that of their seat if they have one."""
        return next((seat.key for seat in self.seats if seat.kind == ME), self.host)

    def seat_of(self, key: str) -> int | None:
        """The seat that a key is for; `NOBODY` if it is for watching, None if it is for nothing."""
        if key in (self.host, self.watch):
            return NOBODY
        return next((number for number, seat in enumerate(self.seats) if key and seat.key == key), None)

    def computers(self) -> list[str | None]:
        """For each seat the name of its player; None for a person."""
        return [None if seat.is_person else seat.player for seat in self.seats]


def levels_of(game: str) -> dict[str, tuple[str, int]]:
    """The `LEVELS` of a game, of which none is the usual one by another name."""
    usual = models.game(game).worlds
    levels = {level: (title, usual if level == SEARCH else deals) for level, (title, deals) in LEVELS.items()}
    return {level: found for level, found in levels.items() if level == SEARCH or found[1] != usual}


def computers_of(game: str) -> dict[str, tuple[str, str]]:
    """The computers that can sit at a table: the title of each, and what it does and wins."""
    computers = {}
    for name, about in models.game(game).playing().names.items():
        if name != SEARCH:
            computers[name] = name, _(about) + _won(game, name)
            continue
        for level, (title, deals) in levels_of(game).items():
            text = _("%(what)s, %(n)s of them each time", what=_(about), n=deals)
            computers[level] = _(title), text + _won(game, level)
    return computers


def _won(game: str, player: str) -> str:
    """A player's result in the published ladder; empty if there is none."""
    ladder = published(game)
    points = ladder and ladder.points(player, MEASURE)
    text = N_("; %(points)s points per hand against %(other)s in the ladder")
    return _(text, points=f"{points.mean:+.3g}", other=MEASURE) if points else ""


def place_of(seat: int, viewer: int, count: int, *, has_teams: bool) -> str:
    """The name of a seat without a name, as seen from another seat or, for `NOBODY`, from none."""
    if viewer == NOBODY:
        return _(_COMPASS[count][seat])
    place = _AROUND[count][(seat - viewer) % count]
    return _("Partner") if has_teams and place == "Opposite" else _(place)


def tidy(name: str) -> str:
    """A name of limited length, without line breaks and repeated or outer blanks."""
    return " ".join(name.split())[:MOST_NAME]


def plan_of(form: Mapping[str, str]) -> Plan:
    """The table that a form describes. Raises BadTable."""
    game = form.get("game", "")
    if game not in games_offered():
        text = N_("There is no game %(name)s; there are: %(names)s.")
        raise BadTable(_(text, name=repr(game[:40]), names=", ".join(games_offered())))
    offered = rules_offered(game)
    rules = form.get("rules") or next(iter(offered))
    if rules not in offered:
        text = N_("There are no rules %(name)s; there are: %(names)s.")
        raise BadTable(_(text, name=repr(rules[:40]), names=", ".join(offered)))
    players = [form.get(f"seat{number}", "") for number in range(6)]
    seats = [_seat(game, player, form.get("name", "")) for player in players if player]
    counts = models.game(game).playing().seats
    if len(seats) not in counts:
        able = f"{counts.start}" if len(counts) == 1 else f"{counts.start}–{counts.stop - 1}"
        raise BadTable(_("%(n)s seats are taken; there must be %(able)s.", n=len(seats), able=able))
    if sum(seat.kind == ME for seat in seats) > 1:
        raise BadTable(_("You can sit at one seat only; the others are for friends and computers."))
    return Plan(game, rules, seats, _patience(form.get("patience", "")))


def _seat(game: str, player: str, name: str) -> Seat:
    """The seat of a player, who is `ME`, `FRIEND` or ``computer:<name>``; the name is for `ME`."""
    kind, _sep, computer = player.partition(":")
    computers = computers_of(game)
    if kind == COMPUTER and computer in computers:
        return Seat(COMPUTER, player=computer)
    if player == ME:
        return Seat(ME, tidy(name) or _("Host"), key=new_key())
    if player == FRIEND:
        return Seat(FRIEND, key=new_key())
    choices = ", ".join([ME, FRIEND, *(f"{COMPUTER}:{computer}" for computer in computers)])
    text = N_("Nobody is called %(name)s; a seat is for one of: %(names)s.")
    raise BadTable(_(text, name=repr(player[:40]), names=choices))


def _patience(text: str) -> int:
    if not text:
        return PATIENCE
    seconds = number(text, 6)
    if seconds is None:
        raise BadTable(_("Patience is a number of seconds."))
    return min(max(seconds, LEAST_PATIENCE), MOST_PATIENCE)
