"""Hands that builds left out since they could not be projected: because of an error of cardlog, or because
something else wrote to the store."""

from dataclasses import dataclass
from typing import Final

import pyarrow.compute as pc

from cardlog import models
from cardlog.pipelines.derive.projections import project
from cardlog.pipelines.sql import hand_lookup, query
from cardlog.pipelines.sql.tables import quoted
from cardlog.pipelines.storage.erasures import erased
from cardlog.pipelines.storage.errors import first_line, mend_file
from cardlog.pipelines.storage.ledger import valid_ingests
from cardlog.pipelines.storage.moment import PinnedStore, pinned
from cardlog.pipelines.storage.store import Store
from cardlog.schemas.tables import PROJECTIONS

NAMED: Final = 10
"""How many hands are named."""
_REPORT: Final = "please report it with the hand; once that is mended, 'cardlog rebuild' adds it"


@dataclass(frozen=True)
class LeftOut:
    """A hand that is stored but not in the tables derived from the events.

    why
        What projecting it raises now; empty if nothing.
    """

    game: str
    hand_id: str
    why: str

    @property
    def advice(self) -> str:
        """What to do about it."""
        return _REPORT if self.why else mend_file("playedhand")

    def __str__(self) -> str:
        return f"hand {self.hand_id} of {self.game} is left out: {self.why}; {self.advice}"


def left_out(store: Store) -> list[LeftOut]:
    """The first of the hands that the last build has left out. If there are none, only counts are read."""
    built = pinned(store, as_built=True)
    stored = pc.sum(valid_ingests(built).column("hands_stored")).as_py() or 0
    stored -= erased(built, with_quarantine=False).hands
    return missing(built, NAMED) if stored > built.rows("playedhand") else []


def missing(store: PinnedStore, most: int) -> list[LeftOut]:
    """The first hands of the events that `playedhand` lacks, of the games that there are."""
    games = ", ".join(map(quoted, models.GAMES))
    sql = (
        "select game, hand_id from events where seq = 0 and hand_id not in (select hand_id from playedhand) "
        f"and game in ({games}) order by all limit {most}"
    )
    rows = query.connect(store, ["events", "playedhand"]).execute(sql).fetchall()
    return [LeftOut(game, hand_id, _why(store, hand_id)) for game, hand_id in rows]


def _why(store: Store, hand_id: str) -> str:
    try:
        list(project(hand_lookup.find(store, hand_id), tuple(PROJECTIONS)))
    except Exception as error:
        return first_line(error)
    return ""
