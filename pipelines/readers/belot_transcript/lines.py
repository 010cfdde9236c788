"""A line of belot's transcripts: what it is, and where the name, the number or the card in it stands.

Only what is the same in every encoding is looked at: the symbols of suits may be missing or spoilt,
and so may letters that are not of ASCII. What only the lines around it can tell is in `belot_context`.
"""

from typing import Any, Final

import numpy as np

from cardlog.models.compiled import Int, compiled
from cardlog.pipelines.readers.scan import Bytes
from cardlog.schemas import cards

# What a line can be.
(
    BLANK, NOISE, UNKNOWN, PARTIAL, MARK, PAIR_A, PAIR_B, SHARING, DEALER, HAND_CARDS, HEADER, MUST, PASS,
    TRUMP, DECLARATIONS, NO_DECLARATION, DECLARATION, CARD, CHOICE, PROMPT, OWN_CARDS, BELA, TRICK,
    POINTS, TOTALS, PAIR_POINTS, FAILED, ALL_TRICKS, FINAL_POINTS, WON, CRASH, TRACE,
) = range(32)  # fmt: skip

BEFORE_TRICK, WARNED = 1, 2
"""Numbers of lines of `NOISE`: a trick may begin after it; a line of code may follow that it is about."""
DIALECTS: Final = ("bornabesic", "cesmak", "readme")
"""The wordings, in the order of the numbers that lines of `DEALER` have."""
_PREFIXES: Final = (
    (b"Karte dijeli ", DEALER, 0),
    (b"Card dealer: ", DEALER, 1),
    (b"Card dealer ", DEALER, 2),
    (b"PAR A: ", PAIR_A, 0),
    (b"PAR B: ", PAIR_B, 0),
    (b"PAIR A: ", PAIR_A, 0),
    (b"PAIR B:: ", PAIR_B, 0),
    (b"PAIR B: ", PAIR_B, 0),
    (b"must True", MUST, 1),
    (b"must False", MUST, 0),
    (b"Zvanja:", DECLARATIONS, 0),
    (b"Vocations:", DECLARATIONS, 0),
    (b"Depending on maxDeclaredA, maxDeclared B - vocations:", DECLARATIONS, 0),
    (b"KARTE: ", OWN_CARDS, 0),
    (b"Cards: ", OWN_CARDS, 0),
    (b"Broj karte:", PROMPT, len(b"Broj karte: ")),
    (b"Ticket number:", PROMPT, len(b"Ticket number:: ")),
    (b"Broj boje (ENTER", PROMPT, len(b"Broj boje (ENTER za dalje): ")),
    (b"Color number (ENTER", PROMPT, len(b"Color number (ENTER for further: ")),
    (b"Zvati belu (", PROMPT, len(b"Zvati belu (da / ne)? ")),
    (b"Call it white (", PROMPT, len(b"Call it white (yes/no) ")),
    (b"BELA!", BELA, 0),
    (b"BEAUTIFUL!", BELA, 0),
    (b"Bodovi u dijeljenju:", POINTS, 0),
    (b"Sharing Points:", POINTS, 0),
    (b"Ukupni bodovi:", TOTALS, 0),
    (b"Total points:", TOTALS, 0),
    (b"=== ", MARK, 0),
    (b"Traceback (most recent call last)", CRASH, 0),
    (b"Killed", CRASH, 0),
    (b"Terminated", CRASH, 0),
    (b"Segmentation fault", CRASH, 0),
    (b"During handling of the above exception", TRACE, 0),
    (b"The above exception was the direct cause", TRACE, 0),
    (b"[RL] ", NOISE, 0),
    (b"Bidding Pair: ", NOISE, 0),
    (b"Handing now all ", NOISE, 0),
    (b">>>>>>>>Playing Phase", NOISE, BEFORE_TRICK),
    (b">>>>>>>>End of one Round", NOISE, BEFORE_TRICK),
    (b">>>>>>>>", NOISE, 0),
    (b"Test if a player has belot", NOISE, 0),
    (b"maxDeclared", NOISE, 0),
    (b"belot.handValue ", NOISE, 0),
    (b"declareA ", NOISE, 0),
    (b"Local Declarations", NOISE, 0),
    (b"localTable {", NOISE, 0),
    (b"TRICK: [", NOISE, 0),
    (b"trickValue ", NOISE, BEFORE_TRICK),
    (b"knowledge:", NOISE, 0),
    (b"RL-player.py ", NOISE, 0),
    (b"trumpIndex ", NOISE, 0),
    (b"leagalCards [", NOISE, 0),
    (b"tensor(", NOISE, 0),
    (b"grad_fn=<", NOISE, 0),
    (b"I CANNOT USE CUDA", NOISE, 0),
    (b"I USE CUDA NOW", NOISE, 0),
    (b"I save your model ", NOISE, 0),
    (b"inside train player", NOISE, 0),
    (b"Categorical(", NOISE, 0),
    (b"action_idx ", NOISE, 0),
    (b"log_action_probabilities", NOISE, 0),
    (b"self.rewards", NOISE, 0),
    (b"Check passing, ", NOISE, 0),
    (b"{<PlayerRole.", NOISE, 0),
    (b"{<CardState.", NOISE, 0),
    (b"{}", NOISE, 0),
)
_SORTED: Final = sorted(_PREFIXES, key=lambda prefix: prefix[0][0])
_FIRST_AT: Final = np.searchsorted([word[0] for word, _, _ in _SORTED], np.arange(257))
"""Where the prefixes that begin with a byte are, and where those of the next byte; in the order above."""
_TEXT: Final = np.frombuffer(b"".join(word for word, _, _ in _SORTED), np.uint8)
_ENDS: Final = np.cumsum([0, *(len(word) for word, _, _ in _SORTED)])
_KINDS: Final = np.array([kind for _, kind, _ in _SORTED], np.uint8)
_NUMBERS: Final = np.array([number for _, _, number in _SORTED], np.int64)


