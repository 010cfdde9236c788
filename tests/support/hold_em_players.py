"""What hold'em players did, by the events of a hand alone: a second implementation of `hold_em_players` and
of what came of each raise, which reads a hand from its first event to the last."""

import json
from collections import Counter, defaultdict
from dataclasses import dataclass, field

from cardlog.models.poker.odds import odds
from tests.support.summaries import Row, category, pairs, rank

RANKS = "23456789TJQKA"


@dataclass
class Player:
    """What a player of a hand did."""

    seat: int
    chips: int
    dealt: str | None = None
    held: str | None = None  # as dealt or shown
    blind: int | None = None
    put_in: int = 0
    folded_on: int | None = None
    showed: bool = False
    acts: dict[int, list[str]] = field(default_factory=lambda: defaultdict(list))
    seen: set[str] = field(default_factory=set)


class Hand:
    """A hand, read event by event."""

    def __init__(self, events: list[Row]) -> None:
        opening = json.loads(events[0]["detail"])
        self.dealer = opening["dealer"]
        self.big_blind = opening["settings"]["small_bet"]
        self.players = {
            seat: Player(seat, chips) for seat, chips in enumerate(opening["match"]["score"]) if chips
        }
        self.street, self.bets, self.raisers = 0, Counter[int](), list[int]()
        self.calls, self.pot, self.opener, self.last_bet = 0, 0, -1, 0
        self.board: list[str] = []
        self.raises: list[Row] = []
        for event in events[1:]:
            self.read(event)
        self.end_street()

    def read(self, event: Row) -> None:
        action, seat = event["action"], event["seat"]
        if action == "board" and event["amount"] in (None, 1):
            self.end_street()
            self.board += pairs(event["cards"])
            self.street, self.bets, self.raisers, self.calls = self.street + 1, Counter(), [], 0
        elif action == "hand" and event["kind"] == "deal":
            if "?" not in event["cards"]:
                self.players[seat].dealt = self.players[seat].held = event["cards"]
        elif action == "show":
            if "?" not in event["cards"]:
                self.players[seat].showed, self.players[seat].held = True, event["cards"]
        elif event["kind"] == "bid":
            self.bid(action, self.players[seat], event["amount"] or 0, event["seq"])

    def bid(self, action: str, player: Player, chips: int, seq: int) -> None:
        pot, to_call = self.pot, max(self.bets.values(), default=0) - self.bets[player.seat]
        self.pot += chips
        player.put_in += chips
        if action in ("ante", "dead"):
            return
        self.bets[player.seat] += chips
        if action != "fold":
            self.last_bet = self.street
        if action == "blind":
            player.blind = chips
            return
        self.note_occasions(action, player)
        player.acts[self.street].append(action)
        if action == "fold":
            player.folded_on = self.street
        if action in ("call", "raise") and self.raises and self.raisers:
            self.raises[-1]["answer"] = action
        self.calls += action == "call"
        if action == "raise":
            part = (chips - to_call) / (pot + to_call) if pot + to_call else None
            self.raises.append({"seq": seq, "part_of_pot": part, "answer": "fold"})
            self.raisers.append(player.seat)
            if self.street == 0:
                self.opener = player.seat

    def note_occasions(self, action: str, player: Player) -> None:
        """What the player could do, and did."""
        seat, others = player.seat, [one for one in self.raisers if one != player.seat]
        done = {"raise": "did", "fold": "folded"}.get(action, "")
        occasions = set()
        if self.street == 0:
            player.seen.add("could_act")
            if len(self.raisers) == 1 and others and action != "check":
                occasions.add("three_bet")
            if len(self.raisers) == 2 and len(others) == 1:
                occasions.add("faced_three_bet")
            if not self.raisers and not self.calls:
                occasions.add("open")
        if self.street == 1:
            if not self.raisers and self.opener == seat:
                occasions.add("c_bet")
            if self.raisers == [self.opener] and self.opener != seat:
                occasions.add("faced_c_bet")
        player.seen |= occasions | {f"{one} {done}" for one in occasions}

    def end_street(self) -> None:
        """What the highest bet is above the second one goes back."""
        if self.bets:
            (top, most), *rest = self.bets.most_common()
            self.players[top].put_in -= most - (rest[0][1] if rest else 0)
        self.bets = Counter()

    # ---------------------------------------------------------------- rows

    def position(self, order: list[Player], place: int) -> str:
        if len(order) == 2:
            return ("big blind", "button")[place]
        blinds = [player.blind for player in order[:2]]
        missing = blinds[0] is not None and blinds[0] >= self.big_blind and blinds[1] is None
        names = ["small blind", "big blind"][missing:]
        if place < len(names):
            return names[place]
        return ("button", "cutoff", "hijack", "lojack", *["early"] * 6)[len(order) - 1 - place]

    def rows(self, complete: bool, nets: list[int | None]) -> dict[int, Row]:
        """The columns of `hold_em_players` by seat, but for those of the opening and `expected_net`."""
        order = sorted(self.players.values(), key=lambda player: (player.seat - self.dealer - 1) % 10)
        stayed = [player.seat for player in order if player.folded_on is None]
        return {
            player.seat: self.row(player, order, place, complete and len(stayed) > 1, nets[player.seat])
            for place, player in enumerate(order)
        }

    def row(self, player: Player, order: list[Player], place: int, showdown: bool, net: int | None) -> Row:
        acts = {street: Counter(player.acts[street]) for street in range(4)}
        later = acts[1] + acts[2] + acts[3]
        position, seen = self.position(order, place), player.seen
        steals = position in ("cutoff", "button", "small blind")
        there = showdown and player.folded_on is None
        compared = there and len(self.board) == 5 and player.held
        return {
            "position": position,
            "starting_hand": starting_hand(player.dealt),
            "could_act": "could_act" in seen,
            "vpip": bool(acts[0]["call"] or acts[0]["raise"]),
            "pfr": bool(acts[0]["raise"]),
            "could_three_bet": "three_bet" in seen,
            "three_bet": "three_bet did" in seen,
            "faced_three_bet": "faced_three_bet" in seen,
            "folded_to_three_bet": "faced_three_bet folded" in seen,
            "could_steal": "open" in seen and steals,
            "stole": "open did" in seen and steals,
            "could_c_bet": "c_bet" in seen,
            "c_bet": "c_bet did" in seen,
            "faced_c_bet": "faced_c_bet" in seen,
            "folded_to_c_bet": "faced_c_bet folded" in seen,
            "raises": acts[0]["raise"] + later["raise"],
            "calls": acts[0]["call"] + later["call"],
            "raises_after_flop": later["raise"],
            "calls_after_flop": later["call"],
            "folds_after_flop": later["fold"],
            "folded_on": player.folded_on,
            "line": "".join(letter(acts[street], street) for street in range(4)),
            "saw_flop": bool(self.board) and player.folded_on != 0,
            "went_to_showdown": there,
            "won_at_showdown": bool(there and net is not None and net + player.put_in > 0),
            "category": category(rank([*self.board, *pairs(player.held)])) if compared else None,
            "shown": player.showed,
            "all_in_on": self.last_bet if showdown and self.last_bet < 3 else None,
            "chips_put_in": player.put_in,
        }

    def expected_nets(self, nets: list[int | None], dead: Counter[int]) -> dict[int, float]:
        """What each player could expect when all were in, from the equity in each pot. dead: the chips of a
        player that nobody has to match."""
        stayed = [player for player in self.players.values() if player.folded_on is None]
        board = "".join(self.board[: (0, 3, 4)[self.last_bet]])
        chips = {player.seat: player.put_in - dead[player.seat] for player in self.players.values()}
        won = dict.fromkeys(self.players, 0.0)
        level, extra, total = 0, sum(dead.values()), 0
        for top in sorted({chips[player.seat] for player in stayed}):
            group = [player for player in stayed if chips[player.seat] >= top]
            pot = extra + sum(min(own, top) - min(own, level) for own in chips.values())
            total, extra, level = total + pot, 0, top
            if len(group) == 1:
                won[group[0].seat] += pot
                continue
            known = [player.held for player in self.players.values() if player not in group and player.held]
            found = odds(*(player.held or "" for player in group), board=board, dead="".join(known))
            for player, one in zip(group, found.players, strict=True):
                won[player.seat] += pot * one.equity
        kept = 1 + sum(nets[seat] or 0 for seat in self.players) / total
        return {seat: won[seat] * kept - player.put_in for seat, player in self.players.items()}


def letter(acts: Counter[str], street: int) -> str:
    """What a player did on a street."""
    marks = {"fold": "F", "raise": "B" if street else "R", "call": "C", "check": "X"}
    return next((mark for action, mark in marks.items() if acts[action]), "-")


def starting_hand(cards: str | None) -> str | None:
    if cards is None:
        return None
    high, low = sorted(cards[::2], key=RANKS.index, reverse=True)
    return high + low + ("" if high == low else "s" if cards[1] == cards[3] else "o")
