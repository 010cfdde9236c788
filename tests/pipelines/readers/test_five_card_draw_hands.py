"""What follows from the lines of a five-card draw hand, also of one that the rules refuse."""

import pytest

from cardlog.models.five_card_draw.state import MOST_CHIPS
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.ingest.judge import judge
from cardlog.pipelines.readers.base import Read, Source
from cardlog.pipelines.readers.five_card_draw_transcript import reader
from cardlog.schemas.events import ACTIONS, NO_AMOUNT

SOURCE = Source("0" * 64, "-", reader.FORMAT)
SET_UP = "[SETUP] All players have been given 50 chips.\n[SETUP] The ante has been set to 5 chips.\n\n"
HAND = """[NEW ROUND]
[CARDS] The deck has been shuffled.
[BUTTON] The button was given to Bo.
[ANTE] Ann paid 5 chips for the ante.
[ANTE] Bo paid 5 chips for the ante.
[CARDS] Hands have been dealt.
[ACTION] Ann has raised by 10.
[ACTION] Bo has called.
[CARDS] Ann didn't swap any cards.
[CARDS] Bo swapped 2 cards.
[ACTION] Ann has checked.
[ACTION] Bo has raised by 20.
[ACTION] Ann has folded.
[SHOWDOWN] Bo won 50 chips.
[CARDS] Cards have been collected.
[STANDINGS] Ann has got 35 chips remaining.
[STANDINGS] Bo has got 65 chips remaining.

"""
LOST = "[ACTION] Bo has called.\n"
"""A line without which the rules refuse the next event."""


def read(text: str) -> Read:
    [found] = reader.read(text.encode(), SOURCE)
    return found


def amounts(found: Read, hand: int = 0) -> list[tuple[str, int, int]]:
    events = found.batch.events[found.batch.offsets[hand] : found.batch.offsets[hand + 1]]
    return [
        (ACTIONS[one["action"]].name, int(one["seat"]), int(one["amount"]))
        for one in events
        if one["amount"] != NO_AMOUNT
    ]


def test_what_a_call_costs_follows_from_the_state() -> None:
    found = read(SET_UP + HAND)
    assert judge(found).done.tolist() == [True]
    assert amounts(found) == [
        ("ante", 1, 5), ("ante", 0, 5), ("raise", 1, 10), ("call", 0, 10), ("raise", 0, 20),
        ("hand", 0, 50), ("match", 1, 35), ("match", 0, 65),
    ]  # fmt: skip


def test_behind_an_event_that_the_rules_refuse_the_lines_are_still_read() -> None:
    """The judge names the refused event; amounts after it follow what the lines say."""
    called = HAND.replace("Ann has folded", "Ann has called").replace("Bo won 50", "Bo won 70")
    found = read(SET_UP + called.replace(LOST, ""))
    [reject] = judge(found).rejects
    assert reject.reason.code == "out_of_order"
    assert "seat 1 play discard" in reject.message
    assert amounts(found)[3:] == [
        ("raise", 0, 30), ("call", 1, 20), ("hand", 0, 70), ("match", 1, 35), ("match", 0, 65),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("[ACTION] Ann has folded.", "[ACTION] Ann has.", "unparsable"),
        ("[ACTION] Bo has raised by 20.", "[ACTION] Bo has raised by 36.", "score_mismatch"),
        ("[ACTION] Bo has raised by 20.", "[ACTION] Bo has checked.", "bad_bid"),
        ("Bo won 50 chips.", "Bo won 44 chips.", "score_mismatch"),
    ],
)
def test_a_line_that_cant_be_true_is_a_better_reason_than_a_refused_event(
    old: str, new: str, reason: str
) -> None:
    found = read(SET_UP + HAND.replace(LOST, "").replace(old, new))
    assert [reject.reason.code for reject in found.rejects] == [reason]


def test_the_next_hand_has_the_chips_that_the_lines_give() -> None:
    """Though the rules refuse the hand before it and its standings are damaged."""
    twice = HAND.replace("[ACTION] Ann has checked.\n", "[ACTION] Ann has checked.\n" * 2)
    twice = twice.replace("Ann has got 35", "Ann has got 36")
    second = "[NEW ROUND]\n[BUTTON] The button was given to Ann.\n[ANTE] Bo paid 5 chips for the ante.\n"
    found = read(SET_UP + twice + second)
    assert '"score":[65,35]' in found.batch.details[1]


def test_too_many_chips_are_left_to_the_judge() -> None:
    """Whatever the opening, a hand is parsed; sums must not overflow."""
    chips = MOST_CHIPS - 100
    rich = (SET_UP + HAND).replace("given 50", f"given {chips}")
    rich = rich.replace("got 35", f"got {chips - 15}").replace("got 65", f"got {chips + 15}")
    [reject] = judge(read(rich)).rejects
    assert reject.reason.code == "unparsable"
    assert "chips must be at most" in reject.message


def test_a_hand_without_players_does_not_take_the_names_of_the_match_before() -> None:
    """Logs without marks: a match, one that breaks off before anyone has paid, another."""
    broken = SET_UP + HAND[: HAND.index("[ANTE]")]
    found = read(SET_UP + HAND + broken + SET_UP + HAND)
    assert [reject.reason.code for reject in found.rejects] == ["incomplete"]
    assert judge(found).done.tolist() == [True, True]
    assert '"names": []' in found.rejects[0].context


@pytest.mark.parametrize("matches", [1, 40])
def test_matches_without_an_id_are_named_together(monkeypatch: pytest.MonkeyPatch, matches: int) -> None:
    """Each digest of a batch goes through all its openings, so one a match made reading quadratic."""
    digested: list[int] = []
    content = Batch.content

    def counted(batch: Batch) -> object:
        digested.append(len(batch))
        return content(batch)

    monkeypatch.setattr(Batch, "content", counted)
    text = "".join((SET_UP + HAND + HAND).replace("Ann", f"Ann {number}") for number in range(matches))
    found = read(text)
    assert len(set(found.batch.matches)) == matches
    assert digested == [matches]
