"""A hand as PHH tells it: what its fields mean, apart from its actions; see docs/formats/phh.md."""

import re
from datetime import date, datetime, time
from functools import lru_cache
from itertools import chain, pairwise
from math import isfinite
from typing import Any, Final

import msgspec

from cardlog.models.engine.opening import to_json
from cardlog.models.hold_em.state import MOST_CHIPS, SEATS
from cardlog.models.poker.chips import LEAST_SEATS
from cardlog.pipelines.readers import times
from cardlog.schemas.events import NO_AMOUNT, NO_TIME

STRUCTURES: Final = {"NT": "no_limit", "FT": "fixed_limit"}
"""The variants of hold'em."""
OTHER_GAMES: Final = {
    "PO": "pot-limit Omaha hold'em",
    "FO/8": "fixed-limit Omaha hold'em high-low split",
    "NS": "no-limit short-deck hold'em",
    "F7S": "fixed-limit seven-card stud",
    "F7S/8": "fixed-limit seven-card stud high-low split",
    "FR": "fixed-limit razz",
    "N2L1D": "no-limit deuce-to-seven lowball single draw",
    "F2L3D": "fixed-limit deuce-to-seven lowball triple draw",
    "FB": "fixed-limit badugi",
}
"""The other variants."""
REQUIRED: Final = ("antes", "blinds_or_straddles", "starting_stacks")
"""Amounts of each player that a hand must give; and those that it may give."""
RESULTS: Final = ("winnings", "finishing_stacks")
BETS: Final = {"NT": ("min_bet",), "FT": ("small_bet", "big_bet")}
"""The least bet of the early rounds and, if it differs, that of the late ones."""
FIELDS: Final = (
    "variant", "ante_trimming_status", "antes", "blinds_or_straddles", "bring_in", "small_bet", "big_bet",
    "min_bet", "starting_stacks", "actions", "author", "event", "url", "venue", "address", "city", "region",
    "postal_code", "country", "time", "time_zone", "day", "month", "year", "hand", "level", "seats",
    "seat_count", "table", "players", "finishing_stacks", "winnings", "currency", "currency_symbol",
    "time_limit", "time_banks",
)  # fmt: skip
"""The fields of the specification, in the order in which its reference implementation writes them."""
SOURCE: Final = "phh"
"""The key of `about` with what is written otherwise than an export would write it."""
MOST_DECIMALS: Final = 6
_NUMBER: Final = re.compile(r"([-+]?)(\d+)(?:\.(\d+))?").fullmatch
_BETS_WITH_POINT: Final = re.compile(rb" cbr \d*\.(\d+)")
_PADDING: Final = [0] * SEATS
_PLAIN: Final = {str, int, bool}
_OF_SESSION: Final = ("venue", "event", "table", "year", "month", "day")
_KNOWN: Final = frozenset(FIELDS)
_encode: Final = msgspec.json.Encoder(order="sorted").encode


class Decimal(str):
    """A number with a point, as it is written."""

    __slots__ = ()


class Unreadable(Exception):
    """Why a hand can't be read, as a sentence."""


class Hand(msgspec.Struct, gc=False):
    """A hand.

    key
        What tells it from all others, and the same whenever it is read.
    session
        The match it belongs to, empty for none.
    name
        Its own name, if that is no number that the opening can hold.
    about, opening
        Parts of the opening's `detail`; see `detail_of`.
    numbers
        The fields of `actions.HAND` from ``players`` on.
    """

    key: bytes
    session: str
    name: str | None
    about: dict[str, Any]
    opening: str
    numbers: list[int]


