"""All transcripts of the original program, replayed and compared with all that it computed itself."""

import json
from typing import Any

import pytest

from cardlog.models.ruter_sju import state as ruter_sju
from cardlog.models.ruter_sju.rules import evolve
from cardlog.models.ruter_sju.state import NUMBER_OF, SUIT_OF
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.events.folding import fold_batch
from cardlog.pipelines.ingest.judge import judge
from cardlog.schemas import cards
from cardlog.schemas.events import Action
from tests.support.ruter_sju_logs import games_of, read_text, text_of

SUIT_NAMES = ("diamonds", "spades", "hearts", "clubs", "4", "5")
GAMES = {
    "transcripts": "games",
    "variants_transcripts": "variants_games",
    "edge_human_transcripts": "edge_human_games",
    "odd_transcripts": "odd_games",
}
HANDS = {"transcripts": 200, "variants_transcripts": 20, "edge_human_transcripts": 8, "odd_transcripts": 200}


def replay(batch: Batch, hand: int) -> tuple[Any, list[str], dict[int, list[str]], list[int]]:
    """The last state of a hand, the names of its players, what each seat did, in the words of the original
    and the seat that began first, and the seats in the order in which they finish."""
    events = batch.events[batch.offsets[hand] : batch.offsets[hand + 1]]
    detail = json.loads(batch.details[int(events[0]["detail"])])
    [state] = ruter_sju.begin(detail)
    acts, order = dict[int, list[str]](), list[int]()
    words = {Action.PLAY_BLOCK: ["takes block"], Action.PLAY_BLOCKED: ["blocked"], Action.PLAY_PASS: []}
    for event in events:
        assert evolve(state, event.copy()) == 0
        seat, action = int(event["seat"]), int(event["action"])
        if action == Action.PLAY_CARD:
            card = int(event["cards"][0])
            words[action] = [f"places {NUMBER_OF[card]} of {SUIT_NAMES[SUIT_OF[card]]}"]
        if action in words:
            acts.setdefault(seat, []).extend(words[Action(action)])
            order += [seat] * bool(state["places"][seat])
    return state, [player["name"] for player in detail["players"]], acts, order


def pairs(codes: Any) -> list[list[int]]:
    """Cards as the oracles write them: suit, number."""
    return [[int(SUIT_OF[card]), int(NUMBER_OF[card])] for card in codes]


@pytest.mark.parametrize("name", HANDS)
def test_every_field_of_the_original_comes_out(name: str) -> None:
    """Turns and rounds are compared with the original's statistics in tests/pipelines/sql."""
    oracle = games_of(GAMES[name])
    text = text_of(name)
    read = read_text(text)
    batch = read.batch
    assert read.rejects == []
    assert read.lines_read == text.count(b"\n")
    assert len(batch) == len(oracle) == HANDS[name]
    assert not fold_batch(batch).reasons.any()
    for hand, gid in enumerate(batch.matches[match] for match in batch.match_of):
        game = oracle[gid]
        state, names, acts, order = replay(batch, hand)
        assert names == [name for name, _ in game["players"]]
        shape = [int(state[field]) for field in ("seats", "suits", "ranks")]
        assert shape == [game["numPlayers"], game["numSuits"], game["cardsPerSuit"]]
        check_hands(state, names, game)
        if "winOrder" not in game:  # the recorder cut it, so the original has nothing more to compare with
            assert game["status"] != "complete"
            assert not state["done"]
            continue
        assert state["done"] == (game.get("status", "complete") == "complete")
        assert [names[seat] for seat in order] == game["winOrder"]
        start = next(iter(acts))
        assert [*names[start:], *names[:start]] == game["playOrder"] or not state["done"]
        differ = 0
        for seat, name_ in enumerate(names):
            ours = acts.get(seat, [])
            theirs = [act for number in game["allMoves"][name_].values() for act in number]
            common = min(len(ours), len(theirs))
            assert ours[:common] == theirs[:common], gid
            differ += len(ours) + len(theirs) - 2 * common
        assert differ <= (not state["done"])  # the recorder cuts text and statistics by the last act


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
        dealt, is_in_order = pairs(codes), kinds[name] != "human" and "true_hands" not in game
        assert dealt == true[name] if is_in_order else sorted(dealt) == sorted(true[name])


def check_odd(text: bytes, **fields: Any) -> tuple[Batch, list[str], dict[int, list[str]]]:
    """Check how a game ends: fields of its state, and the order in which the seats finish."""
    judged = judge(read_text(text))
    assert judged.rejects == []
    state, names, acts, order = replay(judged.batch, 0)
    found = {name: state[name].tolist() for name in fields if name != "order"} | {"order": order}
    assert found == {"order": order} | fields
    return judged.batch, names, acts


def test_a_human_without_a_mark_is_recognised_by_hidden_cards() -> None:
    lines = text_of("edge_human_transcripts").splitlines(keepends=True)[1:550]
    check_odd(b"".join(lines), done=1, humans=0b100)


def test_seats_of_humans_follow_from_who_starts() -> None:
    """All three are humans, so no hand is shown; the second one began, and the last one has ten cards."""
    counts = [11, 11, 10, 0, 0, 0]
    text = text_of("examples/unmarked_humans")
    _, names, acts = check_odd(text, order=[1, 2, 0], humans=0b111, counts=counts, done=1)
    assert (names, next(iter(acts))) == (["O'N", "...", "Farmor"], 1)


def test_computers_wait_for_the_first_card() -> None:
    """The human has it, and lets the first turn go by; the computers do nothing until it is placed."""
    batch, _, _ = check_odd(text_of("examples/wrong_starter"), order=[2, 1, 0], done=1)
    acts = batch.events[4:11]
    assert acts["seat"].tolist() == [1, 2, 0, 1, 2, 0, 1]
    then = [Action.PLAY_CARD, Action.PLAY_CARD, Action.PLAY_BLOCK, Action.PLAY_CARD]
    assert acts["action"].tolist() == [Action.PLAY_PASS] * 3 + then
    assert acts["line"].tolist()[:4] == [8, 10, 16, 27]


def test_a_starter_with_one_card_goes_on_without_cards() -> None:
    """The program reports that it is out, but it takes the block for ever; the game can only be aborted."""
    text, nobody = text_of("examples/one_card_starter"), [0, 0, 0, 0]
    ends = {"order": [0, 1], "places": [1, 2, *nobody], "left": [0, 0, *nobody], "done": 0}
    _, _, acts = check_odd(text + b"\n=== GAME next numPlayers=3 ===\n", **ends)
    assert acts[2][0] == "places 2 of diamonds"
    assert set(acts[2][1:]) == {"takes block"}
    [reject] = judge(read_text(text)).rejects
    assert reject.reason.code == "incomplete"
