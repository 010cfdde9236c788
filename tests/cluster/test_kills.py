"""Parts of the cluster are killed at random moments: nothing is lost, and nothing is stored twice. The same
with two writers, and with a failing object store."""

import os
import random
import subprocess
from pathlib import Path

import pytest

from cardlog.pipelines import runs
from cardlog.pipelines.storage.store import Store
from cluster.machines import BUCKET, Cluster
from tests.cluster.disturbed import DISTURBANCES, run_disturbed
from tests.cluster.support import EMBEDDED, assert_same, command, in_one_process

pytestmark = pytest.mark.cluster


@pytest.mark.soak
@pytest.mark.parametrize("part", DISTURBANCES)
def test_a_part_is_killed(part: str, cluster: Cluster, expected: Store) -> None:
    root = f"s3://{BUCKET}/killed-{part.replace(' ', '-')}/store"
    words = ["ingest", f"s3://{BUCKET}/logs", "--store", root]
    run_disturbed(cluster, part, words, random.Random(part))
    runs.build(Store(root), afresh=True, beam_options=EMBEDDED)
    assert_same(expected, Store(root), files=False)


def test_a_failing_object_store(cluster: Cluster, expected: Store) -> None:
    """Refused requests, cut connections, and answers lost after the request was carried out."""
    store = Store(f"s3://{BUCKET}/failing/store")
    cluster.fail(refuse=0.1, cut=0.05, cut_after=0.05)
    try:
        in_one_process(store, [f"s3://{BUCKET}/logs"])
    finally:
        cluster.fail()
    assert_same(expected, store)


def test_two_writers(cluster: Cluster, logs: Path, expected: Store) -> None:
    """Both ingest all logs at the same time, in different orders: conditional puts let one commit first."""
    root = f"s3://{BUCKET}/writers/store"
    orders = [sorted(logs.iterdir()), sorted(logs.iterdir(), reverse=True)]
    writers = [
        subprocess.Popen(
            [*command("ingest", *order, "--store", root)[:-2], "--", *EMBEDDED],
            stderr=subprocess.PIPE, env=os.environ, text=True,
        )
        for order in orders
    ]  # fmt: skip
    errors = [writer.communicate()[1] for writer in writers]
    assert [writer.returncode for writer in writers] == [0, 0], errors
    store = Store(root)
    assert store.rows("events") == expected.rows("events")
    ingests = [row for part in store.read("ingests") for row in part.to_pylist() if row["hands_stored"]]
    assert sum(row["events_stored"] for row in ingests) >= store.rows("events")
