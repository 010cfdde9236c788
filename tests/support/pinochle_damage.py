"""Damage done to transcripts of Pinochle's protocol, and a second opinion on the hands that are stored.

The second opinion shares no code with the rules under test: hands are lists of texts, and the rules are
those of docs/rules/pinochle.md, written down again.
"""

import json
import random
import re
from collections import Counter
from functools import cache
from typing import Any

from cardlog.pipelines.storage.batch import Batch
from cardlog.schemas import cards
from cardlog.schemas.events import ACTIONS, NO_AMOUNT, NO_DETAIL
from tests.support.pinochle_logs import sample

RANKS = "ATKQJ9"
PACK = [rank + suit for suit in "DCHS" for rank in RANKS]

# ---------------------------------------------------------------- damage


@cache
def sessions() -> tuple[bytes, ...]:
    """The sessions of the sample, each with its mark."""
    mark = b"=== SESSION"
    return tuple(mark + part for part in sample().split(mark)[1:])


def excerpts(chance: random.Random, *hands: int) -> bytes:
    """The beginnings of some sessions, each with its mark and so many hands, no session twice."""
    texts = chance.sample(sessions(), len(hands))
    return b"".join(_beginning(text, count) for text, count in zip(texts, hands, strict=True))


def _beginning(text: bytes, hands: int) -> bytes:
    deals = [found.start() for found in re.finditer(rb'(?m)^--> .*"Type":"Deal"}$', text)]
    return text[: deals[hands]] if len(deals) > hands else text


BYTES = b"\x00\r\t \"',.;:-+{}[]\\0123456789TJQKACDHSNPlayBidTrumpMeld<>\x7f\x80\xc3\xff"


def damaged(chance: random.Random, text: bytes) -> bytes:
    """The text with one to four things wrong with it."""
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        lines = text.splitlines(keepends=True)
        place = chance.randrange(len(lines))
        what = chance.randrange(10)
        if what <= 2:
            at = chance.randrange(len(text))
            new = bytes([chance.choice(BYTES)])
            after = chance.choice((new + text[at + 1 :], new + text[at:], text[at + 1 :]))
            text = text[:at] + after
            continue
        if what == 3:
            del lines[place]
        elif what == 4:
            lines.insert(place, lines[place])
        elif what == 5:
            other = chance.randrange(len(lines))
            lines[place], lines[other] = lines[other], lines[place]
        elif what == 6:
            lines[place:] = lines[place + chance.randrange(1, 60) :]
        elif what == 7:
            lines.insert(place, chance.choice(lines))
        else:
            lines[place] = other_value(chance, lines[place])
        text = b"".join(lines) or b"\n"
    return text


def other_value(chance: random.Random, line: bytes) -> bytes:
    """The line with another card, number or seat in it."""
    head, brace, body = line.partition(b"{")
    try:
        pairs: dict[str, Any] = json.loads(brace + body)
    except ValueError:
        return line
    name = chance.choice(list(pairs))
    value = pairs[name]
    if isinstance(value, bool):
        pairs[name] = not value
    elif isinstance(value, int):
        pairs[name] = chance.choice((value + 1, value - 1, 0, 1, 2, 3, 4, 20, 25, 2**31, -1, 1.5, None))
    elif isinstance(value, str) and len(value) == 2:
        pairs[name] = chance.choice((*PACK, "8D", "XX", ""))
    elif isinstance(value, str) and len(value) == 1:
        pairs[name] = chance.choice(("C", "D", "H", "S", "N", "~", ""))
    elif isinstance(value, list) and value:
        place = chance.randrange(len(value))
        if isinstance(value[0], str):
            value[place] = chance.choice(PACK)
        else:
            value[place] += chance.choice((-1, 1, 10))
        if chance.random() < 0.2:
            value.pop()
    elif isinstance(value, str):
        digits = [place for place, letter in enumerate(value) if letter.isdigit()]
        if digits:
            place = chance.choice(digits)
            pairs[name] = value[:place] + str(chance.randrange(10)) + value[place + 1 :]
        else:
            pairs[name] = chance.choice(("Play", "Bid", "Meld", "Deal", "Score", "Hello", "Nothing"))
    if chance.random() < 0.1:
        pairs["Extra"] = 1
    return head + json.dumps(pairs, separators=(",", ":"), sort_keys=True).encode() + b"\n"


# ---------------------------------------------------------------- the second opinion


class Illegal(AssertionError):
    """The hand breaks a rule."""


def must(right: bool, what: str) -> None:
    if not right:
        raise Illegal(what)


def strength(card: str) -> int:
    return -RANKS.index(card[0])


def beats(card: str, best: str, trump: str | None) -> bool:
    if card[1] == best[1]:
        return strength(card) > strength(best)
    return card[1] == trump


def legal(hand: list[str], table: list[str], trump: str | None) -> set[str]:
    """R10 by its words."""
    if not table:
        return set(hand)
    best = table[0]
    for card in table[1:]:
        if beats(card, best, trump):
            best = card
    allowed = [card for card in hand if card[1] == table[0][1]]
    allowed = allowed or [card for card in hand if card[1] == trump]
    if not allowed:
        return set(hand)
    winning = [card for card in allowed if beats(card, best, trump)]
    return set(winning or allowed)


