"""The other tables of the store: quarantine and ingests, and the projections of the events."""

from typing import Final

import pyarrow as pa

from cardlog.schemas.events import LABEL, column

MOST_SEATS: Final = 10
"""Seats that the flat tables have columns for."""

QUARANTINE: Final = pa.schema(
    [
        column("quarantine_id", pa.string(), "Name of this entry, 32 hex digits: from source, lines and reason.", False),
        column("game", LABEL, "The game, where the source names it."),
        column("hand_id", pa.string(), "The hand, where it could be identified."),
        column("reason", LABEL, "Reason code, of the closed list in schemas/reasons.py.", False),
        column("message", pa.string(), "What is wrong, in a sentence.", False),
        column("format", LABEL, "Format the source was read as.", False),
        column("dataset", LABEL, "Data set the source was ingested into.", False),
        column("source_id", LABEL, "sha256 of the source file.", False),
        column("source_path", LABEL, "Where the source was when it was read.", False),
        column("first_line", pa.int32(), "First line of the hand in the source, from 1.", False),
        column("last_line", pa.int32(), "Last line of the hand in the source.", False),
        column("raw", pa.string(), "The hand's text, as it was read.", False),
        column("raw_encoding", LABEL, "utf-8, or latin-1 if the text was not valid UTF-8: encode raw with it to get the bytes back.", False),
        column("context", pa.string(), "What the reader needs besides raw to read it again: the match and the hand's position in it."),
        column("ingest_id", LABEL, "The ingest that put it here.", False),
        column("attempt", pa.int32(), "Attempt of that ingest; only the attempt that `events` has committed counts.", False),
    ]
)  # fmt: skip
"""`quarantine`: one row per hand that could not be read or that the rules reject, with its raw text."""

INGESTS: Final = pa.schema(
    [
        column("ingest_id", pa.string(), "The ingest: from its sources, format and data set.", False),
        column("attempt", pa.int32(), "Attempt of the ingest; only the one that `events` has committed counts.", False),
        column("ingested_at", pa.timestamp("us", "UTC"), "When this row was written.", False),
        column("source_id", pa.string(), "sha256 of the source file.", False),
        column("source_path", pa.string(), "Where the source was.", False),
        column("source_bytes", pa.int64(), "Size of the source file.", False),
        column("format", pa.string(), "Format the source was read as.", False),
        column("dataset", pa.string(), "Data set it was ingested into.", False),
        column("lines_read", pa.int64(), "Lines in the source.", False),
        column("other_lines", pa.int64(), "Lines that belong to no hand and are known: header, blank, noise.", False),
        column("hands_read", pa.int64(), "Hands found: hands_stored + duplicates + quarantined.", False),
        column("hands_stored", pa.int64(), "Hands added to `events`.", False),
        column("hands_aborted", pa.int64(), "Of those stored, the ones that break off.", False),
        column("duplicates", pa.int64(), "Hands that were already stored with the same content.", False),
        column("quarantined", pa.int64(), "Hands added to `quarantine`.", False),
        column("events_stored", pa.int64(), "Events added.", False),
        column("cardlog_version", pa.string(), "Version of cardlog that read it.", False),
    ]
)  # fmt: skip
"""`ingests`: one row per source of every ingest."""


def _per_seat(name: str, kind: pa.DataType, doc: str, seats: range) -> list[pa.Field]:
    return [column(f"player_{n}_{name}", kind, doc.replace("#", str(n))) for n in seats]


_FIRST_FOUR: Final = range(4)
_OTHERS: Final = range(4, MOST_SEATS)
_BID_DOC: Final = (
    "Bid of seat #, as Kaiser's dump writes it: pass, 7, 8N; the winning suit bid with its trump, 8S."
)
_HAND_DOC: Final = (
    "Cards of seat #, two characters each, in the order they were dealt (Kaiser: after the pass)."
)
_AI_DOC: Final = "Whether seat # is a computer."

_INGEST_NO: Final = column(
    "ingest_no", pa.int64(), "The commit to events that brought the hand; see events.", False
)