def _word(text: bytes) -> Bytes:
    return np.frombuffer(text, np.uint8)


_FURTHER: Final = _word(b" says further")
_DALJE: Final = _word(b"e dalje")
_KA: Final = _word(b" ka")
_PLAYER: Final = _word(b"Player ")
_ZOVE: Final = _word(b" zove ")
_CALLING: Final = _word(b" calling ")
_SUIT: Final = _word(b" Suit.")
_NISU: Final = _word(b" nisu pro")
_LI: Final = _word(b"li!")
_NOT_PASS: Final = _word(b" they did not pass!")
_NAPRAVILI: Final = _word(b" su napravili ")
_STICHE: Final = _word(b" they made all stiche (sword)")
_POBJEDILI: Final = _word(b" su pobjedili!")
_HAVE_WON: Final = _word(b" have won!")
_KUPI: Final = _word(b") kupi ")
_MADE_BY: Final = _word(b") made by ")
_DASHES: Final = _word(b"---------- ")
_DASHES_AFTER: Final = _word(b" ----------")
_RULE: Final = _word(b"=================")
_SHARING: Final = _word(b" SHARING =================")
_DIJELJENJE: Final = _word(b" DIJELJENJE =================")
_CARDS: Final = _word(b" Cards: [")
_OPEN_SET: Final = _word(b": [{")
_NEMA: Final = _word(b"Nema zvanja")
_NO_VOCATION: Final = _word(b"No vocation")
_DECLARATIONS_OF: Final = _word(b"Declarations ")
_FINISHED: Final = _word(b"One Game finished, Update the Policy for newPointsA ")
_POINTS_B: Final = _word(b" newPointsB ")
_TRACEBACK: Final = _word(b"Traceback (most recent call last):")
_WARNING: Final = _word(b"Warning: ")
_CPP: Final = _word(b".cpp:")
_DAY: Final = _word(b" day")
_DAYS_AFTER: Final = _word(b", ")
_TENSOR_WORDS: Final = (
    _word(b"grad_fn=<"), _word(b"device="), _word(b"dtype="), _word(b"nan"), _word(b"inf"),
)  # fmt: skip
"""How lines go on that PyTorch breaks; numbers apart."""

SUIT_WORDS: Final = (b"KARO", b"HERC", b"PIK", b"TREF")
"""The suits in the order of their numbers in the transcripts."""
SUITS: Final = np.array([cards.SUITS.index(suit) for suit in "DHSC"], np.int64)
"""The suit that each of them is."""
_SYMBOL_ENDS: Final = np.array([0xA6, 0xA5, 0xA0, 0xA3], np.uint8)
"""The last byte of each one's symbol in UTF-8, after E2 99."""
_SUIT_TEXTS: Final = np.zeros((4, 4), np.uint8)
_SUIT_LENGTHS: Final = np.array([len(word) for word in SUIT_WORDS])
for _number, _letters in enumerate(SUIT_WORDS):
    _SUIT_TEXTS[_number, : len(_letters)] = _word(_letters)
