"""Games of a text and the names of their hands, as all readers of transcripts have them."""

import pytest

from cardlog.pipelines.readers.transcript import Text, is_mark


def bodies(content: bytes) -> list[tuple[str, dict[str, str], bytes, int]]:
    text = Text(content)
    return [
        (part.match_id, part.settings, text.raw(part.first, part.stop - 1), part.first + 1)
        for part in text.sections
    ]


def test_marks_part_games() -> None:
    text = b"=== GAME B1 kind=kbd dialect=cesmak ===\r\none\ntwo\n=== SESSION J2 n=1 ===\n=== GAME x\nthree"
    assert bodies(text) == [
        ("B1", {"kind": "kbd", "dialect": "cesmak"}, b"one\ntwo\n", 2),
        ("J2", {"n": "1"}, b"", 5),
        ("x", {}, b"three", 6),
    ]
    found = Text(text)
    assert all(is_mark(found.lines[part.stop]) for part in found.sections[:-1])


def test_values_hold_equals_signs_and_any_letter() -> None:
    text = "=== GAME ä a=b=c name=Ž ===\n".encode()
    assert bodies(text) == [("ä", {"a": "b=c", "name": "Ž"}, b"", 2)]


@pytest.mark.parametrize("line", [b"===", b"=== GAME", b"=== ROUND 1 ===", b"==== GAME a", b"GAME a"])
def test_lines_that_are_no_marks(line: bytes) -> None:
    assert not is_mark(line)
