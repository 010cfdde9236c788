"""Damaged transcripts of Ruter Sju, and games at random: nothing crashes, nothing is lost, and nothing
is stored that `ruter_sju_referee` does not allow."""

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cardlog.models.ruter_sju import rules as ruter_sju
from cardlog.models.ruter_sju.state import CARD_OF, NUMBER_OF, RULES, SUIT_OF
from cardlog.pipelines import runs
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.ingest.judge import judge
from cardlog.pipelines.readers.base import Source
from cardlog.pipelines.storage.store import Store
from cardlog.schemas.events import NO_AMOUNT, Action
from cardlog.schemas.reasons import Reason
from tests.support.ruter_sju_logs import ODD, SOURCE, TRANSCRIPTS, read_text, text_of
from tests.support.ruter_sju_referee import ACTS, Referee, Refused, card_of, judge_hand
from tests.support.soak import soak
from tests.support.stores import assert_same, ingest

FINAL = Source(SOURCE.source_id, SOURCE.path, SOURCE.dataset, final=True)


def content_of(batch: Batch) -> dict[str, int]:
    """What each hand says, by its id."""
    ids = [name.decode() for name in batch.hand_ids]
    return dict(zip(ids, batch.content().tolist(), strict=True))


# ---------------------------------------------------------------- texts that grow


@pytest.mark.parametrize(("size", "cuts"), [(60_000, 12), *soak((250_000, 60))])
def test_a_growing_text_ends_as_the_whole(size: int, cuts: int) -> None:
    """Cut anywhere and read piece after growing piece: what is stored stays, and all comes in the end."""
    for name in TRANSCRIPTS:
        text = text_of(name)[:size]
        text = text[: text.rindex(b"=== GAME ")] if name == "transcripts" else text
        whole = judge(read_text(text))
        expected = content_of(whole.batch)
        chance = random.Random(name)
        stored: dict[str, int] = {}
        for cut in [*sorted(chance.sample(range(len(text)), cuts)), len(text)]:
            piece = judge(read_text(text[:cut]))
            for hand, content in content_of(piece.batch).items():
                assert stored.setdefault(hand, content) == content == expected[hand]
            assert len(piece.rejects) <= 1
            for reject in piece.rejects:
                assert reject.reason is Reason.INCOMPLETE, (cut, reject.message)
        assert stored == expected


@pytest.mark.parametrize("steps", [(17, 403), *soak(((1, 37),))])
def test_every_cut_in_a_game_leaves_it_waiting(steps: tuple[int, int]) -> None:
    """At every n-th byte of two short games, the second with a human; with --final they are aborted."""
    variants, human = text_of("variants_transcripts"), text_of("edge_human_transcripts")
    small = variants[variants.index(b"=== GAME V2_0000") : variants.index(b"=== GAME V2_0001")]
    typed = human[: human.index(b"=== GAME H0001")]
    for text, step in zip((small, typed), steps, strict=True):
        first = text.index(b"\n", text.index(b"\n") + 1) + 1  # until then there is no line of the game
        last = text.rindex(b". ") + 3
        for cut in range(first, last, step):
            [reject] = judge(read_text(text[:cut])).rejects
            assert reject.reason is Reason.INCOMPLETE, (cut, reject.message)
            final = judge(read_text(text[:cut], FINAL))
            assert final.rejects == [], (cut, final.rejects[0].message)
            judge_hand(final.batch, 0)
            follows = judge(read_text(text[:cut] + b"\n=== GAME next ===\n"))
            assert follows.rejects == [], (cut, follows.rejects[0].message)


@pytest.mark.long
@pytest.mark.parametrize("seed", [0, *soak(1)])
def test_growing_ingests_end_in_the_same_tables(seed: int, tmp_path: Path) -> None:
    text = b"".join(b"=== GAME " + part for part in text_of("transcripts").split(b"=== GAME ")[1:13])
    text += text_of("edge_human_transcripts")[: text_of("edge_human_transcripts").index(b"=== GAME H0002")]
    chance = random.Random(seed)
    cuts = [*sorted(chance.sample(range(2000, len(text)), 3)), len(text)]
    grown, whole = (Store(str(tmp_path / name)) for name in ("grown", "whole"))
    for number, cut in enumerate(cuts):
        (tmp_path / f"{number}.txt").write_bytes(text[:cut])
        ingest(grown, tmp_path / f"{number}.txt")
    ingest(whole, tmp_path / f"{len(cuts) - 1}.txt")
    for store in (grown, whole):
        runs.build(store)
    assert_same(grown, whole, ["events", "playedhand", "decisions"], without=("source_id",))


# ---------------------------------------------------------------- games at random


