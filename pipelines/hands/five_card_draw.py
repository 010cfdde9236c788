"""Five-card draw: chips, the pot, who has folded, what was drawn, and the hands shown."""

from itertools import pairwise
from typing import Any, Final

from cardlog.models.five_card_draw.state import DRAWING, SEATS, SECOND_BETS
from cardlog.models.poker import ranks
from cardlog.models.poker.ranks import HAND_CARDS
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.hands.shapes import Cards, Describer, Facts, Rows, Sentence, Table, joined
from cardlog.pipelines.text.texts import N_, _, filled, ngettext
from cardlog.schemas import cards
from cardlog.schemas.events import Action

_ORDER: Final = cards.PACK_RANKS[::-1]
ROUNDS: Final = (
    N_("ante"), N_("deal"), N_("before the draw"), N_("the draw"), N_("after the draw"), N_("showdown"),
)  # fmt: skip
_WORDS: Final = {
    Action.BID_CHECK: "checks",
    Action.BID_FOLD: "folds",
    Action.BID_CALL: "calls",
    Action.BID_RAISE: "raises",
}


def _about(state: Any) -> Table:
    return {"shape": "poker", "button": int(state["dealer"])}


def _step(previous: Table, before: Any, event: Any, state: Any) -> Table:
    """The chips.

    pot, pots, paid
        Chips staked, the main pot and the side pots that they make, and whether they have been won.
    bets, stacks, won
        Each seat's chips: bet in this round, in its stack, and won.
    settled
        Chips that each seat staked in earlier rounds.
    in_hand
        Which seats have not folded.
    """
    seats = range(len(previous["hands"]) if previous else _seats(state))
    opens_round = state["tricks"] != before["tricks"]
    settled = previous.get("settled", [0] * SEATS)
    if opens_round:
        settled = [int(chips) for chips in before["staked"]]
    if state["phase"] < DRAWING and not state["tricks"]:
        settled = [0] * SEATS
    staked = [int(chips) for chips in state["staked"]]
    discards = cards.texts(event["cards"][: int(event["count"])])
    return {
        "pot": sum(staked),
        "pots": _pots(state, staked),
        "paid": bool(state["done"] and state["won"].any()),
        "settled": settled,
        "bets": [0 if state["done"] else staked[seat] - settled[seat] for seat in seats],
        "stacks": [int(state["stack"][seat]) for seat in seats],
        "won": [int(state["won"][seat]) for seat in seats],
        "in_hand": [bool(int(state["live"]) >> seat & 1) for seat in seats],
        "round": _(_round(state)),
        "hands": [_held(state, seat) for seat in seats],
        "discarded": discards if event["action"] == Action.PLAY_DISCARD else None,
        "tags": [_tags(state, seat) for seat in seats],
        "stop": bool(_round(state) != _round(before)),
    }


def _pots(state: Any, staked: list[int]) -> list[int]:
    """The main pot and the side pots: one for each amount at which a player is all in, and one above."""
    all_in = int(state["all_in"]) & int(state["live"])
    levels = sorted({0, max(staked), *(staked[seat] for seat in range(SEATS) if all_in >> seat & 1)})
    if len(levels) < 3:
        return []
    return [sum(min(chips, high) - min(chips, low) for chips in staked) for low, high in pairwise(levels)]


def _seats(state: Any) -> int:
    """How many seats there are, up to the last one taken."""
    return max((seat + 1 for seat in range(SEATS) if int(state["present"]) >> seat & 1), default=2)


def _round(state: Any) -> str:
    return ROUNDS[min(max(int(state["phase"]) - 1, 0), len(ROUNDS) - 1)]


def _held(state: Any, seat: int) -> str:
    if not int(state["dealt"]) >> seat & 1:
        return ""
    replaced = int(state["replaced"]) if seat == state["turn"] else 0  # their slots are at the end
    held = [cards.text(int(code)) for code in state["held_cards"][seat][: HAND_CARDS - replaced]]
    known = sorted((c for c in held if c != cards.UNKNOWN_TEXT), key=lambda c: (_ORDER.index(c[0]), c[1]))
    return "".join(known) + cards.UNKNOWN_TEXT * (len(held) - len(known))


def _tags(state: Any, seat: int) -> list[str]:
    if not int(state["present"]) >> seat & 1:
        return [_("empty")]
    tags = [_("button")] if seat == state["dealer"] else []
    if not int(state["live"]) >> seat & 1:
        tags.append(_("folded"))
    elif int(state["all_in"]) >> seat & 1:
        tags.append(_("all in"))
    if int(state["swapped"][seat]) >= 0 and state["phase"] >= SECOND_BETS:
        tags.append(_("drew %(n)s", n=state["swapped"][seat]))
    if int(state["mucked"]) >> seat & 1:
        tags.append(_("mucked"))
    rank = int(state["rank"][seat])
    if rank and int(state["dealt"]) >> seat & 1:
        tags.append(_(ranks.category(rank)))
    return tags


def _facts(batch: Batch, state: Any, opening: dict[str, Any]) -> Facts:
    settings = opening["settings"]
    number = f"no. {batch.hand_nos[0] + 1}" if batch.hand_nos[0] >= 0 else ""
    words = [number, f"ante {settings['ante']}, rules: {settings['dialect']}"]
    return Facts(words, [_hands(state, opening["players"]), *_betting(batch)])


def _hands(state: Any, players: list[dict[str, Any] | None]) -> Rows:
    """One line per player, starting left of the button."""
    rows = []
    for step in range(1, SEATS + 1):
        seat = (int(state["dealer"]) + step) % SEATS
        if not state["present"] >> seat & 1:
            continue
        name = str((players[seat] or {}).get("name") or f"seat {seat}")
        swapped, rank, won = int(state["swapped"][seat]), int(state["rank"][seat]), int(state["won"][seat])
        end = [ranks.category(rank)] if rank else []
        end += [] if state["live"] >> seat & 1 else ["folded"]
        end += ["mucked"] if state["mucked"] >> seat & 1 else []
        dealt = state["dealt_cards"][seat] if state["dealt"] >> seat & 1 else []
        rows.append([
            f"seat {seat}",
            name + (" (button)" if seat == state["dealer"] else ""),
            Cards(cards.texts(dealt)),
            "" if swapped < 0 else str(swapped),
            Cards(cards.texts(state["held_cards"][seat])) if swapped >= 0 else "",
            " ".join(end),
            str(state["staked"][seat]),
            str(won or ""),
            str(state["stack"][seat]),
        ])  # fmt: skip
    right = "put in", "won", "chips"
    return Rows(["", "player", "dealt", "drew", "held at the end", "", *right], rows, right)


def _betting(batch: Batch) -> list[Sentence]:
    """The bets before the draw and after it."""
    rounds: dict[str, list[Sentence]] = {"Before the draw: ": [], "After the draw: ": []}
    bets, after = rounds.values()
    for event in batch.events:
        action = Action(event["action"])
        bets = after if action == Action.PLAY_DISCARD else bets
        if action in _WORDS:
            paid = f" {event['amount']}" if action in (Action.BID_CALL, Action.BID_RAISE) else ""
            bets.append([int(event["seat"]), f" {_WORDS[action]}{paid}"])
    return [[title, *joined(bets)] for title, bets in rounds.items() if bets]


def _result(state: Any) -> list[Sentence]:
    chips = int(state["won"].sum())
    said = ngettext("%(n)s chip was in the pot.", "%(n)s chips were in the pot.", chips)
    return [filled(said, n=str(chips))]


DESCRIBER: Final = Describer(_about, _step, _facts, _result)
