"""phh: hold'em hands in the poker hand history format, with the fields in the order in which its reference
implementation writes them, so that what that wrote comes back byte for byte. Hands are in the order in which
they were read. docs/formats/phh.md says what the format can't tell."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import IO, Any, Final

import numpy as np
import pyarrow as pa

from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.events.columns import hand_labels
from cardlog.pipelines.events.folding import fold_batch
from cardlog.pipelines.export.source_order import in_source_order
from cardlog.pipelines.readers.base import Source
from cardlog.pipelines.readers.phh import reader
from cardlog.pipelines.readers.phh.hands import BETS, FIELDS, SOURCE, STRUCTURES, amount_text
from cardlog.pipelines.storage.store import Store
from cardlog.schemas.cards import UNKNOWN, text
from cardlog.schemas.events import NO_AMOUNT, Action
from cardlog.schemas.reasons import Reason

PHH: Final = "phh"
ONE_HAND: Final = ".phh"
"""The end of the name of a file that is one hand; any other has hands under headers."""
HANDS: Final = pa.schema(
    [("hand_id", pa.string()), ("source_line", pa.int32()), ("source_id", pa.string()), ("text", pa.string())]
)
_BETS: Final = (Action.BID_FOLD, Action.BID_CHECK, Action.BID_CALL, Action.BID_RAISE, Action.BID_BLIND)
_PAID: Final = (
    Action.BID_ANTE, Action.BID_DEAD, Action.BID_BLIND, Action.BID_CALL, Action.BID_RAISE
)  # fmt: skip
AGAINST_THE_RULES: Final = "bets or folds that PHH's rules don't allow"
_VARIANTS: Final = {structure: variant for variant, structure in STRUCTURES.items()}
_BARE_KEY: Final = re.compile(r"[\w-]+", re.ASCII).fullmatch
_CLOCK: Final = re.compile(r"\d\d:\d\d:\d\d(?:\.\d+)?").fullmatch
_CONTROL: Final = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]|'''|'$")


class NotInPhh(Exception):
    """Why a hand can't be written, as the end of a sentence."""


def write(
    store: Store, hands: Iterator[Batch], file: IO[bytes], one_hand: bool
) -> tuple[int, dict[str, int]]:
    """Write hands, or if it must be one, that without a header. Returns how many were written, and how many
    were left out since the format can't tell them, by what it is.

    Raises NotInPhh if it must be one hand and is more.
    """
    count, untold = 0, Counter[str]()
    for table in in_source_order(store, (_rows_of(batch, untold) for batch in hands), HANDS):
        for hand in table.column("text").to_pylist():
            if one_hand and count:
                raise NotInPhh("the store has several hands; name a file that ends in .phhs")
            between = "\n\n" if count else ""
            file.write(
                f"{between}{hand}".encode() if one_hand else f"{between}[{count + 1}]\n{hand}".encode()
            )
            count += 1
    return count, dict(untold)


def _rows_of(batch: Batch, untold: Counter[str]) -> pa.Table:
    """The hands of a batch that the format can tell, as text, and where they were read; counts the others."""
    states = fold_batch(batch).states
    texts: list[str | None] = []
    for hand in range(len(batch)):
        try:
            texts.append(text_of(batch, hand, states[hand]))
        except NotInPhh as error:
            untold[str(error)] += 1
            texts.append(None)
    for hand in _against_the_rules(texts):
        untold[AGAINST_THE_RULES] += 1
        texts[hand] = None
    columns = {
        "hand_id": hand_labels(batch.hand_ids),
        "source_line": batch.events["line"][batch.offsets[:-1]],
        "source_id": pa.array([batch.sources[source] for source in batch.source_of.tolist()], pa.string()),
        "text": pa.array(texts, pa.string()),
    }
    table = pa.table(columns, schema=HANDS)
    return table.filter(table.column("text").is_valid())


def _against_the_rules(texts: list[str | None]) -> list[int]:
    """The hands that the format's own rules forbid, by their texts, which are read again. Odd chips may be
    shared otherwise."""
    lines: dict[int, int] = {}
    text, line = "", 1
    for hand, one in enumerate(texts):
        if one is not None:
            lines[line] = hand
            text += f"[1]\n{one}\n\n"
            line += one.count("\n") + 3
    [found] = reader.read(text.encode(), Source("", "-", PHH, final=True))
    reasons = fold_batch(found.batch).reasons
    allowed = found.first_lines[(reasons == Reason.OK) | (reasons == Reason.SCORE_MISMATCH)]
    return [hand for line, hand in lines.items() if line not in {*allowed.tolist()}]


