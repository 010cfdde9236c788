"""The first line of a hand: its number, the game, the stakes, and when it was played."""

import re
from contextlib import suppress
from datetime import datetime, tzinfo
from functools import lru_cache
from typing import Any, Final, NamedTuple

from cardlog.models.hold_em.state import MOST_CHIPS
from cardlog.pipelines.readers import times
from cardlog.pipelines.readers.options import ReadOptions

BEGINS: Final = rb"(?:Zoom |Home Game )?(?:Hand|Game) #\d"
"""What comes after ``PokerStars`` at the beginning of a hand."""
TRANSLATED: Final = (
    rb"(?!.*PokerStars " + BEGINS + rb").{0,40}PokerStars.*?\d{6,}.*: .*\d{4}[/.-]\d\d[/.-]\d\d"
)
"""A first line as in texts in other languages."""
_LINE: Final = re.compile(
    r"PokerStars (?P<kind>Zoom |Home Game )?(?:Hand|Game) #(?P<number>\d+):\s*(?:\{(?P<club>.*?)\} *)?"
    r"(?:(?P<zoom>Zoom )?Tournament #(?P<tournament>\d+), *)?(?P<game>.*?) - (?P<when>\d{4}/.*)"
)
_LIMIT: Final = re.compile(r"(?P<name>.*?) *\b(?P<limit>No Limit|Pot Limit|Fixed Limit|Limit)\b")
_STAKES: Final = re.compile(
    r"\((?P<symbol>[^\d().]*)(?P<small>[\d.,]+)(?P<behind>[^\d()./]*)/[^\d().]*(?P<big>[\d.,]+)"
    r"[^\d()./A-Za-z ]*(?: (?P<currency>[A-Za-z]{3}))?[^()]*\)"
)
_LEVEL: Final = re.compile(r"Level (?P<level>[IVXLCDM]+)")
_TIME: Final = re.compile(r"(\d{4}/\d\d/\d\d)(?: -)? (\d{1,2}:\d\d:\d\d) ?\(?([A-Z]{2,5})?")
_WHOLE: Final = re.compile(r"\d*|\d{1,3}(?:,\d{3})+").fullmatch
_STRUCTURES: Final = {"No Limit": "no_limit", "Pot Limit": "pot_limit"}
_CURRENCIES: Final = {"$": "USD", "€": "EUR", "£": "GBP"}
_NOT_PLAIN: Final = ("6+", "Split", "Fusion", "Unfold", "Showtime", "Tempest")
"""Words before Hold'em that make it another game."""


class Header(NamedTuple):
    """A hand's first line.

    played
        ``hold_em`` or ``five_card_draw``; empty for any other game.
    title
        The game as it is written.
    unit
        What amounts are multiplied by: 100 if they are money, else 1.
    small, big
        The two amounts of the stakes, multiplied.
    at
        Microseconds since 1970; None if the text does not say in which zone.
    """

    number: str
    played: str
    title: str
    structure: str
    currency: str
    unit: int
    small: int
    big: int
    at: int | None
    about: dict[str, Any]


def parse_header(line: str, options: ReadOptions) -> Header | None:
    """The header in a line, None if it is none."""
    match = _LINE.search(line)
    if not match:
        return None
    said, stakes = match["game"], _STAKES.search(match["game"])
    about = {"venue": "PokerStars", "club": match["club"], "tournament": match["tournament"]}
    if match["zoom"] or match["kind"] == "Zoom ":
        about["zoom"] = True
    if level := _LEVEL.search(said):
        about["level"] = level["level"]
    played, title, structure = _game_of(said, about)
    symbol = (stakes["symbol"] or stakes["behind"]).strip() if stakes else ""
    currency = (stakes["currency"] if stakes else "") or _CURRENCIES.get(symbol, "")
    unit = 100 if stakes and (symbol or "." in stakes["small"] + stakes["big"]) else 1
    small, big = (amount(stakes[name], unit) for name in ("small", "big")) if stakes else (0, 0)
    return Header(
        match["number"],
        played if stakes else "",
        title,
        structure,
        currency.upper(),
        unit,
        small,
        big,
        _time_of(match["when"], options.timezone),
        {name: value for name, value in about.items() if value},
    )


def _game_of(said: str, about: dict[str, Any]) -> tuple[str, str, str]:
    """The game, its title and the structure. What a tournament costs comes before, and is noted."""
    found = _LIMIT.match(said)
    if not found:
        return "", said, ""
    name, structure = found["name"], _STRUCTURES.get(found["limit"], "fixed_limit")
    for ending, game in (("Hold'em", "hold_em"), ("5 Card Draw", "five_card_draw")):
        before = name.removesuffix(ending)
        if before == name:
            continue
        words = before.replace("(", " ").split()
        if words and words[-1] in _NOT_PLAIN:
            return "", f"{words[-1]} {ending}", structure
        if words and about.get("tournament"):
            about["buy_in"] = " ".join(words)
        return game, f"{ending} {found['limit']}", structure
    return "", f"{name} {found['limit']}".lstrip("("), structure


@lru_cache(maxsize=2**14)
def amount(text: str, unit: int) -> int:
    """An amount, multiplied by the unit, 100 or 1: ``1,646.95``. Raises ValueError if there is a rest, or a
    comma that does not separate thousands, or if it is too large."""
    whole, _, cents = text.rstrip(".,").partition(".")
    if len(cents) > 2 or (unit == 1 and cents.strip("0")) or not _WHOLE(whole):
        raise ValueError(f"{text} is no amount of whole chips or cents")
    whole = whole.replace(",", "")
    found = int(whole or 0) * unit + (int(cents.ljust(2, "0")) if cents and unit == 100 else 0)
    if found > MOST_CHIPS:
        raise ValueError(f"{text} is more than {MOST_CHIPS // unit:,}, the most that can be kept")
    return found


def _time_of(text: str, zone: str) -> int | None:
    """Microseconds since 1970, by the first of the times with a zone that is known, ET before all others; of
    one that the clock shows twice, the other times tell which. Raises ValueError if no clock shows it."""
    found = [(day.replace("/", "-"), clock.zfill(8), name) for day, clock, name in _TIME.findall(text)]
    found.sort(key=lambda time: time[2] != "ET")
    known = []
    for day, clock, name in found:
        if at := times.zone(times.ABBREVIATIONS.get(name, "" if name else zone)):
            known.append(_instants(f"{day} {clock}", at))
    agreed = [at for at in known[0] if all(at in others for others in known)] if known else []
    return next(iter(agreed or known[0])) if known else None


@lru_cache(maxsize=2**12)
def _instants(text: str, clock: tzinfo) -> list[int]:
    """See `times.instants`; at least one. Raises ValueError."""
    with suppress(ValueError):
        if found := times.instants(datetime.fromisoformat(text), clock):
            return found
    raise ValueError(f"{text} {times.NOT_SHOWN} {clock}")
