"""High card's own part of the tables, from the last state of each hand."""

from typing import Final

from cardlog.pipelines.derive.projections.game import GameTables
from cardlog.pipelines.derive.projections.tricks import hand_columns_of, tricks_of

TABLES: Final = GameTables(hand_columns=hand_columns_of, tricks=tricks_of)
