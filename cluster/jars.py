"""Flink and Beam's Flink runner: fetched once with Maven, checked against the digests in jars.sha256."""

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
"""Jars that Flink's own processes need, or clients of Google's services: a job server uploads all of its jars
with each job, so these are left out there."""


class Missing(Exception):
    """There is no cluster on this machine; the text says why."""


def fetch() -> Path:
    """The folder of the jars, fetched if they are not there. Raises Missing, or ValueError if they are not
    what is pinned."""
    for program in ("java", "mvn"):
        if shutil.which(program) is None:
            raise Missing(f"there is no {program} on this machine")
    if java_version() < _JAVA:
        raise Missing(f"Flink needs Java {_JAVA}, and this is Java {java_version()}")
    here = _downloaded()
    found = digests_in(here)
    pinned = dict(reversed(line.split()) for line in DIGESTS.read_text().splitlines())
    if found != pinned:
        different = sorted(
            name for name in found.keys() | pinned.keys() if found.get(name) != pinned.get(name)
        )
        raise ValueError(
            f"{here} does not have the pinned jars; remove it. Different: {', '.join(different)}"
        )
    return here


def _downloaded() -> Path:
    """The folder of the jars that the present pom stands for, downloaded if they are not there."""
    caches = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    here = Path(caches) / "cardlog-cluster" / hashlib.sha256(POM.read_bytes()).hexdigest()[:16]
    if here.exists():
        return here
    draft = here.with_name(f"{here.name}-{os.getpid()}")
    command = [
        "mvn", "-q", "-B", "-f", str(POM), "dependency:copy-dependencies", f"-DoutputDirectory={draft}",
        "-DincludeScope=runtime",
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        shutil.rmtree(draft, ignore_errors=True)
        lines = [line for line in done.stdout.splitlines() if "ERROR" in line]
        raise Missing(f"Maven could not fetch Flink: {lines[0] if lines else done.stderr.strip()}")
    draft.rename(here)
    return here


def digests_in(here: Path) -> dict[str, str]:
    """The sha256 of each jar in a folder, by name."""
    return {jar.name: hashlib.sha256(jar.read_bytes()).hexdigest() for jar in sorted(here.glob("*.jar"))}


def lock() -> None:
    """Pin the jars that the pom stands for at present."""
    lines = [f"{digest}  {name}\n" for name, digest in digests_in(_downloaded()).items()]
    DIGESTS.write_text("".join(lines))


def java_version() -> int:
    """The feature version of the machine's Java; 0 if it does not say."""
    text = subprocess.run(["java", "-version"], capture_output=True, text=True).stderr
    words = text.split('"')
    return int(words[1].split(".")[0]) if len(words) > 1 else 0


def for_flink(here: Path) -> str:
    """The class path of Flink's own processes."""
    return f"{here}/*"


def for_jobs(here: Path) -> str:
    """The class path of a job server."""
    return ":".join(str(jar) for jar in sorted(here.glob("*.jar")) if not jar.name.startswith(_NOT_FOR_JOBS))
