"""The command that erases hands and names."""

from typing import Annotated, Any

import typer

from cardlog.pipelines.terminal import report
from cardlog.pipelines.terminal.console import fail
from cardlog.pipelines.terminal.options import DEFAULT_STORE, PROBLEMS, JsonOption, StoreOption, open_store


def forget(
    player: Annotated[
        str | None, typer.Option(metavar="NAME", help="Replace a player's name by a random pseudonym.")
    ] = None,
    hand: Annotated[
        str | None, typer.Option(metavar="ID", help="Remove the hand with this id, id prefix or source key.")
    ] = None,
    dataset: Annotated[str | None, typer.Option(help="Remove all hands of a data set.")] = None,
    older_than: Annotated[
        float | None, typer.Option(min=0, metavar="DAYS", help="Remove hands older than this many days.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be erased.")] = False,
    store: StoreOption = DEFAULT_STORE,
    as_json: JsonOption = False,
) -> None:
    """Erase hands or a player's name from the store for good."""
    from cardlog.pipelines.sql import hand_lookup
    from cardlog.pipelines.terminal.console import working
    from cardlog.pipelines.upkeep import forget as forgetting

    opened = open_store(store)
    wanted = forgetting.Wanted(player, hand and hand_lookup.id_of(opened, hand), dataset, older_than)
    with working("cardlog looks for what is to be erased"):
        found = forgetting.forget(opened, wanted, dry_run=dry_run)
    report.forget(found, dry_run, as_json)
    if found.marts_removed and not dry_run:
        _build_again(opened)
    if found.left:
        fail(f"{len(found.left)} files of the store still say what was erased", PROBLEMS)


def _build_again(store: Any) -> None:
    """Build the marts that were removed."""
    from cardlog.pipelines.sql.held_back import HeldBack
    from cardlog.pipelines.terminal.console import working
    from cardlog.pipelines.upkeep import forget as forgetting

    try:
        with working("dbt builds and tests the marts"):
            forgetting.build_again(store)
    except HeldBack as error:
        fail(str(error), PROBLEMS)
