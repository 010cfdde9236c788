"""The jars of Flink and of Beam's Flink runner: fetched once with Maven, and checked against jars.sha256."""

import hashlib
import os
import shutil
import subprocess
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).parent
POM: Final = HERE / "pom.xml"
DIGESTS: Final = HERE / "jars.sha256"
_JAVA: Final = 17
_NOT_FOR_JOBS: Final = (
    "conscrypt-", "flink-rpc-akka", "flink-shaded-zookeeper", "grpc-", "opencensus-", "opentelemetry-",
)  # fmt: skip
"""Jars that only Flink's own processes need, and clients of Google's services. A job server does not get
them, since it uploads all of its jars with each job."""


class Missing(Exception):
    """There can be no cluster on this machine; the text says why."""


def fetch() -> Path:
    """The folder of the jars, fetched if it is not there. Raises Missing, or ValueError if it does not have
    the pinned jars."""
    for program in ("java", "mvn"):
        if shutil.which(program) is None:
            raise Missing(f"there is no {program} on this machine")
    if java_version() < _JAVA:
        raise Missing(f"Flink needs Java {_JAVA}, and this is Java {java_version()}")
    folder = _downloaded()
    digests = _digests_in(folder)
    pinned = dict(reversed(line.split()) for line in DIGESTS.read_text().splitlines())
    different = sorted({name for name, _ in digests.items() ^ pinned.items()})
    if different:
        raise ValueError(
            f"{folder} does not have the pinned jars; remove it. Different: {', '.join(different)}"
        )
    return folder


def _downloaded() -> Path:
    """The folder of the jars that the current pom asks for, downloaded if it is not there."""
    caches = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(caches) / "cardlog-cluster" / hashlib.sha256(POM.read_bytes()).hexdigest()[:16]
    if folder.exists():
        return folder
    draft = folder.with_name(f"{folder.name}-{os.getpid()}")
    command = [
        "mvn", "-q", "-B", "-f", str(POM), "dependency:copy-dependencies", f"-DoutputDirectory={draft}",
        "-DincludeScope=runtime",
    ]  # fmt: skip
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode:
        shutil.rmtree(draft, ignore_errors=True)
        lines = [line for line in run.stdout.splitlines() if "ERROR" in line]
        raise Missing(f"Maven could not fetch Flink: {lines[0] if lines else run.stderr.strip()}")
    draft.rename(folder)
    return folder


def _digests_in(folder: Path) -> dict[str, str]:
    """The sha256 of each jar in a folder, by name."""
    return {jar.name: hashlib.sha256(jar.read_bytes()).hexdigest() for jar in sorted(folder.glob("*.jar"))}


def lock() -> None:
    """Pin the jars that the current pom asks for."""
    lines = [f"{digest}  {name}\n" for name, digest in _digests_in(_downloaded()).items()]
    DIGESTS.write_text("".join(lines))


def java_version() -> int:
    """The feature version of the machine's Java, such as 17; 0 if it is not known."""
    text = subprocess.run(["java", "-version"], capture_output=True, text=True).stderr
    words = text.split('"')
    return int(words[1].split(".")[0]) if len(words) > 1 else 0


def for_flink(folder: Path) -> str:
    """The class path of Flink's own processes."""
    return f"{folder}/*"


def for_jobs(folder: Path) -> str:
    """The class path of a job server."""
    jars = [jar for jar in sorted(folder.glob("*.jar")) if not jar.name.startswith(_NOT_FOR_JOBS)]
    return ":".join(map(str, jars))
