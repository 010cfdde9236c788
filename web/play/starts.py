"""Tables at which cards are not shuffled: a hand is played again, or all play the deal of a day."""

from collections.abc import Mapping
from datetime import UTC, date, datetime
from random import Random
from typing import Any

from cardlog import models
from cardlog.models.engine.dealing import BOOK
from cardlog.models.engine.game import Game
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.text.texts import N_, _
from cardlog.schemas import cards
from cardlog.schemas.events import Action
from cardlog.web.hands import choices, opening_of
from cardlog.web.names import number
from cardlog.web.play.dealing import Dealer, games_offered, rules_offered
from cardlog.web.play.event_json import lines_of
from cardlog.web.play.seats import COMPUTER, ME, BadTable, Plan, Start, computers_of, plan_of
from cardlog.web.play.table import Table


def planned(form: Mapping[str, str], batch: Batch | None = None) -> Plan:
    """The table that a form describes: by its seats; with `daily`, for the deal of today; or, given a hand in
    a batch, to play it again from the event `step` on, at `seat`. Raises BadTable."""
    name = form.get("name", "")
    if batch is not None:
        step, seat = (number(form.get(field, ""), 4) for field in ("step", "seat"))
        if step is None or seat is None:
            raise BadTable(_("Step and seat are numbers."))
        return again(batch, step, seat, name)
    if form.get("daily") and form.get("game") in games_offered():
        return daily(form["game"], today().isoformat(), name)
    return plan_of(form)


def today() -> date:
    """The current day in UTC, which is that of all tables."""
    return datetime.now(UTC).date()


def daily(game: str, day: str, name: str) -> Plan:
    """A table for the deal of a day: the same cards for everyone, at seat 0 against experts."""
    playing = models.game(game).playing()
    computers: list[str | None] = [playing.substitute] * playing.usual_seats
    table = Table(game, BOOK, computers, Random(f"cardlog {game} {day}"))
    hand = table.deal([{"kind": "computer"}] * len(computers))
    start = Start(day, hand.opening, hand.dealer, hand.lines())
    return _plan(game, BOOK, [None, *computers[1:]], name, start)


def deal_of(lines: list[dict[str, Any]]) -> list[str]:
    """The cards that each seat is dealt, from events as JSON."""
    return [line["cards"] for line in lines if (line["kind"], line["action"]) == ("deal", "hand")]


def again(batch: Batch, first: int, seat: int, name: str) -> Plan:
    """A table at which the only hand of a batch is played again, from the first choice at or after the event
    `first`. Raises BadTable."""
    game, events = models.game(batch.game), batch.events
    opening = opening_of(batch)
    rules = opening["settings"].get("dialect", BOOK)
    dealt = events[events["action"] == Action.DEAL_HAND]
    players = opening["players"]
    if game.solvable is None or None in players:
        text = N_("A hand of %(game)s can't be played again: its log does not show the whole pack.")
        raise BadTable(_(text, game=game.title))
    if rules not in rules_offered(game.name):
        raise BadTable(_("There are no tables with the rules of this hand, %(rules)s.", rules=rules))
    if any(cards.UNKNOWN in event["cards"][: event["count"]] for event in dealt):
        raise BadTable(_("The log does not show all cards of this hand."))
    if seat not in range(len(players)):
        raise BadTable(_("The hand has no seat %(seat)s.", seat=seat))
    size = next((index for index, *_ in choices(game, opening, events) if index >= first), None)
    if size is None:
        raise BadTable(_("Nobody has a choice after that."))
    bots = [player.get("bot") for player in players]
    computers = [bot if bot in computers_of(game.name) else game.playing().substitute for bot in bots]
    first_line, *lines = lines_of(events[:size], batch.details)
    lines = [first_line, *(line | {"detail": None} for line in lines)]
    start = Start("", opening, _table_of(game, rules, opening), lines, batch.hand_ids[0].decode())
    return _plan(
        game.name, rules, [None if n == seat else bot for n, bot in enumerate(computers)], name, start
    )


def _table_of(game: Game, rules: str, opening: dict[str, Any]) -> dict[str, Any]:
    """A table at which a hand may have been dealt, as in `Dealer.dump`."""
    dealer = Dealer(game.name, rules, len(opening["players"]))
    dealer.open([{"kind": "computer"}] * len(opening["players"]))
    [state] = game.begin(opening)
    for name, source in game.playing().in_state.items():
        dealer.record[name] = state[source]
    return dealer.dump()


def _plan(game: str, rules: str, computers: list[str | None], name: str, start: Start) -> Plan:
    seats = {
        f"seat{n}": ME if computer is None else f"{COMPUTER}:{computer}"
        for n, computer in enumerate(computers)
    }
    plan = plan_of({"game": game, "rules": rules, "name": name, **seats})
    plan.start = start
    return plan
