"""What a run needs, loaded once, compiled code too, with no store touched: see `child`."""

import apache_beam  # noqa: F401
from csv_rows import HEADER, dump, dump_lines

from pipelines import judge, projections, runs, transforms  # noqa: F401
from pipelines.batch import to_tables
from pipelines.from_arrow import from_table
from pipelines.readers import playedhand_csv
from pipelines.readers.base import Source

_text = dump(*dump_lines()[:3])
_judged = judge.judge(playedhand_csv.read(_text, Source("0" * 64, "-", "-", HEADER))[0])
_judged.batch.content()
_batch = from_table("kaiser", next(to_tables(_judged.batch.sorted())))
_rows = dict(projections.project(_batch, ("playedhand", "tricks", "decisions")))
