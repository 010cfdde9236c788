"""A plugin of dbt-duckdb, named in the profile of the dbt project: `dbt` by hand works on a copy of the
warehouse, which is made anew once a build has replaced that."""

import shutil
from pathlib import Path
from typing import Any

from dbt.adapters.duckdb.plugins import BasePlugin

from cardlog.pipelines.runtime.whole import replaced
from cardlog.schemas.errors import CardlogError


class Plugin(BasePlugin):  # type: ignore[misc]
    """What dbt-duckdb makes before it opens the copy."""

    def initialize(self, plugin_config: dict[str, Any]) -> None:
        """Copy the warehouse. Raises CardlogError if there is none."""
        original, copy = Path(plugin_config["warehouse"]), Path(self.creds.path)
        if not original.exists():
            raise CardlogError(
                f"there is no {original.resolve()}: 'cardlog build' makes it; the environment variable "
                "CARDLOG_STORE names the folder it is in"
            )
        if not copy.exists() or copy.stat().st_mtime < original.stat().st_mtime:
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.with_name(f"{copy.name}.wal").unlink(missing_ok=True)
            with replaced(copy) as draft:
                shutil.copyfile(original, draft)
