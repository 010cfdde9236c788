"""Logs in which a person plays, and where in a store something of that person is said."""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any
from unicodedata import normalize

import pyarrow.parquet as pq

from cardlog.pipelines import runs
from cardlog.pipelines.export.simulate import simulate
from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.upkeep import forget as forgetting
from cardlog.pipelines.upkeep.forget import Forgotten
from cardlog.pipelines.upkeep.wanted import Wanted
from tests.support.shared import made_once
from tests.support.stores import ingest

NAME = "Zoë Quillfeather"
"""A person; in the logs also with escapes."""
FORMS = ("Quillfeather", "quillfeather", "Zo\\u00eb", "Zoë")


def log(folder: Path, game: str, seed: int, *, match: str = "table", damaged: int = 0) -> Path:
    """A log of six hands in which the person plays in every other one, in notes in another Unicode form; the
    last ones may be damaged."""
    path = folder / f"{match} {game} {seed}.jsonl"
    simulate(game, 6, seed, str(path))
    lines = []
    hands: list[str] = []
    for line in path.read_text().splitlines():
        event = json.loads(line)
        if event["action"] == "open":
            hands.append(event["hand_id"])
            event["detail"]["players"][1] = {"kind": "human", "name": "Bo"}
            if len(hands) % 2:
                event["detail"]["players"][0] = {"kind": "human", "name": NAME}
        elif event["seq"] == 1 and len(hands) % 2:
            event["detail"] = {"note": f"{normalize('NFD', NAME)} was late"}
        event["match_id"] = f"{match}-{event['match_id']}"
        event["hand_id"] = f"{match}/{game}/{seed}/{len(hands)}"
        if len(hands) > 6 - damaged and event["action"] == "open":
            event["detail"]["dealer"] = NAME
        if game == "kaiser":
            event.pop("occurred_at", None)
        lines.append(json.dumps(event, ensure_ascii=len(hands) % 4 == 1))
    path.write_text("\n".join(lines) + "\n")
    return path


@cache
def persons() -> Store:
    """Two data sets of two games in which the person plays, with damaged hands, built. Not to be changed."""

    def make(folder: Path) -> None:
        store = Store(str(folder / "store"))
        ingest(store, log(folder, "five_card_draw", 1, damaged=2), dataset="one")
        ingest(store, log(folder, "kaiser", 2, match=NAME, damaged=1), dataset="two")
        runs.build(store)

    return Store(str(made_once("persons", make) / "store"))


def forget(store: Store, *, dry_run: bool = False, **wanted: Any) -> Forgotten:
    """Erase from a store, as asked for on the command line."""
    return forgetting.forget(store, Wanted(**wanted), dry_run=dry_run)


def texts(root: str) -> Iterator[tuple[Path, str]]:
    """Everything that is said in the files under a folder: names, bytes, and the values and dictionaries of
    Parquet files."""
    for path in sorted(Path(root).rglob("*")):
        if path.is_file():
            yield path, str(path.relative_to(root))
            yield path, path.read_bytes().decode("latin-1")
            yield path, path.read_bytes().decode("utf-8", "replace")
        if path.suffix == ".parquet":
            file = pq.ParquetFile(path)
            for group in range(file.num_row_groups):
                columns = [file.metadata.row_group(group).column(i) for i in range(file.metadata.num_columns)]
                names = [c.path_in_schema for c in columns if c.physical_type == "BYTE_ARRAY"]
                labels = [c.path_in_schema for c in columns if "RLE_DICTIONARY" in c.encodings]
                labels = [name for name in labels if name in names]
                for form in (file, pq.ParquetFile(path, read_dictionary=labels)):
                    for column in form.read_row_group(group, columns=names).columns:
                        for chunk in column.chunks:
                            yield path, str(getattr(chunk, "dictionary", chunk).to_pylist())


def saying(root: str, words: tuple[str, ...]) -> set[str]:
    """The files that say one of some words."""
    return {path.name for path, text in texts(root) if any(word in text for word in words)}
