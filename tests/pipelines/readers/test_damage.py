"""What holds of every format, by its row in `tests.support.formats`: damaged logs come to no crash, no lost
line and no illegal hand; one defect takes one hand; a log that grows or is cut ends as the whole; a hand read
by itself is the same hand; and all of it through the store."""

import json
import os
import random
import re
from functools import lru_cache
from itertools import permutations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cardlog import models
from cardlog.pipelines import readers, runs
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.ingest import sources
from cardlog.pipelines.ingest.differences import first_difference
from cardlog.pipelines.ingest.judge import judge
from cardlog.pipelines.readers.base import Read, Source
from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.upkeep import quarantine
from cardlog.pipelines.upkeep.verify import verify
from cardlog.schemas.reasons import Reason
from tests.support.csv_rows import HEADER
from tests.support.damaged_logs import RECORDED, RECORDS, checked, damaged, endings, one_bad_line, rejects_of
from tests.support.figures import report
from tests.support.formats import FORMATS, Damage, Defect, odd_lines, pieces, simulated
from tests.support.logs import judged, logs, text_of
from tests.support.soak import long, soak
from tests.support.stores import PROJECTIONS, assert_same, dicts, ingest

INPUTS = int(os.environ.get("CARDLOG_SOAK_INPUTS", "100000"))
"""Of each format, in the long form."""
DRAW_TRANSCRIPT = "five-card-draw-transcript"
TRANSCRIPTS = [name for name, form in FORMATS.items() if form.is_transcript]


def contents(batch: Batch) -> dict[str, int]:
    """What each hand says, by its id."""
    names = [name.decode() for name in batch.hand_ids.tolist()]
    return dict(zip(names, batch.content().tolist(), strict=True))


def stored(name: str, text: bytes, final: bool = False) -> dict[str, int]:
    return {hand: what for one in judged(text, name, final) for hand, what in contents(one.batch).items()}


