"""Card-game logs for Python: a store to ingest hands into, query with SQL, inspect and export.

    import cardlog

    store = cardlog.open("store")
    store.ingest("logs/*.csv.gz")
    store.build()
    store.sql("select trump, avg(made::int) as made from hands group by all").show()

docs/python.md describes all of it. Names load when they are first used: `import cardlog` alone loads no
other library. The folders `schemas`, `models`, `pipelines` and `dbt_project` are the
implementation, and change without notice.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from cardlog.schemas.errors import CardlogError as CardlogError

if TYPE_CHECKING:
    from cardlog.catalog import features as features
    from cardlog.catalog import formats as formats
    from cardlog.catalog import games as games
    from cardlog.environments import env as env
    from cardlog.hand import Hand as Hand
    from cardlog.models.contest.play_off import PlayOff as PlayOff
    from cardlog.models.contest.steps import Steps as Steps
    from cardlog.models.poker.odds import Odds as Odds
    from cardlog.models.poker.odds import odds as odds
    from cardlog.pipelines.export.encoders import Encoder as Encoder
    from cardlog.pipelines.export.export import ExportError as ExportError
    from cardlog.pipelines.export.output import OutputError as OutputError
    from cardlog.pipelines.export.simulate import SimulateError as SimulateError
    from cardlog.pipelines.export.torch_dataset import Decisions as Decisions
    from cardlog.pipelines.ingest.lineage import SourceGone as SourceGone
    from cardlog.pipelines.ingest.source_bytes import SourceError as SourceError
    from cardlog.pipelines.operations import Built as Built
    from cardlog.pipelines.runs import Ingested as Ingested
    from cardlog.pipelines.sql.answer import QueryError as QueryError
    from cardlog.pipelines.sql.dbt_run import DbtError as DbtError
    from cardlog.pipelines.sql.hand_lookup import HandNotFound as HandNotFound
    from cardlog.pipelines.sql.held_back import HeldBack as HeldBack
    from cardlog.pipelines.sql.limits import LimitError as LimitError
    from cardlog.pipelines.storage.errors import Damaged as Damaged
    from cardlog.pipelines.storage.errors import StoreError as StoreError
    from cardlog.result import MissingPackage as MissingPackage
    from cardlog.result import Result as Result
    from cardlog.schemas import cards as cards
    from cardlog.simulation import play as play
    from cardlog.simulation import simulate as simulate
    from cardlog.store import StaleMart as StaleMart
    from cardlog.store import Store as Store
    from cardlog.store import open as open

__version__: str

_NAMES = {
    "cardlog.catalog": "features formats games",
    "cardlog.environments": "env",
    "cardlog.hand": "Hand",
    "cardlog.models.contest.play_off": "PlayOff",
    "cardlog.models.contest.steps": "Steps",
    "cardlog.models.poker.odds": "Odds odds",
    "cardlog.pipelines.export.encoders": "Encoder",
    "cardlog.pipelines.export.export": "ExportError",
    "cardlog.pipelines.export.output": "OutputError",
    "cardlog.pipelines.export.simulate": "SimulateError",
    "cardlog.pipelines.export.torch_dataset": "Decisions",
    "cardlog.pipelines.ingest.lineage": "SourceGone",
    "cardlog.pipelines.ingest.source_bytes": "SourceError",
    "cardlog.pipelines.operations": "Built",
    "cardlog.pipelines.runs": "Ingested",
    "cardlog.pipelines.sql.dbt_run": "DbtError",
    "cardlog.pipelines.sql.hand_lookup": "HandNotFound",
    "cardlog.pipelines.sql.held_back": "HeldBack",
    "cardlog.pipelines.sql.limits": "LimitError",
    "cardlog.pipelines.sql.answer": "QueryError",
    "cardlog.pipelines.storage.errors": "Damaged StoreError",
    "cardlog.result": "Result MissingPackage",
    "cardlog.schemas": "cards",
    "cardlog.simulation": "play simulate",
    "cardlog.store": "open StaleMart Store",
}
"""The names of each module, which is loaded when one is first used; type checkers see the imports above."""
_MODULES = {name: module for module, names in _NAMES.items() for name in names.split()}

__all__ = ["CardlogError", "__version__", *(name for name in _MODULES if name != "Decisions")]
"""All but `Decisions`, so that ``from cardlog import *`` does not need PyTorch."""

if not TYPE_CHECKING:

    def __getattr__(name):
        if name == "__version__":
            from cardlog.pipelines.version import VERSION

            return VERSION
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        try:
            found = getattr(import_module(_MODULES[name]), name, None)
        except ModuleNotFoundError as error:
            if error.name != "torch":
                raise
            from cardlog.result import MissingPackage

            raise MissingPackage(
                "cardlog.Decisions needs PyTorch; install the extra 'cardlog[torch]'"
            ) from error
        globals()[name] = found = found or import_module(f"{_MODULES[name]}.{name}")
        return found


def __dir__() -> list[str]:
    """All names; `Decisions` only if PyTorch is installed, so that `help` works without it."""
    from importlib.util import find_spec

    return sorted([*globals(), *__all__, *(["Decisions"] if find_spec("torch") else [])])
