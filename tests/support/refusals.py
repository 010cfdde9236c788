"""Why events are refused: scripts in the words of `hands`, which `python -m tests.support.refusals` records.

A line that begins with ``{`` opens a hand; an indented line is an event that is tried, and what comes of it;
any other line is the hand's next event; after ``?`` is what is legal; after ``!`` a change of the opening,
and why it is refused. They are hands by all rules, some with hidden cards; those in `RULES` were written by
hand, by the numbers of rules, and stay as they are.
"""

import json
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from cardlog import models
from cardlog.models.contest.simulation import Simulation
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.events.folding import fold_batch
from cardlog.pipelines.export import simulate
from cardlog.schemas import cards
from cardlog.schemas.events import ACTIONS, NO_AMOUNT, NO_SEAT, Action
from cardlog.schemas.reasons import Reason
from cardlog.testing import OddTable
from tests.support.hands import Hand, event, refusal
from tests.support.logs import short_logs
from tests.support.steps import opening_of

TESTS = Path(__file__).parents[1]
FOLDER, RULES = TESTS / "records" / "refusals", TESTS / "records" / "rules"
TRIES, FEWEST = 60, 10
"""Odd events that are tried after each event, and kept of each hand, or it is left out."""
ALIKE = {"must_follow": 6, "bad_bid": 3, "score_mismatch": 2, "ok": 2}
"""How many odd events of one action are kept after one kind of event, by what comes of them; 1 of others."""
AMOUNTS = (NO_AMOUNT, -(2**31) + 1, -52, -1, 0, 1, 7, 20, 52, 100, 2**31 - 1)
STATED = ("score", "after", "points", "won", "places", "stack", "values")
"""Fields of states that sources report."""
REPORTS = [code for code, action in enumerate(ACTIONS) if action.kind == "score"]


def words(one: Any) -> str:
    """An event as `hands.event` reads it."""
    action, suit = ACTIONS[one["action"]], int(one["suit"])
    shown = cards.texts(one["cards"][: one["count"]])
    amount = "" if one["amount"] == NO_AMOUNT else str(one["amount"])
    letter = "" if suit < 0 else cards.SUIT_LETTERS[suit]
    return " ".join(filter(None, [str(one["seat"]), f"{action.kind}/{action.name}", shown, amount, letter]))


def odd(rng: random.Random, hand: Any, one: Any) -> Any:
    """An event of a hand, often the next one, with other values in one field or two."""
    odd_one = (one if rng.random() < 0.5 else hand[rng.randrange(len(hand))]).copy()
    if one["action"] in (Action.PLAY_CARD, Action.PLAY_DISCARD) and rng.random() < 0.3:
        [deal] = hand[(hand["action"] == Action.DEAL_HAND) & (hand["seat"] == one["seat"])]
        odd_one = one.copy()
        odd_one["cards"][: one["count"]] = rng.sample(deal["cards"][: deal["count"]].tolist(), one["count"])
        return odd_one
    for field in rng.sample(("action", "seat", "suit", "amount", "cards"), rng.choice((0, 1, 1, 1, 2))):
        if field == "action":
            odd_one["action"] = rng.choice((*hand["action"].tolist(), rng.randrange(len(ACTIONS))))
        elif field == "seat":
            odd_one["seat"] = rng.choice((NO_SEAT, *range(5), 127))
        elif field == "suit":
            odd_one["suit"] = rng.randrange(-1, 5)
        elif field == "amount":
            near = int(one["amount"]) + rng.choice((-1, 1)) if one["amount"] != NO_AMOUNT else 8
            odd_one["amount"] = rng.choice((near, near, *AMOUNTS))
        else:
            shown = odd_one["cards"][: odd_one["count"]].tolist()
            more = hand[rng.randrange(len(hand))]
            shown += more["cards"][: more["count"]].tolist()[: rng.choice((0, 1, 1, 2))]
            rng.shuffle(shown)
            shown = shown[: rng.choice((len(shown), max(len(shown) - 1, 0), int(odd_one["count"])))]
            if shown and rng.random() < 0.4:
                shown[0] = rng.choice((cards.UNKNOWN, cards.code("E4"), shown[-1], rng.choice(shown)))
            odd_one["count"] = min(len(shown), len(odd_one["cards"]))
            odd_one["cards"][: odd_one["count"]] = shown[: odd_one["count"]]
    return odd_one


