"""The closed vocabularies of actions and reasons: each member has a meaning."""

import re

import numpy as np

from cardlog.schemas import events
from cardlog.schemas.reasons import Reason

VOCABULARY = {
    "deal": ["open", "hand", "pass", "draw"],
    "bid": ["pass", "bid", "trump", "throw_in", "ante", "check", "call", "raise", "fold"],
    "meld": ["declare", "bela"],
    "play": ["card", "block", "blocked", "discard"],
    "score": ["trick", "hand", "place", "match", "show"],
}
"""What the design lists. The order is that of the codes in stored digests: new ones go to the end."""


def test_vocabulary_is_what_the_design_lists_and_every_action_has_a_meaning() -> None:
    listed = [(kind, name) for kind, names in VOCABULARY.items() for name in names]
    assert [(action.kind, action.name) for action in events.ACTIONS][: len(listed)] == listed
    assert len(events.CODE) == len(events.ACTIONS) < 255
    for number, action in enumerate(events.ACTIONS):
        assert events.CODE[action.kind, action.name] == number
        assert action.meaning.endswith(".")
        assert len(action.meaning.split()) >= 3
    assert len({action.meaning for action in events.ACTIONS}) == len(events.ACTIONS)


def test_compiled_dtype_gives_records_that_write_through() -> None:
    array = np.zeros(2, events.compiled_dtype([("small", np.int8), ("many", np.int64, (3,))]))
    first = array[0]
    first.small = 5
    first.many[1] = 7
    assert array["small"].tolist() == [5, 0]
    assert array["many"].tolist() == [[0, 7, 0], [0, 0, 0]]
    assert array.dtype.isalignedstruct


def test_codes_are_what_is_stored() -> None:
    assert [reason.code for reason in Reason] == [
        "ok", "unparsable", "incomplete", "unknown_card", "duplicate_card", "wrong_turn", "not_in_hand",
        "must_follow", "bad_bid", "out_of_order", "score_mismatch", "conflict", "too_long",
    ]  # fmt: skip
    assert all(re.fullmatch("[a-z_]+", reason.code) for reason in Reason)
    assert [int(reason) for reason in Reason] == list(range(len(Reason)))
