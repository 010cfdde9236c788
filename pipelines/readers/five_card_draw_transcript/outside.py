"""Compiled reading of what stands outside of hands in a five-card draw transcript: the beginning of a game,
its end if it has no hand, and lines that belong to nothing."""

from typing import Any

from cardlog.models.compiled import Int, compiled
from cardlog.pipelines.readers.five_card_draw_transcript import phrases as words
from cardlog.pipelines.readers.five_card_draw_transcript.phrases import (
    NONE,
    is_word,
    kind_of,
    name_and_number,
    name_before,
)
from cardlog.pipelines.readers.five_card_draw_transcript.state import BROKEN_OFF, GOES_ON, OVER
from cardlog.pipelines.readers.scan import Bytes


@compiled
def begins_game(kind: Int, prompt: Int) -> bool:
    """Whether a line stands before the first hand of a game: the questions that are asked then, also if the
    program has crashed at one of them, and what is set up."""
    if kind == words.TRACEBACK:
        return bool(prompt == words.ASKS_GAME or prompt == words.ASKS_NAME)
    return bool(kind == words.SETUP or kind == words.ASKS_NAME or kind == words.ASKS_GAME)


@compiled
def add_junk(now: Any, junk: Any, first: Int, last: Int) -> None:
    """Note lines that belong to nothing, together with those just before them."""
    if now.junk > 0 and junk[now.junk - 1, 1] == first:
        junk[now.junk - 1, 1] = last
        return
    junk[now.junk, 0] = first
    junk[now.junk, 1] = last
    now.junk += 1


@compiled
def before_hand(
    buffer: Bytes, starts: Any, ends: Any, line: Int, kind: Int, place: Int, prompt: Int, fragment: bool,
    table: Any, now: Any, junk: Any,
) -> bool:  # fmt: skip
    """Take a line outside of hands; False if a hand begins with it."""
    if begins_game(kind, prompt) and (table.over != GOES_ON or table.number > 0):
        _clear(table)
        table.match += 1
    if kind == words.SETUP or kind == words.ASKS_NAME or kind == words.ASKS_GAME:
        if prompt == words.ASKS_NAME:
            table.piped = 1
        if now.preamble == NONE:
            now.preamble = line
        if not fragment and not _settle_down(buffer, place, ends[line], kind, table):
            now.preamble_wrong = line
        return True
    if kind == words.BLANK or fragment or (table.over == OVER and kind == words.WARNING):
        return True
    if kind == words.NEW_ROUND:
        if table.over != GOES_ON:
            _clear(table)
            table.match += 1
        return False
    if table.over != GOES_ON:
        if table.over == OVER or (kind != words.UNREADABLE and kind != words.TRACEBACK):
            add_junk(now, junk, line, line + 1)
        return True  # or it is what the program said of its crash
    if table.number > 0 or kind == words.BUTTON or kind == words.CARDS or kind == words.ANTE:
        return False
    if kind == words.TRACEBACK or (kind == words.END and _ends_at_once(buffer, place, ends[line], table)):
        if kind == words.TRACEBACK or is_word(buffer, place, ends[line], words.THANKS):
            _end_without_hands(buffer, starts, ends, line, kind, table, now, junk)
        return True
    if now.preamble == NONE:
        now.preamble = line
    if kind != words.WARNING:
        now.preamble_wrong = line
    return True


@compiled
def _ends_at_once(buffer: Bytes, place: Int, end: Int, table: Any) -> bool:
    """Whether a line tells of the end of a game in which no hand can be played: the human is given no chips,
    or one player sits alone."""
    if table.given == NONE or table.ante == NONE:
        return False
    if is_word(buffer, place, end, words.THANKS) or name_before(buffer, place, end, words.HAS_WON) != NONE:
        return True
    lost = name_before(buffer, place, end, words.BETTER_LUCK) != NONE
    return bool(lost and table.given == 0)


@compiled
def _end_without_hands(
    buffer: Bytes, starts: Any, ends: Any, line: Int, kind: Int, table: Any, now: Any, junk: Any
) -> None:
    """A game is over, or the program has crashed, before the first hand: what stands before is of none."""
    if now.preamble_wrong != NONE:
        wrong_kind, _ = kind_of(buffer, starts[now.preamble_wrong], ends[now.preamble_wrong])
        if wrong_kind != words.ASKS_NAME:  # it has crashed because the name was empty
            add_junk(now, junk, now.preamble, line)
    now.preamble = now.preamble_wrong = NONE
    table.over = BROKEN_OFF if kind == words.TRACEBACK else OVER


@compiled
def _clear(table: Any) -> None:
    """Forget a game, for another one follows in the same text."""
    table.number = 0
    table.over = GOES_ON
    table.seats = 0
    table.trusted = 0
    table.human_from = 0
    table.human_to = 0
    table.piped = 0
    table.given = NONE
    table.ante = NONE
    table.total = NONE
    table.left = 0


@compiled
def _settle_down(buffer: Bytes, place: Int, end: Int, kind: Int, table: Any) -> bool:
    """A line before the first hand: who the human is, the chips given to all, the ante."""
    if kind == words.ASKS_GAME:
        return True
    if kind == words.ASKS_NAME:
        table.human_from = place
        table.human_to = end
        return bool(end > place)
    stop, number = name_and_number(buffer, place, end, words.GIVEN, words.CHIPS_DOT)
    if stop == place:
        table.given = number
        return True
    stop, number = name_and_number(buffer, place, end, words.ANTE_SET, words.CHIPS_DOT)
    if stop == place:
        table.ante = number
        return True
    return False
