"""Games of four seats in two teams, with tricks."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from cardlog.models.engine.trick import SEATS
from cardlog.pipelines.hands.shapes import Cards, Marked, Rows, Sentence, Suit, Table, Team, joined
from cardlog.pipelines.text.texts import N_, _, filled
from cardlog.schemas import cards
from cardlog.schemas.events import NO_AMOUNT, Action

BY_SUIT: Final = "SHCD"
"""Suits in the order they are shown in: black and red in turn."""
Ranks = Sequence[str]
"""Ranks from high to low: for all suits, or for each suit of `BY_SUIT`."""


@dataclass(frozen=True)
class Trick:
    """A trick: each seat's card, who led, who took it, and its points; None if that is not known yet."""

    cards: list[str | None]
    leader: int
    taker: int | None
    points: int | None


def tricks(state: Any) -> list[Trick]:
    """The tricks so far. `cardlog.pipelines.derive.projections.tricks` has the layout of the state."""
    leaders, winners, values = (state[name].tolist() for name in ("leaders", "winners", "values"))
    played = [cards.text(card) for card in state["played"][: int(state["plays"])].tolist()]
    found = []
    for number, first in enumerate(range(0, len(played), SEATS)):
        by_seat: list[str | None] = [None] * SEATS
        for index, card in enumerate(played[first : first + SEATS]):
            by_seat[(leaders[number] + index) % SEATS] = card
        end = (winners[number], values[number]) if number < state["tricks"] else (None, None)
        found.append(Trick(by_seat, leaders[number], *end))
    return found


def sorted_hand(held: Sequence[str], ranks: Ranks) -> str:
    """Cards by suit, high to low; unknown ones last."""
    by_suit = dict(zip(BY_SUIT, [ranks] * 4 if isinstance(ranks, str) else ranks, strict=True))
    known = [card for card in held if card != cards.UNKNOWN_TEXT]
    known.sort(key=lambda card: (BY_SUIT.index(card[1]), by_suit[card[1]].index(card[0])))
    return "".join(known) + cards.UNKNOWN_TEXT * (len(held) - len(known))


# ---------------------------------------------------------------- the table


def about(state: Any, unit: str, **more: Any) -> Table:
    """All tricks, and the unit of their points."""
    return {"shape": "tricks", "tricks": [vars(trick) for trick in tricks(state)], "unit": unit, **more}


def step(previous: Table, event: Any, state: Any, *, begins: Any) -> Table:
    """The score, and the cards on the table: those of the current trick, or of the last one until the next
    begins; `begins` says whether the play does with this event.

    trick
        Its number from 0, -1 before the first.
    table
        Seat and card, in playing order.
    taker
        Who has taken it, if it is complete.
    """
    so_far = tricks(state)
    trick = so_far[-1] if so_far else Trick([None] * SEATS, 0, None, None)
    order = [(trick.leader + index) % SEATS for index in range(SEATS)]
    is_taken = event["action"] == Action.PLAY_CARD and trick.taker is not None
    return {
        "trick": len(so_far) - 1,
        "tricks": int(state["tricks"]),
        "table": [[seat, trick.cards[seat]] for seat in order if trick.cards[seat]],
        "taker": trick.taker,
        "stop": bool(is_taken or begins),
        "trump": trump_of(state),
        "points": state["points"].tolist(),
        **_match_score(previous, event, state),
    }


def _match_score(previous: Table, event: Any, state: Any) -> Table:
    """The score of the match, which is that before the hand until the hand's end, and the score of the hand,
    by team."""
    match = previous["match"] if previous else state["before"].tolist()
    if event["action"] == Action.SCORE_MATCH and event["amount"] != NO_AMOUNT and state["in_match"]:
        match = [int(event["amount"]) if team == event["seat"] else match[team] for team in range(2)]
    return {
        "match": match if state["in_match"] else None,
        "score": state["score"].tolist() if state["done"] else None,
    }


def trump_of(state: Any) -> str | None:
    """The letter of the trump suit; None before it is named."""
    return None if state["trump"] < 0 else cards.SUIT_LETTERS[int(state["trump"])]


def names_trump(before: Any, state: Any) -> bool:
    """Whether trump was named between two states."""
    return bool(state["trump"] >= 0 and before["trump"] < 0)


