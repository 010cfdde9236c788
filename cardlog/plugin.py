"""All that a package needs that brings cardlog a game, a log format, tables, descriptions or marts.

docs/plugins.md shows how; the names here are stable from version 1.1 on. What they are is documented where
they are defined.
"""

from typing import Final

from cardlog.models.engine import alone as alone
from cardlog.models.engine import dealing as dealing
from cardlog.models.engine import opening as opening
from cardlog.models.engine import trick as trick
from cardlog.models.engine.compiled import Int as Int
from cardlog.models.engine.compiled import compiled as compiled
from cardlog.models.engine.dealing import BOOK as BOOK
from cardlog.models.engine.dealing import NO_MATCH as NO_MATCH
from cardlog.models.engine.dealing import NOTHING as NOTHING
from cardlog.models.engine.dealing import Setup as Setup
from cardlog.models.engine.dealing import deal_hands as deal_hands
from cardlog.models.engine.dealing import new_event as new_event
from cardlog.models.engine.dealing import shuffle_pack as shuffle_pack
from cardlog.models.engine.dealing import table_dtype as table_dtype
from cardlog.models.engine.game import Decisions as Decisions
from cardlog.models.engine.game import Game as Game
from cardlog.models.engine.game import Players as Players
from cardlog.models.engine.game import Records as Records
from cardlog.models.engine.opening import checked_settings as checked_settings
from cardlog.models.engine.visible import Visible as Visible
from cardlog.models.solve.solvable import Playing as Playing
from cardlog.models.solve.solvable import unsolved as unsolved
from cardlog.pipelines.derive.projections.game import GameTables as GameTables
from cardlog.pipelines.derive.projections.game import Tricks as Tricks
from cardlog.pipelines.derive.projections.tricks import hand_columns_of as hand_columns_of
from cardlog.pipelines.derive.projections.tricks import tricks_of as tricks_of
from cardlog.pipelines.events.batch import Batch as Batch
from cardlog.pipelines.hands import shapes as shapes
from cardlog.pipelines.hands import tricks as tricks
from cardlog.pipelines.hands.shapes import Describer as Describer
from cardlog.pipelines.hands.shapes import Facts as Facts
from cardlog.pipelines.readers.base import Read as Read
from cardlog.pipelines.readers.base import Reader as Reader
from cardlog.pipelines.readers.base import Reject as Reject
from cardlog.pipelines.readers.base import Source as Source
from cardlog.pipelines.readers.base import hand_name as hand_name
from cardlog.pipelines.readers.transcript import Event as Event
from cardlog.pipelines.readers.transcript import Fault as Fault
from cardlog.pipelines.readers.transcript import Hand as Hand
from cardlog.pipelines.readers.transcript import LineTable as LineTable
from cardlog.pipelines.readers.transcript import Match as Match
from cardlog.pipelines.readers.transcript import Text as Text
from cardlog.pipelines.readers.transcript import require as require
from cardlog.pipelines.readers.transcript import transcript as transcript
from cardlog.schemas import cards as cards
from cardlog.schemas import events as events
from cardlog.schemas.events import NO_AMOUNT as NO_AMOUNT
from cardlog.schemas.events import NO_DETAIL as NO_DETAIL
from cardlog.schemas.events import NO_SEAT as NO_SEAT
from cardlog.schemas.events import NO_TIME as NO_TIME
from cardlog.schemas.events import Action as Action
from cardlog.schemas.reasons import Reason as Reason

TREE_SEARCH: Final = "cardlog.models.players.ismcts:TreeSearch"
"""`Players.policies` of the player `search` of a game whose `Game.solvable` is made by `unsolved`."""
