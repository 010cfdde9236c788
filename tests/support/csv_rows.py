"""Rows of playedhand.csv for tests: the fixtures, and an independent check of any row.

`judged` reads and replays a line with none of the code under test: plain Python, strings for
cards, the rules of docs/rules/kaiser.md as sentences.
"""

import csv
import gzip
import json
import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any, NamedTuple

from tests.support.steps import Illegal, need
from tests.support.stores import FIXTURES

COLUMNS = (
    "id", "added_date", "setting_min_bid", "setting_pass_cards", "setting_no_trump_bid_out",
    "setting_game_over_at_minus_52", "dealer", "player_0_bid", "player_1_bid", "player_2_bid", "player_3_bid",
    "player_0_hand", "player_1_hand", "player_2_hand", "player_3_hand", "played_cards",
    "player_0_ai", "player_1_ai", "player_2_ai", "player_3_ai",
)  # fmt: skip
HEADER = ",".join(COLUMNS).encode()
DUMP = FIXTURES / "playedhand.csv.gz"
SAMPLE = FIXTURES / "playedhand_sample.csv"
EDGE = FIXTURES / "playedhand_edge.csv"


@lru_cache(maxsize=1)
def dump_lines() -> tuple[bytes, ...]:
    """The 20,000 rows, without line ends and without the header."""
    return tuple(gzip.decompress(DUMP.read_bytes()).splitlines()[1:])


def edge_lines() -> list[bytes]:
    """The 80 damaged rows."""
    return EDGE.read_bytes().split(b"\r\n")[1:-1]


@lru_cache(maxsize=1)
def edge_cases() -> dict[int, dict[str, Any]]:
    """The damage done to each row, by its id."""
    return {case["id"]: case for case in json.loads((FIXTURES / "edge_oracle.json").read_text())}


def dump(*lines: bytes, header: bytes = HEADER, end: bytes = b"\n") -> bytes:
    """A file with some rows."""
    return b"".join(line + end for line in (header, *lines))


def changed(line: bytes, **fields: str) -> bytes:
    """A row with other values in some columns."""
    values = line.decode().split(",")
    for name, value in fields.items():
        values[COLUMNS.index(name)] = value
    return ",".join(values).encode()


def field(line: bytes, name: str) -> str:
    """The value of a column."""
    return line.decode().split(",")[COLUMNS.index(name)]


# ---------------------------------------------------------------- the second opinion

RANKS = "23456789TJQKA"
DECK = {rank + suit for rank in "89TJQKA" for suit in "CDHS"} | {"7C", "7D", "5H", "3S"}


class Replay(NamedTuple):
    """The result of a legal row."""

    status: str
    declarer: int | None
    trick_winners: list[int]


def judged(line: bytes) -> Replay | None:
    """The result of a row in the default column order; None if it must not be stored."""
    try:
        return _replay(_parsed(line))
    except Illegal:
        return None


def _parsed(line: bytes) -> dict[str, Any]:
    try:
        (values,) = csv.reader([line.decode("latin-1")], strict=True)
    except (csv.Error, ValueError):
        raise Illegal from None
    need(len(values) == 20)
    row: dict[str, Any] = {
        name: None if value in ("", "\\N") else value for name, value in zip(COLUMNS, values, strict=True)
    }
    need(re.fullmatch(r"0|-?[1-9][0-9]{0,9}", row["id"] or "") and abs(int(row["id"])) < 2**31)
    row["added_date"] = row["added_date"] and moment(row["added_date"])
    for name in ("setting_min_bid", "setting_no_trump_bid_out", "dealer"):
        need(re.fullmatch(r"0|[1-9][0-9]{0,2}", row[name] or ""))
        row[name] = int(row[name])
    need(1 <= row["setting_min_bid"] <= 12)
    need(row["setting_no_trump_bid_out"] in (52, 62))
    need(row["dealer"] in range(4))
    for name in COLUMNS:
        if name.endswith("_ai"):
            need(row[name] in (None, "t", "f", "true", "false"))
    for name in ("setting_pass_cards", "setting_game_over_at_minus_52"):
        need(row[name] in ("t", "f", "true", "false"))
    return row


