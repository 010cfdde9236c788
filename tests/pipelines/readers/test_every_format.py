"""What holds of every format: damaged logs come to no crash, no lost line and no illegal hand; a log that
grows ends as the whole; a hand read by itself is the same hand; and all of it through the store."""

import json
import os
import random
import re
from collections import Counter
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cardlog import models
from cardlog.pipelines import readers, runs
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.ingest.differences import first_difference
from cardlog.pipelines.ingest.judge import judge
from cardlog.pipelines.ingest.sources import SourceError
from cardlog.pipelines.readers.base import Source
from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.upkeep import quarantine
from cardlog.pipelines.upkeep.verify import verify
from cardlog.schemas.reasons import Reason
from tests.support.csv_rows import HEADER
from tests.support.damaged_logs import FIXTURES, check, checked, damaged, pieces, summary, try_damage
from tests.support.figures import report
from tests.support.logs import judged, logs, text_of
from tests.support.soak import long, soak
from tests.support.stores import PROJECTIONS, assert_same, dicts, ingest

INPUTS = int(os.environ.get("CARDLOG_SOAK_INPUTS", "100000"))
"""Of each format, in the long form."""
FORMATS = list(readers.FORMATS)
TRANSCRIPTS = [name for name in FORMATS if name not in ("playedhand-csv", "cardlog-jsonl")]


def header(name: str) -> bytes:
    return HEADER + b"\n" if name == "playedhand-csv" else b""


def contents(batch: Batch) -> dict[bytes, int]:
    """What each hand says, by its id."""
    return dict(zip(batch.hand_ids.tolist(), batch.content().tolist(), strict=True))


def stored(name: str, text: bytes, final: bool = False) -> dict[bytes, int]:
    [found] = judged(text, name, final)
    return contents(found.batch)


# ---------------------------------------------------------------- telling the format

GAME_OF = {"belote": "belot-transcript", "ruter_sju": "ruter-sju-transcript", "pinochle": "pinochle-protocol"}
GAME_OF |= {"five_card_draw": "five-card-draw-transcript", "kaiser": "playedhand-csv"}


@pytest.mark.parametrize("game", GAME_OF)
def test_the_format_is_told_by_the_beginning_of_a_log(game: str) -> None:
    """With its mark and without, with a byte order mark, with the line ends of Windows."""
    found = sorted({*FIXTURES.glob(f"{game}/**/*transcripts*.gz"), *FIXTURES.glob(f"{game}/e*/*.txt.gz")})
    for path in found or [FIXTURES / "kaiser" / "playedhand_sample.csv"]:
        text = text_of(str(path.relative_to(FIXTURES)))[: 2**17]
        _, _, rest = text.partition(b"\n")
        for head in (text, rest, b"\xef\xbb\xbf" + text, text.replace(b"\n", b"\r\n")):
            assert readers.detect(head[: 2**16]) == GAME_OF[game], path


@pytest.mark.parametrize(
    "head",
    [
        b"", b"\n", b"hello\n", b"{}\n", b"id,added_date\n", b"\x1f\x8b", b"1" + b",a" * 19, HEADER[:90],
        b'{"game":"belote"}\n', b'{"Type":"Bid"}\n', b"--> hello\n", b"--> {}\n", b"PAR\n", b"CARDS\n",
        b"=== SESSION a ===\n", b"=== GAME x ===\nYou play\n", b"=== GAME a ===\nPlayer: 1\n",
        b"=== GAME B1 kind=kbd dialect=x ===\n",
    ],
)  # fmt: skip
def test_other_texts_are_of_no_format(head: bytes) -> None:
    assert readers.detect(head) is None


@pytest.mark.parametrize(("name", "forced"), list(permutations(FORMATS, 2)))
def test_a_log_that_is_read_by_force_as_another_format_is_refused(
    name: str, forced: str, store: Store, tmp_path: Path
) -> None:
    """Or all of it goes to quarantine; nothing is stored, and nothing is passed over."""
    (tmp_path / "log").write_bytes(header(name) + b"".join(pieces(name)[::29][:3]))
    try:
        counts = ingest(store, tmp_path / "log", format=forced, final=True).counts
    except SourceError:
        return
    assert counts.hands_stored == 0 < counts.quarantined


