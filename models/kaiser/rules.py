"""Kaiser: four players in two partnerships, 32 cards, eight tricks worth ten points in all.

Numbers in brackets, [R3], are the rules of docs/rules/kaiser.md.
"""

import json
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from cardlog.models.compiled import Int, compiled
from cardlog.models.fold import Records
from cardlog.models.trick import beats, follow_suit, suit_of
from cardlog.schemas import cards, events
from cardlog.schemas.events import CODE, NO_AMOUNT, NO_SEAT
from cardlog.schemas.reasons import Reason

GAME: Final = "kaiser"
SEATS: Final = 4
HAND_CARDS: Final = 8
TRICKS: Final = 8
DECK_TEXT: Final = (
    "7C8C9CTCJCQCKCAC" "7D8D9DTDJDQDKDAD" "5H8H9HTHJHQHKHAH" "3S8S9STSJSQSKSAS"
)  # fmt: skip
"""[R1] The pack: 8 to ace of each suit, the sevens of clubs and diamonds, the five of hearts and
the three of spades. The order is the order of actions in training rows."""
DECK: Final = np.int64(cards.mask(DECK_TEXT))
FIVE_OF_HEARTS: Final = cards.code("5H")
THREE_OF_SPADES: Final = cards.code("3S")

TRICK_POINTS: Final = 1
"""[R11] What a trick is worth, before the two special cards."""
FIVE_POINTS: Final = 5
THREE_POINTS: Final = -3
HAND_POINTS: Final = TRICKS * TRICK_POINTS + FIVE_POINTS + THREE_POINTS
"""[R11] Every hand is worth ten."""

HIGHEST_BID: Final = 12
"""[R5] The most a side can take: seven tricks and the five, the eighth trick with the three going to
the other side."""
LOWEST_BID: Final = 5
"""[R5] The lowest minimum that tables agree on."""
GAME_POINTS: Final = 52
OUT_POINTS: Final = -52
MOST_MATCH_POINTS: Final = 10_000
"""Either way; far more than a match can bring, so that sums stay in 16 bits."""

CAPPED: Final = "hand_scores_capped"
"""[R14] The setting that says that the source reports a hand's scores as the match score takes them: of
defenders who can't score, none above zero. Without it they are those of [R12] and [R13]."""

PASSED: Final = 0
"""Rank of a pass among the bids; a bid of n ranks 2n, of n without trump 2n + 1. [R6]"""
NO_BID: Final = -1

# Phases of a hand, in order.
OPENING, DEALING, PASSING, BIDDING, NAMING, PLAYING, DONE = range(7)

MOST_CARDS: Final = HAND_CARDS
EVENT: Final = events.record_dtype(MOST_CARDS)
STATE: Final = events.compiled_dtype(
    [
        ("done", np.int8),  # 1 once the last card is played
        ("phase", np.int8),
        ("turn", np.int8),  # the seat to act, while there is one
        ("dealer", np.int8),
        ("min_bid", np.int8),
        ("pass_cards", np.int8),
        ("dealt", np.int8),  # seats that have cards, one bit each
        ("gave", np.int8),  # seats that have passed cards, one bit each
        ("bids", np.int8, (SEATS,)),  # rank of each seat's bid, NO_BID before
        ("bid_count", np.int8),
        ("declarer", np.int8),  # highest bidder so far, NO_SEAT before
        ("trump", np.int8),  # NO_SUIT until named
        ("best", np.uint8),  # card that takes the trick so far
        ("winner", np.int8),  # seat that played it
        ("trick_cards", np.int8),  # cards on the table
        ("trick_value", np.int8),  # what they are worth
        ("plays", np.int8),
        ("tricks", np.int8),  # whole tricks
        ("leaders", np.int8, (TRICKS,)),
        ("winners", np.int8, (TRICKS,)),
        ("values", np.int8, (TRICKS,)),
        ("played", np.uint8, (SEATS * HAND_CARDS,)),  # card codes in playing order
        ("dealt_cards", np.uint8, (SEATS, HAND_CARDS)),  # as dealt; after the pass, as held
        ("passed_cards", np.uint8, (SEATS, 2)),
        ("points", np.int16, (2,)),  # taken so far, by team
        ("score", np.int16, (2,)),  # what the contract makes of them, once done
        ("before", np.int16, (2,)),  # match score before the hand, if the source told
        ("no_trump_before", np.int8),  # whether the match had a no-trump contract before this hand
        ("no_trump_out", np.int8),
        ("in_match", np.int8),  # 1 if the two fields above are known
        ("hand_scores_capped", np.int8),  # [R14] whether the source caps the scores of hands too
        ("hands", np.int64, (SEATS,)),  # cards held now, as masks
        ("seen", np.int64),  # cards dealt so far, as a mask
    ]
)

