"""Every pipeline on Flink over S3: the same rows and bytes as in one process on a folder."""

from pathlib import Path

import pytest

from cardlog.pipelines import runs
from cardlog.pipelines.export.export import export
from cardlog.pipelines.storage.remote import TEMPORARY, Folder
from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.upkeep import compact, verify
from cluster.machines import BUCKET, Cluster
from tests.cluster.support import EMBEDDED, assert_same, on_flink, succeed

pytestmark = pytest.mark.cluster


@pytest.fixture(scope="module")
def store(cluster: Cluster, logs: Path) -> Store:
    """The logs of all games, ingested from the bucket and built on the cluster."""
    root = f"s3://{BUCKET}/five/store"
    succeed("ingest", f"s3://{BUCKET}/logs", "--store", root)
    succeed("rebuild", "--no-marts", "--store", root)
    return Store(root)


def test_five_games(store: Store, expected: Store) -> None:
    assert_same(expected, store)
    assert verify.verify(store).problems == []


@pytest.mark.parametrize(("form", "name"), [("parquet", "rows"), ("cardlog-jsonl", "events.jsonl")])
def test_exports_are_the_same_bytes(
    form: str, name: str, store: Store, expected: Store, cluster: Cluster
) -> None:
    """To the bucket, and to a folder that workers can't reach."""
    here = cluster.private / f"here-{name}"
    export(expected, "kaiser", form, here, beam_options=EMBEDDED)
    wanted = content(Folder(str(here.parent)), here.name)
    there = f"s3://{BUCKET}/five/{name}"
    succeed("export", there, "--game", "kaiser", "--format", form, "--store", store.root)
    assert content(Folder(f"s3://{BUCKET}/five"), name) == wanted
    again = on_flink("export", there, "--game", "kaiser", "--format", form, "--store", store.root)
    assert again.returncode == 2
    assert "nothing was overwritten" in again.stderr
    if form == "parquet":
        local = cluster.private / "local-rows"
        succeed("export", local, "--game", "kaiser", "--format", form, "--store", store.root)
        assert content(Folder(str(local.parent)), local.name) == wanted
    assert Folder(f"{store.root}/{TEMPORARY}").files() == {}


def content(folder: Folder, name: str) -> dict[str, bytes]:
    """All files of an export."""
    found = [path for path in folder.files() if path == name or path.startswith(f"{name}/")]
    assert found
    return {path.removeprefix(name): folder.open(path).read() for path in found}


def test_increments_local_files_standard_input_and_retry(
    cluster: Cluster, logs: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """What only this machine has is copied to the store for the workers, and removed."""
    root = f"s3://{BUCKET}/steps/store"
    local = Store(str(cluster.private / "steps"))
    kaiser, belote = logs / "kaiser.log", logs / "belote.log"
    succeed("ingest", kaiser, "--store", root)
    runs.ingest(local, [str(kaiser)], beam_options=EMBEDDED)
    piped = belote.read_bytes()
    succeed("ingest", "-", "--store", root, stdin=piped)
    copy = cluster.private / "piped"
    copy.write_bytes(piped)
    runs.ingest(local, [str(copy)], beam_options=EMBEDDED)
    succeed("build", "--no-marts", "--store", root)
    runs.build(local, beam_options=EMBEDDED)
    got = Store(root)
    for name in ("events", "playedhand", "tricks", "decisions"):
        assert got.paths(name) == local.paths(name), name
    assert Folder(f"{root}/{TEMPORARY}").files() == {}
    assert "No hand in quarantine can be stored now" in succeed("quarantine", "retry", "--store", root)
    before = got.rows("events")
    assert any(table.after < table.before for table in compact.compact(got))
    assert got.rows("events") == before
    assert verify.verify(got).problems == []


def test_a_worker_s_error_is_the_sentence_that_it_is_here(store: Store, cluster: Cluster) -> None:
    words = ["--game", "kaiser", "--format", "parquet", "--dialect", "none", "--store", store.root]
    done = on_flink("export", f"s3://{BUCKET}/five/nothing", *words)
    assert done.returncode == 2
    sentence = "cardlog: no decision of kaiser is what was asked for, so there is nothing to write"
    assert done.stderr.strip().splitlines()[-1] == sentence
    assert "Traceback" not in done.stderr
    assert "not-a-secret" not in done.stdout + done.stderr


def test_no_cluster_is_a_sentence() -> None:
    done = on_flink("rebuild", "--store", f"s3://{BUCKET}/five/store", "--flink-master", "localhost:1")
    assert done.returncode == 2
    assert "there is no Flink cluster at localhost:1" in done.stderr
