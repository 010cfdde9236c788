"""The data sets and players that a store knows, and what to say of a name that it does not."""

from collections.abc import Iterable, Sequence
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


def known_names(
    store: Store, kind: str, like: str, game: str | None = None, also: Iterable[str] = ()
) -> list[str]:
    """The names of all data sets, or of all players, those most like a name first.

    game
        Only players of this game.
    also
        Names that are known from elsewhere.
    """
    tables = ["events", "quarantine"] if kind == DATASET else ["events"]
    sql = (
        f"from (select name from ({_NAMES[kind]}) where name is not null and (game = $2 or $2 is null) "
        "union select unnest($3::varchar[])) "
        "order by jaro_winkler_similarity(lower(name), lower($1)) desc, name"
    )
    connection = query.connect(store, tables)
    return [name for (name,) in connection.execute(sql, [like, game, list(also)]).fetchall()]


def other_forms(name: str, known: Sequence[str]) -> tuple[str, ...]:
    """The known names that are the same in another Unicode form, with other capitals or with other blanks."""
    return tuple(form for form in known if form != name and _folded(form) == _folded(name))


def _folded(name: str) -> str:
    return " ".join(normalize("NFKC", normalize("NFKC", name).casefold()).split())


def typed(name: str) -> str:
    """A name as it can be typed in a shell, letter for letter."""
    return "".join(map(_typed, name)).join(("$'", "'"))


def _typed(letter: str) -> str:
    if letter in "'\\":
        return f"\\{letter}"
    return letter if letter.isascii() and letter.isprintable() else f"\\U{ord(letter):08x}"


def unknown(kind: str, name: str, known: Sequence[str]) -> str:
    """A sentence about a name that is not known: which there are. Empty if it is."""
    if name in known:
        return ""
    if forms := other_forms(name, known):
        others = f"another spelling of the name is {' and '.join(map(typed, forms))}"
    else:
        others = "there are: " + ", ".join(map(shown, known[:MOST_LISTED])) if known else "no hand has any"
        if len(known) > MOST_LISTED:
            others += f" and {len(known) - MOST_LISTED:,} more"
    return f"there is no {kind} {shown(name)!r}; {others}"
