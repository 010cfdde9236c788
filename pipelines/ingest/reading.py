"""How to read logs, as a user says it. Only light modules are imported here, as --help lists the options."""

from dataclasses import dataclass
from typing import Annotated, Final

from typer import Option


@dataclass(frozen=True)
class Text:
    """How a log's text is understood."""

    format: Annotated[str | None, Option(help="Format of all files (default: detected).")] = None
    final: Annotated[bool, Option("--final", help="Store hands cut off by a log's end as aborted.")] = False
    ignore_columns: Annotated[
        list[str] | None, Option(metavar="NAMES", help="Columns, or keys of JSON lines, to let pass unread.")
    ] = None
    ignore_kinds: Annotated[
        list[str] | None, Option(metavar="KINDS", help="Kinds of JSON lines that are no events, to let pass.")
    ] = None
    timezone: Annotated[str | None, Option(help="Zone of times that name none.")] = None


@dataclass(frozen=True)
class Reading(Text):
    """How an ingest reads logs: an argument of `ingest` and options of the command line.

    pseudonymise
        A file with a key; see `pseudonyms`.
    """

    dataset: Annotated[str | None, Option(help="Namespace of ids (default: the format's name).")] = None
    replace: Annotated[bool, Option("--replace", help="Replace stored hands that these correct.")] = False
    pseudonymise: Annotated[str | None, Option(metavar="KEYFILE", help="Replace names by digests.")] = None


BY_DEFAULT: Final = Reading()
