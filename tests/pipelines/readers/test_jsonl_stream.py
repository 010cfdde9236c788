"""cardlog-jsonl that comes in blocks: the same hands as from the whole text, in bounded memory."""

import random
from collections import Counter
from typing import Any

import pytest

from cardlog.pipelines.ingest.judge import judge
from cardlog.pipelines.readers import lengths
from cardlog.pipelines.readers.base import Read, Source
from cardlog.pipelines.readers.cardlog_jsonl import reader as cardlog_jsonl
from tests.support.damaged_logs import one_bad_line
from tests.support.jsonl_logs import events_of, hand, simulated, text_of
from tests.support.soak import soak

SOURCE = Source("0" * 64, "log.jsonl", "cardlog-jsonl")
FINAL = Source("0" * 64, "log.jsonl", "cardlog-jsonl", final=True)


def in_blocks(lines: list[bytes], size: int, source: Source = SOURCE) -> list[Read]:
    """What is read of lines in blocks of so many."""
    hands = cardlog_jsonl.in_blocks(source)
    reads = []
    for start in range(0, len(lines), size):
        block = b"".join(lines[start : start + size])
        (read,) = hands.read(block, start + 1, start + size >= len(lines))
        reads.append(read)
    return reads


def contents_of(reads: list[Read]) -> Any:
    """The contents of reads, in any order."""
    found = []
    for read in reads:
        judged = judge(read)
        kept = set(judged.kept.tolist())
        contents = read.batch.content().tolist()
        bounds = read.batch.offsets.tolist()
        lines = read.batch.events["line"].tolist()
        for number, name in enumerate(read.batch.hand_ids.tolist()):
            mine = lines[bounds[number] : bounds[number + 1]]
            ends = int(read.first_lines[number]), int(read.last_lines[number])
            found.append((name, contents[number], mine, ends, number in kept, read.raw_of(number)))
        found += [(str(entry),) for entry in judged.rejects]
    counts = sum(read.lines_read for read in reads), sum(read.other_lines for read in reads)
    return sorted(found, key=str), counts


def mixed(texts: list[list[bytes]], rng: random.Random, at_once: int) -> list[bytes]:
    """The lines of hands as several tables write them, so many hands at a time."""
    waiting, open_hands, lines = list(texts), [], []
    while waiting or open_hands:
        while waiting and len(open_hands) < at_once:
            open_hands.append(list(waiting.pop(0)))
        mine = rng.choice(open_hands)
        lines.append(mine.pop(0))
        open_hands = [one for one in open_hands if one]
    return lines


@pytest.mark.parametrize(("size", "simulations"), [(1, 2), (7, 12), (50, 12), (400, 12), *soak((1, 12))])
@pytest.mark.parametrize("final", [False, True])
def test_blocks_give_what_the_whole_gives(size: int, simulations: int, final: bool) -> None:
    """Hands mixed and damaged, some with no number on their events; nothing is farther apart than is
    promised."""
    rng = random.Random(size)
    hands = [list(lines) for lines in events_of(simulated(simulations)).values()]
    hands += [text_of(hand(f"n{n}", numbered=False)).splitlines(keepends=True) for n in range(3)]
    hands += [
        text_of(hand(f"c{n}", match_id="m", hand_no=n)[:20]).splitlines(keepends=True) for n in range(3)
    ]
    rng.shuffle(hands)
    text = b"".join(
        one_bad_line(rng, line[:-1]) + b"\n" if rng.random() < 0.03 else line for line in mixed(hands, rng, 4)
    )
    lines = text.splitlines(keepends=True)
    source = FINAL if final else SOURCE
    whole = cardlog_jsonl.read(text, source)
    assert len(whole[0].rejects) > 3
    assert contents_of(in_blocks(lines, size, source)) == contents_of(whole)


def test_a_hand_is_read_once_enough_has_come_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = simulated(40).splitlines(keepends=True)
    monkeypatch.setattr(cardlog_jsonl, "APART_BYTES", 20_000)
    hands = cardlog_jsonl.in_blocks(SOURCE)
    sizes = []
    for start in range(0, len(lines), 100):
        (read,) = hands.read(b"".join(lines[start : start + 100]), start + 1, start + 100 >= len(lines))
        sizes.append(sum(hand.size for hand in hands.hands.values()))
        assert judge(read).rejects == []
    assert max(sizes) < 20_000 + 2 * max(len(b"".join(one)) for one in events_of(simulated(40)).values())
    reads = in_blocks(lines, 100)
    assert sum(len(read.batch) > 0 for read in reads) > 5
    assert contents_of(reads) == contents_of(cardlog_jsonl.read(simulated(40), SOURCE))


def test_lines_too_far_apart_are_kept_aside(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is lost, and what is stored of such a hand is no more than its first part."""
    monkeypatch.setattr(cardlog_jsonl, "APART_BYTES", 5_000)
    own = text_of(hand("apart")).splitlines(keepends=True)
    others = simulated(20).splitlines(keepends=True)
    lines = [*own[:20], *others, *own[20:]]
    reads = in_blocks(lines, 50)
    rejects = [entry for read in reads for entry in judge(read).rejects]
    assert [entry.reason.code for entry in rejects] == ["incomplete", "incomplete"]
    assert rejects[0].raw + b"\n" + rejects[1].raw + b"\n" == b"".join(own)
    assert sum(len(judge(read).kept) for read in reads) == 20


def test_a_hand_without_end_is_kept_aside_and_others_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lengths, "HAND_BYTES", 20_000)
    good = simulated(30).splitlines(keepends=True)
    endless = b'{"game":"kaiser","hand_id":"endless","kind":"bid","action":"pass","seat":1}\n'
    lines = mixed([good, [endless] * 3000], random.Random(1), 2)
    reads = in_blocks(lines, 200)
    assert sum(len(judge(read).kept) for read in reads) == 30
    rejects = [entry for read in reads for entry in judge(read).rejects]
    assert Counter(entry.reason.code for entry in rejects)["too_long"] > 3
    assert "cardlog left out" in rejects[0].raw.decode()
    assert {entry.hand_id for entry in rejects} == {rejects[0].hand_id}
    assert sum(read.lines_read for read in reads) == len(lines)
