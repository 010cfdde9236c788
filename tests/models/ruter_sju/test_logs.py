"""All transcripts of the original program, replayed and compared with all that it computed itself."""

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
        replayed = replay(batch, hand)
        state = replayed.state
        names = [player["name"] for player in replayed.players]
        bots = [[player["name"], player.get("bot", "human")] for player in replayed.players]
        assert bots == game["players"]
        assert state["seats"] == game["numPlayers"]
        assert state["suits"] == game["numSuits"]
        assert state["ranks"] == game["cardsPerSuit"]
        check_hands(state, names, game)
        if "winOrder" not in game:  # the recorder cut it, so the original has nothing more to compare with
            assert game["status"] != "complete"
            assert not state["done"]
            continue
        assert state["done"] == (game.get("status", "complete") == "complete")
        assert [names[seat] for seat in replayed.order] == game["winOrder"]
        if not state["done"]:
            check_part(replayed, names, game)
            continue
        play_order = [names[(replayed.start + step) % len(names)] for step in range(len(names))]
        assert play_order == game["playOrder"]
        assert sum(replayed.turns.values()) == game["turns"]
        assert replayed.rounds == game["rounds"], gid
        moves = {
            names[seat]: {str(number): acts for number, acts in rounds.items()}
            for seat, rounds in replayed.moves.items()
        }
        assert moves == game["allMoves"]
        if "turnsPerPlayer" in game:
            assert {names[seat]: turns for seat, turns in replayed.turns.items()} == game["turnsPerPlayer"]


def check_part(replayed: Replay, names: list[str], game: dict[str, Any]) -> None:
    """A game that the recorder cut: its text and its statistics may differ by the last act."""
    assert game["turns"] - sum(replayed.turns.values()) in (0, 1)
    difference = 0
    for seat, name in enumerate(names):
        ours = [(number, act) for number, acts in replayed.moves[seat].items() for act in acts]
        theirs = [(int(number), act) for number, acts in game["allMoves"][name].items() for act in acts]
        common = min(len(ours), len(theirs))
        assert ours[:common] == theirs[:common]
        difference += len(ours) + len(theirs) - 2 * common
    assert difference in (0, 1)


def test_the_statistics_of_odd_games_are_the_original_ones() -> None:
    """Decks of all shapes: what the program's own script counts of each bot."""
    oracle = games_of("odd_games")
    batch = read_text(text_of("odd_transcripts")).batch
    gids = [batch.matches[match] for match in batch.match_of]
    hands = [hand for hand, gid in enumerate(gids) if oracle[gid].get("stats")]
    batch = batch.take(np.array(hands))
    stats = count_hands(batch.events, batch.offsets, initial_states(batch)[0])
    for hand, rows in zip(hands, stats, strict=True):
        game = oracle[gids[hand]]
        for (name, _), row in zip(game["players"], rows.tolist(), strict=False):
            expected = game["stats"][name]
            assert row == [expected[column] for column in COLUMNS], gids[hand]
    assert len(hands) == 149


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
    """The program prints no marks; without them the kinds of bots are unknown, and names count as seats."""
    marked = read_text(text_of("variants_transcripts"))
    lines = text_of("variants_transcripts").splitlines(keepends=True)
    bare = read_text(b"".join(line for line in lines if not line.startswith(b"===")))
    assert bare.rejects == []
    assert len(bare.batch) == len(marked.batch)
    assert len(set(bare.batch.hand_ids.tolist())) == len(bare.batch)
    folded, expected = fold_batch(bare.batch), fold_batch(marked.batch)
    assert not folded.reasons.any()
    for field in ruter_sju.STATE.names:
        assert np.array_equal(folded.states[field], expected.states[field]), field


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


# ---------------------------------------------------------------- kinds of logs that were once refused


def example(name: str) -> bytes:
    return gzip.decompress((FIXTURES / "examples" / f"{name}.txt.gz").read_bytes())


def test_seats_of_humans_follow_from_who_starts() -> None:
    """All three are humans, so no hand is shown; the second one began, and the last one has ten cards."""
    read = read_text(example("unmarked_humans"))
    assert read.rejects == []
    replayed = replay(read.batch, 0)
    assert [player["name"] for player in replayed.players] == ["O'N", "...", "Farmor"]
    assert {player["kind"] for player in replayed.players} == {"human"}
    assert (replayed.start, replayed.order) == (1, [1, 2, 0])
    assert replayed.state["counts"][:3].tolist() == [11, 11, 10]
    assert replayed.state["done"]


def test_computers_wait_for_the_first_card() -> None:
    """The human has it, and lets the first turn go by; the computers do nothing until it is placed."""
    read = read_text(example("wrong_starter"))
    assert read.rejects == []
    batch = read.batch
    acts = batch.events[4:11]
    assert acts["seat"].tolist() == [1, 2, 0, 1, 2, 0, 1]
    waited = [Action.PLAY_PASS] * 3
    then = [Action.PLAY_CARD, Action.PLAY_CARD, Action.PLAY_BLOCK, Action.PLAY_CARD]
    assert acts["action"].tolist() == waited + then
    assert acts["line"].tolist()[:4] == [8, 10, 16, 27]
    replayed = replay(batch, 0)
    assert (replayed.order, replayed.state["done"]) == ([2, 1, 0], 1)


def test_a_starter_with_one_card_goes_on_without_cards() -> None:
    """The program reports that it is out, but it takes the block for ever; the game can only be aborted."""
    text = example("one_card_starter")
    judged = judge(read_text(text + b"\n=== GAME next numPlayers=3 ===\n"))
    assert judged.done.tolist() == [False]
    replayed = replay(judged.batch, 0)
    assert replayed.order == [0, 1]
    assert replayed.state["places"].tolist() == [1, 2, 0, 0, 0, 0]
    assert replayed.state["left"][:3].tolist() == [0, 0, 0]
    acts = [act for acts in replayed.moves[2].values() for act in acts]
    assert acts[0] == "places 2 of diamonds"
    assert set(acts[1:]) == {"takes block"}
    [reject] = judge(read_text(text)).rejects
    assert reject.reason.code == "incomplete"


@pytest.mark.parametrize(("name", "acts"), [("wrong_starter", 0), ("one_card_starter", 3)])
def test_the_book_allows_none_of_it(name: str, acts: int) -> None:
    """What the flags of `original` allow is refused without them, at the first act that needs one."""
    batch = read_text(example(name)).batch
    detail = batch.details[0].replace('"original"', '"book"').replace('"human"', '"computer"')
    folded = fold_batch(Batch(batch.game, batch.hand_ids, batch.events, batch.offsets, [detail]))
    assert folded.reasons.any()
    assert folded.states[0]["plays"] == acts
