"""Hands in quarantine: count them, show them, resolve them, and read their texts again."""

import fcntl
import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

from cardlog.pipelines.runtime.progress import Watch, no_watch
from cardlog.pipelines.sql import query
from cardlog.pipelines.sql.quarantined import DIGEST, NAME, REPLACED, RESOLVED, STORED, WAITING
from cardlog.pipelines.storage.lock import locked
from cardlog.pipelines.storage.resolutions import Resolution, resolutions, write
from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.text.visible import shown
from cardlog.schemas.errors import CardlogError
from cardlog.schemas.reasons import MEANING, Reason

if TYPE_CHECKING:
    from cardlog.pipelines.readers.base import Read
    from cardlog.pipelines.runs import Ingested

_INCOMPLETE: Final = Reason.INCOMPLETE.code


class NoSuchEntry(CardlogError):
    """No entry has that id, or several have; the text is for the user."""


def counts(store: Store, reason: str | None = None) -> list[dict[str, Any]]:
    """How many hands are in quarantine for each reason, most first, and how many of them were stored since
    or are resolved; each hand counts once, as the latest ingest found it. Raises
    NoSuchEntry for an unknown reason."""
    code = _code(reason)
    rows = _query(
        store,
        f"select reason, count(*) as hands, count_if(status = '{STORED}') as stored_since, "
        f"count_if(status = '{RESOLVED}') as resolved "
        f"from {NAME} where reason = ? or ? is null group by reason order by hands desc, reason",
        [code, code],
    )
    return [row | {"meaning": MEANING[Reason[row["reason"].upper()]]} for row in rows]


def waiting(store: Store) -> int:
    """How many hands in quarantine were not stored since and are not resolved."""
    return totals(store)["waiting"]


def totals(store: Store) -> dict[str, int]:
    """How many hands in quarantine were not stored since and are not resolved, how many of these are
    incomplete, how many were stored since, and how many are resolved."""
    rows = counts(store) if store.rows("quarantine") else []
    left = {row["reason"]: row["hands"] - row["stored_since"] - row["resolved"] for row in rows}
    done = {name: sum(row[name] for row in rows) for name in ("stored_since", "resolved")}
    return {"waiting": sum(left.values()), "incomplete": left.get(_INCOMPLETE, 0), **done}


def newly_bad(entries: list[dict[str, Any]]) -> int:
    """How many of an ingest's entries are of hands that no earlier one rejected; incomplete ones do not count
    yet."""
    return sum(row["reason"] != _INCOMPLETE and row["status"] in (WAITING, REPLACED) for row in entries)


def is_open(entries: list[dict[str, Any]]) -> bool:
    """Whether one of an ingest's entries is not resolved."""
    return any(row["status"] != RESOLVED for row in entries)


def entries_of(store: Store, ingest_id: str) -> list[dict[str, Any]]:
    """The entries of an ingest, in the order of their sources."""
    sql = f"select * exclude (raw) from {NAME} where ingest_id = ? order by source_path, first_line"
    return [_with_place(row) for row in _query(store, sql, [ingest_id])]


def entries(store: Store, reason: str | None, limit: int, *, resolved: bool = False) -> list[dict[str, Any]]:
    """Some entries, only resolved ones or none of them, in the order of their sources. Raises
    NoSuchEntry for an unknown reason."""
    code = _code(reason)
    rows = _query(
        store,
        f"select * exclude (raw) from {NAME} where (reason = ? or ? is null) "
        f"and (status = '{RESOLVED}') = ? order by source_path, first_line limit ?",
        [code, code, resolved, limit],
    )
    return [_with_place(row) for row in rows]


def _code(reason: str | None) -> str | None:
    known = [code.code for code in Reason if code is not Reason.OK]
    if reason is not None and reason.lower() not in known:
        raise NoSuchEntry(f"there is no reason '{shown(reason)}'; there are: {', '.join(known)}")
    return None if reason is None else reason.lower()