PLAYEDHAND: Final = pa.schema(
    [
        column("id", pa.int32(), "The source's own number of the hand."),
        column("added_date", pa.timestamp("us", "UTC"), "When the hand was recorded."),
        column("setting_min_bid", pa.int32(), "Lowest bid allowed."),
        column("setting_pass_cards", pa.bool_(), "Whether partners exchange two cards before bidding."),
        column("setting_no_trump_bid_out", pa.int32(), "Points to win the match once no trump was bid: 52 or 62."),
        column("setting_game_over_at_minus_52", pa.bool_(), "Whether -52 points lose the match."),
        column("dealer", pa.int32(), "Seat of the dealer."),
        *_per_seat("bid", LABEL, _BID_DOC, _FIRST_FOUR),
        *_per_seat("hand", pa.string(), _HAND_DOC, _FIRST_FOUR),
        column("played_cards", pa.string(), "Cards in the order they were played, two characters each."),
        *_per_seat("ai", pa.bool_(), _AI_DOC, _FIRST_FOUR),
        *_per_seat("bid", LABEL, _BID_DOC, _OTHERS),
        *_per_seat("hand", pa.string(), _HAND_DOC, _OTHERS),
        *_per_seat("ai", pa.bool_(), _AI_DOC, _OTHERS),
        column("game", LABEL, "The game; the partition of the table.", False),
        column("hand_id", pa.string(), "The hand.", False),
        column("match_id", pa.string(), "The match the hand belongs to, where the source names it; see events."),
        column("hand_no", pa.int32(), "Position of the hand in its match, from 0."),
        column("status", LABEL, "complete, or aborted if the hand breaks off.", False),
        column("declarer", pa.int8(), "Seat that won the auction."),
        column("declarer_team", pa.int8(), "Its team, 0 or 1; null in games without teams."),
        column("contract", pa.int32(), "What it bid."),
        column("trump", LABEL, "C, D, H, S, or N for no trump; null where none was named."),
        column("trick_winners", pa.string(), "One seat digit per whole trick."),
        *[column(f"team_{n}_points", pa.int32(), f"Points team {n} took in the hand; null in games without teams.") for n in range(2)],
        *[column(f"team_{n}_score", pa.int32(), f"What the contract makes of team {n}'s points; null if aborted, and in games without teams.") for n in range(2)],
        *_per_seat("place", pa.int8(), "Finishing place of seat #, in games that have places.", range(MOST_SEATS)),
        *_per_seat("net", pa.int32(), "What seat # won or lost in the hand, in games without teams: chips, or points that are added up over a match.", range(MOST_SEATS)),
        column("dialect", LABEL, "Rules that the hand was judged by; null in games that have only one."),
        column("dataset", LABEL, "Data set the hand was ingested into."),
        column("source_key", pa.string(), "The source's own key of the hand; see events."),
        column("source_id", LABEL, "sha256 of the source file.", False),
        column("source_line", pa.int32(), "First line of the hand in the source, from 1.", False),
        column("scores_reported", pa.int16(), "Scores of the hand and the match that the source reports, which agree with the rules' own: `score` events.", False),
        _INGEST_NO,
    ]
)  # fmt: skip
"""`playedhand`: one row per stored hand; the twenty columns of Kaiser's dump first."""

_HAND: Final = (
    column("game", LABEL, "The game; the partition of the table.", False),
    column("hand_id", LABEL, "The hand.", False),
)
_HAND_DATASET: Final = column("dataset", LABEL, "Data set the hand was ingested into.")
_HAND_STATUS: Final = column("hand_status", LABEL, "complete, or aborted if the hand breaks off.", False)
_PLAYER: Final = (
    column("player_name", LABEL, "The player's name, if known."),
    column("player_kind", LABEL, "human or computer, if known."),
)

TRICKS: Final = pa.schema(
    [
        *_HAND,
        _HAND_DATASET,
        column("hand_status", LABEL, "complete, or aborted if the hand breaks off after this trick.", False),
        column("trick_no", pa.int8(), "Position of the trick in its hand, from 0.", False),
        column("leader", pa.int8(), "Seat that led.", False),
        column("cards", pa.string(), "The cards in the order they were played, two characters each.", False),
        column("suit_led", LABEL, "Suit of the first card, C, D, H or S.", False),
        column("winner", pa.int8(), "Seat that took the trick.", False),
        column("winner_team", pa.int8(), "Team that took the trick; null in games without teams."),
        column("winning_card", LABEL, "The card that took it.", False),
        column("points", pa.int32(), "What the trick is worth to that team, or without teams to that seat.", False),
        column("kept_lead", pa.bool_(), "Whether the leader took it.", False),
        column("ruffed", pa.bool_(), "Whether a trump took it though another suit was led.", False),
        column("taken_by_bidders", pa.bool_(), "Whether the declarer's team, or without teams the declarer, took it; null if nobody declared."),
        _INGEST_NO,
    ]
)  # fmt: skip
"""`tricks`: one row per whole trick."""

