"""The command line: commands in the order of --help, and how errors end it.

Data goes to stdout, progress and messages to stderr. Exit codes: 0 done, 1 problems in the
data, 2 wrong usage or failure, 130 interrupted.
"""

import os
import resource
import sys
from typing import Annotated, Final, NoReturn

import typer
from typer import Option

from cardlog.pipelines.errors import for_user
from cardlog.pipelines.leftovers import ENDED, SIGNALLED, ended_in_time
from cardlog.pipelines.screen import adopt_rich
from cardlog.pipelines.terminal.commands import adding, asking, serve, upkeep, writing
from cardlog.pipelines.terminal.console import ENDING, fail, interrupts
from cardlog.pipelines.terminal.options import PROBLEMS as PROBLEMS
from cardlog.pipelines.terminal.options import beam_options, command
from cardlog.pipelines.terminal.run import CURRENT
from cardlog.pipelines.terminal.streams import guarded, show_bug
from cardlog.pipelines.uncompiled import restart_compiled
from cardlog.pipelines.version import VERSION
from cardlog.schemas.errors import CardlogError

LEAST_ADDRESSES: Final = 4_000_000_000
"""Bytes of address space that a run needs, measured on two cores; a build of a small store writes a tenth."""
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
    version: Annotated[
        bool, Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
    log_json: Annotated[
        bool,
        Option(
            LOG_JSON,
            envvar="CARDLOG_LOG_JSON",
            help="End with one line of JSON about the run on stderr, instead of messages. Goes anywhere.",
        ),
    ] = False,
) -> None:
    pass


_quarantine = typer.Typer(no_args_is_help=True, help="Hands rejected by a reader or the rules.")
for _app, _name, _command in (
    (app, "ingest", adding.ingest),
    (app, "build", adding.build),
    (app, "rebuild", adding.rebuild),
    (app, "analyse", adding.analyse),
    (app, "puzzles", writing.puzzles),
    (app, "query", asking.query),
    (app, "shell", asking.shell),
    (app, "show", asking.show),
    (app, "share", serve.share),
    (app, "serve", serve.serve),
    (app, "export", writing.export),
    (app, "simulate", writing.simulate),
    (app, "play-off", writing.play_off),
    (app, "ladder", writing.ladder),
    (app, "status", asking.status),
    (app, "formats", asking.formats),
    (app, "games", asking.games),
    (app, "vacuum", upkeep.vacuum),
    (app, "verify", upkeep.verify),
    (app, "compact", upkeep.compact),
    (app, "forget", upkeep.forget),
    (app, "docs", writing.docs),
    (app, "demo", writing.demo),
    (_quarantine, "list", asking.quarantine_list),
    (_quarantine, "show", asking.quarantine_show),
    (_quarantine, "retry", adding.retry),
):
    _app.command(_name)(command(_command))
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
    arguments = [word for word in arguments if word != LOG_JSON]
    CURRENT.begin(next((word for word in arguments if not word.startswith("-")), ""), is_logged)
    sys.excepthook = show_bug
    adopt_rich(sys.modules)  # typer's usage errors quote the arguments
    with guarded(), interrupts() as signals, ended_in_time(ENDING):
        try:
            try:
                _check_memory(arguments)
                app(arguments, prog_name="cardlog")
            finally:
                sys.stdout.flush()
        except (Exception, KeyboardInterrupt, SystemExit) as error:
            _exit(error, signals)
    sys.exit(0)


def _check_memory(arguments: list[str]) -> None:
    """Raises CardlogError if the system limits the addresses of this process so much that libraries would end
    it without a word."""
    allowed, _ = resource.getrlimit(resource.RLIMIT_AS)
    if allowed != resource.RLIM_INFINITY and allowed < LEAST_ADDRESSES and "--help" not in arguments:
        raise CardlogError(
            f"there is too little memory to run: the system allows {allowed / 1e9:.1f} GB of addresses "
            f"('ulimit -v'), and {LEAST_ADDRESSES / 1e9:.0f} GB are needed, though far less is used"
        )


def _exit(error: BaseException, signals: list[int]) -> NoReturn:
    """Print an error for the user and exit; re-raise it if it is a bug."""
    restart_compiled(error)
    exited = isinstance(error, SystemExit) and error.code != INTERRUPTED
    if signals and not exited:
        fail(ENDED, SIGNALLED + signals[0])
    if isinstance(error, BrokenPipeError) or isinstance(error.__context__, BrokenPipeError):
        sys.exit(0)  # the reader closed the pipe; typer and rich would exit with 1
    found = for_user(error)
    if found is None:
        raise error
    fail(str(found))


if __name__ == "__main__":
    main()
