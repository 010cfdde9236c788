"""The actions of PHH hands, all of a block in one compiled pass: texts become events, without anyone asking
what is legal. Whether `cc` is a check or a call, and how many chips `cbr` adds, follows from the bets."""

from typing import Any, Final

import numpy as np

from cardlog.models.engine.compiled import Int, compiled
from cardlog.models.hold_em.state import HOLE_CARDS, MOST_CARDS, MOST_CHIPS, SEATS
from cardlog.schemas import cards
from cardlog.schemas.events import NO_AMOUNT, NO_DETAIL, NO_SEAT, NO_TIME, Action, compiled_dtype

HAND: Final = compiled_dtype(
    [
        ("line", np.int64),  # where the hand begins, and what it says of its end, 0 for nothing
        ("won_line", np.int64),
        ("finish_line", np.int64),
        ("players", np.int64),
        ("decimals", np.int64),  # of the unit
        ("number", np.int64),  # the source's own, or `NO_AMOUNT`
        ("at", np.int64),
        *((name, np.int64, (SEATS,)) for name in ("seats", "antes", "blinds", "stacks", "finish", "won")),
    ]
)
"""What a hand says besides its actions: amounts in units, by player."""

# What is wrong with an action.
FINE, NO_ACTION, NO_PLAYER, NO_CARDS, NO_CHIPS, NOT_PLAYED = range(6)

# What an export has to know of how actions are written, unless all are in the usual form.
OTHERWISE, BARE_MUCK, HIDDEN_MUCK = 1, 2, 4

_MOST_WORDS: Final = 5
_SPACE, _HASH, _POINT, _DASH, _HIDDEN, _ZERO, _NINE, _P, _LINE = (ord(text) for text in " #.-?09p\n")
_D, _F, _CC, _CBR, _SM, _DH, _DB, _SD, _PB = (
    int.from_bytes(word.encode(), "big") for word in ("d", "f", "cc", "cbr", "sm", "dh", "db", "sd", "pb")
)
_RANK, _SUIT = np.full((2, 256), -1, np.int64)
for _table, _letters in ((_RANK, cards.PACK_RANKS), (_SUIT, cards.SUITS.lower())):
    for _number, _letter in enumerate(_letters):
        _table[ord(_letter)] = _number

_KEPT: Final = compiled_dtype(
    [
        ("events", np.int64),  # written so far
        ("style", np.int64),
        ("line", np.int64),  # of the action
        ("words", np.int64),  # of the action, and where they are
        ("starts", np.int64, (_MOST_WORDS,)),
        ("ends", np.int64, (_MOST_WORDS,)),
        ("dealt", np.int64),  # players that have cards, as a mask
        ("hole", np.uint8, (SEATS, HOLE_CARDS)),
        ("bets", np.int64, (SEATS,)),
        ("stacks", np.int64, (SEATS,)),
    ]
)
"""What the pass keeps of a hand."""


def events_of(
    text: bytes, offsets: Any, lines: Any, hands: Any, dtype: np.dtype[np.void]
) -> tuple[Any, Any, Any, Any]:
    """The events of hands.

    text, offsets
        All actions, each ending with a line feed, and where those of each hand begin and the last ones end.
    lines
        The line of each action.
    hands
        Dtype `HAND`: shape (hands,).

    Returns the events; where those of each hand end, and how its actions are written: shape (hands,); and
    what is wrong with each hand, and the index of the action at fault: shape (hands, 2).
    """
    events = np.zeros(len(lines) + len(hands) * (5 * SEATS + 1), dtype)
    found = (
        np.zeros(len(hands), np.int64),
        np.zeros(len(hands), np.int64),
        np.zeros((len(hands), 2), np.int64),
    )
    told = np.frombuffer(text or b"\n", np.uint8), offsets, lines
    count = _all(told, hands, np.zeros(1, _KEPT)[0], events, found)
    return events[:count], *found


@compiled
def _all(told: Any, hands: Any, kept: Any, events: Any, found: Any) -> Int:
    ends, styles, faults = found
    text, offsets, lines = told
    action: Int = 0
    for index in range(len(hands)):
        hand, begun = hands[index], kept.events
        fault: Int = FINE
        _open(hand, index, kept, events)
        at, number = offsets[index], 0
        while at < offsets[index + 1]:
            end = at
            while text[end] != _LINE:
                end += 1
            if fault == FINE:
                kept.line = lines[action]
                _split(text, at, end, kept)
                fault = _act(text, hand, kept, events)
                faults[index, 0], faults[index, 1] = fault, number
            at = end + 1
            number += 1
            action += 1
        if fault == FINE:
            _close(hand, kept, events)
        else:
            kept.events = begun
        ends[index], styles[index] = kept.events, kept.style
    return np.int64(kept.events)


