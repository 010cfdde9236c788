"""Hold'em: chips, the pots, the board, who has folded, and the hands shown."""

from typing import Any, Final

from cardlog.models.poker.table import POSTING, SHOWING
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.hands import poker
from cardlog.pipelines.hands.shapes import Cards, Describer, Facts, Rows, Sentence, Table, joined
from cardlog.pipelines.text.texts import N_, _
from cardlog.schemas import cards
from cardlog.schemas.events import NO_AMOUNT, Action

_STREETS: Final = (N_("before the flop"), N_("the flop"), N_("the turn"), N_("the river"))
_TITLES: Final = ("Before the flop", "Flop", "Turn", "River")


def _step(previous: Table, before: Any, event: Any, state: Any) -> Table:
    """The chips of `poker.chips`, and `boards`: the cards of each board that has any."""
    seats = poker.seats_of(previous, state)
    return {
        **poker.chips(state, seats),
        "round": _(_round(state)),
        "boards": list(filter(None, map(_board, state["board"]))),
        "hands": [poker.held(state["dealt_cards"][seat]) if _is_dealt(state, seat) else "" for seat in seats],
        "tags": [poker.tags(state, seat, int(state["rank"][seat, 0])) for seat in seats],
        "stop": bool(_round(state) != _round(before)),
    }


def _is_dealt(state: Any, seat: int) -> bool:
    return poker.in_mask(state["dealt"], seat)


def _board(codes: Any) -> str:
    return cards.texts(codes).replace(cards.UNKNOWN_TEXT, "")


def _round(state: Any) -> str:
    if state["phase"] <= POSTING:
        return N_("blinds")
    return N_("showdown") if state["phase"] >= SHOWING else _STREETS[min(int(state["tricks"]), 3)]


def _facts(batch: Batch, state: Any, opening: dict[str, Any]) -> Facts:
    settings = opening["settings"]
    words = [poker.stakes(settings), f"rules: {settings['dialect']}"]
    return Facts(words, [_hands(state, opening["players"]), *_betting(batch)])


def _hands(state: Any, players: list[dict[str, Any] | None]) -> Rows:
    """One line per player, starting left of the button."""
    rows = []
    for seat in poker.in_turn(state):
        dealt = state["dealt_cards"][seat] if _is_dealt(state, seat) else []
        rank = int(state["rank"][seat, 0])
        rows.append([
            *poker.player_cells(state, seat, players),
            Cards(cards.texts(dealt)),
            *poker.end_cells(state, seat, rank),
        ])  # fmt: skip
    return Rows(["", "player", "dealt", "", *poker.CHIPS], rows, poker.CHIPS)


def _betting(batch: Batch) -> list[Sentence]:
    """The bets of each street, with the cards that open it; and the second board."""
    streets: list[tuple[Sentence, list[Sentence]]] = [([f"{_TITLES[0]}: "], [])]
    second, is_open = "", True
    for event in batch.events:
        if event["action"] == Action.DEAL_BOARD:
            dealt = cards.texts(event["cards"][: event["count"]])
            if event["amount"] in (NO_AMOUNT, 1):
                is_open = False
                streets.append(([f"{_TITLES[min(len(streets), 3)]} ", Cards(dealt), ": "], []))
            else:
                second += dealt
        elif bet := poker.bet_of(event, opens=not is_open):
            streets[-1][1].append(bet)
            is_open |= event["action"] == Action.BID_RAISE
    said: list[Sentence] = [[*title, *(joined(bets) if bets else ["no bets"])] for title, bets in streets]
    return [*said, ["Second board ", Cards(second)]] if second else said


DESCRIBER: Final = Describer(poker.about, _step, _facts, poker.result)