# ---------------------------------------------------------------- damage


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("count", [20, *soak(60)])
def test_logs_without_damage_are_stored(count: int, name: str) -> None:
    found = pieces(name)[:: max(1, len(pieces(name)) // count)]
    ends = sum((check(name, header(name) + piece, True) for piece in found), Counter[str]())
    assert set(ends) <= {"complete", "aborted", "incomplete"}  # a game that is cut may end in a deal
    assert ends["complete"] > 10 * ends["incomplete"]


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("inputs", [50, *soak(150)])
def test_damaged_logs(inputs: int, name: str) -> None:
    ends = try_damage(name, range(inputs))
    assert ends["complete"] > inputs / 8
    assert (
        sum(ends[reason] for reason in ("unparsable", "incomplete", "out_of_order", "must_follow"))
        > inputs / 8
    )


@pytest.mark.soak
@pytest.mark.parametrize("tenth", range(10))
@pytest.mark.parametrize("name", FORMATS)
def test_damaged_logs_by_the_hundred_thousand(name: str, tenth: int) -> None:
    inputs = INPUTS // 10
    start = 1_000_000 + tenth * inputs
    report(summary(name, inputs, try_damage(name, range(start, start + inputs))))


LINES = {
    "belot-transcript": (
        "PAR A: a i b\nPAR B: c i d\n================= DIJELJENJE =================\nKarte dijeli a\n"
        "---------- c ----------\nc zove 2\nc kaže dalje\nZvanja:\n\tNema zvanja\n\nPIK VII\n"
        "\tc: [{PIK VII, PIK VIII, PIK IX}]\n> Š (0) kupi c\n"
        "Bodovi u dijeljenju:\n\ta i b: 100\n\tc i d: 62\nUkupni bodovi:\na i b su pobjedili!\nBELA!\n"
        "Traceback (most recent call last):\nKARTE:  [PIK VII]\n"
        "Broj karte: 1\n=== GAME x ===\n\ufeff\nx\nmust True"
    ),
    "ruter-sju-transcript": (
        "=== GAME a numPlayers=3 numSuits=1 cardsPerSuit=3 players=0:smart,1:dumb,x:human ===\n"
        "=== GAME b numPlayers=3 numSuits=4 cardsPerSuit=13 players=0:smart,1:dumb,2:random ===\n"
        "=== GAME c ===\n0:\n1:\nx:\nCARDS\n2 of diamonds\n1 of diamonds\nGAME\nd: \nd: 2\nd: 1 2\n\n"
        "0 places 2 of diamonds...\n0 is out!\n1 places 1 of diamonds...\n1 takes the block...\n"
        "0 is blocked...\nx places 3 of diamonds...\nx is out!\nGAME OVER\nFinal Order:\n1. 0\n2. 1\n3. x\n"
        "Which player starts?: 2\nEnter a valid card!\nPlace another? (y/n): \nPlace another? (y/n): n\n"
        "Going back to last player input...\n=\n===\n\ufeff\n999 of spades\n"
        "Which card will you place (number, suit separated by space): 3 d"
    ),
    "five-card-draw-transcript": (
        "=== GAME a chips=50 ante=5 ===\n[SETUP] All players have been given 50 chips.\n[NEW ROUND]\n"
        "[BUTTON] The button was given to a.\n[ANTE] b paid 5 chips for the ante.\n"
        "[ANTE] a paid 5 chips for the ante.\n[CARDS] Hands have been dealt.\n[ACTION] b has checked.\n"
        "[ACTION] a has raised by 5.\n[ACTION] b has folded.\n[SHOWDOWN] a won 15 chips.\n"
        "[STANDINGS] a has got 55 chips remaining.\n"
        "[STANDINGS] b has got 45 chips remaining.\n\nWhat's your name?b\n[END] Thanks for playing!\n"
        "Traceback (most recent call last):\n[CARDS] b swapped 2 cards.\nx\n"
        "[INFO] There are 10 chips in the pot."
    ),
    "pinochle-protocol": (
        "=== SESSION a ===\n=== GAME b ===\n=== \n-->\n--> {\n<-- {}\n\r\n\ufeff\n"
        '--> {"Playerid":0,"Type":"Play"}'
    ),
}
"""Lines of a small game of each format, and some others."""


@pytest.mark.parametrize("name", TRANSCRIPTS)
@settings(deadline=None, max_examples=60)
@given(text=st.binary(max_size=1000), final=st.booleans())
def test_any_bytes_are_accounted_for(name: str, text: bytes, final: bool) -> None:
    check(name, text, final)
    check(name, pieces(name)[0][:700] + text, final)


@pytest.mark.parametrize("name", TRANSCRIPTS)
@settings(deadline=None, max_examples=100)
@given(data=st.data(), final=st.booleans())
def test_any_lines_are_accounted_for(name: str, data: st.DataObject, final: bool) -> None:
    lines = [*LINES[name].encode().split(b"\n"), *pieces(name)[0].split(b"\n")[:40]]
    check(name, b"\n".join(data.draw(st.lists(st.sampled_from(lines), max_size=40))), final)


@pytest.mark.parametrize("name", TRANSCRIPTS)
@pytest.mark.parametrize("seed", [0, *soak(*range(1, 60))])
def test_damage_in_one_game_does_not_touch_others(name: str, seed: int) -> None:
    rng = random.Random(f"{name} {seed}")
    compared = 0
    for _ in range(30):
        first, game, last = rng.sample(pieces(name), 3)
        mark, body = game.split(b"\n", 1)
        body = damaged(rng, body, name)
        marks = [one.split(b"\n", 1)[0].split()[2] for one in (first, game, last)]
        if b"\n=== " in b"\n" + body or len(set(marks)) < len(marks):
            continue  # the damage may have named another game
        found = stored(name, b"\n".join([first.rstrip(b"\n"), mark, body, last]))
        for other in (first, last):
            assert stored(name, other).items() <= found.items()
            compared += 1
    assert compared > 30


@pytest.mark.parametrize("name", ["five-card-draw-transcript", *long(*FORMATS)])
def test_damaged_logs_through_the_store(name: str, store: Store, tmp_path: Path) -> None:
    """What is stored can be built, and what is kept can be looked for again."""
    rng = random.Random(name)
    some = [damaged(rng, piece, name) if rng.random() < 0.4 else piece for piece in pieces(name)[:90]]
    text = header(name) + b"".join(piece.rstrip(b"\n") + b"\n" for piece in some)
    (tmp_path / "log").write_bytes(text)
    result = ingest(store, tmp_path / "log", format=name)
    found = checked(name, text)
    assert sum(row["quarantined"] for row in result.sources) >= sum(len(one.rejects) for one in found) > 5
    kept = {
        (row["first_line"], row["raw"].encode(row["raw_encoding"])) for row in dicts(store, "from quarantine")
    }
    assert kept >= {(reject.first_line, reject.raw) for one in found for reject in one.rejects}
    runs.build(store)
    rows = dicts(store, "from playedhand")
    assert len(rows) == result.counts.hands_stored > 15
    quarantine.retry(store)
    assert quarantine.waiting(store) == len(kept)


# ---------------------------------------------------------------- logs that grow


@pytest.mark.parametrize("name", TRANSCRIPTS)
@pytest.mark.parametrize(("seed", "cuts"), [(0, 15), *soak(*((seed, 60) for seed in range(1, 8)))])
def test_a_log_cut_anywhere_ends_as_the_whole_one(name: str, seed: int, cuts: int) -> None:
    """What is stored of a part stays as it is, and is all that was there; only the end waits."""
    rng = random.Random(f"{name} {seed}")
    text = b"".join({piece.split(b"\n")[0]: piece for piece in rng.sample(pieces(name), 4)}.values())
    [all_of_it] = judged(text, name)
    whole = contents(all_of_it.batch)
    lasts = all_of_it.read.last_lines[all_of_it.kept]
    lines = [index + 1 for index, byte in enumerate(text) if byte == 10]
    for cut in [*rng.sample(range(len(text)), cuts), *rng.sample(lines, cuts), len(text)]:
        [found] = judged(text[:cut], name)
        part = contents(found.batch)
        assert part.items() <= whole.items(), cut
        assert len(part) >= (lasts <= text[:cut].count(b"\n")).sum() - 1, cut
        assert [reject.reason.code for reject in found.rejects] in ([], ["incomplete"]), cut
        final = stored(name, text[:cut], final=True)
        assert part.items() <= final.items(), cut


@pytest.mark.parametrize("name", TRANSCRIPTS)
@pytest.mark.parametrize("seeds", [range(6), *soak(range(6, 1000))])
def test_of_a_part_of_a_damaged_log_no_more_is_stored_than_of_the_whole(name: str, seeds: range) -> None:
    for seed in seeds:
        rng = random.Random(f"{name} {seed}")
        mark, body = rng.choice(pieces(name)).split(b"\n", 1)
        text = mark + b"\n" + damaged(rng, body, name)
        whole = stored(name, text)
        for cut in rng.sample(range(len(text)), 6):
            assert stored(name, text[:cut]).items() <= whole.items(), (seed, cut)


@pytest.mark.parametrize("log", [*list(logs())[::9], *long(*logs())])
@pytest.mark.parametrize("final", [False, True])
def test_what_is_read_of_a_log_cut_at_any_line_is_the_beginning_of_the_whole(log: str, final: bool) -> None:
    """So that a stored hand can only be the same in the whole log, or be completed by it; waiting ones are
    there, too. With ``final``, the whole may know more of a hand that was broken off."""
    name, text = logs()[log], text_of(log)
    text = text[: text.find(b"\n", 40_000) + 1 or None]
    whole = {
        hand_id: read.take(np.array([hand]))
        for read in (found.batch for found in judged(text, name, final=True))
        for hand, hand_id in enumerate(read.hand_ids.tolist())
    }
    ends = [index + 1 for index, byte in enumerate(text) if byte == 10]
    for cut in ends[:: max(1, len(ends) // 150)]:
        for batch in (found.batch for found in judged(text[:cut], name, final)):
            for hand, hand_id in enumerate(batch.hand_ids.tolist()):
                assert hand_id in whole, (cut, hand_id)
                assert not first_difference(batch.take(np.array([hand])), whole[hand_id]), cut


@pytest.mark.parametrize("name", TRANSCRIPTS)
def test_a_match_without_a_name_gets_none_from_a_hand_that_is_broken_off(name: str) -> None:
    """Even with ``final``, since it would get another one from the whole hand."""
    _, _, text = pieces(name)[0].partition(b"\n")
    whole = stored(name, text, final=True)
    lines = [index + 1 for index, byte in enumerate(text) if byte == 10]
    for cut in lines[:: max(1, len(lines) // 40)]:
        assert stored(name, text[:cut], final=True).keys() <= whole.keys(), cut
    assert whole


@pytest.mark.parametrize("name", ["belot-transcript", "cardlog-jsonl", *long(*FORMATS)])
def test_a_log_ingested_as_it_grows_ends_in_the_same_tables(name: str, tmp_path: Path) -> None:
    """Two of the cuts were taken for the end of the log, too; and an old copy of it comes at last."""
    rng = random.Random(name)
    text = header(name) + b"".join(rng.sample(pieces(name), 6))
    grown, whole = (Store(str(tmp_path / one)) for one in ("grown", "whole"))
    cuts = sorted(rng.sample(range(len(header(name)) + len(text) // 9, len(text)), 4))
    for cut in [*cuts, len(text), cuts[1]]:
        (tmp_path / "log").write_bytes(text[:cut])
        ingest(grown, tmp_path / "log", format=name, final=cut in cuts[1::2])
        assert {row["reason"] for row in dicts(grown, "from quarantine")} <= {"incomplete"}
    (tmp_path / "log").write_bytes(text)
    ingest(whole, tmp_path / "log", format=name)
    for store in (grown, whole):
        runs.build(store)
    assert_same(whole, grown, ["events", *PROJECTIONS], without=("source_id", "source_line", "ingest_no"))
    assert verify(grown).problems == []


# ---------------------------------------------------------------- hands by themselves


@pytest.mark.parametrize("name", TRANSCRIPTS)
def test_a_damaged_hand_keeps_its_id_and_once_mended_says_what_it_would_have_said(name: str) -> None:
    [text] = [piece for piece in pieces(name) if b" J003 " in piece] or pieces(name)[:1]
    [whole] = readers.get(name).read(text, Source("0" * 64, "-", name))
    digests = whole.batch.content().tolist()
    lines = text.split(b"\n")
    for hand, name_of_hand in enumerate(whole.batch.hand_ids.tolist()):
        damaged = lines.copy()
        index = int(whole.first_lines[hand]) + 8
        damaged[index] += b"!"
        [read] = readers.get(name).read(b"\n".join(damaged), Source("0" * 64, "-", name))
        [reject] = [one for one in read.rejects if one.first_line <= index + 1 <= one.last_line]
        assert reject.hand_id == name_of_hand.decode()
        mended = reject.raw.replace(damaged[index], lines[index])
        alone = Source("0" * 64, "-", name, context=reject.context)
        [one] = readers.get(name).read(mended, alone, reject.first_line)
        assert contents(one.batch) == {name_of_hand: digests[hand]}


@pytest.mark.parametrize("log", [log for log in logs() if log.endswith("transcripts.txt.gz")])
def test_a_hand_read_by_itself_is_the_same_hand(log: str) -> None:
    """As if the rules had refused it: by the text and the context that quarantine keeps."""
    name = logs()[log]
    text = text_of(log)
    [whole] = readers.get(name).read(
        text[: text.find(b"\n=== ", 150_000) + 1 or None], Source("0" * 64, "-", name)
    )
    digests = whole.batch.content().tolist()
    for hand in range(0, len(whole.batch), 3):
        alone = Source("0" * 64, "-", name, context=whole.context_of(hand))
        [one] = readers.get(name).read(whole.raw_of(hand), alone, int(whole.first_lines[hand]))
        assert contents(one.batch) == {whole.batch.hand_ids[hand]: digests[hand]}
        assert judge(one).rejects == []
        assert (one.first_lines[0], one.last_lines[0]) == (whole.first_lines[hand], whole.last_lines[hand])
        assert one.other_lines == 0


@pytest.mark.parametrize(
    ("name", "old", "new", "says"),
    [
        (
            "belot-transcript",
            rb"VII\b",
            b"VI",
            "KARO ♦, HERC ♥, PIK ♠ or TREF ♣, then VII, VIII, IX, X, Bube",
        ),
        (
            "five-card-draw-transcript",
            rb"10(?=\xe2)",
            b"11",
            "are 2 to 10, J, Q, K or A and one of ♠ ♡ ♢ ♣, such",
        ),
        ("ruter-sju-transcript", rb"places \d+", b"places 99", "1 to 13 of diamonds, spades, hearts, clubs."),
        ("pinochle-protocol", rb'"PlayedCard":"..', b'"PlayedCard":"8D', "the cards are ATKQJ9 of D C H S"),
        ("playedhand-csv", rb"5H", b"5h", "Kaiser's are 789TJQKA of C D, 589TJQKA of H, 389TJQKA of S"),
        ("cardlog-jsonl", rb'"cards":"..', b'"cards":"FD', "Ruter Sju's cards are A23456789TJQK of D S H C."),
    ],
)
def test_what_is_no_card_is_answered_with_the_cards_of_the_format(
    name: str, old: bytes, new: bytes, says: str
) -> None:
    [text] = [piece for piece in pieces(name) if name != "cardlog-jsonl" or b'"ruter_sju"' in piece][:1]
    messages = [
        reject.message for read in judged(re.sub(old, new, text, count=1), name) for reject in read.rejects
    ]
    assert any(says in message for message in messages), messages


@pytest.mark.parametrize("game", models.GAMES)
def test_a_wrong_score_says_which_one_was_expected(game: str) -> None:
    """Of each report of simulated hands, which is changed by one; another seat may have the changed one."""
    found = 0
    for text in [piece for piece in pieces("cardlog-jsonl") if f'"{game}"'.encode() in piece][:8]:
        lines = text.splitlines(keepends=True)
        for index, line in enumerate(lines):
            event = json.loads(line)
            if event["kind"] != "score" or event.get("amount") is None:
                continue
            changed = json.dumps(event | {"amount": event["amount"] + 1}).encode() + b"\n"
            [read] = judged(b"".join([*lines[:index], changed, *lines[index + 1 :]]), "cardlog-jsonl", True)
            for reject in read.rejects:
                if reject.reason is Reason.SCORE_MISMATCH:
                    assert reject.message.endswith(f"Expected: {event['amount']}."), reject.message
                    found += 1
    assert found >= 16