def moment(text: str) -> datetime:
    """The time in a field, in UTC."""
    shape = r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?(?:Z|([+-])(\d\d):?(\d\d)?)"
    match = re.fullmatch(shape, text, re.ASCII)
    need(match and not text.endswith(":"))
    day, clock, fraction, sign, hours, minutes = match.groups()
    need(int(hours or 0) <= 15 and int(minutes or 0) <= 59)
    offset = timedelta(hours=int(hours or 0), minutes=int(minutes or 0))
    try:
        at = datetime.fromisoformat(f"{day} {clock}").replace(
            tzinfo=UTC, microsecond=int((fraction or "0").ljust(6, "0"))
        )
        return at + offset if sign == "-" else at - offset
    except (ValueError, OverflowError):
        raise Illegal from None


def _cards(text: str | None, most: int) -> list[str]:
    if text is None:
        return []
    need(len(text) % 2 == 0 and len(text) <= 2 * most)
    return [text[i : i + 2] for i in range(0, len(text), 2)]


def _replay(row: dict[str, Any]) -> Replay:
    bids = [row[f"player_{seat}_bid"] for seat in range(4)]
    hands = [_cards(row[f"player_{seat}_hand"], 8) for seat in range(4)]
    played = _cards(row["played_cards"], 32)
    for hand in hands:
        need(len(hand) in (0, 8))
    dealt = [card for hand in hands for card in hand]
    need(len(set(dealt)) == len(dealt) and set(dealt) <= DECK)
    if any(bids) or played:
        need(all(hands))
    order = [(row["dealer"] + 1 + turn) % 4 for turn in range(4)]
    declarer, trump, finished = _auction(bids, order, row["setting_min_bid"])
    if played:
        need(finished and trump)
    winners = _tricks(played, hands, declarer, trump)
    return Replay("complete" if len(played) == 32 else "aborted", declarer if finished else None, winners)


def _auction(bids: list[str | None], order: list[int], lowest: int) -> Any:
    """[R4] to [R9]: the declarer, trump, and whether the auction is over."""
    best, declarer, named = (0, False), None, {}
    spoken = [seat for seat in order if bids[seat] is not None]
    need(spoken == order[: len(spoken)])
    for turn, seat in enumerate(spoken):
        match = re.fullmatch(r"pass|([1-9][0-9]?)([CDHSN]?)", bids[seat] or "")
        need(match)
        if bids[seat] == "pass":
            need(turn < 3 or declarer is not None)
            continue
        bid = int(match[1]), match[2] == "N"
        need(lowest <= bid[0] <= 12)
        need(bid > best or (bid == best and turn == 3))
        best, declarer = bid, seat
        if match[2] and match[2] != "N":
            named[seat] = match[2]
    finished = len(spoken) == 4
    need(not named or (finished and list(named) == [declarer] and not best[1]))
    return declarer, "N" if finished and best[1] else named.get(declarer), finished


def _tricks(played: list[str], hands: list[list[str]], leader: int, trump: str | None) -> list[int]:
    """[R10] and [R11]: the winners of the whole tricks."""
    left = [set(hand) for hand in hands]
    winners = []
    for start in range(0, len(played), 4):
        trick = played[start : start + 4]
        led = trick[0][1]
        strength = []
        for turn, card in enumerate(trick):
            hand = left[(leader + turn) % 4]
            need(card in hand)
            need(card[1] == led or not any(held[1] == led for held in hand))
            hand.remove(card)
            strength.append((card[1] == trump, card[1] == led, RANKS.index(card[0])))
        if len(trick) == 4:
            leader = (leader + strength.index(max(strength))) % 4
            winners.append(leader)
    return winners
