"""All transcripts of the original program, replayed: every field of what it computed itself."""

import gzip
from typing import Any

import numpy as np
import pytest

from cardlog.models.ruter_sju import rules as ruter_sju
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.events.folding import fold_batch, initial_states
from cardlog.pipelines.ingest.judge import judge
from cardlog.pipelines.readers.base import Source
from cardlog.schemas import cards
from cardlog.schemas.events import Action
from tests.support.ruter_sju_hands import Replay, pairs, replay
from tests.support.ruter_sju_logs import FIXTURES, SOURCE, games_of, read_text, text_of
from tests.support.ruter_sju_stats import COLUMNS, count_hands

GAMES = {
    "transcripts": "games",
    "variants_transcripts": "variants_games",
    "edge_human_transcripts": "edge_human_games",
    "odd_transcripts": "odd_games",
}
HANDS = {"transcripts": 200, "variants_transcripts": 20, "edge_human_transcripts": 8, "odd_transcripts": 200}


@pytest.mark.parametrize("name", HANDS)
def test_every_field_of_the_original_comes_out(name: str) -> None:
    oracle = games_of(GAMES[name])
    read = read_text(text_of(name))
    batch = read.batch
    assert read.rejects == []
    assert len(batch) == len(oracle) == HANDS[name]
    folded = fold_batch(batch)
    assert not folded.reasons.any()
    for hand, gid in enumerate(batch.matches[match] for match in batch.match_of):
        game = oracle[gid]
        found = replay(batch, hand)
        names = [player["name"] for player in found.players]
        assert [[player["name"], player.get("bot", "human")] for player in found.players] == game["players"]
        assert found.state["seats"] == game["numPlayers"]
        assert found.state["suits"] == game["numSuits"]
        assert found.state["ranks"] == game["cardsPerSuit"]
        check_hands(found.state, names, game)
        if "winOrder" not in game:  # the recorder cut it, so the original has nothing more to say
            assert game["status"] != "complete"
            assert not found.state["done"]
            continue
        assert found.state["done"] == (game.get("status", "complete") == "complete")
        assert [names[seat] for seat in found.order] == game["winOrder"]
        if not found.state["done"]:
            check_part(found, names, game)
            continue
        assert [names[(found.start + step) % len(names)] for step in range(len(names))] == game["playOrder"]
        assert sum(found.turns.values()) == game["turns"]
        assert found.rounds == game["rounds"], gid
        moves = {names[seat]: rounds for seat, rounds in found.moves.items()}
        assert {name: {str(n): done for n, done in rounds.items()} for name, rounds in moves.items()} == game[
            "allMoves"
        ]
        if "turnsPerPlayer" in game:
            assert {names[seat]: turns for seat, turns in found.turns.items()} == game["turnsPerPlayer"]


def check_part(found: Replay, names: list[str], game: dict[str, Any]) -> None:
    """A game that the recorder cut: text and account may differ by the last act."""
    assert game["turns"] - sum(found.turns.values()) in (0, 1)
    differ = 0
    for seat, name in enumerate(names):
        ours = [(number, act) for number, done in found.moves[seat].items() for act in done]
        theirs = [(int(number), act) for number, done in game["allMoves"][name].items() for act in done]
        same = min(len(ours), len(theirs))
        assert ours[:same] == theirs[:same]
        differ += len(ours) + len(theirs) - 2 * same
    assert differ in (0, 1)


def test_the_statistics_of_odd_games_are_the_original_ones() -> None:
    """Decks of all shapes: what the program's own script counts of each bot."""
    oracle = games_of("odd_games")
    batch = read_text(text_of("odd_transcripts")).batch
    gids = [batch.matches[match] for match in batch.match_of]
    mine = [hand for hand, gid in enumerate(gids) if oracle[gid].get("stats")]
    batch = batch.take(np.array(mine))
    rows = count_hands(batch.events, batch.offsets, initial_states(batch)[0])
    for hand, found in zip(mine, rows, strict=True):
        game = oracle[gids[hand]]
        for (name, _), row in zip(game["players"], found.tolist(), strict=False):
            expected = game["stats"][name]
            assert row == [expected[column] for column in COLUMNS], gids[hand]
    assert len(mine) == 149


def check_hands(state: Any, names: list[str], game: dict[str, Any]) -> None:
    """The hands as dealt: a computer's in the order shown, a human's as worked out from the others."""
    kinds = dict(game["players"])
    true = game.get("initial_hands") or game.get("true_hands") or game["hands"]
    several = list(kinds.values()).count("human") > 1
    for seat, name in enumerate(names):
        codes = state["dealt_cards"][seat][: state["counts"][seat]]
        if kinds[name] == "human" and several:
            assert codes.tolist() == [cards.UNKNOWN] * len(true[name])
            continue
        dealt = pairs(codes)
        if kinds[name] == "human":
            assert sorted(dealt) == sorted(true[name])
        elif "true_hands" not in game:
            assert dealt == true[name]
        else:
            assert sorted(dealt) == sorted(true[name])


