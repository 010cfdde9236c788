"""All that a package needs that brings cardlog a game, a log format, tables, descriptions or marts.

docs/plugins.md shows how; the names here are stable from version 1.1 on. What they are is documented where
they are defined.
"""

from cardlog.models.engine import dealing, opening, trick
from cardlog.models.engine.compiled import Int, compiled
from cardlog.models.engine.dealing import (
    BOOK,
    NO_MATCH,
    NOTHING,
    Setup,
    deal_hands,
    new_event,
    shuffle_pack,
    table_dtype,
)
from cardlog.models.engine.game import Decisions, Game, Players, Records
from cardlog.models.engine.opening import checked_settings
from cardlog.models.engine.visible import Visible
from cardlog.pipelines.derive.projections.game import GameTables, Tricks
from cardlog.pipelines.derive.projections.tricks import hand_columns_of, tricks_of
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.hands import shapes, tricks
from cardlog.pipelines.hands.shapes import Describer, Facts
from cardlog.pipelines.readers.base import Read, Reader, Reject, Source, hand_name
from cardlog.pipelines.readers.transcript import (
    Event,
    Fault,
    Hand,
    LineTable,
    Match,
    Text,
    require,
    transcript,
)
from cardlog.schemas import cards, events
from cardlog.schemas.events import NO_AMOUNT, NO_DETAIL, NO_SEAT, NO_TIME, Action
from cardlog.schemas.reasons import Reason

__all__ = [
    "BOOK",
    "NOTHING",
    "NO_AMOUNT",
    "NO_DETAIL",
    "NO_MATCH",
    "NO_SEAT",
    "NO_TIME",
    "Action",
    "Batch",
    "Decisions",
    "Describer",
    "Event",
    "Facts",
    "Fault",
    "Game",
    "GameTables",
    "Hand",
    "Int",
    "LineTable",
    "Match",
    "Players",
    "Read",
    "Reader",
    "Reason",
    "Records",
    "Reject",
    "Setup",
    "Source",
    "Text",
    "Tricks",
    "Visible",
    "cards",
    "checked_settings",
    "compiled",
    "deal_hands",
    "dealing",
    "events",
    "hand_columns_of",
    "hand_name",
    "new_event",
    "opening",
    "require",
    "shapes",
    "shuffle_pack",
    "table_dtype",
    "transcript",
    "trick",
    "tricks",
    "tricks_of",
]  # fmt: skip
