"""Training data: the decisions of a game, encoded, divided into splits, in the form that was asked for.

A folder has one subfolder a kind of decision; ``README.md`` tells people and `datasets` what is
what, ``manifest.json`` programs, and with Parquet ``croissant.json`` whoever reads Croissant. The
same store, encoder, selection, order and seed give the same bytes.

Items of events become blocks of encoded rows, blocks become the shards that workers write.
"""

import hashlib
import io
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Final, Protocol, cast

import pyarrow as pa

from cardlog.pipelines.export import blocks as blocks_of
from cardlog.pipelines.export import croissant, dataset_card, mixing
from cardlog.pipelines.export.blocks import Block, Rows, Shard
from cardlog.pipelines.export.costs import costs_in
from cardlog.pipelines.export.dataset_card import Counts
from cardlog.pipelines.export.encoders import encoder
from cardlog.pipelines.export.hand_filter import hand_filter
from cardlog.pipelines.export.minari_files import MINARI, MinariFiles, steps_in
from cardlog.pipelines.export.numpy_files import NpzFiles, NumpyFiles
from cardlog.pipelines.export.output import OutputError, placed
from cardlog.pipelines.export.parquet_files import GROUP_ROWS, ParquetFile, ends_of
from cardlog.pipelines.export.rows import columns_of, completed, encoded
from cardlog.pipelines.export.spec import SPLITS, ExportPlan, ExportSpec, Portion, batches
from cardlog.pipelines.storage.remote import Folder
from cardlog.pipelines.version import VERSION

DEFAULT_KIND: Final = "play"
MANIFEST: Final = "manifest.json"


class SplitWriter(Protocol):
    """Writes the rows of a shard."""

    def add(self, rows: pa.Table) -> None:
        """Add training rows."""

    def close(self) -> None:
        """Write the remaining rows."""


FORMS: Final[dict[str, Callable[[Path, Shard, Iterable[pa.RecordBatch]], SplitWriter]]] = {
    "parquet": lambda folder, shard, _: ParquetFile(folder, SPLITS[shard.split], shard.number, shard.of),
    "npy": lambda folder, shard, rows: NumpyFiles(folder, SPLITS[shard.split], shard.rows, rows),
    "npz": lambda folder, shard, rows: NpzFiles(folder, SPLITS[shard.split], shard.rows, rows),
    "minari": lambda folder, shard, _: MinariFiles(folder, SPLITS[shard.split]),
}
"""The forms of training data, and what writes their shards, given its rows, which may be read before."""


# ---------------------------------------------------------------- what workers do


def encode_portion(plan: ExportPlan, portion: Portion) -> list[Block]:
    """Write the blocks of a portion. Raises OutputError if an encoder of the user's fails."""
    return blocks_of.write(plan.blocks, portion.key, _encoded(plan, portion))


def _encoded(plan: ExportPlan, portion: Portion) -> Iterator[Rows]:
    by = encoder(plan.spec.game, plan.spec.encoder)
    wanted = hand_filter(plan.spec.selection, plan.chosen)
    costs = None if plan.costs is None else costs_in(plan.costs)
    for batch in batches(plan, portion):
        yield from encoded(batch, plan.spec, by, wanted, costs)


def lay_out(plan: ExportPlan, blocks: list[Block]) -> list[Shard]:
    """The shards that blocks become, those of the default kind first. The same whatever the blocks' order."""
    spec, shards = plan.spec, []
    for (kind, split), rows in _summed(blocks, "rows").items():
        ends = ends_of(rows) if spec.form == "parquet" else [rows]
        own = [block for block in blocks if (block.kind, block.split) == (kind, split)]
        for number, slices in enumerate(blocks_of.slices(own, ends, spec.order == mixing.MIXED)):
            shards.append(Shard(kind, split, number, len(ends), slices))
    return shards


def _summed(blocks: list[Block], name: str) -> Counts:
    """A count of blocks by kind and split, without noughts: the default kind first, and in each train,
    validation, test."""
    found = Counter[tuple[str, int]]()
    for block in blocks:
        found[block.kind, block.split] += getattr(block, name)
    return {key: found[key] for key in sorted(+found, key=lambda key: (key[0] != DEFAULT_KIND, *key))}


