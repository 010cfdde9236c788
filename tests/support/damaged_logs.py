"""Randomly damaged logs of every format, reproducible by seed, and invariants of any text.

Whatever a text is, a reader and the fold come to an end with it; every line is in one hand, in one reject, or
known to be of no hand; and what may be stored is legal by a second opinion that shares no code with them.
"""

import random
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from cardlog.pipelines import readers
from cardlog.pipelines.ingest.judge import Judged, judge
from cardlog.pipelines.readers.base import BOM, Read, Source
from cardlog.schemas.reasons import Reason
from tests.support.csv_rows import COLUMNS
from tests.support.formats import FORMATS, pieces
from tests.support.opinions import OPINIONS

RECORDS = Path(__file__).parents[1] / "records" / "damage"
RECORDED = [name for name in FORMATS if name != "cardlog-jsonl"]
"""Formats with logs that don't change with the players."""
SEEDS = 200
REASONS = {reason for reason in Reason if reason is not Reason.OK}


def log(rng: random.Random, name: str) -> bytes:
    many = {"playedhand-csv": 6, "cardlog-jsonl": 3}.get(name, 2)
    return FORMATS[name].header + b"".join(rng.choice(pieces(name)) for _ in range(many))


# ---------------------------------------------------------------- damage

Lines = list[bytes]
CHARACTERS = b"\x00\t\r\n \"'\\,.:;=-+/{}[]()<>0123456789ACDHJKNQSTXZacdhnst\x7f\x80\xc3\xe2\xf0\xff"
WORDS = (
    b"", b"0", b"-1", b"1", b"3", b"4", b"7", b"12", b"127", b"128", b"255", b"256", b"32768", b"2147483647",
    b"2147483648", b"-2147483648", b"99999999999999999999", b"1e9", b"null", b"true", b"??", b"AS", b"5H",
    b"ZZ", b"\\u0041", b"\\ud800", b"pass", b"Player", b"\xef\xbb\xbf", b"\xff", b"\x1b[2J",
)  # fmt: skip
TOKEN = re.compile(rb"[0-9A-Za-z?_]+|\xe2..")


def damaged(rng: random.Random, text: bytes, name: str) -> bytes:
    """A text with one to four defects."""
    for _ in range(rng.choice((1, 1, 1, 2, 3, 4))):
        lines = text.split(b"\n")
        text = rng.choice(DAMAGES)(rng, lines, name)
    return text