_RANK_WORDS: Final = (
    (b"VII", "7"), (b"VIII", "8"), (b"IX", "9"), (b"X", "T"), (b"Bube", "J"), (b"DAMA", "Q"),
    (b"King", "K"), (b"KRALJ", "K"), (b"AS", "A"),
)  # fmt: skip
_RANK_TEXTS: Final = np.zeros((len(_RANK_WORDS), 5), np.uint8)
_RANK_LENGTHS: Final = np.array([len(word) for word, _ in _RANK_WORDS])
_RANKS: Final = np.array([cards.RANKS.index(rank) for _, rank in _RANK_WORDS], np.int64)
for _number, (_letters, _) in enumerate(_RANK_WORDS):
    _RANK_TEXTS[_number, : len(_letters)] = _word(_letters)
_JACK: Final = cards.RANKS.index("J")
_WIDEST_GAP: Final = 16
NO_CARD: Final = -1


@compiled
def starts_with(buffer: Bytes, start: Int, end: Int, word: Bytes) -> bool:
    """Whether some text begins with a word."""
    if end - start < len(word):
        return False
    same = 0
    while same < len(word) and buffer[start + same] == word[same]:
        same += 1
    return same == len(word)


@compiled
def _ends_with(buffer: Bytes, start: Int, end: Int, word: Bytes) -> bool:
    return bool(end - start >= len(word) and starts_with(buffer, end - len(word), end, word))


@compiled
def _last(buffer: Bytes, start: Int, end: Int, word: Bytes) -> Int:
    """Where a word stands last in some text, -1 if it does not."""
    for place in range(end - len(word), start - 1, -1):
        if starts_with(buffer, place, end, word):
            return place
    return -1


@compiled
def number_at(buffer: Bytes, start: Int, end: Int) -> Int:
    """A whole number without sign or leading zeros, -1 if it is none or has more than five digits."""
    if end - start < 1 or end - start > 5 or (buffer[start] == 48 and end - start > 1):
        return -1
    value: Int = np.int64(0)
    for place in range(start, end):
        if buffer[place] < 48 or buffer[place] > 57:
            return -1
        value = 10 * value + (np.int64(buffer[place]) - 48)
    return value


@compiled
def _is_letter(byte: Int) -> bool:
    return bool(48 <= byte <= 57 or 65 <= byte <= 90 or 97 <= byte <= 122)


@compiled
def _suit_at(buffer: Bytes, start: Int, end: Int) -> Int:
    """The number of the suit whose word stands here, -1 if none does."""
    for number in range(4):
        if starts_with(buffer, start, end, _SUIT_TEXTS[number, : _SUIT_LENGTHS[number]]):
            return number
    return -1


@compiled
def card_at(buffer: Bytes, start: Int, end: Int) -> Int:
    """The code of the card that some text is, `NO_CARD` if it is none: ``HERC ♥ VII``.

    Between the words may stand the suit's symbol, spoilt or not, or nothing but a space; the symbol
    of another suit may not.
    """
    suit = _suit_at(buffer, start, end)
    if suit < 0:
        return NO_CARD
    gap = start + _SUIT_LENGTHS[suit]
    place = gap
    while place < end and not _is_letter(buffer[place]):
        byte = buffer[place]
        if (byte != 32 and byte != 63 and byte < 128) or place - gap > _WIDEST_GAP:
            return NO_CARD
        place += 1
    if place == gap or buffer[gap] != 32 or buffer[place - 1] != 32:
        return NO_CARD
    if place - gap == 5 and buffer[gap + 1] == 0xE2 and buffer[gap + 2] == 0x99:
        other = False
        for number in range(4):
            other |= number != suit and buffer[gap + 3] == _SYMBOL_ENDS[number]
        if other:
            return NO_CARD
    for number in range(len(_RANK_LENGTHS)):
        length = _RANK_LENGTHS[number]
        if end - place == length and starts_with(buffer, place, end, _RANK_TEXTS[number, :length]):
            return np.int64(SUITS[suit] * cards.SUIT_STRIDE + _RANKS[number])
    if _is_jack(buffer, place, end):
        return np.int64(SUITS[suit] * cards.SUIT_STRIDE + _JACK)
    return NO_CARD


@compiled
def _is_jack(buffer: Bytes, start: Int, end: Int) -> bool:
    """Whether some text is ``DEČKO``, its third letter as it is, spoilt or missing."""
    if end - start < 4 or end - start > 10:
        return False
    if buffer[start] != 68 or buffer[start + 1] != 69 or buffer[end - 2] != 75 or buffer[end - 1] != 79:
        return False
    if end - start == 5 and buffer[start + 2] == 67:
        return True
    spoilt = start + 2
    while spoilt < end - 2 and (buffer[spoilt] >= 128 or buffer[spoilt] == 63):
        spoilt += 1
    return bool(spoilt == end - 2)


