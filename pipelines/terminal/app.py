"""The commands, in the order of --help, and what happens on errors.

Data goes to stdout, progress and messages to stderr. Exit codes: 0 done, 1 problems in the
data, 2 wrong usage or failure, 130 interrupted.
"""

import os
import sys
from typing import Annotated, Final, NoReturn

import typer
from typer import Option

from cardlog.pipelines.errors import for_user
from cardlog.pipelines.runtime.leftovers import ENDED, SIGNALLED, ended_in_time
from cardlog.pipelines.runtime.uncompiled import restart_compiled
from cardlog.pipelines.terminal.commands import adding, asking, serve, upkeep, writing
from cardlog.pipelines.terminal.console import ENDING, discard_output, fail, guarded, interrupts, show_bug
from cardlog.pipelines.terminal.full_disk import with_room
from cardlog.pipelines.terminal.options import beam_options, command
from cardlog.pipelines.terminal.run import CURRENT
from cardlog.pipelines.text.screen import adopt_rich
from cardlog.pipelines.version import VERSION

LOG_JSON: Final = "--log-json"
INTERRUPTED: Final = 130
"""typer's exit code after Ctrl-C."""

app = typer.Typer(
    name="cardlog",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    help="An event-sourced log of card games: ingest game logs, query hands with SQL, export training data.",
    epilog="Options for Apache Beam go after [bold]--[/]: cardlog rebuild -- --direct_num_workers=2",
)


def _version(requested: bool) -> None:
    if requested:
        print(f"cardlog {VERSION}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[bool, Option("--version", callback=_version, is_eager=True, help="Print it.")] = False,
    log_json: Annotated[
        bool, Option(LOG_JSON, envvar="CARDLOG_LOG_JSON", help="End with a line of JSON on stderr instead.")
    ] = False,
) -> None:
    pass


_quarantine = typer.Typer(no_args_is_help=True, help="Hands rejected by a reader or the rules.")
for _command in (
    adding.ingest, adding.validate, adding.build, adding.rebuild, adding.analyse, writing.puzzles,
    writing.report, asking.query, asking.shell, asking.show, serve.share, serve.serve, writing.export,
    writing.simulate, writing.play_off, writing.ladder, asking.odds, asking.status, asking.formats,
    asking.games, upkeep.vacuum, upkeep.verify, upkeep.compact, upkeep.forget, writing.docs,
    writing.new_game, writing.demo,
):  # fmt: skip
    app.command()(command(_command))
_quarantine.command("list")(command(asking.quarantine_list))
_quarantine.command("show")(command(asking.quarantine_show))
_quarantine.command("resolve")(command(upkeep.quarantine_resolve))
_quarantine.command("retry")(command(adding.retry))
app.add_typer(_quarantine, name="quarantine")


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run a command line and exit; arguments after ``--`` go to Beam."""
    try:
        _run(arguments)
    except SystemExit as end:
        CURRENT.write_line(end.code if isinstance(end.code, int) else 0)
        raise
    except BaseException as error:
        CURRENT.error = repr(error)
        CURRENT.write_line(1)
        raise


def _run(arguments: list[str] | None) -> NoReturn:
    arguments = sys.argv[1:] if arguments is None else arguments
    beam_options.clear()
    if "--" in arguments:
        end = arguments.index("--")
        beam_options.extend(arguments[end + 1 :])
        arguments = arguments[:end]
    is_logged = LOG_JSON in arguments or bool(os.environ.get("CARDLOG_LOG_JSON"))
    arguments = [argument for argument in arguments if argument != LOG_JSON]
    CURRENT.begin(next((argument for argument in arguments if not argument.startswith("-")), ""), is_logged)
    sys.excepthook = show_bug
    adopt_rich(sys.modules)  # typer's usage errors quote the arguments
    with guarded(), interrupts() as signals, ended_in_time(ENDING):
        try:
            try:
                app(arguments, prog_name="cardlog")
            finally:
                sys.stdout.flush()
        except (Exception, KeyboardInterrupt, SystemExit) as error:
            _exit(error, signals)
    sys.exit(0)


def _exit(error: BaseException, signals: list[int]) -> NoReturn:
    """Print an error for the user and exit; re-raise it if it is a bug."""
    restart_compiled(error)
    exited = isinstance(error, SystemExit) and error.code != INTERRUPTED
    if signals and not exited:
        fail(ENDED, SIGNALLED + signals[0])
    if isinstance(error, OSError) or isinstance(error.__context__, BrokenPipeError):
        discard_output()
    if isinstance(error, BrokenPipeError) or isinstance(error.__context__, BrokenPipeError):
        sys.exit(0)  # the reader closed the pipe; typer and rich would exit with 1
    user_error = for_user(error)
    if user_error is None:
        raise error
    fail(with_room(str(user_error), CURRENT.store and CURRENT.store.root))
