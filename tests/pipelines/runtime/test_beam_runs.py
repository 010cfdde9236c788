"""What runners pass on of their workers' errors, which workers may be on other machines, and
which errors are a sentence for the user."""

from pathlib import Path

import pytest

from cardlog.pipelines.errors import for_user
from cardlog.pipelines.export.output import OutputError
from cardlog.pipelines.runtime import flink
from cardlog.pipelines.runtime.beam_runs import are_apart, cluster_error, worker_error
from cardlog.pipelines.storage.errors import StoreError
from cardlog.pipelines.storage.store import Store
from cardlog.schemas.errors import CardlogError

FLINK = ["--runner=FlinkRunner", "--flink_master=host:8081", "--environment_type=EXTERNAL"]

TRACEBACK = """Job failed: java.lang.RuntimeException: SDK harness: Traceback (most recent call last):
  File "read.py", line 265, in texts
    with open_raw(file.path) as raw:
FileNotFoundError: [Errno 2] No such file or directory: '/x.csv'

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "common.py", line 1512, in process
    raise
{kind}: {message}

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "sdk_worker.py", line 310, in _execute
    response = task()
{kind}: {message} [while running 'ReadAndJudge']

\tat java.base/java.util.concurrent.CompletableFuture.get(CompletableFuture.java:2073)
"""


def raised(kind: str, message: str) -> Exception | None:
    return worker_error(TRACEBACK.format(kind=kind, message=message))


@pytest.mark.parametrize("message", ["x.csv is gone; nothing of it was stored", "two lines:\nthe second"])
def test_errors_for_users_arrive_as_they_were_raised(message: str) -> None:
    found = raised("cardlog.pipelines.export.output.OutputError", message)
    assert type(found) is OutputError
    assert str(found) == message
    assert type(raised("cardlog.not.loaded.Here", message)) is CardlogError
    assert type(raised("OSError", message)) is type(raised("PermissionError", message)) is OSError


def test_a_lost_cluster_is_a_sentence_and_bugs_stay_bugs() -> None:
    assert raised("AssertionError", "hands don't add up") is None
    assert raised("zzz.Strange", "who knows") is None
    assert worker_error("java.lang.OutOfMemoryError: Java heap space") is None
    text = (
        "Pipeline failed: org.apache.flink.util.FlinkException: Failed\n\tat Job.run(Job.java:1)\n"
        "Caused by: java.net.ConnectException: Connection refused: localhost:8081"
    )
    found = cluster_error(RuntimeError(text))
    assert str(found) == (
        "the cluster could not finish the run: Connection refused: localhost:8081; "
        "repeat the command, it goes on or begins again"
    )
    assert cluster_error(RuntimeError(TRACEBACK.format(kind="AssertionError", message="a bug"))) is None
    assert cluster_error(RuntimeError("a bug here")) is None


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ([], False),
        (["--direct_num_workers=2"], False),
        (["--runner=PortableRunner", "--job_endpoint=embed", "--environment_type=LOOPBACK"], False),
        (["--runner=PortableRunner", "--job_endpoint=embed", "--environment_type=EXTERNAL"], True),
        (FLINK, True),
        (["--runner=DataflowRunner"], True),
    ],
)
def test_workers_that_may_be_on_other_machines(options: list[str], expected: bool) -> None:
    assert are_apart(options) is expected


def test_options_of_a_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flink, "_slots", lambda address: 7)
    monkeypatch.delenv(flink.JOB_SERVER, raising=False)
    monkeypatch.delenv(flink.WORKERS, raising=False)
    found = flink.options("http://host:8081/")
    assert found[:4] == [*FLINK[:2], "--job_endpoint=host:8099", "--artifact_endpoint=host:8098"]
    assert {"--parallelism=7", "--environment_config=localhost:50000", FLINK[2]} <= set(found)
    monkeypatch.setenv(flink.JOB_SERVER, "jobs")
    with pytest.raises(flink.FlinkError, match="it must be HOST:PORT"):
        flink.options("host:8081")
    monkeypatch.undo()
    with pytest.raises(flink.FlinkError, match="there is no Flink cluster at localhost:1: "):
        flink.options("localhost:1")
    monkeypatch.setattr(flink, "_slots", lambda address: 0)
    with pytest.raises(flink.FlinkError, match="has no TaskManager"):
        flink.options("localhost:8081")


UNMAPPED = "_duckdb.so: failed to map segment from shared object"


def test_too_little_memory_is_said_and_a_module_that_is_missing_is_a_bug() -> None:
    for error in (MemoryError(), ImportError(UNMAPPED)):
        assert str(for_user(error)) == "there is too little memory to run; 'ulimit -v' may limit it"
    assert for_user(ImportError("No module named 'x'")) is None


def test_a_store_needs_a_path_in_utf_8(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no store can be made at"):
        Store(f"{tmp_path}/\udcff")
