"""Commands about cardlog itself: the formats and games it knows, and a demonstration."""

from pathlib import Path
from typing import Annotated

import typer

from cardlog.pipelines.terminal import report
from cardlog.pipelines.terminal.options import JsonOption


def formats(as_json: JsonOption = False) -> None:
    """List the log formats that can be read."""
    from cardlog.pipelines import readers

    found = [{"format": name, "reads": readers.get(name).SUMMARY} for name in readers.FORMATS]
    report.listing(found, as_json)


def games(as_json: JsonOption = False) -> None:
    """List the games."""
    from cardlog import models

    found = [{"game": name, "about": models.summary(name)} for name in models.GAMES]
    report.listing(found, as_json)


def demo(
    store: Annotated[
        Path | None, typer.Option(help="Folder of the store to make (default: demo-store).")
    ] = None,
) -> None:
    """Run the whole pipeline on the sample logs."""
    from cardlog.pipelines.terminal.demo import run

    run(store)
