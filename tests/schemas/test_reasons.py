"""Reason codes: a closed list, each with its meaning."""

import re

from cardlog.schemas.reasons import MEANING, Reason


def test_every_reason_has_a_meaning_of_its_own() -> None:
    assert MEANING.keys() == set(Reason)
    assert len(set(MEANING.values())) == len(Reason)
    for meaning in MEANING.values():
        assert len(meaning.split()) >= 3
        assert not meaning.endswith(".")  # it stands inside a sentence


def test_codes_are_what_is_stored() -> None:
    assert [reason.code for reason in Reason] == [
        "ok", "unparsable", "incomplete", "unknown_card", "duplicate_card", "wrong_turn", "not_in_hand",
        "must_follow", "bad_bid", "out_of_order", "score_mismatch", "conflict", "too_long",
    ]  # fmt: skip
    assert all(re.fullmatch("[a-z_]+", reason.code) for reason in Reason)


def test_numbers_fit_the_folds_array_and_zero_is_none() -> None:
    assert [int(reason) for reason in Reason] == list(range(len(Reason)))
    assert Reason.OK == 0
    assert not Reason.OK
    assert max(Reason) <= 127
