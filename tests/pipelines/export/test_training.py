"""Training data: opened by the libraries it is for, selected and split as requested, the same each time."""

import hashlib
import json
import os
import resource
import shutil
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from cardlog import models
from cardlog.models.kaiser import decisions as kaiser_decisions
from cardlog.pipelines import runs
from cardlog.pipelines.export import minari_files, parquet_files
from cardlog.pipelines.export.export import ExportError
from cardlog.pipelines.export.rows import COLUMNS
from cardlog.pipelines.export.selection import Selection
from cardlog.pipelines.export.simulate import simulate
from cardlog.pipelines.sql.warehouse import unbuilt_hands
from cardlog.pipelines.storage.store import Store
from tests.support.csv_rows import HEADER, dump, dump_lines
from tests.support.exports import columns_in, export, manifest_of, rows_in
from tests.support.jsonl_logs import hand, simulated, text_of
from tests.support.shared import small_store
from tests.support.stores import ask, built, connect, copied, ingest, ingest_text, one, stored


@pytest.fixture(scope="module")
def matches(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """Simulated matches, with the last hand cut off. Not to be changed."""
    folder = tmp_path_factory.mktemp("matches")
    text = b"\n".join(simulated(900, seed=4).splitlines()[:-20])
    return built(Store(str(folder / "store")), folder, text, "log.jsonl", final=True)


@pytest.fixture(scope="module")
def folder(matches: Store, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The training data of the matches."""
    path = tmp_path_factory.mktemp("training") / "data"
    export(matches, "kaiser", "parquet", path)
    return path


def load(folder: Path, cache: Path, *config: str, **how: Any) -> Any:
    """The data as `datasets` opens it, without a network."""
    os.environ["HF_DATASETS_OFFLINE"] = "1"
    import datasets

    datasets.disable_progress_bars()
    return datasets.load_dataset(str(folder), *config, cache_dir=str(cache), **how)


@pytest.mark.long
@pytest.mark.parametrize(("config", "width"), [("play", 32), ("bid", kaiser_decisions.BID_ACTIONS)])
def test_datasets_opens_every_kind(
    config: str, width: int, matches: Store, folder: Path, tmp_path: Path
) -> None:
    data = load(folder, tmp_path, *([] if config == "play" else [config]))
    assert list(data) == ["train", "validation", "test"]
    rows = sum(split.num_rows for split in data.values())
    where = f"from decisions where kind = '{config}' and status = 'complete'"
    assert rows == one(matches, f"select count(*) {where}")
    for split in data.values():
        assert split.column_names == list(COLUMNS)
        types = {name: str(getattr(kind, "dtype", kind)) for name, kind in split.features.items()}
        assert [types[name] for name in ("hand_id", "match_id", "seat", "step", "action")] == [
            "string", "string", "int8", "int16", "int64",
        ]  # fmt: skip
        assert (types["reward"], types["return"]) == ("float32", "float32")
        for name, length, kind in (
            ("observation", kaiser_decisions.OBSERVATION_WIDTH, "int8"),
            ("action_mask", width, "bool"),
        ):
            assert (split.features[name].length, split.features[name].feature.dtype) == (length, kind)
    streamed = load(folder, tmp_path, config, split="test", streaming=True)
    assert streamed.features == split.features
    assert list(streamed) == list(split)


@pytest.mark.parametrize(
    ("game", "how", "words"),
    [
        ("kaiser", {},
         {"bid": {0: "pass", 10: "bid 5", 11: "bid 5 no trump", 28: "name hearts"}, "play": {3: "TC"}}),
        ("belote", {"encoder": "original"}, {"play": {0: "7D"}}),
    ],
)  # fmt: skip
def test_the_card_has_the_word_of_every_action(
    game: str, how: dict[str, str], words: dict[str, dict[int, str]], store: Store, tmp_path: Path
) -> None:
    """As `datasets` reads it, and in the manifest."""
    import datasets

    simulate(game, 20, 1, str(tmp_path / "log.jsonl"))
    ingest(store, tmp_path / "log.jsonl", final=True)
    export(store, game, "parquet", tmp_path / "data", columns="occurred_at,done,next_observation", **how)
    card = yaml.safe_load((tmp_path / "data" / "README.md").read_text("utf-8").split("---\n")[1])
    manifest = manifest_of(tmp_path / "data")
    infos = datasets.info.DatasetInfosDict.from_dataset_card_data(card)
    assert {*infos} == {*manifest["actions"]} == {*words}
    for kind, some in words.items():
        label, rows = infos[kind].features["action"], rows_in(tmp_path / "data", kind)
        assert {number: label.int2str(number) for number in some} == some
        assert label.names == manifest["actions"][kind]
        assert label.num_classes == rows.schema.field("action_mask").type.list_size
        plain = datasets.Features.from_arrow_schema(rows.schema)
        assert {**infos[kind].features, "action": plain["action"]} == plain


@pytest.mark.long
def test_datasets_never_returns_the_rows_of_another_export(
    matches: Store, folder: Path, tmp_path: Path
) -> None:
    """Its cache is not told apart by where a folder is, nor by what is in its files."""
    here, there, cache = tmp_path / "here" / "data", tmp_path / "there" / "data", tmp_path / "cache"
    shutil.copytree(folder, here)
    log = tmp_path / "belote.jsonl"
    simulate("belote", 200, 1, str(log))
    belote = built(Store(str(tmp_path / "store")), tmp_path, log.read_bytes(), "log.jsonl")
    there.parent.mkdir()
    export(belote, "belote", "parquet", there)
    other = tmp_path / "other"
    export(matches, "kaiser", "parquet", other, seed=5)

    def check(place: Path) -> None:
        for kind in ("play", "bid"):
            expected = pq.read_table(sorted((place / kind).glob("train-*")), columns=["hand_id", "step"])
            for how in ({}, {"streaming": True}):
                rows = load(place, cache, kind, **how)["train"].select_columns(["hand_id", "step"])
                assert list(rows) == expected.to_pylist()

    check(here)
    check(there)
    for source in (there, other):
        shutil.rmtree(here)
        shutil.copytree(source, here)
        check(here)


def splits_of(folder: Path, name: str = "match_id") -> dict[str, set[str]]:
    splits: dict[str, set[str]] = {}
    for path in sorted(folder.glob("*/*.parquet")):
        splits.setdefault(path.name.split("-")[0], set()).update(pq.read_table(path).column(name).to_pylist())
    return splits


def test_a_match_is_in_one_split_also_when_more_data_comes(
    folder: Path, store: Store, tmp_path: Path
) -> None:
    splits = splits_of(folder)
    matches = Counter(match for split in splits.values() for match in split)
    assert set(matches.values()) == {1}
    assert 0.6 < len(splits["train"]) / len(matches) < 0.95
    stored(store, tmp_path / "in", simulated(300, seed=4), "log.jsonl")
    for seed in range(2):
        export(store, "kaiser", "parquet", tmp_path / f"{seed}", seed=seed)
        few = splits_of(tmp_path / f"{seed}")
        assert all(few[split] <= splits[split] for split in few) == (seed == 0)


def test_a_split_without_rows_has_no_file(store: Store, tmp_path: Path) -> None:
    stored(store, tmp_path / "in", text_of(hand()), "log.jsonl", final=True)
    export(store, "kaiser", "parquet", tmp_path / "data", splits="0,100,0")
    files = [path.name for path in (tmp_path / "data").rglob("*.parquet")]
    assert files == ["validation-00000-of-00001.parquet"] * 2
    data = load(tmp_path / "data", tmp_path / "cache")
    assert {name: split.num_rows for name, split in data.items()} == {"validation": 32}
    assert data["validation"][0]["match_id"] is None


def test_a_large_split_is_cut_into_files(
    matches: Store, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet_files, "GROUP_ROWS", 400)
    monkeypatch.setattr(parquet_files, "FILE_ROWS", 1_500)
    export(matches, "kaiser", "parquet", tmp_path / "data", order="hand")
    for split in ("train", "validation", "test"):
        files = sorted((tmp_path / "data" / "play").glob(f"{split}-*.parquet"))
        assert [path.name for path in files] == [
            f"{split}-{n:05d}-of-{len(files):05d}.parquet" for n in range(len(files))
        ]
        assert all(0 < pq.read_metadata(path).num_rows <= 1_500 for path in files)
        assert len(files) >= 2
        mixed = rows_in(folder, "play", split)
        in_order = mixed.sort_by([("hand_id", "ascending"), ("step", "ascending")])
        assert rows_in(tmp_path / "data", "play", split).equals(in_order)


@given(rows=st.integers(1, 10**8))
def test_a_split_is_divided_into_twenty_files_or_more(rows: int) -> None:
    """Fewer where they would have less than a thousand rows; in row groups that fill each file."""
    sizes = parquet_files.file_sizes(rows)
    assert sum(sizes) == sum(parquet_files.group_sizes(rows)) == rows
    assert max(sizes) - min(sizes) <= 1
    assert max(sizes) <= parquet_files.FILE_ROWS
    assert len(sizes) >= min(max(rows // 1000, 1), 20)
    assert len(sizes) in (min(max(rows // 1000, 1), 20), -(-rows // parquet_files.FILE_ROWS))


def test_the_manifest_says_what_the_files_were_made_from(matches: Store, folder: Path) -> None:
    manifest = manifest_of(folder)
    assert manifest["events_version"] == matches.table("events").version()
    assert (manifest["game"], manifest["encoder"], manifest["encoder_version"]) == ("kaiser", "v1", 2)
    assert manifest["columns"] == list(COLUMNS)
    named = {file["path"]: file for file in manifest["files"]}
    assert sorted(named) == sorted(str(path.relative_to(folder)) for path in folder.rglob("*.parquet"))
    for name, file in named.items():
        content = (folder / name).read_bytes()
        assert (len(content), hashlib.sha256(content).hexdigest()) == (file["bytes"], file["sha256"])
    for kind, splits in manifest["rows"].items():
        for split, count in splits.items():
            assert count == sum(
                pq.read_metadata(path).num_rows for path in (folder / kind).glob(f"{split}-*.parquet")
            )


# ---------------------------------------------------------------- minari


@pytest.mark.long
@pytest.mark.filterwarnings("error")
def test_minari_opens_the_episodes(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of them, or a sample whose rows the manifest and the card count."""
    minari = pytest.importorskip("minari", reason="the extra minari is not installed")
    stored(store, tmp_path / "in", simulated(10, seed=4), "log.jsonl")
    whole = export(store, "kaiser", "npy", tmp_path / "rows", splits="0,100,0")
    rows = columns_in(tmp_path / "rows", "npy", split="validation")
    episodes = {(hand, seat) for hand, seat in zip(rows["hand_id"], rows["seat"], strict=True)}
    known = Counter((o.tobytes(), int(a)) for o, a in zip(rows["observation"], rows["action"], strict=True))
    for most, all_episodes in ((40, False), (3, False), (40, True)):
        monkeypatch.setattr(minari_files, "EPISODES", 3 if all_episodes else most)
        folder = tmp_path / f"{most} {all_episodes}"
        written = export(store, "kaiser", "minari", folder, splits="0,100,0", all_episodes=all_episodes)
        monkeypatch.setenv("MINARI_DATASETS_PATH", str(folder))
        found = {kind: minari.load_dataset(f"cardlog/{kind}-validation-v0") for kind in ("play", "bid")}
        assert [each.total_episodes for each in found.values()] == [min(most, len(episodes))] * 2
        assert written == sum(each.total_steps for each in found.values())
        manifest = manifest_of(folder)
        steps = {kind: {"validation": each.total_steps} for kind, each in found.items()}
        assert manifest["rows"] == steps
        assert sum(rows for splits in manifest["sample_of"].values() for rows in splits.values()) == whole
        sample = f"are a sample of {whole:,}" in (folder / "README.md").read_text()
        assert sample == (written < whole)
        assert found["play"].action_space.n == 32
        assert len(found["play"].sample_episodes(3)) == 3
        seen = Counter()
        for episode in found["play"].iterate_episodes():
            assert len(episode.observations) == len(episode.actions) + 1 == 9
            assert episode.terminations.tolist() == [False] * 7 + [True]
            assert episode.infos["action_mask"][np.arange(8), episode.actions].all()
            pairs = zip(episode.observations[:-1], episode.actions, strict=True)
            seen.update((o.tobytes(), int(a)) for o, a in pairs)
        assert seen <= known
        assert (seen == known) == (most > 3)


# ---------------------------------------------------------------- croissant


@pytest.mark.long
def test_croissant_is_valid_and_reads_every_row(store: Store, tmp_path: Path) -> None:
    mlcroissant = pytest.importorskip("mlcroissant")
    stored(store, tmp_path / "in", simulated(15, seed=4), "log.jsonl")
    export(store, "kaiser", "parquet", tmp_path / "data")
    dataset = mlcroissant.Dataset(str(tmp_path / "data" / "croissant.json"))
    assert not dataset.metadata.ctx.issues.errors
    assert "http://mlcommons.org/croissant/1.1" in str(dataset.metadata.conforms_to)
    for kind in ("play", "bid"):
        rows = rows_in(tmp_path / "data", kind)
        records = list(dataset.records(kind))
        assert len(records) == len(rows)
        words = {record[f"{kind}-actions/action"]: record[f"{kind}-actions/word"]
                 for record in dataset.records(f"{kind}-actions")}  # fmt: skip
        assert list(words.values()) == list(models.game("kaiser").decisions.words[kind])
        splits = {record[f"{kind}/split"].decode() for record in records}
        assert splits <= {"train", "validation", "test"}
        of_hand = {(r["hand_id"], r["step"]): r for r in rows.to_pylist()}
        for record in records[:50]:
            row = of_hand[record[f"{kind}/hand_id"].decode(), int(record[f"{kind}/step"])]
            assert [int(value) for value in record[f"{kind}/observation"]] == row["observation"]
            assert [bool(value) for value in record[f"{kind}/action_mask"]] == row["action_mask"]
            assert int(record[f"{kind}/action"]) == row["action"]


# ---------------------------------------------------------------- selections


@pytest.fixture(scope="module")
def named(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """Hands of people and computers, one of people with names. Not to be changed."""
    folder = tmp_path_factory.mktemp("named")
    store = built(Store(str(folder / "store")), folder, dump(*dump_lines()[:100], header=HEADER))
    players = [{"name": f"Ann{seat % 2} O'Hara", "kind": "human"} for seat in range(4)]
    opening, *events = hand("n")
    opening = {**opening, "detail": {**opening["detail"], "players": players}}
    return built(store, folder, text_of([opening, *events]), "named.jsonl", final=True)


def chosen(store: Store, folder: Path, **criteria: Any) -> pa.Table:
    folder.mkdir(exist_ok=True)
    export(store, "kaiser", "parquet", folder / "data", selection=Selection(**criteria))
    rows = rows_in(folder / "data")
    manifest = manifest_of(folder / "data")
    assert manifest["selection"] == criteria
    return rows


@pytest.mark.long
@pytest.mark.parametrize(
    ("criteria", "sql"),
    [
        ({"where": "team_0_score > 0"}, "team_0_score > 0"),
        ({"where": "made and trump = 'S'", "mart": "kaiser_recomputed_points"},
         "if(declarer % 2 = 0, team_0_score, team_1_score) > 0 and trump = 'S'"),
        ({"since": "2016-03-02"}, "added_date >= '2016-03-02T00:00:00Z'"),
        ({"until": "2016-03-01"}, "added_date < '2016-03-02T00:00:00Z'"),
        ({"since": "2016-03-02", "until": "2016-03-02", "where": "trump = 'S'"},
         "trump = 'S' and added_date >= '2016-03-02T00:00:00Z' and added_date < '2016-03-03T00:00:00Z'"),
    ],
)  # fmt: skip
def test_selected_hands_are_those_of_the_same_query(
    criteria: dict[str, Any], sql: str, tmp_path: Path
) -> None:
    hand_ids = set(chosen(small_store(), tmp_path, **criteria).column("hand_id").to_pylist())
    expected = ask(small_store(), f"select hand_id from playedhand where status = 'complete' and {sql}")
    assert hand_ids == {hand_id for (hand_id,) in expected}
    assert 0 < len(hand_ids) < 308


def test_a_player_is_found_by_name(named: Store, tmp_path: Path) -> None:
    rows = chosen(named, tmp_path, player="Ann1 O'Hara")
    assert len(set(rows.column("hand_id").to_pylist())) == 1
    assert Counter(rows.column("seat").to_pylist()) == {1: 8, 3: 8}
    with pytest.raises(ExportError, match=r"'ann1 oHara'; there are: Ann1 O'Hara, Ann0 O'Hara$"):
        chosen(named, tmp_path / "none", player="ann1 oHara")


@pytest.mark.long
def test_hands_stored_since_the_build_are_left_out_and_nothing_is_refused(tmp_path: Path) -> None:
    """Such as those that are played at a table meanwhile. Without a condition, the export has them."""
    store = copied(small_store(), tmp_path / "store")
    before = chosen(store, tmp_path / "before", where="true")
    ingest_text(store, tmp_path, text_of(hand("later")), "later.jsonl", final=True)
    assert (unbuilt_hands(small_store()), unbuilt_hands(store)) == (0, 1)
    assert chosen(store, tmp_path / "later", where="true").equals(before)
    people = [chosen(each, tmp_path / f"{each is store}", seats="human") for each in (small_store(), store)]
    assert len(people[0]) < len(people[1])
    runs.build(store)  # the projections, and not the marts
    assert chosen(store, tmp_path / "built", where="true").equals(before)


@contextmanager
def short_of_space(max_bytes: int) -> Iterator[None]:
    """A context in which no file can grow beyond this size."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (max_bytes, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


@pytest.mark.parametrize("form", ["parquet", "npy", "npz", "minari", "cardlog-jsonl"])
def test_a_disk_that_takes_no_more_leaves_nothing_behind(form: str, store: Store, tmp_path: Path) -> None:
    if form == "minari":
        pytest.importorskip("minari", reason="the extra minari is not installed")
    stored(store, tmp_path / "in", simulated(10, seed=4), "log.jsonl")
    out = tmp_path / "out" / "data"
    out.parent.mkdir()
    with short_of_space(2_000), pytest.raises(ExportError, match=f"{out} could not be written"):
        export(store, "kaiser", form, out)
    assert list(out.parent.iterdir()) == []
    export(store, "kaiser", form, out)
    assert out.exists()


# ---------------------------------------------------------------- who and when, and what is said of it


def test_who_and_when_is_added_if_asked_and_splits_the_rows(named: Store, tmp_path: Path) -> None:
    names = ("player", "player_kind", "dataset", "occurred_at")
    export(named, "kaiser", "parquet", tmp_path / "data", columns=",".join(names), split_by="player")
    rows = rows_in(tmp_path / "data")
    assert rows.column_names == [*COLUMNS, *names]
    found = {name: rows.column(name).to_pylist() for name in ("hand_id", "seat", *names)}
    seats = connect(main=named).execute("select hand_id, seat, player_name, player_kind, dataset from seats")
    known = {(hand_id, seat): rest for hand_id, seat, *rest in seats.fetchall()}
    for hand_id, seat, *rest in zip(*(found[name] for name in ("hand_id", "seat", *names[:3])), strict=True):
        assert known[hand_id, seat] == rest
    assert {"human", "computer"} <= set(found["player_kind"])
    assert {name for name in found["player"] if name} == {"Ann1 O'Hara", "Ann0 O'Hara"}
    splits = [path.name.partition("-")[0] for path in (tmp_path / "data" / "play").iterdir()]
    players = [rows_in(tmp_path / "data", split=split).column("player").to_pylist() for split in {*splits}]
    assert all(sum(name in of_split for of_split in players) == 1 for name in ("Ann1 O'Hara", "Ann0 O'Hara"))
    assert rows.schema.field("occurred_at").type == pa.timestamp("us", "UTC")


@pytest.mark.parametrize(("form", "min_legal"), [("parquet", None), ("npy", None), ("parquet", 2)])
def test_what_follows_is_the_next_row_of_the_seat(
    form: str, min_legal: int | None, named: Store, tmp_path: Path
) -> None:
    """Of any kind; against the rows themselves, grouped by hand and seat. Forced ones may be left out."""
    names = ("next_observation", "next_action_mask", "next_kind", "done")
    what = {"columns": ",".join(names), "splits": "100,0,0"}
    selection = Selection(include_aborted=True, min_legal=min_legal)
    export(named, "kaiser", form, tmp_path / "data", selection=selection, **what)
    rows = []
    for kind in ("bid", "play"):
        columns = columns_in(tmp_path / "data", form, kind)
        values = (column if form == "parquet" else column.tolist() for column in columns.values())
        of_kind = {"kind": kind if form == "parquet" else kind.encode()}
        rows += [dict(zip(columns, row, strict=True)) | of_kind for row in zip(*values, strict=True)]
    rows.sort(key=lambda row: (row["hand_id"], row["seat"], row["step"]))
    export(named, "kaiser", "parquet", tmp_path / "all", selection=Selection(include_aborted=True))
    masks = (rows_in(tmp_path / "all", kind)["action_mask"].to_pylist() for kind in ("bid", "play"))
    counts = sorted(sum(mask) for of_kind in masks for mask in of_kind)
    assert sorted(sum(row["action_mask"]) for row in rows) == [n for n in counts if n >= (min_legal or 1)]
    assert counts[0] == 1
    assert sum(row["done"] for row in rows) == len({(row["hand_id"], row["seat"]) for row in rows}) > 400
    for row, after in pairwise([*rows, {"hand_id": None}]):
        is_same = (row["hand_id"], row["seat"]) == (after["hand_id"], after.get("seat"))
        assert row["done"] == (not is_same)
        assert row["next_kind"] == (after["kind"] if is_same else {"npy": b""}.get(form))
        assert row["next_observation"] == (after["observation"] if is_same else [0] * len(row["observation"]))
        mask = after["action_mask"] if is_same else []
        assert row["next_action_mask"] == mask + [False] * (len(row["next_action_mask"]) - len(mask))
        assert len(row["next_action_mask"]) == kaiser_decisions.MOST_ACTIONS


def test_a_licence_is_named_only_if_the_user_names_it(named: Store, tmp_path: Path) -> None:
    export(named, "kaiser", "parquet", tmp_path / "silent")
    texts = [(tmp_path / "silent" / name).read_text("utf-8") for name in ("README.md", "croissant.json")]
    assert not any("licen" in text.lower() or "apache" in text.lower() for text in texts)
    about = {"license": "CC0-1.0", "name": 'Our "club"', "description": "Thursdays."}
    export(named, "kaiser", "parquet", tmp_path / "told", **about)
    card, croissant = (
        (tmp_path / "told" / name).read_text("utf-8") for name in ("README.md", "croissant.json")
    )
    header = yaml.safe_load(card.split("---\n")[1])
    assert (header["license"], header["pretty_name"]) == ("CC0-1.0", 'Our "club"')
    assert '\n# Our "club"\n\nThursdays.\n' in card
    assert about.items() <= json.loads(croissant).items()
