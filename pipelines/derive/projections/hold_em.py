"""Hold'em's own part of the tables, from the last state of each hand."""

from typing import Final

from cardlog.pipelines.derive.projections.game import GameTables
from cardlog.pipelines.derive.projections.poker import hand_columns

TABLES: Final = GameTables(hand_columns=hand_columns)
