"""Training data: the decisions of a game, encoded, divided into splits, in one of `FORMS`.

A folder has one subfolder per kind of decision. ``README.md`` describes it to people and `datasets`,
``manifest.json`` to programs, and with Parquet ``croissant.json`` to tools that read Croissant. The same
store, encoder, selection, order and seed give the same bytes.

Portions of events become blocks of encoded rows, and blocks become the files.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from cardlog.pipelines.export import blocks as block_files
from cardlog.pipelines.export import croissant, dataset_card, mixing
from cardlog.pipelines.export.blocks import Block
from cardlog.pipelines.export.dataset_card import Counts
from cardlog.pipelines.export.encoders import encoder
from cardlog.pipelines.export.minari_files import MINARI, MinariFiles, steps_in
from cardlog.pipelines.export.numpy_files import NpzFiles, NumpyFiles
from cardlog.pipelines.export.output import OutputError
from cardlog.pipelines.export.parquet_files import ParquetFiles, group_sizes
from cardlog.pipelines.export.rows import columns_of, completed, encoded
from cardlog.pipelines.export.spec import SPLITS, ExportPlan, ExportSpec, Portion, batches
from cardlog.pipelines.version import VERSION

DEFAULT_KIND: Final = "play"


FORMS: Final[dict[str, Callable[[ExportSpec, Path, str, int, Iterator[pa.RecordBatch]], Any]]] = {
    "parquet": lambda _, folder, split, count, __: ParquetFiles(folder, split, count),
    "npy": lambda _, *split: NumpyFiles(*split),
    "npz": lambda _, *split: NpzFiles(*split),
    "minari": lambda spec, folder, split, *_: MinariFiles(folder, split, spec.all_episodes),
}
"""The writer of each form of training data, with the methods `add` and `close`, made of the export, the
folder of a kind, a split, the number of its rows, and the rows, for writers that read them beforehand."""


def encode_portion(plan: ExportPlan, portion: Portion) -> None:
    """Write the blocks of a portion. Raises OutputError if a user's encoder fails."""
    encode = partial(encoded, plan, encoder(plan.spec.game, plan.spec.encoder))
    block_files.write(plan.blocks, portion.key, chain.from_iterable(map(encode, batches(plan, portion))))


def write(plan: ExportPlan, blocks: list[Block], folder: Path) -> None:
    """Write the files of training data, those of the default kind first."""
    spec = plan.spec
    for (kind, split), count in _summed(blocks, "rows").items():
        split_blocks = [block for block in blocks if (block.kind, block.split) == (kind, split)]
        read = partial(block_files.read, plan.blocks, split_blocks, spec.order == mixing.MIXED)
        writer = FORMS[spec.form](spec, folder / kind, SPLITS[split], count, read())
        record_batches = read()
        if spec.form != MINARI:  # it needs the rows of a hand together
            record_batches = mixing.windows(record_batches, group_sizes(count))
        if spec.order == mixing.MIXED:
            record_batches = mixing.mixed(record_batches, mixing.key_of(spec.seed, split))
        for rows in record_batches:
            writer.add(completed(rows, spec))
        writer.close()


def _summed(blocks: list[Block], name: str) -> Counts:
    """A count of blocks by kind and split, without zeros: the default kind first, and in each kind train,
    validation, test."""
    sums = Counter[tuple[str, int]]()
    for block in blocks:
        sums[block.kind, block.split] += getattr(block, name)
    return {key: sums[key] for key in sorted(+sums, key=lambda key: (key[0] != DEFAULT_KIND, *key))}


# ---------------------------------------------------------------- descriptions of the files


def describe(spec: ExportSpec, blocks: list[Block], folder: Path) -> tuple[int, dict[str, int]]:
    """Write the card, the manifest and, for Parquet, the Croissant; returns how many rows there are, and how
    many of each kind were left out because cards are hidden. Raises OutputError if there is no row."""
    counts, left_out = _summed(blocks, "rows"), _summed(blocks, "left_out")
    if not counts:
        raise OutputError(_why_nothing(spec, sum(left_out.values())))
    available = counts
    if spec.form == MINARI:  # its datasets are samples
        counts = {key: steps_in(folder, key[0], SPLITS[key[1]]) for key in available}
    files = [_file(folder, path) for path in sorted(folder.rglob("*")) if path.is_file()]
    if spec.form == "parquet":
        _write_json(folder / croissant.NAME, croissant.description(spec, counts, files, folder))
    sample = {"sample_of": _nested(available)} if spec.form == MINARI else {}
    manifest = folder / "manifest.json"
    _write_json(manifest, _manifest(spec, counts, left_out, files) | sample)
    digest = str(_file(folder, manifest)["sha256"])
    card = dataset_card.text(spec, counts, left_out, sum(available.values()), folder, digest)
    (folder / "README.md").write_text(card, encoding="utf-8")
    return sum(counts.values()), {kind: sum(splits.values()) for kind, splits in _nested(left_out).items()}


def _why_nothing(spec: ExportSpec, left_out: int) -> str:
    if left_out:
        return (
            f"the log hides the cards of the player in all {left_out} decisions of {spec.game}, so there is "
            "nothing to write; --include-hidden-cards includes them"
        )
    if spec.selection.criteria():
        return f"no decision of {spec.game} is what was asked for, so there is nothing to write"
    return f"no hand of {spec.game} was played to its end, so there is nothing to write"


def _file(folder: Path, path: Path) -> dict[str, Any]:
    with path.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    return {"path": str(path.relative_to(folder)), "bytes": path.stat().st_size, "sha256": digest}


def _manifest(
    spec: ExportSpec, counts: Counts, left_out: Counts, files: list[dict[str, Any]]
) -> dict[str, Any]:
    """What the dataset was made from and what it holds."""
    layout = {"layout": list(spec.layout)} if spec.layout else {}
    return {
        "game": spec.game,
        "encoder": spec.encoder,
        "encoder_version": spec.encoder_version,
        **layout,
        "selection": spec.selection.criteria(),
        "seed": spec.seed,
        "splits": dict(zip(SPLITS, spec.splits, strict=True)),
        "order": spec.order,
        "events_version": spec.events_version,
        "cardlog_version": VERSION,
        "columns": list(columns_of(spec)),
        "actions": {kind: spec.words[kind] for kind in _nested(counts) if kind in spec.words},
        "rows": _nested(counts),
        "left_out": {"hidden_cards": _nested(left_out)},
        "files": files,
    }


def _nested(counts: Counts) -> dict[str, dict[str, int]]:
    """Counts by kind, and by split."""
    by_kind: dict[str, dict[str, int]] = {}
    for (kind, split), count in counts.items():
        by_kind.setdefault(kind, {})[SPLITS[split]] = count
    return by_kind


def _write_json(path: Path, value: dict[str, Any]) -> None:
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