def write_shard(plan: ExportPlan, shard: Shard) -> None:
    """Write the files of a shard."""
    with placed(plan.folder, plan.blocks) as here:
        writer = FORMS[plan.spec.form](here / shard.kind, shard, blocks_of.read(plan.blocks, shard))
        found = blocks_of.read(plan.blocks, shard)
        if plan.spec.form != MINARI:  # which takes the rows of a hand together
            found = mixing.windows(found, GROUP_ROWS)
        if plan.spec.order == mixing.MIXED:
            found = mixing.mixed(found, mixing.key_of(plan.spec.seed, shard.split, shard.number))
        for rows in found:
            writer.add(completed(rows, plan.spec))
        writer.close()


# ---------------------------------------------------------------- what describes the files


def describe(plan: ExportPlan, blocks: list[Block]) -> None:
    """Write the card, the manifest and, for Parquet, the Croissant. Raises OutputError if there is no row."""
    spec, folder = plan.spec, Folder(plan.folder)
    counts, left_out = _summed(blocks, "rows"), _summed(blocks, "left_out")
    if not counts:
        raise OutputError(_nothing(spec, sum(left_out.values())))
    chosen = counts
    if spec.form == MINARI:  # whose datasets are samples
        counts = {key: steps_in(folder, key[0], SPLITS[key[1]]) for key in chosen}
    card = dataset_card.text(spec, counts, left_out, sum(chosen.values()))
    folder.put("README.md", io.BytesIO(card.encode()))
    found = sorted(folder.files().items())
    files = [_file(folder, name, size) for name, (size, _) in found if name not in _OWN]
    if spec.form == "parquet":
        _put_json(folder, croissant.NAME, croissant.description(spec, counts, files, folder))
    sample = {"sample_of": _nested(chosen)} if spec.form == MINARI else {}
    _put_json(folder, MANIFEST, _manifest(spec, counts, left_out, files) | sample)


def rows_in(folder: str) -> dict[str, int]:
    """How many rows of each kind a folder has, as its manifest says."""
    return _by_kind(_manifest_in(folder)["rows"])


def hidden_rows_of(out: str) -> dict[str, int]:
    """How many rows of each kind were left out of a folder because cards are hidden; none if it is not one of
    training data."""
    try:
        return _by_kind(_manifest_in(out)["left_out"]["hidden_cards"])
    except (FileNotFoundError, NotADirectoryError):
        return {}


def _manifest_in(folder: str) -> dict[str, Any]:
    with Folder(folder).open(MANIFEST) as file:
        return cast(dict[str, Any], json.loads(file.read()))


def _by_kind(rows: dict[str, dict[str, int]]) -> dict[str, int]:
    return {kind: sum(splits.values()) for kind, splits in rows.items()}


def _nothing(spec: ExportSpec, left_out: int) -> str:
    if left_out:
        return (
            f"the log hides the cards of the player in all {left_out} decisions of {spec.game}, so there is "
            "nothing to write; --include-hidden-cards includes them"
        )
    if spec.selection.asked():
        return f"no decision of {spec.game} is what was asked for, so there is nothing to write"
    return f"no hand of {spec.game} was played to its end, so there is nothing to write"


_OWN: Final = ("README.md", MANIFEST, croissant.NAME)


def _file(folder: Folder, name: str, size: int) -> dict[str, Any]:
    with folder.open(name) as stream:
        return {"path": name, "bytes": size, "sha256": hashlib.file_digest(stream, "sha256").hexdigest()}


def _manifest(
    spec: ExportSpec, counts: Counts, left_out: Counts, files: list[dict[str, Any]]
) -> dict[str, Any]:
    """What the dataset was made from and what it holds."""
    own = {"layout": list(spec.layout)} if spec.layout else {}
    return {
        "game": spec.game,
        "encoder": spec.encoder,
        "encoder_version": spec.encoder_version,
        **own,
        "selection": spec.selection.asked(),
        "seed": spec.seed,
        "splits": dict(zip(SPLITS, spec.splits, strict=True)),
        "order": spec.order,
        "events_version": spec.events_version,
        "cardlog_version": VERSION,
        "columns": list(columns_of(spec)),
        "rows": _nested(counts),
        "left_out": {"hidden_cards": _nested(left_out)},
        "files": files,
    }


def _nested(counts: Counts) -> dict[str, dict[str, int]]:
    """Counts by kind, and by split."""
    found: dict[str, dict[str, int]] = {}
    for (kind, split), count in counts.items():
        found.setdefault(kind, {})[SPLITS[split]] = count
    return found


def _put_json(folder: Folder, name: str, value: dict[str, Any]) -> None:
    folder.put(name, io.BytesIO((json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()))