def hand_of(about: dict[str, Any], actions: bytes, zone: str) -> Hand:
    """A hand from its fields, without the actions, which are here only read for decimals. What the opening
    has no other place for is left in `about`.

    zone
        The time zone of times that name none, empty if that is not known.

    Raises Unreadable.
    """
    variant, said_trimming = about.pop("variant"), about.pop("ante_trimming_status", None)
    if type(said_trimming) not in (bool, type(None)):
        raise Unreadable("The field ante_trimming_status must be true or false.")
    source: dict[str, Any] = {}
    decimals, bets, (antes, blinds, stacks, won, finish) = _amounts(about, variant, actions, source)
    count = len(stacks)
    if count == 2:  # the lists begin with the small blind, which the button has
        antes, blinds = antes[::-1], blinds[::-1]
    trimming = _is_trimmed(said_trimming, antes, stacks, finish)
    if trimming and min(*stacks, *antes) < max(antes):
        most = sorted(map(min, antes, stacks))[-2]  # what nobody else can match goes back at once
        antes = [min(ante, most) for ante in antes]
    if said_trimming is not None and said_trimming != trimming:
        source["ante_trimming_status"] = said_trimming
    seated, seat_of, dealer = _seats_of(about, count, source)
    hand, venue = about.get("hand"), about.get("venue")
    is_number = type(hand) is int and 0 <= hand <= MOST_CHIPS
    number: Any = about.pop("hand") if is_number else NO_AMOUNT
    at = _time(about, zone) if "time" in about else NO_TIME
    session = _session_of(about) if "event" in about or "table" in about else ""
    settings = _settings(
        trimming, bets[-1], _currency(about, source), bets[0], STRUCTURES[variant], decimals
    )  # fmt: skip
    scores = stacks
    if max(seat_of) != count - 1 or dealer != count - 1:
        scores = [0] * (max(seat_of) + 1)
        for seat, stack in zip(seat_of, stacks, strict=True):
            scores[seat] = stack
    opening = (
        f'"dealer":{dealer},"match":{{"score":[{",".join(map(str, scores))}]}},'
        f'"players":{seated},"settings":{settings}}}'
    )
    key = key_of(venue, hand)
    if venue is None or hand is None:
        key = f"{variant}\0{session}\0{hand}\0{blinds}\0{antes}{opening}\0".encode() + actions
    numbers: list[int] = [count, decimals, number, at]
    for values in (seat_of, antes, blinds, stacks, finish, won):
        numbers += values + _PADDING[len(values) :]
    name = None if is_number or hand is None else str(hand)
    return Hand(key, session, name, _told(about, source), opening, numbers)


def key_of(venue: Any, hand: Any) -> bytes:
    """What tells a hand with a number from all others: the venue, and its number there."""
    return f"{venue}\0{hand}".encode()


def detail_of(hand: Hand, written: dict[str, Any]) -> str:
    """The `detail` of a hand's opening; `written` is what is to be known of how its actions are written."""
    about = hand.about
    if written:
        about[SOURCE] = about.get(SOURCE, {}) | written
    return f'{{"about":{_encode(about).decode()},{hand.opening}' if about else "{" + hand.opening


# ---------------------------------------------------------------- amounts


def _amounts(
    about: dict[str, Any], variant: str, actions: bytes, source: dict[str, Any]
) -> tuple[int, list[int], list[list[int]]]:
    """The decimals of the unit, the least bets and the lists of amounts in units; in `source`, how they are
    written if not as usual. Raises Unreadable."""
    names = (*REQUIRED, *RESULTS, *BETS[variant])
    try:
        lists = [about.pop(name) for name in REQUIRED] + [about.pop(name, []) for name in RESULTS]
        lists.append([about.pop(name) for name in BETS[variant]])
        sizes, flat = [*map(len, lists)], [*chain.from_iterable(lists)]
    except KeyError as error:
        raise Unreadable(f"The hand has no {error.args[0]}.") from None
    except TypeError:
        raise Unreadable(f"One of {', '.join(names[:5])} is no list.") from None
    count = sizes[2]
    if not LEAST_SEATS <= count <= SEATS:
        raise Unreadable(f"There are {count} players; hold'em is for {LEAST_SEATS} to {SEATS}.")
    for name, size in zip(names[:5], sizes, strict=False):
        if size != count and (size or name in REQUIRED):
            raise Unreadable(f"There are {size} amounts in {name} for {count} players.")
    decimals = 0
    if {*map(type, flat)} != {int} or b"." in actions:
        places = [_places(amount) for amount in flat] + [
            len(end) for end in _BETS_WITH_POINT.findall(actions)
        ]
        decimals = max(places) and max(2, *places)
        if decimals > MOST_DECIMALS:
            raise Unreadable(f"An amount has {decimals} decimals; at most {MOST_DECIMALS} can be kept.")
        written, lists = lists, [[_in_units(amount, decimals) for amount in values] for values in lists]
        for name, old, new in zip(
            names,
            [*written[:5], *([bet] for bet in written[5])],
            [*lists[:5], *([bet] for bet in lists[5])],
            strict=True,
        ):
            _note_unusual(source, name, old, new, decimals)
        flat = [*chain.from_iterable(lists)]
    antes, blinds, stacks, *_, bets = lists
    if max(flat) > MOST_CHIPS or min(flat) < -MOST_CHIPS:
        raise Unreadable(f"An amount is {max(flat)} of its smallest units; more than 32 bits can't be kept.")
    if min(stacks) < max(antes) + max(blinds) or min(antes) < max(antes) or not _is_usual(blinds):
        if min(*antes, *stacks) < 0:
            raise Unreadable("An ante or a stack is negative.")
        written = source.setdefault("written", {})
        for name, values in zip(REQUIRED[:2], lists, strict=False):
            written.setdefault(name, [amount_text(amount, decimals) for amount in values])
    return decimals, bets, lists[:5]


