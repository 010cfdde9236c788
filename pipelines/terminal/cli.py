"""The command line. No logic of its own: it reads arguments, calls, and shows what comes back.

Data goes to stdout, progress and messages to stderr. Exit: 0 done, 1 the data had problems, 2
wrong use or it could not be done, 130 interrupted.
"""

import os
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Final, NoReturn

import typer

from cardlog.pipelines.errors import for_user
from cardlog.pipelines.leftovers import ENDED, SIGNALLED, ended_in_time
from cardlog.pipelines.terminal import report
from cardlog.pipelines.terminal.console import (
    ENDING,
    fail,
    fixed,
    fixed_bytes,
    interrupts,
    rows_table,
    say,
    stdout,
)
from cardlog.pipelines.terminal.streams import StreamError, adopt_rich, give_up, guarded, show_bug
from cardlog.pipelines.version import VERSION

PROBLEMS: Final = 1
INTERRUPTED: Final = 130
"""What typer exits with after Ctrl-C."""

app = typer.Typer(
    name="cardlog",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    help="An event-sourced log of card games: ingest game logs, query hands with SQL, export training data.",
    epilog="Options for Apache Beam go after [bold]--[/]: cardlog rebuild -- --direct_num_workers=2",
)
quarantine = typer.Typer(no_args_is_help=True, help="Hands that could not be judged or were judged wrong.")
app.add_typer(quarantine, name="quarantine")

