"""Games of a text and the names of their hands, as all readers of transcripts have them."""

import json

import pytest

from cardlog.pipelines.readers.base import Read, Source
from cardlog.pipelines.readers.transcript import Event, Hand, Match, Section, Text, is_mark, read_of_hands

SOURCE = Source("0" * 64, "log", "data")


def bodies(content: bytes) -> list[tuple[str, dict[str, str], bytes, int]]:
    text = Text(content)
    return [
        (part.match_id, part.settings, text.raw(part.first, part.stop - 1), part.first + 1)
        for part in text.sections
    ]


def test_a_text_without_marks_is_one_game() -> None:
    assert bodies(b"a\nb\n") == [("", {}, b"a\nb\n", 1)]
    assert bodies(b"\xef\xbb\xbfa\r\n") == [("", {}, b"a\r\n", 1)]
    assert bodies(b"") == [("", {}, b"", 1)]


def test_marks_part_games() -> None:
    text = b"=== GAME B1 kind=kbd dialect=cesmak ===\r\none\ntwo\n=== SESSION J2 n=1 ===\n=== GAME x\nthree"
    assert bodies(text) == [
        ("B1", {"kind": "kbd", "dialect": "cesmak"}, b"one\ntwo\n", 2),
        ("J2", {"n": "1"}, b"", 5),
        ("x", {}, b"three", 6),
    ]
    found = Text(text)
    assert all(is_mark(found.lines[part.stop]) for part in found.sections[:-1])


def test_what_stands_before_the_first_mark_is_a_game_unless_it_is_blank() -> None:
    assert bodies(b"\n \n=== GAME a ===\nx\n") == [("a", {}, b"x\n", 4)]
    assert bodies(b"y\n=== GAME a ===\nx\n") == [("", {}, b"y\n", 1), ("a", {}, b"x\n", 3)]


def test_values_hold_equals_signs_and_any_letter() -> None:
    text = "=== GAME ä a=b=c name=Ž ===\n".encode()
    assert bodies(text) == [("ä", {"a": "b=c", "name": "Ž"}, b"", 2)]


@pytest.mark.parametrize("line", [b"===", b"=== GAME", b"=== ROUND 1 ===", b"==== GAME a", b"GAME a"])
def test_lines_that_are_no_marks(line: bytes) -> None:
    assert not is_mark(line)


def read_of(form: str, source: Source, *keys: tuple[str, int]) -> Read:
    """Hands of one line each, of these matches and with these numbers."""
    matches = {match: Match(match) for match, _ in keys}
    context = {"settings": {"a": "b"}, "dealer": 2}
    hands = [
        Hand(matches[match], number, index, index, [Event(0, line=index)], context)
        for index, (match, number) in enumerate(keys)
    ]
    return read_of_hands("kaiser", form, source, Text(b"x\n" * len(keys)), hands)


def test_a_hand_by_itself_is_of_the_match_it_came_from() -> None:
    context = read_of("form", SOURCE, ("B1", 3)).context_of(0)
    assert Text(b"text", 9, context).sections == [Section("B1", {"a": "b"}, 0, 1, json.loads(context))]


def test_hands_are_named_by_data_set_match_and_place() -> None:
    keys = ("a", 0), ("a", 1), ("b", 0)
    ids = read_of("form", SOURCE, *keys).batch.hand_ids.tolist()
    assert len(set(ids)) == 3
    assert read_of("form", SOURCE, *keys[1:]).batch.hand_ids.tolist() == ids[1:]
    others = ("other", SOURCE), ("form", Source("", "", "other"))
    assert not any(set(read_of(*other, *keys).batch.hand_ids.tolist()) & set(ids) for other in others)
