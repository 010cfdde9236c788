"""What hands of all poker games are described by: chips, the players in turn order, and bets."""

from collections.abc import Iterable
from itertools import pairwise
from typing import Any, Final

from cardlog.models.poker import ranks
from cardlog.pipelines.hands.shapes import Sentence, Table
from cardlog.pipelines.text.texts import _, filled, grouped, ngettext
from cardlog.schemas import cards
from cardlog.schemas.events import Action

_ORDER: Final = cards.PACK_RANKS[::-1]
_WORDS: Final = {
    Action.BID_CHECK: "checks",
    Action.BID_FOLD: "folds",
    Action.BID_CALL: "calls",
    Action.BID_RAISE: "raises",
}


def about(state: Any) -> Table:
    """See `Describer`."""
    return {"shape": "poker", "button": int(state["dealer"])}


def in_mask(mask: Any, seat: int) -> bool:
    """Whether a seat is in a mask of seats."""
    return bool(int(mask) >> seat & 1)


def seats_of(previous: Table, state: Any) -> range:
    """The seats, up to the last one taken."""
    if previous:
        return range(len(previous["hands"]))
    taken = (seat + 1 for seat in range(len(state["stack"])) if in_mask(state["present"], seat))
    return range(max(taken, default=2))


def chips(state: Any, seats: range) -> Table:
    """The chips.

    pot, pots, paid
        Chips staked, the main pot and the side pots that they make, and whether they have been won.
    bets, stacks, won
        Each seat's chips: bet in this round, in its stack, and won.
    in_hand
        Which seats have not folded.
    """
    staked = [int(amount) for amount in state["staked"]]
    return {
        "pot": sum(staked),
        "pots": _pots(
            staked, [staked[seat] for seat in seats if in_mask(state["all_in"] & state["live"], seat)]
        ),
        "paid": bool(state["done"] and state["won"].any()),
        "bets": [0 if state["done"] else int(state["bets"][seat]) for seat in seats],
        "stacks": [int(state["stack"][seat]) for seat in seats],
        "won": [int(state["won"][seat]) for seat in seats],
        "in_hand": [in_mask(state["live"], seat) for seat in seats],
    }


def _pots(staked: list[int], all_in: list[int]) -> list[int]:
    """The main pot and the side pots: one for each amount at which a player is all in, and one above."""
    levels = sorted({0, max(staked), *all_in})
    if len(levels) < 3:
        return []
    return [sum(min(stake, high) - min(stake, low) for stake in staked) for low, high in pairwise(levels)]


def held(codes: Any) -> str:
    """The cards of a hand, the highest first and hidden ones last."""
    texts = [cards.text(int(code)) for code in codes]
    known = sorted((c for c in texts if c != cards.UNKNOWN_TEXT), key=lambda c: (_ORDER.index(c[0]), c[1]))
    return "".join(known) + cards.UNKNOWN_TEXT * (len(texts) - len(known))


def tags(state: Any, seat: int, rank: int, more: Iterable[str] = ()) -> list[str]:
    """The notes at a seat."""
    if not in_mask(state["present"], seat):
        return [_("empty")]
    found = [_("button")] if seat == state["dealer"] else []
    if not in_mask(state["live"], seat):
        found.append(_("folded"))
    elif in_mask(state["all_in"], seat):
        found.append(_("all in"))
    found += more
    if in_mask(state["mucked"], seat):
        found.append(_("mucked"))
    if rank and in_mask(state["dealt"], seat):
        found.append(_(ranks.category(rank)))
    return found


def stakes(settings: dict[str, Any]) -> str:
    """The structure and the bets of a hand with blinds."""
    later = f" and {settings['big_bet']}" if settings["big_bet"] != settings["small_bet"] else ""
    return f"{settings['structure'].replace('_', ' ')}, bets of {settings['small_bet']}{later}"


def in_turn(state: Any) -> list[int]:
    """The seats that play, from the first after the button."""
    count, dealer = len(state["stack"]), int(state["dealer"])
    order = ((dealer + step) % count for step in range(1, count + 1))
    return [seat for seat in order if in_mask(state["present"], seat)]


def player_cells(state: Any, seat: int, players: list[dict[str, Any] | None]) -> list[str]:
    """The seat, and its player."""
    name = str((players[seat] or {}).get("name") or f"seat {seat}")
    return [f"seat {seat}", name + (" (button)" if seat == state["dealer"] else "")]


def end_cells(state: Any, seat: int, rank: int) -> list[str]:
    """How the hand ended for a seat, and its chips: put in, won, and at the end."""
    end = [ranks.category(rank)] if rank else []
    end += [] if in_mask(state["live"], seat) else ["folded"]
    end += ["mucked"] if in_mask(state["mucked"], seat) else []
    won = int(state["won"][seat])
    return [" ".join(end), str(state["staked"][seat]), str(won or ""), str(state["stack"][seat])]


CHIPS: Final = ("put in", "won", "chips")
"""The columns of `end_cells` that are numbers; the first has no name."""


def bet_of(event: Any, *, opens: bool = False) -> Sentence:
    """A bet of a round, perhaps the one that `opens` it; empty for any other event."""
    action = Action(event["action"])
    if action not in _WORDS:
        return []
    paid = f" {event['amount']}" if action in (Action.BID_CALL, Action.BID_RAISE) else ""
    word = "bets" if opens and action == Action.BID_RAISE else _WORDS[action]
    return [int(event["seat"]), f" {word}{paid}"]


def result(state: Any) -> list[Sentence]:
    """See `Describer`."""
    amount = int(state["won"].sum())
    said = ngettext("%(n)s chip was in the pot.", "%(n)s chips were in the pot.", amount)
    return [filled(said, n=grouped(amount))]