def _is_usual(blinds: list[int]) -> bool:
    """Whether blinds are posted by the first players, each more than the one before."""
    posted = blinds[: len(blinds) - [amount != 0 for amount in reversed([1, *blinds])].index(True)]
    return min(blinds) >= 0 and all(before < after for before, after in pairwise(posted))


def _note_unusual(source: dict[str, Any], name: str, old: list[Any], new: list[int], decimals: int) -> None:
    """Note how the amounts of a field are written if not as usual."""
    texts = [*map(str, old)]
    if texts != [amount_text(amount, decimals) for amount in new]:
        source.setdefault("written", {})[name] = texts


def _places(amount: Any) -> int:
    """How many decimals an amount is written with."""
    parts = _NUMBER(amount.replace("_", "")) if type(amount) is Decimal else None
    if parts is None and type(amount) is not int:
        raise Unreadable(f"There is {amount} where an amount should be.")
    end: str | None = parts[3] if parts else None
    return len(end or "")


def _in_units(amount: int | Decimal, decimals: int) -> int:
    if isinstance(amount, int):
        return int(amount * 10**decimals)
    whole, _, rest = amount.replace("_", "").partition(".")
    return int(whole + rest.ljust(decimals, "0"))


def amount_text(amount: int, decimals: int) -> str:
    """An amount in units as it is usually written: with all decimals of the unit, or none.

    >>> amount_text(1250, 2), amount_text(1200, 2)
    ('12.50', '12')
    """
    whole, rest = divmod(abs(amount), 10**decimals)
    return f"{'-' * (amount < 0)}{whole}" + (f".{rest:0{decimals}}" if rest else "")


def _is_trimmed(said: bool | None, antes: list[int], stacks: list[int], finish: list[int]) -> bool:
    """Whether an ante that others can't match is cut down, as the hand says. Some say it is not although
    their finishing stacks need it: players who have less than their ante win no more than others match."""
    if said or not finish or min(stacks) >= max(antes):
        return bool(said)
    left = [
        (after, sum(min(stack, ante, most) for ante, most in zip(antes, stacks, strict=True)))
        for stack, own, after in zip(stacks, antes, finish, strict=True)
        if stack < own
    ]
    return any(after for after, _ in left) and all(after <= most for after, most in left)


# ---------------------------------------------------------------- everything else


def _seats_of(about: dict[str, Any], count: int, source: dict[str, Any]) -> tuple[str, list[int], int]:
    """What `_seated` says of a hand."""
    players, seats = about.pop("players", None), about.pop("seats", None)
    seated, seat_of, dealer = _seated(_texts(players), _texts(seats), count)
    if seats is not None and (dealer == count - 1 or seat_of != [seat - 1 for seat in seats]):
        source["seats"] = seats
    return seated, seat_of, dealer


def _currency(about: dict[str, Any], source: dict[str, Any]) -> str:
    """The currency, or else its symbol."""
    currency, symbol = about.pop("currency", ""), about.get("currency_symbol", "")
    if currency and currency == symbol:
        source["currency"] = currency
    return str(currency or symbol)