StoreOption = Annotated[
    str,
    typer.Option("--store", envvar="CARDLOG_STORE", help="Folder or URI of the store.", show_default=True),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
TimeoutOption = Annotated[
    float | None, typer.Option(min=0.001, metavar="SECONDS", help="Stop a query that takes longer.")
]
MemoryOption = Annotated[
    str | None,
    typer.Option(
        metavar="SIZE", help="What a query may take, as 2GB: a quarter of the machine's, at most 4GiB."
    ),
]
DEFAULT_STORE: Final = "./store"

_beam_options: list[str] = []


class Output(StrEnum):
    """How `query` prints rows."""

    table = "table"
    csv = "csv"
    json = "json"
    parquet = "parquet"


def _store(path: str, must_exist: bool = True) -> Any:
    from cardlog.pipelines.storage.store import Store

    store = Store(path)
    if must_exist and not store.exists:
        fail(f"there is no store at {store.root}; 'cardlog ingest' makes one, --store names another")
    return store


def _limits(memory: str | None, timeout: float | None) -> Any:
    from cardlog.pipelines.sql import limits

    return limits.Limits(None if memory is None else limits.bytes_of(memory), timeout)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"cardlog {VERSION}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


@app.command()
def ingest(
    paths: Annotated[
        list[str], typer.Argument(metavar="PATH…", help="Files, folders, globs, or - for stdin; .gz too.")
    ],
    format: Annotated[str | None, typer.Option(help="Format of the files; detected when left out.")] = None,
    dataset: Annotated[
        str | None, typer.Option(help="Name space of the hands; the format's name when left out.")
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with 1 if a hand went to quarantine or a file is no log.")
    ] = False,
    final: Annotated[
        bool, typer.Option("--final", help="Hands that the end of a log cuts off will not go on.")
    ] = False,
    store: StoreOption = DEFAULT_STORE,
    as_json: JsonOption = False,
) -> None:
    """Read game logs into the store: every hand is judged by its rules, all or nothing is stored."""
    from cardlog.pipelines import runs
    from cardlog.pipelines.terminal.console import progress

    result = runs.ingest(
        _store(store, must_exist=False), paths,
        format_name=format, dataset=dataset, final=final, beam_options=_beam_options, watch=progress,
    )  # fmt: skip
    report.ingest(result, store, as_json)
    if strict and (result.counts.quarantined or result.passed_over):
        raise typer.Exit(PROBLEMS)


def _build(store: str, afresh: bool, marts: bool, as_json: bool) -> None:
    from cardlog.pipelines import runs
    from cardlog.pipelines.sql import warehouse
    from cardlog.pipelines.sql.held_back import HeldBack
    from cardlog.pipelines.terminal.console import progress, working

    place = _store(store)
    rows = runs.build(place, afresh=afresh, beam_options=_beam_options, watch=progress)
    models, failed = None, None
    if marts and (afresh or not warehouse.is_current(place)):
        try:
            with working("dbt builds and tests the marts"):
                models = warehouse.run_dbt(place)
        except HeldBack as error:
            models, failed = error.outcome.models, error
    report.build(rows, marts, models, failed, as_json)
    if failed:
        fail(str(failed), PROBLEMS)


MartsOption = Annotated[bool, typer.Option("--marts/--no-marts", help="Whether dbt builds the marts too.")]


@app.command()
def build(store: StoreOption = DEFAULT_STORE, marts: MartsOption = True, as_json: JsonOption = False) -> None:
    """Derive the tables from what is new in the events, then build the marts with dbt."""
    _build(store, False, marts, as_json)


@app.command()
def rebuild(
    store: StoreOption = DEFAULT_STORE, marts: MartsOption = True, as_json: JsonOption = False
) -> None:
    """Derive all tables and marts again from the events; they come out the same."""
    _build(store, True, marts, as_json)


@app.command()
def query(
    sql: Annotated[str, typer.Argument(metavar="SQL", help="One query; 'show tables' lists what there is.")],
    output: Annotated[Output, typer.Option(help="Form of the rows.")] = Output.table,
    file: Annotated[Path | None, typer.Option(help="Write to this new file instead of stdout.")] = None,
    timeout: TimeoutOption = None,
    memory: MemoryOption = None,
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """Ask the tables and marts in SQL. Only reading is possible."""
    from cardlog.pipelines.sql import query as asking

    if output is Output.parquet and file is None:
        fail("--output parquet needs --file OUT")
    if file is not None and os.path.lexists(file):
        fail(f"{file} exists already; nothing was overwritten")
    most = _limits(memory, timeout)
    place = _store(store)
    for remark in asking.remarks(place, sql):
        say(remark)
    if output is Output.parquet and file is not None:
        connection = asking.connect(place, most=most)
        with fixed_bytes(file) as packed:
            asking.write_parquet(connection, sql, packed)
        return
    result = asking.ask(place, sql, most)
    if output is Output.table:
        rows_table(*asking.rows(result, report.most_rows(file)), file)
        return
    with fixed(file, faithful=True) as out:
        if output is Output.csv:
            asking.write_csv(result, out)
        else:
            asking.write_json(result, out)


@app.command()
def show(
    hand_id: Annotated[str, typer.Argument(metavar="HAND_ID", help="The hand's id, or how it begins.")],
    raw: Annotated[
        bool, typer.Option("--raw", help="Print the lines of the source it was read from.")
    ] = False,
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """Draw one hand, trick by trick."""
    from cardlog.pipelines.storage.moment import pinned
    from cardlog.pipelines.terminal import drawings as draw

    place = pinned(_store(store), ["events", "ingests"])
    batch = draw.find(place, hand_id)
    if raw:
        from cardlog.pipelines.ingest.lineage import raw_lines

        sys.stdout.write(raw_lines(place, batch))  # which escapes, as all that is shown
    else:
        stdout().print(draw.hand(batch))


@app.command()
def export(
    out: Annotated[
        Path, typer.Argument(metavar="OUT", help="New file or, for parquet, folder; - for stdout, .gz packs.")
    ],
    game: Annotated[str, typer.Option(help="The game.")],
    format: Annotated[
        str,
        typer.Option(help="Form: parquet, npy, npz, minari, playedhand-csv or cardlog-jsonl."),
    ],
    encoder: Annotated[str, typer.Option(help="What makes the observations; docs/features.")] = "v1",
    seed: Annotated[int, typer.Option(help="Seed of the split into train, validation and test.")] = 0,
    splits: Annotated[str, typer.Option(help="Percentages of train, validation and test.")] = "80,10,10",
    dialect: Annotated[str | None, typer.Option(help="Only hands judged by these rules.")] = None,
    since: Annotated[str | None, typer.Option(help="Only hands of that day, 2016-03-01, or later.")] = None,
    until: Annotated[str | None, typer.Option(help="Only hands of that day or before.")] = None,
    player: Annotated[str | None, typer.Option(help="Only decisions of the player of that name.")] = None,
    seats: Annotated[str | None, typer.Option(help="Only decisions of human or of computer players.")] = None,
    where: Annotated[
        str | None, typer.Option(help='Only hands that fulfil a condition, in SQL: "team_0_score > 0".')
    ] = None,
    mart: Annotated[str, typer.Option(help="The mart whose rows --where is about.")] = "hands",
    include_aborted: Annotated[
        bool, typer.Option("--include-aborted", help="Training data of hands that break off, too.")
    ] = False,
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """Write training data, or the hands in the form they came in."""
    from cardlog.pipelines.export import export as exporting
    from cardlog.pipelines.export.selection import Selection
    from cardlog.pipelines.terminal.console import progress

    selection = Selection(dialect, since, until, player, seats, where, mart, include_aborted)
    count = exporting.export(
        _store(store), game, format, out,
        encoder=encoder, seed=seed, splits=splits, selection=selection, watch=progress,
    )  # fmt: skip
    report.wrote(count, "rows", str(out))


@app.command()
def simulate(
    out: Annotated[str, typer.Argument(metavar="OUT", help="New file, or - for stdout; .gz packs.")],
    game: Annotated[str, typer.Option(help="The game.")],
    hands: Annotated[int, typer.Option(min=1, help="How many hands.")],
    seed: Annotated[int, typer.Option(help="The same seed gives the same bytes.")] = 0,
    players: Annotated[
        str | None, typer.Option(help="Who plays, one for all or one a seat, a,b,c; random when left out.")
    ] = None,
    rules: Annotated[str | None, typer.Option(help="Whose rules; the rule book's when left out.")] = None,
    format: Annotated[
        str | None,
        typer.Option(help="playedhand-csv or cardlog-jsonl; by the name of OUT when left out."),
    ] = None,
) -> None:
    """Play hands and write a log of them, to ingest."""
    from cardlog.pipelines.export import simulate as simulating
    from cardlog.pipelines.terminal.console import progress

    simulating.simulate(
        game, hands, seed, out, format_name=format, players=players, rules=rules, watch=progress
    )
    report.wrote(hands, "hands", out)


@app.command("play-off")
def play_off(
    game: Annotated[str, typer.Argument(metavar="GAME", help="The game.")],
    a: Annotated[str, typer.Argument(metavar="A", help="A player of the game, or a policy, module:object.")],
    b: Annotated[str, typer.Argument(metavar="B", help="Who plays against A, named likewise.")],
    hands: Annotated[
        int, typer.Option(min=1, help="How many hands to deal; each is played once a way to sit.")
    ] = 1000,
    seed: Annotated[int, typer.Option(help="The same seed deals the same hands.")] = 0,
    rules: Annotated[str | None, typer.Option(help="Rules to play by (default: the rule book's).")] = None,
    seats: Annotated[int | None, typer.Option(help="How many sit, where the game is for several.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Pit two players against each other, on the same deals with seats exchanged."""
    from cardlog.pipelines.export import simulate as simulating

    found = simulating.play_off(game, (a, b), hands, seed, rules, seats)
    report.play_off(found, (a, b), as_json)


@app.command()
def status(store: StoreOption = DEFAULT_STORE, as_json: JsonOption = False) -> None:
    """What the store holds, and whether tables and marts are up to date."""
    from cardlog.pipelines.upkeep import status as looking

    report.status(looking.status(_store(store)), as_json)


@app.command()
def formats(as_json: JsonOption = False) -> None:
    """The log formats that can be read."""
    from cardlog.pipelines import readers

    found = [{"format": name, "reads": readers.get(name).SUMMARY} for name in readers.FORMATS]
    report.listing(found, as_json)


@app.command()
def games(as_json: JsonOption = False) -> None:
    """The games there are."""
    from cardlog import models

    found = [{"game": name, "about": models.summary(name)} for name in models.GAMES]
    report.listing(found, as_json)


@app.command()
def vacuum(
    older_than: Annotated[float, typer.Option(min=0, help="Only files older than so many hours.")] = 24.0,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be removed.")] = False,
    store: StoreOption = DEFAULT_STORE,
    as_json: JsonOption = False,
) -> None:
    """Remove files that no table refers to: what killed runs and overlapping logs left behind."""
    from cardlog.pipelines.upkeep.vacuum import vacuum as vacuum_store

    found = vacuum_store(_store(store), older_than * 3600, dry_run)
    report.vacuum(found, dry_run, as_json)


@app.command()
def verify(store: StoreOption = DEFAULT_STORE, as_json: JsonOption = False) -> None:
    """Check every data file against its digest, and the tables against each other."""
    from cardlog.pipelines.terminal.console import working
    from cardlog.pipelines.upkeep import verify as verifying

    place = _store(store)
    with working("cardlog reads all files of the store"):
        found = verifying.verify(place)
    report.verify(found, as_json)
    if found.problems:
        raise typer.Exit(PROBLEMS)


@app.command()
def docs(
    out: Annotated[Path, typer.Argument(metavar="OUT", help="New HTML file.")],
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """Write a page that describes every mart: its columns, what it is made from, and its SQL."""
    from cardlog.pipelines.sql import dbt_docs
    from cardlog.pipelines.terminal.console import fixed_bytes, working

    place = _store(store)
    with fixed_bytes(out) as file, working("dbt describes the marts"):
        file.write(dbt_docs.page(place))
    say(f"Wrote {out}; open it in a browser.")


@app.command()
def demo(
    store: Annotated[
        Path | None, typer.Option(help="Where to make the store; demo-store when left out.")
    ] = None,
) -> None:
    """The whole way on the logs that come with the project."""
    from cardlog.pipelines.terminal import demo as showing

    showing.run(store)


@quarantine.command("list")
def quarantine_list(
    reason: Annotated[str | None, typer.Option(help="Only this reason.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="At most so many.")] = 20,
    store: StoreOption = DEFAULT_STORE,
    as_json: JsonOption = False,
) -> None:
    """Count the hands in quarantine by reason, and list some of them."""
    from cardlog.pipelines.storage.moment import pinned
    from cardlog.pipelines.upkeep import quarantine as aside

    place = pinned(_store(store), ["events", "ingests", "quarantine"])
    report.quarantine(aside.counts(place, reason), aside.entries(place, reason, limit), as_json)


@quarantine.command("show")
def quarantine_show(
    quarantine_id: Annotated[str, typer.Argument(metavar="ID", help="The entry's id, or how it begins.")],
    store: StoreOption = DEFAULT_STORE,
    as_json: JsonOption = False,
) -> None:
    """One hand in quarantine: what is wrong, where it is from, its text."""
    from cardlog.pipelines.upkeep import quarantine as aside

    report.entry(aside.entry(_store(store), quarantine_id), as_json)


@quarantine.command("retry")
def quarantine_retry(
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with 1 if a hand stays in quarantine.")
    ] = False,
    store: StoreOption = DEFAULT_STORE,
    as_json: JsonOption = False,
) -> None:
    """Read the kept texts again, after a reader was mended."""
    from cardlog.pipelines.terminal.console import progress
    from cardlog.pipelines.upkeep import quarantine as aside

    place = _store(store)
    result = aside.retry(place, beam_options=_beam_options, watch=progress)
    report.ingest(result, store, as_json, nothing="No hand in quarantine can be stored now.")
    if strict and aside.waiting(place):
        raise typer.Exit(PROBLEMS)


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run a command line and end; what follows ``--`` is for Beam."""
    try:
        _carry_out(arguments)
    except SystemExit as end:
        interruptible = sys.modules.get("cardlog.pipelines.sql.interruptible")
        if interruptible is not None and interruptible.is_busy():
            # DuckDB does not stop; an orderly end would wait for it.
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(end.code if isinstance(end.code, int) else 2)
        raise


def _carry_out(arguments: list[str] | None) -> NoReturn:
    arguments = sys.argv[1:] if arguments is None else arguments
    _beam_options.clear()
    if "--" in arguments:
        place = arguments.index("--")
        _beam_options.extend(arguments[place + 1 :])
        arguments = arguments[:place]
    sys.excepthook = show_bug
    adopt_rich()  # what typer says of wrong use quotes the arguments
    with guarded(), interrupts() as came, ended_in_time(ENDING):
        try:
            try:
                app(arguments, prog_name="cardlog")
            finally:
                sys.stdout.flush()
        except (Exception, KeyboardInterrupt, SystemExit) as error:
            _end(error, came)
    sys.exit(0)


def _end(error: BaseException, came: list[int]) -> NoReturn:
    """Say what an error means for the user and exit; raise it again if it is a bug."""
    ended = isinstance(error, SystemExit) and error.code != INTERRUPTED
    if came and not ended:
        fail(ENDED, SIGNALLED + came[0])
    if isinstance(error, BrokenPipeError) or isinstance(error.__context__, BrokenPipeError):
        # Whoever read our output has had enough; typer and rich would exit with 1.
        give_up(sys.stdout)
        sys.exit(0)
    found = for_user(error)
    if isinstance(found, StreamError):
        give_up(sys.stdout)
    if found is None:
        raise error
    fail(str(found))


if __name__ == "__main__":
    main()