def entry(store: Store, name: str, *, whole: bool = False) -> dict[str, Any]:
    """The entry of the hand with this id or source key, or else the one whose own id begins with a text, or
    is that text if it must be whole. Includes its raw text. Raises NoSuchEntry."""
    from cardlog.pipelines.sql import hand_lookup  # not above: status needs no rules, which load slowly
    from cardlog.pipelines.storage.stored_hands import ID_DIGITS

    hands = sorted({row["hand_id"] for row in hand_lookup.quarantined(store, name)})
    named = _query(store, f"from {NAME} where hand_id in (select unnest(?)) order by all", [hands])
    digits = ID_DIGITS if whole else hand_lookup.SHORTEST_PREFIX
    prefix = name.lower() if len(name) >= digits else None
    rows = named or _query(store, f"from {NAME} where starts_with(quarantine_id, ?) limit 2", [prefix])
    if len(rows) == 1:
        return _with_place(rows[0])
    if named:
        ids = ", ".join(f"{row['quarantine_id']} of {row['dataset']}" for row in named[:5])
        raise NoSuchEntry(f"{len(named)} entries are of hands with the id or key {name!r}: {ids}")
    several = "several entries have" if rows else "no entry has"
    like = "the whole id" if whole else "an id that begins with"
    least = f", of which {digits} digits are needed" if len(name) < digits and not whole else ""
    raise NoSuchEntry(
        f"{several} {like} '{shown(name)}'{least}, or that key; 'cardlog quarantine list' shows ids"
    )


def _with_place(row: dict[str, Any]) -> dict[str, Any]:
    first, last = row["first_line"], row["last_line"]
    lines = f"line {first}" if first == last else f"lines {first}-{last}"
    return row | {"where": f"{row['source_path']}, {lines}"}


def _query(store: Store, sql: str, values: Sequence[Any] = ()) -> list[dict[str, Any]]:
    return query.connect(store, {NAME}).execute(sql, values).dicts()


def resolve(
    store: Store,
    names: Sequence[str] = (),
    *,
    reason: str | None = None,
    everything: bool = False,
    note: str = "",
) -> int:
    """Say of hands in quarantine that they need nothing more; returns how many are resolved by it. A hand
    that is found with another text or for another reason is open again.

    names
        The ids or keys of the hands, or the ids of their entries, all of them whole; or else:
    reason, everything
        All hands with a reason, or all.

    Raises NoSuchEntry, also if it is not clear which hands are meant.
    """
    if bool(names) + (reason is not None) + everything != 1:
        raise NoSuchEntry("which hands are resolved? Name the ids of entries, a reason, or all")
    code = _code(reason)
    with locked(store, fcntl.LOCK_EX):
        ids = [entry(store, name, whole=True)["quarantine_id"] for name in names]
        found = _query(
            store,
            f"select {DIGEST} as digest from {NAME} where status not in ('{STORED}', '{RESOLVED}') "
            "and (quarantine_id in (select unnest(?::varchar[])) or reason = ? or ?)",
            [ids, code, everything],
        )
        at = datetime.now(UTC).isoformat(timespec="seconds")
        fresh = {row["digest"]: Resolution(at, note) for row in found}
        if fresh:
            write(store, resolutions(store) | fresh)
    return len(found)


def forget_resolutions(store: Store) -> None:
    """Remove the resolutions of hands that are no longer in quarantine, with their notes."""
    if known := resolutions(store):
        digests = {row["digest"] for row in _query(store, f"select {DIGEST} as digest from quarantine")}
        write(store, {digest: row for digest, row in known.items() if digest in digests})


def edit_notes(store: Store, change: Callable[[str], str], *, dry_run: bool = False) -> int:
    """Change the notes of resolutions, and return how many are different then."""
    old = resolutions(store)
    new = {digest: replace(row, note=change(row.note)) for digest, row in old.items()}
    if new != old and not dry_run:
        write(store, new)
    return sum(new[digest] != row for digest, row in old.items())