OPEN = CODE["deal", "open"]
DEAL_HAND = CODE["deal", "hand"]
DEAL_PASS = CODE["deal", "pass"]
BID_PASS = CODE["bid", "pass"]
BID = CODE["bid", "bid"]
NAME_TRUMP = CODE["bid", "trump"]
PLAY_CARD = CODE["play", "card"]
SCORE_TRICK = CODE["score", "trick"]
SCORE_HAND = CODE["score", "hand"]
SCORE_MATCH = CODE["score", "match"]

_OK = int(Reason.OK)
_INCOMPLETE = int(Reason.INCOMPLETE)
_UNKNOWN_CARD = int(Reason.UNKNOWN_CARD)
_DUPLICATE_CARD = int(Reason.DUPLICATE_CARD)
_WRONG_TURN = int(Reason.WRONG_TURN)
_NOT_IN_HAND = int(Reason.NOT_IN_HAND)
_MUST_FOLLOW = int(Reason.MUST_FOLLOW)
_BAD_BID = int(Reason.BAD_BID)
_OUT_OF_ORDER = int(Reason.OUT_OF_ORDER)
_SCORE_MISMATCH = int(Reason.SCORE_MISMATCH)

_NO_TRUMP = cards.NO_TRUMP
_NO_SUIT = cards.NO_SUIT


@dataclass(frozen=True)
class Settings:
    """What a table has agreed on; the seed's four `setting_` columns.

    min_bid
        [R5] Lowest bid.
    pass_cards
        [R3] Whether partners exchange two cards before the bidding.
    no_trump_bid_out
        [R15] Points that win the match once a hand of it was played without trump: 52 or 62.
    game_over_at_minus_52
        [R16] Whether -52 points lose the match.
    """

    min_bid: int = 7
    pass_cards: bool = False
    no_trump_bid_out: int = GAME_POINTS
    game_over_at_minus_52: bool = True


def opening(
    settings: Settings, dealer: int, computers: list[bool | None], extra: dict[str, Any] | None = None
) -> str:
    """The `detail` of a hand's first event, as canonical JSON."""
    detail: dict[str, Any] = {
        "dealer": dealer,
        "players": [{} if ai is None else {"kind": "computer" if ai else "human"} for ai in computers],
        "settings": vars(settings),
    }
    return json.dumps(detail | (extra or {}), separators=(",", ":"), sort_keys=True)


