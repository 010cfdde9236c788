"""The reader of Ruter Sju's transcripts: what it takes, and what it says of what it does not."""

import re
from pathlib import Path

import pytest

from cardlog.pipelines.ingest.judge import judge
from cardlog.schemas.reasons import Reason
from tests.support.formats import RUTER_SJU
from tests.support.ruter_sju_logs import read_text, text_of

ROOT = Path(__file__).parents[3]
DOCS = (ROOT / "docs" / "formats" / "ruter-sju-transcript.md").read_text(encoding="utf-8")


def test_the_page_lists_the_reasons() -> None:
    table = DOCS[DOCS.index("## Damaged games") :]
    tried = {row.split(" | ")[0] for row in RUTER_SJU.strip().splitlines()}
    assert set(re.findall(r"`(\w+)`", table)) == tried


@pytest.mark.long
def test_an_endless_game_is_read_to_its_end() -> None:
    """The last one alone, with a card that fits nowhere, takes the block for ever."""
    text = text_of("edge_human_transcripts")
    game = text[text.index(b"=== GAME H0005") : text.index(b"=== GAME H0006")]
    turns = game.split(b"3:\nCARDS\n")
    whole_turn = b"3:\nCARDS\n" + turns[-2]
    longer = game[: game.rindex(b"3:\n")] + whole_turn * 30_000
    found = judge(read_text(longer + b"=== GAME x ===\n"))
    assert (found.done.tolist(), found.rejects) == ([False], [])
    [reject] = judge(read_text(longer + whole_turn * 3_000 + b"=== GAME x ===\n")).rejects
    assert (reject.reason, "events" in reject.message) == (Reason.UNPARSABLE, True)