def random_opening(chance: random.Random) -> tuple[dict[str, Any], list[list[int]]]:
    """A table of any shape, and a deal by codes."""
    seats, suits, ranks = chance.randint(3, 6), chance.randint(1, 6), chance.randint(3, 15)
    suits = suits if suits * ranks >= seats else 2
    kinds = [chance.choice(("human", "computer")) for _ in range(seats)]
    dialect = chance.choice(list(RULES))
    players = [{"kind": kind} for kind in kinds]
    detail = json.loads(ruter_sju.opening(ruter_sju.Settings(dialect, suits, ranks), players))
    deck = [int(code) for code in CARD_OF[:suits, 1 : ranks + 1].ravel()]
    chance.shuffle(deck)
    return detail, [deck[seat::seats] for seat in range(seats)]


def record(action: int, seat: int, codes: list[int]) -> Any:
    [row] = np.zeros(1, ruter_sju.EVENT)
    row["action"], row["seat"], row["suit"], row["amount"], row["detail"] = action, seat, -1, NO_AMOUNT, -1
    row["count"], row["cards"][: len(codes)] = len(codes), codes
    return row


@pytest.mark.parametrize("seed", [*range(8), *soak(*range(8, 100))])
def test_the_model_and_the_referee_agree_on_every_act(seed: int) -> None:
    """At every moment of random games all that any seat might do is tried on both; the text of what is legal,
    the mask and the observation agree with them, too. In the end places are a permutation."""
    chance = random.Random(seed)
    detail, hands = random_opening(chance)
    hidden = {seat for seat in range(len(hands)) if chance.random() < 0.1}
    [state] = ruter_sju.begin(detail)
    referee = Referee(detail)
    shown: list[Any] = []
    assert ruter_sju.evolve(state, record(Action.DEAL_OPEN, -1, [])) == 0
    for seat, hand in enumerate(hands):
        codes = [255] * len(hand) if seat in hidden else hand
        assert ruter_sju.evolve(state, record(Action.DEAL_HAND, seat, codes)) == 0
        shown.append(len(hand) if seat in hidden else [card_of(code) for code in hand])
    referee.deal(shown)
    deck = [code for hand in hands for code in hand]
    for _ in range(400):
        if state["done"]:
            break
        legal = []
        tries: list[Any] = [(action, []) for action in ACTS if action != Action.PLAY_CARD]
        tries += [
            (Action.PLAY_CARD, [code]) for code in (deck if chance.random() < 0.2 else hands[state["turn"]])
        ]
        for seat in {int(state["turn"]), chance.randrange(len(hands))}:
            for action, codes in tries:
                ours = ruter_sju.evolve(state.copy(), record(action, seat, codes)) == 0
                card = card_of(codes[0]) if codes else None
                assert ours == referee.allows(seat, ACTS[action], card), (detail, seat, action, codes)
                if ours and (not codes or codes[0] in hands[seat]):
                    legal.append((seat, action, codes))
        assert ruter_sju.legal_actions(state) != 0
        assert ruter_sju.legal_text(state).startswith(f"seat {state['turn']}: ")
        if not legal:
            break  # hidden hands: the seat that could go on was not tried
        placing = [move for move in legal if move[1] == Action.PLAY_CARD]
        move = chance.choice(placing if placing and chance.random() < 0.8 else legal)
        carry_out(referee, *move)
        assert ruter_sju.evolve(state, record(move[1], move[0], move[2])) == 0
        lies = {(suit, n) for (suit, _), pile in referee.piles.items() for n in pile}
        assert sum(int(placed).bit_count() for placed in state["placed"]) == len(lies) == state["plays"]
    if state["done"]:
        assert sorted(state["places"][: len(hands)]) == list(range(1, len(hands) + 1))
        assert [int(state["places"][seat]) for seat in referee.out] == list(range(1, len(hands) + 1))


def carry_out(referee: Referee, seat: int, action: int, codes: list[int]) -> None:
    referee.act(seat, ACTS[action], card_of(codes[0]) if codes else None)


def test_the_referee_knows_all_logged_games() -> None:
    for name in (*TRANSCRIPTS, ODD):
        batch = read_text(text_of(name)).batch
        for hand in range(len(batch)):
            judge_hand(batch, hand)


def test_the_referee_can_refuse() -> None:
    """Any two acts of a game in the wrong order are refused, and so is another card."""
    batch = read_text(text_of("transcripts")).batch.take(np.arange(3))
    for hand in range(3):
        first = int(batch.offsets[hand]) + 1 + 3
        for index in range(first, first + 20):
            other = Batch(batch.game, batch.hand_ids, batch.events.copy(), batch.offsets, batch.details)
            other.events[[index, index + 1]] = other.events[[index + 1, index]]
            with pytest.raises(Refused):
                judge_hand(other, hand)
    event = batch.events[int(batch.offsets[0]) + 4]
    assert (SUIT_OF[event["cards"][0]], NUMBER_OF[event["cards"][0]]) == (0, 7)