def hands(state: Any, hand_cards: int, ranks: Ranks) -> list[str]:
    """The cards that each seat holds, of `hand_cards` that it was dealt, from the masks in `hands`."""
    played = [sum(trick.cards[seat] is not None for trick in tricks(state)) for seat in range(SEATS)]
    held = []
    for seat in range(SEATS):
        known = cards.in_mask(state["hands"][seat]) if dealt_to(state, seat) else []
        hidden = hand_cards - played[seat] - len(known) if dealt_to(state, seat) else 0
        held.append(sorted_hand(known + [cards.UNKNOWN_TEXT] * hidden, ranks))
    return held


def dealt_to(state: Any, seat: int) -> bool:
    """Whether a seat has its cards."""
    return bool(int(state["dealt"]) >> seat & 1)


def tags(state: Any, has_declarer: bool, bid_of: Callable[[int], str | None]) -> list[list[str]]:
    """Short notes at each seat: the dealer, its bid if any, the declarer."""
    found = []
    for seat in range(SEATS):
        dealer = _("dealer") if seat == state["dealer"] else None
        declarer = _("declarer") if has_declarer and seat == state["declarer"] else None
        found.append([*filter(None, [dealer, bid_of(int(state["bids"][seat])), declarer])])
    return found


# ---------------------------------------------------------------- the whole hand


def dealt(state: Any, opening: dict[str, Any], ranks: str = cards.RANKS[::-1]) -> Rows:
    """The cards dealt to each seat, by suit, and the number never shown."""
    rows: list[list[Any]] = []
    for seat, player in enumerate(opening["players"]):
        codes = state["dealt_cards"][seat] if dealt_to(state, seat) else []
        held = [cards.text(int(code)) for code in codes]
        suits = [sorted((card[0] for card in held if card[1] == suit), key=ranks.index) for suit in BY_SUIT]
        hidden = held.count(cards.UNKNOWN_TEXT)
        name = player.get("name") or player.get("kind") or ""
        mark = " (dealer)" if seat == state["dealer"] else ""
        rest = Marked([f"{hidden} not shown"], "quiet") if hidden else ""
        texts = [" ".join(suit).replace("T", "10") or "–" for suit in suits]
        rows.append([f"seat {seat}", f"{name}{mark}", *texts, rest])
    return Rows(["", "player", *map(Suit, BY_SUIT), ""], rows)


def bidding(state: Any, silent: int, words_of: Callable[[int], Sentence]) -> Sentence:
    """The bids in turn, from the seat after the dealer; `silent` is that of a seat that has not bid."""
    order = [(int(state["dealer"]) + step) % SEATS for step in range(1, SEATS + 1)]
    bids = [(seat, int(state["bids"][seat])) for seat in order]
    spoken = joined([seat, " ", *words_of(bid)] for seat, bid in bids if bid != silent)
    return ["Bidding: ", *(spoken or ["none"])]


def played(state: Any) -> Iterator[Rows]:
    """The tricks, one line each: who played what, who led (▸), who took it, its points; nothing before the
    first card."""
    rows = []
    for number, trick in enumerate(tricks(state), 1):
        cells = []
        for seat, card in enumerate(trick.cards):
            shown = [Marked([Cards(card)], "taken") if seat == trick.taker else Cards(card)] if card else []
            cells.append(["▸" if seat == trick.leader else " ", *shown] if shown else [])
        end: list[Any] = ["", ""] if trick.taker is None else [[trick.taker], str(trick.points)]
        rows.append([str(number), *cells, *end])
    if rows:
        yield Rows(
            ["trick", *(f"seat {seat}" for seat in range(SEATS)), "taken by", "points"],
            rows,
            ["trick", "points"],
        )


def result(state: Any, did: Sentence, end: Sentence, others: Sentence) -> list[Sentence]:
    """What both teams did and scored, the declarer's first."""
    team, score = int(state["declarer"]) & 1, [f"{points:+d}" for points in state["score"].tolist()]
    first, second = N_("%(team)s %(did)s: %(end)s, %(score)s."), N_("%(team)s %(did)s: %(score)s.")
    return [
        filled(_(first), team=Team(team), did=did, end=end, score=score[team]),
        filled(_(second), team=Team(1 - team), did=others, score=score[1 - team]),
    ]


def made(is_made: object) -> Sentence:
    """Whether a bid was made."""
    return [Marked([_("made")], "good") if is_made else Marked([_("lost")], "bad")]