def report(rng: random.Random, hand: Any, state: Any) -> Any:
    """A report of what a state has, right or wrong."""
    one = hand[-1].copy()
    one["action"], one["seat"] = rng.choice(REPORTS), rng.randrange(-1, 5)
    one["count"], one["suit"] = 0, cards.NO_SUIT
    fields = [name for name in STATED if name in state.dtype.names]
    one["amount"] = int(rng.choice(state[rng.choice(fields)].ravel().tolist()[:8])) + rng.choice((0, 0, 1))
    return one


def hidden(batch: Batch, seats: list[int]) -> Batch:
    """The same hand without what some seats were dealt, if that is legal."""
    events = batch.events.copy()
    for deal in events:
        if deal["action"] in (Action.DEAL_HAND, Action.DEAL_DRAW) and deal["seat"] in seats:
            deal["cards"][: deal["count"]] = cards.UNKNOWN
    return Batch(batch.game, batch.hand_ids, events, batch.offsets, batch.details)


def hands_of(name: str) -> Iterator[Batch]:
    """Hands by each of the rules, played as usual and with odd bids, some with hidden cards; and of logs."""
    for rules in models.game(name).playing().rules:
        table: Any = OddTable(name, rules)
        plays = Simulation(name, 2, rules=rules), table, Simulation(name, 5, rules=rules)
        for number, play in enumerate(plays):
            [batch] = simulate.batches(name, f"refused {number}", play, 1)
            yield batch
            without = hidden(batch, [0, 2][: 1 + number])
            if not fold_batch(without).reasons.any():
                yield without
    yield from (batch.take(np.arange(1)) for batch in short_logs(name))


class Record:
    """The lines of a game's script."""

    def __init__(self, name: str) -> None:
        self.name, self.rng, self.lines = name, random.Random(name), list[str]()
        self._seen = Counter[tuple[Any, ...]]()
        for batch in hands_of(name):
            self._add(batch, opening_of(batch, 0))

    def _add(self, batch: Batch, detail: dict[str, Any]) -> None:
        """Add a hand up to the last odd event that is kept."""
        hand, before, dialect = Hand(self.name, detail), 0, detail["settings"].get("dialect")
        lines, end = [json.dumps(detail, sort_keys=True, separators=(",", ":"))], 0
        odd_ones, seen = 0, self._seen.copy()
        for one in (*batch.events, None):
            if kept := self._odd(
                hand, batch.events, batch.events[-1] if one is None else one, (before, dialect)
            ):
                lines += kept
                end, odd_ones = len(lines), odd_ones + len(kept)
            if one is None:
                break
            lines.append(words(one))
            assert hand.do(words(one)) == 0, words(one)
            if ACTIONS[before].kind != ACTIONS[one["action"]].kind:
                lines.append(f"? {hand.game.legal_text(hand.state)}".rstrip())
            before = int(one["action"])
        if odd_ones >= FEWEST:
            self.lines += lines[:end]
        else:
            self._seen = seen

    def _odd(self, hand: Hand, events: Any, one: Any, at: tuple[Any, ...]) -> list[str]:
        """The lines of odd events of which there were few before."""
        lines = []
        is_end = bool(hand.state["done"])
        for number in range(TRIES * (1 + 3 * is_end)):
            reports = is_end and number % 4
            text = words(report(self.rng, events, hand.state) if reports else odd(self.rng, events, one))
            tried = event(self.name, text)
            reason = Reason(hand.game.evolve(hand.states.copy()[0], tried)).code
            kind = (at[: 1 + (reason != "out_of_order")], int(tried["action"]), reason)
            if self._seen[kind] < ALIKE.get(reason, 1):
                self._seen[kind] += 1
                lines.append(f"  {text}: {reason}")
        return lines


def replay(path: Path) -> None:
    """Check a script. An error says at which line it is another one."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        text, _, reason = line.strip().partition(": ")
        where = f"{path}, line {number}: {line}"
        if line.startswith("{"):
            hand, detail = Hand(path.stem, line), json.loads(line)
        elif line.startswith("!"):
            changes = json.loads(text.removeprefix("!"))
            parts = {key: detail.get(key, {}) | new for key, new in changes.items() if isinstance(new, dict)}
            assert (reason or "a reason") in refusal(path.stem, detail | changes | parts), where
        elif line.startswith("?"):
            assert line.removeprefix("?").strip() == hand.game.legal_text(hand.state), where
        elif line.startswith(" "):
            before = hand.states.copy()
            assert hand.do(text).code == reason, where
            hand.states[:] = before
        elif not line.startswith("#"):
            assert hand.do(line) == Reason.OK, where


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for game in models.GAMES.ours:
        text = "".join(line + "\n" for line in Record(game).lines)
        (FOLDER / f"{game}.txt").write_text(text, encoding="utf-8")
