"""Damaged and cut five-card draw transcripts: nothing crashes, every line and hand is accounted for, one
bad hand does not take its neighbours, and a log that grows ends in what the whole one says."""

import gzip
import random
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from cardlog.pipelines.events.folding import fold_batch
from cardlog.pipelines.ingest import sources
from cardlog.pipelines.ingest.judge import judge
from cardlog.pipelines.readers.base import Read, Source
from cardlog.pipelines.readers.five_card_draw_transcript import reader
from cardlog.pipelines.storage.store import Store
from tests.support.damaged_logs import checked
from tests.support.damaged_logs import damaged as damaged_by_chance
from tests.support.five_card_draw_hands import FIXTURES
from tests.support.stores import assert_same, ingest

SOURCE = Source("0" * 64, "-", reader.FORMAT)
TEXT = gzip.decompress((FIXTURES / "games_transcripts.txt.gz").read_bytes())
GAMES = [b"=== GAME " + part for part in TEXT.split(b"=== GAME ")[1:]]
CRASHED = b"Traceback (most recent call last):"
BY_ID = {game.split(b" ")[2].decode(): game for game in GAMES}


def read(text: bytes, **changes: Any) -> Read:
    [found] = reader.read(text, Source(**{**vars(SOURCE), **changes}))
    return found


class Outcome:
    """What became of a text, checked to account for every line and hand."""

    def __init__(self, text: bytes, final: bool = False, context: str = "") -> None:
        [found] = checked(reader.FORMAT, text, final, context)
        self.batch, self.rejects, self.done = found.batch, found.rejects, found.done
        lines = text.split(b"\n")
        taken: set[int] = set()
        for hand in found.kept.tolist():
            taken |= {*range(found.read.first_lines[hand], found.read.last_lines[hand] + 1)}
        for reject in self.rejects:
            taken |= {*range(reject.first_line, reject.last_line + 1)}
        for other in {*range(1, len(lines))} - taken:  # the last line may be a part of one
            crashed = CRASHED in b"\n".join(lines[:other]) and not lines[other - 1].startswith(b"[")
            assert crashed or known_other(lines[other - 1]), lines[other - 1]
        states = fold_batch(self.batch).states
        assert (states["won"].sum(axis=1) == states["staked"].sum(axis=1))[self.done].all()
        assert (states["stack"] >= 0).all()
        self.content = dict(zip(self.batch.hand_ids.tolist(), self.batch.content().tolist(), strict=True))

    @property
    def reasons(self) -> list[str]:
        return [reject.reason.code for reject in self.rejects]


def known_other(line: bytes) -> bool:
    """Whether a line may stand outside of hands: marks, blank lines, what comes before a first hand, and the
    end of a game that has none."""
    line = line.removeprefix(b"\xef\xbb\xbf").rstrip(b"\r")
    return line == b"" or line.startswith((b"=== ", b"Press 1 to play", b"What's your name?", b"[SETUP] ",
                                           b"[WARNING] ", b"[END] "))  # fmt: skip


@cache
def whole(game: str) -> Outcome:
    return Outcome(BY_ID[game])


# ---------------------------------------------------------------- damage that is known


PLAYED = "F047"
"""A game of two hands, played by a human."""
HUMAN = BY_ID[PLAYED].decode()