PLAYS: Final = pa.schema(
    [
        *_HAND,
        _HAND_DATASET,
        _HAND_STATUS,
        column("trick_no", pa.int8(), "Position of the trick in its hand, from 0; null, as all that belongs to a trick, in games without tricks."),
        column("order_in_trick", pa.int8(), "Position of the card in its trick, from 0, the card led."),
        column("seq", pa.int16(), "The event that played it: its position in the hand.", False),
        column("seat", pa.int8(), "Who played it.", False),
        *_PLAYER,
        column("card", LABEL, "The card, rank then suit.", False),
        column("rank", LABEL, "Rank as written, T for ten.", False),
        column("suit", LABEL, "C, D, H or S; in Ruter Sju also 4 or 5.", False),
        column("is_led", pa.bool_(), "Whether it was led."),
        column("followed", pa.bool_(), "Whether it is of the suit led; null for the card led."),
        column("trumped", pa.bool_(), "Whether it is a trump on another suit; null for the card led."),
        column("won", pa.bool_(), "Whether it took the trick; null in the last trick of an aborted hand if that is not whole."),
        column("points", pa.int32(), "What the trick is worth, for the card that took it, and 0 for the others, so that sums are what players took; null where won is."),
        column("cards_left_in_suit", pa.int8(), "Cards of this suit that the player still holds after the play; null if the hand is not known."),
        _INGEST_NO,
    ]
)  # fmt: skip
"""`plays`: one row per card played."""

SEATS: Final = pa.schema(
    [
        *_HAND,
        column("match_id", LABEL, "The match the hand belongs to, where the source names it; see events."),
        column("hand_no", pa.int32(), "Position of the hand in its match, from 0."),
        _HAND_STATUS,
        _HAND_DATASET,
        column("seat", pa.int8(), "The seat, from 0 in turn order.", False),
        *_PLAYER,
        column("team", pa.int8(), "Its team, 0 or 1; null in games without teams."),
        column("partner_seat", pa.int8(), "The other seat of the team; null in games without teams."),
        column("partner_name", LABEL, "The partner's name, if known."),
        column("partner_kind", LABEL, "Whether the partner is a human or a computer, if known."),
        column("is_dealer", pa.bool_(), "Whether the seat dealt; null in games without a dealer."),
        column("is_declarer", pa.bool_(), "Whether the seat won the auction; null if nobody did."),
        column("role", LABEL, "What the seat is to the declarer: declarer, partner, left_defender or right_defender, or in games without teams declarer or defender; null if nobody declared."),
        column("bid", LABEL, "Bid of the seat, as Kaiser's dump writes it: pass, 7, 8N; the winning suit bid with its trump, 8S."),
        column("cards", pa.string(), "The cards dealt, two characters each, ?? if not shown (Kaiser and Pinochle: after the pass); null if none is known."),
        column("card_list", pa.list_(pa.string()), "The same as a list."),
        column("clubs", pa.int8(), "Clubs among them; null, as all counts, unless all cards are known."),
        column("diamonds", pa.int8(), "Diamonds among them."),
        column("hearts", pa.int8(), "Hearts among them."),
        column("spades", pa.int8(), "Spades among them."),
        column("voids", pa.int8(), "Of these four suits, those with no card; null in games without tricks."),
        column("aces", pa.int8(), "Aces among them."),
        column("card_points", pa.int32(), "What the cards are worth in tricks: Kaiser 5 for the five of hearts, -3 for the three of spades; Pinochle the counters; belote the cards' points by the trump that was named; null in other games."),
        column("strength", pa.int16(), "How good the cards are to bid on, in steps: Kaiser and Pinochle high cards, 4 points for the highest rank to 1 for the fourth, in steps of 2; belote the most card points that a trump gives them, in steps of 10; null in other games."),
        column("poker_category", LABEL, "Category such as two pair: in five-card draw of the hand before the draw, if the log shows it from the deal on, whatever came of the hand; in hold'em of the best five cards at a showdown, with the first board, if the cards are known."),
        column("team_points", pa.int32(), "Points that the seat's team took in the hand; null in games without teams."),
        column("team_score", pa.int32(), "What the contract makes of them; null if aborted, and in games without teams."),
        column("other_score", pa.int32(), "The same of the other team."),
        column("place", pa.int8(), "Finishing place of the seat, in games that have places."),
        column("net", pa.int32(), "What the seat won or lost in the hand, in games without teams: chips, or points that are added up over a match; null if aborted."),
        column("expected_net", pa.float64(), "In hold'em, when nobody could bet any more and cards were to come: the mean of net over all boards that could come, with the cards that the log knows of and the rake that was taken; null in other hands, and where a hand that could win is unknown."),
        column("won", pa.bool_(), "Whether the hand went well for the seat: its team scored more than the other, it finished first, or it won chips; null if aborted."),
        column("dialect", LABEL, "Rules that the hand was judged by; null in games that have only one."),
        column("score_before", pa.int32(), "What the seat's team, or without teams the seat, had in the match before the hand: points or chips; null where the source does not say."),
        column("score_after", pa.int32(), "What the source reports that it had after the hand; likewise."),
        column("reported_place", pa.int8(), "Place in the match or the hand that the source reports of the seat."),
        _INGEST_NO,
    ]
)  # fmt: skip
"""`seats`: one row per stored hand and seat that somebody sits at."""