@compiled
def cards_at(buffer: Bytes, start: Int, end: Int, found: Any) -> Int:
    """The cards of a text that parts them by ``, ``: how many, -1 if one is none or they are too many.

    found
        Out: their codes.
    """
    count: Int = 0
    place = start
    while place < end:
        stop = place
        while stop < end and buffer[stop] != 44:
            stop += 1
        card = card_at(buffer, place, stop)
        if card == NO_CARD or count == len(found):
            return -1
        found[count] = card
        count += 1
        place = stop + 1
        if place < end and buffer[place] == 32:
            place += 1
        elif stop < end:
            return -1
    return count


@compiled
def kind_at(buffer: Bytes, start: Int, end: Int, acts: bool, sums: bool, found: Any) -> int:
    """What a line is; puts into found where what it is about begins and ends, and its number.

    Names may hold anything, so a line that begins with a name may look like one that ends with it. Of
    ``Karte dijeli Ana kaže dalje`` only the lines before tell whether Ana kaže dalje deals, or Karte
    dijeli Ana passes.

    end
        Of the line, blanks at its end included: they may belong to a name.
    acts
        Whether a player must bid now.
    sums
        Whether it must be said now what a hand or a match came to.
    """
    whole = end
    while end > start and buffer[end - 1] in (32, 9, 13):
        end -= 1
    found[0], found[1], found[2] = start, end, 0
    if start == end:
        return BLANK
    if _ends_with(buffer, start, end, _TRACEBACK):
        return CRASH
    if buffer[start] == 9:
        kind = _indented(buffer, start + 1, end, found)
        if kind != UNKNOWN:
            return kind
    found[1], found[2] = end, 0
    named = _with_name_first(buffer, start, end, found)
    if named in (PASS, TRUMP):
        if acts:
            about = found[1], found[2]
            if _by_prefix(buffer, start, end, whole, found) == PROMPT:
                return PROMPT
            found[0], found[1], found[2] = start, about[0], about[1]
            return named
    elif named != UNKNOWN and sums:
        return named
    after_name, number = found[1], found[2]
    found[0], found[1], found[2] = start, end, 0
    kind = _with_name_last(buffer, start, end, whole, found)
    if kind != UNKNOWN or named == UNKNOWN:
        if kind in (DEALER, PAIR_A, PAIR_B, TRICK):
            found[1] = max(found[0], whole)
        return kind
    found[0], found[1], found[2] = start, after_name, number
    return named


@compiled
def _with_name_last(buffer: Bytes, start: Int, end: Int, whole: Int, found: Any) -> int:
    """What a line is that does not begin with a name."""
    first = buffer[start]
    if first == 32:
        return _spaced(buffer, start, end, found)
    if first == 45:
        return _header(buffer, start, end, found)
    if first == 62 and end - start > 1 and buffer[start + 1] == 32:
        return _trick(buffer, start, whole, found)
    if first in (72, 75, 80, 84) and _suit_at(buffer, start, end) >= 0:
        found[2] = card_at(buffer, start, end)
        return CARD
    if first == 91 and end - start > 2 and (buffer[start + 1] == 45 or 48 <= buffer[start + 1] <= 57):
        return CHOICE if buffer[start + 2] == 93 else NOISE
    if first == 61 and starts_with(buffer, start, end, _RULE):
        named = starts_with(buffer, start + len(_RULE), end, _SHARING)
        return SHARING if named or starts_with(buffer, start + len(_RULE), end, _DIJELJENJE) else UNKNOWN
    if starts_with(buffer, start, end, _PLAYER):
        return _hand_cards(buffer, start, end, found)
    if starts_with(buffer, start, end, _FINISHED):
        return _final_points(buffer, start, end, found)
    if _is_clock(buffer, start, end):
        return NOISE
    kind = _by_prefix(buffer, start, end, whole, found)
    if kind == UNKNOWN and _is_warning(buffer, start, end):
        kind, found[2] = NOISE, WARNED
    return kind


