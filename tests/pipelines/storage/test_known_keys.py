"""Keys of names: nothing that is there is missed, and what is not there is not found."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cardlog.pipelines.storage.known_keys import among, keys_of

NAMES = st.lists(st.integers(0, 2**128 - 1), max_size=200, unique=True)


def named(numbers: list[int]) -> np.ndarray:
    return np.array([f"{number:032x}".encode() for number in numbers], "S32")


@given(NAMES, NAMES)
def test_names_are_found_by_their_keys(held: list[int], others: list[int]) -> None:
    keys = np.sort(keys_of(named(held)))
    assert len(np.unique(keys)) == len(held)
    looked_for = held[::2] + [number for number in others if number not in held]
    expected = [number in held for number in looked_for]
    assert among(named(looked_for), keys).tolist() == expected