def damaged(*changes: tuple[str, str], game: str = PLAYED) -> Outcome:
    text = BY_ID[game].decode()
    for old, new in changes:
        assert text.count(old) >= 1, old
        text = text.replace(old, new, 1)
    return Outcome(text.encode())


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("[ACTION] Bo has gone all-in to call!", "[ACTION] Bob has gone all-in to call!", "unparsable"),
        ("[ACTION] Bo has gone all-in to call!", "[ACTION] Bo has gone.", "unparsable"),
        ("[ACTION] Bo has gone all-in to call!", "[ACTION] Bo has called.", "score_mismatch"),
        ("[ACTION] Bo has gone all-in to call!", "[ACTION] Bo has raised by 1.", "score_mismatch"),
        ("[ACTION] Bo has gone all-in to call!", "[ACTION] Ann has gone all-in to call!", "wrong_turn"),
        ("[ACTION] Bo has gone all-in to call!", "[ACTION] Bo has checked.", "bad_bid"),
        ("[ACTION] Ann has folded.\n", "", "wrong_turn"),
        ("[ACTION] Ann has folded.", "[ACTION] Ann has folded.\n[ACTION] Ann has folded.", "wrong_turn"),
        ("raised by 75 and", "raised by 74 and", "score_mismatch"),
        ("[ANTE] Bo paid 25", "[ANTE] Bo paid 24", "bad_bid"),
        ("There are 100 chips", "There are 101 chips", "score_mismatch"),
        ("You have 75 chips", "You have 74 chips", "score_mismatch"),
        ("The amount to call is 0", "The amount to call is 1", "score_mismatch"),
        ("in the pot?75\n", "in the pot?74\n", "score_mismatch"),
        ("[4♢, K♣, 6♣, 10♣, K♢]", "[4♢, K♣, 6♣, 1♣, K♢]", "unknown_card"),
        ("[4♢, K♣, 6♣, 10♣, K♢]", "[4♢, K♣, 6♣, 10♣, K♥]", "unknown_card"),
        ("[4♢, K♣, 6♣, 10♣, K♢]", "[4♢, K♣, 6♣, 10♣]", "unparsable"),
        ("[4♢, K♣, 6♣, 10♣, K♢]", "[4♢, K♣, 6♣, 9♣, K♢]", "score_mismatch"),
        ("for all)00010", "for all)00011", "score_mismatch"),
        ("for all)00010", "for all)00001", "score_mismatch"),
        ("is [4♢, K♣, 6♣, K♢, 2♠]\n", "is [4♢, K♣, 6♣, K♢, K♣]\n", "duplicate_card"),
        ("[CARDS] Your new hand is [4♢, K♣, 6♣, K♢, 2♠]\n", "", "incomplete"),
        ("Bo is holding [3♡,", "Bo is holding [4♢,", "duplicate_card"),
        ("Åsa is holding [4♢,", "Åsa is holding [4♠,", "not_in_hand"),
        (
            "[SHOWDOWN] Çelik Ö. mucked.",
            "[SHOWDOWN] Çelik Ö. is holding [2♡, 3♢, 4♡, 8♣, 9♡]",
            "score_mismatch",
        ),
        ("won 325 with a pair", "won 325 with a two pair", "score_mismatch"),
        ("won 325 with a pair", "won 324 with a pair", "score_mismatch"),
        ("won 325 with a pair", "got 325 chips back.", "score_mismatch"),
        ("[REWARDS] Åsa won 325 with a pair\n", "", "score_mismatch"),
        ("[STANDINGS] Åsa has got 325", "[STANDINGS] Åsa has got 324", "score_mismatch"),
        ("[STANDINGS] Ann has got 75 chips remaining.\n", "", "incomplete"),
        ("[PLAYER] Bo is leaving the table.\n", "", "incomplete"),
        ("[PLAYER] Bo is leaving", "[PLAYER] Ann is leaving", "score_mismatch"),
        ("[BUTTON] The button was given to Çelik Ö..\n", "", "incomplete"),
        ("given to Çelik Ö..", "given to Bo.", "out_of_order"),
        ("[CARDS] Hands have been dealt.\n", "", "incomplete"),
        ("[CARDS] Cards have been collected.", "[CARDS] Cards have been collected.\n" * 2, "out_of_order"),
        ("[PLAYER] Bo is", "[REWARDS] Bo got 5 chips back.\n[PLAYER] Bo is", "out_of_order"),
        ("swapped 2 cards.", "swapped 5 cards.", "must_follow"),
        ("swapped 2 cards.", "swapped 0 cards.", "unparsable"),
        ("[NEW ROUND]\n", "[NEW RUND]\n", "unparsable"),
        ("[SETUP] The ante", "[SETUP] The auntie", "unparsable"),
    ],
)
def test_a_damaged_hand_is_quarantined_and_the_next_one_is_stored(old: str, new: str, reason: str) -> None:
    found = damaged((old, new))
    assert found.reasons == [reason], found.rejects
    [reject] = found.rejects
    first, second = whole(PLAYED).batch.hand_ids.tolist()
    assert reject.hand_id == first.decode()
    assert reject.first_line in (2, 6)
    if "STANDINGS" not in old and "SETUP" not in old and "name" not in old and "BUTTON" not in old:
        assert found.batch.hand_ids.tolist() == [second]