@compiled
def _put(events: Any, kept: Any, action: Int, seat: Int, amount: Int) -> Any:
    """Add an event."""
    event = events[kept.events]
    kept.events += 1
    event.action, event.seat, event.suit, event.count = action, seat, -1, 0
    event.amount, event.line, event.detail, event.at = amount, kept.line, NO_DETAIL, NO_TIME
    return event


@compiled
def _open(hand: Any, index: Int, kept: Any, events: Any) -> None:
    """The opening, antes and blinds; of those the ones out of turn, which are negative, come last. The player
    after the last of the highest opens, so that one comes before those of the same amount."""
    kept.style, kept.dealt, kept.line = 0, 0, hand.line
    kept.bets[:] = 0
    event = _put(events, kept, Action.DEAL_OPEN, NO_SEAT, hand.number)
    event.detail, event.at = index, hand.at
    for player in range(hand.players):
        ante = min(hand.antes[player], hand.stacks[player])
        kept.stacks[player] = hand.stacks[player] - ante
        if ante > 0:
            _put(events, kept, Action.BID_ANTE, hand.seats[player], ante)
    highest: Int = 0
    first: Int = 0
    last: Int = 0
    for player in range(np.int64(hand.players)):
        blind = min(hand.blinds[player], kept.stacks[player])
        first = player if blind > highest else first
        highest = max(highest, blind)
        last = player if blind == highest else last
    for turn in range(2 * hand.players):
        player = turn % hand.players
        if 2 < hand.players > turn and player in (first, last):
            player = first + last - player
        if hand.players == 2:  # the button has the small blind
            player = 1 - player
        blind = hand.blinds[player] if turn < hand.players else -hand.blinds[player]
        blind = min(blind, kept.stacks[player])
        if blind > 0:
            _put(events, kept, Action.BID_BLIND, hand.seats[player], blind)
            kept.bets[player] = blind
            kept.stacks[player] -= blind


@compiled
def _close(hand: Any, kept: Any, events: Any) -> None:
    """What the hand says of its end."""
    for player in range(hand.players if hand.won_line else 0):
        kept.line = hand.won_line
        _put(events, kept, Action.SCORE_HAND, hand.seats[player], hand.won[player])
    for player in range(hand.players if hand.finish_line else 0):
        kept.line = hand.finish_line
        _put(events, kept, Action.SCORE_MATCH, hand.seats[player], hand.finish[player])


# ---------------------------------------------------------------- words


@compiled
def _split(text: Any, start: Int, end: Int, kept: Any) -> None:
    """The words of an action, up to a comment."""
    kept.words = 0
    at, used = start, -1
    while at < end and text[at] != _HASH:
        if text[at] == _SPACE:
            at += 1
            continue
        word = min(kept.words, _MOST_WORDS - 1)
        kept.starts[word] = at
        while at < end and text[at] != _SPACE:
            at += 1
        kept.ends[word] = at
        used += at - kept.starts[word] + 1
        kept.words += 1
    if used != end - start:
        kept.style |= OTHERWISE


@compiled
def _word(text: Any, kept: Any, word: Int) -> Int:
    """A word of at most three characters as a number; 0 for none."""
    value: Int = 0
    if word < kept.words and kept.ends[word] - kept.starts[word] <= 3:
        for at in range(kept.starts[word], kept.ends[word]):
            value = value * 256 + np.int64(text[at])
    return value


@compiled
def _player(text: Any, kept: Any, word: Int, players: Int) -> Int:
    """The index of the player that a word such as ``p3`` names, -1 for none."""
    start, end = kept.starts[word], kept.ends[word]
    if word >= kept.words or text[start] != _P or not 2 <= end - start <= 3:
        return -1
    number: Int = 0
    for at in range(start + 1, end):
        if not _ZERO <= text[at] <= _NINE:
            return -1
        number = 10 * number + np.int64(text[at]) - _ZERO
    return number - 1 if number <= players else -1


@compiled
def _amount(text: Any, kept: Any, word: Int, digits: Int) -> Int:
    """An amount in units of `digits` decimals, at most `MOST_CHIPS`; -1 for none."""
    value, decimals = np.int64(0), np.int64(-1)
    for at in range(kept.starts[word], kept.ends[word]):
        if text[at] == _POINT and decimals < 0:
            decimals = np.int64(0)
        elif _ZERO <= text[at] <= _NINE:
            value = min(10 * value + np.int64(text[at]) - _ZERO, np.int64(10 * MOST_CHIPS))
            decimals += decimals >= 0
        else:
            return -1
    if decimals >= 0 and (decimals != digits or value % 10**digits == 0):
        kept.style |= OTHERWISE  # an export writes all decimals of the unit, or none
    for _ in range(max(decimals, np.int64(0)), digits):
        value = min(10 * value, np.int64(10 * MOST_CHIPS))
    return min(value, np.int64(MOST_CHIPS))


