"""Judge hands: fold each one through its game's rules, and separate the legal from the others."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from cardlog import models
from cardlog.models.engine.fold import fold
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.events.folding import Folded, fold_batch
from cardlog.pipelines.readers.base import Read, Reject
from cardlog.schemas.cards import SUIT_LETTERS, texts
from cardlog.schemas.events import ACTIONS, NO_AMOUNT, NO_SEAT
from cardlog.schemas.reasons import MEANING, Reason

CUT_MESSAGE: Final = (
    "The text ends in the middle of this hand. Ingest it again when the log has grown, or with "
    "--final if it will not."
)


@dataclass
class Judged:
    """The hands of a `Read` that may be stored, and those that may not."""

    read: Read
    kept: NDArray[np.int64]
    done: NDArray[np.bool_]
    rejects: list[Reject]

    @property
    def batch(self) -> Batch:
        """The legal hands, in the order they were found."""
        if len(self.kept) == len(self.read.batch):
            return self.read.batch
        return self.read.batch.take(self.kept)


def judge(read: Read) -> Judged:
    """Separate the hands of a read: legal ones, complete or broken off, and illegal ones with a reason."""
    batch = read.batch
    folded = fold_batch(batch)
    bad = np.flatnonzero(folded.reasons)
    rejects = list(read.rejects)
    for hand in bad.tolist():
        message = folded.messages.get(hand) or explain(batch, folded, hand)
        rejects.append(reject(read, hand, Reason(int(folded.reasons[hand])), message))
    cut = read.cut & (~folded.done | read.cut_after_play)
    for hand in np.flatnonzero(cut & (folded.reasons == 0)).tolist():
        rejects.append(reject(read, hand, Reason.INCOMPLETE, CUT_MESSAGE))
    kept = np.flatnonzero((folded.reasons == 0) & ~cut)
    return Judged(read, kept, folded.done[kept], rejects)


def reject(read: Read, hand: int, reason: Reason, message: str) -> Reject:
    """A hand of a read's batch as a reject, for quarantine."""
    return Reject(
        reason,
        message,
        read.raw_of(hand),
        int(read.first_lines[hand]),
        int(read.last_lines[hand]),
        read.batch.hand_ids[hand].decode(),
        read.batch.game,
        read.context_of(hand),
        int(read.batch.source_of[hand]),
    )


def explain(batch: Batch, folded: Folded, hand: int) -> str:
    """A sentence on the first illegal event of a hand: which it is, what is wrong, what was legal."""
    index = int(folded.at[hand])
    seq = index - int(batch.offsets[hand])
    meaning = MEANING[Reason(int(folded.reasons[hand]))]
    legal = models.game(batch.game).legal_text(folded.states[hand])
    sentence = f"Event {seq}, {describe(batch.events[index])}: {meaning}."
    if folded.reasons[hand] == Reason.SCORE_MISMATCH:
        return sentence + expected(
            batch.game, folded.states[hand : hand + 1], batch.events[index : index + 1]
        )
    if folded.reasons[hand] == Reason.UNKNOWN_CARD:
        return f"{sentence} {models.game(batch.game).cards(folded.states[hand])}".rstrip()
    return f"{sentence} Legal: {legal}." if legal else sentence


AMOUNTS: Final = np.arange(-700, 2001, dtype=np.int32)
"""Amounts of score reports that are tried in any game, besides the numbers in the state."""


def expected(name: str, state: NDArray[np.void], event: NDArray[np.void]) -> str:
    """A sentence on the amount, or else the seat, with which the rules accept a score report; empty if there
    is not exactly one. The rules are asked, so that there is no second opinion on scores.

    state, event
        The state before the report, and the report: shape (1,) each.
    """
    for field, values in (("amount", np.union1d(AMOUNTS, _numbers(state))), ("seat", np.arange(10))):
        if event[field][0] < 0 and field == "seat":
            continue
        trials = np.repeat(event, len(values))
        trials[field] = values
        reasons, at = np.zeros(len(values), np.int8), np.zeros(len(values), np.int64)
        states = np.repeat(state, len(values))
        fold(models.game(name), trials, np.arange(len(values) + 1), states, reasons, at)
        accepted = values[reasons == 0].tolist()
        if len(accepted) == 1:
            return f" Expected: {'seat ' if field == 'seat' else ''}{accepted[0]}."
    return ""


def _numbers(state: NDArray[np.void]) -> NDArray[np.int32]:
    """The distinct numbers in a state that an amount may be. `NO_AMOUNT`, which states have for what is not
    known, is none: a report may be without an amount, but then says nothing."""
    names = state.dtype.names or ()
    found = [state[name].ravel() for name in names if state[name].dtype.kind == "i"]
    numbers = np.unique(np.concatenate([numbers.astype(np.int32) for numbers in found]))
    return np.setdiff1d(numbers, [NO_AMOUNT]).astype(np.int32)


def describe(event: np.void) -> str:
    """An event in a few words: ``seat 2 play card 9H``."""
    action = ACTIONS[int(event["action"])]
    words = [f"seat {event['seat']}"] if event["seat"] != NO_SEAT else []
    words += [action.kind, action.name] if action.name != action.kind else [action.name]
    if event["amount"] != NO_AMOUNT:
        words.append(str(event["amount"]))
    if event["suit"] >= 0:
        words.append(SUIT_LETTERS[int(event["suit"])])
    if event["count"]:
        words.append(texts(event["cards"][: int(event["count"])]))
    return " ".join(words)
