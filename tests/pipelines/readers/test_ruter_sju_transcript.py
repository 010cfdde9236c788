"""The reader of Ruter Sju's transcripts: what it takes, and what it says of what it does not."""

import re
from pathlib import Path

import pytest

from cardlog.pipelines.ingest.judge import judge
from cardlog.pipelines.readers.base import Source
from tests.support.formats import RUTER_SJU
from tests.support.formats import RUTER_SJU_GAME as GAME
from tests.support.formats import RUTER_SJU_MARK as MARK
from tests.support.ruter_sju_logs import SOURCE, read_text, text_of

ROOT = Path(__file__).parents[3]
DOCS = (ROOT / "docs" / "formats" / "ruter-sju-transcript.md").read_text(encoding="utf-8")


def outcome(text: bytes, source: Source = SOURCE) -> tuple[list[str], list[str]]:
    """What is stored, complete or aborted, and the reasons of what is not."""
    verdicts = judge(read_text(text, source))
    done = ["complete" if done else "aborted" for done in verdicts.done]
    return done, [reject.reason.code for reject in verdicts.rejects]


def test_the_page_lists_the_reasons() -> None:
    table = DOCS[DOCS.index("## Damaged games") :]
    tried = {row.split(" | ")[0] for row in RUTER_SJU.strip().splitlines()}
    assert set(re.findall(r"`(\w+)`", table)) == tried


def test_a_card_that_the_rules_refuse_is_on_the_board_all_the_same() -> None:
    """The text goes on as the program played on, so the judge names the card; no later line is wrong."""
    text = (MARK + GAME).replace(b"Eva places 2 of diamonds...", b"Eva places 4 of diamonds...")
    text = text.replace(b"d: 2 3 4", b"d: 3 4")
    assert outcome(text) == ([], ["duplicate_card"])
    assert outcome(text.replace(b"d: 3 4\n\n0 places", b"d: 2 3 4\n\n0 places")) == ([], ["out_of_order"])


@pytest.mark.long
def test_an_endless_game_is_read_to_its_end() -> None:
    """The last one alone, with a card that fits nowhere, takes the block for ever."""
    text = text_of("edge_human_transcripts")
    game = text[text.index(b"=== GAME H0005") : text.index(b"=== GAME H0006")]
    turns = game.split(b"3:\nCARDS\n")
    whole_turn = b"3:\nCARDS\n" + turns[-2]
    longer = game[: game.rindex(b"3:\n")] + whole_turn * 30_000
    done, reasons = outcome(longer + b"=== GAME x ===\n")
    assert (done, reasons) == (["aborted"], [])
    endless = longer + whole_turn * 3_000 + b"=== GAME x ===\n"
    assert outcome(endless) == ([], ["unparsable"])
    assert "events" in read_text(endless).rejects[0].message