@compiled
def _take_cards(text: Any, kept: Any, word: Int, event: Any) -> bool:
    """Give an event the cards of a word; False if it has other text. A card known in part is hidden."""
    start, end = kept.starts[word], kept.ends[word]
    count = (end - start) // 2
    if word >= kept.words or (end - start) % 2 or count > MOST_CARDS:
        return False
    event.count = count
    for index in range(count):
        first, second = text[start + 2 * index], text[start + 2 * index + 1]
        hidden = (first == _HIDDEN) + (second == _HIDDEN)
        if (_RANK[first] < 0 and first != _HIDDEN) or (_SUIT[second] < 0 and second != _HIDDEN):
            return False
        if hidden == 1:
            kept.style |= OTHERWISE
        event.cards[index] = cards.UNKNOWN if hidden else cards.SUIT_STRIDE * _SUIT[second] + _RANK[first]
    return True


# ---------------------------------------------------------------- actions


@compiled
def _act(text: Any, hand: Any, kept: Any, events: Any) -> Int:
    """The events of an action; returns what is wrong with it."""
    if kept.words == 0:
        return FINE  # a comment
    verb, is_dealer = _word(text, kept, 1), _word(text, kept, 0) == _D
    if is_dealer and verb == _DB:
        _deal_hidden(hand, kept, events)
        kept.bets[:] = 0
        event = _put(events, kept, Action.DEAL_BOARD, NO_SEAT, NO_AMOUNT)
        return FINE if kept.words == 3 and _take_cards(text, kept, 2, event) else NO_CARDS
    if is_dealer and verb != _DH:
        return NO_ACTION
    player = _player(text, kept, 2 if is_dealer else 0, hand.players)
    if player < 0:
        return NO_PLAYER
    if is_dealer:
        event = _put(events, kept, Action.DEAL_HAND, hand.seats[player], NO_AMOUNT)
        if kept.words != 4 or not _take_cards(text, kept, 3, event):
            return NO_CARDS
        kept.dealt |= 1 << player
        kept.hole[player, 0], kept.hole[player, 1] = event.cards[0], event.cards[1]
        return FINE
    if verb == _SM:
        return _show(text, player, _put(events, kept, Action.SCORE_SHOW, hand.seats[player], NO_AMOUNT), kept)
    if verb in (_SD, _PB):
        return NOT_PLAYED
    _deal_hidden(hand, kept, events)
    return _bet(text, hand, player, hand.seats[player], kept, events)


@compiled
def _bet(text: Any, hand: Any, player: Int, seat: Int, kept: Any, events: Any) -> Int:
    """A player folds, checks or calls, bets or raises."""
    verb = _word(text, kept, 1)
    owed: Int = 0
    for other in range(hand.players):
        owed = max(owed, np.int64(kept.bets[other] - kept.bets[player]))
    paid: Int = 0
    if verb == _F:
        _put(events, kept, Action.BID_FOLD, seat, NO_AMOUNT)
    elif verb == _CC and owed == 0:
        _put(events, kept, Action.BID_CHECK, seat, NO_AMOUNT)
    elif verb == _CC:
        paid = min(owed, kept.stacks[player])
        _put(events, kept, Action.BID_CALL, seat, paid)
    elif verb == _CBR and kept.words == 3:
        amount = _amount(text, kept, 2, hand.decimals)
        if amount < 0:
            return NO_CHIPS
        paid = amount - kept.bets[player]
        _put(events, kept, Action.BID_RAISE, seat, paid)
    else:
        return NO_ACTION
    kept.bets[player] += paid
    kept.stacks[player] -= paid
    return FINE if kept.words == 2 or verb == _CBR else NO_ACTION


@compiled
def _deal_hidden(hand: Any, kept: Any, events: Any) -> None:
    """Hidden cards for players who were dealt none before the first bet."""
    for player in range(hand.players):
        if kept.dealt >> player & 1 == 0:
            kept.style |= OTHERWISE
            kept.dealt |= 1 << player
            kept.hole[player, :] = cards.UNKNOWN
            event = _put(events, kept, Action.DEAL_HAND, hand.seats[player], NO_AMOUNT)
            event.count, event.cards[0], event.cards[1] = HOLE_CARDS, cards.UNKNOWN, cards.UNKNOWN


@compiled
def _show(text: Any, player: Int, event: Any, kept: Any) -> Int:
    """A player shows cards, all he was dealt for ``-``, or mucks them, which is to show hidden ones."""
    own = kept.words == 3 and kept.ends[2] - kept.starts[2] == 1 and text[kept.starts[2]] == _DASH
    if own or kept.words == 2:
        event.count = HOLE_CARDS
        for index in range(HOLE_CARDS):
            event.cards[index] = kept.hole[player, index] if own else cards.UNKNOWN
        kept.style |= OTHERWISE if own else BARE_MUCK
        return FINE
    if kept.words != 3 or not _take_cards(text, kept, 2, event):
        return NO_CARDS
    if event.cards[0] == cards.UNKNOWN and event.cards[1] == cards.UNKNOWN:
        kept.style |= HIDDEN_MUCK
    return FINE