def settings_of(detail: dict[str, Any]) -> Settings:
    """The settings in an opening's detail. Raises ValueError if one is missing or of a wrong kind."""
    given = detail.get("settings")
    if not isinstance(given, dict):
        raise ValueError("the opening has no settings")
    for name, kind in Settings.__annotations__.items():
        if type(given.get(name)) is not kind:
            raise ValueError(f"setting {name} is {given.get(name)!r}; it must be a {kind.__name__}")
    unknown = given.keys() - Settings.__annotations__.keys() - {CAPPED}
    if unknown:
        raise ValueError(f"unknown setting {sorted(unknown)[0]}")
    if not isinstance(given.get(CAPPED, False), bool):
        raise ValueError(f"setting {CAPPED} is {given[CAPPED]!r}; it must be a bool")
    settings = Settings(**{name: value for name, value in given.items() if name != CAPPED})
    if not 0 < settings.min_bid < 128:
        raise ValueError(f"setting min_bid is {settings.min_bid}; it must be from 1 to 127")
    if settings.no_trump_bid_out not in (52, 62):
        raise ValueError(f"setting no_trump_bid_out is {settings.no_trump_bid_out}; it must be 52 or 62")
    return settings


def begin(detail: dict[str, Any]) -> Records:
    """The state before the first event of a hand with this opening, shape (1,).

    Raises ValueError if the opening can't be one of Kaiser's.
    """
    settings = settings_of(detail)
    dealer = detail.get("dealer")
    if type(dealer) is not int or dealer not in range(SEATS):
        raise ValueError(f"dealer is {dealer!r}; it must be a seat from 0 to 3")
    players = detail.get("players")
    if not isinstance(players, list) or len(players) != SEATS:
        raise ValueError("the opening must name four players")
    for player in players:
        if not isinstance(player, dict) or player.get("kind") not in (None, "human", "computer"):
            raise ValueError("a player must be an object, its kind human or computer if it is told")
    state = np.zeros(1, STATE)
    state["dealer"] = dealer
    state["min_bid"] = settings.min_bid
    state["pass_cards"] = settings.pass_cards
    state["no_trump_out"] = settings.no_trump_bid_out
    state["hand_scores_capped"] = detail["settings"].get(CAPPED, False)
    state["bids"] = NO_BID
    state["declarer"] = NO_SEAT
    state["trump"] = _NO_SUIT
    match = detail.get("match")
    if match is not None:
        state["before"], state["no_trump_before"] = _match_before(match)
        state["in_match"] = 1
    elif state["hand_scores_capped"]:
        raise ValueError(f"setting {CAPPED} asks for the match score before the hand, which is not told")
    return state


def _match_before(match: Any) -> tuple[list[int], bool]:
    """The match score before the hand, by team, and whether no trump was a contract in it yet."""
    if isinstance(match, dict):
        score, no_trump = match.get("score"), match.get("no_trump")
        if (
            isinstance(score, list)
            and [type(points) for points in score] == [int, int]
            and max(map(abs, score)) <= MOST_MATCH_POINTS
            and isinstance(no_trump, bool)
        ):
            return score, no_trump
    raise ValueError("match must hold score, two numbers, and no_trump, true or false")


@compiled
def evolve(state: Any, event: Any) -> int:
    """Apply one event to the state of a hand, or say why it is illegal. See `cardlog.models.fold.Evolve`."""
    action = event.action
    if action == PLAY_CARD:
        return _play(state, event)
    if action == DEAL_HAND:
        return _deal(state, event)
    if action in (BID, BID_PASS):
        return _bid(state, event)
    if action == NAME_TRUMP:
        return _name_trump(state, event)
    if action == OPEN:
        if state.phase != OPENING:
            return _OUT_OF_ORDER
        state.phase = DEALING
        return _OK
    if action == DEAL_PASS:
        return _give(state, event)
    if action in (SCORE_TRICK, SCORE_HAND, SCORE_MATCH):
        return _check_score(state, event)
    return _OUT_OF_ORDER