def resolution(store: Store, quarantine_id: str) -> Resolution | None:
    """What was said of an entry that is resolved."""
    rows = _query(store, f"select {DIGEST} as digest from {NAME} where quarantine_id = ?", [quarantine_id])
    return resolutions(store).get(rows[0]["digest"]) if rows else None


def retry(store: Store, *, beam_options: Sequence[str] = (), watch: Watch = no_watch) -> "Ingested":
    """Read and judge the texts in quarantine again, and store the hands that are legal now. They keep their
    source, lines and names; the others stay in quarantine."""
    from cardlog.pipelines import runs
    from cardlog.pipelines.ingest.sources import ReadItem, SourceFile
    from cardlog.pipelines.readers.base import Source

    files: list[SourceFile] = []
    items: list[ReadItem] = []
    ids = []
    for key, rows in groupby(_retryable(store), itemgetter("format", "dataset", "source_id", "source_path")):
        legal = [row for row in rows if _is_legal(row)]
        if legal:
            format_name, dataset, source_id, path = key
            source = Source(source_id, path, dataset)
            file = SourceFile(source, path, format_name, sum(len(row["raw"]) for row in legal))
            texts = tuple((_bytes(row), row["first_line"], row["context"] or "") for row in legal)
            items.append(ReadItem(f"{len(files):06d}-000000", file, texts=texts))
            files.append(file)
            ids += [row["quarantine_id"] for row in legal]
    if not items:
        return runs.Ingested()
    ingest_id = hashlib.blake2b("\n".join(sorted(ids)).encode(), digest_size=16).hexdigest()
    ingested = runs.ingest_items(store, ingest_id, files, items, beam_options, watch)
    return runs.Ingested.of(ingested, ingest_id=ingest_id)


def _retryable(store: Store) -> list[dict[str, Any]]:
    """The entries whose texts may be legal now, by source, in the order of their lines."""
    return _query(
        store,
        f"from {NAME} where status not in ('{STORED}', '{RESOLVED}') and raw != '' "
        "and reason not in ('conflict', 'too_long') "
        "order by source_id, format, dataset, source_path, first_line",
    )


def _is_legal(entry: dict[str, Any]) -> bool:
    """Whether the text of an entry has hands now, and all of them can be stored."""
    from cardlog.pipelines.ingest.judge import judge

    judged = [judge(read) for read in _reads(entry)]
    return any(len(hands.kept) for hands in judged) and not any(hands.rejects for hands in judged)


def _reads(entry: dict[str, Any]) -> "list[Read]":
    """What the reader makes of the text of an entry."""
    from cardlog.pipelines import readers
    from cardlog.pipelines.readers.base import Source
    from cardlog.pipelines.readers.options import without_options

    context, options = without_options(entry["context"] or "")
    place = entry["source_id"], entry["source_path"], entry["dataset"]
    source = Source(*place, context=context, options=options)
    return readers.get(entry["format"]).read(_bytes(entry), source, entry["first_line"])


def _bytes(entry: dict[str, Any]) -> bytes:
    """The text of an entry. Its last line was whole, so it has a line end."""
    raw: str = entry["raw"]
    return raw.removesuffix("\n").encode(entry["raw_encoding"]) + b"\n"


def wrong_line(entry: dict[str, Any]) -> int | None:
    """The number, in its source, of the line of an entry that is wrong: the one that the message names, that
    of the first illegal event, or the last one if the text ends too early. None if it is not known."""
    from cardlog.pipelines.events.folding import fold_batch

    first, last = entry["first_line"], entry["last_line"]
    if first == last or not entry["raw"]:
        return int(first) if first == last else None
    named = re.match(r"Line (\d+)\b", entry["message"])
    if named and first <= int(named[1]) <= last:
        return int(named[1])
    if entry["reason"] == Reason.INCOMPLETE.code:
        return int(last)
    for read in _reads(entry):
        illegal = [index for index in fold_batch(read.batch).at.tolist() if index >= 0]
        for line in map(int, read.batch.events["line"][illegal]):
            if first <= line <= last:
                return line
    return None
