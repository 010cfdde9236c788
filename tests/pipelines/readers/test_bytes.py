"""Parsers over bytes agree with Python's own methods on the same span."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cardlog.pipelines.readers import bytes as parsers
from cardlog.schemas import cards

TEXTS = st.text(alphabet="ab 019", max_size=12).map(str.encode)
WORDS = st.text(alphabet="ab 01", max_size=3).map(str.encode)


def as_text(text: bytes) -> Any:
    return np.frombuffer(text or b"\0", np.uint8)[: len(text)]


@settings(deadline=None)
@given(TEXTS, WORDS, st.integers(0, 12), st.integers(0, 12))
def test_words_are_found_as_python_finds_them(text: bytes, word: bytes, start: int, end: int) -> None:
    start, end = sorted((min(start, len(text)), min(end, len(text))))
    span, letters, compared = text[start:end], as_text(text), as_text(word)
    assert parsers.matches(letters, start, compared) == text.startswith(word, start)
    assert parsers.starts_with(letters, start, end, compared) == span.startswith(word)
    assert parsers.ends_with(letters, start, end, compared) == span.endswith(word)
    assert parsers.equals(letters, start, end, compared) == (span == word)
    assert parsers.find(letters, start, end, compared) == text.find(word, start, end)
    assert parsers.find_last(letters, start, end, compared) == text.rfind(word, start, end)
    first, last = parsers.strip(letters, start, end)
    assert text[first:last] == span.strip(b" ")


@settings(deadline=None)
@given(TEXTS)
def test_digits_at_the_end_are_found(text: bytes) -> None:
    start = parsers.digits_start(as_text(text), 0, len(text))
    assert text[:start] == text.rstrip(b"0123456789")


@pytest.mark.parametrize("text", ["0", "7", "10", "90125", "2147483647"])
def test_numbers_are_parsed(text: str) -> None:
    assert parsers.parse_int(as_text(text.encode()), 0, len(text)) == int(text)


@pytest.mark.parametrize("text", ["", "01", "-1", "1 ", "a", "2147483648", "10000000000", "1" * 30])
def test_anything_else_is_not_a_number(text: str) -> None:
    assert parsers.parse_int(as_text(text.encode()), 0, len(text)) == parsers.NO_NUMBER


def test_a_number_may_be_too_long() -> None:
    assert parsers.parse_int(as_text(b"1234"), 0, 4, 3) == parsers.NO_NUMBER
    assert parsers.parse_int(as_text(b"1234"), 0, 3, 3) == 123


def test_cards_are_parsed() -> None:
    for rank in cards.PACK_RANKS:
        for suit in cards.SUITS:
            text = rank + suit
            code = parsers.parse_card(as_text(text.encode()), 0, 2)
            assert code == cards.code(text)
            assert code < 64  # so that it is a bit of a mask


@pytest.mark.parametrize("text", ["", "8", "8N", "84", "85", "ES", "FS", "S8", "8s", "10S", "??", "8S "])
def test_anything_else_is_not_a_card(text: str) -> None:
    assert parsers.parse_card(as_text(text.encode()), 0, len(text)) == parsers.NO_CARD
