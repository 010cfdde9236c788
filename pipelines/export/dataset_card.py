"""The card of a dataset, ``README.md``: metadata for `datasets` at the top, text for people below."""

import json
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from cardlog.pipelines.export.mixing import HAND
from cardlog.pipelines.export.spec import SPLITS, ExportSpec

Counts = dict[tuple[str, int], int]
"""Rows by kind and split, the default kind first."""


_COSTS = """\
| `value` | the return that the action led to if all play perfectly from there and see all cards; null, as \
the costs, where the decision was not analysed |
| `cost_open` | how much less that is than by the best action; by what was known, it may have been right |
| `cost_known` | what the action cost by what the seat knew; null unless `cardlog analyse --known` found it |
"""


_ADDED = {
    "player": "| `player` | the player's name, where the log has one |\n",
    "player_kind": "| `player_kind` | human or computer, where the log says so |\n",
    "dataset": "| `dataset` | the data set that the hand was ingested into |\n",
    "occurred_at": "| `occurred_at` | when the action was taken, in UTC, where the log has times |\n",
    "next_observation": "| `next_observation` | what the seat knew at its next decision in the hand, zeros \
after the last |\n",
    "next_action_mask": "| `next_action_mask` | which actions were legal then, of all that any kind has |\n",
    "next_kind": "| `next_kind` | the kind of that decision; null after the last |\n",
    "done": "| `done` | whether the decision was the seat's last in the hand |\n",
}


def text(spec: ExportSpec, counts: Counts, left_out: Counts, total: int, folder: Path, digest: str) -> str:
    """The card.

    left_out, total
        Rows that were left out because cards are hidden, and all rows, of which `counts` may be a sample.
    folder, digest
        The folder of all files, and the digest of the manifest, and so of all of them.
    """
    game = spec.game
    rows = "\n".join(f"| {kind} | {SPLITS[number]} | {count} |" for (kind, number), count in counts.items())
    shares = ", ".join(f"{percent} % {name}" for name, percent in zip(SPLITS, spec.splits, strict=True))
    aborted = spec.selection.include_aborted
    hands = "all hands, also those that break off" if aborted else "hands played to their end"
    criteria = spec.selection.criteria().items()
    chosen = "".join(f"\n* {name}: `{value}`" for name, value in criteria if not name.startswith("include_"))
    return f"""{_header(spec)}{_metadata(spec, counts, folder, digest)}---
# {_title(spec)}
{_said(spec)}
One row per decision of a seat, of {hands}; written by cardlog with the encoder {spec.encoder}, version
{spec.encoder_version}.{" Chosen by:" + chosen if chosen else ""}

| configuration | split | rows |
|---|---|---|
{rows}
{_sample(sum(counts.values()), total)}{_hidden(spec, left_out)}
Split by {_unit(spec)}: {shares}, seed {spec.seed}. With more data a match
stays in its split. {_order(spec)} `manifest.json` says what the files were made from.

| column | meaning |
|---|---|
| `hand_id`, `match_id` | the hand, and its match where the source tells |
| `seat` | who decided, from 0 in turn order |
| `step` | place of the decision in its hand, bids and plays together |
| `encoder`, `encoder_version` | what made the observation |
| `dialect` | the rules the hand was judged by; null in games that have only one |
| `observation` | what the seat knew; `docs/features/{game}.md` of cardlog has the layout |
| `action_mask` | which actions were legal |
| `action` | the action taken, an index into `action_mask`; its word is in `manifest.json` |
| `reward` | what the decision brought the seat at once, as the points of a trick |
| `return` | what the hand brought the seat or its team, less the others' |
| `outcome` | 1 if that is more than nothing, -1 if it is less, 0 if neither |
{_COSTS if spec.selection.has_costs else ""}{"".join(_ADDED[name] for name in spec.columns)}
`cardlog show HAND_ID --raw` prints the lines of the log that a hand was read from.
"""


def splits_of(counts: Counts) -> dict[str, list[str]]:
    """The splits that have rows, by kind."""
    by_kind: dict[str, list[str]] = {}
    for kind, number in counts:
        by_kind.setdefault(kind, []).append(SPLITS[number])
    return by_kind


def _title(spec: ExportSpec) -> str:
    return spec.name or f"Decisions of {spec.game}"