def test_the_hand_after_a_damaged_one_is_the_same_as_without_damage() -> None:
    for old, new in (
        ("[ACTION] Ann has folded.\n", ""),
        ("[STANDINGS] Ann has got 75 chips remaining.\n", ""),
        ("[STANDINGS] Ann has got 75 chips", "[STANDINGS] Ann has got 76 chips"),
        ("[STANDINGS] Ann has got 75 chips", "[STANDINGS] Anne has got 75 chips"),
    ):
        found = damaged((old, new))
        assert len(found.content) == 1
        assert found.content.items() <= whole(PLAYED).content.items()


def test_one_missing_standing_follows_from_the_others() -> None:
    """There are as many chips after a hand as before it. With two missing the next hand can't be judged."""
    bad = ("[ACTION] Bo has gone all-in to call!", "[ACTION] Bob has gone all-in to call!")
    ann = "[STANDINGS] Ann has got 75 chips remaining.\n"
    asa = "[STANDINGS] Åsa has got 325 chips remaining.\n"
    found = damaged(bad, (ann, ""))
    assert (found.reasons, len(found.content)) == (["unparsable"], 1)
    assert found.content.items() <= whole(PLAYED).content.items()
    found = damaged(bad, (ann, ""), (asa, ""))
    assert found.reasons == ["unparsable", "incomplete"]
    assert "chips before this hand are not known" in found.rejects[1].message


def test_a_lost_beginning_makes_two_hands_not_one() -> None:
    text = HUMAN.replace("table.\n\n[NEW ROUND]\n", "table.\n")
    assert text != HUMAN
    found = Outcome(text.encode())
    assert found.reasons == ["incomplete"]
    assert found.content.keys() == {whole(PLAYED).batch.hand_ids[0]}


def test_without_the_name_of_the_human_its_hands_cant_be_read() -> None:
    found = damaged(("What's your name?Åsa\n", ""))
    assert found.reasons == ["incomplete", "incomplete"]
    assert "but not who that is" in found.rejects[0].message


def test_more_players_than_seats_are_rejected() -> None:
    more = "".join(f"[ANTE] P{number} paid 25 chips for the ante.\n" for number in range(4))
    found = damaged(("[ANTE] Ann", more + "[ANTE] Ann"))
    assert "more than 6 players" in found.rejects[0].message


def test_two_players_with_one_name_are_rejected() -> None:
    found = damaged(("[ANTE] Bo paid", "[ANTE] Ann paid"))
    assert "two players have the same name" in found.rejects[0].message


def test_one_bad_hand_does_not_take_its_neighbours() -> None:
    """One line of a hand is damaged by chance: of the hands after it hardly one is lost, and those before
    it never."""
    rng = random.Random(5)
    lost = kept = 0
    for _ in range(150):
        game = rng.choice([game for game in GAMES if game.count(b"[NEW ROUND]") > 2])
        name = game.split(b" ")[2].decode()
        lines = game.split(b"\n")
        rounds = [number for number, line in enumerate(lines) if line == b"[NEW ROUND]"]
        bad = rng.randrange(len(rounds) - 1)
        index = rng.randrange(rounds[bad] + 1, rounds[bad + 1] - 1)
        if rng.random() < 0.5:
            lines[index] = lines[index][: rng.randrange(len(lines[index]))] + b"#"
        else:
            del lines[index]
        found = Outcome(b"\n".join(lines))
        ids = whole(name).batch.hand_ids.tolist()
        before = {hand: whole(name).content[hand] for hand in ids[:bad]}
        assert before.items() <= found.content.items()
        after = ids[bad + 1 :]
        lost += sum(hand not in found.content for hand in after)
        kept += sum(hand in found.content for hand in after)
        # With a first hand that can't be read nobody knows who had left by then, nor the first button.
        if bad > 0:
            stored = {hand: found.content[hand] for hand in after if hand in found.content}
            assert stored.items() <= whole(name).content.items()
    assert lost < 0.02 * kept