@compiled
def _deal(state: Any, event: Any) -> int:
    """[R2] Eight cards to each seat, from the pack, none twice."""
    if state.phase != DEALING:
        return _OUT_OF_ORDER
    seat = event.seat
    if seat < 0 or seat >= SEATS or state.dealt >> seat & 1:
        return _WRONG_TURN
    held = np.int64(0)
    for place in range(event.count):
        card = event.cards[place]
        if card > 60 or DECK >> card & 1 == 0:
            return _UNKNOWN_CARD
        bit = np.int64(1) << card
        if (state.seen | held) & bit:
            return _DUPLICATE_CARD
        held |= bit
    if event.count != HAND_CARDS:
        return _INCOMPLETE
    for place in range(HAND_CARDS):
        state.dealt_cards[seat, place] = event.cards[place]
    state.seen |= held
    state.hands[seat] = held
    state.dealt |= 1 << seat
    if state.dealt == (1 << SEATS) - 1:
        state.turn = (state.dealer + 1) % SEATS
        state.phase = PASSING if state.pass_cards else BIDDING
    return _OK


@compiled
def _give(state: Any, event: Any) -> int:
    """[R3] Each seat gives two of its cards to its partner; nobody sees what he gets before all
    have given."""
    if state.phase != PASSING:
        return _OUT_OF_ORDER
    seat = event.seat
    if seat < 0 or seat >= SEATS or state.gave >> seat & 1:
        return _WRONG_TURN
    if event.count != 2:
        return _INCOMPLETE
    for place in range(2):
        card = event.cards[place]
        if card > 60 or state.hands[seat] >> card & 1 == 0:
            return _NOT_IN_HAND
    if event.cards[0] == event.cards[1]:
        return _DUPLICATE_CARD
    for place in range(2):
        state.passed_cards[seat, place] = event.cards[place]
    state.gave |= 1 << seat
    if state.gave == (1 << SEATS) - 1:
        _exchange(state)
        state.phase = BIDDING
    return _OK


@compiled
def _exchange(state: Any) -> None:
    """Put the cards passed where the partner's passed ones were."""
    for seat in range(SEATS):
        partner = (seat + 2) % SEATS
        for place in range(2):
            given = state.passed_cards[seat, place]
            taken = state.passed_cards[partner, place]
            for slot in range(HAND_CARDS):
                if state.dealt_cards[seat, slot] == given:
                    state.dealt_cards[seat, slot] = taken
                    break
    for seat in range(SEATS):
        held = np.int64(0)
        for slot in range(HAND_CARDS):
            held |= np.int64(1) << state.dealt_cards[seat, slot]
        state.hands[seat] = held


@compiled
def legal_bids(state: Any) -> Int:
    """The bids open to the seat in turn, as a mask over ranks: bit 0 a pass, bit 2n a bid of n,
    bit 2n + 1 a bid of n without trump.

    [R5] From the minimum to 12. [R6] Above the highest so far, a no-trump bid above a bid of the
    same number; [R7] the dealer, last to speak, may equal it, and [R8] can't pass when all have.
    """
    lowest = 2 * np.int64(state.min_bid)
    if state.declarer != NO_SEAT:
        lowest = state.bids[state.declarer]
        if state.turn != state.dealer:
            lowest += 1
    bids = np.int64(0)
    for rank in range(lowest, 2 * HIGHEST_BID + 2):
        bids |= np.int64(1) << rank
    if state.turn != state.dealer or state.declarer != NO_SEAT:
        bids |= 1
    return bids


@compiled
def _may_bid(state: Any) -> bool:
    """[R3] Whether the pass is over, or was never shown: then the hands are those after it."""
    return bool(state.phase == BIDDING or (state.phase == PASSING and state.gave == 0))


@compiled
def _bid(state: Any, event: Any) -> int:
    """[R4] One bid or pass from each seat, from the dealer's left."""
    if not _may_bid(state):
        return _OUT_OF_ORDER
    if event.seat != state.turn:
        return _WRONG_TURN
    rank = PASSED
    if event.action == BID:
        if event.amount < 1 or event.amount > HIGHEST_BID:
            return _BAD_BID
        if event.suit != _NO_SUIT and event.suit != _NO_TRUMP:
            return _BAD_BID  # [R9] a suit is named by the winner alone, and afterwards
        rank = 2 * event.amount + (event.suit == _NO_TRUMP)
    if legal_bids(state) >> rank & 1 == 0:
        return _BAD_BID
    state.phase = BIDDING
    state.bids[state.turn] = rank
    if rank != PASSED:
        state.declarer = state.turn
    state.turn = (state.turn + 1) % SEATS
    state.bid_count += 1
    if state.bid_count == SEATS:
        state.turn = state.declarer
        if state.bids[state.declarer] & 1:
            state.trump = _NO_TRUMP
            state.phase = PLAYING
        else:
            state.phase = NAMING
    return _OK


