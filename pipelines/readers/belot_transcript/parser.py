"""A hand of belot's transcripts: its lines, one after the other, made into events.

The lines must come in the order in which the programs print them. One that is missing, or comes where
it can't, spoils the hand; what the cards allow is judged later, by the rules.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cardlog.models.belote import rules as belote
from cardlog.models.belote.score import SEATS
from cardlog.models.belote.state import HAND_CARDS, SEEN_IN_BIDDING
from cardlog.models.compiled import Int, compiled
from cardlog.pipelines.readers.belot_transcript import lines
from cardlog.pipelines.readers.belot_transcript.deal import fill_deal, next_before, settle, skip_to_totals
from cardlog.pipelines.readers.belot_transcript.hands import TOLD
from cardlog.pipelines.readers.belot_transcript.lines import NO_CARD, cards_at, number_at, starts_with
from cardlog.pipelines.readers.belot_transcript.state import (
    BAD_CARD,
    CONTRADICTS,
    FINE,
    MISSING,
    MUST_BID,
    NAME,
    NO_BEGINNING,
    NO_DEALER,
    NO_NAMES,
    NO_SPEAKER,
    NOTHING,
    NUMBER,
    PAIR_NAMES,
    PLACE,
    REASONS,
    SETS_OF_A_LINE,
    WALK,
    add,
    begin,
    who,
    who_after,
)
from cardlog.pipelines.readers.scan import Bytes


@compiled
def parse(
    buffer: Bytes,
    kinds: NDArray[np.uint8],
    begins: NDArray[np.int64],
    finishes: NDArray[np.int64],
    numbers: NDArray[np.int64],
    names: Bytes,
    name_at: NDArray[np.int64],
    first_line: int,
    hands: Any,
    matches: Any,
    events: Any,
) -> int:
    """Make events of all hands, and find the score of the match before each; returns how many there are.

    names, name_at
        The names of each match's players and pairs, one after the other, and where each begins and
        ends: shape (matches, `NAMES`, 2); it begins at -1 where it is not known.
    hands
        In: what `segment` found. Out: the rest of `HAND`.
    """
    walk = np.zeros(1, WALK)[0:1]
    cards_of_line = np.zeros(HAND_CARDS, np.uint8)
    size: Int = np.int64(0)
    last_match = -1
    for place in range(len(hands)):
        hand = hands[place]
        hand.offset = size
        begin(walk[0], hand, size)
        if hand.match != last_match:
            last_match = hand.match
            if matches[hand.match].fresh != TOLD:
                hand.befores = matches[hand.match].fresh
                hand.before[:] = 0
        what = FINE
        if hand.stray:
            what = NO_BEGINNING if kinds[hand.first] != lines.UNKNOWN else NOTHING
            walk[0].line = hand.first
        elif name_at[hand.match, 0, 0] < 0:
            what = NO_NAMES
            walk[0].line = hand.first
        else:
            what = _walk_hand(
                buffer, kinds, begins, finishes, numbers, names, name_at[hand.match], first_line, hand,
                walk[0], events, cards_of_line,
            )  # fmt: skip
        if what == FINE and hand.dealer < 0:
            what = NO_DEALER
            walk[0].line = hand.first
        if what != FINE:
            hand.reason = REASONS[what]
            hand.what = what
            hand.line = walk[0].line
            skip_to_totals(walk[0], hand, numbers)
        else:
            fill_deal(walk[0], hand, events, first_line)
            size = walk[0].made
        settle(walk[0], hand)
        if place + 1 < len(hands):
            next_before(walk[0], hand, hands[place + 1])
    return int(size)


_PLAYER: Final = np.frombuffer(b"Player ", np.uint8)
_DECLARATIONS: Final = np.frombuffer(b"Declarations ", np.uint8)
_DECLARATIONS_2: Final = np.frombuffer(b"tDeclarations ", np.uint8)
"""What the program writes for all but the first player."""


@compiled
def _walk_hand(
    buffer: Bytes,
    kinds: NDArray[np.uint8],
    begins: NDArray[np.int64],
    finishes: NDArray[np.int64],
    numbers: NDArray[np.int64],
    names: Bytes,
    name_at: NDArray[np.int64],
    first_line: int,
    hand: Any,
    walk: Any,
    events: Any,
    found: Any,
) -> int:
    """Go through the lines of a hand; returns what is wrong with one of them."""
    for line in range(hand.first, hand.last + 1):
        kind = kinds[line]
        if kind in (lines.BLANK, lines.NOISE, lines.PARTIAL):
            continue
        walk.line = line
        start, end, number = begins[line], finishes[line], numbers[line]
        if kind in (lines.UNKNOWN, lines.TRACE, lines.MARK):
            return NOTHING
        if kind == lines.SHARING:
            if line != hand.first:
                return PLACE
        elif kind == lines.DEALER:
            if hand.dealer >= 0:
                return PLACE
            hand.dealer = who(buffer, start, end, names, name_at, 0)
            hand.dialect = number
            if hand.dealer < 0:
                return NAME
        elif hand.dealer < 0:
            return MISSING
        else:
            what = FINE
            if kind in (lines.HEADER, lines.CARD, lines.TRICK, lines.BELA):
                what = _in_play(
                    buffer, kind, start, end, number, names, name_at, first_line, hand, walk, events
                )
            elif kind < lines.POINTS:
                what = _before_play(
                    buffer, kind, start, end, number, names, name_at, first_line, hand, walk, events, found
                )
            else:
                what = _after_play(
                    buffer, kind, start, end, number, names, name_at, first_line, hand, walk, events
                )
            if what != FINE:
                return what
    return FINE


@compiled
def _before_play(
    buffer: Bytes,
    kind: int,
    start: Int,
    end: Int,
    number: Int,
    names: Bytes,
    name_at: NDArray[np.int64],
    first_line: int,
    hand: Any,
    walk: Any,
    events: Any,
    found: Any,
) -> int:
    """Lines of the deal, the bidding and the declarations, and what the keyboard is asked."""
    if kind == lines.HAND_CARDS:
        if walk.bids or walk.named or walk.speaker >= 0 or walk.shown >> number & 1:
            return PLACE
        count = cards_at(buffer, start, end, walk.dealt[number])
        walk.shown |= 1 << number
        walk.shown_at[number] = walk.line
        return FINE if count == HAND_CARDS else BAD_CARD if count < 0 else NUMBER
    if kind in (lines.DECLARATIONS, lines.NO_DECLARATION, lines.DECLARATION):
        return _declarations(
            buffer, kind, start, end, number, names, name_at, first_line, walk, events, found
        )
    if walk.speaker < 0 or walk.block:
        return PLACE
    if kind == lines.MUST:
        return FINE if (number == 1) == (walk.speaker == hand.dealer) else MUST_BID
    if kind in (lines.CHOICE, lines.PROMPT):
        hand.prompted |= 1 << walk.speaker
        return FINE
    if kind == lines.OWN_CARDS:
        hand.prompted |= 1 << walk.speaker
        return _own_cards(buffer, start, end, walk, found)
    if walk.named:
        return PLACE
    seat = who_after(buffer, start, end, _PLAYER, names, name_at, walk.speaker)
    if seat < 0:
        return NAME
    if seat != walk.speaker:
        return PLACE
    if kind == lines.PASS:
        add(events, walk, first_line, belote.BID_PASS, seat)
    else:
        add(events, walk, first_line, belote.NAME_TRUMP, seat).suit = lines.SUITS[number]
        walk.named = 1
    walk.bids += 1
    walk.speaker = NO_SPEAKER
    hand.acted |= 1 << seat
    return FINE


@compiled
def _own_cards(buffer: Bytes, start: Int, end: Int, walk: Any, found: Any) -> int:
    """The cards that a player at the keyboard is shown: six while bidding, later all it holds."""
    while start < end and buffer[start] == 32:
        start += 1
    if end - start < 2 or buffer[start] != 91 or buffer[end - 1] != 93:
        return NOTHING
    count = cards_at(buffer, start + 1, end - 1, found)
    if count < 0:
        return BAD_CARD
    seat = walk.speaker
    if count != (HAND_CARDS - walk.played[seat] if walk.named else SEEN_IN_BIDDING):
        return NUMBER
    if walk.played[seat] == 0:
        for place in range(walk.own[seat]):
            if walk.own_cards[seat, place] != found[place]:
                return CONTRADICTS
        walk.own[seat] = count
        walk.own_cards[seat, :count] = found[:count]
    return FINE


@compiled
def _declarations(
    buffer: Bytes,
    kind: int,
    start: Int,
    end: Int,
    number: Int,
    names: Bytes,
    name_at: NDArray[np.int64],
    first_line: int,
    walk: Any,
    events: Any,
    found: Any,
) -> int:
    """``Vocations:``, then either that there are none or a line for each player who has some."""
    if not walk.named or walk.plays or walk.speaker >= 0 or walk.block:
        return PLACE
    if kind == lines.DECLARATIONS:
        walk.heading += 1
        return FINE if walk.heading == 1 else PLACE
    if not walk.heading:
        return MISSING
    if walk.declared < 0 or (kind == lines.NO_DECLARATION and walk.declared > 0):
        return CONTRADICTS
    if kind == lines.NO_DECLARATION:
        walk.declared = -1
        return FINE
    seat = who_after(buffer, start, end, _DECLARATIONS, names, name_at, NO_SPEAKER)
    if seat < 0 and starts_with(buffer, start, end, _DECLARATIONS_2):
        seat = who(buffer, start + len(_DECLARATIONS_2), end, names, name_at, 0)
    if seat < 0:
        return NAME
    return _sets(buffer, number, seat, first_line, walk, events, found)


@compiled
def _sets(buffer: Bytes, start: Int, seat: int, first_line: int, walk: Any, events: Any, found: Any) -> int:
    """``{PIK ♠ X, PIK ♠ IX, PIK ♠ VIII}, {…}]``: the sets of one player."""
    place = start
    for _ in range(SETS_OF_A_LINE):
        if place >= len(buffer) or buffer[place] != 123:
            return NOTHING
        stop = place + 1
        while stop < len(buffer) and buffer[stop] != 125 and buffer[stop] != 10:
            stop += 1
        count = cards_at(buffer, place + 1, stop, found)
        if count < 0 or stop + 1 >= len(buffer):
            return BAD_CARD
        event = add(events, walk, first_line, belote.DECLARE, seat)
        event.count = count
        event.cards[:count] = found[:count]
        for card in range(count):
            walk.melded[seat] |= np.int64(1) << found[card]
        walk.declared += 1
        if buffer[stop + 1] == 93:
            return FINE if stop + 2 >= len(buffer) or buffer[stop + 2] in (10, 13, 32) else NOTHING
        if buffer[stop + 1] != 44:
            return NOTHING
        place = stop + 3
    return NUMBER


@compiled
def _in_play(
    buffer: Bytes,
    kind: int,
    start: Int,
    end: Int,
    number: Int,
    names: Bytes,
    name_at: NDArray[np.int64],
    first_line: int,
    hand: Any,
    walk: Any,
    events: Any,
) -> int:
    """Headers, cards, bela, and who takes a trick."""
    if walk.block or walk.swept:
        return PLACE
    if kind == lines.TRICK:
        if not walk.open_trick:
            return PLACE
        seat = who(buffer, start, end, names, name_at, 0)
        if seat < 0:
            return NAME
        add(events, walk, first_line, belote.SCORE_TRICK, seat).amount = number
        walk.open_trick = 0
        return FINE
    if kind == lines.HEADER:
        if walk.speaker >= 0 or walk.open_trick or (walk.named and walk.declared == 0):
            return MISSING
        walk.speaker = who(buffer, start, end, names, name_at, 0)
        return FINE if walk.speaker >= 0 else NAME
    if walk.speaker < 0 or not walk.named:
        return PLACE
    seat = walk.speaker
    if kind == lines.BELA:
        if walk.claimed:
            return PLACE
        walk.claimed = 1
        add(events, walk, first_line, belote.CLAIM_BELA, seat)
        return FINE
    if walk.plays == SEATS * HAND_CARDS or walk.played[seat] == HAND_CARDS:
        return PLACE
    if number == NO_CARD:
        return BAD_CARD
    event = add(events, walk, first_line, belote.PLAY_CARD, seat)
    event.count = 1
    event.cards[0] = number
    walk.played_cards[seat, walk.played[seat]] = number
    walk.played[seat] += 1
    walk.plays += 1
    walk.open_trick = walk.plays % SEATS == 0
    walk.speaker = NO_SPEAKER
    walk.claimed = 0
    hand.acted |= 1 << seat
    return FINE


@compiled
def _after_play(
    buffer: Bytes,
    kind: int,
    start: Int,
    end: Int,
    number: Int,
    names: Bytes,
    name_at: NDArray[np.int64],
    first_line: int,
    hand: Any,
    walk: Any,
    events: Any,
) -> int:
    """What the hand comes to."""
    if walk.plays < SEATS * HAND_CARDS or walk.open_trick:
        return MISSING
    told = walk.swept or (walk.block == 1 and walk.told == 2)
    if kind == lines.POINTS:
        if walk.block or walk.swept:
            return PLACE
        walk.block = 1
        walk.told = 0
        return FINE
    if kind == lines.TOTALS:
        if not told:
            return MISSING
        if walk.nothing >= 0 and not walk.final:
            add(events, walk, first_line, belote.SCORE_HAND, walk.nothing).amount = 0
        walk.block = 2
        walk.told = 0
        return FINE
    if kind == lines.FINAL_POINTS:
        if not told or walk.final:
            return PLACE
        walk.final = 1
        walk.brings[0] = number_at(buffer, start, end)
        walk.brings[1] = number
        if walk.nothing >= 0 and walk.brings[walk.nothing] != 0:
            return CONTRADICTS
        for team in range(2):
            add(events, walk, first_line, belote.SCORE_HAND, team).amount = walk.brings[team]
        return FINE
    team = who(buffer, start, end, names, name_at, PAIR_NAMES)
    if team < 0:
        return NAME
    if kind == lines.PAIR_POINTS:
        if walk.block == 0 or walk.told != team:
            return PLACE
        walk.told += 1
        if walk.block == 1:
            walk.points[team] = number
            add(events, walk, first_line, belote.SCORE_POINTS, team).amount = number
        else:
            walk.totals[team] = number
            add(events, walk, first_line, belote.SCORE_MATCH, team).amount = number
        return FINE
    if kind == lines.WON:
        if walk.block != 2 or walk.told != 2:
            return PLACE
        return FINE if belote.match_winner(walk.totals) == team else CONTRADICTS
    if walk.nothing >= 0 or walk.final or walk.block == 2:
        return PLACE
    if kind == lines.ALL_TRICKS:
        if walk.block:
            return PLACE
        walk.swept = 1
        walk.nothing = 1 - team
        return FINE
    if not told:
        return MISSING
    walk.nothing = team
    return FINE
