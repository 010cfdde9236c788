"""Rotated logs: files that continue one another are read as one text, however they were cut."""

import gzip
import shutil
from itertools import pairwise
from pathlib import Path

import pytest

from cardlog.pipelines.ingest import rotation, sources
from cardlog.pipelines.ingest.lineage import raw_lines
from cardlog.pipelines.ingest.sources import SourceError
from cardlog.pipelines.sql import hand_lookup
from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.upkeep import quarantine
from tests.support.jsonl_logs import simulated
from tests.support.stores import FIXTURES, ask, ingest, one, stored

TRANSCRIPT = gzip.decompress((FIXTURES.parent / "belote/cesmak_transcripts.txt.gz").read_bytes())
GAME = TRANSCRIPT.split(b"\n=== GAME", 1)[0].split(b"\n", 1)[1] + b"\n"
"""The first game of a log, as its program prints it: without a mark."""
HAND = b"================= SHARING"


def ids(store: Store) -> list[tuple[str, ...]]:
    return sorted(ask(store, "select hand_id from events where seq = 0"))


def test_the_files_of_a_log_by_their_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names = [
        "a.log", "a.log.1", "a.log.2.gz", "a.log.4", "a.log-20260102", "a.log-20260101.gz", "a.log.bak",
        "b", "b.2026-01-01", "b.2026-01-02_13", "b.1", "b.1.gz", "a-b.log",
    ]  # fmt: skip
    for name in names:
        Path(name).touch()
    whole = ["a.log.2.gz", "a.log.1", "a.log"]
    assert rotation.logs(["a.log"]) == rotation.logs(["a.log", "a.log.2.gz"]) == [whole]
    assert rotation.logs(["a.log.1"]) == [["a.log.2.gz", "a.log.1"]]
    assert rotation.logs(["a.log-20260102"]) == [["a.log-20260101.gz", "a.log-20260102"]]
    assert rotation.logs(["b", "a-b.log"]) == [["b.2026-01-01", "b.2026-01-02_13", "b.1", "b"], ["a-b.log"]]
    assert ["b.1.gz"] in rotation.logs(names)
    assert rotation.logs(["-", "nowhere.log", "/dev/fd/3"]) == [["-"], ["nowhere.log"], ["/dev/fd/3"]]


@pytest.mark.parametrize("at", ["hand", "line", "byte"])
def test_a_match_over_several_files_is_one(at: str, store: Store, tmp_path: Path) -> None:
    """A log that is read while it grows and is rotated, at the end of a hand, a line or a byte."""
    log, text = tmp_path / "game.log", GAME
    hands = [start for start in range(len(text)) if text.startswith(HAND, start)]
    cuts = hands[2], hands[-2]
    if at != "hand":
        cuts = tuple(text.index(b"PIK", cut) + 2 * (at == "byte") for cut in cuts)
    log.write_bytes(text[: cuts[0]])
    ingest(store, log)
    log.rename(f"{log}.1")
    log.write_bytes(text[cuts[0] : cuts[1]])
    ingest(store, log)
    Path(f"{log}.2.gz").write_bytes(gzip.compress(Path(f"{log}.1").read_bytes()))
    shutil.copy(log, f"{log}.1")  # copytruncate
    log.write_bytes(text[cuts[1] :])
    result = ingest(store, log)
    assert result.continued == {str(log): [f"{log}.2.gz", f"{log}.1"]}
    whole = stored(Store(str(tmp_path / "whole")), tmp_path / "text", GAME, "whole.txt")
    assert ids(store) == ids(whole)
    assert quarantine.waiting(store) == 0
    last = one(store, "select hand_id from events order by ingest_no desc, source_line desc limit 1")
    assert raw_lines(store, hand_lookup.find(store, last)).encode() in text
    (tmp_path / "joined.txt").write_bytes(text)
    assert ingest(store, tmp_path / "joined.txt").skipped


def test_json_lines_cut_in_two_are_read_whole(store: Store, tmp_path: Path) -> None:
    """Also when the log has the first bytes of a line only, which the older file begins with too."""
    log, text = tmp_path / "log.jsonl", simulated(3)
    lines = (text.index(b"\n", len(text) * sixths // 6) + 1 for sixths in (1, 3))
    cuts = [0, *lines, len(text) * 5 // 6, len(text)]
    for number, (start, stop) in enumerate(pairwise(cuts)):
        if number:
            for age in range(number - 1, 0, -1):
                Path(f"{log}.{age}").rename(f"{log}.{age + 1}")
            log.rename(f"{log}.1")
        for end in (start + 3, stop):
            log.write_bytes(text[start:end])
            if end > 3:
                assert len(next(sources.logs([str(log)]))) == number + 1
                ingest(store, log)
    assert len(ids(store)) == 3
    assert quarantine.waiting(store) == 0


@pytest.mark.parametrize("form", ["cardlog-jsonl", "belot-transcript"])
def test_pieces_that_were_ingested_one_by_one_are_resolved_when_the_text_comes_whole(
    form: str, store: Store, tmp_path: Path
) -> None:
    """But not what is wrong in another log."""
    text = simulated(6) if form == "cardlog-jsonl" else GAME
    cuts = [0, *(len(text) * thirds // 3 + 5 for thirds in (1, 2)), len(text)]
    other = text[text.index(b"\n", len(text) // 2) - 9 :] + b"\n"
    for name, piece in zip("abcd", [*(text[a:b] for a, b in pairwise(cuts)), other], strict=True):
        (tmp_path / name).mkdir()
        (tmp_path / name / "log").write_bytes(piece)
        ingest(store, tmp_path / name / "log", format=form)
    (tmp_path / "whole").write_bytes(text)
    ingest(store, tmp_path / "whole", format=form)
    other_store = Store(str(tmp_path / "other"))
    ingest(other_store, tmp_path / "whole", format=form)
    assert ids(store) == ids(other_store)
    resolved = {row["where"].split(",")[0] for row in quarantine.entries(store, None, 100, resolved=True)}
    assert {str(tmp_path / "b" / "log"), str(tmp_path / "c" / "log")} <= resolved
    assert resolved <= {str(tmp_path / name / "log") for name in "abc"}
    entries = [row for row in quarantine.entries(store, None, 100) if row["status"] != "stored"]
    assert {row["where"].split(",")[0] for row in entries} == {str(tmp_path / "d" / "log")}


def test_copies_and_other_formats_are_not_joined(store: Store, tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_bytes(GAME)
    Path(f"{log}.1").write_bytes(GAME[: GAME.index(HAND, len(GAME) // 2)])
    assert ingest(store, log).continued == {}
    shutil.copy(FIXTURES / "playedhand_sample.csv", f"{log}.1")
    log.write_bytes(GAME + b"\n")
    assert ingest(store, log).continued == {}
    log.write_bytes(Path(f"{log}.1").read_bytes().replace(b"2012", b"2013"))
    assert ingest(store, log).continued == {}
    Path(f"{log}.1").write_bytes(GAME)
    log.write_bytes(bytes(len(GAME)) + GAME)  # copytruncate, and a writer that goes on where it was
    with pytest.raises(SourceError, match="begins with NUL bytes"):
        ingest(store, log)