def text_of(batch: Batch, hand: int, state: Any) -> str:
    """A hand of a batch, with its last state, as text. Raises NotInPhh."""
    return _Hand(batch, hand, state).text()


class _Hand:
    """A hand that becomes text."""

    def __init__(self, batch: Batch, hand: int, state: Any) -> None:
        self.events = batch.events[batch.offsets[hand] : batch.offsets[hand + 1]]
        self.state = state
        opening = json.loads(batch.details[int(self.events["detail"][0])])
        self.settings, self.about = opening["settings"], opening.get("about", {})
        self.source = self.about.pop(SOURCE, {})
        if self.settings["dialect"] != PHH:  # fields that are not in the specification begin like this
            self.about = {f"_{key}" if key not in FIELDS else key: told for key, told in self.about.items()}
        self.decimals = len(str(self.settings["unit"])) - 1
        people, dealer = opening["players"], opening["dealer"]
        order = [(dealer + step) % len(people) for step in range(1, len(people) + 1)]
        if dealer >= len(people):
            order = [*range(len(people))]
        self.seats = [seat for seat in order if people[seat] is not None]
        self.names = [people[seat].get("name", "") for seat in self.seats]
        self.player = {seat: index for index, seat in enumerate(self.seats)}
        self.stacks = [opening["match"]["score"][seat] for seat in self.seats]
        if self.settings["structure"] not in _VARIANTS:
            raise NotInPhh("pot limit")
        if opening.get("boards", 1) > 1:
            raise NotInPhh("a second board")
        if self.settings["dialect"] != PHH:
            self._tell_late_shows()

    def text(self) -> str:
        """The fields of the hand, one per line."""
        variant = _VARIANTS[self.settings["structure"]]
        trimming = self.source.get("ante_trimming_status", self.settings["ante_trimming"])
        fields = {name: _value(value, name) for name, value in self.about.items()}
        fields |= {"variant": _value(variant), "ante_trimming_status": _value(trimming)}
        bets = (self.settings["small_bet"], self.settings["big_bet"])
        lists = self._posted() | {"starting_stacks": self.stacks} | self._results()
        lists |= dict(zip(BETS[variant], ([bet] for bet in bets), strict=False))
        for name, amounts in lists.items():
            texts = self.source.get("written", {}).get(name) or [self._amount(amount) for amount in amounts]
            fields[name] = texts[0] if name in BETS[variant] else f"[{', '.join(texts)}]"
        fields["actions"] = _value(self.source.get("actions") or [*self._actions()])
        seats = [seat + 1 for seat in self.seats]
        if "seats" in self.source or seats != [*range(1, len(seats) + 1)]:
            fields["seats"] = _value(self.source.get("seats", seats))
        if any(self.names):
            fields["players"] = _value(self.names)
        if self.events["amount"][0] != NO_AMOUNT:
            fields["hand"] = str(self.events["amount"][0])
        currency = self.settings["currency"]
        if currency and ("currency" in self.source or currency != self.about.get("currency_symbol")):
            fields["currency"] = _value(currency)
        own = self.source.get("order") or [name for name in self.about if name not in FIELDS]
        return "\n".join(f"{_key(name)} = {fields[name]}" for name in (*FIELDS, *own) if name in fields)

    def _amount(self, amount: int) -> str:
        return amount_text(amount, self.decimals)

    def _posted(self) -> dict[str, list[int]]:
        """Antes, with what nobody has to match, and blinds; those posted out of turn are negative."""
        antes, blinds = [0] * len(self.seats), [0] * len(self.seats)
        highest = 0
        turns = [1, 0] if len(self.seats) == 2 else [*range(len(self.seats))]
        for event in self.events[self.events["action"] != Action.DEAL_OPEN]:
            player, amount = self.player.get(int(event["seat"]), 0), int(event["amount"])
            if event["action"] in (Action.BID_ANTE, Action.BID_DEAD):
                antes[player] += amount
            elif event["action"] == Action.BID_BLIND:
                turn = turns.index(player)
                in_turn = all(blinds[other] for other in turns[1:turn])
                is_more = amount > highest or (amount == highest and turn < 2)
                blinds[player] = amount if in_turn and is_more else -amount
                highest = max(highest, amount)
        if len(self.seats) == 2:
            antes, blinds = antes[::-1], blinds[::-1]
        return {"antes": antes, "blinds_or_straddles": blinds}

    def _results(self) -> dict[str, list[int]]:
        """What the source says of the end, or if that is of another format, the stacks."""
        results = {}
        for name, action in (("winnings", Action.SCORE_HAND), ("finishing_stacks", Action.SCORE_MATCH)):
            told = self.events[self.events["action"] == action]
            amounts = dict(zip(told["seat"].tolist(), told["amount"].tolist(), strict=True))
            if len(amounts) == len(self.seats):
                results[name] = [amounts[seat] for seat in self.seats]
        if self.settings["dialect"] != PHH and self.state["done"]:
            results["finishing_stacks"] = self.state["stack"][self.seats].tolist()
        return results

    def _in_order(self) -> Any:
        """The events, in which players who are all in show all their cards before the rest of the board."""
        actions = self.events["action"]
        last_bet = np.flatnonzero(np.isin(actions, _BETS)).max(initial=0)
        numbers, is_show = np.arange(len(actions)), actions == Action.SCORE_SHOW
        boards = np.flatnonzero((actions == Action.DEAL_BOARD) & (numbers > last_bet))
        if not len(boards):
            return self.events
        early = set(self.events["seat"][is_show & (numbers < boards[0])].tolist())
        moved = is_show & (numbers > boards[0]) & ~np.isin(self.events["seat"], [*early])
        events = self.events.copy()
        for deal in events[actions == Action.DEAL_HAND]:
            events["cards"][moved & (events["seat"] == deal["seat"]) & (events["cards"][:, 0] == UNKNOWN)] = (
                deal["cards"]
            )
        return events[np.argsort(np.where(moved, boards[0] - 0.5, numbers), kind="stable")]

    def _tell_late_shows(self) -> None:
        """Take cards that a player shows after he has mucked them for those he was dealt."""
        numbers = np.flatnonzero(self.events["action"] == Action.SCORE_SHOW)
        first = np.unique(self.events["seat"][numbers], return_index=True)[1]
        numbers, events = np.delete(numbers, first), self.events.copy()
        for again in numbers:
            of_seat = events["seat"] == events["seat"][again]
            events["cards"][(events["action"] == Action.DEAL_HAND) & of_seat] = events["cards"][again]
        self.events = np.delete(events, numbers)

    def _actions(self) -> Iterator[str]:
        """The actions. Cards that are shown once all others have folded are left out. What nobody could call
        is not raised, and to call more than what was posted is a raise."""
        bets, live = np.zeros(len(self.seats), np.int64), {*range(len(self.seats))}
        stacks = np.array(self.stacks, np.int64)
        for event in self._in_order():
            action, seat = int(event["action"]), int(event["seat"])
            player, amount = self.player.get(seat, 0), int(event["amount"])
            cards = "".join(_card(card) for card in event["cards"][: event["count"]].tolist())
            name = f"p{player + 1}"
            if action in _PAID:
                stacks[player] -= amount
            if action == Action.DEAL_HAND:
                yield f"d dh {name} {cards}"
            elif action == Action.DEAL_BOARD:
                bets[:] = 0
                yield f"d db {cards}"
            elif action == Action.BID_FOLD:
                live.discard(player)
                yield f"{name} f"
            elif action == Action.BID_BLIND:
                bets[player] += amount
            elif action in (Action.BID_CHECK, Action.BID_CALL, Action.BID_RAISE):
                highest = bets.max()
                can_call = (stacks + bets)[[*live - {player}]].max(initial=0) > highest
                bets[player] += max(amount, 0)
                raises = bets[player] > highest and (action == Action.BID_CALL or can_call)
                yield f"{name} cbr {self._amount(int(bets[player]))}" if raises else f"{name} cc"
            elif action == Action.SCORE_SHOW and len(live) > 1:
                shown = cards if cards != "????" else self.source.get("muck", "")
                yield f"{name} sm {shown}".rstrip()


def _card(card: int) -> str:
    """A card as PHH writes it: ``Ts``."""
    return "??" if card == UNKNOWN else text(card)[0] + text(card)[1].lower()


def _key(name: str) -> str:
    if _BARE_KEY(name):
        return name
    return f"'{name}'" if "'" not in name and not _CONTROL.search(name) else json.dumps(name)


def _value(value: Any, name: str = "") -> str:
    """A value as TOML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, dict):
        if value.keys() == {"number"}:
            return str(value["number"])
        pairs = value["table"] if value.keys() == {"table"} else value.items()
        return f"{{{', '.join(f'{_key(key)} = {_value(item)}' for key, item in pairs)}}}"
    if not isinstance(value, str):
        return repr(value)
    if name == "time" and _CLOCK(value):
        return value
    if (_CONTROL.search(value) and "'" in value) or "\n" in value:
        return json.dumps(value, ensure_ascii=False)
    return f"'''{value}'''" if "'" in value else f"'{value}'"
