"""What a user says about logs, since they don't say it themselves."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from cardlog.pipelines.readers import times
from cardlog.schemas.errors import CardlogError
from cardlog.schemas.events import KINDS


class OptionError(CardlogError):
    """An option that can't be used; the text is for the user."""


@dataclass(frozen=True)
class ReadOptions:
    """How to read logs; by default nothing is ignored, and a time without a zone is not read.

    ignore_columns
        Columns of a CSV file, or keys of JSON lines, that are let pass although the format has none of these
        names.
    ignore_kinds
        Kinds of lines of `cardlog-jsonl` that are let pass, none of which is a kind of event: ``chat``.
    timezone
        What times without a zone mean: a name such as ``Europe/Oslo``, or an offset such as ``+01:00``.
    """

    ignore_columns: tuple[str, ...] = ()
    ignore_kinds: tuple[str, ...] = ()
    timezone: str = ""

    @classmethod
    def of(cls, columns: Iterable[str], kinds: Iterable[str], timezone: str | None) -> "ReadOptions":
        """The options as a user writes them: several names with commas, or one by one. Raises OptionError if
        there is no such time zone, or for a kind of event."""
        try:
            times.zone(timezone or "")
        except ValueError as error:
            raise OptionError(str(error)) from None
        ignored = _names(kinds)
        if events := [kind for kind in ignored if kind in KINDS]:
            raise OptionError(f"a hand needs its lines of kind {', '.join(events)}; others can be ignored")
        return cls(_names(columns), ignored, timezone or "")

    @property
    def text(self) -> str:
        """These options as JSON; empty by default."""
        said = {name: value for name, value in vars(self).items() if value}
        return json.dumps(said, separators=(",", ":"), sort_keys=True) if said else ""


def _names(texts: Iterable[str]) -> tuple[str, ...]:
    names = (name.strip() for text in texts for name in text.split(","))
    return tuple(sorted({name for name in names if name}))


NO_OPTIONS: Final = ReadOptions()
_OPTIONS, _CONTEXT = "options", "context"


def with_options(context: str, options: ReadOptions) -> str:
    """The context of a hand in quarantine, and the options it was read with, as one text."""
    if options == NO_OPTIONS:
        return context
    return json.dumps({_OPTIONS: vars(options), _CONTEXT: context})


def without_options(text: str) -> tuple[str, ReadOptions]:
    """The two parts of `with_options`."""
    value: Any = json.loads(text) if text else {}
    if not isinstance(value, dict) or value.keys() != {_OPTIONS, _CONTEXT}:
        return text, NO_OPTIONS
    said = value[_OPTIONS]
    columns, kinds = (tuple(said[name]) for name in ("ignore_columns", "ignore_kinds"))
    return value[_CONTEXT], ReadOptions(columns, kinds, said["timezone"])
