"""Imports and compiles everything a run needs, once, without a store; see `forked`."""

import apache_beam  # noqa: F401
import typer.rich_utils  # noqa: F401

import cardlog.pipelines.derive.transforms
import cardlog.pipelines.ingest.transforms  # noqa: F401
from cardlog import models
from cardlog.models.contest.simulation import Simulation
from cardlog.pipelines.derive import projections
from cardlog.pipelines.events.from_arrow import from_table
from cardlog.pipelines.events.to_arrow import to_tables
from cardlog.pipelines.export import export, simulate  # noqa: F401
from cardlog.pipelines.ingest import judge
from cardlog.pipelines.readers.base import Source
from cardlog.pipelines.readers.playedhand_csv import reader as playedhand_csv
from cardlog.pipelines.sql import query  # noqa: F401
from cardlog.pipelines.terminal import cli  # noqa: F401
from tests.support.csv_rows import HEADER, dump, dump_lines

_text = dump(*dump_lines()[:3])
_judged = judge.judge(playedhand_csv.read(_text, Source("0" * 64, "-", "-", HEADER))[0])
_judged.batch.content()
_batch = from_table("kaiser", next(to_tables(_judged.batch.sorted())))
_rows = dict(projections.project(_batch, ("playedhand", "tricks", "decisions")))
_players = [models.game(name) for name in models.GAMES]
_played = list(simulate.batches("kaiser", "-", Simulation("kaiser", 0, (simulate.DEFAULT_PLAYERS,)), 1))
