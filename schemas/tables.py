"""The other tables of the store: quarantine and ingests, and the projections of the events."""

from typing import Final

import pyarrow as pa

from cardlog.schemas.events import LABEL, column

MOST_SEATS: Final = 6
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
_LAST_TWO: Final = range(4, MOST_SEATS)
_BID_DOC: Final = (
    "Bid of seat #, as Kaiser's dump writes it: pass, 7, 8N; the winning suit bid with its trump, 8S."
)
_HAND_DOC: Final = (
    "Cards of seat #, two characters each, in the order they were dealt (Kaiser: after the pass)."
)
_AI_DOC: Final = "Whether seat # is a computer."

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
        *_per_seat("bid", LABEL, _BID_DOC, _LAST_TWO),
        *_per_seat("hand", pa.string(), _HAND_DOC, _LAST_TWO),
        *_per_seat("ai", pa.bool_(), _AI_DOC, _LAST_TWO),
        column("game", LABEL, "The game; the partition of the table.", False),
        column("hand_id", pa.string(), "The hand.", False),
        column("match_id", pa.string(), "The match the hand belongs to, where the source names it; see events."),
        column("hand_no", pa.int32(), "Position of the hand in its match, from 0."),
        column("status", LABEL, "complete, or aborted if the hand breaks off.", False),
        column("declarer", pa.int8(), "Seat that won the auction."),
        column("contract", pa.int32(), "What it bid."),
        column("trump", LABEL, "C, D, H, S, or N for no trump; null where none was named."),
        column("trick_winners", pa.string(), "One seat digit per whole trick."),
        *[column(f"team_{n}_points", pa.int32(), f"Points team {n} (seats {n}, {n + 2}) took in the hand.") for n in range(2)],
        *[column(f"team_{n}_score", pa.int32(), f"What the contract makes of team {n}'s points; null if aborted.") for n in range(2)],
        *_per_seat("place", pa.int8(), "Finishing place of seat #, in games that have places.", range(MOST_SEATS)),
        *_per_seat("net", pa.int32(), "Chips seat # won or lost, in games that have chips.", range(MOST_SEATS)),
        column("dialect", LABEL, "Rules that the hand was judged by; null in games that have only one."),
        column("dataset", LABEL, "Data set the hand was ingested into."),
        column("source_key", pa.string(), "The source's own key of the hand; see events."),
        column("source_id", LABEL, "sha256 of the source file.", False),
        column("source_line", pa.int32(), "First line of the hand in the source, from 1.", False),
    ]
)  # fmt: skip
"""`playedhand`: one row per stored hand; the twenty columns of Kaiser's dump first."""

TRICKS: Final = pa.schema(
    [
        column("game", LABEL, "The game; the partition of the table.", False),
        column("hand_id", LABEL, "The hand.", False),
        column("trick_no", pa.int8(), "Position of the trick in its hand, from 0.", False),
        column("leader", pa.int8(), "Seat that led.", False),
        column("cards", pa.string(), "The cards in the order they were played, two characters each.", False),
        column("winner", pa.int8(), "Seat that took the trick.", False),
        column("winner_team", pa.int8(), "Team that took the trick.", False),
        column("points", pa.int32(), "What the trick is worth to that team.", False),
    ]
)  # fmt: skip
"""`tricks`: one row per whole trick."""

MASK_BITS: Final = 63
"""Actions that `action_mask` has bits for, so that it is never negative; `action_mask_high` has the others."""

DECISIONS: Final = pa.schema(
    [
        column("game", LABEL, "The game; the partition of the table.", False),
        column("hand_id", LABEL, "The hand.", False),
        column("match_id", LABEL, "The match, where the source names it."),
        column("kind", LABEL, "What was decided: bid or play.", False),
        column("step", pa.int16(), "Position of the decision in its hand, from 0.", False),
        column("seq", pa.int16(), "The event that carried the decision out.", False),
        column("seat", pa.int8(), "Who decided.", False),
        column("status", LABEL, "complete, or aborted if the hand breaks off.", False),
        column("action_mask", pa.int64(), "Which of the actions 0 to 62 were legal, one bit each: action_mask >> action & 1.", False),
        column("action_mask_high", pa.int64(), "The same for the actions from 63 on: action_mask_high >> (action - 63) & 1. 0 in games that have no such actions.", False),
        column("action", pa.int16(), "The action taken; docs/features has their numbers.", False),
        column("reward", pa.float32(), "Points of the trick to the seat's team, negative if the other took it; 0 for a bid; null if the trick was not finished."),
        column("return", pa.float32(), "Score of the hand to the seat's team less that of the other team; null if aborted."),
    ]
)  # fmt: skip
"""`decisions`: one row per decision."""

PROJECTIONS: Final = {"playedhand": PLAYEDHAND, "tricks": TRICKS, "decisions": DECISIONS}
"""The tables that are derived from `events` alone."""

PROJECTIONS_VERSION: Final = 3
"""Version of what the projections' rows say. Tables of another one are made anew by the next build."""

RETIRED_COLUMNS: Final = {"decisions": ("observation",)}
"""Columns that earlier versions of a projection had."""
