"""The reader of Ruter Sju's transcripts: what it takes, and what it says of what it does not."""

import re
from pathlib import Path

import pytest

from cardlog.pipelines.ingest.judge import judge
from cardlog.pipelines.readers.base import Source
from cardlog.pipelines.readers.ruter_sju_transcript import reader as ruter_sju_transcript
from cardlog.schemas.events import Action
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


# ---------------------------------------------------------------- what is taken


def test_humans_let_turns_go_by_and_stop() -> None:
    human = MARK.replace(b"0:smart,1:random", b"0:human,1:human").replace(b"Eva:human", b"2:human")
    ask_card = b"Which card will you place (number, suit separated by space): "
    another = b"Place another? (y/n): "
    text = (
        human
        + b"Which player starts?: 1\n1:\nGAME\nd: \n\n"
        + ask_card
        + b"3 d\n1 places 3 of diamonds...\n\n"
    )
    text += b"2:\nGAME\nd: 3 \n\n" + ask_card + b"-1 -1\nGoing back to last player input...\n\n"
    text += b"0:\nGAME\nd: 3 \n\n" + ask_card + b"5 d\n0 places 5 of diamonds...\n\n"
    for answer, acts in ((b"n", 1), (b"", 1), (b"Y", 0), (b"yes", 1)):
        going_on = text + another + answer + b"\n"
        if not acts:
            going_on += ask_card + b"0 0\n0 takes the block...\n\n"
        going_on += b"1:\nGAME\nd: 3 5\n\n"
        batch = read_text(going_on).batch
        actions = batch.events["action"].tolist()[4:]
        last = Action.PLAY_PASS if acts else Action.PLAY_BLOCK
        assert actions == [Action.PLAY_CARD, Action.PLAY_PASS, Action.PLAY_CARD, last]
        final = judge(read_text(going_on, Source(SOURCE.source_id, "log", "data", final=True)))
        assert final.rejects == []
    waiting = read_text(text + another).batch
    assert waiting.events["action"].tolist()[-1] == Action.PLAY_CARD, "no answer is no act"


# ---------------------------------------------------------------- what is not taken


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


def test_too_long_a_game_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ruter_sju_transcript, "MOST_EVENTS", 11)
    done, reasons = outcome(MARK + GAME)
    assert (done, reasons) == ([], ["unparsable"])
    [reject] = read_text(MARK + GAME).rejects
    assert "events" in reject.message


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
    done, reasons = outcome(longer + whole_turn * 3_000 + b"=== GAME x ===\n")
    assert (done, reasons) == ([], ["unparsable"])