@compiled
def _name_trump(state: Any, event: Any) -> int:
    """[R9] The highest bidder names trump, unless he bid without."""
    if state.phase != NAMING or event.seat != state.declarer:
        return _BAD_BID
    if event.suit < 0 or event.suit >= _NO_TRUMP:
        return _BAD_BID
    state.trump = event.suit
    state.phase = PLAYING
    return _OK


@compiled
def legal_cards(state: Any) -> Int:
    """[R10] The cards the seat in turn may play, as a mask: of the suit led if it has any."""
    hand: Int = state.hands[state.turn]
    if state.trick_cards == 0:
        return hand
    return follow_suit(hand, suit_of(state.played[state.plays - state.trick_cards]))


@compiled
def legal_actions(state: Any) -> Int:
    """What the seat in turn may do: `legal_bids` while bidding, the four suits as bits 0..3 when
    trump is to be named, `legal_cards` in play, otherwise nothing."""
    if state.phase == PLAYING:
        return legal_cards(state)
    if _may_bid(state):
        return legal_bids(state)
    if state.phase == NAMING:
        return 0b1111
    return 0


@compiled
def _play(state: Any, event: Any) -> int:
    """[R10] One card, from the seat in turn; the fourth ends the trick."""
    if state.phase != PLAYING:
        return _BAD_BID if state.phase == NAMING else _OUT_OF_ORDER
    seat = state.turn
    if event.seat == NO_SEAT:
        event.seat = seat
    elif event.seat != seat:
        return _WRONG_TURN
    card = event.cards[0]
    if event.count != 1 or card > 60 or legal_cards(state) >> card & 1 == 0:
        return _why_not(state, event)
    state.hands[seat] &= ~(np.int64(1) << card)
    if state.trick_cards == 0:
        state.leaders[state.tricks] = seat
        state.best = card
        state.winner = seat
        state.trick_value = TRICK_POINTS
    elif beats(card, state.best, state.trump):
        state.best = card
        state.winner = seat
    if card == FIVE_OF_HEARTS:
        state.trick_value += FIVE_POINTS
    elif card == THREE_OF_SPADES:
        state.trick_value += THREE_POINTS
    state.played[state.plays] = card
    state.plays += 1
    state.trick_cards += 1
    if state.trick_cards == SEATS:
        _take(state)
    else:
        state.turn = (seat + 1) % SEATS
    return _OK


@compiled
def _why_not(state: Any, event: Any) -> int:
    """Why a card can't be played."""
    card = event.cards[0]
    if event.count != 1:
        return _INCOMPLETE
    if card > 60 or DECK >> card & 1 == 0:
        return _UNKNOWN_CARD
    if state.hands[state.turn] >> card & 1:
        return _MUST_FOLLOW
    for place in range(state.plays):
        if state.played[place] == card:
            return _DUPLICATE_CARD
    return _NOT_IN_HAND


@compiled
def _take(state: Any) -> None:
    """[R10] The highest trump takes the trick, else the highest card of the suit led; its player
    leads next. [R11] One point, five more with the 5H, three less with the 3S."""
    state.winners[state.tricks] = state.winner
    state.values[state.tricks] = state.trick_value
    state.points[state.winner & 1] += state.trick_value
    state.turn = state.winner
    state.trick_cards = 0
    state.tricks += 1
    if state.tricks == TRICKS:
        state.phase = DONE
        state.done = 1
        rank = state.bids[state.declarer]
        for team in range(2):
            state.score[team] = contract_score(state.points[team], rank, team == state.declarer & 1)