BIDS: Final = pa.schema(
    [
        *_HAND,
        _HAND_DATASET,
        _HAND_STATUS,
        column("bid_no", pa.int16(), "Place in the auction, from 0; passes count.", False),
        column("seat", pa.int8(), "Who bid.", False),
        column("is_pass", pa.bool_(), "Whether it is a pass.", False),
        column("amount", pa.int32(), "What was bid; null for a pass, and in belote, where a bid has only a suit."),
        column("suit", LABEL, "Trump named with the bid, N for no trump; null where it is named after the auction."),
        column("is_no_trump", pa.bool_(), "Whether it was bid without trump.", False),
        column("is_dealer", pa.bool_(), "Whether the dealer bid it.", False),
        column("is_winning", pa.bool_(), "Whether it became the contract; false in a hand that breaks off in the auction.", False),
        _INGEST_NO,
    ]
)  # fmt: skip
"""`bids`: one row per bid or pass in the auction of a hand."""

MASK_BITS: Final = 63
"""Actions that `action_mask` has bits for, so that it is never negative; `action_mask_high` has the others."""

DECISIONS: Final = pa.schema(
    [
        *_HAND,
        column("match_id", LABEL, "The match, where the source names it."),
        column("kind", LABEL, "What was decided: bid or play.", False),
        column("step", pa.int16(), "Position of the decision in its hand, from 0.", False),
        column("seq", pa.int16(), "The event that carried the decision out.", False),
        column("seat", pa.int8(), "Who decided.", False),
        column("status", LABEL, "complete, or aborted if the hand breaks off.", False),
        column("action_mask", pa.int64(), "Which of the actions 0 to 62 were legal, one bit each: action_mask >> action & 1.", False),
        column("action_mask_high", pa.int64(), "The same for the actions from 63 on: action_mask_high >> (action - 63) & 1. 0 in games that have no such actions.", False),
        column("action", pa.int16(), "The action taken; docs/features has their numbers.", False),
        column("reward", pa.float32(), "Points of the trick to the seat's team, negative if the other took it; 0 for a bid; null if the trick was not finished; docs/features has what it is in games without teams."),
        column("return", pa.float32(), "Score of the hand to the seat's team less that of the other team; null if aborted; likewise."),
        _INGEST_NO,
    ]
)  # fmt: skip
"""`decisions`: one row per decision."""

ANALYSIS: Final = pa.schema(
    [
        *_HAND,
        column("step", pa.int16(), "Position of the decision in its hand, from 0, as in decisions.", False),
        column("seat", pa.int8(), "Who decided.", False),
        column("action", pa.int16(), "The action taken, as in decisions.", False),
        column("trick_no", pa.int8(), "Position of the trick in its hand, from 0; null in games without tricks."),
        column("card", LABEL, "The card played; null for other actions."),
        column("best_value", pa.float32(), "The return that the seat can expect from its best action, if all play perfectly from there and see all cards.", False),
        column("value", pa.float32(), "The same from the action taken.", False),
        column("cost_open", pa.float32(), "best_value less value, never below 0: what the action cost, with all cards seen.", False),
        column("cost_known", pa.float32(), "What the action cost by what the seat knew: how far its mean over deals that fit that is behind the best one's; null unless asked for."),
        column("exact", pa.bool_(), "Whether the values are exact; false if they are estimated from playouts, because the search takes too long.", False),
        column("legal_actions", pa.int8(), "How many actions were legal.", False),
        column("best_actions", pa.int8(), "How many actions are as good as the best one.", False),
        column("best_cards", pa.string(), "Those that are cards, two characters each."),
        column("second_value", pa.float32(), "What the best of the others leads to; null if all are as good."),
        _INGEST_NO,
    ]
)  # fmt: skip
"""`analysis`: one row per card played, or act of the play, in the games that have a solver."""

PARS: Final = pa.schema(
    [
        *_HAND,
        column("par", pa.float32(), "The return of team 0 if all play perfectly from the first card on, and see all cards; the contract is as it was bid.", False),
        column("exact", pa.bool_(), "Whether par is exact.", False),
        _INGEST_NO,
    ]
)  # fmt: skip
"""`pars`: one row per hand of two teams that was analysed."""

ANALYSES: Final = {"analysis": ANALYSIS, "pars": PARS}
"""The tables that are derived from `events` on request."""

PROJECTIONS: Final = {
    "playedhand": PLAYEDHAND,
    "tricks": TRICKS,
    "plays": PLAYS,
    "seats": SEATS,
    "bids": BIDS,
    "decisions": DECISIONS,
}
"""The tables that are derived from `events` alone."""

PROJECTIONS_VERSION: Final = 8
"""Version of what the rows of the projections mean. The next build rebuilds tables of another version."""
