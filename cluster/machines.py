"""The processes of the cluster: JobManager, TaskManagers with a worker pool each, job server, S3 server.

TaskManager n and its pool stand for a machine of their own: the pool listens on 127.0.0.n, to which the
TaskManager resolves the name `WORKERS`. So a job names one address, as where the pool is a sidecar of each
TaskManager, and each TaskManager uses its own pool. Pools see an empty folder `private`, if this process may
arrange that: files of a client there are out of their reach, as on another machine.
"""

import contextlib
import ctypes
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from cluster import jars

ROOT: Final = Path(__file__).parents[1]
WORKERS: Final = "cardlog-workers"
BUCKET: Final = "cards"
PORTS: Final = {"master": 8081, "rpc": 6123, "jobs": 8099, "workers": 50000, "s3": 9000}
"""The ports that are used unless they are taken."""
CONTROL: Final = "/cardlog-faults"
"""The path at which the S3 server is told how to fail."""
START_SECONDS: Final = 180
_OPENED: Final = (
    "lang", "lang.reflect", "net", "io", "nio", "text", "time",
    "util", "util.concurrent", "util.concurrent.atomic", "util.concurrent.locks",
)  # fmt: skip
_JAVA: Final = (
    "java", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dorg.slf4j.simpleLogger.showDateTime=true",
    *(f"--add-opens=java.base/java.{name}=ALL-UNNAMED" for name in _OPENED),
    "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
)  # fmt: skip
_PYTHON: Final = (sys.executable, "-W", "ignore", "-m")
_FLINK: Final = {
    "jobmanager.rpc.address": "localhost",
    "rest.address": "localhost",
    "taskmanager.host": "localhost",
    "jobmanager.memory.process.size": "512m",
    "taskmanager.cpu.cores": "1",
    "taskmanager.numberOfTaskSlots": "1",
    "taskmanager.memory.task.heap.size": "256m",
    "taskmanager.memory.task.off-heap.size": "0m",
    "taskmanager.memory.framework.heap.size": "64m",
    "taskmanager.memory.framework.off-heap.size": "64m",
    "taskmanager.memory.managed.size": "128m",
    "taskmanager.memory.network.min": "64m",
    "taskmanager.memory.network.max": "64m",
    "taskmanager.memory.jvm-metaspace.size": "256m",
    "taskmanager.memory.jvm-overhead.min": "128m",
    "taskmanager.memory.jvm-overhead.max": "128m",
    "classloader.resolve-order": "parent-first",  # they have all the jars that a job brings
    "heartbeat.interval": "2000",
    "heartbeat.timeout": "20000",
    "restart-strategy.type": "fixed-delay",
    "restart-strategy.fixed-delay.attempts": "3",
    "restart-strategy.fixed-delay.delay": "2 s",
}
"""The memory settings are those that Flink's own start scripts would derive."""