@compiled
def contract_score(points: int, rank: int, bidders: bool) -> int:
    """[R12] What a hand brings a team: the bidders their points if they reach the bid, else the
    bid is lost; [R13] doubled without trump. The defenders their points."""
    if not bidders:
        return points
    contract = rank >> 1
    score = points if points >= contract else -contract
    return 2 * score if rank & 1 else score


@compiled
def settle(before: int, score: int, bidders: bool, min_bid: int) -> int:
    """[R14] A team's match score after a hand: defenders who need no more than the lowest bid to
    reach 52 score no positive points."""
    if not bidders and score > 0 and before >= GAME_POINTS - min_bid:
        return before
    return before + score


@compiled
def match_winner(after: Any, declarer_team: int, target: int, minus_52: bool, kaiser: int) -> int:
    """The team that has won the match with these scores, -1 while nobody has.

    kaiser is 1 if 12 without trump was bid and made in this hand, -1 if bid and lost, else 0.
    [R17] It ends the match at once. [R15] At the target, the bidders looked at first; [R16] at
    -52 a team has lost, where that was agreed.
    """
    if kaiser != 0:
        return declarer_team if kaiser > 0 else 1 - declarer_team
    for team in (declarer_team, 1 - declarer_team):
        if after[team] >= target:
            return team
    if minus_52:
        for team in (declarer_team, 1 - declarer_team):
            if after[team] <= OUT_POINTS:
                return 1 - team
    return -1


@compiled
def match_target(no_trump_out: int, no_trump_bid: bool) -> int:
    """[R15] Points that win the match: 52, or what was agreed once no trump was the contract of one
    of its hands, this one included. A no-trump bid that was overbid does not count."""
    return no_trump_out if no_trump_bid else GAME_POINTS


@compiled
def _check_score(state: Any, event: Any) -> int:
    """What the source says of a trick, of the hand or of the match must be what the fold has."""
    if event.action == SCORE_TRICK:
        if state.tricks == 0 or state.trick_cards != 0:
            return _OUT_OF_ORDER
        seat = state.winners[state.tricks - 1]
        amount = state.values[state.tricks - 1]
    else:
        if state.done == 0 or event.seat < 0 or event.seat > 1:
            return _OUT_OF_ORDER
        seat = event.seat
        amount = state.score[seat]
        if event.action == SCORE_MATCH and state.in_match == 0:
            return _OUT_OF_ORDER
        if event.action == SCORE_MATCH or state.hand_scores_capped:
            amount = settle(state.before[seat], amount, seat == state.declarer & 1, state.min_bid)
            if event.action == SCORE_HAND:
                amount -= state.before[seat]
    if event.seat != seat or (event.amount != NO_AMOUNT and event.amount != amount):
        return _SCORE_MISMATCH
    return _OK


def legal_text(state: Any) -> str:
    """What the seat in turn may do, for a message; empty if it is nobody's turn."""
    mask = int(legal_actions(state))
    if state["phase"] == PLAYING:
        named = [cards.text(card) for card in range(61) if mask >> card & 1]
    elif state["phase"] == NAMING:
        named = [f"trump {suit}" for suit in cards.SUITS]
    else:
        named = [bid_text(rank) for rank in range(2 * HIGHEST_BID + 2) if mask >> rank & 1]
    return f"seat {state['turn']}: {' '.join(named)}" if named else ""


def bid_text(rank: int) -> str:
    """A bid's rank as the seed writes it, without a trump letter: ``pass``, ``7``, ``8N``."""
    if rank == PASSED:
        return "pass"
    return f"{rank >> 1}N" if rank & 1 else str(rank >> 1)
