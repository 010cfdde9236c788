"""A table: its events, and the state that follows from them by the game's `evolve`. Nothing here knows a
rule; waiting and writing are left to `room`.
"""

import secrets
import time
from collections.abc import Sequence
from random import Random
from typing import Any, Final

import msgspec
import numpy as np

from cardlog.models.engine import arena
from cardlog.models.engine.arena import STEP_EVENTS, carry_out_of, loop_of
from cardlog.models.engine.dealing import NOTHING, new_event
from cardlog.models.engine.game import Game, Records
from cardlog.models.engine.opening import to_json
from cardlog.pipelines.hands.words import card_name
from cardlog.pipelines.ingest.judge import describe
from cardlog.pipelines.text.texts import N_, _
from cardlog.schemas import cards
from cardlog.schemas.errors import CardlogError
from cardlog.schemas.events import NO_AMOUNT, Action
from cardlog.schemas.reasons import MEANING, Reason
from cardlog.web.hands import choices, legal
from cardlog.web.play.dealing import CHANCE, SOMEONE, Dealer
from cardlog.web.play.event_json import Line, dumped, lines_of, write_event
from cardlog.web.play.seats import Start
from cardlog.web.play.thinking import Question

BY_COMPUTER: Final = '{"by":"computer"}'
"""The detail of events by a computer at the seat of a person who is away."""
BY_CLAIM: Final = '{"claim":true}'
"""The detail of the cards that all seats play after a right claim."""
Marks = dict[str, Any]
"""The detail of an event other than the opening."""
_WRONG: Final = N_("%(what)s: %(meaning)s. %(legal)s")
LEAST, MOST = -(10**6), 2**30
"""Amounts outside these bounds are refused before the rules judge the action."""


class Refused(CardlogError):
    """A request of a player is refused; the text is for them."""


class Hand:
    """A hand at a table.

    number
        Among the hands of the table, from 0.
    match, hand_no
        Number of the match, and of the hand in it.
    hand_id
        Random; it is shown only after the hand.
    opening
        The detail of its first event.
    dealer
        The table after the deal, as in `Dealer.dump`, to restore the hand.
    """

    def __init__(
        self, game: Game, number: int, match: tuple[int, int], hand_id: str, opening: dict[str, Any]
    ) -> None:
        self.number, self.hand_id, self.opening = number, hand_id, opening
        self.match, self.hand_no = match
        self.dealer: dict[str, Any] = {}
        self.events: Records = np.zeros(game.playing().most_events + STEP_EVENTS, game.event)
        self.size = 0
        self.details = [to_json(opening, ascii_only=True)]
        self.state: Any = game.begin(opening)[0]

    @property
    def is_over(self) -> bool:
        """Whether it was played to its end."""
        return bool(self.state["done"])

    def reach(self, size: int) -> None:
        """Set the number of events, and make room for those of the next choice."""
        self.size = size
        if size + STEP_EVENTS > len(self.events):
            self.events = np.concatenate([self.events, np.zeros_like(self.events)])

    def detail(self, text: str) -> int:
        """The index of a detail's text among the hand's."""
        if text not in self.details:
            self.details.append(text)
        return self.details.index(text)

    def marks(self, index: int) -> Marks:
        """The detail of an event: how it came about."""
        [line] = lines_of(self.events[index : index + 1], self.details)
        return dict(line.get("detail", {}))

    def lines(self, first: int = 0) -> list[dict[str, Any]]:
        """The events from an index on, as plain values for JSON."""
        return lines_of(self.events[first : self.size], self.details)


