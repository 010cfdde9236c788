"""The marts `plays` and `seats` over the logs of all games, recomputed in plain Python from the events."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.summaries import Marts, pairs, rows_of

TRICK_GAMES = ("kaiser", "belote", "pinochle")
ORDER = {"kaiser": "35789TJQKA", "belote": "789JQKTA", "pinochle": "9JQKTA"}
TRUMP_ORDER = ORDER | {"belote": "78QKTA9J"}
BELOTE = {"A": 11, "T": 10, "K": 4, "Q": 3, "J": 2}
BELOTE_TRUMP = BELOTE | {"J": 20, "9": 14}
Row = dict[str, Any]


@pytest.fixture(scope="module")
def hands(logged: Marts) -> dict[str, list[Row]]:
    """The events of each hand."""
    found: dict[str, list[Row]] = defaultdict(list)
    for event in rows_of(logged, "from events order by hand_id, seq"):
        found[event["hand_id"]].append(event)
    return found


def dealt(events: list[Row]) -> dict[int, list[str]]:
    """The cards of each seat before the first play, after the pass; the only hidden hand of a game that deals
    all cards is what the others leave."""
    held = {e["seat"]: pairs(e["cards"]) for e in events if (e["kind"], e["action"]) == ("deal", "hand")}
    for event in events:
        if (event["kind"], event["action"]) == ("deal", "pass"):
            for card in pairs(event["cards"]):
                held[event["seat"]].remove(card)
                held[(event["seat"] + 2) % 4].append(card)
    hidden = [seat for seat, cards in held.items() if "??" in cards]
    if events[0]["game"] == "ruter_sju" and len(hidden) == 1:
        settings = json.loads(events[0]["detail"])["settings"]
        suits, ranks = "DSHC45"[: settings["suits"]], "A23456789TJQKEF"[: settings["cards_per_suit"]]
        shown = {card for cards in held.values() for card in cards}
        held[hidden[0]] = [rank + suit for suit in suits for rank in ranks if rank + suit not in shown]
    return held


def trump_of(events: list[Row]) -> str | None:
    """A hand thrown in and played on has the trump of the hand before."""
    if any(event["action"] == "throw_in" for event in events):
        before: str | None = json.loads(events[0]["detail"])["match"]["trump"]
        return before
    return next((event["suit"] for event in events if event["action"] == "trump"), None)


def worth(game: str, card: str, trump: str | None) -> int:
    if game == "kaiser":
        return {"5H": 5, "3S": -3}.get(card, 0)
    if game == "pinochle":
        return int(card[0] in "ATK")
    return (BELOTE_TRUMP if card[1] == trump else BELOTE).get(card[0], 0)


def brings(game: str, trick_no: int) -> int:
    """What a trick is worth beside its cards."""
    return {"kaiser": 1, "belote": 10 * (trick_no == 7), "pinochle": int(trick_no == 11)}[game]


def best(game: str, trick: list[str], trump: str | None) -> int:
    """Position of the card that takes a trick, the first of equal ones."""

    def strength(card: str) -> int:
        if card[1] == trump:
            return 100 + TRUMP_ORDER[game].index(card[0])
        return ORDER[game].index(card[0]) if card[1] == trick[0][1] else -1

    return max(range(len(trick)), key=lambda place: strength(trick[place]))


def played(events: list[Row]) -> Iterator[Row]:
    """The rows of `plays` of a hand."""
    game, trump, held = events[0]["game"], trump_of(events), dealt(events)
    acts = [event for event in events if (event["kind"], event["action"]) == ("play", "card")]
    for index, event in enumerate(acts):
        own, card = held[event["seat"]], event["cards"]
        row = dict.fromkeys(("trick_no", "order_in_trick", "is_led", "followed", "trumped", "won", "points"))
        if game in TRICK_GAMES:
            trick_no, place = divmod(index, 4)
            trick = [one["cards"] for one in acts[4 * trick_no : 4 * trick_no + 4]]
            led = trick[0][1]
            row |= {"trick_no": trick_no, "order_in_trick": place, "is_led": place == 0}
            if place:
                row |= {"followed": card[1] == led, "trumped": card[1] == trump != led}
            if len(trick) == 4:
                row["won"] = best(game, trick, trump) == place
                value = sum(worth(game, one, trump) for one in trick) + brings(game, trick_no)
                row["points"] = value if row["won"] else 0
        row["cards_left_in_suit"] = None
        if "??" not in own:
            own.remove(card)
            row["cards_left_in_suit"] = sum(other[1] == card[1] for other in own)
        yield row | {"game": game, "seq": event["seq"], "seat": event["seat"], "card": card}


def test_plays_are_what_the_events_say(logged: Marts, hands: dict[str, list[Row]]) -> None:
    found: dict[str, list[Row]] = defaultdict(list)
    for row in rows_of(logged, "from plays order by hand_id, seq"):
        assert row["card"] == row["rank"] + row["suit"]
        found[row["hand_id"]].append(row)
    seen: Counter[str] = Counter()
    for hand_id, events in hands.items():
        expected = list(played(events))
        rows = found.pop(hand_id, [])
        assert [
            {name: row[name] for name in want} for row, want in zip(rows, expected, strict=True)
        ] == expected
        seen[events[0]["game"]] += len(rows)
    assert not found
    assert set(seen) == {*TRICK_GAMES, "ruter_sju", "five_card_draw"}
    assert [game for game, rows in seen.items() if not rows] == ["five_card_draw"]


def bid_of(events: list[Row], seat: int, declarer: int | None) -> str | None:
    """What a seat bid, as `seats` writes it."""
    if events[0]["game"] not in TRICK_GAMES:
        return None
    said = [e for e in events if e["kind"] == "bid" and e["seat"] == seat and e["action"] != "throw_in"]
    if events[0]["game"] == "belote":
        return next((e["suit"] or "pass" for e in said[::-1]), None)
    bids = [e for e in said if e["action"] != "trump"]
    if not bids or bids[-1]["action"] == "pass":
        return "pass" if bids else None
    no_trump = bids[-1]["suit"] == "N" and events[0]["game"] == "kaiser"
    named = trump_of(events) if events[0]["game"] == "kaiser" and seat == declarer and not no_trump else ""
    return f"{bids[-1]['amount']}{'N' if no_trump else named or ''}"


def test_seats_are_what_the_events_say(logged: Marts, hands: dict[str, list[Row]]) -> None:
    kept = {row["hand_id"]: row for row in rows_of(logged, "from hands")}
    seen: Counter[str] = Counter()
    for row in rows_of(logged, "from seats"):
        events, hand, seat = hands[row["hand_id"]], kept[row["hand_id"]], row["seat"]
        game, trump = row["game"], trump_of(events)
        opening = json.loads(events[0]["detail"])
        players, partner = opening["players"], (seat + 2) % 4
        assert (row["player_name"], row["player_kind"]) == (
            players[seat].get("name"),
            players[seat].get("kind"),
        )
        assert row["is_dealer"] == (None if hand["dealer"] is None else seat == opening["dealer"])
        assert row["bid"] == bid_of(events, seat, hand["declarer"])
        if game in TRICK_GAMES:
            assert (row["team"], row["partner_seat"]) == (seat % 2, partner)
            assert row["partner_name"] == players[partner].get("name")
            assert row["team_points"] == hand[f"team_{seat % 2}_points"]
            assert row["team_score"] == hand[f"team_{seat % 2}_score"]
            assert row["is_declarer"] == (None if hand["declarer"] is None else seat == hand["declarer"])
        else:
            assert (row["team"], row["partner_seat"], row["partner_name"]) == (None, None, None)
        cards = dealt(events).get(seat, [])
        if game != "five_card_draw":
            known = bool(cards) and "??" not in cards
            assert sorted(row["card_list"] or []) == (sorted(cards) if known else [])
            suits = Counter(card[1] for card in cards)
            for name in ("clubs", "diamonds", "hearts", "spades"):
                assert row[name] == (suits[name[0].upper()] if known else None)
            assert row["aces"] == (sum(card[0] == "A" for card in cards) if known else None)
            if game in TRICK_GAMES and known:
                assert row["voids"] == 4 - len(suits)
                assert row["card_points"] == sum(worth(game, card, trump) for card in cards)
            else:
                assert (row["voids"], row["card_points"]) == (None, None)
        seen[game] += 1
    assert set(seen) == {*TRICK_GAMES, "ruter_sju", "five_card_draw"}
    assert sum(seen.values()) == sum(
        sum(player is not None for player in json.loads(events[0]["detail"])["players"])
        for events in hands.values()
    )


def test_results_of_seats_are_those_of_the_log(logged: Marts, hands: dict[str, list[Row]]) -> None:
    poker = {(row["hand_id"], row["seat"]): row for row in rows_of(logged, "from five_card_draw_players")}
    for row in rows_of(logged, "from seats where hand_status = 'complete'"):
        if row["game"] == "ruter_sju":
            places = {e["seat"]: e["amount"] for e in hands[row["hand_id"]] if e["action"] == "place"}
            assert row["place"] == places[row["seat"]]
            assert row["won"] == (row["place"] == min(places.values()))
        elif row["game"] == "five_card_draw":
            player = poker[row["hand_id"], row["seat"]]
            assert row["net"] == player["chips_won"] - player["chips_put_in"]
            assert row["won"] == (row["net"] > 0)
            assert (row["cards"], row["poker_category"]) == (player["hand_before"], player["category_before"])
        else:
            assert row["won"] == (row["team_score"] > row["other_score"])