def _told(about: dict[str, Any], source: dict[str, Any]) -> dict[str, Any]:
    """What is kept of a hand beside its opening and its events."""
    if not {*map(type, about.values())} <= _PLAIN:
        about = {name: _plain(value) for name, value in about.items()}
    if not about.keys() <= _KNOWN:
        own = [name for name in about if name not in _KNOWN]
        if own != sorted(own):
            source["order"] = own
    if source:
        about[SOURCE] = source
    return about


def _texts(values: Any) -> tuple[Any, ...] | None:
    """A list as a key. Raises Unreadable."""
    if values is None:
        return None
    if type(values) is not list or not {*map(type, values)} <= _PLAIN:
        raise Unreadable("Both players and seats must be lists of names or numbers.")
    return tuple(values)


@lru_cache(maxsize=2**14)
def _seated(
    players: tuple[Any, ...] | None, seats: tuple[Any, ...] | None, count: int
) -> tuple[str, list[int], int]:
    """The players by seat as JSON, the seat of each player, and that of the button, who is the last. Without
    seat numbers that follow each other around the table, the players have the first seats."""
    names = players or ("",) * count
    if len(names) != count:
        raise Unreadable(f"There are {len(names)} names for {count} players.")
    seat_of = [*range(count)]
    if seats and len(seats) == count and all(type(seat) is int and 1 <= seat <= SEATS for seat in seats):
        steps = [(seat - before) % SEATS for before, seat in zip((seats[-1], *seats), seats, strict=False)]
        if sum(steps) == SEATS and 0 not in steps:
            seat_of = [seat - 1 for seat in seats]
    people: list[dict[str, Any] | None] = [None] * (max(seat_of) + 1)
    for seat, name in zip(seat_of, names, strict=True):
        people[seat] = {"name": str(name)} if name else {}
    return to_json(people), seat_of, seat_of[-1]  # type: ignore[arg-type]


@lru_cache(maxsize=2**12)
def _settings(trimming: bool, big: int, currency: str, small: int, structure: str, decimals: int) -> str:
    settings = {
        "ante_trimming": trimming, "big_bet": big, "currency": currency, "dialect": "phh", "small_bet": small,
        "structure": structure, "unit": 10**decimals,
    }  # fmt: skip
    return to_json(settings)


def _session_of(about: dict[str, Any]) -> str:
    values = [*map(about.get, _OF_SESSION)]
    try:
        return _session(*values)
    except TypeError:  # one is a list or a table
        return _session(*map(str, values))


@lru_cache(maxsize=2**14)
def _session(*parts: Any) -> str:
    """The name of the match: the venue, event and table where it was played, and the day."""
    where = [str(part) for part in parts[:3] if part is not None]
    day = "-".join(f"{part:02}" for part in parts[3:] if type(part) is int)
    return ", ".join([*where, day] if day else where)


def _time(about: dict[str, Any], zone: str) -> int:
    """Microseconds since 1970, `NO_TIME` if the day or the time zone is not known. Raises Unreadable for a
    time that no clock shows."""
    if type(about["time"]) is not time:
        raise Unreadable("The field time must be a time of day such as 12:30:00.")
    name, short = about.get("time_zone"), about.get("time_zone_abbreviation")
    day: list[Any] = [about.get(field) for field in ("year", "month", "day")]
    try:
        clock = times.zone(str(name or (times.ABBREVIATIONS.get(str(short), "") if short else zone)))
    except ValueError as error:
        raise Unreadable(f"The time can't be read: {error}.") from None
    if clock is None or None in day:
        return NO_TIME
    try:
        at = datetime.combine(date(*day), about["time"])
    except (TypeError, ValueError, OverflowError):
        raise Unreadable(f"There is no day {'-'.join(map(str, day))}.") from None
    if found := times.instants(at, clock):
        return found[0]
    raise Unreadable(f"The time {at} {times.NOT_SHOWN} {clock}.")


def _plain(value: Any) -> Any:
    """A value of TOML as one of JSON."""
    if type(value) is Decimal:
        is_usual = isfinite(float(value)) and repr(float(value)) == value
        return float(value) if is_usual else {"number": str(value)}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        table = {name: _plain(item) for name, item in value.items()}
        return table if [*table] == sorted(table) else {"table": [[*pair] for pair in table.items()]}
    return str(value) if isinstance(value, date | time) else value