def _said(spec: ExportSpec) -> str:
    """What the user says of it."""
    return f"\n{spec.description}\n" if spec.description else ""


def _header(spec: ExportSpec) -> str:
    """The beginning of the metadata, in YAML."""
    licence = f"license: {json.dumps(spec.license)}\n" if spec.license else ""
    title = json.dumps(_title(spec), ensure_ascii=False)
    return f"---\npretty_name: {title}\n{licence}tags:\n- card-games\n- reinforcement-learning\n"


def _unit(spec: ExportSpec) -> str:
    """What rows of which are in one split."""
    match = "match, or by hand where the match is not known"
    by = "day" if spec.split_by == "occurred_at" else spec.split_by
    return f"{by}; where that is not known, by {match}" if by else match


def _order(spec: ExportSpec) -> str:
    """The order of the rows, and what follows from it."""
    if spec.form == "minari":
        return "Decisions of a seat in a hand follow each other."
    if spec.order == HAND:
        return (
            "Rows lie hand after hand, and neighbours share their result: shuffle all of them before "
            "learning; the shuffle buffer of a stream is too small."
        )
    return (
        "Rows are mixed over all hands, by the seed: they can be read as they lie. Sorted by `hand_id` and "
        "`step` they are in the order of the hands."
    )


def _sample(rows: int, total: int) -> str:
    return f"\nThese {rows:,} rows are a sample of {total:,}.\n" if rows < total else ""


def _hidden(spec: ExportSpec, left_out: Counts) -> str:
    """What happened to decisions whose cards the log hides."""
    if spec.selection.include_hidden_cards:
        return "\nIn some rows cards of the deciding seat may be missing, because the log hides them.\n"
    if not left_out:
        return ""
    by_kind = Counter[str]()
    for (kind, _), count in left_out.items():
        by_kind[kind] += count
    counts = ", ".join(f"{count} of kind {kind}" for kind, count in by_kind.items())
    return f"""
Left out, because the log hides cards of the deciding seat: {counts}. `--include-hidden-cards` includes them.
"""


def schema_of(folder: Path) -> pa.Schema:
    """The columns of the files of a kind, in its folder."""
    return pq.read_schema(next(folder.glob("*.parquet")))


def _metadata(spec: ExportSpec, counts: Counts, folder: Path, digest: str) -> str:
    """What `datasets` reads of Parquet files, in YAML."""
    if spec.form != "parquet":
        return ""
    features = {kind: _features(schema_of(folder / kind), spec.words.get(kind)) for kind in splits_of(counts)}
    infos = "".join(f"- config_name: {kind}\n  features:\n{lines}" for kind, lines in features.items())
    return f"{_configs(counts, digest)}dataset_info:\n{infos}"


def _features(schema: pa.Schema, words: tuple[str, ...] | None) -> str:
    """The columns of a kind; `action` is a `ClassLabel` of words."""
    lines = []
    for column in schema:
        is_list = pa.types.is_fixed_size_list(column.type)
        dtype = str(column.type.value_type if is_list else column.type)
        dtype = "float32" if dtype == "float" else dtype
        lines += [f"- name: {column.name}", f"  {'list' if is_list else 'dtype'}: {dtype}"]
        if is_list:
            lines.append(f"  length: {column.type.list_size}")
        elif column.name == "action" and words:
            names = [f"        '{number}': {json.dumps(word)}" for number, word in enumerate(words)]
            lines[-1:] = ["  dtype:", "    class_label:", "      names:", *names]
    return "".join(f"  {line}\n" for line in lines)


def _configs(counts: Counts, digest: str) -> str:
    """The configurations: only splits that have rows, because `datasets` needs a file for each.

    `datasets` caches rows under the digest of these lines, with no regard to where the folder is or what is
    in its files; the description makes the lines of another export differ.
    """
    configs, default = "configs:\n", "  default: true\n"
    for kind, splits in splits_of(counts).items():
        files = "".join(f"  - split: {split}\n    path: {kind}/{split}-*.parquet\n" for split in splits)
        description = f"  description: manifest {digest}\n"
        configs += f"- config_name: {kind}\n{default}{description}  data_files:\n{files}"
        default = ""
    return configs