@compiled
def _by_prefix(buffer: Bytes, start: Int, end: Int, whole: Int, found: Any) -> int:
    """What a line is by how it begins; after some words a name follows, and that may be blank."""
    first = np.int64(buffer[start])
    for place in range(_FIRST_AT[first], _FIRST_AT[first + 1]):
        begin, stop = _ENDS[place], _ENDS[place + 1]
        if starts_with(buffer, start, whole, _TEXT[begin:stop]):
            found[0] = start + stop - begin
            found[2] = _NUMBERS[place]
            kind = int(_KINDS[place])
            if kind in (BELA, MUST, DECLARATIONS, POINTS, TOTALS) and found[0] != end:
                return UNKNOWN
            return kind
    return UNKNOWN


@compiled
def _is_clock(buffer: Bytes, start: Int, end: Int) -> bool:
    """Whether a line is a span of time: ``0:27:35.980478``, ``2 days, 0:27:35.980478``."""
    if start < end and 48 <= buffer[start] <= 57:
        comma = _last(buffer, start, end, _DAYS_AFTER)
        if comma > start and _last(buffer, start, comma, _DAY) > start:
            start = comma + len(_DAYS_AFTER)
    if end - start < 7 or end - start > 24:
        return False
    colons = 0
    for place in range(start, end):
        colons += buffer[place] == 58
        if not (48 <= buffer[place] <= 58 or buffer[place] == 46):
            return False
    return colons == 2


@compiled
def _is_warning(buffer: Bytes, start: Int, end: Int) -> bool:
    """Whether a line is a warning: Python's, ``path/policy.py:210: UserWarning: …``, or one of PyTorch's
    own, ``[W818 12:31:04.151 NNPACK.cpp:61] …``."""
    if buffer[start] == 91 and start + 1 < end and buffer[start + 1] == 87:
        return bool(_last(buffer, start, end, _CPP) > start)
    if _last(buffer, start, end, _WARNING) < 0:
        return False
    place = start
    while place < end and not (buffer[place] == 58 and place + 1 < end and 48 <= buffer[place + 1] <= 57):
        place += 1
    place += 1
    while place < end and 48 <= buffer[place] <= 57:
        place += 1
    return bool(place + 1 < end and buffer[place] == 58 and buffer[place + 1] == 32)


@compiled
def _indented(buffer: Bytes, start: Int, end: Int, found: Any) -> int:
    """A line after a tab: declarations, or a pair and its points."""
    begin = start
    while begin < end and buffer[begin] == 32:
        begin += 1
    for word in (_NEMA, _NO_VOCATION):
        if end - begin == len(word) and starts_with(buffer, begin, end, word):
            return NO_DECLARATION
    if end > start and buffer[end - 1] == 93:
        place = _last(buffer, start, end, _OPEN_SET)
        if place >= 0:
            found[0], found[1] = start, place
            found[2] = place + 3
            return DECLARATION
    digits = end
    while digits > start and 48 <= buffer[digits - 1] <= 57:
        digits -= 1
    found[2] = number_at(buffer, digits, end)
    if found[2] < 0 or digits - start < 3 or buffer[digits - 1] != 32 or buffer[digits - 2] != 58:
        return UNKNOWN
    found[0], found[1] = start, digits - 2
    return PAIR_POINTS


@compiled
def _with_name_first(buffer: Bytes, start: Int, end: Int, found: Any) -> int:
    """A line that begins with a name: it is told by its end."""
    last = buffer[end - 1]
    found[0] = start
    if last == 114 and _ends_with(buffer, start, end, _FURTHER):
        found[1] = end - len(_FURTHER)
        return PASS
    if last == 101 and _ends_with(buffer, start, end, _DALJE):
        found[1] = _last(buffer, max(start, end - 20), end, _KA)
        if found[1] >= start:
            return PASS
    elif last == 33 or last == 41:
        return _result(buffer, start, end, found)
    elif 48 <= last <= 51 or (65 <= last <= 90 and _last(buffer, max(start, end - 12), end, _SUIT) >= 0):
        return _trump(buffer, start, end, found)
    found[1] = end
    return UNKNOWN


@compiled
def _trump(buffer: Bytes, start: Int, end: Int, found: Any) -> int:
    """``NAME calling 2 Suit.PIK``, or ``NAME calling 2 2`` from Python 3.11 on; the words of the suit, if
    they are there, must agree with the number."""
    place: Int = _last(buffer, max(start, end - 24), end, _ZOVE)
    length = len(_ZOVE)
    calling: Int = _last(buffer, max(start, end - 24), end, _CALLING)
    if calling > place:
        place, length = calling, len(_CALLING)
    if place < start or place + length >= end:
        found[1] = end
        return UNKNOWN
    number = np.int64(buffer[place + length]) - 48
    rest = place + length + 1
    if number < 0 or number > 3:
        return UNKNOWN
    if end - rest == 2 and buffer[rest] == 32 and buffer[rest + 1] == buffer[rest - 1]:
        rest = end
    if rest != end:
        word = rest + len(_SUIT)
        if not starts_with(buffer, rest, end, _SUIT) or _suit_at(buffer, word, end) != number:
            return UNKNOWN
        if word + _SUIT_LENGTHS[number] != end:
            return UNKNOWN
    found[1] = place
    found[2] = number
    return TRUMP