def one_bad_line(rng: random.Random, line: bytes) -> bytes:
    """A line that is lost, doubled or torn, or has another digit."""
    digit = re.sub(rb"\d", lambda _: b"%d" % rng.randrange(10), line, count=1)
    return rng.choice([b"", line + b"\n" + line, line[: len(line) // 2] + b"#", digit])


def _line(rng: random.Random, lines: Lines, name: str) -> bytes:
    index, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    what = rng.randrange(6)
    if what == 0:
        del lines[index]
    elif what == 1:
        lines.insert(other, lines[index])
    elif what == 2:
        lines[index], lines[other] = lines[other], lines[index]
    elif what == 3:
        lines.insert(other, lines.pop(index))
    elif what == 4:
        lines[index] = lines[index][: rng.randrange(len(lines[index]) + 1)]
    else:
        lines.insert(index, rng.choice(rng.choice(pieces(name)).split(b"\n")))
    return b"\n".join(lines)


def _run(rng: random.Random, lines: Lines, name: str) -> bytes:
    start, end = sorted((rng.randrange(len(lines)), rng.randrange(len(lines))))
    end = min(end, start + rng.choice((2, 5, 20, 200)))
    run = lines[start:end]
    if rng.random() < 0.6:
        del lines[start:end]
    else:
        at = rng.randrange(len(lines))
        lines[at:at] = run
    return b"\n".join(lines)


def _byte(rng: random.Random, lines: Lines, name: str) -> bytes:
    index = rng.randrange(len(lines))
    line = lines[index]
    at = rng.randrange(len(line) + 1)
    new = bytes([rng.choice(CHARACTERS)])
    lines[index] = rng.choice(
        (line[:at] + new + line[at:], line[:at] + new + line[at + 1 :], line[:at] + line[at + 1 :])
    )
    return b"\n".join(lines)


def _token(rng: random.Random, lines: Lines, name: str) -> bytes:
    """Replace a word, number or card by one from the same line, another line, or a list of nasty ones."""
    index = rng.randrange(len(lines))
    found = [match.span() for match in TOKEN.finditer(lines[index])]
    if found:
        start, end = rng.choice(found)
        others = TOKEN.findall(rng.choice((lines[index], rng.choice(lines))))
        new = rng.choice(others or [b""]) if rng.random() < 0.7 else rng.choice(WORDS)
        lines[index] = lines[index][:start] + new + lines[index][end:]
    return b"\n".join(lines)


def _end(rng: random.Random, lines: Lines, name: str) -> bytes:
    text = b"\n".join(lines)
    what = rng.randrange(4)
    if what == 0:
        return text[: rng.randrange(len(text) + 1)]
    if what == 1:
        return text.replace(b"\n", b"\r\n")
    return b"\xef\xbb\xbf" + text if what == 2 else text[rng.randrange(len(text) + 1) :]


DAMAGES: tuple[Callable[[random.Random, Lines, str], bytes], ...] = (
    _line, _line, _line, _run, _byte, _byte, _byte, _token, _token, _token, _token, _end,
)  # fmt: skip


# ---------------------------------------------------------------- what must hold


def checked(name: str, text: bytes, final: bool = False, context: str = "") -> list[Judged]:
    """Read and judge a text and check the invariants; returns what comes of it, by game."""
    head = next((line.rstrip(b"\r") for line in text.split(b"\n") if line.strip(b"\r")), b"")
    source = Source("0" * 64, "-", name, head, final, context)
    found = [judge(read) for read in readers.get(name).read(text, source)]
    accounted = Counter[int]()
    by_text = Counter[bytes]()
    numbered = text.removeprefix(BOM).split(b"\n") if text != BOM else [text, b""]
    count = len(numbered) - (numbered[-1] == b"")
    for judged in found:
        read = judged.read
        assert len(read.batch) + len(read.rejects) == len(judged.kept) + len(judged.rejects)
        for first, last, raw in _spans(read, judged):
            assert 1 <= first <= last <= count, (first, last, count)
            if name == "cardlog-jsonl":
                by_text.update(line.rstrip(b"\r") for line in raw.split(b"\n"))
            else:
                accounted.update(range(first, last + 1))
                assert raw.strip(b"\r\n") in text
                assert raw.count(b"\n") + (raw[-1:] != b"\n") == last - first + 1
        _check_rejects(judged)
        _check_stored(judged)
    others = sum(judged.read.other_lines for judged in found)
    assert sum(judged.read.lines_read for judged in found) == count
    assert set(accounted.values()) <= {1}, "a line is in two hands"
    if name == "cardlog-jsonl":
        of_text = Counter(line.rstrip(b"\r") for line in numbered[:count])
        assert not by_text - of_text, "a hand has a line that is not in the text"
        assert by_text.total() + others == count
    else:
        assert len(accounted) + others == count, "a line is in no hand and not among the others"
    return found


def _spans(read: Read, judged: Judged) -> list[tuple[int, int, bytes]]:
    """First line, last line and text of the stored and of the rejected hands."""
    kept = [
        (int(read.first_lines[hand]), int(read.last_lines[hand]), read.raw_of(hand))
        for hand in judged.kept.tolist()
    ]
    return kept + [(reject.first_line, reject.last_line, reject.raw) for reject in judged.rejects]


def _check_rejects(judged: Judged) -> None:
    for reject in judged.rejects:
        assert reject.reason in REASONS
        assert len(reject.message.split()) > 2, reject.message
        word = reject.message.split()[0]  # a column, a key such as cardsPerSuit, or the first of a sentence
        assert not word.islower() or word in COLUMNS, reject.message
        assert reject.raw


def _check_stored(judged: Judged) -> None:
    batch = judged.batch
    for hand in range(len(batch)):
        assert batch.events["line"][batch.offsets[hand]] > 0
        complete = OPINIONS[batch.game](batch, hand)
        assert complete is None or complete == bool(judged.done[hand])


class Outcome:
    """What becomes of a text of a format with one game, checked."""

    def __init__(self, name: str, text: bytes, final: bool = False, context: str = "") -> None:
        [found] = checked(name, text, final, context)
        self.batch, self.rejects, self.done = found.batch, found.rejects, found.done
        self.reasons = [reject.reason.code for reject in self.rejects]
        self.content = dict(zip(self.batch.hand_ids.tolist(), self.batch.content().tolist(), strict=True))


def damaged_log(name: str, seed: int) -> list[Judged]:
    """What comes of a log that is damaged by chance, checked; an error names the seed."""
    rng = random.Random(f"{name} {seed}")
    text = damaged(rng, log(rng, name), name)
    try:
        return checked(name, text, rng.random() < 0.4)
    except Exception as error:
        raise AssertionError(f"{name}, seed {seed}: {error!r}") from error


def rejects_of(name: str, seed: int) -> list[str]:
    """A line for each reject of a damaged log: seed, line, reason and message."""
    return [
        f"{seed}, line {reject.first_line}: {reject.reason.code}: {reject.message}"
        for judged in damaged_log(name, seed)
        for reject in judged.rejects
    ]


def recorded(name: str) -> list[str]:
    """The lines of logs of which each says something that none before it said."""
    lines, said = list[str](), set[str]()
    for seed in range(SEEDS):
        found = rejects_of(name, seed)
        kinds = {re.sub(r"^\d+, line|\d+|'.*'|\".*\"", "", line) for line in found}
        if kinds - said:
            said |= kinds
            lines += found
    return lines


def endings(name: str, seeds: range) -> Counter[str]:
    """How many hands of logs that are damaged by chance end how."""
    ends = Counter[str]()
    for judged in (judged for seed in seeds for judged in damaged_log(name, seed)):
        ends.update(reject.reason.code for reject in judged.rejects)
        ends.update("complete" if done else "aborted" for done in judged.done)
    return ends


if __name__ == "__main__":  # record anew what is said of damaged logs
    RECORDS.mkdir(exist_ok=True)
    for form in RECORDED:
        text = "".join(line + "\n" for line in recorded(form))
        (RECORDS / f"{form}.txt").write_text(text, encoding="utf-8")
