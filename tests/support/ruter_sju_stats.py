"""The original's statistics of Ruter Sju, counted from events in compiled code, for many hands.

What `docs/rules/ruter_sju.md` says the program counts, and nothing of how the marts count it.
"""

from typing import Any, Final

import numpy as np

from cardlog.models.engine.compiled import compiled
from cardlog.models.engine.game import Records
from cardlog.models.ruter_sju import state as ruter_sju
from cardlog.models.ruter_sju.rules import evolve
from cardlog.schemas.events import NO_SEAT, Action

COLUMNS: Final = (
    "turns", "rounds", "roundsPlayer", "startingPosition", "finalPosition", "timesBlockTaken",
    "totalRoundsWithBlock", "mostRoundsWithBlock", "turnWithFirstBlock", "numCenter", "numOpener",
    "numExtremes",
)  # fmt: skip
SEATS: Final = 6


def count_hands(events: Any, offsets: Any, states: Records) -> Any:
    """The statistics of each seat: shape (hands, 6, columns). States are those before the first event."""
    rows = np.zeros((len(offsets) - 1, SEATS, len(COLUMNS)), np.int32)
    _count(events.copy(), offsets, states.copy(), rows)
    return rows


@compiled
def _count(events: Any, offsets: Any, states: Any, rows: Any) -> None:
    entries = np.zeros((SEATS, 1024), np.int8)  # by seat and round: 1 something, 2 taken, 4 blocked
    for hand in range(len(states)):
        entries[:] = 0
        rounds = _walk(events[offsets[hand] : offsets[hand + 1]], states[hand], entries, rows[hand])
        state = states[hand]
        for seat in range(state.seats):
            row = rows[hand, seat]
            row[1] = rounds
            row[4] = state.places[seat] - 1
            row[8] = -1
            run = 0
            for number in range(1024):
                entry = entries[seat, number]
                if entry == 0:
                    continue
                row[2] += 1
                run = run + 1 if entry & 6 else 0
                row[5] += entry >> 1 & 1
                row[6] += entry & 6 != 0
                row[7] = max(row[7], run)
                if entry & 2 and row[8] < 0:
                    row[8] = number
            for index in range(state.counts[seat]):
                number = ruter_sju.NUMBER_OF[state.dealt_cards[seat, index]]
                end = number == 1 or number == state.ranks
                row[11] += end
                row[9] += number == state.centre and not end
                row[10] += abs(number - state.centre) == 1 and not end


@compiled
def _walk(events: Any, state: Any, entries: Any, rows: Any) -> int:
    """Record the actions by seat and round; returns the number of the last round."""
    visit, counter, rounds, turns, start = NO_SEAT, 0, 0, 0, NO_SEAT
    seats = int(state.seats)
    for index in range(len(events)):
        action = events[index].action
        again, out = state.again, int(state.out)
        evolve(state, events[index])
        if action < Action.PLAY_CARD or action > Action.PLAY_BLOCKED:
            continue
        seat = int(events[index].seat)
        if visit == NO_SEAT:
            visit = start = seat
            turns = 1
        elif not again:
            turns += 1
            while True:
                counter += 1
                if counter == seats - out:
                    counter = 0
                    rounds += 1
                visit = (visit + 1) % seats
                if visit == seat:
                    break
        done = 1
        if action == Action.PLAY_BLOCK:
            done = 3
        elif action == Action.PLAY_BLOCKED:
            done = 5
        entries[seat, rounds] |= done
    for seat in range(seats):
        rows[seat, 0] = turns
        rows[seat, 3] = (seat - start) % seats
    return rounds