def test_games_that_were_cut_are_aborted_or_may_go_on() -> None:
    """Games 5 and 6 were cut by the recorder and another mark follows; game 7 waits for an answer."""
    text = text_of("edge_human_transcripts")
    judged = judge(read_text(text))
    done = dict(
        zip((judged.batch.matches[m] for m in judged.batch.match_of), judged.done.tolist(), strict=True)
    )
    assert done == {f"H000{n}": n < 5 for n in range(7)}
    [reject] = judged.rejects
    assert (reject.reason.code, reject.first_line, reject.last_line) == ("incomplete", 8444, 8697)
    final = judge(read_text(text, Source(SOURCE.source_id, SOURCE.path, SOURCE.dataset, final=True)))
    assert final.rejects == []
    assert final.done.tolist() == [True] * 5 + [False] * 3


@pytest.mark.parametrize("name", HANDS)
def test_every_line_is_accounted_for(name: str) -> None:
    text = text_of(name)
    read = read_text(text)
    assert read.lines_read == text.count(b"\n")
    assert read.other_lines == text.count(b"\n=== GAME ") + text.startswith(b"=== GAME ")
    spans = (read.last_lines - read.first_lines + 1).sum()
    assert spans + read.other_lines == read.lines_read


def test_a_text_without_marks_is_read_too() -> None:
    """The program prints no mark; then nothing tells the kinds of bots, and names count as seats."""
    marked = read_text(text_of("variants_transcripts"))
    lines = text_of("variants_transcripts").splitlines(keepends=True)
    bare = read_text(b"".join(line for line in lines if not line.startswith(b"===")))
    assert bare.rejects == []
    assert len(bare.batch) == len(marked.batch)
    assert len(set(bare.batch.hand_ids.tolist())) == len(bare.batch)
    for found, other in ((fold_batch(bare.batch), fold_batch(marked.batch)),):
        assert not found.reasons.any()
        for field in ruter_sju.STATE.names:
            assert np.array_equal(found.states[field], other.states[field]), field


def test_a_human_without_a_mark_is_recognised_by_hidden_cards() -> None:
    lines = text_of("edge_human_transcripts").splitlines(keepends=True)[1:550]
    read = read_text(b"".join(lines))
    [state] = fold_batch(read.batch).states
    assert read.rejects == []
    assert state["done"]
    assert state["humans"].bit_count() == 1


def test_cards_of_all_shapes_have_codes() -> None:
    codes = {int(code) for code in ruter_sju.CARD_OF[:, 1:].ravel()}
    assert len(codes) == 90
    assert {cards.text(code)[1] for code in codes} == set("DSHC45")
    assert cards.text(ruter_sju.CARD_OF[0, 7]) == "7D"
    assert cards.text(ruter_sju.CARD_OF[5, 15]) == "F5"


# ---------------------------------------------------------------- kinds of logs that were refused once


def example(name: str) -> bytes:
    return gzip.decompress((FIXTURES / "examples" / f"{name}.txt.gz").read_bytes())


def test_who_starts_tells_the_seats_of_humans() -> None:
    """All three are humans, so no hand is shown; the second one began, and the last one has ten cards."""
    read = read_text(example("unmarked_humans"))
    assert read.rejects == []
    found = replay(read.batch, 0)
    assert [player["name"] for player in found.players] == ["O'N", "...", "Farmor"]
    assert {player["kind"] for player in found.players} == {"human"}
    assert (found.start, found.order) == (1, [1, 2, 0])
    assert found.state["counts"][:3].tolist() == [11, 11, 10]
    assert found.state["done"]


def test_computers_wait_for_the_first_card() -> None:
    """The human has it, and lets the first turn go by; the computers do nothing until it lies."""
    read = read_text(example("wrong_starter"))
    assert read.rejects == []
    batch = read.batch
    acts = batch.events[4:11]
    assert acts["seat"].tolist() == [1, 2, 0, 1, 2, 0, 1]
    waited = [Action.PLAY_PASS] * 3
    then = [Action.PLAY_CARD, Action.PLAY_CARD, Action.PLAY_BLOCK, Action.PLAY_CARD]
    assert acts["action"].tolist() == waited + then
    assert acts["line"].tolist()[:4] == [8, 10, 16, 27]
    found = replay(batch, 0)
    assert (found.order, found.state["done"]) == ([2, 1, 0], 1)


def test_a_starter_with_one_card_goes_on_without() -> None:
    """He is told to be out, but takes the block for ever; the game can only be aborted."""
    text = example("one_card_starter")
    judged = judge(read_text(text + b"\n=== GAME next numPlayers=3 ===\n"))
    assert judged.done.tolist() == [False]
    found = replay(judged.batch, 0)
    assert found.order == [0, 1]
    assert found.state["places"].tolist() == [1, 2, 0, 0, 0, 0]
    assert found.state["left"][:3].tolist() == [0, 0, 0]
    acts = [act for done in found.moves[2].values() for act in done]
    assert acts[0] == "places 2 of diamonds"
    assert set(acts[1:]) == {"takes block"}
    [reject] = judge(read_text(text)).rejects
    assert reject.reason.code == "incomplete"


@pytest.mark.parametrize(("name", "acts"), [("wrong_starter", 0), ("one_card_starter", 3)])
def test_the_book_knows_none_of_it(name: str, acts: int) -> None:
    """What the flags of `original` allow is refused without them, at the first act that needs one."""
    batch = read_text(example(name)).batch
    detail = batch.details[0].replace('"original"', '"book"').replace('"human"', '"computer"')
    folded = fold_batch(Batch(batch.game, batch.hand_ids, batch.events, batch.offsets, [detail]))
    assert folded.reasons.any()
    assert folded.states[0]["plays"] == acts
