"""What follows from the lines of a five-card draw hand, also of one that the rules refuse, and what the hands
after a damaged one can still know."""

from functools import partial

import pytest

from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.ingest.judge import judge
from cardlog.pipelines.readers.base import Read, Source
from cardlog.pipelines.readers.five_card_draw_transcript import reader
from cardlog.schemas.events import ACTIONS, NO_AMOUNT
from tests.support import damaged_logs
from tests.support.formats import piece

Outcome = partial(damaged_logs.Outcome, reader.FORMAT)
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
F047 = piece(reader.FORMAT, "F047").decode()
"""A game of two hands, played by a human."""
WHOLE = Outcome(F047.encode())
ANN, ASA = (f"[STANDINGS] {name} has got {chips}" for name, chips in (("Ann", 75), ("Åsa", 325)))
BAD = ("[ACTION] Bo has gone all-in to call!", "[ACTION] Bob has gone all-in to call!")


def read(text: str) -> Read:
    [found] = reader.read(text.encode(), Source("0" * 64, "-", reader.FORMAT))
    return found


def damaged(*changes: tuple[str, str]) -> damaged_logs.Outcome:
    text = F047
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    return Outcome(text.encode())


def amounts(found: Read) -> list[tuple[str, int, int]]:
    return [
        (ACTIONS[one["action"]].name, int(one["seat"]), int(one["amount"]))
        for one in found.batch.events[: found.batch.offsets[1]]
        if one["amount"] != NO_AMOUNT
    ]


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


def test_one_missing_standing_follows_from_the_others() -> None:
    """There are as many chips after a hand as before it. With two missing the next hand can't be judged."""
    found = damaged(BAD, (f"{ANN} chips remaining.\n", ""))
    assert (found.reasons, len(found.content)) == (["unparsable"], 1)
    assert found.content.items() <= WHOLE.content.items()
    found = damaged(BAD, (f"{ANN} chips remaining.\n", ""), (f"{ASA} chips remaining.\n", ""))
    assert found.reasons == ["unparsable", "incomplete"]
    assert "chips before this hand are not known" in found.rejects[1].message
    [missing] = read(SET_UP + HAND.split("[STANDINGS]")[0] + "[END] Bo has won!\n").rejects
    assert "comes where lines are missing" in missing.message


def test_the_next_hand_has_the_chips_that_the_lines_give() -> None:
    """Though the rules refuse the hand before it and its standings are damaged."""
    twice = HAND.replace("[ACTION] Ann has checked.\n", "[ACTION] Ann has checked.\n" * 2)
    twice = twice.replace("Ann has got 35", "Ann has got 36")
    second = "[NEW ROUND]\n[BUTTON] The button was given to Ann.\n[ANTE] Bo paid 5 chips for the ante.\n"
    found = read(SET_UP + twice + second)
    assert '"score":[65,35]' in found.batch.details[1]


def test_who_is_not_known_or_too_many_is_said() -> None:
    found = damaged(("What's your name?Åsa\n", ""))
    assert found.reasons == ["incomplete", "incomplete"]
    assert "but not who that is" in found.rejects[0].message
    more = "".join(f"[ANTE] P{number} paid 25 chips for the ante.\n" for number in range(4))
    assert "more than 6 players" in damaged(("[ANTE] Ann", more + "[ANTE] Ann")).rejects[0].message


def test_a_hand_without_players_does_not_take_the_names_of_the_match_before() -> None:
    """Logs without marks: a match, one that breaks off before anyone has paid, another."""
    broken = SET_UP + HAND[: HAND.index("[ANTE]")]
    found = read(SET_UP + HAND + broken + SET_UP + HAND)
    assert [reject.reason.code for reject in found.rejects] == ["incomplete"]
    assert judge(found).done.tolist() == [True, True]
    assert '"names": []' in found.rejects[0].context


def test_names_of_any_bytes_are_read_again() -> None:
    """Also such as are no UTF-8, or hold what JSON must escape."""
    text = F047.encode().replace("Çelik Ö.".encode(), b'\xff"\\ \xc3').replace(b"Bo ", b"[ANTE] paid 25 ")
    [found] = reader.read(text, Source("0" * 64, "-", reader.FORMAT))
    assert judge(found).rejects == []
    for hand in range(len(found.batch)):
        one = Outcome(found.raw_of(hand), context=found.context_of(hand))
        assert list(one.content.values()) == [Outcome(text).content[found.batch.hand_ids[hand]]]


@pytest.mark.parametrize("matches", [1, 40])
def test_matches_without_an_id_are_named_together(monkeypatch: pytest.MonkeyPatch, matches: int) -> None:
    """Each digest of a batch goes through all its openings, so one a match made reading quadratic."""
    digested: list[int] = []
    content = Batch.content
    monkeypatch.setattr(Batch, "content", lambda batch: digested.append(len(batch)) or content(batch))
    text = "".join((SET_UP + HAND + HAND).replace("Ann", f"Ann {number}") for number in range(matches))
    found = read(text)
    assert len(set(found.batch.matches)) == matches
    assert digested == [matches]