@compiled
def _result(buffer: Bytes, start: Int, end: Int, found: Any) -> int:
    """A pair, and what became of it."""
    for word, kind in ((_NOT_PASS, FAILED), (_POBJEDILI, WON), (_HAVE_WON, WON)):
        if _ends_with(buffer, start, end, word):
            found[1] = end - len(word)
            return kind
    stop = end - 1 if buffer[end - 1] == 33 else end
    if _ends_with(buffer, start, stop, _STICHE):
        found[1] = stop - len(_STICHE)
        return ALL_TRICKS
    place = _last(buffer, start, end, _NISU)
    if place > start and _ends_with(buffer, place, end, _LI) and end - place < 24:
        found[1] = place
        return FAILED
    place = _last(buffer, start, end, _NAPRAVILI)
    if place > start and end - place < 40 and buffer[end - 1] == 33:
        found[1] = place
        return ALL_TRICKS
    return UNKNOWN


@compiled
def _spaced(buffer: Bytes, start: Int, end: Int, found: Any) -> int:
    """A line that begins with spaces: a header, a tensor that goes on, or what else follows a tab."""
    while start < end and buffer[start] == 32:
        start += 1
    if starts_with(buffer, start, end, _DASHES):
        return _header(buffer, start, end, found)
    kind = _indented(buffer, start, end, found)
    if kind == UNKNOWN:
        goes_on = buffer[start] == 45 or 48 <= buffer[start] <= 57
        for word in _TENSOR_WORDS:
            goes_on |= starts_with(buffer, start, end, word)
        found[2] = 0
        kind = NOISE if goes_on else UNKNOWN
    return kind


@compiled
def _header(buffer: Bytes, start: Int, end: Int, found: Any) -> int:
    """``---------- NAME ----------``."""
    begin = start + len(_DASHES)
    if not starts_with(buffer, start, end, _DASHES) or not _ends_with(buffer, begin, end, _DASHES_AFTER):
        return UNKNOWN
    found[0], found[1] = begin, end - len(_DASHES_AFTER)
    return HEADER


@compiled
def _trick(buffer: Bytes, start: Int, end: Int, found: Any) -> int:
    """``> Stich (13) made by NAME``."""
    begin = start
    while begin < end and buffer[begin] != 40:
        begin += 1
    stop = begin
    while stop < end and buffer[stop] != 41:
        stop += 1
    found[2] = number_at(buffer, begin + 1, stop)
    if begin - start > 24 or found[2] < 0:
        return UNKNOWN
    for word in (_KUPI, _MADE_BY):
        if starts_with(buffer, stop, end, word):
            found[0] = stop + len(word)
            return TRICK
    return UNKNOWN


@compiled
def _hand_cards(buffer: Bytes, start: Int, end: Int, found: Any) -> int:
    """``Player  1 Cards: [...]``."""
    place = start + len(_PLAYER)
    while place < end and buffer[place] == 32:
        place += 1
    if place >= end or buffer[place] < 49 or buffer[place] > 52 or buffer[end - 1] != 93:
        return UNKNOWN
    if not starts_with(buffer, place + 1, end, _CARDS):
        return UNKNOWN
    found[0], found[1] = place + 1 + len(_CARDS), end - 1
    found[2] = np.int64(buffer[place]) - 49
    return HAND_CARDS


@compiled
def _final_points(buffer: Bytes, start: Int, end: Int, found: Any) -> int:
    """``… newPointsA 88 newPointsB 144``: found begins at the first number and ends before the second
    one's word; the number is the second."""
    begin = start + len(_FINISHED)
    place = _last(buffer, begin, end, _POINTS_B)
    if place < 0:
        return UNKNOWN
    found[2] = number_at(buffer, place + len(_POINTS_B), end)
    if found[2] < 0 or number_at(buffer, begin, place) < 0:
        return UNKNOWN
    found[0], found[1] = begin, place
    return FINAL_POINTS
