"""Every pipeline on Flink over S3: the same rows and bytes as in one process on a folder."""

from pathlib import Path

import pytest

from cardlog.pipelines import runs
from cardlog.pipelines.storage.remote import TEMPORARY, Folder
from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.upkeep import compact, verify
from cluster.machines import BUCKET, Cluster
from tests.cluster.support import EMBEDDED, assert_same, on_flink, succeed
from tests.support.exports import export

pytestmark = pytest.mark.cluster


@pytest.fixture(scope="module")
def store(cluster: Cluster, logs: Path) -> Store:
    """The logs of all games, ingested from the bucket and built on the cluster."""
    root = f"s3://{BUCKET}/five/store"
    succeed("ingest", f"s3://{BUCKET}/logs", "--store", root)
    succeed("rebuild", "--no-marts", "--store", root)
    return Store(root)


def test_all_games(store: Store, expected: Store) -> None:
    assert_same(expected, store)
    assert verify.verify(store).problems == []


@pytest.mark.parametrize(("form", "name"), [("parquet", "rows"), ("cardlog-jsonl", "events.jsonl")])
def test_exports_are_the_same_bytes(
    form: str, name: str, store: Store, expected: Store, cluster: Cluster
) -> None:
    """Both to the bucket and to a folder that the workers can't reach."""
    embedded = cluster.private / f"embedded-{name}"
    export(expected, "kaiser", form, embedded, beam_options=EMBEDDED)
    files = content(Folder(str(embedded.parent)), embedded.name)
    url = f"s3://{BUCKET}/five/{name}"
    succeed("export", url, "--game", "kaiser", "--format", form, "--store", store.root)
    assert content(Folder(f"s3://{BUCKET}/five"), name) == files
    repeated = on_flink("export", url, "--game", "kaiser", "--format", form, "--store", store.root)
    assert repeated.returncode == 2
    assert "nothing was overwritten" in repeated.stderr
    if form == "parquet":
        local = cluster.private / "local-rows"
        succeed("export", local, "--game", "kaiser", "--format", form, "--store", store.root)
        assert content(Folder(str(local.parent)), local.name) == files
    assert Folder(f"{store.root}/{TEMPORARY}").files() == {}


def content(folder: Folder, name: str) -> dict[str, bytes]:
    """All files of an export."""
    paths = [path for path in folder.files() if path == name or path.startswith(f"{name}/")]
    assert paths
    return {path.removeprefix(name): folder.open(path).read() for path in paths}


def test_increments_local_files_standard_input_and_retry(
    cluster: Cluster, logs: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Input that only this machine has is copied to the store for the workers, and removed afterwards."""
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
    remote = Store(root)
    for name in ("events", "playedhand", "tricks", "decisions"):
        assert remote.paths(name) == local.paths(name), name
    assert Folder(f"{root}/{TEMPORARY}").files() == {}
    assert "No hand in quarantine can be stored now" in succeed("quarantine", "retry", "--store", root)
    before = remote.rows("events")
    assert any(table.after < table.before for table in compact.compact(remote))
    assert remote.rows("events") == before
    assert verify.verify(remote).problems == []


def test_an_error_of_a_worker_is_shown_as_the_same_sentence(store: Store, cluster: Cluster) -> None:
    words = ["--game", "kaiser", "--format", "parquet", "--dialect", "none", "--store", store.root]
    run = on_flink("export", f"s3://{BUCKET}/five/nothing", *words)
    assert run.returncode == 2
    sentence = "cardlog: no decision of kaiser is what was asked for, so there is nothing to write"
    assert run.stderr.strip().splitlines()[-1] == sentence
    assert "Traceback" not in run.stderr
    assert "not-a-secret" not in run.stdout + run.stderr


def test_a_missing_cluster_is_reported_in_a_sentence() -> None:
    run = on_flink("rebuild", "--store", f"s3://{BUCKET}/five/store", "--flink-master", "localhost:1")
    assert run.returncode == 2
    assert "there is no Flink cluster at localhost:1" in run.stderr
