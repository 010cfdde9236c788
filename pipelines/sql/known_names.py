"""The data sets and players that a store knows, and what to say of a name that it does not."""

from collections.abc import Sequence
from typing import Final
from unicodedata import normalize

from cardlog.pipelines.sql import query
from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.text.visible import shown

DATASET: Final = "data set"
PLAYER: Final = "player"
MOST_LISTED: Final = 10
_NAMES: Final = {
    DATASET: "select dataset as name, null as game from events union select dataset, null from quarantine",
    PLAYER: "select unnest(json_extract_string(detail, '$.players[*].name')) as name, game "
    "from events where seq = 0",
}


def known_names(store: Store, kind: str, like: str, game: str | None = None) -> list[str]:
    """The names of all data sets, or of all players, those most like a name first.

    game
        Only players of this game.
    """
    tables = ["events", "quarantine"] if kind == DATASET else ["events"]
    sql = (
        f"select name from ({_NAMES[kind]}) where name is not null and (game = $2 or $2 is null) "
        "group by name order by jaro_winkler_similarity(lower(name), lower($1)) desc, name"
    )
    return [name for (name,) in query.connect(store, tables).execute(sql, [like, game]).fetchall()]


def other_forms(name: str, known: Sequence[str]) -> tuple[str, ...]:
    """The same name in other Unicode forms, NFC or NFD, if they are known: those are other names."""
    return tuple(form for form in known if form != name and normalize("NFC", form) == normalize("NFC", name))


def typed(name: str) -> str:
    """A name as it can be typed in a shell, in this Unicode form."""
    return "".join(each if each.isascii() else f"\\U{ord(each):08x}" for each in name).join(("$'", "'"))


def unknown(kind: str, name: str, known: Sequence[str]) -> str:
    """A sentence about a name that is not known: which there are. Empty if it is."""
    if name in known:
        return ""
    if forms := other_forms(name, known):
        others = f"another Unicode form of the name is {' and '.join(map(typed, forms))}"
    else:
        others = "there are: " + ", ".join(map(shown, known[:MOST_LISTED])) if known else "no hand has any"
        if len(known) > MOST_LISTED:
            others += f" and {len(known) - MOST_LISTED:,} more"
    return f"there is no {kind} {shown(name)!r}; {others}"
