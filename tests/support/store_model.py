"""What a store must hold, in a few lines of plain Python: the model that `test_store_machine` compares with.

Hands of Kaiser come in three versions: ``A``, ``B``, which contradicts it, and ``S``, the beginning of A.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from cardlog.pipelines import operations, runs
from cardlog.pipelines.storage.store import SCHEMAS, Store
from tests.support.csv_rows import changed, dump, dump_lines, field
from tests.support.shared import made_once
from tests.support.stores import PARTITIONED, ask, connect, data_files, ingest

SLIPPED = 2
"""The hand whose opening `rule_with_a_slip` refuses."""
FILES = (
    ("one", "0A 1A 3A 7S"),
    ("one", "3A 4S 5A bad"),
    ("one", "4A 0B 7A"),
    ("one", "4B 1A 7B bad"),
    ("two", "0A 4A bad"),
    ("two", "0B 8S 1A"),
    ("one", f"8A {SLIPPED}A"),
)
"""The data set of each file, and its rows: hands in some version, or a bad row."""
HANDS = tuple(sorted({(data_set, int(row[:-1])) for data_set, rows in FILES for row in rows.split()
                      if row != "bad"}))  # fmt: skip

Hand = tuple[str, int]
"""The data set of a hand, and its number."""
Row = tuple[int, int, str]
"""A stored hand: the file it is from, its number, and its version."""
Digest = tuple[Any, ...]
"""The number of rows of a hand in a table, and a digest of them."""


def text_of(number: int) -> bytes:
    """The text of a file."""
    lines = dump_lines()

    def line(row: str) -> bytes:
        if row == "bad":
            return b"no row %d" % number
        full = lines[int(row[:-1])]
        cut = {"played_cards": field(full, "played_cards")[:20]}
        other = {"player_0_ai": "t", "player_1_ai": "t"}
        return changed(full, **{"A": {}, "S": cut, "B": other}[row[-1]])

    return dump(*map(line, FILES[number][1].split()))


class Counts(NamedTuple):
    """What an ingest says."""

    hands_stored: int
    duplicates: int
    quarantined: int
    completed: int
    replaced: int
    erased: int


@dataclass(frozen=True)
class Model:
    """What is in a store.

    hands
        The stored hands.
    entries
        The rows of `quarantine` that count: the data set, the hand if it is known, and the reason.
    known, ids
        The files that were ingested, and the names of ingests that were committed.
    ingests
        The number of rows of `ingests` that count.
    replacements
        How many commits replaced stored hands.
    buried
        Hands that must not come back.
    """

    hands: dict[Hand, Row]
    entries: tuple[tuple[str, int | None, str], ...] = ()
    known: frozenset[int] = frozenset()
    ids: frozenset[Any] = frozenset()
    ingests: int = 0
    replacements: int = 0
    buried: frozenset[Hand] = frozenset()

    def ingested(
        self, files: tuple[int, ...], replaces: bool = False, slip: bool = False
    ) -> tuple["Model", Counts | None]:
        """After an ingest; no counts if it is skipped."""
        fresh = [n for n in dict.fromkeys(files) if replaces or n not in self.known]
        name = (tuple(fresh), self.replacements if replaces else None)
        if not fresh or name in self.ids:
            return self, None
        model, counts = self._with([row for n in fresh for row in rows_of(n)], replaces, slip)
        return replace(
            model, known=self.known | {*fresh}, ids=self.ids | {name}, ingests=self.ingests + len(fresh)
        ), counts

    def retried(self) -> tuple["Model", Counts | None]:
        """After the slip is mended and quarantine is read again."""
        again = {
            (data_set, number)
            for data_set, number, reason in self.entries
            if reason == "slip" and (data_set, number) not in self.hands
        }
        if not again or "retry" in self.ids:
            return self, None
        rows = [row for row in rows_of(len(FILES) - 1) if row[:2] in again]
        model, counts = self._with(rows, False, False)
        return replace(model, ids=self.ids | {"retry"}, ingests=self.ingests + 1), counts

    def _with(
        self, rows: list[tuple[str, int | None, str, int]], replaces: bool, slip: bool
    ) -> tuple["Model", Counts]:
        hands, entries = dict(self.hands), list(self.entries)
        stored, duplicates, completed, replaced, erased, rejected = 0, 0, 0, 0, 0, 0
        groups: dict[Hand, list[Row]] = {}
        for data_set, number, version, file in rows:
            if number is None or (slip and number == SLIPPED):
                entries.append((data_set, number, "bad" if number is None else "slip"))
                rejected += 1
            else:
                groups.setdefault((data_set, number), []).append((file, number, version))
        for hand, versions in groups.items():
            old = kept = hands.get(hand)
            if hand in self.buried:
                erased += len(versions)
                continue
            for row in versions:
                if kept is None or (
                    not extends(kept, row) and (extends(row, kept) or (replaces and kept is old))
                ):
                    kept = row
            assert kept is not None
            hands[hand] = kept
            for row in versions:
                if row is kept and kept is not old:
                    stored += 1
                    completed += old is not None and extends(kept, old)
                    replaced += old is not None and not extends(kept, old)
                elif extends(kept, row):
                    duplicates += 1
                else:
                    entries.append((*hand, "conflict"))
                    rejected += 1
        counts = Counts(stored, duplicates + erased, rejected, completed, replaced, erased)
        changes = self.replacements + bool(completed or replaced)
        return replace(self, hands=hands, entries=tuple(entries), replacements=changes), counts

    def without(self, hand: Hand) -> "Model":
        """After a hand was forgotten: it does not come back, if there was anything of it."""
        left = self._left(lambda data_set, number: (data_set, number) != hand)
        return self if left == self else replace(left, buried=self.buried | {hand})

    def without_data_set(self, name: str) -> "Model":
        """After a data set was forgotten."""
        return self._left(lambda data_set, number: data_set != name)

    def _left(self, stays: Any) -> "Model":
        return replace(
            self,
            hands={hand: row for hand, row in self.hands.items() if stays(*hand)},
            entries=tuple(entry for entry in self.entries if stays(*entry[:2])),
        )


def rows_of(file: int) -> Iterator[tuple[str, int | None, str, int]]:
    """The rows of a file: data set, number and version of the hand, and the file."""
    data_set, rows = FILES[file]
    for row in rows.split():
        yield (data_set, None, "", file) if row == "bad" else (data_set, int(row[:-1]), row[-1], file)


def extends(row: Row, other: Row) -> bool:
    """Whether a version says all that another one does."""
    return row[2] == other[2] or (row[2], other[2]) == ("A", "S")


# ---------------------------------------------------------------- rows of hands


def digests(
    store: Store, names: tuple[str, ...], paths: dict[str, list[str]] | None = None
) -> dict[str, Any]:
    """For each table the digest of each hand's rows, but for the commit that brought them.

    paths
        The data files of each table (default: those it has now).
    """
    found: dict[str, Any] = {name: {} for name in names}
    files = paths or {name: data_files(store, name) for name in names}
    parts = [
        f"select '{name}', hand_id, count(*), sum(hash({columns})) "
        f"from read_parquet({files[name]}, hive_partitioning = true, union_by_name = true) group by all"
        for name in names
        for columns in [", ".join(f'"{c}"' for c in SCHEMAS[name].names if c != "ingest_no")]
        if files[name]
    ]
    rows = connect((), main=store).execute(" union all ".join(parts)).fetchall() if parts else ()
    for name, hand, *digest in rows:
        found[name][hand] = tuple(digest)
    return found


class Library(NamedTuple):
    """Every version of every hand, each from an ingest of its file alone.

    ids
        The id of each hand.
    rows
        For each row of a file its digests by table.
    entries
        The row of a file by its digest in `events`.
    """

    folder: Path
    ids: dict[Hand, str]
    rows: dict[Row, dict[str, Digest | None]]
    entries: dict[Digest, Row]


@cache
def library() -> Library:
    """All files, and what their rows are in a store."""
    folder = made_once("library", _make)
    ids: dict[Hand, str] = {}
    rows: dict[Row, dict[str, Digest | None]] = {}
    for file in range(len(FILES)):
        store = Store(str(folder / f"store-{file}"))
        keys = dict(ask(store, "select source_key, hand_id from events where seq = 0"))
        tables = digests(store, PARTITIONED)
        for data_set, number, version, _ in rows_of(file):
            if number is not None:
                hand = ids[data_set, number] = keys[field(dump_lines()[number], "id")]
                rows[file, number, version] = {name: tables[name].get(hand) for name in PARTITIONED}
    entries = {tables["events"]: row for row, tables in rows.items()}
    assert len(entries) == len(rows)
    return Library(folder, ids, rows, entries)


def _make(folder: Path) -> None:
    for file, (data_set, _) in enumerate(FILES):
        (folder / f"{file}.csv").write_bytes(text_of(file))
        store = Store(str(folder / f"store-{file}"))
        ingest(store, folder / f"{file}.csv", dataset=data_set)
        runs.build(store)
        operations.analyse(store, "kaiser")