class Table:
    """A game being played.

    computers
        For each seat the name of its player; None for a person.
    away
        Seats of people for whom the computer plays.
    given
        Number of events with which every hand begins, if cards are not shuffled.
    """

    def __init__(
        self,
        game: str,
        rules: str,
        computers: Sequence[str | None],
        chance: Random = CHANCE,
        given: int = 0,
    ) -> None:
        self.dealer = Dealer(game, rules, len(computers), chance)
        self.game, self.rules = self.dealer.game, rules
        self.computers = list(computers)
        self.away: set[int] = set()
        self.hand: Hand | None = None
        self._given = given
        self._at_once = self.game.playing().at_once
        self._mask = np.zeros(self.game.decisions.most_actions, np.bool_)

    # ------------------------------------------------------------ hands

    def deal(self, players: list[dict[str, Any]]) -> Hand:
        """Begin the next hand, with all events up to the first choice."""
        number = self._next_number()
        opening, event = self.dealer.open(players)
        match = self.dealer.matches, int(self.dealer.record["hand_no"])
        self.hand = hand = Hand(self.game, number, match, secrets.token_hex(16), opening)
        hand.events[0] = event
        hand.events[0]["detail"] = 0
        self._carry_on(1)
        self.dealer.dealt()
        hand.dealer = self.dealer.dump()
        return hand

    def begin(self, start: Start, players: list[dict[str, Any]]) -> Hand:
        """Begin the next hand at a start, with these players."""
        number = self._next_number()
        opening = start.opening | {"players": players}
        hand = Hand(self.game, number, (number, 0), secrets.token_hex(16), opening)
        self.restore(hand, start.dealer, start.events)
        return hand

    def _next_number(self) -> int:
        if self.hand is not None and not self.hand.is_over:
            raise Refused(_("The hand is not over yet."))
        return 0 if self.hand is None else self.hand.number + 1

    def restore(self, hand: Hand, dealer: dict[str, Any], events: list[dict[str, Any]]) -> None:
        """Restore a hand that was begun earlier. Raises ValueError if the rules forbid one of its events."""
        self.dealer.restore(dealer)
        hand.dealer = dealer
        self.hand = hand
        self.replay(events)

    def replay(self, events: list[dict[str, Any]]) -> None:
        """Apply events from the journal. Raises ValueError if the rules forbid one."""
        hand = self.current
        for line in msgspec.convert(events, list[Line]):
            detail = hand.detail(dumped(line.detail)) if hand.size and line.detail else 0
            write_event(line, hand.events, hand.size, detail)
            reason = self.game.evolve(hand.state, hand.events[hand.size])
            if reason:
                raise ValueError(f"event {hand.size} of hand {hand.number}: {MEANING[Reason(int(reason))]}")
            hand.reach(hand.size + 1)
        if hand.is_over:
            self.dealer.settle(hand.state)

    @property
    def current(self) -> Hand:
        """The current hand, or the last one. Raises Refused if there is none yet."""
        if self.hand is None:
            raise Refused(_("No hand has been dealt yet."))
        return self.hand

    @property
    def moment(self) -> tuple[int, int]:
        """The version of the table: number of the hand and of its events."""
        return self.current.number, self.current.size

    # ------------------------------------------------------------ actions

    @property
    def turn(self) -> int | None:
        """The seat that has to decide; None if the hand is over."""
        if self.hand is None or self.hand.is_over:
            return None
        return int(self.hand.state["turn"])

    @property
    def player(self) -> str | None:
        """The player that acts for the seat in turn; None if that is a person, or nobody."""
        turn = self.turn
        if turn is None:
            return None
        return self.game.playing().substitute if turn in self.away else self.computers[turn]

    def act(self, seat: int, action: int, amount: int | None = None, marks: Marks | None = None) -> None:
        """Carry out a person's choice, and the events that follow from it.

        amount
            Chips of a raise, or the number of a bid, if it is not the action's own.
        marks
            How it came about, for the record: ``{"hint": True}`` after a hint.

        Raises Refused, and changes nothing, if the rules forbid it.
        """
        hand, detail = self.current, dumped(marks) if marks else None
        if seat != self.turn:
            raise Refused(
                _sentence(_WRONG, Reason.WRONG_TURN, what=_("Seat %(number)s", number=seat), legal="")
            )
        kind, count = legal(self.game, hand.state, self._mask)
        if kind == NOTHING or not 0 <= action < count:
            text = N_("There is no action %(number)s. %(legal)s")
            raise Refused(_(text, number=action, legal=self._legal_text()))
        if not self._mask[action] or amount is not None:
            event = self._event_of(action, amount)
            reason = self.game.evolve(hand.state.copy(), event.copy())
            if reason or not self._mask[action]:
                reason = Reason(int(reason) or int(Reason.OUT_OF_ORDER))
                raise Refused(_sentence(_WRONG, reason, what=describe(event), legal=self._legal_text()))
        if amount is None:
            self._carry_out(action, detail)
        else:
            self._carry_on(hand.size + 1, detail)

    def why_not(self, seat: int, card: str) -> str:
        """Why a seat may not play a card now, in the same words as the rejection of a log."""
        hand = self.current
        if seat != self.turn:
            return _sentence(_WRONG, Reason.WRONG_TURN, what=card_name(card), legal="")
        event = new_event(hand.events, hand.size, Action.PLAY_CARD, seat)
        event["cards"][0], event["count"] = cards.code(card), 1
        reason = Reason(int(self.game.evolve(hand.state.copy(), event.copy())))
        if reason == Reason.OK:
            return _sentence(N_("%(card)s may be played."), card=card_name(card))
        legal_text = self._legal_text().replace(f"seat {seat}: ", "")
        return _sentence(_WRONG, reason, what=card_name(card), legal=legal_text)

    def _event_of(self, action: int, amount: int | None) -> Any:
        """The event of an action, written after the hand's events."""
        hand = self.current
        new_event(hand.events, hand.size, 0, int(hand.state["turn"]))
        event = hand.events[hand.size]
        self.game.decisions.to_event(hand.state, action, event)
        if amount is not None:
            if event["amount"] == NO_AMOUNT or not LEAST <= amount <= MOST:
                text = N_("%(event)s has no amount %(amount)s. %(legal)s")
                raise Refused(_sentence(text, event=describe(event), amount=amount, legal=self._legal_text()))
            event["amount"] = amount
        return event

    def _legal_text(self) -> str:
        text = self.game.legal_text(self.current.state)
        return _("Legal: %(choices)s.", choices=text) if text else ""

    def computer_acts(self) -> bool:
        """Make the computer in turn act, if it is one that does not think; returns whether it did."""
        player = self.player
        if player is None or player not in self._at_once:
            return False
        self._choose(player)
        return True

    def _choose(self, player: str) -> None:
        """Make a player that does not think act for the seat in turn."""
        hand, playing, record = self.current, self.game.playing(), self.dealer.record
        turn = int(hand.state["turn"])
        record["players"][turn] = list(playing.names).index(player)
        size = playing.choose(record, hand.state, hand.events, hand.size)
        record["players"][turn] = SOMEONE
        self._carry_on(int(size), BY_COMPUTER if self.computers[turn] is None else None)

    @property
    def question(self) -> Question | None:
        """The decision of the computer in turn; None if it is not the turn of a computer that thinks."""
        player = self.player
        return self.question_for(player) if player is not None and player not in self._at_once else None

    def question_for(self, player: str) -> Question:
        """The decision of the seat in turn, for a player to think about."""
        return Question(self.game.name, player, np.atleast_1d(self.current.state.copy()))

    def answer(self, action: int | None) -> None:
        """Carry out the choice of the computer in turn; if it failed, None, the substitute acts."""
        if action is None:
            self._choose(self.game.playing().substitute)
        else:
            self._carry_out(action)

    # ------------------------------------------------------------ claims, and undone choices

    @property
    def plays_tricks(self) -> bool:
        """Whether the game has tricks, which the solver can price."""
        return self.game.solvable is not None and self.game.has_teams

    @property
    def plays_cards(self) -> bool:
        """Whether the seat in turn has to play a card."""
        kind, _count = legal(self.game, self.current.state, self._mask)
        return kind != NOTHING and self.game.decisions.kinds[kind] == "play"

    def claim(self, codes: list[int]) -> None:
        """Play these cards in order, all that are left, each for the seat in turn."""
        hand = self.current
        for code in codes:
            _kind, count = legal(self.game, hand.state, self._mask)
            actions = np.flatnonzero(self._mask[:count]).tolist()
            chosen = next(action for action in actions if self._event_of(action, None)["cards"][0] == code)
            self._carry_out(chosen, BY_CLAIM)

    @property
    def is_solo(self) -> bool:
        """Whether only one person plays."""
        return self.computers.count(None) == 1

    def last_choice(self, seat: int) -> int | None:
        """The index of the first event of a person's last choice; None if there is none."""
        hand = self.current
        indices = (
            index
            for index, chooser, is_free in choices(self.game, hand.opening, hand.events[: hand.size])
            if chooser == seat and is_free and index >= self._given
        )
        return max((index for index in indices if "by" not in hand.marks(index)), default=None)

    def take_back(self, size: int) -> None:
        """Undo all but the first events of the hand, which becomes a new `Hand` of the same number."""
        old = self.current
        hand = Hand(self.game, old.number, (old.match, old.hand_no), old.hand_id, old.opening)
        self.restore(hand, old.dealer, old.lines()[:size])

    # ------------------------------------------------------------ events

    def _carry_out(self, action: int, detail: str | None = None) -> None:
        """Carry out a legal action of the seat in turn."""
        hand, write = self.current, carry_out_of(self.game)
        self._carry_on(int(write(self.dealer.record, hand.state, action, hand.events, hand.size)), detail)

    def _carry_on(self, size: int, detail: str | None = None) -> None:
        """Apply the new events up to `size`, with a detail if given, and those that follow from them; settle
        the hand if it is over."""
        hand, first = self.current, self.current.size
        play_on = loop_of(self.game, arena.play_on)
        hand.reach(int(play_on(self.dealer.record, hand.state, hand.events, first, size)))
        hand.events["at"][first : hand.size] = time.time_ns() // 1000
        if detail is not None:
            hand.events["detail"][first:size] = hand.detail(detail)
        if hand.is_over:
            self.dealer.settle(hand.state)


def _sentence(text: str, /, reason: Reason = Reason.OK, **values: Any) -> str:
    """A sentence for the player, with the meaning of a reason and other values in their places."""
    sentence = _(text, meaning=_(MEANING[reason]), **values).strip()
    return sentence[:1].upper() + sentence[1:]