class Cluster:
    """A cluster that runs while the context is open. Raises `jars.Missing` if there can be none."""

    task_managers = 2

    def __init__(self) -> None:
        self.processes: dict[str, subprocess.Popen[bytes]] = {}

    def __enter__(self) -> "Cluster":
        self._jars = jars.fetch()
        self.folder = Path(tempfile.mkdtemp(prefix="cardlog-cluster-"))
        self.private = self.folder / "private"
        self.private.mkdir()
        self.hides = _can_hide()
        self.ports = {name: _free(port) for name, port in PORTS.items()}
        try:
            self._write_settings()
            self.start_s3()
            self.start_job_manager()
            for number in range(1, self.task_managers + 1):
                self.start_pool(number)
                self.start_task_manager(number)
            self.start_job_server()
            self._wait("the S3 server", lambda: _accepts(self.ports["s3"]))
            self._make_bucket()
            self.wait_for_slots()
            self._wait("the job server", lambda: _accepts(self.ports["jobs"]))
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for name in list(self.processes):
            self.kill(name)
        if not os.environ.get("CARDLOG_CLUSTER_KEEP"):
            shutil.rmtree(self.folder, ignore_errors=True)

    # ------------------------------------------------------------ what a client needs to know

    @property
    def master(self) -> str:
        """Flink's REST address."""
        return f"localhost:{self.ports['master']}"

    @property
    def environment(self) -> dict[str, str]:
        """The variables by which cardlog and other programs find the cluster and its object store."""
        return {
            "CARDLOG_FLINK_MASTER": self.master,
            "CARDLOG_JOB_SERVER": f"localhost:{self.ports['jobs']}",
            "CARDLOG_WORKERS": f"{WORKERS}:{self.ports['workers']}",
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{self.ports['s3']}",
            "AWS_ALLOW_HTTP": "true",
            "AWS_ACCESS_KEY_ID": "cardlog",
            "AWS_SECRET_ACCESS_KEY": "not-a-secret",
            "AWS_REGION": "us-east-1",
            "AWS_DEFAULT_REGION": "us-east-1",
        }

    def overview(self, path: str = "overview") -> Any:
        """A page of Flink's REST API; None if it does not answer."""
        url = f"http://{self.master}/{path}"
        with contextlib.suppress(OSError, ValueError), urllib.request.urlopen(url, timeout=10) as response:
            return json.load(response)
        return None

    def fail(self, **shares: float) -> None:
        """Make the S3 server fail from now on as `s3` describes; without arguments, work again."""
        body = json.dumps(shares).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self.ports['s3']}{CONTROL}", body)
        with urllib.request.urlopen(request, timeout=30):
            pass

    # ------------------------------------------------------------ starting and ending processes

    def start_job_manager(self) -> None:
        """Start Flink's JobManager."""
        entry = "org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint"
        self._java("job manager", jars.for_flink(self._jars), entry, "-Xmx400m", "--configDir", self.folder)

    def start_task_manager(self, number: int) -> None:
        """Start a TaskManager of one slot."""
        hosts = self.folder / f"hosts-{number}"
        hosts.write_text(f"127.0.0.1 localhost {socket.gethostname()}\n127.0.0.{number} {WORKERS}\n")
        entry = "org.apache.flink.runtime.taskexecutor.TaskManagerRunner"
        self._java(
            f"task manager {number}", jars.for_flink(self._jars), entry,
            "-Xmx400m", "-XX:MaxDirectMemorySize=256m", f"-Djdk.net.hosts.file={hosts}",
            "--configDir", self.folder,
        )  # fmt: skip

    def start_job_server(self) -> None:
        """Start Beam's job server, which translates pipelines for Flink."""
        entry = "org.apache.beam.runners.flink.FlinkJobServerDriver"
        self._java(
            "job server", jars.for_jobs(self._jars), entry, "-Xmx400m",
            f"--flink-master={self.master}", "--job-host=localhost", f"--job-port={self.ports['jobs']}",
            f"--artifact-port={self.ports['jobs'] - 1}", "--expansion-port=0",
            f"--artifacts-dir={self.folder / 'artifacts'}",
        )  # fmt: skip

    def start_pool(self, number: int) -> None:
        """Start the worker pool of a TaskManager."""
        command = [*_PYTHON, "cluster.worker_pool", f"127.0.0.{number}", str(self.ports["workers"])]
        script = f"mount -t tmpfs none '{self.private}' && exec \"$@\""
        wrapper = ["unshare", "-m", "sh", "-c", script, "sh"] if self.hides else []
        self._start(f"pool {number}", [*wrapper, *command])

    def start_s3(self) -> None:
        """Start an empty S3 server."""
        self._start("s3", [*_PYTHON, "cluster.s3", "127.0.0.1", str(self.ports["s3"])])

    def kill(self, name: str) -> None:
        """Kill a process and those that it started."""
        process = self.processes.pop(name)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def wait_for_slots(self) -> None:
        """Wait until all TaskManagers are registered and idle."""

        def are_free() -> bool:
            overview = self.overview()
            return overview is not None and overview["slots-available"] >= self.task_managers

        self._wait("Flink", are_free)

    # ------------------------------------------------------------ details

    def _java(self, name: str, class_path: str, entry: str, *words: object) -> None:
        options = [str(word) for word in words if str(word).startswith(("-X", "-D"))]
        others = [str(word) for word in words if not str(word).startswith(("-X", "-D"))]
        temporary = f"-Djava.io.tmpdir={self.folder}"
        self._start(name, [*_JAVA, temporary, *options, "-cp", class_path, entry, *others])

    def _start(self, name: str, command: list[str]) -> None:
        environment = os.environ | self.environment
        environment["PYTHONPATH"] = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
        with (self.folder / f"{name.replace(' ', '-')}.log").open("ab") as log:
            self.processes[name] = subprocess.Popen(
                command, cwd=self.folder, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                start_new_session=True, preexec_fn=_die_with_parent,
            )  # fmt: skip

    def _write_settings(self) -> None:
        ports = {"jobmanager.rpc.port": self.ports["rpc"], "rest.port": self.ports["master"]}
        folders = {"io.tmp.dirs": self.folder, "blob.storage.directory": self.folder}
        lines = [f"{key}: {value}\n" for key, value in {**_FLINK, **ports, **folders}.items()]
        (self.folder / "flink-conf.yaml").write_text("".join(lines))

    def _make_bucket(self) -> None:
        url = f"http://127.0.0.1:{self.ports['s3']}/{BUCKET}"
        with urllib.request.urlopen(urllib.request.Request(url, method="PUT"), timeout=60):
            pass

    def _wait(self, name: str, is_ready: Callable[[], bool]) -> None:
        end = time.monotonic() + START_SECONDS
        while not is_ready():
            has_died = any(process.poll() is not None for process in self.processes.values())
            if has_died or time.monotonic() > end:
                logs = "".join(
                    f"\n{path.name}: {path.read_text()[-2000:]}" for path in self.folder.glob("*.log")
                )
                raise RuntimeError(f"{name} did not start within {START_SECONDS} s; see {self.folder}{logs}")
            time.sleep(0.3)


def _can_hide() -> bool:
    """Whether files can be hidden from a process: as root, on Linux."""
    if shutil.which("unshare") is None:
        return False
    return subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode == 0


def _free(port: int) -> int:
    """The port or a higher one, such that the one below it, which a job server needs too, is free as well."""
    while _accepts(port) or _accepts(port - 1):
        port += 10
    return port


def _accepts(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("localhost", port), 5):
        return True
    return False


def _die_with_parent() -> None:
    """Have the kernel kill this process when the thread that started it ends, for whatever reason."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)