def lines_of(text: bytes, most: int) -> list[int]:
    """Where some lines of a text end."""
    ends = [index + 1 for index, byte in enumerate(text) if byte == 10]
    return ends[:: max(1, len(ends) // most)]


# ---------------------------------------------------------------- telling the format


def test_every_format_has_its_row() -> None:
    assert {*FORMATS} == {*readers.FORMATS.ours}


@pytest.mark.parametrize("log", [log for log in logs() if re.search("transcripts|/e|sample.csv", log)])
def test_the_format_is_told_by_the_beginning_of_a_log(log: str) -> None:
    """With its mark and without, with a byte order mark, with the line ends of Windows."""
    text = text_of(log)[: 2**17]
    for head in (text, text.partition(b"\n")[2], b"\xef\xbb\xbf" + text, text.replace(b"\n", b"\r\n")):
        assert readers.detect(head[: 2**16]) == logs()[log]


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


@pytest.mark.parametrize("name", FORMATS)
def test_a_log_that_is_read_by_force_as_another_format_is_refused(
    name: str, store: Store, tmp_path: Path
) -> None:
    """Or all of it goes to quarantine; nothing is stored, and nothing is passed over."""
    (tmp_path / "log").write_bytes(FORMATS[name].header + b"".join(pieces(name)[::29][:3]))
    for forced in (other for first, other in permutations(FORMATS, 2) if first == name):
        try:
            counts = ingest(store, tmp_path / "log", format=forced, final=True).counts
        except sources.SourceError:
            continue
        assert counts.hands_stored == 0 < counts.quarantined, forced


# ---------------------------------------------------------------- one defect

DEFECTS = [
    pytest.param(name, damage, row, id=f"{name} {row[:60]}")
    for name, form in FORMATS.items()
    for damage in form.damage
    for row in damage.rows
]


@pytest.mark.parametrize(("name", "damage", "row"), DEFECTS)
def test_a_defect_puts_its_hand_aside_and_no_other(name: str, damage: Damage, row: str) -> None:
    """With the reason, the message and the id of the hand, and it is the hand again once it is mended."""
    reason, says, damaged, bad, good = damage.defect(row)
    after = FORMATS[name].header + pieces(name)[-1]
    whole = stored(name, damage.text(), final=True)
    found = checked(name, damaged + after, final=True)
    [reject] = [reject for one in found for reject in one.rejects]
    assert (reject.reason.code, says in reject.message) == (reason, True), reject.message
    assert reject.hand_id in whole
    kept = {hand: what for one in found for hand, what in contents(one.batch).items()}
    assert kept.keys() == (whole.keys() | stored(name, after, final=True).keys()) - {reject.hand_id}
    assert stored(name, after, final=True).items() <= kept.items()
    others = {hand: what for hand, what in whole.items() if hand != reject.hand_id}
    by_lines = not reject.message.startswith("Event ") or b"Dealer" in bad  # what only these say is lost
    assert others.items() <= kept.items() or (by_lines and name in ("pinochle-protocol", DRAW_TRANSCRIPT))
    if bad and reject.raw.count(bad) == 1:
        alone = Source("0" * 64, "-", name, final=True, context=reject.context)
        reads = readers.get(name).read(reject.raw.replace(bad, good), alone, reject.first_line)
        mended = [found for one in reads for found in contents(judge(one).batch).items()]
        says_the_same = mended == [(reject.hand_id, whole[reject.hand_id])]
        assert says_the_same or b"Dealer" in bad  # which is then in the context, too


@pytest.mark.parametrize("name", ["belot-transcript", DRAW_TRANSCRIPT, "pinochle-protocol"])
def test_a_line_that_cannot_be_read_is_named_before_what_the_rules_forbid(name: str) -> None:
    """So reading goes on behind what they forbid, and the turns and tricks are those of the text."""

    def messages(text: bytes) -> list[str]:
        return [reject.message for one in judged(text, name, True) for reject in one.rejects]

    tried = 0
    for damage in FORMATS[name].damage:
        of_the_rules, of_lines = list[Defect](), list[Defect]()
        for defect in map(damage.defect, damage.rows):
            [message] = messages(defect.damaged)
            (of_the_rules if message.startswith("Event ") else of_lines).append(defect)
        for first, second in product(of_the_rules, of_lines):
            pairs = enumerate(zip(first.damaged, damage.text(), strict=False))
            start = next(at for at, (new, old) in pairs if new != old) + len(first.bad)
            before, good, after = first.damaged[start:].partition(second.good)
            both = messages(first.damaged[:start] + before + second.bad + after)
            if good and second.bad and len(both) == 1:  # they are in the same hand
                assert both[0].startswith("Line "), (first.bad, second.bad)
                tried += 1
    assert tried > 30


@pytest.mark.parametrize("name", FORMATS)
def test_lines_between_hands_that_say_nothing_are_kept_by_themselves(name: str) -> None:
    """The hands around them, and all that follows from one hand for the next, are what they were."""
    first = FORMATS[name].damage[0].text() if FORMATS[name].damage else FORMATS[name].header + pieces(name)[0]
    text = first + pieces(name)[-1]
    whole = {end: hand for one in judged(text, name, True) for hand, end in enumerate(one.read.last_lines)}
    end = sorted(whole)[len(whole) // 3]
    lines = text.split(b"\n")
    nonsense = b"what is this\n--> " + b"[" * 9999
    other = b"\n".join([*lines[:end], nonsense, *lines[end:]])
    rejects = [reject for one in checked(name, other, True) for reject in one.rejects]
    assert {(reject.reason.code, reject.hand_id) for reject in rejects} == {("unparsable", None)}
    assert b"\n".join(reject.raw.strip() for reject in rejects) == nonsense
    assert stored(name, other, True) == stored(name, text, True)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("count", [25, *soak(400)])
def test_one_bad_line_takes_one_hand_at_most(name: str, count: int) -> None:
    """Its neighbours are stored as they were, under the same names, but that what only it said before them is
    not known any more."""
    rng = random.Random(name)
    several = [piece for piece in pieces(name)[:40] if len(judged(piece, name)[0].kept) > 2] or [
        FORMATS[name].header + b"".join(pieces(name)[start : start + 5]) for start in range(0, 100, 5)
    ]
    lost = kept = 0
    for _ in range(count):
        text = rng.choice(several)
        [read] = readers.get(name).read(text, Source("0" * 64, "-", name, text.split(b"\n")[0], final=True))
        whole, lines = stored(name, text, final=True), text.split(b"\n")
        order = np.argsort(read.first_lines)
        bad = rng.randrange(len(order))
        first, last = (int(ends[order[bad]]) - 1 for ends in (read.first_lines, read.last_lines))
        index = rng.randrange(first, last + 1)
        lines[index : index + 1] = [piece for piece in [one_bad_line(rng, lines[index])] if piece]
        found = stored(name, b"\n".join(lines), final=True)
        names = [read.batch.hand_ids[hand].decode() for hand in order]
        for hand in names[:bad]:
            assert found[hand] == whole[hand]
        lost += sum(hand not in found for hand in names[bad + 1 :])
        kept += sum(hand in found for hand in names[bad + 1 :])
    assert lost <= 0.05 * kept


# ---------------------------------------------------------------- damage by chance


@pytest.mark.parametrize("name", FORMATS)
def test_the_checks_notice_a_line_that_is_lost(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    reader = readers.get(name)
    read = reader.read

    def losing(*how: Any) -> list[Read]:
        reads = read(*how)
        reads[0].other_lines -= 1
        return reads

    monkeypatch.setattr(reader, "read", losing)
    with pytest.raises(AssertionError):
        checked(name, FORMATS[name].header + pieces(name)[0] + b"\n")


@pytest.mark.parametrize("name", RECORDED)
def test_what_is_said_of_damaged_logs_is_on_record(name: str) -> None:
    """With line, reason and message. `python -m tests.support.damaged_logs` writes it anew."""
    record = (RECORDS / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    seeds = dict.fromkeys(int(line.split(",")[0]) for line in record)
    assert [line for seed in seeds for line in rejects_of(name, seed)] == record


@pytest.mark.parametrize("name", ["cardlog-jsonl", *soak(*FORMATS)])
def test_damaged_logs(name: str) -> None:
    ends = endings(name, range(50))
    assert ends["complete"] > 6
    assert sum(ends[one] for one in ("unparsable", "incomplete", "out_of_order", "must_follow")) > 6


@pytest.mark.soak
@pytest.mark.parametrize("tenth", range(10))
@pytest.mark.parametrize("name", FORMATS)
def test_damaged_logs_by_the_hundred_thousand(name: str, tenth: int) -> None:
    inputs = INPUTS // 10
    start = 1_000_000 + tenth * inputs
    ends = endings(name, range(start, start + inputs)).most_common()
    report(f"{name}: {inputs:,} inputs, {', '.join(f'{count:,} hands {end}' for end, count in ends)}")


@pytest.mark.parametrize("name", FORMATS)
@settings(deadline=None, max_examples=50)
@given(text=st.binary(max_size=1000), final=st.booleans())
def test_any_bytes_are_accounted_for(name: str, text: bytes, final: bool) -> None:
    checked(name, text, final)
    checked(name, FORMATS[name].header + pieces(name)[0][:700] + text, final)


@pytest.mark.parametrize("name", FORMATS)
@settings(deadline=None, max_examples=60)
@given(data=st.data(), final=st.booleans())
def test_any_lines_are_accounted_for(name: str, data: st.DataObject, final: bool) -> None:
    texts = [b"".join(pieces(name)[:4]), *(damage.text() for damage in FORMATS[name].damage)]
    odd = [b"", b"x", b"=", b"=== ", b"=== GAME x ===", b"\xef\xbb\xbf", *odd_lines(name)]
    lines = odd + [line for text in texts for line in text.split(b"\n")[:40]]
    checked(name, b"\n".join(data.draw(st.lists(st.sampled_from(lines), max_size=40))), final)


@pytest.mark.parametrize(
    ("name", "old", "new"), [(name, *change) for name, form in FORMATS.items() for change in form.respelt]
)
def test_what_means_nothing_changes_nothing(name: str, old: bytes, new: bytes) -> None:
    """Line ends, byte order marks, blank lines and the like; and that the same text comes twice."""
    for start in range(0, len(pieces(name)), len(pieces(name)) // 3):
        text = FORMATS[name].header + b"".join(pieces(name)[start : start + 2])
        other = re.sub(old, new, text)
        assert other != text or start
        assert [reject for one in judged(other, name, True) for reject in one.rejects] == []
        assert stored(name, other, True) == stored(name, text, True)
        if FORMATS[name].is_transcript:
            assert stored(name, text.rstrip(b"\n") + b"\n" + text, True) == stored(name, text, True)


@pytest.mark.parametrize("name", FORMATS)
def test_what_is_no_card_is_answered_with_the_cards_of_the_format(name: str) -> None:
    old, new, says = FORMATS[name].no_card
    text = simulated("ruter_sju")[0] if name == "cardlog-jsonl" else pieces(name)[0]
    found = judged(re.sub(old, new, text, count=1), name, True)
    assert any(says in reject.message for read in found for reject in read.rejects)


@pytest.mark.parametrize("game", models.GAMES)
def test_a_wrong_score_says_which_one_was_expected(game: str) -> None:
    """Of each report of simulated hands, which is changed by one; another seat may have the changed one."""
    found = 0
    for text in simulated(game)[:4]:
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
    assert found >= 8


# ---------------------------------------------------------------- logs that grow, or stop anywhere


@pytest.mark.parametrize("name", [*TRANSCRIPTS, "pokerstars"])
@pytest.mark.parametrize(("seed", "cuts"), [(0, 8), *soak(*((seed, 60) for seed in range(1, 8)))])
def test_a_log_cut_anywhere_ends_as_the_whole_one(name: str, seed: int, cuts: int) -> None:
    """What is stored of a part stays as it is, and is all that was there; only the end waits, and another
    game after it makes of it what ``--final`` does."""
    rng = random.Random(f"{name} {seed}")
    *games, other = {piece.split(b"\n")[0]: piece for piece in rng.sample(pieces(name), 5)}.values()
    text = b"".join(games)
    [all_of_it] = judged(text, name)
    whole = contents(all_of_it.batch)
    lasts = all_of_it.read.last_lines[all_of_it.kept]
    lines = lines_of(text, len(text))
    for cut in [*rng.sample(range(len(text)), cuts), *rng.sample(lines, cuts), len(text)]:
        [found] = judged(text[:cut], name)
        part = contents(found.batch)
        assert part.items() <= whole.items(), cut
        assert len(part) >= (lasts <= text[:cut].count(b"\n")).sum() - 1, cut
        assert [reject.reason.code for reject in found.rejects] in ([], ["incomplete"]), cut
        final = stored(name, text[:cut], final=True)
        assert part.items() <= final.items(), cut
        if cut in lines and FORMATS[name].is_transcript:
            assert stored(name, text[:cut] + other) == final | stored(name, other), cut


@pytest.mark.parametrize(
    ("name", "end"), [(name, end) for name in TRANSCRIPTS for end in (b"=== GAME z\n", *FORMATS[name].ends)]
)
def test_a_hand_that_will_not_go_on_is_aborted(name: str, end: bytes) -> None:
    text = FORMATS[name].damage[0].text()
    [read] = readers.get(name).read(text, Source("0" * 64, "-", name))
    lines = text.splitlines(keepends=True)
    count = int(read.first_lines[0] + read.last_lines[0]) // 2
    [found] = checked(name, b"".join(lines[:count]) + end)
    assert not found.done[0]
    assert count - 1 <= found.read.last_lines[0] <= count + 1  # without blank lines, or with the crash
    assert {reject.first_line for reject in found.rejects} <= {count + 1}  # a hand that may go on


LINES = [name for name, form in FORMATS.items() if form.damage and not form.is_transcript]
TEXTS = {(name, damage.text()) for name in LINES for damage in FORMATS[name].damage}
TEXTS.add(("phh", pieces("phh")[0].partition(b"\n")[2].strip()))


@pytest.mark.parametrize(("name", "text"), sorted(TEXTS))
def test_of_a_text_cut_at_any_byte_only_the_last_hand_waits(name: str, text: bytes) -> None:
    """What is stored is what the whole text says, under the same names."""
    whole = stored(name, text)
    for cut in {*range(1, len(text), 3), *lines_of(text, len(text))}:
        found = judged(text[:cut], name)
        assert {reject.reason.code for one in found for reject in one.rejects} <= {"incomplete"}, text[:cut]
        kept = {hand: what for one in found for hand, what in contents(one.batch).items()}
        assert kept.items() <= whole.items(), text[:cut]


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


@pytest.mark.parametrize(
    ("log", "cuts"),
    [
        *((log, 12) for log in [*logs()][::9]),
        *long(*((log, 60) for log in logs())),
        *soak(*((log, 150) for log in logs())),
    ],
)
@pytest.mark.parametrize("final", [False, True])
def test_what_is_read_of_a_log_cut_at_any_line_is_the_beginning_of_the_whole(
    log: str, cuts: int, final: bool
) -> None:
    """So that a stored hand can only be the same in the whole log, or be completed by it; waiting ones are
    there, too. With ``final``, the whole may know more of a hand that was broken off."""
    name, text = logs()[log], text_of(log)
    text = text[: text.find(b"\n", 250 * cuts + 2500) + 1 or None]
    whole = {
        hand_id: read.take(np.array([hand]))
        for read in (found.batch for found in judged(text, name, final=True))
        for hand, hand_id in enumerate(read.hand_ids.tolist())
    }
    for cut in lines_of(text, cuts):
        for batch in (found.batch for found in judged(text[:cut], name, final)):
            for hand, hand_id in enumerate(batch.hand_ids.tolist()):
                assert hand_id in whole, (cut, hand_id)
                assert not first_difference(batch.take(np.array([hand])), whole[hand_id]), cut


@pytest.mark.parametrize("name", sorted({*FORMATS} - {"playedhand-csv", "ruter-sju-transcript"}))
def test_of_a_log_that_begins_in_the_middle_of_a_line_the_rest_is_stored(
    name: str, store: Store, tmp_path: Path
) -> None:
    """As after a rotation, when the older file is gone: its format is found, and the tail is kept."""
    first, *rest = pieces(name)[:3]
    (tmp_path / "log").write_bytes(first[first.index(b"\n", len(first) // 2) - 3 :] + b"".join(rest))
    ingest(store, tmp_path / "log", final=True)
    assert stored(name, b"".join(rest), True).keys() <= {
        row["hand_id"] for row in dicts(store, "from events")
    }
    assert min(row["first_line"] for row in dicts(store, "from quarantine")) == 1


@pytest.mark.parametrize("name", TRANSCRIPTS)
def test_a_match_without_a_name_gets_none_from_a_hand_that_is_broken_off(name: str) -> None:
    """Even with ``final``, since it would get another one from the whole hand."""
    _, _, text = pieces(name)[0].partition(b"\n")
    whole = stored(name, text, final=True)
    for cut in lines_of(text, 40):
        assert stored(name, text[:cut], final=True).keys() <= whole.keys(), cut
    assert whole


@pytest.mark.parametrize("name", TRANSCRIPTS)
def test_matches_without_a_mark_are_named_by_their_first_hand(name: str) -> None:
    """Whatever stands around them; a mark names the match after it."""
    first, second = (FORMATS[name].damage[0].text().split(b"\n", 1)[1], pieces(name)[1].split(b"\n", 1)[1])
    [alone], [both] = judged(second, name, True), judged(first + second, name, True)
    assert contents(alone.batch).items() <= contents(both.batch).items()
    assert all(re.fullmatch("[0-9a-f]{16}", match) for match in both.batch.matches)
    [marked] = judged(b"=== GAME one ===\n" + first, name, True)
    assert {match.split("/")[0] for match in marked.batch.matches} == {"one"}


SIMULATED = "simulated"
TORN = {SIMULATED: "cardlog-jsonl", **logs()}
SOME = (
    "kaiser/playedhand_sample.csv",
    "belote/edge/bornabesic_traceback.txt.gz",
    "belote/edge/bornabesic_truncated.txt.gz",  # which ends in the middle of a hand
    "ruter_sju/examples/one_card_starter.txt.gz",
    "pinochle/jan2013_edge_menu_transcripts.txt.gz",
    "five_card_draw/more_transcripts.txt.gz",
    SIMULATED,
)
"""Logs of every format, short ones or with a short last game, for the usual run."""


def tail_of(log: str) -> bytes:
    """The end of a log that is read like the whole: its last game, or the header and the last rows."""
    text = b"".join(simulated("kaiser")[:3]) if log == SIMULATED else text_of(log)
    if TORN[log] == "playedhand-csv":
        lines = text.splitlines(keepends=True)
        return b"".join([lines[0], *lines[-3:]])
    return text[text.rfind(b"\n=== ") + 1 :]


@lru_cache(maxsize=64)
def outcome(text: bytes, form: str, final: bool) -> tuple[dict[int, Any], list[tuple[int, str]]]:
    """All that is stored of a text, by the hands' first lines, and whether it is complete; and the lines and
    reasons of what goes to quarantine."""
    found = judged(text, form, final)
    kept = {
        int(line): (bool(done), digest)
        for one in found
        for line, done, digest in zip(
            one.read.first_lines[one.kept], one.done, one.batch.content(), strict=True
        )
    }
    rejects = [(reject.first_line, reject.reason.code) for one in found for reject in one.rejects]
    return kept, sorted(rejects)


def complete(text: bytes, form: str) -> int:
    """How many hands of a text are stored as complete, though it may go on."""
    return sum(is_done for is_done, _ in outcome(text, form, False)[0].values())


@pytest.mark.parametrize(
    ("log", "lines", "step"),
    [
        *((log, 2, 4) for log in SOME), *((log, 6, 17) for log in SOME),
        ("ruter_sju/one_suit.txt", 99, 3), *long(("ruter_sju/examples/wrong_starter.txt.gz", 99, 1)),
        *soak(*((log, 2, 1) for log in TORN), *((log, 40, 1) for log in SOME)),
    ],
)  # fmt: skip
def test_a_log_that_stops_in_the_middle_of_a_line_loses_no_more_than_the_line(
    log: str, lines: int, step: int
) -> None:
    """Cut after every so many bytes of its last lines, and before the line end, a log gives what it gives
    without its last line, or with all of it: never another card, never a hand less. A hand that the text ends
    with is not lost because only the last line end is missing."""
    text, form = tail_of(log), TORN[log]
    stop = len(text)
    for line in reversed(text.splitlines(keepends=True)[-lines:]):
        start = stop - len(line)
        content = start + len(line.rstrip(b"\r\n"))
        ends_hand = complete(text[:start], form) < complete(text[:stop], form)
        for final in (False, True):
            before, whole = outcome(text[:start], form, final), outcome(text[:stop], form, final)
            allowed = [before, whole]
            if form == "playedhand-csv":  # whose row is a hand
                number = text.count(b"\n", 0, start) + 1
                torn = (Reason.INCOMPLETE, Reason.UNPARSABLE)[: 1 + (number == 1)]  # the header is no row
                allowed = [whole, *((before[0], [*before[1], (number, reason.code)]) for reason in torn)]
            is_cut_off = final and start and form == "ruter-sju-transcript"  # before the mark of another game
            ends = [b"", b"\n=== GAME z\n"] if is_cut_off else [b""]
            for cut, end in product({*range(start + 1, stop, step), content} - {start}, ends):
                found = outcome(text[:cut] + end, form, final)
                assert found in allowed, text[start:cut]
                assert found == whole or not (ends_hand and cut == content), text[start:cut]
        stop = start


@pytest.mark.parametrize("name", ["belot-transcript", "cardlog-jsonl", *long(*FORMATS)])
def test_a_log_ingested_as_it_grows_ends_in_the_same_tables(name: str, tmp_path: Path) -> None:
    """Two of the cuts were taken for the end of the log, too; and an old copy of it comes at last."""
    rng = random.Random(name)
    header = FORMATS[name].header
    text = header + b"".join(rng.sample(pieces(name), 6))
    grown, whole = (Store(str(tmp_path / one)) for one in ("grown", "whole"))
    cuts = sorted(rng.sample(range(len(header) + len(text) // 9, len(text)), 4))
    for cut in [*cuts, len(text), cuts[1]]:
        (tmp_path / "log").write_bytes(text[:cut])
        ingest(grown, tmp_path / "log", format=name, final=cut in cuts[1::2])
        assert quarantine.retry(grown).hands_stored == 0
        assert {row["reason"] for row in dicts(grown, "from quarantine")} <= {"incomplete"}
    (tmp_path / "log").write_bytes(text)
    ingest(whole, tmp_path / "log", format=name)
    for store in (grown, whole):
        runs.build(store)
    assert_same(whole, grown, ["events", *PROJECTIONS], without=("source_id", "source_line", "ingest_no"))
    assert verify(grown).problems == []


# ---------------------------------------------------------------- hands by themselves, blocks, the store


@pytest.mark.parametrize("log", [log for log in logs() if log.endswith("transcripts.txt.gz")])
def test_a_hand_read_by_itself_is_the_same_hand(log: str) -> None:
    """As if the rules had refused it: by the text and the context that quarantine keeps."""
    name, text = logs()[log], text_of(log)
    reader = readers.get(name)
    [whole] = reader.read(text[: text.find(b"\n=== ", 150_000) + 1 or None], Source("0" * 64, "-", name))
    digests = whole.batch.content().tolist()
    for hand in range(0, len(whole.batch), 3):
        alone = Source("0" * 64, "-", name, context=whole.context_of(hand))
        [one] = reader.read(whole.raw_of(hand), alone, int(whole.first_lines[hand]))
        assert one.batch.content().tolist() == [digests[hand]]
        assert one.batch.hand_ids[0] == whole.batch.hand_ids[hand]
        assert judge(one).rejects == []
        assert (one.first_lines[0], one.last_lines[0]) == (whole.first_lines[hand], whole.last_lines[hand])
        assert one.other_lines == 0


@pytest.mark.parametrize("name", [DRAW_TRANSCRIPT, *long(*FORMATS)])
def test_damaged_logs_through_the_store(
    name: str, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is stored can be built, what is kept can be looked for again, and blocks of the file say what the
    whole says."""
    rng = random.Random(name)
    some = [damaged(rng, piece, name) if rng.random() < 0.4 else piece for piece in pieces(name)[:90]]
    text = FORMATS[name].header + b"".join(piece.rstrip(b"\n") + b"\n" for piece in some)
    (tmp_path / "log").write_bytes(text)
    result = ingest(store, tmp_path / "log", format=name)
    found = checked(name, text)
    assert sum(row["quarantined"] for row in result.sources) >= sum(len(one.rejects) for one in found) > 5
    kept = {
        (row["first_line"], row["raw"].encode(row["raw_encoding"])) for row in dicts(store, "from quarantine")
    }
    assert kept >= {(reject.first_line, reject.raw) for one in found for reject in one.rejects}
    with monkeypatch.context() as patch:
        patch.setattr(sources, "BLOCK_BYTES", 9_000)
        in_blocks = Store(str(tmp_path / "in_blocks"))
        ingest(in_blocks, tmp_path / "log", format=name)
        if (
            name != "belot-transcript"
        ):  # a nameless match that its first hand breaks off waits at a block's end
            assert_same(store, in_blocks, ("events", "quarantine"))
    runs.build(store)
    assert len(dicts(store, "from playedhand")) == result.counts.hands_stored > 15
    quarantine.retry(store)
    assert quarantine.waiting(store) == len(kept)
