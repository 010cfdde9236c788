"""One cluster for all tests here, and logs of all games in its bucket."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from cardlog.pipelines.storage.remote import Folder
from cardlog.pipelines.storage.store import Store
from cluster import jars
from cluster.machines import BUCKET, Cluster
from tests.cluster.support import in_one_process
from tests.support.logs import beginnings


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """A cluster whose worker pools do not see this process's temporary files."""
    try:
        with Cluster() as running, pytest.MonkeyPatch.context() as patch:
            for name, value in running.environment.items():
                patch.setenv(name, value)
            patch.setenv("TMPDIR", str(running.private))
            patch.setattr("tempfile.tempdir", str(running.private))
            yield running
    except jars.Missing as reason:
        pytest.skip(str(reason))


@pytest.fixture(scope="session")
def logs(cluster: Cluster) -> Path:
    """The beginning of a log of each game, in a folder out of the workers' reach and in the bucket."""
    folder = cluster.private / "logs"
    folder.mkdir()
    for path in beginnings(folder):
        Folder(f"s3://{BUCKET}/logs").put(path.name, path)
    return folder


@pytest.fixture(scope="session")
def expected(cluster: Cluster, logs: Path) -> Store:
    """A store in a folder, made of the logs in the bucket by the embedded runner."""
    store = Store(str(cluster.private / "expected"))
    in_one_process(store, [f"s3://{BUCKET}/logs"])
    return store