# ---------------------------------------------------------------- logs that grow


def test_the_end_of_a_hand_is_seen_as_soon_as_it_is_there() -> None:
    text = BY_ID["F047"]
    first = text.index(b"\n\n[NEW ROUND]", text.index(b"[STANDINGS]"))
    assert Outcome(text[: first + 1]).reasons == ["incomplete"]
    assert Outcome(text[: first + 2]).reasons == []
    thanks = text.index(b"[END] Thanks for playing!")
    assert Outcome(text[:thanks]).reasons == ["incomplete"]
    assert Outcome(text[: thanks + len(b"[END] Thanks for playing!")]).content == whole("F047").content


def test_crashes_are_stored_as_aborted_at_once() -> None:
    text = BY_ID["F070"]
    cut = text.index(b"  ...\n")
    for piece in (text[:cut], text):
        found = Outcome(piece)
        assert (found.reasons, found.done.tolist()) == ([], [False])
    before = Outcome(text[: text.index(b"Traceback")])
    assert before.reasons == ["incomplete"]


def test_another_hand_or_game_after_one_that_is_not_over_makes_it_aborted() -> None:
    text = BY_ID["F047"]
    piece = text[: text.index(b"[CARDS] Bo swapped")]
    again = text[text.index(b"[NEW ROUND]") :]
    found = Outcome(piece + again)
    # What the players have before the second hand is not known then.
    assert (found.done.tolist(), found.reasons[0]) == ([False, True], "incomplete")
    found = Outcome(piece + BY_ID["F040"])
    assert found.done.tolist() == [False, True, True]


def test_games_without_marks() -> None:
    bodies = [BY_ID[name].split(b"\n", 1)[1] for name in ("F047", "F040", "F000")]
    found = Outcome(b"".join(bodies))
    assert found.rejects == []
    assert len(set(found.batch.matches)) == 3
    assert found.batch.hand_nos.tolist() == [0, 1, 0, 1, 0, 1]
    assert not set(found.batch.matches) & {"", "F047"}
    marked = Outcome(b"=== GAME a ===\n" + b"".join(bodies))
    assert list(marked.batch.matches) == ["a", "a/2", "a/3"]


# ---------------------------------------------------------------- hands read by themselves


def test_names_of_any_bytes_are_read_again() -> None:
    """Also such as are no UTF-8, or hold what JSON must escape."""
    text = BY_ID["F047"].replace("Çelik Ö.".encode(), b'\xff"\\ \xc3').replace(b"Bo ", b"[ANTE] paid 25 ")
    found = read(text)
    assert judge(found).rejects == []
    for hand in range(len(found.batch)):
        one = Outcome(found.raw_of(hand), context=found.context_of(hand))
        assert list(one.content.values()) == [Outcome(text).content[found.batch.hand_ids[hand]]]


# ---------------------------------------------------------------- through the store


def test_blocks_of_a_file_say_what_the_whole_says(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lines, ids and quarantine too, also where a game breaks off before the next mark."""
    log = tmp_path / "log.txt"
    rng = random.Random(17)
    damaged_games = [damaged_by_chance(rng, game, reader.FORMAT).rstrip(b"\n") + b"\n" for game in GAMES[1:]]
    log.write_bytes(GAMES[0] + b"".join(damaged_games))
    ingest(store, log)
    monkeypatch.setattr(sources, "BLOCK_BYTES", 9_000)
    right = Store(str(tmp_path / "right"))
    ingest(right, log)
    assert_same(right, store, ("events", "quarantine"))