def melds(hand: list[str], trump: str | None) -> tuple[int, Counter[str]]:
    """R7 and R8 by their words: the worth, and how often each card is shown."""
    held = Counter(hand)
    points = 0
    shown: Counter[str] = Counter()

    def show(names: list[str], times: int) -> None:
        for name in names:
            shown[name] = max(shown[name], times)

    for suit in "CDHS":
        pairs = min(held["K" + suit], held["Q" + suit])
        runs = min(held[rank + suit] for rank in "ATKQJ") if suit == trump else 0
        if suit == trump:
            points += held["9" + suit]
            show(["9" + suit], held["9" + suit])
            points += {0: 4 * pairs, 1: 15 + 4 * (pairs - 1), 2: 150}[runs]
            show([rank + suit for rank in "ATKQJ"], runs)
        else:
            points += 2 * pairs
        show(["K" + suit, "Q" + suit], pairs)
    for rank, worth in zip("AKQJ", (10, 8, 6, 4), strict=True):
        times = min(held[rank + suit] for suit in "CDHS")
        points += {0: 0, 1: worth, 2: 10 * worth}[times]
        show([rank + suit for suit in "CDHS"], times)
    times = min(held["JD"], held["QS"])
    points += {0: 0, 1: 4, 2: 30}[times]
    show(["JD", "QS"], times)
    return points, +shown


def judge_hand(batch: Batch, hand: int) -> str:
    """``complete`` or ``aborted``, by the events of a stored hand alone. Raises Illegal."""
    events = batch.events[batch.offsets[hand] : batch.offsets[hand + 1]]
    opening = json.loads(batch.details[events["detail"][0]])
    program = opening["settings"]["dialect"]
    dealer = opening["dealer"]
    hands: list[list[str]] = []
    unknown: list[int] = []
    bids: list[int] = []
    high, declarer, trump, phase = 20, dealer, None, "deal"
    points, tricks, score = [0, 0], [0, 0], [0, 0]
    worth: dict[int, int] = {}
    table: list[str] = []
    turn = leader = 0
    fallen = 0
    last: tuple[int, str, int] | None = None
    for event in events[1:]:
        kind, name = ACTIONS[event["action"]].kind, ACTIONS[event["action"]].name
        seat, amount = int(event["seat"]), int(event["amount"])
        shown = [cards.text(int(card)) for card in event["cards"][: event["count"]]]
        if kind == "deal":
            must(phase == "deal" and seat == len(hands) and len(shown) == 12, "deal")
            hands.append([card for card in shown if card != "??"])
            unknown.append(shown.count("??"))
            if len(hands) == 4:
                phase, turn = "bid", (dealer + 1) % 4
        elif kind == "bid" and name in ("bid", "pass"):
            must(phase == "bid" and seat == turn, "bid out of turn")
            bids.append(amount if name == "bid" else 0)
            if bids[-1] > high:
                high, declarer = bids[-1], seat
            turn = (turn + 1) % 4
            if len(bids) == 4 or (len(bids) == 3 and high == 20 and program != "jan2013"):
                phase = "name"
        elif kind == "bid":
            must(phase == "name" and seat == declarer, "trump by another")
            phase = "meld"
            if name == "trump":
                trump = "CDHSN"[event["suit"]]
            elif program == "jan2013":
                trump = opening.get("match", {}).get("trump")
            else:
                phase = "done"
                score = [0, 0]
                score[declarer % 2] = -high
        elif kind == "meld":
            must(phase == "meld" and seat not in worth, "meld")
            worth[seat] = amount
            held = Counter(hands[seat])
            double = trump is not None and all(shown.count(rank + trump) == 2 for rank in "ATKQJ")
            if unknown[seat]:
                more = Counter(shown) - held
                if double:
                    more["9" + str(trump)] = 0
                must(sum((+more).values()) <= unknown[seat], "melds more than it holds")
            else:
                value, found = melds(hands[seat], trump)
                if double:
                    found["9" + str(trump)] = 2
                must((value, found) == (amount, Counter(shown)), "meld")
            if len(worth) == 4:
                phase, turn = "play", declarer
        elif kind == "play":
            must(phase == "play" and seat == turn, "play out of turn")
            if not table:
                leader = turn
            [card] = shown
            if card not in hands[seat]:
                must(unknown[seat] > 0, "card not held")
                unknown[seat] -= 1
                hands[seat].append(card)
            must(card in legal(hands[seat], table, trump), "illegal card")
            hands[seat].remove(card)
            fallen += 1
            table.append(card)
            turn = (turn + 1) % 4
            if event["detail"] != NO_DETAIL:
                must(seat == 0, "only the client is refused")
            if len(table) == 4:
                best = 0
                for place in range(1, 4):
                    if beats(table[place], table[best], trump):
                        best = place
                turn = (leader + best) % 4
                value = sum(card[0] in "ATK" for card in table) + (fallen == 48)
                last = turn, table[best], value
                points[turn % 2] += value
                tricks[turn % 2] += 1
                table = []
                if fallen == 48:
                    phase = "done"
                    for team in range(2):
                        needs = program == "book" or (program == "head2014" and team != declarer % 2)
                        meld = worth[team] + worth[team + 2]
                        total = points[team] + (meld if tricks[team] or not needs else 0)
                        score[team] = -high if team == declarer % 2 and total < high else total
        elif name == "trick":
            must(last is not None and not table, "trick")
            assert last is not None
            must(seat == last[0] and shown in ([], [last[1]]) and amount in (NO_AMOUNT, last[2]), "trick")
        elif name == "match":
            must(phase == "done", "score before the end")
            before = opening.get("match", {}).get("score")
            must(before is None or before[seat] + score[seat] == amount, "score")
    every = Counter(card for hand in hands for card in hand)
    must(max(every.values(), default=0) <= 2, "three of a card")
    return "complete" if phase == "done" else "aborted"
